//! `jezero run`: reads the sources and stores what is new.

use clap::{Arg, ArgAction, ArgMatches, value_parser};
use serde::Serialize;
use std::collections::BTreeMap;

use indicatif::{ProgressBar, ProgressStyle};

use super::failure::Failure;
use super::output::Output;
use super::reading::{self, read, remove_old_originals, told_of_removed};
use super::setting::Setting;
use super::{Entry, Exit, Globals, log};
use crate::config::ConnectorConfig;
use crate::item::Instant;
use crate::pipeline::{self, Options, Progress, RunReport, Stop};
use crate::store::{Lock, RemovedOriginals, Store, StoreError, lock};

/// Places that are shown to a person; a report as JSON has more.
const SHOWN: usize = 10;

pub(super) const COMMAND: Entry = Entry { define, run };

fn define() -> clap::Command {
    clap::Command::new("run")
        .about("Read the sources and store what is new")
        .long_about(
            "Reads each enabled connector, redacts, summarises what is new or changed and stores \
             it. Ends with exit code 1 when something failed; the rest is stored all the same. \
             When another run is in progress it says so and ends with 0.",
        )
        .arg(
            Arg::new("connector")
                .long("connector")
                .value_name("NAME")
                .action(ArgAction::Append)
                .help("Only this connector (may be given several times)"),
        )
        .arg(number(
            "limit",
            "Stop a connector after N sessions with something new",
        ))
        .arg(number(
            "sample",
            "Take the newest N sessions of each connector; remember nothing of it",
        ))
        .arg(flag(
            "dry-run",
            "Summarise and store nothing; tell what would be",
        ))
        .arg(flag(
            "due",
            "Only connectors whose interval_minutes have passed; for cron and timers",
        ))
        .arg(flag(
            "json",
            "One JSON report a connector, on one line each",
        ))
        .arg(log::form())
}

pub(super) fn number(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .value_name("N")
        .value_parser(value_parser!(u64).range(1..=1_000_000_000))
        .help(help)
}

pub(super) fn flag(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .action(ArgAction::SetTrue)
        .help(help)
}

#[derive(Serialize)]
struct Skipped {
    skipped: &'static str,
}

/// The line of a run that removed originals.
#[derive(Serialize)]
struct Removed {
    originals_removed: u64,
    bytes: u64,
}

#[derive(Serialize)]
struct DueLine {
    due: Due,
}

#[derive(Serialize, Default)]
struct Due {
    ran: Vec<String>,
    not_due_until: BTreeMap<String, String>,
}

fn run(matches: &ArgMatches, globals: &Globals, output: &mut Output) -> Result<Exit, Failure> {
    // Without a log its report tells a person all there is.
    if matches.contains_id("log") {
        log::start(matches, output)?;
    }
    let setting = Setting::load(globals)?;
    let count = |name: &str| {
        matches
            .get_one::<u64>(name)
            .and_then(|n| usize::try_from(*n).ok())
    };
    let options = Options {
        limit: count("limit"),
        sample: count("sample"),
        dry_run: matches.get_flag("dry-run"),
    };
    let json = matches.get_flag("json") || !output.to_terminal && matches.get_flag("due");
    let chosen = chosen(&setting, matches)?;
    // A missing key is told before anything moves; a dry run needs none.
    drop(setting.summarizer_for(options.dry_run)?);
    let path = &setting.config.storage.path;
    let (runtime, stop) = ended_by_signals()?;
    let (_lock, mut store) = if options.dry_run {
        (None, Store::open_to_look(path)?)
    } else {
        Store::check(path)?;
        match Lock::take(path, "run", lock::PATIENCE, setting.clock.as_ref()) {
            Ok(lock) => {
                let store = Store::open_with(path, setting.config.search.originals)?;
                store.interrupt_runs()?;
                (Some(lock), store)
            }
            Err(StoreError::Locked { holder }) => {
                output.note(format!("skipped: {holder} is writing"));
                output.json_line(&Skipped {
                    skipped: "another run is in progress",
                });
                return Ok(Exit::Done);
            }
            Err(error) => return Err(error.into()),
        }
    };
    let mut due = Due::default();
    let mut reports = Vec::new();
    for connector in chosen {
        if matches.get_flag("due") {
            if let Some(next) = not_due_until(&setting, &store, connector)? {
                due.not_due_until.insert(connector.name.to_string(), next);
                continue;
            }
            due.ran.push(connector.name.to_string());
        }
        if stop.is_told() {
            break;
        }
        let bar = progress_bar(connector, output);
        let mut told = |progress: Progress| show(&bar, progress);
        let reading = read(&setting, &mut store, connector, options, &stop, &mut told);
        let report = runtime.block_on(reading);
        bar.finish_and_clear();
        let report = report?;
        if matches.contains_id("log") {
            reading::log(&connector.name, &report);
        }
        if json {
            output.json_line(&report);
        } else {
            print(&report, output);
        }
        reports.push(report);
    }
    if !options.dry_run {
        let removed = match options.sample {
            Some(_) => RemovedOriginals::default(),
            None => remove_old_originals(&setting, &mut store)?,
        };
        match json {
            _ if removed.count == 0 => {}
            true => output.json_line(&Removed {
                originals_removed: removed.count,
                bytes: removed.bytes,
            }),
            false => output.line(told_of_removed(removed)),
        }
        store.finish()?;
    }
    if matches.get_flag("due") {
        output.json_line(&DueLine { due });
    }
    if !json && !output.is_logged() {
        closing_hint(&setting, &reports, options, output);
    }
    let failed: Vec<_> = reports.iter().filter(|r| r.has_failed()).collect();
    Ok(match failed.as_slice() {
        [] => Exit::Done,
        failed if failed.iter().all(|report| report.unreachable) => Exit::Unreachable,
        _ => Exit::Failed,
    })
}

