//! Noticing that files of a source have changed.
//!
//! The system tells of changes. Where it does not (folders of other computers) or will not (its
//! limits), the folder is looked at every few seconds. Watching is an addition to the intervals and
//! never takes their place: what cannot be watched at all is said and read at its interval.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use notify::{Config, RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::mpsc;

use super::ear::{Ear, limit};
use super::polling::{self, Poller};
use super::remote::remote;
use crate::item::SourceName;

/// Changes that may wait; more are left to the interval.
const WAITING: usize = 4096;

/// Files of a source that have changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The source.
    pub source: SourceName,
    /// Which files; the watched folder itself when it is not known which.
    pub paths: Vec<PathBuf>,
}

/// Why a folder is looked at every few seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Because {
    /// It lies on a file system that tells only of a part of the changes.
    Remote(&'static str),
    /// The system watches no more folders.
    Watches,
    /// The system has no more room for one who watches.
    Instances,
}

impl fmt::Display for Because {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let limit = |f: &mut fmt::Formatter<'_>, what: &str, name: &str, enough: u32| {
            write!(
                f,
                "the system watches no more {what} (limit: /proc/sys/fs/inotify/{name}); \
                 `sysctl fs.inotify.{name}={enough}` as root raises it, and a file in \
                 /etc/sysctl.d with the line fs.inotify.{name}={enough} keeps it so"
            )
        };
        match self {
            Self::Remote(name) => write!(f, "{name} does not tell of all changes"),
            Self::Watches => limit(f, "folders", "max_user_watches", 524_288),
            Self::Instances => limit(f, "for this user", "max_user_instances", 1024),
        }
    }
}

/// A folder that cannot be watched; it is read at its interval.
#[derive(Debug, thiserror::Error)]
#[error("{} cannot be watched and is read at its interval: {cause}", .folder.display())]
pub struct WatchError {
    /// The folder.
    pub folder: PathBuf,
    /// The system's word for it.
    pub cause: notify::Error,
}

/// Begins to watch a folder and all below it, as the system does it.
type Begin = fn(Ear, &Path) -> notify::Result<Box<dyn Watcher + Send>>;

/// What changes are noticed with; tests have others.
#[derive(Debug, Clone, Copy)]
struct Means {
    begin: Begin,
    remote: fn(&Path) -> Option<&'static str>,
    pause: Duration,
}

/// Folders under watch, until it is dropped.
pub struct Watching {
    changes: mpsc::Sender<Change>,
    means: Means,
    watchers: Vec<Box<dyn Watcher + Send>>,
    pollers: Vec<Poller>,
}

impl fmt::Debug for Watching {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watching")
            .field("watchers", &self.watchers.len())
            .field("pollers", &self.pollers.len())
            .finish_non_exhaustive()
    }
}

impl Watching {
    /// Watches nothing yet; what is noticed comes out of the other end.
    #[must_use]
    pub fn channel() -> (Self, mpsc::Receiver<Change>) {
        Self::with(Means {
            begin,
            remote,
            pause: polling::PAUSE,
        })
    }

    fn with(means: Means) -> (Self, mpsc::Receiver<Change>) {
        let (changes, heard) = mpsc::channel(WAITING);
        let watching = Self {
            changes,
            means,
            watchers: Vec::new(),
            pollers: Vec::new(),
        };
        (watching, heard)
    }

    /// Watches a folder and all below it for a source. Says why, when it is looked at instead.
    ///
    /// What happened there before is not known, so the folder itself counts as changed first.
    ///
    /// # Errors
    /// [`WatchError`]; what was watched before still is.
    pub fn add(
        &mut self,
        source: &SourceName,
        folder: &Path,
    ) -> Result<Option<Because>, WatchError> {
        let ear = Ear {
            changes: self.changes.clone(),
            source: source.clone(),
            folder: folder.to_owned(),
            pause: self.means.pause,
            poller: None,
        };
        let fault = |cause| WatchError {
            folder: folder.to_owned(),
            cause,
        };
        let because = match (self.means.remote)(folder) {
            Some(name) => Because::Remote(name),
            None => match (self.means.begin)(ear.again(), folder) {
                Ok(watcher) => {
                    self.watchers.push(watcher);
                    ear.tell(vec![folder.to_owned()]);
                    return Ok(None);
                }
                Err(cause) => limit(&cause).ok_or_else(|| fault(cause))?,
            },
        };
        let poller = ear
            .poll()
            .map_err(|cause| fault(notify::Error::io(cause)))?;
        self.pollers.push(poller);
        Ok(Some(because))
    }

