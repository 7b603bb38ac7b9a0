//! `jezero index`: compares the index over words with the items, or makes it anew.

use clap::ArgMatches;

use super::failure::Failure;
use super::indexing::Telling;
use super::output::Output;
use super::search::json;
use super::setting::Setting;
use super::{Entry, Exit, Globals};

pub(super) const COMMAND: Entry = Entry { define, run };

fn define() -> clap::Command {
    clap::Command::new("index")
        .about("Check the index of words that searches use, or make it anew")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(
            clap::Command::new("check")
                .about("Compare the index with every item; exit 1 when they differ")
                .long_about(
                    "Compares the index with every item, word by word. Nothing is changed, and \
                     everything else may go on meanwhile. Ends with 1 when they differ: `jezero \
                     index rebuild` puts that right.",
                )
                .arg(json()),
        )
        .subcommand(
            clap::Command::new("rebuild")
                .about("Make the index anew from the items")
                .long_about(
                    "Makes the index anew from the items, and overwrites what is left in the file \
                     of items that are gone. Searches find everything meanwhile, but slowly.",
                ),
        )
}

fn run(matches: &ArgMatches, globals: &Globals, output: &mut Output) -> Result<Exit, Failure> {
    let setting = Setting::load(globals)?;
    match matches.subcommand() {
        Some(("check", matches)) => check(matches, &setting, output),
        Some(_) => rebuild(&setting, output),
        None => Ok(Exit::BadUse),
    }
}

fn check(matches: &ArgMatches, setting: &Setting, output: &mut Output) -> Result<Exit, Failure> {
    let checked = setting.library()?.view().check_index()?;
    if matches.get_flag("json") {
        output.json(&checked);
    } else {
        for fault in &checked.first_faults {
            output.line(fault.to_string());
        }
        output.line(format!(
            "{} items and {} originals in {} segments; waiting to be indexed {}; faults {}",
            checked.items, checked.originals, checked.segments, checked.waiting, checked.faults
        ));
    }
    Ok(if checked.faults == 0 {
        Exit::Done
    } else {
        Exit::Failed
    })
}

fn rebuild(setting: &Setting, output: &mut Output) -> Result<Exit, Failure> {
    // The lock lives until the work is done.
    let (_lock, mut store) = setting.store("index rebuild", output)?;
    let mut telling = Telling::new(output);
    store.rebuild_index(&mut |indexing| telling.told(indexing))?;
    drop(telling);
    output.line("the index has been made anew");
    Ok(Exit::Done)
}
