//! `jezero connector`: the configured connectors and their state; forgetting what one remembers.

use clap::{Arg, ArgAction, ArgMatches};
use jezero_connectors::Instant;
use serde::Serialize;

use super::failure::Failure;
use super::output::Output;
use super::search::json;
use super::setting::Setting;
use super::table::{aligned, dash};
use super::{Entry, Exit, Globals};
use crate::access::Reader;
use crate::config::ConnectorConfig;
use crate::redaction::Redacted;
use crate::store::ConnectorState;

pub(super) const COMMAND: Entry = Entry { define, run };

fn define() -> clap::Command {
    clap::Command::new("connector")
        .about("List the connectors, or make one read everything again")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(
            clap::Command::new("list")
                .about("List the connectors with their last run")
                .arg(json()),
        )
        .subcommand(
            clap::Command::new("reset")
                .about("Forget what a connector remembers: its next run reads everything again")
                .long_about(
                    "Forgets what a connector remembers of its source, so that its next run reads \
                     everything again. Items stay; what has not changed is not summarised again.",
                )
                .arg(
                    Arg::new("name")
                        .value_name("NAME")
                        .required(true)
                        .help("The connector"),
                )
                .arg(
                    Arg::new("yes")
                        .long("yes")
                        .action(ArgAction::SetTrue)
                        .help("Do it (without this, only tell what would be done)"),
                ),
        )
}

fn run(matches: &ArgMatches, globals: &Globals, output: &mut Output) -> Result<Exit, Failure> {
    let setting = Setting::load(globals)?;
    match matches.subcommand() {
        Some(("reset", matches)) => reset(matches, &setting, output),
        Some((_, matches)) => list(matches, &setting, output),
        None => Ok(Exit::BadUse),
    }
}

#[derive(Serialize)]
struct Row {
    name: String,
    #[serde(rename = "type")]
    kind: &'static str,
    enabled: bool,
    interval_minutes: u64,
    last_run_at: Option<String>,
    last_success_at: Option<String>,
    last_item_at: Option<String>,
    items: u64,
    last_error: Option<Redacted>,
}

fn list(matches: &ArgMatches, setting: &Setting, output: &mut Output) -> Result<Exit, Failure> {
    // Before the first run there is no library, and that is no reason to list nothing.
    let library = setting
        .config
        .storage
        .path
        .exists()
        .then(|| setting.library())
        .transpose()?;
    let mut rows = Vec::new();
    for connector in &setting.config.connectors {
        let (state, items) = match &library {
            Some(library) => {
                let sources = library.list_sources(&Reader::everything())?.sources;
                let items = sources.get(&connector.name).map_or(0, |count| count.items);
                (library.view().state(&connector.name)?, items)
            }
            None => (ConnectorState::default(), 0),
        };
        rows.push(row(connector, state, items));
    }
    if matches.get_flag("json") {
        output.json(&rows);
        return Ok(Exit::Done);
    }
    let mut table = vec![HEADINGS.map(str::to_owned)];
    table.extend(rows.into_iter().map(cells));
    for line in aligned(&table) {
        output.line(line);
    }
    Ok(Exit::Done)
}

const HEADINGS: [&str; 8] = [
    "NAME",
    "TYPE",
    "ENABLED",
    "EVERY",
    "LAST RUN",
    "LAST SUCCESS",
    "ITEMS",
    "ERROR",
];

fn cells(row: Row) -> [String; 8] {
    [
        row.name,
        row.kind.to_owned(),
        if row.enabled { "yes" } else { "no" }.to_owned(),
        format!("{} min", row.interval_minutes),
        dash(row.last_run_at),
        dash(row.last_success_at),
        row.items.to_string(),
        dash(row.last_error),
    ]
}

fn row(connector: &ConnectorConfig, state: ConnectorState, items: u64) -> Row {
    let text = |instant: Option<Instant>| instant.map(|instant| instant.to_string());
    Row {
        name: connector.name.to_string(),
        kind: connector.kind.name(),
        enabled: connector.enabled,
        interval_minutes: connector.interval_minutes,
        last_run_at: text(state.last_run_at),
        last_success_at: text(state.last_success_at),
        last_item_at: text(state.last_item_at),
        items,
        last_error: state.last_error,
    }
}

fn reset(matches: &ArgMatches, setting: &Setting, output: &mut Output) -> Result<Exit, Failure> {
    let name = matches.get_one::<String>("name").map_or("", String::as_str);
    let connectors = &setting.config.connectors;
    let Some(connector) = connectors
        .iter()
        .find(|connector| connector.name.as_str() == name)
    else {
        return Err(super::runs::unknown(name));
    };
    if !matches.get_flag("yes") {
        output.line(format!(
            "{name}: its next run would read everything again; items would stay"
        ));
        output.note("hint: add --yes to do it");
        return Ok(Exit::Done);
    }
    let (_lock, mut store) = setting.store("connector reset")?;
    let forgotten = store.forget_marks(&connector.name)?;
    output.line(format!(
        "{name}: {forgotten} marks forgotten; the next run reads everything again"
    ));
    Ok(Exit::Done)
}
