//! The index over words: answers what the plain scan answers, without reading the texts.
//!
//! Text is cut into [words]; a [segment] holds the words of some documents with packed
//! postings. Every transaction that changes items appends one segment ([write]); triggers
//! note what changed, so that no way of writing can forget the index. A document has a *slot* that is
//! never given twice; a changed or deleted item's slot is dead from then on, and [merge] drops
//! it, in steps ([upkeep]). A term is looked for as a substring in the dictionaries, which readers hold in memory
//! ([loaded]); the postings of the words that hold it are summed ([list]).
//! What does not stand in one word is looked for by conditions on words and verified in the text
//! ([plan]). Readers see the segments of their transaction ([seen]).

mod ask;
mod both;
mod budget;
mod builder;
mod cache;
mod check;
mod erase;
mod list;
mod loaded;
mod merge;
mod pack;
mod plan;
mod score;
mod seen;
mod segment;
mod shelf;
mod sqlite;
mod texts;
mod upkeep;
mod upkeeping;
mod words;
mod write;

use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;

use both::{Both, Rows};
use cache::Cache;
use rusqlite::{Connection, OptionalExtension};
use seen::Seen;
use shelf::Book;
use sqlite::SqliteShelf;
use texts::SqliteTexts;

pub(super) use cache::shared;
pub(super) use check::check as compare;
pub use check::{Checked, Fault};
pub(super) use texts::readable;
pub use upkeeping::Upkeeping;
pub(super) use write::settle;

use super::search::{Matches, Question, Scan, TextIndex, TextScope};
use super::{Filter, Result, Store, View};
use crate::item::Trust;

/// What a view of the library keeps of the index between questions.
#[derive(Default)]
pub(super) struct Memory {
    cache: Arc<Cache>,
    summaries: RefCell<Option<Seen>>,
    originals: RefCell<Option<(Seen, Rows)>>,
}

impl Memory {
    /// With what readers share.
    pub(super) fn with(cache: Arc<Cache>) -> Self {
        Self {
            cache,
            ..Self::default()
        }
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Memory").finish_non_exhaustive()
    }
}

/// Answers from the index; by the plain [`Scan`] while items wait to be indexed.
#[derive(Debug, Clone, Copy)]
pub struct Index<'a> {
    view: &'a View,
}

impl<'a> Index<'a> {
    /// Asks a library's index.
    #[must_use]
    pub fn new(view: &'a View) -> Self {
        Self { view }
    }
}

impl TextIndex for Index<'_> {
    fn matches(&self, question: &Question<'_>) -> Result<Matches> {
        let connection = &self.view.connection;
        // A question sees one state of the file: the caller's transaction, or one of its own.
        let _held = connection
            .is_autocommit()
            .then(|| self.view.snapshot())
            .transpose()?;
        if !self.is_ready(question.texts)? {
            return Scan::new(self.view).matches(question);
        }
        let memory = &self.view.index;
        let shelf = SqliteShelf(connection);
        let before = memory.summaries.take();
        let seen = Seen::refreshed(before, &shelf, Book::Summaries, &memory.cache)?;
        let wanted = wanted(connection, question.filter)?;
        let matches = match question.texts {
            TextScope::Summary => self.asked(&shelf, Book::Summaries, &seen, |asked| {
                asked.matches(question, &wanted)
            }),
            _ => self.originals(&shelf, &seen, question, &wanted),
        };
        memory.summaries.replace(Some(seen));
        matches
    }
}

