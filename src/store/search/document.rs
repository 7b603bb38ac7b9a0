//! The text of one item as it is searched: five folded fields, and terms counted in them.

use memchr::memmem::Finder;
use rusqlite::Row;
use rusqlite::types::ValueRef;

use super::Term;
use super::fold::{chars, fold_into};
use super::rank::{FIELDS, WEIGHTS};
use crate::store::{Result, StoreError};

/// Stands between texts of one item; no folded text and no term holds it.
const SEPARATOR: u8 = b'\n';

/// The folded text of one item, with the end of each field.
#[derive(Debug, Default)]
pub(in crate::store) struct Document {
    pub(in crate::store) text: Vec<u8>,
    ends: [usize; FIELDS],
    /// Folded characters, without separators.
    pub(in crate::store) length: usize,
}

/// A term made ready to be looked for.
#[derive(Debug)]
pub(in crate::store) struct Needle<'a> {
    finder: Finder<'a>,
    /// Whether the term begins, and ends, with a part of a word that must be its first, or last.
    edges: (bool, bool),
}

impl Document {
    /// Reads an item from a row whose columns 2 to 5 are title, summary, questions and project;
    /// `atoms` calls its argument with the text of every atom.
    pub(in crate::store) fn read(
        &mut self,
        id: i64,
        row: &Row<'_>,
        atoms: impl FnOnce(&mut dyn FnMut(&str)) -> Result<()>,
    ) -> Result<()> {
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
        atoms(&mut |atom| self.add(atom))?;
        self.end(3);
        self.project(id, row.get_ref(5)?)
    }

    /// Reads title, summary and project of an item from a row of these; the other fields stay empty.
    pub(in crate::store) fn read_brief(&mut self, id: i64, row: &Row<'_>) -> Result<()> {
        self.text.clear();
        self.length = 0;
        self.add(text(row.get_ref(0)?, id)?);
        self.end(0);
        self.add(text(row.get_ref(1)?, id)?);
        (1..4).for_each(|field| self.end(field));
        self.project(id, row.get_ref(2)?)
    }

    fn project(&mut self, id: i64, project: ValueRef<'_>) -> Result<()> {
        if let project @ ValueRef::Text(_) = project {
            self.add(text(project, id)?);
        }
        self.end(4);
        Ok(())
    }

    /// Makes an original the whole of it: each occurrence counts once.
    pub(in crate::store) fn read_original(&mut self, text: &str) {
        self.text.clear();
        self.length = 0;
        self.end(0);
        self.add(text);
        (1..FIELDS).for_each(|field| self.end(field));
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

    /// Its fields: their texts, each ended by a separator, and their weights.
    pub(in crate::store) fn fields(&self) -> impl Iterator<Item = (&[u8], f64)> {
        let starts = std::iter::once(0).chain(self.ends);
        starts
            .zip(self.ends)
            .zip(WEIGHTS)
            .map(|((start, end), weight)| (self.text.get(start..end).unwrap_or_default(), weight))
    }

    /// The weighted frequency of a term; overlapping occurrences count.
    pub(in crate::store) fn frequency(&self, needle: &Needle<'_>) -> f64 {
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
    pub(in crate::store) fn new(term: &'a Term) -> Self {
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

pub(in crate::store) fn char_before(text: &[u8], at: usize) -> Option<char> {
    let near = text.get(at.saturating_sub(CHAR_BYTES)..at)?;
    let valid = near.utf8_chunks().last()?;
    valid.valid().chars().next_back()
}

pub(in crate::store) fn char_after(text: &[u8], at: usize) -> Option<char> {
    let near = text.get(at..text.len().min(at + CHAR_BYTES))?;
    near.utf8_chunks().next()?.valid().chars().next()
}

/// A text in a column.
pub(in crate::store) fn text(value: ValueRef<'_>, row: i64) -> Result<&str> {
    value
        .as_str()
        .map_err(|_| StoreError::Damaged { what: "text", row })
}
