//! The form of a segment: writing one from front to back, and reading one part after the other.
//!
//! A segment holds documents, numbered from 0, and the words in them. Nothing of it ever changes. It
//! knows nothing outside of itself: its dictionary, its project names and its documents go with it,
//! so that a word of which the last document is gone is gone from the file when its segment is
//! written anew.

use super::pack::{Bytes, folded, put};
use super::shelf::{Book, Kind, Part, SegmentRow, Shelf, Stage};
use crate::store::{Result, StoreError};

/// Bytes of a part of the postings: with its row's head it fills a page of 4,096 bytes.
pub(super) const PART: usize = 4_048;
/// Bytes at which a part of the dictionary, the names or the documents ends.
const LARGE_PART: usize = 64 * 1024;
/// Most bytes of postings in one segment; merges stop before. Places in them are kept in 32 bits.
pub(super) const POSTINGS_LIMIT: u64 = 1 << 31;

/// A document as the index knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Document {
    /// Its slot: never given twice.
    pub(super) slot: i64,
    /// The item's number.
    pub(super) item: i64,
    /// Folded characters.
    pub(super) length: u32,
    /// The source's number.
    pub(super) source: u32,
    /// One more than the place of its project among the segment's names; 0 for none.
    pub(super) project: u32,
    /// When the item happened, in seconds.
    pub(super) occurred_at: i64,
    /// Trust and kinds of atoms: [`marks`](super::texts::marks).
    pub(super) marks: u8,
}

/// A damaged segment.
pub(super) fn damaged(segment: i64) -> StoreError {
    StoreError::Damaged {
        what: "segment of the index",
        row: segment,
    }
}

/// A stream of records cut into parts, each of which can be read alone.
#[derive(Debug)]
struct Parts {
    kind: Kind,
    written: u32,
    bytes: Vec<u8>,
}

impl Parts {
    fn new(kind: Kind) -> Self {
        Self {
            kind,
            written: 0,
            bytes: Vec::new(),
        }
    }

    fn flush(&mut self, shelf: &impl Shelf, row: &mut SegmentRow) -> Result<()> {
        let part = Part {
            segment: row.id,
            kind: self.kind,
            number: self.written,
        };
        shelf.write(part, &self.bytes)?;
        row.stamp = with_part(row.stamp, self.kind, self.written, &self.bytes);
        self.written += 1;
        self.bytes.clear();
        Ok(())
    }
}

/// Adds a part to a segment's checksum. Parts may come in any order.
pub(super) fn with_part(stamp: i64, kind: Kind, number: u32, bytes: &[u8]) -> i64 {
    let place = ((kind as i64) << 32) | i64::from(number);
    stamp.wrapping_add(stamped(place, bytes))
}

/// A checksum of some bytes (FNV-1a over eight bytes at a time).
pub(super) fn stamped(stamp: i64, bytes: &[u8]) -> i64 {
    let mut hash = stamp.cast_unsigned() ^ 0xCBF2_9CE4_8422_2325;
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word.iter_mut()
            .zip(chunk)
            .for_each(|(to, from)| *to = *from);
        hash = (hash ^ u64::from_le_bytes(word)).wrapping_mul(0x0000_0100_0000_01B3);
        hash ^= hash >> 29;
    }
    (hash ^ bytes.len() as u64).cast_signed()
}

/// Writes a segment: names first, then documents, then words with their postings.
#[derive(Debug)]
pub(super) struct Writer {
    row: SegmentRow,
    documents: Parts,
    last: Document,
    dictionary: Parts,
    word: Vec<u8>,
    postings: Parts,
}

impl Writer {
    /// Begins a segment and writes the names of its projects.
    ///
    /// None of its documents has died before the generation `since`.
    pub(super) fn begin(
        shelf: &impl Shelf,
        id: i64,
        book: Book,
        since: i64,
        names: &[String],
    ) -> Result<Self> {
        let mut row = SegmentRow {
            id,
            book,
            stage: Stage::Building,
            first_slot: 0,
            last_slot: 0,
            documents: 0,
            dead: 0,
            since,
            words: 0,
            letters: 0,
            name_parts: 0,
            document_parts: 0,
            dictionary_parts: 0,
            postings: 0,
            stamp: 0,
        };
        let mut parts = Parts::new(Kind::Names);
        for name in names {
            put(&mut parts.bytes, name.len() as u64);
            parts.bytes.extend_from_slice(name.as_bytes());
            if parts.bytes.len() >= LARGE_PART {
                parts.flush(shelf, &mut row)?;
            }
        }
        if !parts.bytes.is_empty() {
            parts.flush(shelf, &mut row)?;
        }
        row.name_parts = parts.written;
        Ok(Self {
            row,
            documents: Parts::new(Kind::Documents),
            last: ZERO,
            dictionary: Parts::new(Kind::Dictionary),
            word: Vec::new(),
            postings: Parts::new(Kind::Postings),
        })
    }

