//! `jezero new-token`: a key and the line of the configuration that lets it in.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use clap::ArgMatches;
use sha2::{Digest, Sha256};

use super::failure::Failure;
use super::output::Output;
use super::{Entry, Exit, Globals};

pub(super) const COMMAND: Entry = Entry { define, run };

fn define() -> clap::Command {
    clap::Command::new("new-token")
        .about("Make a key and its token_sha256 line")
        .long_about(
            "Prints a new key of 256 random bits, and the token_sha256 line to put into a \
             [[clients]] block of the server. The key itself is stored nowhere: give it to the \
             client.",
        )
}

fn run(_: &ArgMatches, _: &Globals, output: &mut Output) -> Result<Exit, Failure> {
    let mut bytes = [0_u8; 32];
    getrandom::fill(&mut bytes)
        .map_err(|error| Failure::text(Exit::Failed, format!("no random bytes: {error}")))?;
    let key = BASE64_URL_SAFE_NO_PAD.encode(bytes);
    output.line(&key);
    output.line(token_line(&key));
    Ok(Exit::Done)
}

/// The line of the configuration for a key.
fn token_line(key: &str) -> String {
    let digest = Sha256::digest(key.as_bytes());
    let hex: Vec<String> = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("token_sha256 = \"{}\"", hex.concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_holds_the_digest_of_the_key() {
        assert_eq!(
            token_line("abc"),
            "token_sha256 = \"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\""
        );
    }
}
