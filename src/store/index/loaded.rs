//! A segment in memory: its dictionary and documents. Postings stay in the file.

use std::sync::Arc;

use memchr::memmem::Finder;

use super::pack::Bytes;
use super::segment::{self, damaged};
use super::shelf::{Kind, Part, SegmentRow, Shelf};
use super::words::{CUT, GLUE, STRIDE};
use crate::store::Result;
use crate::store::search::fold::chars;

/// Stands around every word of the dictionary in memory; in no word.
const END: u8 = b'\n';

/// Dictionary and documents of a segment. Never changes, hence shared between readers.
#[derive(Debug)]
pub(super) struct Segment {
    pub(super) row: SegmentRow,
    /// Names of its projects, sorted.
    pub(super) names: Vec<String>,
    /// Its documents, one list a property.
    pub(super) documents: Documents,
    /// All words, each between two [`END`]s.
    text: Vec<u8>,
    /// Where each word begins in `text`, and one more for the end.
    starts: Vec<u32>,
    /// Where the postings of each word begin, and one more for the end.
    postings: Vec<u32>,
}

/// The properties of documents, each in a list.
#[derive(Debug, Default)]
pub(super) struct Documents {
    pub(super) slots: Vec<i64>,
    pub(super) items: Vec<i64>,
    pub(super) lengths: Vec<u32>,
    pub(super) sources: Vec<u32>,
    pub(super) projects: Vec<u32>,
    pub(super) dates: Vec<i64>,
}

/// A word that holds a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Found {
    /// Where its postings begin.
    pub(super) from: u32,
    /// Where they end.
    pub(super) to: u32,
    /// How often the term stands in it.
    pub(super) times: u32,
}

/// What is looked for in a dictionary.
#[derive(Debug)]
pub(super) struct Pattern<'a> {
    pub(super) finder: Finder<'a>,
    /// Whether it must begin, and end, where a word does in the text.
    pub(super) edges: (bool, bool),
    /// Whether it must begin where the entry of the dictionary does, and end where it does.
    pub(super) anchored: (bool, bool),
}

impl Segment {
    /// Reads dictionary and documents.
    pub(super) fn load(shelf: &impl Shelf, row: SegmentRow) -> Result<Arc<Self>> {
        let mut documents = Documents::default();
        segment::documents(shelf, &row, |document| documents.push(&document))?;
        let names = segment::names(shelf, &row)?;
        let mut loaded = Self {
            row,
            names,
            documents,
            text: vec![END],
            starts: Vec::with_capacity(row.words as usize + 1),
            postings: Vec::with_capacity(row.words as usize + 1),
        };
        loaded.load_dictionary(shelf)?;
        Ok(Arc::new(loaded))
    }

    fn load_dictionary(&mut self, shelf: &impl Shelf) -> Result<()> {
        let mut buffer = Vec::new();
        let mut from = 0_u32;
        self.starts.push(1);
        self.postings.push(0);
        for number in 0..self.row.dictionary_parts {
            buffer.clear();
            let part = Part {
                segment: self.row.id,
                kind: Kind::Dictionary,
                number,
            };
            shelf.read(part, &mut buffer)?;
            let mut bytes = Bytes::new(&buffer);
            // Where the word before begins; a part's first word takes nothing from it.
            let mut before = self.text.len();
            while !bytes.is_empty() {
                let start = self.text.len();
                let length = self.load_word(&mut bytes, before);
                let to = length.and_then(|length| from.checked_add(length));
                from = to.ok_or_else(|| damaged(self.row.id))?;
                before = start;
                self.postings.push(from);
                let next = u32::try_from(self.text.len());
                self.starts.push(next.map_err(|_| damaged(self.row.id))?);
            }
        }
        self.text.shrink_to_fit();
        Ok(())
    }

    /// Appends a word that may share its beginning with the one that begins at `before`. Gives the
    /// length of its postings.
    fn load_word(&mut self, bytes: &mut Bytes<'_>, before: usize) -> Option<u32> {
        let shared = bytes.size()?;
        let length = bytes.size()?;
        let own = bytes.take(length)?;
        // Not with the sign that ends it.
        if before.checked_add(shared)? > self.text.len().saturating_sub(usize::from(shared > 0)) {
            return None;
        }
        self.text.extend_from_within(before..before + shared);
        self.text.extend_from_slice(own);
        self.text.push(END);
        bytes.small()
    }

