//! A pool of libraries open for reading, on threads of their own.
//!
//! Each question has a library to itself, so that none waits for another one's page cache or
//! transaction, nor for the writer. Libraries are opened when they are first needed: a server may
//! start before there is one, and another file may be put in its place (a copy brought back).

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use jezero_connectors::time::Clock;
use tokio::sync::Semaphore;

use crate::library::{Library, LibraryError, Settings};

/// Most libraries open at once: more than there are cores would only take memory.
const MOST: usize = 4;

/// Libraries, ready to be asked.
#[derive(Clone)]
pub struct Readers {
    shared: Arc<Shared>,
}

struct Shared {
    path: PathBuf,
    settings: Settings,
    clock: Arc<dyn Clock>,
    idle: Mutex<Vec<(FileId, Library)>>,
    /// One permit a library, so that the number of blocking threads is bounded too.
    free: Semaphore,
}

/// Why a question could not even be asked.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// The library does not open.
    #[error(transparent)]
    Library(#[from] LibraryError),
    /// The thread that asked ended without an answer, which is a fault of this program.
    #[error("the question ended without an answer")]
    Lost,
}

impl Readers {
    /// A pool over a library that need not exist yet.
    #[must_use]
    pub fn new(path: PathBuf, settings: Settings, clock: Arc<dyn Clock>) -> Self {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        Self {
            shared: Arc::new(Shared {
                path,
                settings,
                clock,
                idle: Mutex::new(Vec::new()),
                free: Semaphore::new(cores.clamp(2, MOST)),
            }),
        }
    }

    /// Asks a library something, on a thread that may block.
    ///
    /// # Errors
    /// [`AskError`].
    pub async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Library) -> T + Send + 'static,
    ) -> Result<T, AskError> {
        let shared = Arc::clone(&self.shared);
        let _permit = self
            .shared
            .free
            .acquire()
            .await
            .map_err(|_| AskError::Lost)?;
        let asked = tokio::task::spawn_blocking(move || {
            let (file, library) = shared.take()?;
            let answer = question(&library);
            shared.give_back((file, library));
            Ok(answer)
        });
        asked.await.map_err(|_| AskError::Lost)?
    }

    /// Asks something that takes no longer than a look into the file. If a library lies ready, it is
    /// asked on the thread of the caller: the way to another one and back takes several times as
    /// long as such an answer.
    ///
    /// # Errors
    /// [`AskError`].
    pub async fn ask_briefly<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Library) -> T + Send + 'static,
    ) -> Result<T, AskError> {
        let ready = match self.shared.free.try_acquire() {
            Ok(permit) => self.shared.idle().map(|library| (permit, library)),
            Err(_) => None,
        };
        let Some((permit, (file, library))) = ready else {
            return self.ask(question).await;
        };
        // A question that panics takes its library with it, here as on another thread.
        let answer = catch_unwind(AssertUnwindSafe(|| question(&library)));
        let answer = answer.map_err(|_| AskError::Lost)?;
        self.shared.give_back((file, library));
        drop(permit);
        Ok(answer)
    }
}

impl Shared {
    /// A library of the file that is there now.
    fn take(&self) -> Result<(FileId, Library), LibraryError> {
        if let Some(kept) = self.idle() {
            return Ok(kept);
        }
        let now = FileId::of(&self.path);
        let settings = self.settings.clone();
        let library = Library::open(&self.path, settings, Arc::clone(&self.clock))?;
        Ok((now, library))
    }

    /// One that lies ready, if there is one.
    fn idle(&self) -> Option<(FileId, Library)> {
        let now = FileId::of(&self.path);
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.retain(|(file, _)| *file == now);
        idle.pop()
    }

    fn give_back(&self, library: (FileId, Library)) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.push(library);
    }
}

/// Tells a file from another one that took its place under the same name; all alike where the system
/// has no numbers for files, or when there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FileId(Option<(u64, u64)>);

impl FileId {
    #[cfg(unix)]
    fn of(path: &Path) -> Self {
        use std::os::unix::fs::MetadataExt;
        let data = std::fs::metadata(path).ok();
        Self(data.map(|data| (data.dev(), data.ino())))
    }

    #[cfg(not(unix))]
    fn of(_: &Path) -> Self {
        Self(None)
    }
}

impl std::fmt::Debug for Readers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Readers")
            .field("path", &self.shared.path)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Store;
    use jezero_connectors::Instant;
    use jezero_connectors::time::FixedClock;

    #[tokio::test]
    async fn a_question_that_panics_is_lost_and_the_next_one_is_answered() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("jezero.db");
        drop(Store::open(&path).unwrap());
        let now = Instant::parse("2026-10-21").unwrap();
        let clock = Arc::new(FixedClock(now));
        let readers = Readers::new(path, Settings::default(), clock);
        let thread = || std::thread::current().id();
        let (first, here) = (readers.ask_briefly(move |_| thread()).await, thread());
        assert_ne!(first.unwrap(), here, "no library lay ready");
        let second = readers.ask_briefly(move |_| thread()).await;
        assert_eq!(second.unwrap(), here);
        for _ in 0..MOST + 1 {
            let lost = readers.ask_briefly(|_| panic!("a fault")).await;
            assert!(matches!(lost, Err::<(), _>(AskError::Lost)));
            let lost = readers.ask(|_| panic!("a fault")).await;
            assert!(matches!(lost, Err::<(), _>(AskError::Lost)));
            assert_eq!(readers.ask_briefly(|_| 7).await.unwrap(), 7);
        }
    }
}
