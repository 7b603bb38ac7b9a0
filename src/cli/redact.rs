//! `jezero redact`: shows what the rules hide in a text.

use std::collections::BTreeMap;
use std::io::Read;

use clap::{Arg, ArgAction, ArgMatches};
use serde::Serialize;

use super::failure::Failure;
use super::output::Output;
use super::setting::Setting;
use super::{Entry, Exit, Globals};
use crate::config::{Config, Env};
use crate::redaction::{Counts, Engine, Finding, Redacted, Settings};

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
                .help(
                    "Count what each rule hid, with the SHA-256 of each value, instead of the text",
                ),
        )
        .arg(
            Arg::new("json")
                .long("json")
                .action(ArgAction::SetTrue)
                .help("Text and counts (with --report: counts and values) as one JSON object"),
        )
}

#[derive(Serialize)]
struct Answer {
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<Redacted>,
    redactions: u64,
    rules: Counts,
    #[serde(skip_serializing_if = "Option::is_none")]
    values: Option<Vec<Value>>,
}

/// A value that was hidden, by what `allow_sha256` takes.
#[derive(Serialize)]
struct Value {
    rule: String,
    sha256: String,
    bytes: usize,
    count: u64,
}

fn run(matches: &ArgMatches, globals: &Globals, output: &mut Output) -> Result<Exit, Failure> {
    let engine = Engine::with(&rule_settings(globals)?)?;
    let path = matches
        .get_one::<String>("path")
        .map_or("-", String::as_str);
    let mut bytes = Vec::new();
    let read = match path {
        "-" => std::io::stdin().lock().read_to_end(&mut bytes).map(drop),
        path => std::fs::read(path).map(|read| bytes = read),
    };
    read.map_err(|error| Failure::text(Exit::BadUse, format!("{path}: {error}")))?;
    let text = String::from_utf8_lossy(&bytes);
    let report = matches.get_flag("report");
    if !report && !matches.get_flag("json") {
        output.raw(engine.redact(&text).as_str());
        return Ok(Exit::Done);
    }
    let (redacted, findings) = engine.explain(&text);
    let (counts, values) = gathered(findings);
    if matches.get_flag("json") {
        output.json(&Answer {
            text: (!report).then_some(redacted),
            redactions: counts.total(),
            rules: counts,
            values: report.then_some(values),
        });
        return Ok(Exit::Done);
    }
    for (rule, count) in &counts.0 {
        output.line(format!("{count:>6}  {rule}"));
        for value in values.iter().filter(|value| value.rule == *rule) {
            output.line(format!(
                "{:>12} x {} bytes, sha256 {}",
                value.count, value.bytes, value.sha256
            ));
        }
    }
    output.line(format!("{:>6}  in all", counts.total()));
    Ok(Exit::Done)
}

/// Counts by rule, and the values of each.
fn gathered(findings: Vec<Finding>) -> (Counts, Vec<Value>) {
    let mut counts = Counts::default();
    let mut values: BTreeMap<(String, String), Value> = BTreeMap::new();
    for Finding {
        rule,
        sha256,
        bytes,
        ..
    } in findings
    {
        counts.hit(&rule);
        let key = (rule.clone(), sha256.clone());
        let value = values.entry(key).or_insert(Value {
            rule,
            sha256,
            bytes,
            count: 0,
        });
        value.count += 1;
    }
    (counts, values.into_values().collect())
}

/// The settings of the configuration; the usual ones when there is none.
pub(super) fn rule_settings(globals: &Globals) -> Result<Settings, Failure> {
    let path = Config::find(globals.config.as_deref(), &Env::process());
    if globals.config.is_none() && !path.exists() {
        return Ok(Settings::default());
    }
    Ok(Setting::load(globals)?.config.redaction)
}
