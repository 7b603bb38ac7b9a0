//! Taking words out of the file for good, and making the index anew.

use rusqlite::Connection;

use super::shelf::{Book, Counters, SegmentRow, Shelf, Stage};
use super::sqlite::SqliteShelf;
use super::texts;
use crate::store::Result;

/// Bytes of zeros that are written at a time.
const ZEROS: i64 = 1 << 20;

/// Takes the whole index away and puts every text that is to be in it on the list of those that wait.
pub(super) fn begin_anew(connection: &Connection) -> Result<()> {
    for book in Book::ALL {
        take_away(connection, book)?;
        if texts::is_kept(connection, book)? {
            texts::all_pending(connection, book)?;
        }
    }
    Ok(())
}

/// Begins or ends the keeping of a book.
pub(super) fn keep(connection: &Connection, book: Book, kept: bool) -> Result<()> {
    take_away(connection, book)?;
    texts::set_kept(connection, book, kept)?;
    if kept {
        texts::all_pending(connection, book)?;
    }
    Ok(())
}

/// Takes the index of a book away; its segments are removed later, bit by bit.
fn take_away(connection: &Connection, book: Book) -> Result<()> {
    let shelf = SqliteShelf(connection);
    for row in shelf.segments(book)? {
        shelf.put_segment(&SegmentRow {
            stage: Stage::Leaving,
            ..row
        })?;
    }
    let number = book.number();
    let dead = "DELETE FROM index_dead WHERE slot >= ?1 AND slot < ?2";
    connection.execute(dead, [book.first_slot(), book.slots_end()])?;
    connection.execute("DELETE FROM index_slots WHERE book = ?1", [number])?;
    connection.execute("DELETE FROM index_pending WHERE book = ?1", [number])?;
    let counters = shelf.counters()?;
    shelf.set_counters(Counters {
        generation: counters.generation + 1,
        ..counters
    })
}

/// Overwrites the free pages of the file with zeros, then empties the write-ahead log.
///
/// Says whether the log could be emptied: a reader in the midst of a question keeps it.
pub(super) fn scrub(connection: &mut Connection) -> Result<bool> {
    // Whatever is freed from here on is overwritten too.
    connection.pragma_update(None, "secure_delete", true)?;
    let number = |connection: &Connection, name: &str| -> Result<i64> {
        Ok(connection.pragma_query_value(None, name, |row| row.get(0))?)
    };
    let page = number(connection, "page_size")?;
    let transaction = connection.transaction()?;
    transaction.execute_batch("CREATE TABLE index_zeros (zeros BLOB NOT NULL) STRICT")?;
    loop {
        let free = number(&transaction, "freelist_count")?;
        if free == 0 {
            break;
        }
        // Each row takes as many pages as its zeros fill, or a few more for the tree.
        let length = (free * page / 2).clamp(page / 2, ZEROS);
        let sql = "INSERT INTO index_zeros VALUES (zeroblob(?1))";
        transaction.prepare_cached(sql)?.execute([length])?;
    }
    transaction.execute_batch("DROP TABLE index_zeros")?;
    transaction.commit()?;
    connection.pragma_update(None, "secure_delete", "fast")?;
    let busy: i64 =
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
    Ok(busy == 0)
}