impl Index<'_> {
    /// Whether the index has all that is to be searched.
    fn is_ready(&self, scope: TextScope) -> Result<bool> {
        let connection = &self.view.connection;
        // Which items there are is known from the book of summaries, whatever is searched.
        let summaries = !texts::any_pending(connection, Book::Summaries)?;
        let originals = || -> Result<bool> {
            Ok(texts::is_kept(connection, Book::Originals)?
                && !texts::any_pending(connection, Book::Originals)?)
        };
        Ok(summaries && (!scope.has_originals() || originals()?))
    }

    fn asked<T>(
        &self,
        shelf: &SqliteShelf<'_>,
        book: Book,
        seen: &Seen,
        ask: impl FnOnce(&ask::Asked<'_, SqliteShelf<'_>, SqliteTexts<'_>>) -> T,
    ) -> T {
        let connection = &self.view.connection;
        ask(&ask::Asked {
            shelf,
            texts: &SqliteTexts { connection, book },
            cache: &self.view.index.cache,
            seen,
        })
    }

    /// Answers from the originals, and from the summaries if they are asked for too.
    fn originals(
        &self,
        shelf: &SqliteShelf<'_>,
        summaries: &Seen,
        question: &Question<'_>,
        wanted: &ask::Wanted<'_>,
    ) -> Result<Matches> {
        let memory = &self.view.index;
        let (before, rows) = memory.originals.take().unzip();
        let seen = Seen::refreshed(before, shelf, Book::Originals, &memory.cache)?;
        let rows = match rows {
            Some(rows) if rows.generation() == seen.generation => rows,
            _ => Rows::new(summaries, &seen),
        };
        let matches = self.asked(shelf, Book::Summaries, summaries, |summaries| {
            self.asked(shelf, Book::Originals, &seen, |originals| {
                Both {
                    summaries,
                    originals,
                    rows: &rows,
                    characters: ORIGINALS_READ,
                }
                .matches(question, wanted)
            })
        });
        memory.originals.replace(Some((seen, rows)));
        matches
    }
}

/// Most characters of originals that are read to answer one question: well under a second's work.
const ORIGINALS_READ: u64 = 64 << 20;

impl View {
    /// Compares the index with the items, word by word. Reads everything there is.
    ///
    /// # Errors
    /// What SQLite says; a damaged index is no error but what is found.
    pub fn check_index(&self) -> Result<Checked> {
        let _held = self.snapshot()?;
        check::check(&self.connection)
    }
}

impl Store {
    /// Finishes what the index has to merge: to be called when a run of writing ends.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn finish(&mut self) -> Result<()> {
        self.upkeep.finish(&mut self.connection)
    }

    /// Makes the index anew from the items. Until it is done, readers read every text.
    ///
    /// # Errors
    /// What SQLite says; what has not been done is done when the library is opened again.
    pub fn rebuild_index(&mut self) -> Result<()> {
        let transaction = self.connection.transaction()?;
        erase::begin_anew(&transaction)?;
        transaction.commit()?;
        self.upkeep.forget();
        self.upkeep.catch_up(&mut self.connection)?;
        self.erase().map(drop)
    }

    /// Takes out of the file what is left of items that are gone: words in the index, free pages,
    /// the write-ahead log. To be called when something was deleted for good.
    ///
    /// Says whether the log could be emptied; a reader in the midst of a question keeps it, and
    /// then it goes with a later writing.
    ///
    /// # Errors
    /// What SQLite says; then it is to be called again.
    pub fn erase(&mut self) -> Result<bool> {
        self.upkeep.drop_dead(&mut self.connection)?;
        erase::scrub(&mut self.connection)
    }
}

fn wanted<'a>(connection: &Connection, filter: &Filter<'a>) -> Result<ask::Wanted<'a>> {
    let Filter {
        project,
        source,
        since,
        until,
        kind,
        trust,
    } = *filter;
    let number = |name: &str| -> Result<i64> {
        let sql = "SELECT id FROM sources WHERE name = ?1";
        let mut statement = connection.prepare_cached(sql)?;
        Ok(statement
            .query_row([name], |row| row.get(0))
            .optional()?
            .unwrap_or(-1))
    };
    Ok(ask::Wanted {
        project,
        source: source.map(number).transpose()?,
        since: since.map(|instant| instant.unix()),
        until: until.map(|instant| instant.unix()),
        kind: kind.map(texts::marks::of_kind),
        external: trust.map(|trust| trust == Trust::External),
    })
}

#[cfg(test)]
mod tests;
