//! `jezero doctor`: what keeps the library from filling itself, and what mends it.

use clap::ArgMatches;
use serde::Serialize;

use super::failure::Failure;
use super::output::Output;
use super::run::flag;
use super::search::json;
use super::setting::Setting;
use super::{Entry, Exit, Globals};
use crate::doctor::{self, Check, Patient, Verdict, quoted};

pub(super) const COMMAND: Entry = Entry { define, run };

fn define() -> clap::Command {
    clap::Command::new("doctor")
        .about("Look for what is wrong, and say what mends it")
        .long_about(
            "Looks at disk space, file modes, the library's file and index, the clock, keys and \
             variables, each source, transcripts that are about to be deleted before they were \
             read, and the system's limits for watched folders. Changes nothing, and works without \
             a library or on a damaged one. Each check is ok, a warning or failing; one that fails \
             ends with the command that mends it. Ends with 1 when a check fails.",
        )
        .arg(flag(
            "full",
            "Read everything: each row of the library, each word of the index",
        ))
        .arg(json())
}

#[derive(Serialize)]
struct Report {
    result: Verdict,
    checks: Vec<Check>,
}

fn run(matches: &ArgMatches, globals: &Globals, output: &mut Output) -> Result<Exit, Failure> {
    let setting = Setting::load(globals)?;
    let patient = Patient {
        config: &setting.config,
        program: match &globals.config {
            Some(path) => format!("jezero -c {}", quoted(path)),
            None => "jezero".to_owned(),
        },
        now: setting.clock.now(),
        thorough: matches.get_flag("full"),
    };
    let is_json = matches.get_flag("json");
    let mut checks = Vec::new();
    doctor::examine(&patient, &mut |check| {
        if !is_json {
            print(&check, output);
        }
        checks.push(check);
    });
    let worst = checks.iter().map(|check| check.result).max();
    let result = worst.unwrap_or(Verdict::Ok);
    if is_json {
        output.json(&Report { result, checks });
    } else {
        let count = |verdict| {
            checks
                .iter()
                .filter(|check| check.result == verdict)
                .count()
        };
        output.line(format!(
            "{} failing, {} warnings, {} ok",
            count(Verdict::Failing),
            count(Verdict::Warning),
            count(Verdict::Ok)
        ));
    }
    Ok(match result {
        Verdict::Failing => Exit::Failed,
        Verdict::Ok | Verdict::Warning => Exit::Done,
    })
}

fn print(check: &Check, output: &mut Output) {
    let (result, what) = (check.result.as_str(), check.check);
    output.line(format!("{result:7}  {what}: {}", check.text));
    if let Some(mend) = &check.mend {
        output.line(format!("         mend: {mend}"));
    }
}
