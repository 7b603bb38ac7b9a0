//! Opening the library: the writer makes and migrates it, readers only look.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::index::Indexing;
use super::{Result, StoreError, Trouble, index, schema};

/// How long a statement waits for another one to end.
const BUSY: Duration = Duration::from_secs(30);
/// And how long between two tries where SQLite does not wait by itself.
const PAUSE: Duration = Duration::from_millis(10);

/// A reader's page cache, in KiB below zero. A server has many readers, and what a question reads it
/// mostly reads once: room that is used again and again is quicker than fresh room.
const READER_CACHE: i64 = -2_048;

/// The writer's hold on the library. Take the [`Lock`](super::Lock) first.
#[derive(Debug)]
pub struct Store {
    pub(super) connection: Connection,
    pub(super) upkeep: index::Upkeeping,
}

/// A reader's view of the library: read-only, never in the writer's way.
#[derive(Debug)]
pub struct View {
    pub(super) connection: Connection,
    pub(super) path: PathBuf,
    pub(super) index: index::Memory,
}

impl Store {
    /// Opens the library for writing, making it when the file does not exist or is empty.
    ///
    /// The file gets mode 0600, a folder made for it 0700.
    ///
    /// # Errors
    /// [`StoreError::Foreign`] or [`StoreError::Newer`] for a file that is not ours to write; it
    /// is left untouched. [`StoreError::File`] when it cannot be made.
    pub fn open(path: &Path) -> Result<Self> {
        let upkeep = index::Upkeeping::default();
        Self::prepared(path, None, upkeep, &mut |_| {})
    }

    /// As [`Store::open`], and sees to it that the originals are indexed, or that they are not.
    ///
    /// Indexing what is there already takes its time and tells how far it is; the library can be read
    /// meanwhile. What a kill leaves undone is done by the next opening.
    ///
    /// # Errors
    /// As [`Store::open`].
    pub fn open_with(path: &Path, originals: bool, told: &mut dyn FnMut(Indexing)) -> Result<Self> {
        let upkeep = index::Upkeeping::default();
        Self::prepared(path, Some(originals), upkeep, told)
    }

    /// As [`Store::open_with`], for one of several connections of this process that write at the same
    /// time, each with the same `upkeep`.
    ///
    /// # Errors
    /// As [`Store::open`].
    pub fn open_beside(path: &Path, originals: bool, upkeep: index::Upkeeping) -> Result<Self> {
        Self::prepared(path, Some(originals), upkeep, &mut |_| {})
    }

    fn prepared(
        path: &Path,
        originals: Option<bool>,
        upkeep: index::Upkeeping,
        told: &mut dyn FnMut(Indexing),
    ) -> Result<Self> {
        let version = inspect(path)?;
        drop(private_file(path)?);
        let mut connection = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        if version == 0 {
            patiently(|| {
                // Before the file has a log of its own: the mark must stand in the file itself.
                connection.pragma_update(None, "application_id", schema::APPLICATION_ID)?;
                connection.pragma_update(None, "journal_mode", "WAL")
            })?;
        }
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        connection.pragma_update(None, "foreign_keys", true)?;
        // What is deleted is overwritten where that costs no page of its own.
        connection.pragma_update(None, "secure_delete", "fast")?;
        // A long transaction must not leave its size on the disk for good.
        connection.pragma_update(None, "journal_size_limit", 64 * 1024 * 1024)?;
        if version < schema::newest() {
            schema::migrate(&mut connection)?;
        }
        if let Some(kept) = originals {
            upkeep.keep_originals(&mut connection, kept)?;
        }
        upkeep.catch_up(&mut connection, told)?;
        let mut store = Self { connection, upkeep };
        store.erase_if_due()?;
        Ok(store)
    }

    /// Looks whether the file is ours to write, or missing; changes nothing.
    ///
    /// # Errors
    /// As [`Store::open`].
    pub fn check(path: &Path) -> Result<()> {
        inspect(path).map(drop)
    }

    /// Opens the library to compare with it and write nothing; an empty one in memory when there
    /// is none yet.
    ///
    /// # Errors
    /// As [`Store::open`].
    pub fn open_to_look(path: &Path) -> Result<Self> {
        let connection = match inspect(path)? {
            version if version == schema::newest() => {
                connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?
            }
            _ => {
                let mut connection = Connection::open_in_memory()?;
                schema::migrate(&mut connection)?;
                connection
            }
        };
        let upkeep = index::Upkeeping::default();
        Ok(Self { connection, upkeep })
    }
}

impl View {
    /// Opens the library for reading.
    ///
    /// # Errors
    /// [`StoreError::Missing`] when there is none, [`StoreError::Older`], and as [`Store::open`].
    pub fn open(path: &Path) -> Result<Self> {
        match index::shared(path, || inspected(path))? {
            (None | Some((_, 0)), _) => Err(StoreError::Missing {
                path: path.to_owned(),
            }),
            (Some((_, version)), _) if version < schema::newest() => Err(StoreError::Older {
                path: path.to_owned(),
            }),
            (Some((connection, _)), cache) => {
                connection.pragma_update(None, "query_only", true)?;
                connection.pragma_update(None, "cache_size", READER_CACHE)?;
                Ok(Self {
                    connection,
                    path: path.to_owned(),
                    index: index::Memory::with(cache),
                })
            }
        }
    }

