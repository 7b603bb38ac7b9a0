//! `jezero backup`: a consistent copy of the library in one file.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, value_parser};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use super::failure::Failure;
use super::output::Output;
use super::search::json;
use super::setting::Setting;
use super::{Entry, Exit, Globals};
use crate::store::{self, Copied, StoreError, Trouble, Verified, sync_folder};

pub(super) const COMMAND: Entry = Entry { define, run };

/// How often progress is looked at.
const LOOK: Duration = Duration::from_millis(100);

fn define() -> clap::Command {
    clap::Command::new("backup")
        .about("Copy the library into one file, while everything goes on")
        .long_about(
            "Copies the library as it stands at one moment into one file (mode 0600), while runs and \
             servers go on. The file appears under its name when it is complete and on the disk. \
             `jezero restore` goes back to it.",
        )
        .arg(
            Arg::new("path")
                .value_name("PATH")
                .required(true)
                .value_parser(value_parser!(PathBuf))
                .help("The file to write"),
        )
        .arg(
            Arg::new("force")
                .long("force")
                .action(ArgAction::SetTrue)
                .help("Take the place of a file that is there"),
        )
        .arg(
            Arg::new("verify")
                .long("verify")
                .action(ArgAction::SetTrue)
                .help("Look at all of the copy before it gets its name; exit 1 when it is not whole"),
        )
        .arg(
            Arg::new("verify-only")
                .long("verify-only")
                .action(ArgAction::SetTrue)
                .conflicts_with_all(["verify", "force"])
                .help("Copy nothing; look whether the copy at PATH is whole"),
        )
        .arg(json())
}

#[derive(Serialize)]
struct Answer<'a> {
    path: &'a Path,
    bytes: u64,
    items: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    verified: Option<&'a Verified>,
}

fn run(matches: &ArgMatches, globals: &Globals, output: &mut Output) -> Result<Exit, Failure> {
    let setting = Setting::load(globals)?;
    let library = &setting.config.storage.path;
    let path = matches.get_one::<PathBuf>("path").cloned();
    let path = path.unwrap_or_default();
    if matches.get_flag("verify-only") {
        return verify_only(&path, &setting, matches.get_flag("json"), output);
    }
    may_be_written(&path, library, matches.get_flag("force"))?;
    let mut part = path.as_os_str().to_owned();
    part.push(format!(".part-{}", std::process::id()));
    let part = PathBuf::from(part);
    // What another process of this number left behind.
    drop(fs::remove_file(&part));
    let copied = copy(library, &part, output).and_then(|copied| {
        let verified = match matches.get_flag("verify") {
            true => Some(verified(&part, &copied)?),
            false => None,
        };
        if verified.as_ref().is_none_or(is_whole) {
            put_in_place(&part, &path).map_err(|cause| StoreError::File {
                path: path.clone(),
                cause,
            })?;
        } else {
            drop(fs::remove_file(&part));
        }
        Ok((copied, verified))
    });
    let (copied, verified) = copied.map_err(|error| {
        drop(fs::remove_file(&part));
        match error {
            // What cannot be read of the library is no matter of room.
            error if error.trouble() == Some(Trouble::Damaged) => Failure::from(error),
            StoreError::Sqlite(error) => Failure::text(
                Exit::Failed,
                format!("{} could not be written: {error}", path.display()),
            )
            .hint("check that the disk has room for a copy of the library"),
            error => Failure::from(error),
        }
    })?;
    if matches.get_flag("json") {
        output.json_line(&Answer {
            path: &path,
            bytes: copied.bytes,
            items: copied.items,
            verified: verified.as_ref(),
        });
    } else {
        output.line(format!(
            "{}: {} items, {} bytes",
            path.display(),
            copied.items,
            copied.bytes
        ));
        if let Some(verified) = &verified {
            print(verified, output);
        }
    }
    if verified.as_ref().is_none_or(is_whole) {
        return Ok(Exit::Done);
    }
    output.note(
        "hint: the copy is not whole and was not kept, which says that the library is damaged. \
         Check the disk, then go back to an older copy with `jezero restore`",
    );
    Ok(Exit::Failed)
}

/// Looks at a fresh copy, which must have as many items as the library had.
fn verified(part: &Path, copied: &Copied) -> Result<Verified, StoreError> {
    let mut verified = store::verify(part)?;
    if let Some(expected) = copied.expected.filter(|items| *items != verified.items) {
        let fault = format!("it has {} items and the library {expected}", verified.items);
        verified.faults.push(fault);
    }
    Ok(verified)
}

