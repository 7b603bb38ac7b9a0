//! Hearing what the system tells of one folder, and looking at it when the system tells no more.

use std::path::PathBuf;
use std::time::Duration;

use notify::{ErrorKind, EventKind};
use tokio::sync::mpsc;

use super::polling::Poller;
use super::watching::{Because, Change};
use crate::item::SourceName;

/// Hears what happens below one folder.
#[derive(Debug)]
pub(super) struct Ear {
    pub(super) changes: mpsc::Sender<Change>,
    pub(super) source: SourceName,
    pub(super) folder: PathBuf,
    pub(super) pause: Duration,
    /// Looks at the folder since the system told that it watches no more of it.
    pub(super) poller: Option<Poller>,
}

impl Ear {
    /// Another one for the same folder.
    pub(super) fn again(&self) -> Self {
        Self {
            changes: self.changes.clone(),
            source: self.source.clone(),
            folder: self.folder.clone(),
            pause: self.pause,
            poller: None,
        }
    }

    /// Looks at the folder from now on.
    pub(super) fn poll(self) -> std::io::Result<Poller> {
        let (folder, pause) = (self.folder.clone(), self.pause);
        Poller::start(folder, pause, move |paths| self.tell(paths))
    }

    /// Passes changed files on.
    pub(super) fn tell(&self, paths: Vec<PathBuf>) {
        // With a full queue the interval finds what is lost here.
        drop(self.changes.try_send(Change {
            source: self.source.clone(),
            paths,
        }));
    }

    /// A folder that was made later is one too many: from now on all of it is looked at.
    fn fall_back(&mut self, because: Because) {
        if self.poller.is_some() {
            return;
        }
        let (source, folder) = (&self.source, self.folder.display());
        tracing::warn!("{source}: {folder} is looked at every few seconds: {because}");
        match self.again().poll() {
            Ok(poller) => self.poller = Some(poller),
            Err(cause) => tracing::warn!("{source}: {folder} is read at its interval: {cause}"),
        }
    }
}

impl notify::EventHandler for Ear {
    fn handle_event(&mut self, event: notify::Result<notify::Event>) {
        match event {
            // Reading changes access times; only writing is of interest.
            Ok(event) if matches!(event.kind, EventKind::Access(_)) => {}
            Ok(event) if event.need_rescan() || event.paths.is_empty() => {
                self.tell(vec![self.folder.clone()]);
            }
            Ok(event) => self.tell(event.paths),
            Err(error) => match limit(&error) {
                Some(because) => self.fall_back(because),
                None => self.tell(vec![self.folder.clone()]),
            },
        }
    }
}

/// Which of the system's limits an error tells of.
pub(super) fn limit(error: &notify::Error) -> Option<Because> {
    /// "Too many open files", which is what the system says of too many that watch.
    const EMFILE: i32 = 24;
    match &error.kind {
        ErrorKind::MaxFilesWatch => Some(Because::Watches),
        ErrorKind::Io(cause) if cfg!(target_os = "linux") => {
            (cause.raw_os_error() == Some(EMFILE)).then_some(Because::Instances)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use notify::EventHandler;

    use super::*;

    fn ear(folder: PathBuf) -> (Ear, mpsc::Receiver<Change>) {
        let (changes, heard) = mpsc::channel(16);
        let ear = Ear {
            changes,
            source: SourceName::new("agent-a").unwrap(),
            folder,
            pause: Duration::from_millis(5),
            poller: None,
        };
        (ear, heard)
    }

    fn next(heard: &mut mpsc::Receiver<Change>) -> Vec<PathBuf> {
        heard.blocking_recv().unwrap().paths
    }

    #[test]
    fn a_limit_that_is_reached_later_has_the_whole_folder_looked_at() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().to_owned();
        let (mut ear, mut heard) = ear(root.clone());
        for _ in 0..3 {
            ear.handle_event(Err(notify::Error::new(ErrorKind::MaxFilesWatch)));
        }
        assert_eq!(next(&mut heard), std::slice::from_ref(&root));
        std::fs::write(root.join("new"), "new").unwrap();
        assert_eq!(next(&mut heard), [root.join("new")]);
    }

    #[test]
    fn lost_events_have_the_source_read() {
        let (mut ear, mut heard) = ear(PathBuf::from("/sessions"));
        let overflow = notify::Event::new(EventKind::Other).set_flag(notify::event::Flag::Rescan);
        ear.handle_event(Ok(overflow));
        assert_eq!(next(&mut heard), [PathBuf::from("/sessions")]);
        ear.handle_event(Err(notify::Error::generic("something")));
        assert_eq!(next(&mut heard), [PathBuf::from("/sessions")]);
    }
}
