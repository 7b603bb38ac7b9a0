//! `jezero redact-stored`: newer redaction rules on what is stored.

use clap::{Arg, ArgAction, ArgMatches};
use indicatif::{ProgressBar, ProgressStyle};

use super::failure::Failure;
use super::output::Output;
use super::search::json;
use super::setting::Setting;
use super::{Entry, Exit, Globals};
use crate::redact_stored::{Progress, Report, redact_stored};
use crate::store::{Store, StoreError};

pub(super) const COMMAND: Entry = Entry { define, run };

fn define() -> clap::Command {
    clap::Command::new("redact-stored")
        .about("Apply the redaction rules of today to what is stored")
        .long_about(
            "Goes through every item that was stored under other rules than those of today, and \
             hides in its title, summary, questions, atoms and original what they find; also in \
             titles and folders of sessions and in the reports of runs. A secret found in one item \
             of a session is hidden in all of them. Nothing is summarised again. At the end the \
             old text is overwritten in the file, its index and its write-ahead log. When it is \
             stopped, the next call goes on from there.",
        )
        .arg(
            Arg::new("dry-run")
                .long("dry-run")
                .action(ArgAction::SetTrue)
                .help("Write nothing; tell what would be hidden"),
        )
        .arg(json())
}

fn run(matches: &ArgMatches, globals: &Globals, output: &mut Output) -> Result<Exit, Failure> {
    let setting = Setting::load(globals)?;
    if !setting.config.redaction.enabled {
        let message = "redaction is switched off, so there is nothing to apply";
        return Err(Failure::text(Exit::BadUse, message)
            .hint("set enabled = true in [redaction] of the configuration"));
    }
    let engine = setting.engine()?;
    let path = &setting.config.storage.path;
    if !path.exists() {
        return Err(StoreError::Missing { path: path.clone() }.into());
    }
    let dry_run = matches.get_flag("dry-run");
    let (_lock, mut store) = match dry_run {
        true => (None, Store::open_to_look(path)?),
        false => {
            let (lock, store) = setting.store("redact-stored")?;
            (Some(lock), store)
        }
    };
    let bar = progress_bar(output);
    let report = redact_stored(&mut store, &engine, dry_run, &mut |told: Progress| {
        bar.set_length(told.of);
        bar.set_position(told.done);
    });
    bar.finish_and_clear();
    let report = report?;
    if matches.get_flag("json") {
        output.json(&report);
    } else {
        print(&report, output);
    }
    let failed = report.failed > 0 || report.erased == Some(false);
    Ok(if failed { Exit::Failed } else { Exit::Done })
}

fn progress_bar(output: &Output) -> ProgressBar {
    if !output.shows_progress {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(0);
    match ProgressStyle::with_template("{bar:30} {pos} of {len} items [{elapsed}]") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

fn print(report: &Report, output: &mut Output) {
    let verb = if report.dry_run {
        "would redact"
    } else {
        "redacted"
    };
    output.line(format!(
        "{verb} {} secrets in {} items",
        report.secrets, report.items_redacted
    ));
    let passed_over = report.items.saturating_sub(report.items_read);
    output.line(format!(
        "  items: {} read, {passed_over} under the rules of today already",
        report.items_read
    ));
    if report.without_original > 0 {
        output.line(format!(
            "  {} of them have no original (not stored, or kept no longer): the rules saw their \
             other texts",
            report.without_original
        ));
    }
    if report.secrets_elsewhere > 0 {
        output.line(format!(
            "  {} secrets in titles and folders of sessions and in reports of runs",
            report.secrets_elsewhere
        ));
    }
    for (rule, count) in &report.rules.0 {
        output.line(format!("{count:>8}  {rule}"));
    }
    for problem in &report.problems {
        output.line(format!("  passed over: {problem}"));
    }
    if report.failed > 0 {
        output.note(format!(
            "{} items could not be read and are as they were: `jezero export-jsonl` shows whether \
             they can be saved",
            report.failed
        ));
    }
    if report.dry_run {
        output.note("Nothing was written. Run without --dry-run to hide it.");
    }
    if report.erased == Some(false) {
        output.note(
            "Another program was reading the library, so the write-ahead log still holds old text: \
             run `jezero redact-stored` again when it has ended",
        );
    }
}