    /// Where the library is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Tries for as long as another connection is at the same: where two make a file, SQLite does not wait
/// by itself.
fn patiently(mut attempt: impl FnMut() -> rusqlite::Result<()>) -> Result<()> {
    let mut waited = Duration::ZERO;
    loop {
        let tried = attempt().map_err(StoreError::from);
        let is_busy = matches!(&tried, Err(error) if error.trouble() == Some(Trouble::Busy));
        if !is_busy || waited >= BUSY {
            return tried;
        }
        std::thread::sleep(PAUSE);
        waited += PAUSE;
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the place that opens the library"
)]
pub(super) fn connect(path: &Path, mode: OpenFlags) -> Result<Connection> {
    let flags = mode | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY)?;
    connection.set_prepared_statement_cache_capacity(64);
    // Without it SQLite plans a statement anew for every value that is bound to it.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.pragma_update(None, "cache_size", -16_384)?;
    Ok(connection)
}

/// Opens the file for reading. A reader takes part in the write-ahead log and needs files beside the
/// library for it; where it may not make them and there is no log, the file alone is the library.
pub(super) fn connect_to_read(path: &Path) -> Result<Connection> {
    let look = |connection: Connection| {
        let schema = "SELECT count(*) FROM sqlite_schema";
        connection.query_row(schema, [], |_| Ok(()))?;
        Ok(connection)
    };
    match connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY).and_then(look) {
        Err(StoreError::Sqlite(error)) if is_refused(&error) && !beside(path, "-wal").exists() => {
            immutable(path)
        }
        opened => opened,
    }
}

/// Opens a file that has no log and that nobody writes, without making anything beside it.
pub(super) fn immutable(path: &Path) -> Result<Connection> {
    let uri = format!("file:{}?immutable=1", escaped(path));
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    connect(Path::new(&uri), flags)
}

fn is_refused(error: &rusqlite::Error) -> bool {
    let refusals = [
        rusqlite::ErrorCode::ReadOnly,
        rusqlite::ErrorCode::CannotOpen,
    ];
    error
        .sqlite_error_code()
        .is_some_and(|code| refusals.contains(&code))
}

/// A path with something behind its name.
pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// A path as it stands in a `file:` address.
fn escaped(path: &Path) -> String {
    let text = path.to_string_lossy();
    text.replace('%', "%25")
        .replace('?', "%3f")
        .replace('#', "%23")
}

/// Bytes of a file that are looked at to tell whose it is.
const HEAD: u64 = 64 * 1024;
/// Where SQLite's header keeps `application_id`, as four bytes, the greatest first.
const APPLICATION_ID_AT: usize = 68;

/// Says which schema a file has without changing a byte of it: 0 for no file or an empty one.
///
/// A file that is not ours is not even opened as a database, since SQLite may leave files beside it.
pub(super) fn inspect(path: &Path) -> Result<i64> {
    Ok(inspected(path)?.map_or(0, |(_, version)| version))
}

/// As [`inspect`], with the connection that was asked; `None` for no file or an empty one.
fn inspected(path: &Path) -> Result<Option<(Connection, i64)>> {
    let Some(head) = head(path)? else {
        return Ok(None);
    };
    if !head.starts_with(b"SQLite format 3\0") {
        return Err(foreign(path, "it is no SQLite file"));
    }
    if !is_ours(&head) {
        let python = memchr::memmem::find(&head, b"items_fts").is_some();
        return Err(match python {
            true => StoreError::Earlier {
                path: path.to_owned(),
            },
            false => foreign(path, "another program's SQLite file"),
        });
    }
    let connection = connect_to_read(path)?;
    let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if version > schema::newest() {
        return Err(StoreError::Newer {
            path: path.to_owned(),
            found: version,
            known: schema::newest(),
        });
    }
    Ok(Some((connection, version)))
}

/// The first bytes of a file; `None` for no file or an empty one.
pub(super) fn head(path: &Path) -> Result<Option<Vec<u8>>> {
    let mut head = Vec::new();
    match fs::File::open(path).and_then(|file| file.take(HEAD).read_to_end(&mut head)) {
        Ok(0) => Ok(None),
        Ok(_) => Ok(Some(head)),
        Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(cause) => Err(StoreError::File {
            path: path.to_owned(),
            cause,
        }),
    }
}

/// Whether the first bytes of an SQLite file say that it is a library of this program.
pub(super) fn is_ours(head: &[u8]) -> bool {
    let id = head
        .get(APPLICATION_ID_AT..)
        .and_then(|rest| rest.first_chunk());
    id.map(|id| i64::from(u32::from_be_bytes(*id))) == Some(schema::APPLICATION_ID)
}

fn foreign(path: &Path, what: &'static str) -> StoreError {
    StoreError::Foreign {
        path: path.to_owned(),
        what,
    }
}

/// Opens a file for its owner alone, making it and its folder where they are missing. Done before
/// SQLite makes the file, so that it is never open to others.
pub(super) fn private_file(path: &Path) -> Result<fs::File> {
    let fault = |cause| StoreError::File {
        path: path.to_owned(),
        cause,
    };
    if let Some(folder) = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
    {
        make_folder(folder).map_err(fault)?;
    }
    let mut options = fs::OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map_err(fault)
}

fn make_folder(folder: &Path) -> std::io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_that_was_only_begun_is_none_to_a_reader() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("library.db");
        let begun = connect(
            &path,
            OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE,
        );
        let id = schema::APPLICATION_ID;
        begun
            .unwrap()
            .pragma_update(None, "application_id", id)
            .unwrap();
        let opened = View::open(&path);
        assert!(matches!(opened, Err(StoreError::Missing { .. })));
    }
}
