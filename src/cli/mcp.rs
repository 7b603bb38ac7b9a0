//! `jezero mcp`: the library to one agent over standard input and output, or a bridge to a server.

use clap::ArgMatches;
use tokio::io::{BufReader, stdin, stdout};

use super::failure::Failure;
use super::output::Output;
use super::serve::{runtime, service};
use super::setting::Setting;
use super::{Entry, Exit, Globals};
use crate::access::Reader;
use crate::config::Env;
use crate::mcp::bridge::Bridge;
use crate::mcp::stdio;

pub(super) const COMMAND: Entry = Entry { define, run };

/// The variables that make this a bridge.
const URL: &str = "JEZERO_URL";
const TOKEN: &str = "JEZERO_TOKEN";

fn define() -> clap::Command {
    clap::Command::new("mcp")
        .about("Serve the library to one agent over standard input and output")
        .long_about(
            "Speaks MCP over standard input and output: what an agent starts as its server. It \
             answers from the library of the configuration; with JEZERO_URL set to a server's \
             address (and JEZERO_TOKEN to a key for it) it carries every message there instead, and \
             needs no configuration.",
        )
}

fn run(_: &ArgMatches, globals: &Globals, _: &mut Output) -> Result<Exit, Failure> {
    super::log::to_stderr();
    let env = Env::process();
    let bridge = match env.get(URL) {
        Some(url) => Some(Bridge::new(url.expose(), env.get(TOKEN)).map_err(|error| {
            Failure::new(Exit::BadUse, error).hint(format!("set {URL} and {TOKEN}"))
        })?),
        None => None,
    };
    if bridge.as_ref().is_some_and(Bridge::is_open) {
        tracing::warn!("the key travels unencrypted: give {URL} an https:// address");
    }
    let service = match bridge {
        Some(_) => None,
        None => Some(service(&Setting::load(globals)?)),
    };
    let runtime = runtime()?;
    let served = runtime.block_on(async {
        let input = BufReader::new(stdin());
        match (bridge, service) {
            (Some(bridge), _) => bridge.serve(input, stdout()).await,
            (None, Some(service)) => {
                stdio::serve(service, Reader::everything(), input, stdout()).await
            }
            (None, None) => Ok(()),
        }
    });
    // A reading of standard input that still waits must not keep the program.
    runtime.shutdown_background();
    match served {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure::new(Exit::Failed, error))
        }
        _ => Ok(Exit::Done),
    }
}
