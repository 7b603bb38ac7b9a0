//! `jezero index`: compares the index over words with the items, or makes it anew.

use clap::ArgMatches;
use serde::Serialize;

use super::failure::{self, Failure};
use super::indexing::Telling;
use super::output::Output;
use super::search::json;
use super::setting::Setting;
use super::{Entry, Exit, Globals};
use crate::store::Checked;

pub(super) const COMMAND: Entry = Entry { define, run };

fn define() -> clap::Command {
    clap::Command::new("index")
        .about("Check the index of words that searches use, or make it anew")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(
            clap::Command::new("check")
                .about("Look at the library's file and compare the index with every item")
                .long_about(
                    "Looks at every page of the library's file, then compares the index with every \
                     item, word by word. Nothing is changed, and everything else may go on meanwhile. \
                     Ends with 1 when something is wrong. Where index and items differ, `jezero index \
                     rebuild` puts that right; a damaged file is to be replaced by a backup \
                     (docs/operations.md).",
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

/// What a check found, with the keys in which it is told.
#[derive(Serialize)]
struct Answer {
    #[serde(flatten)]
    index: Checked,
    /// What is wrong with the file itself.
    file_faults: Vec<String>,
}

fn check(matches: &ArgMatches, setting: &Setting, output: &mut Output) -> Result<Exit, Failure> {
    let library = setting.library()?;
    let mut file_faults = library.view().check_file(true)?;
    let is_json = matches.get_flag("json");
    if !is_json {
        for fault in &file_faults {
            output.line(format!("the file: {fault}"));
        }
    }
    let index = match library.view().check_index() {
        // What is damaged may not be readable to its end: that is one more thing to tell.
        Err(error) if !file_faults.is_empty() => {
            file_faults.push(format!("the index could not be compared: {error}"));
            if !is_json {
                output.line(format!("the index could not be compared: {error}"));
            }
            Checked::default()
        }
        checked => checked?,
    };
    let answer = Answer { index, file_faults };
    let checked = &answer.index;
    if is_json {
        output.json(&answer);
    } else {
        for fault in &checked.first_faults {
            output.line(fault.to_string());
        }
        output.line(format!(
            "{} items and {} originals in {} segments; waiting to be indexed {}; faults {}",
            checked.items, checked.originals, checked.segments, checked.waiting, checked.faults
        ));
    }
    if !answer.file_faults.is_empty() {
        output.note(format!("hint: {}", failure::DAMAGED));
    } else if checked.faults > 0 {
        output.note("hint: `jezero index rebuild` makes the index anew from the items");
    }
    Ok(match checked.faults == 0 && answer.file_faults.is_empty() {
        true => Exit::Done,
        false => Exit::Failed,
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
