//! Noticing that files of a source have changed.
//!
//! Watching is an addition to the intervals and never takes their place: network file systems tell
//! nothing of what other computers change, and systems limit how many folders may be watched. What
//! cannot be watched is said once and read at its interval.

use std::path::{Path, PathBuf};

use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::mpsc;

use crate::item::SourceName;

/// Changes that may wait; more are left to the interval.
const WAITING: usize = 4096;

/// Files of a source that have changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The source.
    pub source: SourceName,
    /// Which files.
    pub paths: Vec<PathBuf>,
}

/// Why a folder is not watched.
#[derive(Debug, thiserror::Error)]
pub enum WatchError {
    /// The system's limit is reached: raise it, or do with the interval.
    #[error(
        "{}: the system watches no more folders (/proc/sys/fs/inotify/max_user_watches) and it is read \
         at its interval; `jezero doctor` names the sysctl command that raises the limit", .folder.display()
    )]
    Limit {
        /// The folder.
        folder: PathBuf,
    },
    /// It cannot be watched for another reason.
    #[error("{} cannot be watched and is read at its interval: {cause}", .folder.display())]
    Unwatchable {
        /// The folder.
        folder: PathBuf,
        /// The system's word for it.
        cause: notify::Error,
    },
}

/// Folders under watch, until it is dropped.
#[derive(Debug)]
pub struct Watching {
    changes: mpsc::Sender<Change>,
    watchers: Vec<RecommendedWatcher>,
}

impl Watching {
    /// Watches nothing yet; what is noticed comes out of the other end.
    #[must_use]
    pub fn channel() -> (Self, mpsc::Receiver<Change>) {
        let (changes, heard) = mpsc::channel(WAITING);
        let watching = Self {
            changes,
            watchers: Vec::new(),
        };
        (watching, heard)
    }

    /// Watches a folder and all below it for a source.
    ///
    /// # Errors
    /// [`WatchError`]; what was watched before still is.
    pub fn add(&mut self, source: &SourceName, folder: &Path) -> Result<(), WatchError> {
        let (changes, source) = (self.changes.clone(), source.clone());
        let heard = move |event: notify::Result<notify::Event>| {
            let Ok(event) = event else { return };
            // Reading changes access times; only writing is of interest.
            if matches!(event.kind, EventKind::Access(_)) {
                return;
            }
            // With a full queue the interval finds what is lost here.
            drop(changes.try_send(Change {
                source: source.clone(),
                paths: event.paths,
            }));
        };
        let watched = notify::recommended_watcher(heard).and_then(|mut watcher| {
            watcher.watch(folder, RecursiveMode::Recursive)?;
            Ok(watcher)
        });
        match watched {
            Ok(watcher) => {
                self.watchers.push(watcher);
                Ok(())
            }
            Err(cause) => Err(match cause.kind {
                notify::ErrorKind::MaxFilesWatch => WatchError::Limit {
                    folder: folder.to_owned(),
                },
                _ => WatchError::Unwatchable {
                    folder: folder.to_owned(),
                    cause,
                },
            }),
        }
    }

    /// Ends all watching, for instance before a changed configuration is taken over.
    pub fn clear(&mut self) {
        self.watchers.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_written_below_a_watched_folder_is_noticed_and_one_that_is_read_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir(root.join("below")).unwrap();
        std::fs::write(root.join("below/old"), "old").unwrap();
        let (mut watching, mut heard) = Watching::channel();
        let source = SourceName::new("agent-a").unwrap();
        watching.add(&source, &root).unwrap();
        assert_eq!(std::fs::read(root.join("below/old")).unwrap(), b"old");
        std::fs::write(root.join("below/new"), "new").unwrap();
        let change = heard.blocking_recv().unwrap();
        assert_eq!(change.source, source);
        assert_eq!(change.paths, [root.join("below/new")]);
    }

    #[test]
    fn a_folder_that_is_not_there_is_named() {
        let (mut watching, _heard) = Watching::channel();
        let source = SourceName::new("agent-a").unwrap();
        let error = watching.add(&source, Path::new("/nowhere")).unwrap_err();
        assert!(
            error.to_string().starts_with("/nowhere cannot be watched"),
            "{error}"
        );
    }
}