    /// The segment so far.
    pub(super) fn row(&self) -> &SegmentRow {
        &self.row
    }

    /// Adds a document; slots rise.
    pub(super) fn document(&mut self, shelf: &impl Shelf, document: &Document) -> Result<()> {
        if self.row.documents == 0 {
            self.row.first_slot = document.slot;
        }
        self.row.last_slot = document.slot;
        self.row.documents += 1;
        let out = &mut self.documents.bytes;
        let last = self.last;
        put(out, folded(document.slot - last.slot));
        put(out, folded(document.item - last.item));
        put(out, u64::from(document.length));
        put(out, u64::from(document.source));
        put(out, u64::from(document.project));
        put(out, folded(document.occurred_at - last.occurred_at));
        put(out, u64::from(document.marks));
        self.last = *document;
        if self.documents.bytes.len() >= LARGE_PART {
            self.documents.flush(shelf, &mut self.row)?;
            self.last = ZERO;
        }
        Ok(())
    }

    /// Adds a word; words rise.
    pub(super) fn word(&mut self, shelf: &impl Shelf, word: &[u8], postings: &[u8]) -> Result<()> {
        let out = &mut self.dictionary.bytes;
        let shared = self
            .word
            .iter()
            .zip(word)
            .take_while(|(a, b)| a == b)
            .count();
        let own = word.get(shared..).unwrap_or_default();
        put(out, shared as u64);
        put(out, own.len() as u64);
        out.extend_from_slice(own);
        put(out, postings.len() as u64);
        self.word.truncate(shared);
        self.word.extend_from_slice(own);
        self.row.words += 1;
        self.row.letters += word.len() as u64;
        if out.len() >= LARGE_PART {
            self.dictionary.flush(shelf, &mut self.row)?;
            self.word.clear();
        }
        self.row.postings += postings.len() as u64;
        let mut rest = postings;
        while let Some((head, tail)) = rest.split_at_checked(PART - self.postings.bytes.len()) {
            self.postings.bytes.extend_from_slice(head);
            self.postings.flush(shelf, &mut self.row)?;
            rest = tail;
        }
        self.postings.bytes.extend_from_slice(rest);
        Ok(())
    }

    /// Writes what is left, and the segment's row.
    pub(super) fn finish(mut self, shelf: &impl Shelf, stage: Stage) -> Result<SegmentRow> {
        for parts in [
            &mut self.documents,
            &mut self.dictionary,
            &mut self.postings,
        ] {
            if !parts.bytes.is_empty() {
                parts.flush(shelf, &mut self.row)?;
            }
        }
        self.row.document_parts = self.documents.written;
        self.row.dictionary_parts = self.dictionary.written;
        self.row.stage = stage;
        shelf.put_segment(&self.row)?;
        Ok(self.row)
    }
}

const ZERO: Document = Document {
    slot: 0,
    item: 0,
    length: 0,
    source: 0,
    project: 0,
    occurred_at: 0,
    marks: 0,
};

/// Reads the names of a segment's projects.
pub(super) fn names(shelf: &impl Shelf, row: &SegmentRow) -> Result<Vec<String>> {
    let mut names = Vec::new();
    let mut buffer = Vec::new();
    for number in 0..row.name_parts {
        buffer.clear();
        shelf.read(
            Part {
                segment: row.id,
                kind: Kind::Names,
                number,
            },
            &mut buffer,
        )?;
        let mut bytes = Bytes::new(&buffer);
        while !bytes.is_empty() {
            let name = bytes.size().and_then(|length| bytes.take(length));
            let name = name.and_then(|name| std::str::from_utf8(name).ok());
            names.push(name.ok_or_else(|| damaged(row.id))?.to_owned());
        }
    }
    Ok(names)
}

/// The numbers of so many parts, unless a damaged row asks for more than a segment can have.
pub(super) fn numbers(row: &SegmentRow, parts: u32) -> Result<Vec<u32>> {
    const MOST: u32 = 1 << 22;
    if parts > MOST {
        return Err(damaged(row.id));
    }
    Ok((0..parts).collect())
}

/// Calls `each` with every document of a segment, dead ones included.
pub(super) fn documents(
    shelf: &impl Shelf,
    row: &SegmentRow,
    mut each: impl FnMut(Document),
) -> Result<()> {
    let numbers = numbers(row, row.document_parts)?;
    shelf.read_parts(row.id, Kind::Documents, &numbers, |_, part| {
        documents_in(row, part, &mut each)
    })
}

