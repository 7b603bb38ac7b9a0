//! `jezero resummarize`: summaries made anew from the stored originals.

use std::io::Read;

use clap::{Arg, ArgAction, ArgGroup, ArgMatches, value_parser};
use indicatif::{ProgressBar, ProgressStyle};

use super::failure::Failure;
use super::output::Output;
use super::run::{ended_by_signals, flag, number};
use super::search::{json, text};
use super::setting::Setting;
use super::{Entry, Exit, Globals};
use crate::config::Provider;
use crate::item::{Instant, ItemId};
use crate::pipeline::{self, Pipeline, Progress, RunReport};
use crate::project::ProjectRules;
use crate::store::{Anew, Filter, Store};

pub(super) const COMMAND: Entry = Entry { define, run };

/// Items that are named to a person; the report as JSON has more.
const SHOWN: usize = 10;

fn define() -> clap::Command {
    clap::Command::new("resummarize")
        .about("Make summaries anew from the stored originals")
        .long_about(
            "Makes title, summary, questions and pieces of knowledge of items anew, with the \
             summariser of the configuration and from the stored originals; sources are not read. \
             Numbers, ids, dates, projects and originals stay. Each summary is stored when it comes. \
             Items stored without an original are named and keep what they have.",
        )
        .arg(
            Arg::new("ids")
                .long("ids")
                .value_name("1,2,…")
                .value_delimiter(',')
                .action(ArgAction::Append)
                .value_parser(value_parser!(i64).range(1..))
                .help("These items"),
        )
        .arg(
            text(
                "ids-file",
                "FILE",
                "The items whose numbers stand in a file (- for standard input)",
            )
            .conflicts_with("ids"),
        )
        .arg(text("source", "NAME", "Items of this source"))
        .arg(text("project", "NAME", "Items of this project"))
        .arg(text(
            "since",
            "DATE",
            "Items that happened then or later (ISO 8601)",
        ))
        .arg(
            text(
                "provider-not",
                "NAME",
                "Items that this provider did not write",
            )
            .value_parser(Provider::ALL.map(Provider::as_str)),
        )
        .group(
            ArgGroup::new("which")
                .args([
                    "ids",
                    "ids-file",
                    "source",
                    "project",
                    "since",
                    "provider-not",
                ])
                .multiple(true)
                .required(true),
        )
        .arg(number("limit", "At most N items, the newest first"))
        .arg(flag(
            "dry-run",
            "Make and store nothing; tell how much would be asked",
        ))
        .arg(json())
}

fn run(matches: &ArgMatches, globals: &Globals, output: &mut Output) -> Result<Exit, Failure> {
    let setting = Setting::load(globals)?;
    let ids = ids(matches)?;
    let value = |name: &str| matches.get_one::<String>(name).map(String::as_str);
    let since = value("since").map(|date| {
        Instant::parse(date).ok_or_else(|| {
            Failure::text(Exit::BadUse, format!("--since: {date:?} is no date"))
                .hint("ISO 8601: 2026-01-31 or 2026-01-31T09:00:00+02:00")
        })
    });
    let which = Anew {
        ids: ids.as_deref(),
        filter: Filter {
            project: value("project"),
            source: value("source"),
            since: since.transpose()?,
            until: None,
            kind: None,
            trust: None,
        },
        provider_not: value("provider-not"),
    };
    let limit = matches.get_one::<u64>("limit");
    let limit = limit.and_then(|limit| usize::try_from(*limit).ok());
    let dry_run = matches.get_flag("dry-run");
    // A missing key or provider is told before anything else is done.
    let summarizer = setting.summarizer_for(dry_run)?;
    let engine = setting.engine()?;
    let path = &setting.config.storage.path;
    drop(setting.library()?);
    let (runtime, stop) = ended_by_signals()?;
    let (_lock, mut store) = match dry_run {
        true => (None, Store::open_to_look(path)?),
        false => {
            let (lock, store) = setting.store("resummarize")?;
            (Some(lock), store)
        }
    };
    let projects = ProjectRules::new(&setting.config.projects, setting.config.env.home());
    let settings = &setting.config.summarizer;
    let mut pipeline = Pipeline {
        store: &mut store,
        engine: &engine,
        summarizer,
        max_concurrency: settings.max_concurrency,
        daily_input_chars: settings.daily_input_chars,
        projects: &projects,
        clock: std::sync::Arc::clone(&setting.clock),
        max_input_chars: settings.max_input_chars,
        stop,
    };
    let bar = progress_bar(output);
    let mut told = |progress: Progress| {
        bar.set_message(format!(
            "{} asked, {} summaries stored",
            progress.units, progress.stored
        ));
        bar.tick();
    };
    let report = runtime.block_on(pipeline::resummarize(
        &mut pipeline,
        &which,
        limit,
        dry_run,
        &mut told,
    ));
    bar.finish_and_clear();
    let report = report?;
    if !dry_run {
        store.finish()?;
    }
    match matches.get_flag("json") {
        true => output.json_line(&report),
        false => print(&report, setting.config.storage.keep_originals_days, output),
    }
    Ok(match report.has_failed() {
        true => Exit::Failed,
        false => Exit::Done,
    })
}

