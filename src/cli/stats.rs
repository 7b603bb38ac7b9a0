//! `jezero stats`: how much the library holds, as JSON.

use clap::ArgMatches;

use super::failure::Failure;
use super::output::Output;
use super::setting::Setting;
use super::{Entry, Exit, Globals};
use crate::access::Reader;

pub(super) const COMMAND: Entry = Entry { define, run };

fn define() -> clap::Command {
    clap::Command::new("stats").about("Count the items of each source, as JSON")
}

fn run(_: &ArgMatches, globals: &Globals, output: &mut Output) -> Result<Exit, Failure> {
    output.json(
        &Setting::load(globals)?
            .library()?
            .stats(&Reader::everything())?,
    );
    Ok(Exit::Done)
}
