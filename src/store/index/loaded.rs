//! A segment in memory: its dictionary and documents. Postings stay in the file.

use std::sync::{Arc, OnceLock};

use super::pack::{Bytes, put};
use super::segment::{self, damaged};
use super::shelf::{Kind, SegmentRow, Shelf};
use crate::store::Result;
use crate::store::search::fold::fold;

/// Stands around every word of the dictionary in memory; in no word.
pub(super) const END: u8 = b'\n';
/// Bytes that are moved at once: hardly a word has more.
const CHUNK: usize = 32;
/// The bytes that stay of a word when the next one shares so many with it.
const KEPT: [[u8; CHUNK]; CHUNK + 1] = {
    let mut kept = [[0; CHUNK]; CHUNK + 1];
    let mut shared = 1;
    while shared <= CHUNK {
        kept[shared] = kept[shared - 1];
        kept[shared][shared - 1] = 0xFF;
        shared += 1;
    }
    kept
};

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
        let parts = segment::numbers(&self.row, self.row.dictionary_parts)?;
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
        let slots = self.documents.slots.as_slice();
        // Mostly there is a document for every slot; else it stands before that place.
        let most = slot.checked_sub(*slots.first()?)?;
        let most = usize::try_from(most).ok()?;
        if slots.get(most) == Some(&slot) {
            return Some(most);
        }
        let before = slots.get(..most).unwrap_or(slots);
        before.binary_search(&slot).ok()
    }
}

/// A dictionary that is being loaded.
///
/// Every process begins with it, so it is as fast as it can be: words are moved in pieces of a
/// fixed size over the room that is there for them, and what one word hands to the next is in
/// registers. What was written a moment ago in smaller pieces is slow to read.
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
        let (mut at, mut words, mut postings) = (self.at, self.words, self.postings);
        // The first bytes of the word before, and what happens to stand behind it.
        let mut beginning = [0; CHUNK];
        // How long that is. A part's first word takes nothing from the one before.
        let mut before = 0;
        while !bytes.is_empty() {
            if words.is_multiple_of(SPAN) {
                self.places.push(Place {
                    text: u32::try_from(at).ok()?,
                    length: u32::try_from(self.lengths.len()).ok()?,
                    postings,
                });
            }
            let shared = bytes.size()?;
            let own = bytes.size()?;
            // What it has of its own, after as many bytes as it shares.
            let place = part.len() - bytes.left();
            let own = bytes.take(own)?;
            let length = shared.checked_add(own.len())?;
            let ahead = || part.get(place.checked_sub(shared)?..)?.first_chunk();
            match ahead().filter(|_| shared <= before && length <= CHUNK) {
                Some(ahead) => {
                    beginning = joined(&beginning, shared, ahead)?;
                    // What is written too much is overwritten by what comes next.
                    *self.text.get_mut(at..)?.first_chunk_mut()? = beginning;
                }
                None => beginning = self.long_word(at, before, shared, own)?,
            }
            let end = at + length;
            *self.text.get_mut(end)? = END;
            at = end + 1;
            before = length;
            let length = bytes.small()?;
            postings = postings.checked_add(length)?;
            match u8::try_from(length) {
                Ok(byte) if byte < 0x80 => self.lengths.push(byte),
                _ => put(&mut self.lengths, u64::from(length)),
            }
            words += 1;
        }
        (self.at, self.words, self.postings) = (at, words, postings);
        Some(())
    }

    /// Writes a word of any length behind the one before. Gives its beginning.
    fn long_word(
        &mut self,
        at: usize,
        before: usize,
        shared: usize,
        own: &[u8],
    ) -> Option<[u8; CHUNK]> {
        // Not with the sign that ends it.
        (shared <= before).then_some(())?;
        let word = self.text.get_mut(at.checked_sub(before + 1)?..)?;
        let start = before + 1;
        (start + shared <= word.len()).then_some(())?;
        word.copy_within(..shared, start);
        let word = word.get_mut(start..)?;
        word.get_mut(shared..shared + own.len())?
            .copy_from_slice(own);
        word.first_chunk().copied()
    }
}

/// A word's beginning, which is that of the word before as far as it shares it.
#[inline]
fn joined(before: &[u8; CHUNK], shared: usize, own: &[u8; CHUNK]) -> Option<[u8; CHUNK]> {
    let kept = KEPT.get(shared)?;
    let mut joined = [0; CHUNK];
    for (to, ((before, own), kept)) in joined.iter_mut().zip(before.iter().zip(own).zip(kept)) {
        *to = (before & kept) | (own & !kept);
    }
    Some(joined)
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