    /// Bytes of memory that it takes.
    pub(super) fn memory(&self) -> usize {
        self.text.len() + 4 * (self.starts.len() + self.postings.len()) + 36 * self.documents.len()
    }

    /// The words that hold a pattern, in order.
    pub(super) fn words(&self, pattern: &Pattern<'_>) -> Vec<Found> {
        let mut found: Vec<(usize, Found)> = Vec::new();
        let mut at = 0;
        while let Some(next) = self
            .text
            .get(at..)
            .and_then(|rest| pattern.finder.find(rest))
        {
            let start = at + next;
            at = start + 1;
            let Some((number, word)) = self.stands(pattern, start, found.last().map(|(n, _)| *n))
            else {
                continue;
            };
            match found.last_mut() {
                Some((last, found)) if *last == number => found.times += 1,
                _ => found.push((number, word)),
            }
        }
        found.into_iter().map(|(_, found)| found).collect()
    }

    /// The word that an occurrence stands in, if it counts there.
    fn stands(
        &self,
        pattern: &Pattern<'_>,
        start: usize,
        last: Option<usize>,
    ) -> Option<(usize, Found)> {
        let end = start + pattern.finder.needle().len();
        let before = self.text.get(..start)?;
        let after = self.text.get(end..)?;
        let is_edge = |byte: Option<&u8>| matches!(byte, Some(&END | &GLUE));
        let missed_start = pattern.anchored.0 && !is_edge(before.last());
        let missed_end = pattern.anchored.1 && !is_edge(after.first());
        let cut_in = pattern.edges.0 && goes_on_before(before);
        let cut_off = pattern.edges.1 && goes_on_after(after);
        if missed_start || missed_end || cut_in || cut_off {
            return None;
        }
        let number = self.number(start, last);
        let place = |list: &[u32], at: usize| list.get(at).copied();
        let first = place(&self.starts, number)? as usize;
        let next = place(&self.starts, number + 1)? as usize;
        let word = self.text.get(first..next.checked_sub(1)?)?;
        // What begins where the next window does is counted there.
        if word.last() == Some(&CUT) {
            let skipped = usize::from(matches!(word.first(), Some(&CUT | &GLUE)));
            let ahead = word.get(skipped..start - first)?;
            if chars(ahead) >= STRIDE {
                return None;
            }
        }
        let (from, to) = (
            place(&self.postings, number)?,
            place(&self.postings, number + 1)?,
        );
        Some((number, Found { from, to, times: 1 }))
    }

    /// The number of the word that holds a place of the dictionary's text; not before `last`.
    fn number(&self, place: usize, last: Option<usize>) -> usize {
        let place = u32::try_from(place).unwrap_or(u32::MAX);
        // Occurrences come in order, often close to the one before.
        let from = last.unwrap_or(0);
        let mut width = 1;
        while self
            .starts
            .get(from + width)
            .is_some_and(|start| *start <= place)
        {
            width *= 2;
        }
        let near = self.starts.get(from..(from + width).min(self.starts.len()));
        let ahead = near
            .unwrap_or_default()
            .partition_point(|start| *start <= place);
        (from + ahead).saturating_sub(1)
    }

    /// The document of a slot.
    pub(super) fn document(&self, slot: i64) -> Option<usize> {
        self.documents.slots.binary_search(&slot).ok()
    }
}

impl Documents {
    fn push(&mut self, document: &segment::Document) {
        self.slots.push(document.slot);
        self.items.push(document.item);
        self.lengths.push(document.length);
        self.sources.push(document.source);
        self.projects.push(document.project);
        self.dates.push(document.occurred_at);
    }

    pub(super) fn len(&self) -> usize {
        self.slots.len()
    }
}

/// Whether the word goes on before a place: a letter or digit, or the sign that says so.
fn goes_on_before(text: &[u8]) -> bool {
    match text.last() {
        Some(byte) if byte.is_ascii() => byte.is_ascii_alphanumeric() || [CUT, GLUE].contains(byte),
        _ => crate::store::search::document::char_before(text, text.len())
            .is_some_and(char::is_alphanumeric),
    }
}

/// Whether the word goes on after a place.
fn goes_on_after(text: &[u8]) -> bool {
    match text.first() {
        Some(byte) if byte.is_ascii() => byte.is_ascii_alphanumeric() || [CUT, GLUE].contains(byte),
        _ => crate::store::search::document::char_after(text, 0).is_some_and(char::is_alphanumeric),
    }
}