/// The numbers that were given, without repetitions. `None` when items are chosen otherwise.
fn ids(matches: &ArgMatches) -> Result<Option<Vec<ItemId>>, Failure> {
    let mut numbers: Vec<i64> = match (
        matches.get_many::<i64>("ids"),
        matches.get_one::<String>("ids-file"),
    ) {
        (Some(ids), _) => ids.copied().collect(),
        (None, Some(path)) => from_file(path)?,
        (None, None) => return Ok(None),
    };
    let mut known = std::collections::HashSet::new();
    numbers.retain(|number| known.insert(*number));
    Ok(Some(numbers.into_iter().map(ItemId).collect()))
}

/// Numbers with blanks, commas or newlines between them.
fn from_file(path: &str) -> Result<Vec<i64>, Failure> {
    let mut text = String::new();
    let read = match path {
        "-" => std::io::stdin().read_to_string(&mut text).map(drop),
        path => std::fs::read_to_string(path).map(|read| text = read),
    };
    read.map_err(|error| Failure::text(Exit::BadUse, format!("{path}: {error}")))?;
    let mut numbers = Vec::new();
    for (line, words) in (1..).zip(text.lines()) {
        let words = words
            .split([',', ' ', '\t'])
            .filter(|word| !word.is_empty());
        for word in words {
            let number = word.parse().ok().filter(|number: &i64| *number > 0);
            numbers.push(number.ok_or_else(|| {
                Failure::text(
                    Exit::BadUse,
                    format!("{path}:{line}: there must be numbers of items and nothing else"),
                )
            })?);
        }
    }
    Ok(numbers)
}

fn progress_bar(output: &Output) -> ProgressBar {
    if !output.shows_progress {
        return ProgressBar::hidden();
    }
    match ProgressStyle::with_template("{spinner} {msg} [{elapsed}]") {
        Ok(style) => ProgressBar::new_spinner().with_style(style),
        Err(_) => ProgressBar::new_spinner(),
    }
}

fn print(report: &RunReport, kept_days: Option<u32>, output: &mut Output) {
    let without = report.passed_over.len() as u64 + report.passed_over_unlisted;
    if let (Some(would), Some(input), Some(written)) = (
        report.would_store,
        report.estimated_input_tokens.or(Some(0)),
        report.estimated_output_tokens.or(Some(0)),
    ) {
        output.line(format!(
            "would summarise {would} items anew: {} characters, about {input} tokens in and \
             {written} out if a model does it",
            report.input_chars
        ));
    } else {
        output.line(format!("{} items summarised anew", report.stored));
    }
    let mut say = |count: u64, what: &str| {
        if count > 0 {
            output.line(format!("  {what}: {count}"));
        }
    };
    say(without, "without an original, left as they are");
    say(report.postponed, "waiting for another day");
    say(report.retries, "questions put again to a busy model");
    say(report.repairs, "replies asked for again");
    say(
        report.atoms_not_in_text,
        "errors and commands dropped, since they do not stand in the text",
    );
    say(report.input_tokens, "tokens read");
    say(report.output_tokens, "tokens written");
    say(report.failed, "failed");
    for error in &report.errors {
        output.line(format!("  error: {error}"));
    }
    for place in report.passed_over.iter().take(SHOWN) {
        output.line(format!("  {}: {}", place.place, place.reason));
    }
    if let Some(note) = &report.note {
        output.line(format!("  note: {note}"));
    }
    if let (Some(days), true) = (kept_days, without > 0) {
        output.note(format!(
            "Originals are kept for {days} days ([storage].keep_originals_days). Of an item whose \
             original is gone no summary can be made anew."
        ));
    }
    if report.docs == 0 && report.failed == 0 {
        output.note(
            "hint: no item is like that; `jezero sources` and `jezero timeline` show what there is",
        );
    }
    if report.has_failed() {
        output.note("What failed keeps the summary that it has; give the command again for it.");
    }
}
