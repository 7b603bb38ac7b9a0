//! A consistent copy of the library while everything goes on.

use std::path::Path;

use super::open::{connect_to_read, inspect, private_file};
use super::{Result, StoreError};

/// What a copy holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Copied {
    /// Items in it.
    pub items: u64,
    /// Its size in bytes.
    pub bytes: u64,
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
    connection.execute("VACUUM INTO ?1", [name])?;
    file.sync_all().map_err(fault)?;
    let bytes = file.metadata().map_err(fault)?.len();
    let items: i64 =
        connect_to_read(to)?.query_row("SELECT count(*) FROM items", [], |row| row.get(0))?;
    Ok(Copied {
        items: items.unsigned_abs(),
        bytes,
    })
}
