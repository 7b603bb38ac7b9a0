//! Reads a library of the Python package 0.1.0: its items and the state of its connectors.
//!
//! The file is opened for reading alone, and nothing is left beside it that was not there. Its index is
//! not looked at, so it does not matter how that was made. What is read is as it was written: it
//! has still to be checked and redacted.

use std::fmt;
use std::path::{Path, PathBuf};

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, OptionalExtension, Row};

use super::open::{beside, connect, head, immutable, is_ours};
use super::{Result, StoreError};

/// The columns that an item is read from, in order.
const COLUMNS: [&str; 14] = [
    "source",
    "external_id",
    "occurred_at",
    "ingested_at",
    "title",
    "summary",
    "questions",
    "atoms",
    "project",
    "account",
    "original",
    "original_ref",
    "trust",
    "content_hash",
];
/// The layout that is known.
const SCHEMA_VERSION: &str = "1";

/// An item as it stands there, unchecked and not redacted. A number counts as its digits.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct EarlierItem {
    /// The name of its source.
    pub source: String,
    /// Its id in the source.
    pub external_id: String,
    /// When the work happened.
    pub occurred_at: String,
    /// When it was stored.
    pub ingested_at: String,
    /// Title.
    pub title: String,
    /// Summary.
    pub summary: String,
    /// A JSON list of texts.
    pub questions: String,
    /// A JSON list of objects with kind and text.
    pub atoms: String,
    /// Project.
    pub project: Option<String>,
    /// Account.
    pub account: Option<String>,
    /// Original.
    pub original: Option<String>,
    /// Name of the original.
    pub original_ref: Option<String>,
    /// `own` or `external`.
    pub trust: String,
    /// Hash of the original.
    pub content_hash: String,
}

/// Shows no text: none of it has been redacted.
impl fmt::Debug for EarlierItem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EarlierItem").finish_non_exhaustive()
    }
}

/// The state of a connector as it stands there, unchecked and not redacted.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct EarlierState {
    /// The connector.
    pub name: String,
    /// When it last began to read.
    pub last_run_at: Option<String>,
    /// When it last read with nothing failing.
    pub last_success_at: Option<String>,
    /// When its newest item happened.
    pub last_item_at: Option<String>,
    /// What failed.
    pub last_error: Option<String>,
}

impl fmt::Debug for EarlierState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EarlierState").finish_non_exhaustive()
    }
}

/// A library of the Python package, open for reading.
#[derive(Debug)]
pub struct Earlier {
    connection: Connection,
    path: PathBuf,
    /// Columns that this file does not have are read as nothing.
    select: String,
}

