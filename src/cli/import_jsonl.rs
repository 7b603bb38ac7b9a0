//! `jezero import-jsonl`: stores items that are already summarised.

use std::fs::File;
use std::io::{BufRead, BufReader};

use clap::{Arg, ArgMatches};
use jezero_connectors::{SourceName, Trust};

use super::failure::Failure;
use super::output::Output;
use super::search::text;
use super::setting::Setting;
use super::{Entry, Exit, Globals};
use crate::import::{self, ImportOptions};
use crate::item::ProjectName;

pub(super) const COMMAND: Entry = Entry { define, run };

fn define() -> clap::Command {
    clap::Command::new("import-jsonl")
        .about("Store items that are already summarised, one JSON object a line")
        .long_about(
            "Stores items that are already summarised, one JSON object a line. All lines are \
             checked before the first is stored; every text is redacted on the way in.",
        )
        .arg(
            Arg::new("path")
                .value_name("PATH")
                .required(true)
                .help("The file, or - for standard input"),
        )
        .arg(text(
            "source",
            "NAME",
            "The source of every item (needed unless each record names its own)",
        ))
        .arg(text(
            "project",
            "NAME",
            "The project of records that name none",
        ))
        .arg(
            text(
                "trust",
                "TRUST",
                "Who wrote them; a record may lower own to external",
            )
            .value_parser(["own", "external"])
            .default_value("own"),
        )
}

fn run(matches: &ArgMatches, globals: &Globals, output: &mut Output) -> Result<Exit, Failure> {
    let setting = Setting::load(globals)?;
    let engine = setting.engine()?;
    let value = |name: &str| matches.get_one::<String>(name).map_or("", String::as_str);
    let bad = |option: &str, why: String| Failure::text(Exit::BadUse, format!("--{option}: {why}"));
    let project = match matches.get_one::<String>("project") {
        Some(name) => Some(ProjectName::new(engine.redact(name)).ok_or_else(|| {
            bad(
                "project",
                "a project has lower-case letters, digits, _, . and -".to_owned(),
            )
        })?),
        None => None,
    };
    let options = ImportOptions {
        source: matches
            .get_one::<String>("source")
            .map(SourceName::new)
            .transpose()
            .map_err(|error| bad("source", error.to_string()))?,
        project,
        trust: value("trust")
            .parse::<Trust>()
            .map_err(|error| bad("trust", error.to_string()))?,
    };
    let path = value("path");
    let input: Box<dyn BufRead> = match path {
        "-" => Box::new(std::io::stdin().lock()),
        path => Box::new(BufReader::new(File::open(path).map_err(|error| {
            Failure::text(Exit::BadUse, format!("{path}: {error}"))
        })?)),
    };
    let (_lock, mut store) = setting.store("import-jsonl", output)?;
    let now = setting.clock.now();
    let imported = import::import_jsonl(&mut store, &engine, input, path, &options, now)?;
    output.json_line(&imported);
    if imported.forgotten > 0 {
        output.note(format!(
            "{} records were left out: what they hold was forgotten (`jezero forget --undo` lifts that)",
            imported.forgotten
        ));
    }
    Ok(Exit::Done)
}
