//! The plain scan: reads every item in scope, folds its five fields, counts.
//!
//! Simple rather than clever, so that what it answers can be believed: other implementations are
//! compared with it.

use memchr::memmem::Finder;
use rusqlite::fallible_streaming_iterator::FallibleStreamingIterator;
use rusqlite::types::ValueRef;
use rusqlite::{Row, Rows, params_from_iter};

use super::fold::{chars, fold_into};
use super::rank::{self, FIELDS, WEIGHTS};
use super::{Matches, Question, Ranked, Term, TextIndex};
use crate::item::{Instant, ItemId};
use crate::store::{Result, StoreError, View};

/// Stands between texts of one item; no folded text and no term holds it.
const SEPARATOR: u8 = b'\n';

/// Answers by reading all items.
#[derive(Debug, Clone, Copy)]
pub struct Scan<'a> {
    view: &'a View,
}

impl<'a> Scan<'a> {
    /// Makes a scan of a library.
    #[must_use]
    pub fn new(view: &'a View) -> Self {
        Self { view }
    }
}

/// An item that holds a term, before the statistics are known.
struct Hit {
    id: ItemId,
    occurred_at: Instant,
    length: f64,
    frequencies: Vec<f64>,
}

/// The folded text of one item, with the end of each field.
#[derive(Default)]
struct Document {
    text: Vec<u8>,
    ends: [usize; FIELDS],
    length: usize,
}

/// A term made ready to be looked for.
struct Needle<'a> {
    finder: Finder<'a>,
    /// Whether the term begins, and ends, with a part of a word that must be its first, or last.
    edges: (bool, bool),
}

impl TextIndex for Scan<'_> {
    fn matches(&self, question: &Question<'_>) -> Result<Matches> {
        let needles: Vec<Needle<'_>> = question.terms.iter().map(Needle::new).collect();
        let mut found = Matches {
            frequencies: vec![0; needles.len()],
            ..Matches::default()
        };
        let mut hits = Vec::new();
        let mut characters = 0_usize;
        self.each_document(question, |id, occurred_at, wanted, document| {
            found.searched += 1;
            characters += document.length;
            let frequencies: Vec<f64> = needles
                .iter()
                .map(|needle| document.frequency(needle))
                .collect();
            for (with, frequency) in found.frequencies.iter_mut().zip(&frequencies) {
                *with += u64::from(*frequency > 0.0);
            }
            if wanted && frequencies.iter().any(|frequency| *frequency > 0.0) {
                hits.push(Hit {
                    id,
                    occurred_at,
                    length: rank::count(document.length as u64),
                    frequencies,
                });
            }
        })?;
        let mean = rank::count(characters as u64) / rank::count(found.searched.max(1));
        let idf: Vec<f64> = found
            .frequencies
            .iter()
            .map(|with| rank::idf(found.searched, *with))
            .collect();
        found.ranked = hits.iter().map(|hit| hit.ranked(&idf, mean)).collect();
        found.ranked.sort_unstable_by(rank::order);
        found.ranked.truncate(question.pool);
        Ok(found)
    }
}

impl Hit {
    fn ranked(&self, idf: &[f64], mean: f64) -> Ranked {
        let shares = idf
            .iter()
            .zip(&self.frequencies)
            .map(|(idf, frequency)| rank::share(*idf, *frequency, self.length, mean));
        Ranked {
            id: self.id,
            occurred_at: self.occurred_at,
            relevance: shares.sum(),
        }
    }
}

impl Scan<'_> {
    /// Calls `each` with every item in scope, whether it passes the filter, and its text.
    fn each_document(
        &self,
        question: &Question<'_>,
        mut each: impl FnMut(ItemId, Instant, bool, &Document),
    ) -> Result<()> {
        let connection = &self.view.connection;
        let (condition, values) = question.filter.condition();
        // Items and atoms are read side by side in the order of item numbers, which is that of the
        // tables: through an index, SQLite would have to sort whole items.
        let sql = format!(
            "SELECT items.id, items.occurred_at, items.title, items.summary, items.questions,
                    items.project, ({condition})
             FROM items NOT INDEXED WHERE {} ORDER BY items.id",
            question.scope.condition()
        );
        let mut items = connection.prepare_cached(&sql)?;
        let mut items = items.query(params_from_iter(values))?;
        let mut atoms =
            connection.prepare_cached("SELECT item, text FROM atoms ORDER BY item, ordinal")?;
        let mut atoms = Atoms::new(atoms.query([])?)?;
        let mut document = Document::default();
        while let Some(row) = items.next()? {
            let id: i64 = row.get(0)?;
            document.read(id, row, &mut atoms)?;
            let occurred_at = Instant::from_unix(row.get(1)?).ok_or(StoreError::Damaged {
                what: "date",
                row: id,
            })?;
            // A comparison with a missing project is neither true nor false: not wanted.
            let wanted = row.get::<_, Option<bool>>(6)?.unwrap_or(false);
            each(ItemId(id), occurred_at, wanted, &document);
        }
        Ok(())
    }
}

