//! `jezero backup`: a consistent copy of the library in one file.

use std::fs::{self, File};
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
use crate::store::{self, Copied, StoreError, Trouble};

pub(super) const COMMAND: Entry = Entry { define, run };

/// How often progress is looked at.
const LOOK: Duration = Duration::from_millis(100);

fn define() -> clap::Command {
    clap::Command::new("backup")
        .about("Copy the library into one file, while everything goes on")
        .long_about(
            "Copies the library as it stands at one moment into one file (mode 0600), while runs and \
             servers go on. The file appears under its name when it is complete and on the disk. To \
             go back to it: end what uses the library, remove the library file with the -wal and \
             -shm files beside it, and copy the backup there.",
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
        .arg(json())
}

#[derive(Serialize)]
struct Answer<'a> {
    path: &'a Path,
    bytes: u64,
    items: u64,
}

fn run(matches: &ArgMatches, globals: &Globals, output: &mut Output) -> Result<Exit, Failure> {
    let setting = Setting::load(globals)?;
    let library = &setting.config.storage.path;
    let path = matches.get_one::<PathBuf>("path").cloned();
    let path = path.unwrap_or_default();
    may_be_written(&path, library, matches.get_flag("force"))?;
    let mut part = path.as_os_str().to_owned();
    part.push(format!(".part-{}", std::process::id()));
    let part = PathBuf::from(part);
    // What another process of this number left behind.
    drop(fs::remove_file(&part));
    let copied = copy(library, &part, output).and_then(|copied| {
        put_in_place(&part, &path).map_err(|cause| StoreError::File {
            path: path.clone(),
            cause,
        })?;
        Ok(copied)
    });
    let copied = copied.map_err(|error| {
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
        });
    } else {
        output.line(format!(
            "{}: {} items, {} bytes",
            path.display(),
            copied.items,
            copied.bytes
        ));
    }
    Ok(Exit::Done)
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
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    // The new name is on the disk when the folder is. Some systems open no folders.
    match File::open(folder) {
        Ok(folder) => folder.sync_all(),
        Err(_) => Ok(()),
    }
}
