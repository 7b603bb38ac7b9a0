//! Opening the library: the writer makes and migrates it, readers only look.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::{Result, StoreError, schema};

/// How long a statement waits for another one to end.
const BUSY: Duration = Duration::from_secs(30);

/// The writer's hold on the library. Take the [`Lock`](super::Lock) first.
#[derive(Debug)]
pub struct Store {
    pub(super) connection: Connection,
    pub(super) upkeep: super::index::Upkeep,
}

/// A reader's view of the library: read-only, never in the writer's way.
#[derive(Debug)]
pub struct View {
    pub(super) connection: Connection,
    pub(super) path: PathBuf,
    pub(super) index: super::index::Memory,
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
        let version = inspect(path)?;
        prepare_file(path)?;
        let mut connection = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        connection.pragma_update(None, "foreign_keys", true)?;
        // What is deleted is overwritten where that costs no page of its own.
        connection.pragma_update(None, "secure_delete", "fast")?;
        // A long transaction must not leave its size on the disk for good.
        connection.pragma_update(None, "journal_size_limit", 64 * 1024 * 1024)?;
        schema::migrate(&mut connection, version)?;
        let mut upkeep = super::index::Upkeep::default();
        upkeep.catch_up(&mut connection)?;
        Ok(Self { connection, upkeep })
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
                schema::migrate(&mut connection, 0)?;
                connection
            }
        };
        let upkeep = super::index::Upkeep::default();
        Ok(Self { connection, upkeep })
    }

    /// Empties the write-ahead log into the file, as far as no reader needs it.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn checkpoint(&self) -> Result<()> {
        self.connection
            .query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))?;
        Ok(())
    }
}

impl View {
    /// Opens the library for reading.
    ///
    /// # Errors
    /// [`StoreError::Missing`] when there is none, and as [`Store::open`].
    pub fn open(path: &Path) -> Result<Self> {
        match inspect(path)? {
            0 => Err(StoreError::Missing {
                path: path.to_owned(),
            }),
            version if version < schema::newest() => Err(StoreError::Foreign {
                path: path.to_owned(),
                what: "an older layout that the next `jezero run` brings up to date",
            }),
            _ => {
                let connection = connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
                connection.pragma_update(None, "query_only", true)?;
                Ok(Self {
                    connection,
                    path: path.to_owned(),
                    index: super::index::Memory::default(),
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

#[expect(
    clippy::disallowed_methods,
    reason = "the place that opens the library"
)]
fn connect(path: &Path, mode: OpenFlags) -> Result<Connection> {
    let flags = mode | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY)?;
    connection.set_prepared_statement_cache_capacity(64);
    // Without it SQLite plans a statement anew for every value that is bound to it.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.pragma_update(None, "cache_size", -16_384)?;
    Ok(connection)
}

/// Says which schema a file has without changing a byte of it: 0 for no file or an empty one.
fn inspect(path: &Path) -> Result<i64> {
    let mut head = [0_u8; 16];
    match fs::File::open(path).and_then(|mut file| file.read_exact(&mut head)) {
        Ok(()) => {}
        Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => return Ok(0),
        Err(cause) if cause.kind() == std::io::ErrorKind::UnexpectedEof => {
            return match fs::metadata(path) {
                Ok(data) if data.len() == 0 => Ok(0),
                _ => Err(foreign(path, "it is no SQLite file")),
            };
        }
        Err(cause) => {
            return Err(StoreError::File {
                path: path.to_owned(),
                cause,
            });
        }
    }
    if &head != b"SQLite format 3\0" {
        return Err(foreign(path, "it is no SQLite file"));
    }
    let connection = connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let number = |pragma: &str| connection.pragma_query_value(None, pragma, |row| row.get(0));
    let (application, version): (i64, i64) = (number("application_id")?, number("user_version")?);
    match (application, version) {
        (schema::APPLICATION_ID, version) if version > schema::newest() => Err(StoreError::Newer {
            path: path.to_owned(),
            found: version,
            known: schema::newest(),
        }),
        (schema::APPLICATION_ID, version) => Ok(version),
        _ if has_table(&connection, "items_fts")? => {
            Err(foreign(path, "a library of the Python package"))
        }
        _ if has_any_table(&connection)? => Err(foreign(path, "another program's SQLite file")),
        _ => Ok(0),
    }
}

fn foreign(path: &Path, what: &'static str) -> StoreError {
    StoreError::Foreign {
        path: path.to_owned(),
        what,
    }
}

fn has_table(connection: &Connection, name: &str) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = ?1)";
    Ok(connection.query_row(sql, [name], |row| row.get(0))?)
}

fn has_any_table(connection: &Connection) -> Result<bool> {
    Ok(
        connection.query_row("SELECT EXISTS (SELECT 1 FROM sqlite_schema)", [], |row| {
            row.get(0)
        })?,
    )
}

/// Makes folder and file before SQLite does, so that they are never open to others.
fn prepare_file(path: &Path) -> Result<()> {
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
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(drop).map_err(fault)
}

pub(super) fn make_folder(folder: &Path) -> std::io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}
