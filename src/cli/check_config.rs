//! `jezero check-config`: how the configuration reads, and what will not work.

use clap::ArgMatches;

use super::failure::Failure;
use super::output::Output;
use super::search::json;
use super::setting::Setting;
use super::{Entry, Exit, Globals};

pub(super) const COMMAND: Entry = Entry { define, run };

fn define() -> clap::Command {
    clap::Command::new("check-config")
        .about("Show how the configuration reads and what will not work")
        .long_about(
            "Shows how the configuration reads: files, matching, sources, variables that it names \
             (set or missing, never their values), and what will not work as things stand. Ends \
             with 1 when there is a problem, with 2 when the file cannot be read.",
        )
        .arg(json())
}

fn run(matches: &ArgMatches, globals: &Globals, output: &mut Output) -> Result<Exit, Failure> {
    let setting = Setting::load(globals)?;
    let mut overview = setting.config.overview();
    if let Err(error) = setting.engine() {
        overview.problems.push(error.lines().join(" "));
    }
    let exit = if overview.problems.is_empty() {
        Exit::Done
    } else {
        Exit::Failed
    };
    if matches.get_flag("json") {
        output.json(&overview);
        return Ok(exit);
    }
    output.line(format!("config      {}", overview.config.display()));
    output.line(format!("database    {}", overview.database.display()));
    output.line(format!("tokenizer   {}", overview.tokenizer));
    output.line(match overview.keep_originals_days {
        Some(days) => format!("originals   kept for {days} days"),
        None => "originals   kept for ever".to_owned(),
    });
    let auth = if overview.require_auth {
        "keys required"
    } else {
        "no key required"
    };
    output.line(format!("server      {} ({auth})", overview.server));
    output.line(format!("summarizer  {}", overview.summarizer));
    for (name, usable) in &overview.clients {
        let state = if *usable {
            "usable key"
        } else {
            "no usable key"
        };
        output.line(format!("client      {name}: {state}"));
    }
    for (name, kind, enabled) in &overview.connectors {
        let state = if *enabled { "enabled" } else { "disabled" };
        output.line(format!("connector   {name} ({kind}): {state}"));
    }
    for (name, set) in &overview.variables {
        output.line(format!(
            "variable    {name}: {}",
            if *set { "set" } else { "missing" }
        ));
    }
    if overview.problems.is_empty() {
        output.line("no problems");
    } else {
        output.line("problems:");
        for problem in &overview.problems {
            output.line(format!("  - {problem}"));
        }
    }
    Ok(exit)
}
