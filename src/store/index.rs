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
mod shared;
mod shelf;
mod sqlite;
mod texts;
mod upkeep;
mod words;
mod write;

use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;

use cache::Cache;
use rusqlite::{Connection, OptionalExtension};
use seen::Seen;
use shelf::Book;
use sqlite::SqliteShelf;
use texts::SqliteTexts;

pub use check::{Checked, Fault};
pub use shared::Upkeeping;
pub(super) use write::settle;

use super::search::{Matches, Question, Scan, TextIndex};
use super::{Filter, Result, Store, View};

/// What a view of the library keeps of the index between questions.
#[derive(Default)]
pub(super) struct Memory {
    cache: Arc<Cache>,
    summaries: RefCell<Option<Seen>>,
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
        let book = Book::Summaries;
        if texts::any_pending(connection, book)? {
            return Scan::new(self.view).matches(question);
        }
        let shelf = SqliteShelf(connection);
        let memory = &self.view.index;
        let before = memory.summaries.take();
        let seen = Seen::refreshed(before, &shelf, book, &memory.cache)?;
        let asked = ask::Asked {
            shelf: &shelf,
            texts: &SqliteTexts { connection, book },
            cache: &memory.cache,
            seen: &seen,
        };
        let matches = asked.matches(question, &wanted(connection, question.filter)?);
        memory.summaries.replace(Some(seen));
        matches
    }
}

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
    })
}

#[cfg(test)]
mod tests;