    /// Ends all watching, for instance before a changed configuration is taken over.
    pub fn clear(&mut self) {
        self.watchers.clear();
        self.pollers.clear();
    }
}

fn begin(ear: Ear, folder: &Path) -> notify::Result<Box<dyn Watcher + Send>> {
    let config = Config::default().with_follow_symlinks(false);
    let mut watcher = RecommendedWatcher::new(ear, config)?;
    watcher.watch(folder, RecursiveMode::Recursive)?;
    Ok(Box::new(watcher))
}

#[cfg(test)]
mod tests {
    use notify::ErrorKind;

    use super::*;

    /// What a test sees within a time that is long enough on any computer.
    fn next(heard: &mut mpsc::Receiver<Change>) -> Vec<PathBuf> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build();
        let change = runtime.unwrap().block_on(async {
            let limit = Duration::from_secs(30);
            tokio::time::timeout(limit, heard.recv()).await
        });
        let change = change.unwrap().unwrap();
        assert_eq!(change.source, source());
        change.paths
    }

    fn source() -> SourceName {
        SourceName::new("agent-a").unwrap()
    }

    fn nowhere(_: &Path) -> Option<&'static str> {
        None
    }

    fn means(begin: Begin) -> Means {
        Means {
            begin,
            remote: nowhere,
            pause: Duration::from_millis(5),
        }
    }

    #[test]
    fn a_file_written_below_a_watched_folder_is_noticed_and_one_that_is_read_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir(root.join("below")).unwrap();
        std::fs::write(root.join("below/old"), "old").unwrap();
        let (mut watching, mut heard) = Watching::with(means(begin));
        assert_eq!(watching.add(&source(), &root).unwrap(), None);
        assert_eq!(next(&mut heard), std::slice::from_ref(&root));
        assert_eq!(std::fs::read(root.join("below/old")).unwrap(), b"old");
        std::fs::write(root.join("below/new"), "new").unwrap();
        assert_eq!(next(&mut heard), [root.join("below/new")]);
    }

    #[test]
    fn a_folder_that_is_not_there_is_named() {
        let (mut watching, _heard) = Watching::with(means(begin));
        let error = watching.add(&source(), Path::new("/nowhere")).unwrap_err();
        assert!(
            error.to_string().starts_with("/nowhere cannot be watched"),
            "{error}"
        );
    }

    /// Has a folder watched, writes a file in it, and gives why it is looked at.
    fn looked_at(means: Means) -> Option<Because> {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().to_owned();
        let (mut watching, mut heard) = Watching::with(means);
        let because = watching.add(&source(), &root).unwrap();
        assert_eq!(next(&mut heard), std::slice::from_ref(&root));
        std::fs::write(root.join("new"), "new").unwrap();
        assert_eq!(next(&mut heard), [root.join("new")]);
        because
    }

    #[test]
    fn a_folder_of_another_computer_is_looked_at() {
        let never: Begin = |_, _| panic!("the system was asked to watch it");
        let remote = Means {
            remote: |_| Some("NFS"),
            ..means(never)
        };
        let because = looked_at(remote);
        assert_eq!(because, Some(Because::Remote("NFS")));
        assert_eq!(
            because.unwrap().to_string(),
            "NFS does not tell of all changes"
        );
    }

    #[test]
    fn a_folder_beyond_the_limit_of_watched_folders_is_looked_at_and_the_limit_is_named() {
        let because = looked_at(means(|_, _| {
            Err(notify::Error::new(ErrorKind::MaxFilesWatch))
        }));
        assert_eq!(because, Some(Because::Watches));
        let told = because.unwrap().to_string();
        assert!(
            told.contains("/proc/sys/fs/inotify/max_user_watches"),
            "{told}"
        );
        assert!(
            told.contains("sysctl fs.inotify.max_user_watches=524288"),
            "{told}"
        );
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_folder_beyond_the_limit_of_watchers_is_looked_at_and_the_limit_is_named() {
        let because = looked_at(means(|_, _| {
            Err(notify::Error::io(std::io::Error::from_raw_os_error(24)))
        }));
        assert_eq!(because, Some(Because::Instances));
        let told = because.unwrap().to_string();
        assert!(
            told.contains("/proc/sys/fs/inotify/max_user_instances"),
            "{told}"
        );
    }
}