fn is_whole(verified: &Verified) -> bool {
    verified.faults.is_empty()
}

/// Looks at a copy that was made earlier.
fn verify_only(
    path: &Path,
    setting: &Setting,
    as_json: bool,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let verified = verified_copy(path)?;
    let bytes = fs::metadata(path).map_or(0, |data| data.len());
    if as_json {
        output.json_line(&Answer {
            path,
            bytes,
            items: verified.items,
            verified: Some(&verified),
        });
    } else {
        let items = verified.items;
        output.line(format!("{}: {items} items, {bytes} bytes", path.display()));
        print(&verified, output);
        let everything = crate::access::Reader::everything();
        let library = setting.library().ok();
        if let Some(now) = library.and_then(|library| library.stats(&everything).ok()) {
            output.line(format!("  the library has {} items now", now.items));
        }
    }
    Ok(match is_whole(&verified) {
        true => Exit::Done,
        false => Exit::Failed,
    })
}

/// Looks at a copy; one that is none is bad use.
pub(super) fn verified_copy(path: &Path) -> Result<Verified, Failure> {
    store::verify(path).map_err(|error| match error {
        StoreError::Missing { .. } => {
            let message = format!("there is no copy at {}", path.display());
            Failure::text(Exit::BadUse, message).hint("`jezero backup PATH` makes one")
        }
        StoreError::Foreign { .. } => {
            let message = format!("{} is no copy of a library", path.display());
            Failure::text(Exit::BadUse, message).hint("name a file that `jezero backup` made")
        }
        error => error.into(),
    })
}

/// Says what a look at a copy found.
pub(super) fn print(verified: &Verified, output: &mut Output) {
    if is_whole(verified) {
        let index = match &verified.index {
            Some(checked) => format!("index in step in {} segments", checked.segments),
            None => "of an older layout, which its first use brings up to date".to_owned(),
        };
        let newest = verified.newest.as_deref().unwrap_or("-");
        output.line(format!(
            "  verified: every page and row is whole, {index}; newest item stored {newest}, schema {}",
            verified.schema
        ));
    }
    for fault in &verified.faults {
        output.line(format!("  damaged: {fault}"));
    }
}

/// Refuses what would be lost by writing there.
fn may_be_written(path: &Path, library: &Path, force: bool) -> Result<(), Failure> {
    let refused = |message: &str, hint: &str| {
        let message = format!("{} {message}", path.display());
        Err(Failure::text(Exit::BadUse, message).hint(hint))
    };
    if path.file_name().is_none() || path.is_dir() {
        return refused("is a folder", "name the file to write in it");
    }
    if path.symlink_metadata().is_err() {
        return Ok(());
    }
    let whole = |path: &Path| path.canonicalize().ok();
    let beside = ["", "-wal", "-shm", ".lock"].map(|suffix| {
        let mut name = library.as_os_str().to_owned();
        name.push(suffix);
        PathBuf::from(name)
    });
    if whole(path).is_some_and(|own| beside.iter().any(|file| whole(file).as_ref() == Some(&own))) {
        return refused("belongs to the library itself", "give another name");
    }
    if !force {
        return refused(
            "exists and was left as it is",
            "give another name, or --force to take its place",
        );
    }
    Ok(())
}

/// Copies on a thread of its own and shows how far it is.
fn copy(library: &Path, part: &Path, output: &Output) -> Result<Copied, StoreError> {
    let bar = progress_bar(library, output);
    std::thread::scope(|scope| {
        let copying = scope.spawn(|| store::copy(library, part));
        while !bar.is_hidden() && !copying.is_finished() {
            bar.set_position(fs::metadata(part).map_or(0, |data| data.len()));
            std::thread::sleep(LOOK);
        }
        bar.finish_and_clear();
        copying.join().unwrap_or_else(|_| {
            Err(StoreError::File {
                path: part.to_owned(),
                cause: std::io::Error::other("the copying thread ended early"),
            })
        })
    })
}

fn progress_bar(library: &Path, output: &Output) -> ProgressBar {
    if !output.shows_progress {
        return ProgressBar::hidden();
    }
    let size = fs::metadata(library).map_or(0, |data| data.len());
    let bar = ProgressBar::new(size);
    match ProgressStyle::with_template("copying: {bytes} of about {total_bytes} [{elapsed}]") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

/// Gives the copy its name, for good.
fn put_in_place(part: &Path, path: &Path) -> std::io::Result<()> {
    fs::rename(part, path)?;
    sync_folder(path)
}
