//! Putting a copy in the place of the library.
//!
//! A log belongs to the file that it was made with: beside another file it would be written into that
//! and destroy it. So what was there keeps its log under a name of its own, the log goes from its
//! place, and only then the copy takes the place of the library, in one step. A kill before that
//! leaves what was there under its new name, and in its place the same without the log.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::open::{beside, head, is_ours, private_file};
use super::{Result, StoreError};

/// Links that are followed one behind the other.
const LINKS: usize = 40;

/// Puts a copy in the place of the library, which may be missing or damaged. The caller holds the
/// lock and has verified the copy.
///
/// What was there is kept under its name with `suffix` behind it, and a number if that name is taken; gives
/// that name. It may be a log alone, whose file is gone. Where the library is a link, what it leads to
/// is replaced.
///
/// # Errors
/// [`StoreError::Foreign`] when another program's database lies there; [`StoreError::File`] when a step
/// cannot be done.
pub fn restore(copy: &Path, library: &Path, suffix: &str) -> Result<Option<PathBuf>> {
    let library = &led_to(library);
    let found = head(library)?;
    if let Some(found) = found.as_deref()
        && found.starts_with(b"SQLite format 3\0")
        && !is_ours(found)
    {
        return Err(StoreError::Foreign {
            path: library.to_owned(),
            what: "another program's SQLite file",
        });
    }
    let fault = |path: &Path, cause| StoreError::File {
        path: path.to_owned(),
        cause,
    };
    let part = beside(library, &format!(".part-{}", std::process::id()));
    // What another process of this number left behind.
    drop(fs::remove_file(&part));
    let written = write(copy, &part);
    written.inspect_err(|_| drop(fs::remove_file(&part)))?;
    let aside = free(library, suffix);
    let mut kept = None;
    for log in ["", "-wal"] {
        let (from, to) = (beside(library, log), beside(&aside, log));
        if fs::metadata(&from).is_ok_and(|data| data.len() > 0) {
            keep(&from, &to).map_err(|cause| fault(&to, cause))?;
            kept.get_or_insert(to);
        }
    }
    for log in ["-wal", "-shm"] {
        let path = beside(library, log);
        match fs::remove_file(&path) {
            Err(cause) if cause.kind() != io::ErrorKind::NotFound => {
                return Err(fault(&path, cause));
            }
            _ => {}
        }
    }
    fs::rename(&part, library)
        .and_then(|()| sync_folder(library))
        .map_err(|cause| fault(library, cause))?;
    Ok(kept)
}

/// What a link leads to, also when that is not there; anything else as it is. The database keeps its
/// log beside it.
fn led_to(library: &Path) -> PathBuf {
    let mut path = library.to_owned();
    for _ in 0..LINKS {
        let Ok(target) = fs::read_link(&path) else {
            break;
        };
        path = path.parent().unwrap_or(Path::new("")).join(target);
    }
    path
}

/// A name that no file has, and no log of one.
fn free(library: &Path, suffix: &str) -> PathBuf {
    let mut name = beside(library, suffix);
    let mut number = 1;
    while name.exists() || beside(&name, "-wal").exists() {
        number += 1;
        name = beside(library, &format!("{suffix}-{number}"));
    }
    name
}

fn write(copy: &Path, part: &Path) -> Result<()> {
    // What is in the log of a copy that was used as a library belongs to it, and was looked at.
    if fs::metadata(beside(copy, "-wal")).is_ok_and(|log| log.len() > 0) {
        return super::copy(copy, part).map(drop);
    }
    let mut to = private_file(part)?;
    let written = fs::File::open(copy).and_then(|mut from| {
        io::copy(&mut from, &mut to)?;
        to.sync_all()
    });
    written.map_err(|cause| StoreError::File {
        path: part.to_owned(),
        cause,
    })
}

/// Gives a file a second name; on systems that know no such thing, a copy of it.
fn keep(from: &Path, to: &Path) -> io::Result<()> {
    match fs::hard_link(from, to) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
        Err(_) => fs::copy(from, to).map(drop),
        Ok(()) => Ok(()),
    }
}

/// A new name is on the disk when its folder is. Some systems open no folders.
pub(crate) fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    match fs::File::open(folder) {
        Ok(folder) => folder.sync_all(),
        Err(_) => Ok(()),
    }
}
