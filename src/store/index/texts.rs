//! Where the indexed texts come from: the items and originals of the library.

use rusqlite::{Connection, OptionalExtension};

use super::builder::Facts;
use super::fields::Fields;
use super::shelf::Book;
use crate::item::{AtomKind, ItemId, Trust};
use crate::store::read::original;
use crate::store::search::document::{Document, text};
use crate::store::{Result, StoreError};

/// The text of an item, as a book has it.
pub(super) trait Texts {
    /// Reads the text of an item; `None` when the book has none of it.
    fn read(&self, item: i64, into: &mut Document) -> Result<Option<Facts>>;

    /// Calls `each` with the place and the text of each of some items, in that order; `None` when the
    /// book has none of it. Fields that are not asked for may be missing in it.
    fn read_all(
        &self,
        items: &[(i64, Fields)],
        mut each: impl FnMut(usize, Option<&Document>),
    ) -> Result<()> {
        let mut text = Document::default();
        items.iter().enumerate().try_for_each(|(at, (item, _))| {
            let is_there = self.read(*item, &mut text)?.is_some();
            each(at, is_there.then_some(&text));
            Ok(())
        })
    }
}

/// Reads from the library's file.
#[derive(Debug, Clone, Copy)]
pub(super) struct SqliteTexts<'a> {
    pub(super) connection: &'a Connection,
    pub(super) book: Book,
}

impl Texts for SqliteTexts<'_> {
    fn read(&self, item: i64, into: &mut Document) -> Result<Option<Facts>> {
        match self.book {
            Book::Summaries => self.summary(item, into),
            Book::Originals => {
                let found = readable(self.connection, item)?;
                Ok(found.map(|text| {
                    into.read_original(text.as_str());
                    Facts::default()
                }))
            }
        }
    }

    fn read_all(
        &self,
        items: &[(i64, Fields)],
        mut each: impl FnMut(usize, Option<&Document>),
    ) -> Result<()> {
        let mut text = Document::default();
        let sql = "SELECT title, summary, project FROM items WHERE id = ?1";
        let mut brief = self.connection.prepare_cached(sql)?;
        for (at, (item, fields)) in items.iter().enumerate() {
            let is_there = if self.book == Book::Originals || fields.has_lists() {
                self.read(*item, &mut text)?.is_some()
            } else {
                let mut rows = brief.query([item])?;
                match rows.next()? {
                    Some(row) => text.read_brief(*item, row).map(|()| true)?,
                    None => false,
                }
            };
            each(at, is_there.then_some(&text));
        }
        Ok(())
    }
}

impl SqliteTexts<'_> {
    fn summary(&self, item: i64, into: &mut Document) -> Result<Option<Facts>> {
        let sql = "SELECT id, occurred_at, title, summary, questions, project, source, trust
                   FROM items WHERE id = ?1";
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query([item])?;
        let Some(row) = rows.next()? else {
            return Ok(None);
        };
        let mut facts = Facts {
            source: row.get(6)?,
            project: row.get(5)?,
            occurred_at: row.get(1)?,
            marks: 0,
        };
        if text(row.get_ref(7)?, item)? == Trust::External.as_str() {
            facts.marks |= marks::EXTERNAL;
        }
        into.read(item, row, |each| self.atoms(item, &mut facts.marks, each))?;
        Ok(Some(facts))
    }

    fn atoms(&self, item: i64, marks: &mut u8, each: &mut dyn FnMut(&str)) -> Result<()> {
        let sql = "SELECT text, kind FROM atoms WHERE item = ?1 ORDER BY ordinal";
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query([item])?;
        while let Some(row) = rows.next()? {
            each(text(row.get_ref(0)?, item)?);
            let kind = text(row.get_ref(1)?, item)?.parse::<AtomKind>().ok();
            *marks |= kind.map_or(0, marks::of_kind);
        }
        Ok(())
    }
}

/// The original of an item, if there is one and it can be read: a damaged one must not keep all
/// others from being found.
pub(in crate::store) fn readable(
    connection: &Connection,
    item: i64,
) -> Result<Option<crate::redaction::Redacted>> {
    match original(connection, ItemId(item)) {
        Err(StoreError::Damaged { .. }) => Ok(None),
        other => other,
    }
}

