//! `jezero runs`: what the runs of the past did.

use clap::{Arg, ArgMatches};

use super::failure::Failure;
use super::output::Output;
use super::run::number;
use super::search::json;
use super::setting::Setting;
use super::table::{aligned, dash};
use super::{Entry, Exit, Globals};
use crate::access::Reader;
use crate::item::SourceName;
use crate::library::{Counts, Run};
use crate::store::{Lock, Outcome};

/// Runs shown when no number is given.
const SHOWN: usize = 20;

pub(super) const COMMAND: Entry = Entry { define, run };

fn define() -> clap::Command {
    clap::Command::new("runs")
        .about("Show what the last runs did")
        .long_about(
            "Shows the history of runs, the newest first: of `run` and of the daemon. A run is ok, \
             failed (something in it failed; the rest is stored), running, or interrupted (it was \
             killed; the next run went on from there). The newest 1,000 runs of a connector are \
             kept, at most 90 days.",
        )
        .arg(
            Arg::new("connector")
                .long("connector")
                .value_name("NAME")
                .help("Only runs of this connector"),
        )
        .arg(number("limit", "Show N runs instead of 20"))
        .arg(json())
}

fn run(matches: &ArgMatches, globals: &Globals, output: &mut Output) -> Result<Exit, Failure> {
    let setting = Setting::load(globals)?;
    let connector = matches
        .get_one::<String>("connector")
        .map(|name| named(name))
        .transpose()?;
    let limit = matches.get_one::<u64>("limit");
    let limit = limit.and_then(|limit| usize::try_from(*limit).ok());
    let path = &setting.config.storage.path;
    let mut runs = match path.exists() {
        true => setting.library()?.runs(
            &Reader::everything(),
            connector.as_ref(),
            limit.unwrap_or(SHOWN),
        )?,
        false => Vec::new(),
    };
    if let Some(name) = connector.filter(|name| runs.is_empty() && !is_configured(&setting, name)) {
        return Err(unknown(name.as_str()));
    }
    if !is_being_read(Lock::held_by(path)) {
        for run in &mut runs {
            if run.outcome == Outcome::Running {
                run.outcome = Outcome::Interrupted;
            }
        }
    }
    if matches.get_flag("json") {
        for run in &runs {
            output.json_line(run);
        }
        return Ok(Exit::Done);
    }
    if runs.is_empty() {
        output.note("no run yet: `jezero run` reads the sources");
        return Ok(Exit::Done);
    }
    let mut table = vec![HEADINGS.map(str::to_owned)];
    table.extend(runs.iter().map(cells));
    for line in aligned(&table) {
        output.line(line);
    }
    Ok(Exit::Done)
}

/// Whether the holder of the library's lock is one that reads sources.
fn is_being_read(holder: Option<String>) -> bool {
    holder.is_some_and(|holder| {
        ["jezero run ", "jezero daemon "]
            .iter()
            .any(|reads| holder.starts_with(reads))
    })
}

fn named(name: &str) -> Result<SourceName, Failure> {
    SourceName::new(name).map_err(|_| unknown(name))
}

fn is_configured(setting: &Setting, name: &SourceName) -> bool {
    let connectors = &setting.config.connectors;
    connectors.iter().any(|connector| connector.name == *name)
}

/// A name that is neither in the configuration nor in the library.
pub(super) fn unknown(name: &str) -> Failure {
    Failure::text(Exit::BadUse, format!("there is no connector {name:?}"))
        .hint("`jezero connector list` shows them")
}

const HEADINGS: [&str; 11] = [
    "STARTED",
    "CONNECTOR",
    "OUTCOME",
    "TOOK",
    "READ",
    "STORED",
    "WAITING",
    "SKIPPED",
    "FAILED",
    "TOKENS",
    "ERROR OR NOTE",
];

fn cells(run: &Run) -> [String; 11] {
    let count = |what: fn(&Counts) -> u64| dash(run.counts.as_ref().map(what));
    [
        run.started_at.to_string(),
        run.connector.to_string(),
        run.outcome.as_str().to_owned(),
        dash(run.seconds.map(|seconds| format!("{seconds} s"))),
        count(|counts| counts.units_read),
        count(|counts| counts.stored),
        count(|counts| counts.deferred_sessions),
        count(|counts| counts.records_passed_over),
        count(|counts| counts.failed),
        count(|counts| counts.input_tokens + counts.output_tokens),
        dash(
            run.error
                .as_ref()
                .or(run.note.as_ref())
                .map(|text| text.on_one_line()),
        ),
    ]
}
