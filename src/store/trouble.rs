//! What keeps a library from being read or written, by what can be done about it.

use std::io::{self, ErrorKind};

use rusqlite::ErrorCode;

use super::StoreError;

/// A trouble of the system or the file. None of them loses what is stored, damage excepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// Another program writes the file, or keeps it to itself: end that, or wait.
    Busy,
    /// The disk, a quota or a limit on file sizes leaves no room: make some.
    Full,
    /// The file or its disk may not be written: mend modes or the mount.
    ReadOnly,
    /// The process may open no more files: raise the limit.
    Descriptors,
    /// The file is there and cannot be opened: mend modes, or what is in the way.
    Unopened,
    /// The disk fails in reading or writing: look at its health.
    Disk,
    /// The file is not what was written: go back to a copy.
    Damaged,
}

impl StoreError {
    /// What is in the way, as far as SQLite or the system says it.
    #[must_use]
    pub fn trouble(&self) -> Option<Trouble> {
        match self {
            Self::File { cause, .. } => of_system(cause),
            Self::Sqlite(error) => of_sqlite(error.sqlite_error_code()?),
            Self::Damaged { .. } => Some(Trouble::Damaged),
            Self::Missing { .. }
            | Self::Foreign { .. }
            | Self::Earlier { .. }
            | Self::Older { .. }
            | Self::Newer { .. }
            | Self::Locked { .. } => None,
        }
    }
}

fn of_sqlite(code: ErrorCode) -> Option<Trouble> {
    Some(match code {
        ErrorCode::DatabaseBusy
        | ErrorCode::DatabaseLocked
        | ErrorCode::FileLockingProtocolFailed => Trouble::Busy,
        ErrorCode::DiskFull | ErrorCode::TooBig => Trouble::Full,
        ErrorCode::ReadOnly | ErrorCode::PermissionDenied => Trouble::ReadOnly,
        ErrorCode::CannotOpen => Trouble::Unopened,
        ErrorCode::SystemIoFailure => Trouble::Disk,
        ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => Trouble::Damaged,
        _ => return None,
    })
}

fn of_system(cause: &io::Error) -> Option<Trouble> {
    // Numbers of the systems that we know, where the library has no word yet.
    const ENFILE: i32 = 23;
    const EMFILE: i32 = 24;
    if cfg!(unix) && matches!(cause.raw_os_error(), Some(ENFILE | EMFILE)) {
        return Some(Trouble::Descriptors);
    }
    Some(match cause.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
            Trouble::Full
        }
        ErrorKind::ReadOnlyFilesystem | ErrorKind::PermissionDenied => Trouble::ReadOnly,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sqlite(code: i32) -> Option<Trouble> {
        let error = rusqlite::ffi::Error::new(code);
        StoreError::from(rusqlite::Error::SqliteFailure(error, None)).trouble()
    }

    #[test]
    fn what_sqlite_says_is_told_apart_by_what_can_be_done() {
        use rusqlite::ffi;
        assert_eq!(sqlite(ffi::SQLITE_BUSY), Some(Trouble::Busy));
        assert_eq!(sqlite(ffi::SQLITE_BUSY_SNAPSHOT), Some(Trouble::Busy));
        assert_eq!(sqlite(ffi::SQLITE_FULL), Some(Trouble::Full));
        assert_eq!(
            sqlite(ffi::SQLITE_READONLY_DBMOVED),
            Some(Trouble::ReadOnly)
        );
        assert_eq!(sqlite(ffi::SQLITE_CANTOPEN), Some(Trouble::Unopened));
        assert_eq!(sqlite(ffi::SQLITE_IOERR_WRITE), Some(Trouble::Disk));
        assert_eq!(sqlite(ffi::SQLITE_CORRUPT_VTAB), Some(Trouble::Damaged));
        assert_eq!(sqlite(ffi::SQLITE_CONSTRAINT), None);
    }

    #[test]
    fn what_the_system_says_is_told_apart_by_what_can_be_done() {
        let file = |cause| {
            let path = "data/jezero.db".into();
            StoreError::File { path, cause }.trouble()
        };
        let kind = |kind: ErrorKind| file(io::Error::from(kind));
        assert_eq!(kind(ErrorKind::StorageFull), Some(Trouble::Full));
        assert_eq!(kind(ErrorKind::PermissionDenied), Some(Trouble::ReadOnly));
        assert_eq!(kind(ErrorKind::NotADirectory), None);
        #[cfg(unix)]
        assert_eq!(
            file(io::Error::from_raw_os_error(24)),
            Some(Trouble::Descriptors)
        );
    }
}