/// The connectors to run: those named, else all that are enabled.
fn chosen<'a>(
    setting: &'a Setting,
    matches: &ArgMatches,
) -> Result<Vec<&'a ConnectorConfig>, Failure> {
    let connectors = &setting.config.connectors;
    let names: Vec<&String> = matches
        .get_many("connector")
        .into_iter()
        .flatten()
        .collect();
    let known = || {
        connectors
            .iter()
            .map(|c| c.name.as_str())
            .collect::<Vec<_>>()
            .join(", ")
    };
    for name in &names {
        if !connectors
            .iter()
            .any(|connector| connector.name.as_str() == name.as_str())
        {
            let message = format!(
                "there is no connector {name:?} in {}",
                setting.config.path.display()
            );
            return Err(Failure::text(Exit::BadUse, message).hint(format!("it has: {}", known())));
        }
    }
    let wanted = |connector: &&ConnectorConfig| match names.as_slice() {
        [] => connector.enabled,
        names => names
            .iter()
            .any(|name| connector.name.as_str() == name.as_str()),
    };
    let chosen: Vec<&ConnectorConfig> = connectors.iter().filter(wanted).collect();
    if chosen.is_empty() {
        return Err(Failure::text(Exit::BadUse, "no connector is enabled")
            .hint("add a [[connectors]] block to jezero.toml, or set enabled = true"));
    }
    Ok(chosen)
}

/// When a connector is due again, unless it is due now.
fn not_due_until(
    setting: &Setting,
    store: &Store,
    connector: &ConnectorConfig,
) -> Result<Option<String>, Failure> {
    let Some(last) = store.state(&connector.name)?.last_run_at else {
        return Ok(None);
    };
    let now = setting.clock.now();
    if last > now {
        // The clock was wrong then or is wrong now; waiting for it could take years.
        return Ok(None);
    }
    let next = due_after(last, connector);
    Ok(next.filter(|next| *next > now).map(|next| next.to_string()))
}

/// When a connector is due that was last read at an instant.
pub(super) fn due_after(last: Instant, connector: &ConnectorConfig) -> Option<Instant> {
    let interval = i64::try_from(connector.interval_minutes)
        .unwrap_or(i64::MAX)
        .saturating_mul(60);
    Instant::from_unix(last.unix().saturating_add(interval))
}

/// Where a run takes place, and what tells it to end: SIGTERM or Ctrl-C.
pub(super) fn ended_by_signals() -> Result<(tokio::runtime::Runtime, Stop), Failure> {
    let runtime = super::serve::runtime()?;
    let (stopper, stop) = Stop::channel();
    let signals = runtime.block_on(async { super::serve::signals() });
    let signals = signals.map_err(|error| Failure::new(Exit::Failed, error))?;
    runtime.spawn(async move {
        signals.await;
        stopper.tell();
    });
    Ok((runtime, stop))
}

fn show(bar: &ProgressBar, progress: Progress) {
    bar.set_message(format!(
        "{} sessions read, {} items stored",
        progress.units, progress.stored
    ));
    bar.tick();
}

