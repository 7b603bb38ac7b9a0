//! Keeping the index in shape between the transactions that fill it: merging, and removing what was
//! merged. Each step is a short transaction of its own, so that nobody waits long for the file.
//!
//! What is half done when the program ends is removed by the next one.

use std::collections::VecDeque;
use std::ops::Range;

use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::merge::{self, Merge};
use super::segment::POSTINGS_LIMIT;
use super::shelf::{Book, Grave, SegmentRow, Shelf, Stage};
use super::sqlite::SqliteShelf;
use super::write::{self, Most};
use super::{erase, texts};
use crate::store::Result;

/// Bytes that one step reads or removes at most, about.
pub(super) const STEP: usize = 512 * 1024;
/// Parts that one step removes at most: as many bytes.
const PARTS: usize = STEP / super::segment::PART;
/// Slots that one step forgets at most.
const SLOTS: usize = 2_000;
/// What upkeep may cost after a transaction: so many times what the transaction wrote to the index.
/// A posting is merged about once for each power of eight that the library grows by.
const SHARE: u64 = 8;
/// And so many bytes in any case.
const LEAST: u64 = 64 * 1024;
/// What is indexed in one transaction when many wait: other writers get their turn after each, and a
/// kill loses no more.
const CATCH_UP: Most = Most {
    documents: 500,
    characters: 1 << 20,
};

/// How far the indexing of what waits is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Indexing {
    /// Texts that have been indexed: of items, and originals.
    pub done: u64,
    /// How many waited in all.
    pub of: u64,
}

/// The work in hand of one writer.
#[derive(Debug, Default)]
pub(in crate::store) struct Upkeep {
    merge: Option<(Book, Merge)>,
    /// Slots whose documents are nowhere any more.
    buried: VecDeque<Grave>,
    /// Whether no dead document may stay, however few they are.
    drops_dead: bool,
}

impl Upkeep {
    /// Does a share of what there is to do, after a transaction that wrote so many bytes.
    ///
    /// That transaction stands whatever happens here. What fails is left for another time, and
    /// [`Upkeep::finish`] says why it fails.
    pub(in crate::store) fn share(&mut self, connection: &mut Connection, written: u64) {
        let mut left = written.saturating_mul(SHARE).max(LEAST);
        while left > 0 {
            let budget = usize::try_from(left).unwrap_or(STEP).min(STEP);
            match self.step(connection, budget) {
                Ok(Some(done)) => left = left.saturating_sub(done.max(1) as u64),
                Ok(None) | Err(_) => break,
            }
        }
    }

    /// Does all there is to do.
    pub(in crate::store) fn finish(&mut self, connection: &mut Connection) -> Result<()> {
        while self.step(connection, STEP)?.is_some() {}
        Ok(())
    }

    /// Writes every segment anew that holds words of the dead, then does all else there is to do.
    pub(in crate::store) fn drop_dead(&mut self, connection: &mut Connection) -> Result<()> {
        self.finish(connection)?;
        self.drops_dead = true;
        let done = self.finish(connection);
        self.drops_dead = false;
        done
    }

    /// Sees to it that originals are indexed, or that nothing of them is in the index.
    pub(in crate::store) fn keep_originals(
        &mut self,
        connection: &mut Connection,
        kept: bool,
    ) -> Result<()> {
        if texts::is_kept(connection, Book::Originals)? == kept {
            return Ok(());
        }
        let transaction = begin(connection)?;
        erase::keep(&transaction, Book::Originals, kept)?;
        transaction.commit()?;
        if kept {
            Ok(())
        } else {
            self.finish(connection)
        }
    }

    /// Indexes items that wait: those of a library that had no index, or had it taken away. Tells
    /// before each transaction, and at the end, how far it is; nothing if nothing waits.
    pub(in crate::store) fn catch_up(
        &mut self,
        connection: &mut Connection,
        told: &mut dyn FnMut(Indexing),
    ) -> Result<()> {
        let mut progress = Indexing { done: 0, of: 0 };
        for book in Book::ALL {
            progress.of += texts::count_pending(connection, book)?;
        }
        if progress.of == 0 {
            return Ok(());
        }
        for book in Book::ALL {
            let before = progress.done;
            while texts::any_pending(connection, book)? {
                told(progress);
                let transaction = begin(connection)?;
                let step = tracing::trace_span!("index_step").entered();
                let (written, done) = write::settle_some(&transaction, book, CATCH_UP)?;
                transaction.commit()?;
                drop(step);
                progress.done += done as u64;
                self.share(connection, written);
            }
            self.unite(connection, book, progress.done - before)?;
        }
        told(progress);
        Ok(())
    }