impl Earlier {
    /// Opens it.
    ///
    /// # Errors
    /// [`StoreError::Missing`] and [`StoreError::Foreign`] with what it is instead.
    pub fn open(path: &Path) -> Result<Self> {
        let foreign = |what| StoreError::Foreign {
            path: path.to_owned(),
            what,
        };
        match head(path)? {
            None => {
                return Err(StoreError::Missing {
                    path: path.to_owned(),
                });
            }
            Some(head) if !head.starts_with(b"SQLite format 3\0") => {
                return Err(foreign("it is no SQLite file"));
            }
            Some(head) if is_ours(&head) => {
                return Err(foreign("it is a library of this program already"));
            }
            Some(_) => {}
        }
        // With a log the file alone is not all of it; without one nothing must be made beside it.
        let logged = std::fs::metadata(beside(path, "-wal")).is_ok_and(|log| log.len() > 0);
        let connection = match logged {
            true => connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?,
            false => immutable(path)?,
        };
        connection.pragma_update(None, "query_only", true)?;
        let table = |name: &str| -> Result<Vec<String>> {
            let mut statement = connection.prepare("SELECT name FROM pragma_table_info(?1)")?;
            let rows = statement.query_map([name], |row| row.get(0))?;
            Ok(rows.collect::<Result<_, _>>()?)
        };
        let columns = table("items")?;
        let has = |name: &&str| columns.iter().any(|column| column == name);
        let needed = [
            "id",
            "source",
            "external_id",
            "occurred_at",
            "title",
            "summary",
        ];
        if !needed.iter().all(has) || table("meta")?.is_empty() {
            return Err(foreign("it is another program's SQLite file"));
        }
        let version: Option<String> = connection
            .query_row(
                "SELECT CAST(value AS TEXT) FROM meta WHERE key = 'schema_version'",
                [],
                |row| row.get(0),
            )
            .optional()?;
        if version.as_deref() != Some(SCHEMA_VERSION) {
            return Err(foreign(
                "it is a library of a version of the Python package that is not known",
            ));
        }
        let select = COLUMNS.map(|name| if has(&name) { name } else { "NULL" });
        Ok(Self {
            select: format!("SELECT {} FROM items WHERE id = ?1", select.join(", ")),
            connection,
            path: path.to_owned(),
        })
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The numbers of its items, in order.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn ids(&self) -> Result<Vec<i64>> {
        let mut statement = self
            .connection
            .prepare("SELECT id FROM items ORDER BY id")?;
        let rows = statement.query_map([], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// An item. A row that cannot be read gives the reason: others may be whole.
    ///
    /// # Errors
    /// In words that hold nothing of the row.
    pub fn item(&self, id: i64) -> Result<EarlierItem, String> {
        let mut statement = self
            .connection
            .prepare_cached(&self.select)
            .map_err(|error| error.to_string())?;
        let mut rows = statement.query([id]).map_err(|error| error.to_string())?;
        let row = rows.next().map_err(|error| error.to_string())?;
        let row = row.ok_or("the row is gone")?;
        let mut at = 0..;
        let mut next = || text(row, at.next().unwrap_or_default());
        Ok(EarlierItem {
            source: next()?.unwrap_or_default(),
            external_id: next()?.unwrap_or_default(),
            occurred_at: next()?.unwrap_or_default(),
            ingested_at: next()?.unwrap_or_default(),
            title: next()?.unwrap_or_default(),
            summary: next()?.unwrap_or_default(),
            questions: next()?.unwrap_or_default(),
            atoms: next()?.unwrap_or_default(),
            project: next()?,
            account: next()?,
            original: next()?,
            original_ref: next()?,
            trust: next()?.unwrap_or_default(),
            content_hash: next()?.unwrap_or_default(),
        })
    }

    /// The state of its connectors. What cannot be read is left out.
    #[must_use]
    pub fn states(&self) -> Vec<EarlierState> {
        let sql = "SELECT name, last_run_at, last_success_at, last_item_at, last_error
                   FROM connector_state ORDER BY name";
        let Ok(mut statement) = self.connection.prepare(sql) else {
            return Vec::new();
        };
        let read = |row: &Row<'_>| {
            let text = |at| text(row, at).ok().flatten();
            Ok(EarlierState {
                name: text(0).unwrap_or_default(),
                last_run_at: text(1),
                last_success_at: text(2),
                last_item_at: text(3),
                last_error: text(4),
            })
        };
        let rows = statement.query_map([], read);
        rows.map(|rows| rows.filter_map(Result::ok).collect())
            .unwrap_or_default()
    }
}

/// A column as text.
fn text(row: &Row<'_>, at: usize) -> Result<Option<String>, String> {
    let name = COLUMNS.get(at).copied().unwrap_or("a column");
    match row.get_ref(at).map_err(|error| error.to_string())? {
        ValueRef::Null => Ok(None),
        ValueRef::Integer(number) => Ok(Some(number.to_string())),
        ValueRef::Real(number) => Ok(Some(number.to_string())),
        ValueRef::Text(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => Ok(Some(text.to_owned())),
            Err(_) => Err(format!("{name} is no UTF-8")),
        },
        ValueRef::Blob(_) => Err(format!("{name} holds bytes instead of text")),
    }
}
