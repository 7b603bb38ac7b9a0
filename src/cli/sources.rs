//! `jezero sources`: what the library was filled from.

use clap::ArgMatches;

use super::failure::Failure;
use super::output::Output;
use super::search::json;
use super::setting::Setting;
use super::{Entry, Exit, Globals};
use crate::access::Reader;

pub(super) const COMMAND: Entry = Entry { define, run };

fn define() -> clap::Command {
    clap::Command::new("sources")
        .about("List the sources that have items")
        .arg(json())
}

fn run(matches: &ArgMatches, globals: &Globals, output: &mut Output) -> Result<Exit, Failure> {
    let answer = Setting::load(globals)?
        .library()?
        .list_sources(&Reader::everything())?;
    if matches.get_flag("json") {
        output.json(&answer);
        return Ok(Exit::Done);
    }
    if answer.sources.is_empty() {
        output.line("no items yet");
        output.note("hint: `jezero run` reads your sources");
    }
    for (name, count) in &answer.sources {
        output.line(format!(
            "{name}  {} items, latest {}",
            count.items, count.latest
        ));
    }
    Ok(Exit::Done)
}
