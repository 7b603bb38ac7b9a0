//! `jezero timeline`: what happened, newest first.

use clap::ArgMatches;

use super::failure::Failure;
use super::output::Output;
use super::search::{json, limit, text};
use super::setting::Setting;
use super::{Entry, Exit, Globals};
use crate::access::Reader;
use crate::library::TimelineQuery;

pub(super) const COMMAND: Entry = Entry { define, run };

fn define() -> clap::Command {
    clap::Command::new("timeline")
        .about("List items by date, newest first")
        .arg(text("project", "NAME", "Only this project"))
        .arg(text("source", "NAME", "Only this source"))
        .arg(text("since", "DATE", "At or after this date (2026-10-01)"))
        .arg(text("until", "DATE", "Before this date"))
        .arg(limit("How many at most (default 20)"))
        .arg(json())
}

fn run(matches: &ArgMatches, globals: &Globals, output: &mut Output) -> Result<Exit, Failure> {
    let text = |name: &str| matches.get_one::<String>(name).cloned();
    let query = TimelineQuery {
        project: text("project"),
        source: text("source"),
        since: text("since"),
        until: text("until"),
        limit: matches.get_one("limit").copied(),
        ..TimelineQuery::default()
    };
    let answer = Setting::load(globals)?
        .library()?
        .timeline(&Reader::everything(), &query)?;
    if matches.get_flag("json") {
        output.json(&answer);
        return Ok(Exit::Done);
    }
    if answer.items.is_empty() {
        output.line("no items");
    }
    for item in &answer.items {
        let project = item
            .project
            .as_ref()
            .map_or("-", |project| project.as_str());
        output.line(format!(
            "[{}] {}  {}  {project}  {}",
            item.id,
            item.occurred_at.date(),
            item.source,
            item.title
        ));
    }
    Ok(Exit::Done)
}
