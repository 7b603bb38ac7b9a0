//! A segment in memory: its dictionary and documents. Postings stay in the file.

use std::sync::{Arc, OnceLock};

use super::pack::{Bytes, put};
use super::segment::{self, damaged};
use super::shelf::{Kind, SegmentRow, Shelf};
use crate::store::Result;
use crate::store::search::fold::fold;

/// Stands around every word of the dictionary in memory; in no word.
pub(super) const END: u8 = b'\n';
/// Bytes that are copied at once: most words share fewer with the one before, and have fewer of
/// their own.
const CHUNK: usize = 16;

/// Dictionary and documents of a segment. Never changes, hence shared between readers.
#[derive(Debug)]
pub(super) struct Segment {
    pub(super) row: SegmentRow,
    /// Names of its projects, sorted.
    pub(super) names: Vec<String>,
    /// The same, folded, once they are asked for.
    folded_names: OnceLock<Vec<String>>,
    /// Its documents, one list a property.
    pub(super) documents: Documents,
    /// All words, each between two [`END`]s.
    pub(super) text: Vec<u8>,
    /// The length of each word's postings, packed.
    pub(super) lengths: Vec<u8>,
    /// Places in both, one every [`SPAN`] words: a number kept for each word would take as much
    /// memory as the words.
    pub(super) places: Vec<Place>,
}

/// Where a word stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// Where it begins in the text.
    pub(super) text: u32,
    /// Where its length begins.
    pub(super) length: u32,
    /// Where its postings begin.
    pub(super) postings: u32,
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

impl Segment {
    /// Reads dictionary and documents.
    pub(super) fn load(shelf: &impl Shelf, row: SegmentRow) -> Result<Arc<Self>> {
        let mut documents = Documents::with_room(row.documents as usize);
        segment::documents(shelf, &row, |document| documents.push(&document))?;
        let mut loaded = Self {
            row,
            names: segment::names(shelf, &row)?,
            folded_names: OnceLock::new(),
            documents,
            text: Vec::new(),
            lengths: Vec::new(),
            places: Vec::new(),
        };
        loaded.load_dictionary(shelf)?;
        Ok(Arc::new(loaded))
    }

    fn load_dictionary(&mut self, shelf: &impl Shelf) -> Result<()> {
        let mut loading = Loading::new(&self.row);
        let id = self.row.id;
        let parts: Vec<u32> = (0..self.row.dictionary_parts).collect();
        shelf.read_parts(id, Kind::Dictionary, &parts, |_, part| {
            loading.part(part).ok_or_else(|| damaged(id))
        })?;
        loading.text.truncate(loading.at);
        (self.text, self.lengths, self.places) = (loading.text, loading.lengths, loading.places);
        Ok(())
    }

    /// Names of its projects as they are searched, in the order of `names`.
    pub(super) fn folded_names(&self) -> &[String] {
        let folded = || self.names.iter().map(|name| fold(name)).collect();
        self.folded_names.get_or_init(folded)
    }

    /// The document of a slot.
    pub(super) fn document(&self, slot: i64) -> Option<usize> {
        self.documents.slots.binary_search(&slot).ok()
    }
}

/// A dictionary that is being loaded.
///
/// Every process begins with it, so it is as fast as it can be: words are copied in pieces of a
/// fixed size over the room that is there for them.
struct Loading {
    /// The words, then room.
    text: Vec<u8>,
    /// Where the next word goes.
    at: usize,
    lengths: Vec<u8>,
    places: Vec<Place>,
    words: u32,
    postings: u32,
}

impl Loading {
    fn new(row: &SegmentRow) -> Self {
        let letters = usize::try_from(row.letters).unwrap_or(0);
        let words = row.words as usize;
        // Room for all of it, unless the row is damaged and asks for too much.
        let room = letters.saturating_add(words + 1 + CHUNK).min(1 << 30);
        let mut text = vec![0; room];
        if let Some(first) = text.first_mut() {
            *first = END;
        }
        Self {
            text,
            at: 1,
            lengths: Vec::with_capacity(words / 8 * 9),
            places: Vec::with_capacity((row.words / SPAN + 1) as usize),
            words: 0,
            postings: 0,
        }
    }

    /// Takes the words of a part over; nothing if it makes no sense.
    fn part(&mut self, part: &[u8]) -> Option<()> {
        let mut bytes = Bytes::new(part);
        // Where the word before begins; a part's first word takes nothing from it.
        let mut before = self.at;
        while !bytes.is_empty() {
            let start = self.at;
            if self.words.is_multiple_of(SPAN) {
                self.places.push(self.place()?);
            }
            let length = self.word(&mut bytes, before)?;
            self.postings = self.postings.checked_add(length)?;
            before = start;
            self.words += 1;
        }
        Some(())
    }

    /// The place of the word that comes next.
    fn place(&self) -> Option<Place> {
        Some(Place {
            text: u32::try_from(self.at).ok()?,
            length: u32::try_from(self.lengths.len()).ok()?,
            postings: self.postings,
        })
    }

    /// Appends a word that may share its beginning with the one that begins at `before`. Gives the
    /// length of its postings.
    #[inline]
    fn word(&mut self, bytes: &mut Bytes<'_>, before: usize) -> Option<u32> {
        let shared = bytes.size()?;
        let length = bytes.size()?;
        // Not with the sign that ends it.
        if shared > (self.at - before).saturating_sub(1) {
            return None;
        }
        if shared <= CHUNK && length <= CHUNK {
            // What is copied too much is overwritten by what comes next.
            let beginning: [u8; CHUNK] = *self.text.get(before..)?.first_chunk()?;
            *self.text.get_mut(self.at..)?.first_chunk_mut()? = beginning;
        } else {
            let room = self.text.get(self.at..)?.len();
            (shared <= room).then_some(())?;
            self.text.copy_within(before..before + shared, self.at);
        }
        let at = self.at + shared;
        match bytes.ahead::<CHUNK>().filter(|_| length <= CHUNK) {
            Some(own) => {
                *self.text.get_mut(at..)?.first_chunk_mut()? = *own;
                bytes.take(length)?;
            }
            None => {
                let own = bytes.take(length)?;
                self.text.get_mut(at..at + length)?.copy_from_slice(own);
            }
        }
        let end = at + length;
        *self.text.get_mut(end)? = END;
        self.at = end + 1;
        let length = bytes.small()?;
        match u8::try_from(length) {
            Ok(byte) if byte < 0x80 => self.lengths.push(byte),
            _ => put(&mut self.lengths, u64::from(length)),
        }
        Some(length)
    }
}

impl Documents {
    /// Room for so many, unless that is too much to be true.
    fn with_room(count: usize) -> Self {
        let count = count.min(1 << 24);
        Self {
            slots: Vec::with_capacity(count),
            items: Vec::with_capacity(count),
            lengths: Vec::with_capacity(count),
            sources: Vec::with_capacity(count),
            projects: Vec::with_capacity(count),
            dates: Vec::with_capacity(count),
            marks: Vec::with_capacity(count),
        }
    }

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
