//! `jezero search`: finds items by words.

use clap::{Arg, ArgAction, ArgMatches, value_parser};

use super::failure::Failure;
use super::output::Output;
use super::setting::Setting;
use super::{Entry, Exit, Globals};
use crate::access::Reader;
use crate::library::{SearchQuery, TextScope};

pub(super) const COMMAND: Entry = Entry { define, run };

fn define() -> clap::Command {
    clap::Command::new("search")
        .about("Find items by words")
        .long_about(
            "Finds items whose title, summary, questions, atoms or project hold the words. Words \
             match as substrings, ignoring case and accents; a \"quoted phrase\" is one term; an \
             item that holds more of the terms ranks higher. With --scope original the redacted \
             originals are searched instead, with --scope all both.",
        )
        .arg(
            Arg::new("query")
                .value_name("QUERY")
                .required(true)
                .num_args(1..)
                .help("Words"),
        )
        .arg(text("project", "NAME", "Only this project"))
        .arg(text("source", "NAME", "Only this source"))
        .arg(text(
            "since",
            "DATE",
            "Only what happened at or after this date (2026-10-01)",
        ))
        .arg(
            Arg::new("scope")
                .long("scope")
                .value_name("TEXT")
                .value_parser(TextScope::WORDS)
                .default_value("summary")
                .help("Which text to search"),
        )
        .arg(limit("How many at most (default: [search].default_limit)"))
        .arg(json())
}

/// An option with a text value.
pub(super) fn text(name: &'static str, value: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).value_name(value).help(help)
}

/// The option `--limit`.
pub(super) fn limit(help: &'static str) -> Arg {
    Arg::new("limit")
        .long("limit")
        .value_name("N")
        .value_parser(value_parser!(i64).range(1..))
        .help(help)
}

/// The option `--json`.
pub(super) fn json() -> Arg {
    Arg::new("json")
        .long("json")
        .action(ArgAction::SetTrue)
        .help("Answer in JSON")
}

fn run(matches: &ArgMatches, globals: &Globals, output: &mut Output) -> Result<Exit, Failure> {
    let setting = Setting::load(globals)?;
    let words: Vec<&str> = matches
        .get_many::<String>("query")
        .into_iter()
        .flatten()
        .map(String::as_str)
        .collect();
    let query = SearchQuery {
        query: words.join(" "),
        project: matches.get_one("project").cloned(),
        source: matches.get_one("source").cloned(),
        since: matches.get_one("since").cloned(),
        scope: matches
            .get_one::<String>("scope")
            .and_then(|word| word.parse().ok())
            .unwrap_or_default(),
        limit: matches.get_one("limit").copied(),
        ..SearchQuery::default()
    };
    let answer = setting.library()?.search(&Reader::everything(), &query)?;
    if matches.get_flag("json") {
        output.json(&answer);
        return Ok(Exit::Done);
    }
    if answer.results.is_empty() {
        output.line("no results");
    }
    for hit in &answer.results {
        let item = &hit.item;
        let project = item
            .project
            .as_ref()
            .map_or("-", |project| project.as_str());
        output.line(format!(
            "[{}] {:.4}  {}  {}  {project}  {}",
            item.id,
            hit.score,
            item.occurred_at.date(),
            item.source,
            item.title
        ));
    }
    Ok(Exit::Done)
}
