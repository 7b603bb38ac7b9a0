//! A consistent copy of the library while everything goes on, and a look at whether one is whole.

use std::path::Path;

use jezero_connectors::Instant;
use rusqlite::Connection;
use serde::Serialize;

use super::index::Checked;
use super::open::{beside, connect_to_read, head, immutable, inspect, is_ours, private_file};
use super::{Result, StoreError, Trouble, index, integrity, schema};

/// What a copy holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Copied {
    /// Items in it.
    pub items: u64,
    /// Its size in bytes.
    pub bytes: u64,
    /// Items of the library, if nothing was written while it was copied.
    pub expected: Option<u64>,
}

/// Copies the library at `from` into `to`, which must be missing or empty and gets mode 0600.
///
/// The copy is the library as it stood at one moment; writers and readers go on meanwhile. It is one
/// file without a log of its own, holds nothing of what was deleted, and is on the disk when this
/// returns.
///
/// # Errors
/// [`StoreError::Missing`] without a library; as [`View::open`](super::View::open); what SQLite and the
/// system say of `to`, which then may hold a part of the copy.
pub fn copy(from: &Path, to: &Path) -> Result<Copied> {
    if inspect(from)? == 0 {
        return Err(StoreError::Missing {
            path: from.to_owned(),
        });
    }
    let fault = |cause| StoreError::File {
        path: to.to_owned(),
        cause,
    };
    let file = private_file(to)?;
    let name = to.to_str().ok_or_else(|| {
        let what = "the name is no UTF-8";
        fault(std::io::Error::new(std::io::ErrorKind::InvalidInput, what))
    })?;
    let connection = connect_to_read(from)?;
    let before = (version(&connection)?, count(&connection)?);
    connection.execute("VACUUM INTO ?1", [name])?;
    file.sync_all().map_err(fault)?;
    let bytes = file.metadata().map_err(fault)?.len();
    Ok(Copied {
        items: count(&connect_to_read(to)?)?,
        bytes,
        expected: (version(&connection)? == before.0).then_some(before.1),
    })
}

/// What a look at a copy found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Verified {
    /// Items in it.
    pub items: u64,
    /// When the newest of them was stored, ISO 8601.
    pub newest: Option<String>,
    /// The layout that it has.
    pub schema: i64,
    /// The comparison of its index with its items; none for a copy of an older layout, whose index is
    /// made anew when it is used.
    pub index: Option<Checked>,
    /// What is wrong with it, a sentence each.
    pub faults: Vec<String>,
}

/// Looks whether a copy is whole: every page of it, its rows, and its index word by word. Nothing is
/// changed, and nothing is left beside it.
///
/// # Errors
/// [`StoreError::Missing`], [`StoreError::Foreign`] and [`StoreError::Newer`] for a file that is no copy
/// for this program. Damage is no error but what is found.
pub fn verify(path: &Path) -> Result<Verified> {
    let bytes = head(path)?.ok_or_else(|| StoreError::Missing {
        path: path.to_owned(),
    })?;
    if !is_ours(&bytes) {
        return Err(StoreError::Foreign {
            path: path.to_owned(),
            what: "it does not begin as one",
        });
    }
    let mut verified = Verified {
        items: 0,
        newest: None,
        schema: 0,
        index: None,
        faults: Vec::new(),
    };
    match look(path, &mut verified) {
        // Damage may keep SQLite from reading on.
        Err(error) if error.trouble() == Some(Trouble::Damaged) => {
            verified.faults.push(format!("it cannot be read: {error}"));
        }
        Err(error @ StoreError::Damaged { .. }) => verified.faults.push(error.to_string()),
        other => other?,
    }
    Ok(verified)
}

fn look(path: &Path, verified: &mut Verified) -> Result<()> {
    // A copy has no log, unless somebody has used it as a library.
    let connection = match beside(path, "-wal").exists() {
        true => connect_to_read(path)?,
        false => immutable(path)?,
    };
    verified.schema = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if verified.schema > schema::newest() {
        return Err(StoreError::Newer {
            path: path.to_owned(),
            found: verified.schema,
            known: schema::newest(),
        });
    }
    verified.faults = damage(&connection)?;
    verified.items = count(&connection)?;
    let newest = "SELECT max(ingested_at) FROM items";
    let newest: Option<i64> = connection.query_row(newest, [], |row| row.get(0))?;
    verified.newest = newest.and_then(Instant::from_unix).map(|at| at.to_string());
    if verified.schema == schema::newest() {
        let checked = index::compare(&connection)?;
        let faults = checked.first_faults.iter().map(ToString::to_string);
        verified.faults.extend(faults);
        verified.index = Some(checked);
    }
    Ok(())
}

/// What SQLite finds wrong with pages and rows.
fn damage(connection: &Connection) -> Result<Vec<String>> {
    let mut faults = integrity::pages(connection, true)?;
    let mut statement = connection.prepare("PRAGMA foreign_key_check")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        if faults.len() >= integrity::TOLD {
            break;
        }
        let (table, parent): (String, String) = (row.get(0)?, row.get(2)?);
        faults.push(format!("a row of {table} belongs to none of {parent}"));
    }
    Ok(faults)
}

fn count(connection: &Connection) -> Result<u64> {
    let items: i64 = connection.query_row("SELECT count(*) FROM items", [], |row| row.get(0))?;
    Ok(items.unsigned_abs())
}

/// Another number once another connection has written.
fn version(connection: &Connection) -> Result<i64> {
    Ok(connection.pragma_query_value(None, "data_version", |row| row.get(0))?)
}
