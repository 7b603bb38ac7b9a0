//! `jezero redact`: shows what the rules hide in a text.

use std::io::Read;

use clap::{Arg, ArgAction, ArgMatches};
use serde::Serialize;

use super::failure::Failure;
use super::output::Output;
use super::setting::Setting;
use super::{Entry, Exit, Globals};
use crate::config::{Config, Env};
use crate::redaction::{Counts, Engine, Redacted};

pub(super) const COMMAND: Entry = Entry { define, run };

fn define() -> clap::Command {
    clap::Command::new("redact")
        .about("Show a text as it would be stored, with its secrets hidden")
        .long_about(
            "Reads a file or standard input and writes it with its secrets hidden. Works without \
             a configuration; with one, its [redaction] section counts.",
        )
        .arg(
            Arg::new("path")
                .value_name("FILE")
                .default_value("-")
                .help("The file, or - for standard input"),
        )
        .arg(
            Arg::new("report")
                .long("report")
                .action(ArgAction::SetTrue)
                .help("Count what each rule hid, instead of writing the text"),
        )
        .arg(
            Arg::new("json")
                .long("json")
                .action(ArgAction::SetTrue)
                .help("Text and counts as one JSON object"),
        )
}

#[derive(Serialize)]
struct Answer {
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<Redacted>,
    redactions: u64,
    rules: Counts,
}

fn run(matches: &ArgMatches, globals: &Globals, output: &mut Output) -> Result<Exit, Failure> {
    let engine = engine(globals)?;
    let path = matches
        .get_one::<String>("path")
        .map_or("-", String::as_str);
    let mut bytes = Vec::new();
    let read = match path {
        "-" => std::io::stdin().lock().read_to_end(&mut bytes).map(drop),
        path => std::fs::read(path).map(|read| bytes = read),
    };
    read.map_err(|error| Failure::text(Exit::BadUse, format!("{path}: {error}")))?;
    let mut counts = Counts::default();
    let text = engine.redact_counting(&String::from_utf8_lossy(&bytes), &mut counts);
    let report = matches.get_flag("report");
    if matches.get_flag("json") {
        let text = (!report).then_some(text);
        output.json(&Answer {
            text,
            redactions: counts.total(),
            rules: counts,
        });
    } else if report {
        for (rule, count) in &counts.0 {
            output.line(format!("{count:>6}  {rule}"));
        }
        output.line(format!("{:>6}  in all", counts.total()));
    } else {
        output.raw(text.as_str());
    }
    Ok(Exit::Done)
}

/// The rules of the configuration; the compiled-in ones when there is none.
fn engine(globals: &Globals) -> Result<Engine, Failure> {
    let path = Config::find(globals.config.as_deref(), &Env::process());
    if globals.config.is_none() && !path.exists() {
        return Ok(Engine::embedded());
    }
    Setting::load(globals)?.engine()
}