/// Calls `each` with the documents in one part of a segment.
pub(super) fn documents_of(
    shelf: &impl Shelf,
    row: &SegmentRow,
    number: u32,
    each: impl FnMut(Document),
) -> Result<()> {
    let mut buffer = Vec::new();
    let part = Part {
        segment: row.id,
        kind: Kind::Documents,
        number,
    };
    shelf.read(part, &mut buffer)?;
    documents_in(row, &buffer, each)
}

fn documents_in(row: &SegmentRow, part: &[u8], mut each: impl FnMut(Document)) -> Result<()> {
    let mut bytes = Bytes::new(part);
    let mut last = ZERO;
    let mut document = || {
        last = Document {
            slot: last.slot.checked_add(bytes.signed()?)?,
            item: last.item.checked_add(bytes.signed()?)?,
            length: bytes.small()?,
            source: bytes.small()?,
            project: bytes.small()?,
            occurred_at: last.occurred_at.checked_add(bytes.signed()?)?,
            marks: u8::try_from(bytes.number()?).ok()?,
        };
        Some((last, bytes.is_empty()))
    };
    let mut is_last = part.is_empty();
    while !is_last {
        let next = document().ok_or_else(|| damaged(row.id))?;
        is_last = next.1;
        each(next.0);
    }
    Ok(())
}

/// Reads words and postings of a segment from front to back, holding one part of each.
#[derive(Debug)]
pub(super) struct Words {
    row: SegmentRow,
    dictionary: Vec<u8>,
    /// How far the part of the dictionary has been read.
    at: usize,
    parts_read: u32,
    /// The word that stands to be read; meaningless before the first [`Words::advance`].
    pub(super) word: Vec<u8>,
    length: usize,
    postings: Vec<u8>,
    postings_at: usize,
    postings_read: u32,
}

impl Words {
    pub(super) fn new(row: SegmentRow) -> Self {
        Self {
            row,
            dictionary: Vec::new(),
            at: 0,
            parts_read: 0,
            word: Vec::new(),
            length: 0,
            postings: Vec::new(),
            postings_at: 0,
            postings_read: 0,
        }
    }

    /// Goes to the next word; `false` after the last. The postings of each word must be read.
    pub(super) fn advance(&mut self, shelf: &impl Shelf) -> Result<bool> {
        if self.at == self.dictionary.len() {
            if self.parts_read == self.row.dictionary_parts {
                return Ok(false);
            }
            let (segment, number) = (self.row.id, self.parts_read);
            self.dictionary.clear();
            shelf.read(
                Part {
                    segment,
                    kind: Kind::Dictionary,
                    number,
                },
                &mut self.dictionary,
            )?;
            self.parts_read += 1;
            self.at = 0;
            self.word.clear();
        }
        let mut bytes = Bytes::new(self.dictionary.get(self.at..).unwrap_or_default());
        self.length = entry(&mut bytes, &mut self.word).ok_or_else(|| damaged(self.row.id))?;
        self.at = self.dictionary.len() - bytes.left();
        Ok(true)
    }

    /// Appends the postings of the word to a buffer.
    pub(super) fn postings(&mut self, shelf: &impl Shelf, into: &mut Vec<u8>) -> Result<()> {
        let mut wanted = self.length;
        while wanted > 0 {
            if self.postings_at == self.postings.len() {
                let (segment, number) = (self.row.id, self.postings_read);
                self.postings.clear();
                shelf.read(
                    Part {
                        segment,
                        kind: Kind::Postings,
                        number,
                    },
                    &mut self.postings,
                )?;
                self.postings_read += 1;
                self.postings_at = 0;
            }
            let rest = self.postings.get(self.postings_at..).unwrap_or_default();
            let taken = rest.get(..wanted.min(rest.len())).unwrap_or_default();
            if taken.is_empty() {
                return Err(damaged(self.row.id));
            }
            into.extend_from_slice(taken);
            self.postings_at += taken.len();
            wanted -= taken.len();
        }
        Ok(())
    }
}

/// Reads an entry of the dictionary: makes the word from the one before it, and gives the length of
/// its postings.
fn entry(bytes: &mut Bytes<'_>, word: &mut Vec<u8>) -> Option<usize> {
    let shared = bytes.size()?;
    let length = bytes.size()?;
    let own = bytes.take(length)?;
    if shared > word.len() {
        return None;
    }
    word.truncate(shared);
    word.extend_from_slice(own);
    bytes.size()
}