/// What the index keeps of trust and kinds, a bit each.
pub(super) mod marks {
    use crate::item::AtomKind;

    /// Third parties wrote it.
    pub(in super::super) const EXTERNAL: u8 = 1;

    /// It has an atom of this kind.
    pub(in super::super) fn of_kind(kind: AtomKind) -> u8 {
        match kind {
            AtomKind::Decision => 2,
            AtomKind::Rationale => 4,
            AtomKind::Fix => 8,
            AtomKind::Error => 16,
            AtomKind::Command => 32,
            AtomKind::Fact => 64,
            AtomKind::Risk => 128,
        }
    }
}

/// Whether a book is to be indexed.
pub(super) fn is_kept(connection: &Connection, book: Book) -> Result<bool> {
    let sql = "SELECT 1 FROM index_books WHERE book = ?1 AND kept = 1";
    let mut statement = connection.prepare_cached(sql)?;
    Ok(statement.exists([book.number()])?)
}

/// Says whether a book is to be indexed.
pub(super) fn set_kept(connection: &Connection, book: Book, kept: bool) -> Result<()> {
    let sql = "UPDATE index_books SET kept = ?2 WHERE book = ?1";
    connection.execute(sql, [book.number(), i64::from(kept)])?;
    Ok(())
}

/// Items that wait to be indexed, by number, at most `limit`.
pub(super) fn pending(connection: &Connection, book: Book, limit: usize) -> Result<Vec<i64>> {
    let sql = "SELECT item FROM index_pending WHERE book = ?1 ORDER BY item LIMIT ?2";
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map([book.number(), limit], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Takes items up to a number off the list of those that wait.
pub(super) fn no_longer_pending(connection: &Connection, book: Book, last: i64) -> Result<()> {
    let sql = "DELETE FROM index_pending WHERE book = ?1 AND item <= ?2";
    connection
        .prepare_cached(sql)?
        .execute([book.number(), last])?;
    Ok(())
}

/// How many items wait.
pub(super) fn count_pending(connection: &Connection, book: Book) -> Result<u64> {
    let sql = "SELECT count(*) FROM index_pending WHERE book = ?1";
    let mut statement = connection.prepare_cached(sql)?;
    let count: i64 = statement.query_row([book.number()], |row| row.get(0))?;
    Ok(count.unsigned_abs())
}

/// Whether an item waits.
pub(super) fn is_pending(connection: &Connection, book: Book, item: i64) -> Result<bool> {
    let sql = "SELECT 1 FROM index_pending WHERE book = ?1 AND item = ?2";
    let mut statement = connection.prepare_cached(sql)?;
    Ok(statement.exists([book.number(), item])?)
}

/// All items that a book has, by number.
pub(super) fn all(connection: &Connection, book: Book) -> Result<Vec<i64>> {
    let sql = match book {
        Book::Summaries => "SELECT id FROM items ORDER BY id",
        // Of a book that is not kept, nothing is missed.
        Book::Originals => {
            "SELECT item FROM originals WHERE (SELECT kept FROM index_books WHERE book = 1)
             ORDER BY item"
        }
    };
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map([], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Whether any item waits.
pub(super) fn any_pending(connection: &Connection, book: Book) -> Result<bool> {
    let sql = "SELECT 1 FROM index_pending WHERE book = ?1 LIMIT 1";
    let mut statement = connection.prepare_cached(sql)?;
    let found: Option<i64> = statement
        .query_row([book.number()], |row| row.get(0))
        .optional()?;
    Ok(found.is_some())
}

/// Puts every item on the list of those that wait.
pub(super) fn all_pending(connection: &Connection, book: Book) -> Result<()> {
    let from = match book {
        Book::Summaries => "SELECT ?1, id FROM items",
        Book::Originals => "SELECT ?1, item FROM originals",
    };
    let sql = format!("INSERT OR IGNORE INTO index_pending {from}");
    connection.execute(&sql, [book.number()])?;
    Ok(())
}

/// A date as a row has it, or the fault of the row.
pub(super) fn date(seconds: i64, row: i64) -> Result<crate::item::Instant> {
    crate::item::Instant::from_unix(seconds).ok_or(StoreError::Damaged { what: "date", row })
}
