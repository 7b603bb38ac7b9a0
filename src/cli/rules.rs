//! `jezero rules`: what hides secrets, whether it keeps its word, and why something is hidden.

use std::collections::HashMap;
use std::io::Read;
use std::path::PathBuf;

use clap::{Arg, ArgMatches, value_parser};
use serde::Serialize;

use super::failure::Failure;
use super::output::Output;
use super::redact::rule_settings;
use super::search::json;
use super::{Entry, Exit, Globals};
use crate::redaction::{Engine, Finding, Listed, State, catalogue, test_rules};

pub(super) const COMMAND: Entry = Entry { define, run };

fn define() -> clap::Command {
    clap::Command::new("rules")
        .about("List, test and explain the redaction rules")
        .long_about(
            "The rules that hide secrets. Works without a configuration; with one, its [redaction] \
             section counts.",
        )
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(
            clap::Command::new("list")
                .about("Id, family, state and description of everything that hides something")
                .long_about(
                    "One line each: id, family, state (on; disabled by disabled_rules; off because \
                     its family is), description.",
                )
                .arg(json()),
        )
        .subcommand(
            clap::Command::new("test")
                .about("Run every rule's own examples; exit 1 when one is not as it says")
                .arg(
                    Arg::new("folder")
                        .value_name("FOLDER")
                        .value_parser(value_parser!(PathBuf))
                        .help("A folder of rule files to test, instead of [redaction].rules_dir"),
                )
                .arg(json()),
        )
        .subcommand(
            clap::Command::new("explain")
                .about("Say which rule hides what in a text, without showing the secret")
                .long_about(
                    "Says for each place that is hidden where it stands, which rule hides it, what \
                     that rule is for, and the SHA-256 of the value, which [redaction].allow_sha256 \
                     takes when the value is none.",
                )
                .arg(
                    Arg::new("text")
                        .value_name("TEXT")
                        .default_value("-")
                        .help("The text, or - for standard input, which leaves no trace in a shell"),
                )
                .arg(json()),
        )
}

fn run(matches: &ArgMatches, globals: &Globals, output: &mut Output) -> Result<Exit, Failure> {
    match matches.subcommand() {
        Some(("list", matches)) => list(matches, globals, output),
        Some(("test", matches)) => test(matches, globals, output),
        Some((_, matches)) => explain(matches, globals, output),
        None => Ok(Exit::BadUse),
    }
}

fn list(matches: &ArgMatches, globals: &Globals, output: &mut Output) -> Result<Exit, Failure> {
    let listed = catalogue(&rule_settings(globals)?)?;
    if matches.get_flag("json") {
        output.json(&listed);
        return Ok(Exit::Done);
    }
    let width = |of: fn(&Listed) -> &str| {
        let widths = listed.iter().map(|rule| of(rule).len());
        widths.max().unwrap_or(0)
    };
    let (id, family) = (width(|rule| &rule.id), width(|rule| &rule.family));
    for rule in &listed {
        output.line(format!(
            "{:id$}  {:family$}  {:8}  {}",
            rule.id,
            rule.family,
            rule.state.as_str(),
            rule.description
        ));
    }
    let on = listed.iter().filter(|rule| rule.state == State::On).count();
    output.note(format!("{on} of {} are on", listed.len()));
    Ok(Exit::Done)
}

fn test(matches: &ArgMatches, globals: &Globals, output: &mut Output) -> Result<Exit, Failure> {
    let mut settings = rule_settings(globals)?;
    if let Some(folder) = matches.get_one::<PathBuf>("folder") {
        settings.rules_dir = Some(folder.clone());
    }
    let tested = test_rules(&settings)?;
    let exit = if tested.faults.is_empty() {
        Exit::Done
    } else {
        Exit::Failed
    };
    if matches.get_flag("json") {
        output.json(&tested);
        return Ok(exit);
    }
    for fault in &tested.faults {
        output.line(format!(
            "{}: rule {}: {} example {}: expected {}",
            fault.file, fault.id, fault.list, fault.example, fault.expected
        ));
    }
    output.line(format!(
        "{} rules, {} examples, {} not as they say",
        tested.rules,
        tested.examples,
        tested.faults.len()
    ));
    if !tested.few_examples.is_empty() {
        output.note(format!(
            "fewer than two examples that match or two that must not: {}",
            tested.few_examples.join(", ")
        ));
    }
    Ok(exit)
}

/// A place with what is known of its rule.
#[derive(Serialize)]
struct Explained<'a> {
    #[serde(flatten)]
    finding: &'a Finding,
    family: &'a str,
    description: &'a str,
}

fn explain(matches: &ArgMatches, globals: &Globals, output: &mut Output) -> Result<Exit, Failure> {
    let settings = rule_settings(globals)?;
    let engine = Engine::with(&settings)?;
    let listed = catalogue(&settings)?;
    let known: HashMap<&str, &Listed> =
        listed.iter().map(|rule| (rule.id.as_str(), rule)).collect();
    let text = matches
        .get_one::<String>("text")
        .map_or("-", String::as_str);
    let mut bytes = Vec::new();
    if text == "-" {
        let read = std::io::stdin().lock().read_to_end(&mut bytes);
        read.map_err(|error| Failure::text(Exit::BadUse, format!("-: {error}")))?;
    } else {
        bytes.extend(text.as_bytes());
    }
    let (_, findings) = engine.explain(&String::from_utf8_lossy(&bytes));
    let explained = findings.iter().map(|finding| {
        let rule = known.get(finding.rule.as_str());
        Explained {
            finding,
            family: rule.map_or("", |rule| &rule.family),
            description: rule.map_or("", |rule| &rule.description),
        }
    });
    let explained: Vec<Explained<'_>> = explained.collect();
    if matches.get_flag("json") {
        output.json(&explained);
        return Ok(Exit::Done);
    }
    for told in &explained {
        let found = told.finding;
        output.line(format!(
            "line {}, column {}, {} bytes: {} ({}): {}",
            found.line, found.column, found.bytes, found.rule, told.family, told.description
        ));
        output.line(format!("    sha256 {}", found.sha256));
    }
    if explained.is_empty() {
        output.line("nothing is hidden");
    } else {
        output.note(
            "A value that is no secret: put its sha256 into allow_sha256 of [redaction]. A rule \
             that is wrong for you: put its id into disabled_rules.",
        );
    }
    Ok(Exit::Done)
}
