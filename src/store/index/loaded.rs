//! A segment in memory: its dictionary and documents. Postings stay in the file.

use std::sync::Arc;

use memchr::memmem::Finder;

use super::pack::{Bytes, put};
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
    /// The length of each word's postings, packed.
    lengths: Vec<u8>,
    /// Places in both, one every [`SPAN`] words: a number kept for each word would take as much
    /// memory as the words.
    places: Vec<Place>,
}

/// Where a word stands.
#[derive(Debug, Clone, Copy)]
struct Place {
    /// Where it begins in the text.
    text: u32,
    /// Where its length begins.
    length: u32,
    /// Where its postings begin.
    postings: u32,
}

/// Words from one kept place to the next.
const SPAN: u32 = 32;

/// The properties of documents, each in a list.
#[derive(Debug, Default)]
pub(super) struct Documents {
    pub(super) slots: Vec<i64>,
    pub(super) items: Vec<i64>,
    pub(super) lengths: Vec<u32>,
    pub(super) sources: Vec<u32>,
    pub(super) projects: Vec<u32>,
    pub(super) dates: Vec<i64>,
    pub(super) marks: Vec<u8>,
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

/// A word of the dictionary.
#[derive(Debug, Clone, Copy)]
struct Word<'s> {
    start: usize,
    end: usize,
    postings: u32,
    /// Bytes of its postings.
    length: u32,
    /// The lengths of the words after it.
    lengths: Bytes<'s>,
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
        let letters = usize::try_from(row.letters).unwrap_or(0);
        // Room for all of it, unless the row is damaged and asks for too much.
        let room = (letters + row.words as usize + 1).min(1 << 30);
        let mut loaded = Self {
            row,
            names,
            documents,
            text: Vec::with_capacity(room),
            lengths: Vec::with_capacity(row.words as usize / 8 * 9),
            places: Vec::with_capacity((row.words / SPAN + 1) as usize),
        };
        loaded.text.push(END);
        loaded.load_dictionary(shelf)?;
        Ok(Arc::new(loaded))
    }

    fn load_dictionary(&mut self, shelf: &impl Shelf) -> Result<()> {
        let mut buffer = Vec::new();
        let mut words = 0_u32;
        let mut postings = 0_u32;
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
                if words.is_multiple_of(SPAN) {
                    let place = self.place(postings);
                    self.places.push(place.ok_or_else(|| damaged(self.row.id))?);
                }
                let length = self.load_word(&mut bytes, before);
                let end = length.and_then(|length| postings.checked_add(length));
                postings = end.ok_or_else(|| damaged(self.row.id))?;
                before = start;
                words += 1;
            }
        }
        Ok(())
    }

    /// The place of the word that comes next.
    fn place(&self, postings: u32) -> Option<Place> {
        Some(Place {
            text: u32::try_from(self.text.len()).ok()?,
            length: u32::try_from(self.lengths.len()).ok()?,
            postings,
        })
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
        let length = bytes.small()?;
        put(&mut self.lengths, u64::from(length));
        Some(length)
    }

    /// The words that hold a pattern, in order.
    pub(super) fn words(&self, pattern: &Pattern<'_>) -> Vec<Found> {
        let mut found: Vec<Found> = Vec::new();
        let mut word: Option<Word<'_>> = None;
        let mut at = 0;
        while let Some(next) = self
            .text
            .get(at..)
            .and_then(|rest| pattern.finder.find(rest))
        {
            let start = at + next;
            at = start + 1;
            if !self.stands(pattern, start) {
                continue;
            }
            let known = word.filter(|word| start < word.end);
            let Some(here) = known.or_else(|| self.word(start, word)) else {
                continue;
            };
            word = Some(here);
            if self.counts_in_the_next(&here, start) {
                continue;
            }
            match found.last_mut().filter(|last| last.from == here.postings) {
                Some(last) => last.times += 1,
                None => found.push(Found {
                    from: here.postings,
                    to: here.postings + here.length,
                    times: 1,
                }),
            }
        }
        found
    }

    /// Whether an occurrence begins and ends as it must.
    fn stands(&self, pattern: &Pattern<'_>, start: usize) -> bool {
        let end = start + pattern.finder.needle().len();
        let before = self.text.get(..start).unwrap_or_default();
        let after = self.text.get(end..).unwrap_or_default();
        let is_edge = |byte: Option<&u8>| matches!(byte, Some(&END | &GLUE));
        let missed_start = pattern.anchored.0 && !is_edge(before.last());
        let missed_end = pattern.anchored.1 && !is_edge(after.first());
        let cut_in = pattern.edges.0 && goes_on_before(before);
        let cut_off = pattern.edges.1 && goes_on_after(after);
        !(missed_start || missed_end || cut_in || cut_off)
    }

    /// Whether a word goes on in another window and an occurrence lies in that one too: what begins
    /// where the next window does is counted there.
    fn counts_in_the_next(&self, word: &Word<'_>, start: usize) -> bool {
        let text = self.text.get(word.start..word.end).unwrap_or_default();
        let skipped = usize::from(matches!(text.first(), Some(&CUT | &GLUE)));
        let ahead = text.get(skipped..start - word.start);
        text.last() == Some(&CUT) && ahead.is_some_and(|ahead| chars(ahead) >= STRIDE)
    }

    /// The word that holds a place of the text, which does not lie before the word `last`.
    fn word<'s>(&'s self, place: usize, last: Option<Word<'s>>) -> Option<Word<'s>> {
        let wanted = u32::try_from(place).ok()?;
        let after = self.places.partition_point(|place| place.text <= wanted);
        let kept = self.places.get(after.checked_sub(1)?)?;
        let kept = Word {
            start: kept.text as usize,
            // Of the word before.
            end: (kept.text as usize).checked_sub(1)?,
            postings: kept.postings,
            length: 0,
            lengths: Bytes::new(self.lengths.get(kept.length as usize..)?),
        };
        let mut word = last.filter(|last| last.start >= kept.start).unwrap_or(kept);
        while word.end <= place {
            let start = word.end + 1;
            let rest = self.text.get(start..)?;
            word.postings += word.length;
            word.length = word.lengths.small()?;
            word.start = start;
            word.end = start + memchr::memchr(END, rest)?;
        }
        Some(word)
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
        self.marks.push(document.marks);
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
