//! The writer's lock: an advisory lock on `<database>.lock`, held for one run.
//!
//! The system lets go of it when the process ends, however it ends. The file's text says who holds
//! it and is for people only.

use std::fs::{File, TryLockError};
use std::io::{Read, Write};
use std::path::Path;
use std::time::Duration;

use jezero_connectors::time::Clock;

use super::open::{beside, private_file};
use super::{Result, StoreError};

/// How long a second writer waits before it gives up.
pub const PATIENCE: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_millis(100);

/// The right to write, until it is dropped.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock, waiting up to `patience` for another writer to end.
    ///
    /// # Errors
    /// [`StoreError::Locked`] naming the holder when the wait was in vain.
    pub fn take(
        database: &Path,
        doing: &str,
        patience: Duration,
        clock: &dyn Clock,
    ) -> Result<Self> {
        let path = beside(database, ".lock");
        let mut file = private_file(&path)?;
        let mut waited = Duration::ZERO;
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if waited < patience => {
                    std::thread::sleep(PAUSE);
                    waited += PAUSE;
                }
                Err(TryLockError::WouldBlock) => {
                    return Err(StoreError::Locked {
                        holder: holder(&mut file),
                    });
                }
                Err(TryLockError::Error(cause)) => return Err(StoreError::File { path, cause }),
            }
        }
        let holder = format!(
            "jezero {doing} (process {}, since {})",
            std::process::id(),
            clock.now()
        );
        let written = file
            .set_len(0)
            .and_then(|()| file.write_all(holder.as_bytes()));
        written.map_err(|cause| StoreError::File { path, cause })?;
        Ok(Self { _file: file })
    }

    /// Who is writing at this moment, as far as the lock file says; `None` when nobody is.
    #[must_use]
    pub fn held_by(database: &Path) -> Option<String> {
        // What cannot be opened cannot be held by a writer that could have made it.
        let mut file = File::open(beside(database, ".lock")).ok()?;
        match file.try_lock_shared() {
            Err(TryLockError::WouldBlock) => Some(holder(&mut file)),
            Ok(()) | Err(TryLockError::Error(_)) => None,
        }
    }
}

fn holder(file: &mut File) -> String {
    let mut text = String::new();
    match file.take(300).read_to_string(&mut text) {
        Ok(_) if !text.is_empty() => text,
        _ => "another process".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jezero_connectors::Instant;
    use jezero_connectors::time::FixedClock;

    #[test]
    fn a_second_writer_is_told_who_holds_the_lock() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("data/jezero.db");
        let clock = FixedClock(Instant::parse("2026-10-20T00:00:00Z").unwrap());
        let first = Lock::take(&database, "run", Duration::ZERO, &clock).unwrap();
        let second = Lock::take(&database, "import-jsonl", Duration::ZERO, &clock).unwrap_err();
        let expected = format!(
            "the library is being written by jezero run (process {}, since 2026-10-20T00:00:00+00:00)",
            std::process::id()
        );
        assert_eq!(second.to_string(), expected);
        let told = format!(
            "the library is being written by {}",
            Lock::held_by(&database).unwrap()
        );
        assert_eq!(told, expected);
        drop(first);
        assert_eq!(Lock::held_by(&database), None);
        assert!(Lock::take(&database, "run", Duration::ZERO, &clock).is_ok());
    }
}