    /// Makes one segment of a book of which the greater part was indexed step by step: each step
    /// made a small one, with a dictionary of its own, and all of them would be kept and loaded.
    fn unite(&mut self, connection: &mut Connection, book: Book, indexed: u64) -> Result<()> {
        let rows = SqliteShelf(connection).segments(book)?;
        let documents: u64 = rows.iter().map(|row| u64::from(row.documents)).sum();
        if indexed * 2 < documents {
            return Ok(());
        }
        self.finish(connection)?;
        let transaction = begin(connection)?;
        let shelf = SqliteShelf(&transaction);
        let rows = shelf.segments(book)?;
        let postings: u64 = rows.iter().map(|row| row.postings).sum();
        if rows.len() < 2 || postings >= POSTINGS_LIMIT {
            return Ok(());
        }
        let merge = Merge::begin(&shelf, book, &rows)?;
        transaction.commit()?;
        self.merge = Some((book, merge));
        self.finish(connection)
    }

    /// One step in one transaction. Says how many bytes it moved, or that nothing is left to do.
    pub(super) fn step(
        &mut self,
        connection: &mut Connection,
        budget: usize,
    ) -> Result<Option<usize>> {
        let done = self.try_step(connection, budget);
        if done.is_err() {
            // What is in hand no longer fits what is in the file. It begins anew.
            *self = Self::default();
        }
        done
    }

    fn try_step(&mut self, connection: &mut Connection, budget: usize) -> Result<Option<usize>> {
        // Most often there is nothing to do, which is seen without a transaction.
        if self.merge.is_none() && self.buried.is_empty() && !self.is_due(connection)? {
            return Ok(None);
        }
        let transaction = begin(connection)?;
        let _step = tracing::trace_span!("index_step").entered();
        let mut done = 0;
        while done < budget {
            match self.piece(&SqliteShelf(&transaction), budget - done)? {
                Some(moved) => done += moved.max(1),
                None => break,
            }
        }
        transaction.commit()?;
        Ok((done > 0).then_some(done))
    }

    fn piece(&mut self, shelf: &impl Shelf, budget: usize) -> Result<Option<usize>> {
        if let Some((book, merge)) = &mut self.merge {
            let book = *book;
            if let Some(done) = merge.advance(shelf, budget)? {
                return Ok(Some(done));
            }
            if let Some((_, merge)) = self.merge.take() {
                self.buried.extend(merge.finish(shelf, book)?);
            }
            return Ok(Some(1));
        }
        if !self.buried.is_empty() {
            let some: Vec<Grave> = self.buried.drain(..SLOTS.min(self.buried.len())).collect();
            some.iter().try_for_each(|grave| shelf.unbury(*grave))?;
            return Ok(Some(some.len() * 16));
        }
        for book in Book::ALL {
            let rows = shelf.segments(book)?;
            if let Some(gone) = rows.iter().find(|row| row.stage != Stage::Live) {
                return remove(shelf, gone).map(Some);
            }
            if let Some(range) = self.choose(&rows)
                && let Some(rows) = rows.get(range)
            {
                self.merge = Some((book, Merge::begin(shelf, book, rows)?));
                return Ok(Some(1));
            }
        }
        Ok(None)
    }

    fn choose(&self, rows: &[SegmentRow]) -> Option<Range<usize>> {
        let any_dead = rows.iter().position(|row| self.drops_dead && row.dead > 0);
        any_dead
            .map(|at| at..at + 1)
            .or_else(|| merge::choose(rows))
    }

    /// Whether there is anything to do for one who has nothing in hand.
    fn is_due(&self, connection: &Connection) -> Result<bool> {
        for book in Book::ALL {
            let rows = SqliteShelf(connection).segments(book)?;
            let any_gone = rows.iter().any(|row| row.stage != Stage::Live);
            if any_gone || self.choose(&rows).is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

fn begin(connection: &mut Connection) -> Result<Transaction<'_>> {
    Ok(connection.transaction_with_behavior(TransactionBehavior::Immediate)?)
}

/// Removes a piece of a segment that nobody reads.
fn remove(shelf: &impl Shelf, row: &SegmentRow) -> Result<usize> {
    let removed = shelf.remove_parts(row.id, PARTS)?;
    if removed < PARTS {
        shelf.remove_segment(row.id)?;
    }
    Ok(removed * super::segment::PART)
}
