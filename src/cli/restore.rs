//! `jezero restore`: a copy in the place of the library.

use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches, value_parser};
use serde::Serialize;

use super::backup::{print, verified_copy};
use super::failure::Failure;
use super::output::Output;
use super::search::json;
use super::setting::Setting;
use super::{Entry, Exit, Globals};
use crate::store::{self, Lock, StoreError, lock};

pub(super) const COMMAND: Entry = Entry { define, run };

fn define() -> clap::Command {
    clap::Command::new("restore")
        .about("Put a copy that `backup` made in the place of the library")
        .long_about(
            "Looks whether the copy is whole, then puts it in the place of the library. What was \
             there, damaged or not, is kept beside it under another name. Servers, agents and a \
             daemon may go on: they see the copy at their next question. What was forgotten after the copy was made comes back with it.",
        )
        .arg(
            Arg::new("copy")
                .value_name("COPY")
                .required(true)
                .value_parser(value_parser!(PathBuf))
                .help("The file that `jezero backup` made"),
        )
        .arg(json())
}

#[derive(Serialize)]
struct Answer<'a> {
    library: &'a Path,
    items: u64,
    newest: Option<&'a str>,
    kept: Option<&'a Path>,
}

fn run(matches: &ArgMatches, globals: &Globals, output: &mut Output) -> Result<Exit, Failure> {
    let setting = Setting::load(globals)?;
    let library = &setting.config.storage.path;
    let copy = matches.get_one::<PathBuf>("copy").cloned();
    let copy = copy.unwrap_or_default();
    let whole = |path: &Path| path.canonicalize().ok();
    if whole(library).is_some_and(|library| whole(&copy) == Some(library)) {
        let message = format!("{} is the library itself", copy.display());
        return Err(Failure::text(Exit::BadUse, message).hint("name a copy of it"));
    }
    let verified = verified_copy(&copy)?;
    if !verified.faults.is_empty() {
        print(&verified, output);
        let message = format!(
            "{} is not whole; the library was left as it is",
            copy.display()
        );
        return Err(Failure::text(Exit::Failed, message).hint("name an older copy"));
    }
    let _lock = Lock::take(library, "restore", lock::PATIENCE, setting.clock.as_ref())?;
    let kept = store::restore(&copy, library, &suffix(&setting)).map_err(not_restored)?;
    if matches.get_flag("json") {
        output.json_line(&Answer {
            library,
            items: verified.items,
            newest: verified.newest.as_deref(),
            kept: kept.as_deref(),
        });
        return up_to_date(&setting, output);
    }
    output.line(format!(
        "{}: {} items, the newest stored {}",
        library.display(),
        verified.items,
        verified.newest.as_deref().unwrap_or("-")
    ));
    if let Some(kept) = kept {
        output.line(format!("  what was there is kept as {}", kept.display()));
    }
    output.note("`jezero run` reads what the sources have had since.");
    up_to_date(&setting, output)
}

/// Brings a copy of an older layout up to date, after it was told where everything is.
fn up_to_date(setting: &Setting, output: &mut Output) -> Result<Exit, Failure> {
    drop(setting.opened(output)?);
    Ok(Exit::Done)
}

/// What stands behind the name of what was there.
fn suffix(setting: &Setting) -> String {
    let now = setting.clock.now().to_string();
    let digits = now.chars().filter(|c| c.is_ascii_digit() || *c == 'T');
    let at: String = digits.take("20260131T090000".len()).collect();
    format!(".before-restore-{at}Z")
}

fn not_restored(error: StoreError) -> Failure {
    match error {
        error @ StoreError::File { .. } => Failure::new(Exit::Failed, error).hint(
            "check that you may write there and that the disk has room for the copy, then give the \
             command again",
        ),
        error => error.into(),
    }
}
