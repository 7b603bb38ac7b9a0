//! Compressed originals on their way into the library.
//!
//! A long session is read whole before its items are stored, and its text must not stand in memory
//! all that time. Frames beyond what may be held are put aside in a temporary table, which SQLite
//! keeps in an unlinked file of the connection and not in the library. They hold redacted text.

use std::borrow::Cow;
use std::io;

use rusqlite::{OptionalExtension, params};

use super::{Result, Store, StoreError};
use crate::redaction::Redacted;

/// Compression of originals: level 3 is zstd's own default.
const LEVEL: i32 = 3;
/// Largest original that is read back, as a guard against a damaged frame header.
const ORIGINAL_LIMIT: usize = 1 << 30;

/// An original as a zstd frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Frame {
    /// In memory.
    Held(Vec<u8>),
    /// Put aside, under this number.
    Aside(i64),
}

/// Compresses an original.
///
/// # Errors
/// Only when memory runs out.
pub fn compress(text: &Redacted) -> io::Result<Vec<u8>> {
    zstd::bulk::compress(text.as_str().as_bytes(), LEVEL)
}

/// Reads an original back.
///
/// # Errors
/// When the frame is damaged or is no text.
pub fn decompress(frame: &[u8]) -> io::Result<Redacted> {
    let size = zstd::bulk::Decompressor::upper_bound(frame).unwrap_or(ORIGINAL_LIMIT);
    let bytes = zstd::bulk::decompress(frame, size.min(ORIGINAL_LIMIT))?;
    let text = String::from_utf8(bytes)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "no UTF-8"))?;
    Ok(Redacted::from_library(text))
}

impl Store {
    /// Puts a frame aside.
    ///
    /// # Errors
    /// What SQLite says, a full disk among it.
    pub fn put_aside(&self, frame: &[u8]) -> Result<Frame> {
        let table = "CREATE TEMP TABLE IF NOT EXISTS aside (id INTEGER PRIMARY KEY, zstd BLOB)";
        self.connection.execute(table, [])?;
        let sql = "INSERT INTO aside (zstd) VALUES (?1)";
        self.connection.prepare_cached(sql)?.execute([frame])?;
        Ok(Frame::Aside(self.connection.last_insert_rowid()))
    }

    /// Forgets a frame if it was put aside.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn forget_aside(&self, frame: &Frame) -> Result<()> {
        if let Frame::Aside(id) = frame {
            let sql = "DELETE FROM temp.aside WHERE id = ?1";
            self.connection.prepare_cached(sql)?.execute([id])?;
        }
        Ok(())
    }

    /// The text of a frame.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] when it cannot be read back.
    pub fn text_of(&self, frame: &Frame) -> Result<Redacted> {
        let bytes = bytes_of(&self.connection, frame)?;
        decompress(&bytes).map_err(|_| damaged(0))
    }
}

/// The bytes of a frame, wherever they are.
pub(super) fn bytes_of<'a>(
    connection: &rusqlite::Connection,
    frame: &'a Frame,
) -> Result<Cow<'a, [u8]>> {
    match frame {
        Frame::Held(bytes) => Ok(Cow::Borrowed(bytes)),
        Frame::Aside(id) => {
            let sql = "SELECT zstd FROM temp.aside WHERE id = ?1";
            let mut statement = connection.prepare_cached(sql)?;
            let found = statement
                .query_row(params![id], |row| row.get(0))
                .optional()?;
            found.map(Cow::Owned).ok_or_else(|| damaged(*id))
        }
    }
}

fn damaged(row: i64) -> StoreError {
    StoreError::Damaged {
        what: "frame put aside",
        row,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_put_aside_reads_back_and_leaves_the_library_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("jezero.db");
        let store = Store::open(&path).unwrap();
        let text = Redacted::literal("a text worth keeping");
        let frame = store.put_aside(&compress(&text).unwrap()).unwrap();
        assert_eq!(frame, Frame::Aside(1));
        assert_eq!(store.text_of(&frame).unwrap(), text);
        let held = Frame::Held(compress(&text).unwrap());
        assert_eq!(store.text_of(&held).unwrap(), text);
        store.forget_aside(&frame).unwrap();
        assert!(matches!(
            store.text_of(&frame),
            Err(StoreError::Damaged { .. })
        ));
        let main = "SELECT count(*) FROM main.sqlite_schema WHERE name = 'aside'";
        let tables: i64 = store
            .connection
            .query_row(main, [], |row| row.get(0))
            .unwrap();
        assert_eq!(tables, 0);
    }
}