fn progress_bar(connector: &ConnectorConfig, output: &Output) -> ProgressBar {
    if !output.shows_progress {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new_spinner().with_prefix(connector.name.to_string());
    match ProgressStyle::with_template("{spinner} {prefix}: {msg} [{elapsed}]") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

fn print(report: &RunReport, output: &mut Output) {
    let verb = if report.dry_run {
        "would store"
    } else {
        "stored"
    };
    let stored = report.would_store.unwrap_or(report.stored);
    output.line(format!(
        "{}: {verb} {stored} {}",
        report.connector,
        plural(stored, "item")
    ));
    let unread = report.units_unchanged + report.deferred_sessions + report.units_left_out;
    let read = report.units.saturating_sub(unread);
    output.line(format!(
        "  sessions: {} found, {read} read, {} untouched since the last run",
        report.units, report.units_unchanged
    ));
    let mut say = |count: u64, what: &str| {
        if count > 0 {
            output.line(format!("  {what}: {count}"));
        }
    };
    say(report.deferred_sessions, "waiting until they settle");
    say(
        report.units_left_out,
        "left out (copies, or nothing to keep)",
    );
    say(report.units_too_short, "too short for an item");
    say(report.unchanged, "segments unchanged");
    say(report.pruned, "items pruned");
    say(
        report.records_owned_elsewhere,
        "records that another session already has",
    );
    say(report.redactions, "secrets redacted");
    say(
        report.records_repeated,
        "records that stand twice in one session",
    );
    say(report.records_unknown, "records of unknown types");
    say(report.records_mended, "records read in part");
    say(report.records_passed_over, "damaged records passed over");
    say(report.postponed, "segments waiting for another day");
    say(report.retries, "questions put again to a busy model");
    say(report.repairs, "replies asked for again");
    say(
        report.atoms_not_in_text,
        "errors and commands dropped, since they do not stand in the text",
    );
    say(report.failed, "failed");
    if report.input_tokens + report.output_tokens > 0 {
        output.line(format!(
            "  tokens: {} read, {} written",
            report.input_tokens, report.output_tokens
        ));
    }
    if let (Some(input), Some(written)) = (
        report.estimated_input_tokens,
        report.estimated_output_tokens,
    ) {
        output.line(format!(
            "  a model would be asked {stored} times: {} characters, about {input} tokens in and \
             {written} out",
            report.input_chars
        ));
    }
    if let Some(note) = &report.note {
        output.line(format!("  note: {note}"));
    }
    for error in &report.errors {
        output.line(format!("  error: {error}"));
    }
    let places: Vec<_> = report
        .passed_over
        .iter()
        .filter(|place| !is_error(report, place))
        .collect();
    for place in places.iter().take(SHOWN) {
        output.line(format!(
            "  {}: {}: {}",
            place.what, place.place, place.reason
        ));
    }
    let more = u64::try_from(places.len().saturating_sub(SHOWN)).unwrap_or(0);
    let more = more + report.passed_over_unlisted;
    if more > 0 {
        output.line(format!("  … and {more} more; --json lists up to a hundred"));
    }
}

fn is_error(report: &RunReport, place: &pipeline::PassedOver) -> bool {
    let text = format!("{}: {}", place.place, place.reason);
    report.errors.iter().any(|error| error.as_str() == text)
}

fn plural(count: u64, word: &str) -> String {
    if count == 1 {
        word.to_owned()
    } else {
        format!("{word}s")
    }
}

/// Says what to do next: what to ask, or what to mend.
fn closing_hint(setting: &Setting, reports: &[RunReport], options: Options, output: &mut Output) {
    if options.dry_run {
        output.note("Nothing was stored. Run without --dry-run to store it.");
        return;
    }
    if reports.iter().any(RunReport::has_failed) {
        output.note(
            "Something failed: see the errors above. The rest is stored; run again after mending.",
        );
    }
    let Ok(library) = setting.library() else {
        return;
    };
    let reader = crate::access::Reader::everything();
    let newest = library.timeline(
        &reader,
        &crate::library::TimelineQuery {
            limit: Some(1),
            ..Default::default()
        },
    );
    let newest = newest
        .ok()
        .and_then(|answer| answer.items.into_iter().next());
    if let Some(item) = newest {
        let words: Vec<&str> = item
            .title
            .as_str()
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| word.chars().count() > 3)
            .take(2)
            .collect();
        let stats = library.stats(&reader).ok();
        let items = stats.map_or(0, |stats| stats.items);
        output.note(format!(
            "The library holds {items} {}. Ask it:",
            plural(items, "item")
        ));
        output.note(format!("  jezero search \"{}\"", words.join(" ")));
        output.note(format!("  jezero show {}        jezero timeline", item.id));
    }
}
