//! A look into every folder below one.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Entries that are looked at below one folder; what goes beyond is not.
const MOST: usize = 500_000;

/// What a look found.
#[derive(Debug, Default)]
pub(super) struct Walk {
    /// Folders, the first one included.
    pub(super) folders: u64,
    /// Files and folders that may not be read, and how many.
    pub(super) unreadable: u64,
    /// The first of them.
    pub(super) first: Option<PathBuf>,
}

impl Walk {
    fn refused(&mut self, path: PathBuf) {
        self.unreadable += 1;
        self.first.get_or_insert(path);
    }
}

/// Looks into a folder and all below it, following no link.
pub(super) fn walk(folder: &Path) -> Walk {
    let mut walk = Walk::default();
    let mut waiting = vec![folder.to_owned()];
    let mut entries = 0;
    while let Some(folder) = waiting.pop() {
        walk.folders += 1;
        let listed = match fs::read_dir(&folder) {
            Ok(listed) => listed,
            // What went since is no loss.
            Err(cause) if cause.kind() == ErrorKind::NotFound => continue,
            Err(_) => {
                walk.refused(folder);
                continue;
            }
        };
        for entry in listed.flatten() {
            entries += 1;
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => waiting.push(entry.path()),
                Ok(kind) if kind.is_file() && !may_read(&entry.path()) => {
                    walk.refused(entry.path());
                }
                _ => {}
            }
        }
        if entries > MOST {
            break;
        }
    }
    walk
}

/// Whether a file may be read, without opening it.
#[cfg(unix)]
fn may_read(path: &Path) -> bool {
    let asked = rustix::fs::access(path, rustix::fs::Access::READ_OK);
    !matches!(asked, Err(rustix::io::Errno::ACCESS))
}

#[cfg(not(unix))]
fn may_read(_: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_folder_is_counted_and_no_link_followed() {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir_all(home.path().join("a/b/c")).unwrap();
        fs::write(home.path().join("a/f"), "").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink("/", home.path().join("a/root")).unwrap();
        let walk = walk(home.path());
        assert_eq!((walk.folders, walk.unreadable), (4, 0));
    }

    #[test]
    fn what_is_no_folder_cannot_be_looked_into() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("f");
        fs::write(&file, "").unwrap();
        let found = walk(&file);
        assert_eq!((found.unreadable, found.first), (1, Some(file)));
        assert_eq!(walk(&home.path().join("gone")).unreadable, 0);
    }
}
