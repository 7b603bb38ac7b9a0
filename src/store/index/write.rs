//! Bringing the index in step with the items, in the transaction that changed them.

use rusqlite::Connection;

use super::builder::Builder;
use super::shelf::{Book, Grave, SegmentRow, Shelf, Stage};
use super::sqlite::SqliteShelf;
use super::texts::{self, SqliteTexts, Texts};
use crate::store::Result;
use crate::store::search::document::Document;

/// How much is indexed in one go.
#[derive(Debug, Clone, Copy)]
pub(super) struct Most {
    pub(super) documents: usize,
    /// Characters of text at which a segment is written: its words and postings take a few times as
    /// many bytes while it is made.
    pub(super) characters: usize,
}

/// What one segment is made of in memory at most.
const MOST: Most = Most {
    documents: 20_000,
    characters: 8 << 20,
};

/// Indexes what the open transaction changed. Gives the bytes of postings written.
pub(in crate::store) fn settle(connection: &Connection) -> Result<u64> {
    let mut written = 0;
    for book in Book::ALL {
        while texts::any_pending(connection, book)? {
            written += settle_some(connection, book, MOST)?.0;
        }
    }
    Ok(written)
}

/// Indexes some of the items that wait. Gives the bytes of postings written, and how many are done.
pub(super) fn settle_some(connection: &Connection, book: Book, most: Most) -> Result<(u64, usize)> {
    let items = texts::pending(connection, book, most.documents)?;
    let texts = SqliteTexts { connection, book };
    let shelf = SqliteShelf(connection);
    let (written, done) = index(&shelf, &texts, book, &items, most.characters)?;
    if let Some(last) = done.checked_sub(1).and_then(|last| items.get(last)) {
        texts::no_longer_pending(connection, book, *last)?;
    }
    Ok((written, done))
}

/// Gives each of some items a new document in a new segment, and buries the old one. Stops when the
/// segment has so many characters. Gives the bytes of postings written, and how many items are done.
pub(super) fn index(
    shelf: &impl Shelf,
    texts: &impl Texts,
    book: Book,
    items: &[i64],
    characters: usize,
) -> Result<(u64, usize)> {
    let mut counters = shelf.counters()?;
    counters.generation += 1;
    let mut segments: Vec<SegmentRow> = shelf.segments(book)?;
    segments.retain(|segment| segment.stage == Stage::Live);
    let mut builder = Builder::default();
    let mut text = Document::default();
    let mut done = 0;
    for item in items {
        if builder.characters() >= characters {
            break;
        }
        done += 1;
        if let Some(slot) = shelf.slot(book, *item)? {
            shelf.bury(Grave {
                generation: counters.generation,
                slot,
            })?;
            count_dead(&mut segments, slot);
        }
        match texts.read(*item, &mut text)? {
            Some(facts) => {
                let slot = book.first_slot() + counters.next_slot;
                builder.add(slot, *item, facts, &text);
                shelf.set_slot(book, *item, Some(slot))?;
                counters.next_slot += 1;
            }
            None => shelf.set_slot(book, *item, None)?,
        }
    }
    let dead = |id| {
        segments
            .iter()
            .find(|segment| segment.id == id)
            .map(|segment| segment.dead)
    };
    for before in shelf.segments(book)? {
        if let Some(dead) = dead(before.id).filter(|dead| *dead != before.dead) {
            shelf.put_segment(&SegmentRow { dead, ..before })?;
        }
    }
    let mut written = 0;
    if builder.len() > 0 {
        written = builder
            .write(shelf, counters.next_segment, book, counters.generation)?
            .postings;
        counters.next_segment += 1;
    }
    shelf.set_counters(counters)?;
    Ok((written, done))
}

/// Notes that the document of a slot has died.
fn count_dead(segments: &mut [SegmentRow], slot: i64) {
    let after = segments.partition_point(|segment| segment.first_slot <= slot);
    let segment = after.checked_sub(1).and_then(|at| segments.get_mut(at));
    if let Some(segment) = segment {
        segment.dead = segment.dead.saturating_add(1).min(segment.documents);
    }
}
