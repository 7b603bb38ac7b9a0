//! `jezero show`: one item in full, or what is newer on its subject.

use clap::{Arg, ArgAction, ArgMatches, value_parser};

use super::failure::Failure;
use super::output::Output;
use super::search::{json, limit};
use super::setting::Setting;
use super::{Entry, Exit, Globals};
use crate::access::Reader;
use crate::item::{Item, ItemId};
use crate::library::{Library, MatchedBy};

pub(super) const COMMAND: Entry = Entry { define, run };

/// The labels of `--newer`, as the specification has them.
const NEWER: &str = "NEWER ON THIS SUBJECT";
const NEWER_BY_DATE: &str = "NEWER IN THIS PROJECT (by date, not by subject)";

fn define() -> clap::Command {
    clap::Command::new("show")
        .about("Show one item, or what is newer on its subject")
        .arg(
            Arg::new("item")
                .value_name("ITEM")
                .required(true)
                .value_parser(value_parser!(i64))
                .help("Number of the item, as search prints it"),
        )
        .arg(
            Arg::new("newer")
                .long("newer")
                .action(ArgAction::SetTrue)
                .conflicts_with("original")
                .help("What happened later on the same subject and may have changed it"),
        )
        .arg(
            Arg::new("query")
                .long("query")
                .value_name("WORDS")
                .requires("newer")
                .help("The subject (default: the item's title)"),
        )
        .arg(limit("How many newer items at most (default 5)").requires("newer"))
        .arg(
            Arg::new("original")
                .long("original")
                .action(ArgAction::SetTrue)
                .help("The redacted original as well"),
        )
        .arg(json())
}

fn run(matches: &ArgMatches, globals: &Globals, output: &mut Output) -> Result<Exit, Failure> {
    let library = Setting::load(globals)?.library()?;
    let id = ItemId(matches.get_one("item").copied().unwrap_or_default());
    if matches.get_flag("newer") {
        return newer(matches, &library, id, output);
    }
    let answer = library.get_item(&Reader::everything(), id, matches.get_flag("original"))?;
    if matches.get_flag("json") {
        output.json(&answer);
        return Ok(Exit::Done);
    }
    let Some(found) = &answer.item else {
        return Ok(not_found(id, output));
    };
    print(&found.item, output);
    if matches.get_flag("original") {
        output.line("\nORIGINAL");
        match found.original.as_ref().and_then(Option::as_ref) {
            Some(original) => output.line(original.as_str()),
            None => output.line("(stored without one)"),
        }
    }
    Ok(Exit::Done)
}

fn newer(
    matches: &ArgMatches,
    library: &Library,
    id: ItemId,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let query = matches.get_one::<String>("query").map(String::as_str);
    let limit = matches.get_one("limit").copied();
    let answer = library.later(&Reader::everything(), id, query, limit)?;
    if matches.get_flag("json") {
        output.json(&answer);
        return Ok(Exit::Done);
    }
    let Some(found) = &answer.newer else {
        return Ok(not_found(id, output));
    };
    output.line(match found.matched_by {
        MatchedBy::Subject => NEWER,
        MatchedBy::ProjectTimeline => NEWER_BY_DATE,
    });
    if found.later.is_empty() {
        output.line("nothing newer");
    }
    for item in &found.later {
        output.line(format!(
            "[{}] {}  {}  {}",
            item.id,
            item.occurred_at.date(),
            item.source,
            item.title
        ));
        for atom in item.atoms.iter().take(3) {
            output.line(format!("      {}: {}", atom.kind.as_str(), atom.text));
        }
    }
    Ok(Exit::Done)
}

fn not_found(id: ItemId, output: &mut Output) -> Exit {
    output.note(format!("there is no item {id}"));
    output.note("hint: `jezero search WORDS` and `jezero timeline` print the numbers of items");
    Exit::Failed
}

fn print(item: &Item, output: &mut Output) {
    output.line(format!("[{}] {}", item.id, item.title));
    let project = item
        .project
        .as_ref()
        .map_or("-", |project| project.as_str());
    output.line(format!(
        "{}  {}  {project}  {}",
        item.occurred_at,
        item.source,
        item.trust.as_str()
    ));
    if let Some(original_ref) = &item.original_ref {
        output.line(original_ref.as_str());
    }
    output.line(format!("\n{}", item.summary));
    if !item.questions.is_empty() {
        output.line("");
    }
    for question in &item.questions {
        output.line(format!("? {question}"));
    }
    if !item.atoms.is_empty() {
        output.line("");
    }
    for atom in &item.atoms {
        output.line(format!("{:>9}  {}", atom.kind.as_str(), atom.text));
    }
}