impl Document {
    fn read(&mut self, id: i64, row: &Row<'_>, atoms: &mut Atoms<'_>) -> Result<()> {
        self.text.clear();
        self.length = 0;
        self.add(text(row.get_ref(2)?, id)?);
        self.end(0);
        self.add(text(row.get_ref(3)?, id)?);
        self.end(1);
        let questions = text(row.get_ref(4)?, id)?;
        if questions != "[]" {
            let questions: Vec<String> =
                serde_json::from_str(questions).map_err(|_| StoreError::Damaged {
                    what: "questions",
                    row: id,
                })?;
            questions.iter().for_each(|question| self.add(question));
        }
        self.end(2);
        atoms.of(id, |atom| self.add(atom))?;
        self.end(3);
        if let project @ ValueRef::Text(_) = row.get_ref(5)? {
            self.add(text(project, id)?);
        }
        self.end(4);
        Ok(())
    }

    fn add(&mut self, text: &str) {
        let start = self.text.len();
        fold_into(text, &mut self.text);
        self.length += chars(self.text.get(start..).unwrap_or_default());
        self.text.push(SEPARATOR);
    }

    fn end(&mut self, field: usize) {
        if let Some(end) = self.ends.get_mut(field) {
            *end = self.text.len();
        }
    }

    /// The weighted frequency of a term; overlapping occurrences count.
    fn frequency(&self, needle: &Needle<'_>) -> f64 {
        let mut frequency = 0.0;
        let mut from = 0;
        while let Some(at) = self
            .text
            .get(from..)
            .and_then(|rest| needle.finder.find(rest))
        {
            let start = from + at;
            if needle.stands(&self.text, start) {
                let field = self.ends.iter().position(|end| start < *end);
                let weight = field.and_then(|field| WEIGHTS.get(field));
                frequency += weight.copied().unwrap_or(0.0);
            }
            from = start + 1;
        }
        frequency
    }
}

impl<'a> Needle<'a> {
    fn new(term: &'a Term) -> Self {
        let letter = |c: Option<char>| term.whole_word && c.is_some_and(char::is_alphanumeric);
        Self {
            finder: Finder::new(term.folded.as_bytes()),
            edges: (
                letter(term.folded.chars().next()),
                letter(term.folded.chars().next_back()),
            ),
        }
    }

    /// Whether an occurrence at `start` begins and ends where it has to.
    fn stands(&self, text: &[u8], start: usize) -> bool {
        let (first, last) = self.edges;
        let end = start + self.finder.needle().len();
        let inside = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let cut_in = first && inside(char_before(text, start));
        let cut_off = last && inside(char_after(text, end));
        !cut_in && !cut_off
    }
}

/// Longest character in UTF-8.
const CHAR_BYTES: usize = 4;

fn char_before(text: &[u8], at: usize) -> Option<char> {
    let near = text.get(at.saturating_sub(CHAR_BYTES)..at)?;
    let valid = near.utf8_chunks().last()?;
    valid.valid().chars().next_back()
}

fn char_after(text: &[u8], at: usize) -> Option<char> {
    let near = text.get(at..text.len().min(at + CHAR_BYTES))?;
    near.utf8_chunks().next()?.valid().chars().next()
}

/// The atoms of all items, read along with them.
struct Atoms<'a> {
    rows: Rows<'a>,
    /// The item of the row that the cursor is at.
    item: Option<i64>,
}

impl<'a> Atoms<'a> {
    fn new(rows: Rows<'a>) -> Result<Self> {
        let mut atoms = Self { rows, item: None };
        atoms.advance()?;
        Ok(atoms)
    }

    fn advance(&mut self) -> Result<()> {
        self.item = match self.rows.next()? {
            Some(row) => Some(row.get(0)?),
            None => None,
        };
        Ok(())
    }

    /// Calls `each` with the texts of an item's atoms; items come in rising order.
    fn of(&mut self, id: i64, mut each: impl FnMut(&str)) -> Result<()> {
        while let Some(item) = self.item.filter(|item| *item <= id) {
            if item == id
                && let Some(row) = self.rows.get()
            {
                each(text(row.get_ref(1)?, id)?);
            }
            self.advance()?;
        }
        Ok(())
    }
}

fn text(value: ValueRef<'_>, row: i64) -> Result<&str> {
    value
        .as_str()
        .map_err(|_| StoreError::Damaged { what: "text", row })
}
