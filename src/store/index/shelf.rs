//! Where the index is kept: what it asks of a database.
//!
//! Everything else in this folder speaks to a [`Shelf`] alone, so that another database can hold the
//! index. [`SqliteShelf`](super::sqlite::SqliteShelf) is the library's own.

use crate::store::Result;

/// Bits of a slot that number the documents of one book.
const SLOT_BITS: u32 = 48;

/// Which text is indexed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Book {
    /// Title, summary, questions, atoms and project of the items.
    Summaries,
    /// The redacted originals.
    Originals,
}

impl Book {
    /// Every book that the file has.
    pub(super) const ALL: [Self; 2] = [Self::Summaries, Self::Originals];

    /// Its number in the file.
    pub(super) fn number(self) -> i64 {
        match self {
            Self::Summaries => 0,
            Self::Originals => 1,
        }
    }

    /// The least slot of its documents. Each book has slots of its own, so that a segment's range of
    /// slots says whose the dead within it are.
    pub(super) fn first_slot(self) -> i64 {
        self.number() << SLOT_BITS
    }

    /// A slot that is greater than all of its documents'.
    pub(super) fn slots_end(self) -> i64 {
        (self.number() + 1) << SLOT_BITS
    }
}

/// What a segment is for readers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// It is being written by a merge: nobody reads it.
    Building,
    /// It is part of the index.
    Live,
    /// Another took its place: what is left of it goes bit by bit.
    Leaving,
}

impl Stage {
    pub(super) fn number(self) -> i64 {
        match self {
            Self::Building => 0,
            Self::Live => 1,
            Self::Leaving => 2,
        }
    }

    pub(super) fn from_number(number: i64) -> Option<Self> {
        [Self::Building, Self::Live, Self::Leaving]
            .into_iter()
            .find(|stage| stage.number() == number)
    }
}

/// What is known of a segment without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SegmentRow {
    /// Its number; never given twice.
    pub(super) id: i64,
    /// Whose it is.
    pub(super) book: Book,
    /// Who reads it.
    pub(super) stage: Stage,
    /// Slot of its first document; segments of a book do not overlap.
    pub(super) first_slot: i64,
    /// Slot of its last document.
    pub(super) last_slot: i64,
    /// Documents in it, dead ones included.
    pub(super) documents: u32,
    /// How many of them are dead.
    pub(super) dead: u32,
    /// The generation before which none of its documents died.
    pub(super) since: i64,
    /// Words in its dictionary.
    pub(super) words: u32,
    /// Bytes of these words.
    pub(super) letters: u64,
    /// Parts that hold the names of its projects.
    pub(super) name_parts: u32,
    /// Parts that hold its documents.
    pub(super) document_parts: u32,
    /// Parts that hold its dictionary.
    pub(super) dictionary_parts: u32,
    /// Bytes of its postings.
    pub(super) postings: u64,
    /// A checksum of all that was written of it.
    pub(super) stamp: i64,
}

/// What a part of a segment holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// Project names.
    Names,
    /// Documents: slot, item, length, source, project, date, marks.
    Documents,
    /// Words, sorted, with the length of their postings.
    Dictionary,
    /// Postings, one stream in the order of the words, cut at every [`PART`](super::segment::PART).
    Postings,
}

/// Names a part of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Part {
    pub(super) segment: i64,
    pub(super) kind: Kind,
    pub(super) number: u32,
}

/// The numbers that only grow, and what tells readers that something changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Counters {
    /// The slot that the next document gets, counted from the first of its book.
    pub(super) next_slot: i64,
    /// The number that the next segment gets.
    pub(super) next_segment: i64,
    /// Grows with every change that readers must know of.
    pub(super) generation: i64,
}

/// A slot whose document is dead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Grave {
    /// When it died.
    pub(super) generation: i64,
    pub(super) slot: i64,
}

/// A place for segments, slots and tombstones. What one transaction writes appears as a whole; the
/// transaction is the caller's.
pub(super) trait Shelf {
    /// The counters.
    fn counters(&self) -> Result<Counters>;
    /// Sets the counters.
    fn set_counters(&self, counters: Counters) -> Result<()>;

    /// The segments of a book, by first slot.
    fn segments(&self, book: Book) -> Result<Vec<SegmentRow>>;
    /// Adds a segment, or changes what is known of it.
    fn put_segment(&self, row: &SegmentRow) -> Result<()>;
    /// Forgets a segment whose parts are gone.
    fn remove_segment(&self, id: i64) -> Result<()>;

    /// Appends a part's bytes to a buffer.
    fn read(&self, part: Part, into: &mut Vec<u8>) -> Result<()>;
    /// Calls `each` with the number and the bytes of several parts of one kind, whose numbers rise.
    fn read_parts(
        &self,
        segment: i64,
        kind: Kind,
        numbers: &[u32],
        each: impl FnMut(u32, &[u8]) -> Result<()>,
    ) -> Result<()>;
    /// Writes a part.
    fn write(&self, part: Part, bytes: &[u8]) -> Result<()>;
    /// Takes away at most `limit` parts of a segment and says how many there were.
    fn remove_parts(&self, segment: i64, limit: usize) -> Result<usize>;

    /// The slot of an item.
    fn slot(&self, book: Book, item: i64) -> Result<Option<i64>>;
    /// Gives an item a slot, or takes it away.
    fn set_slot(&self, book: Book, item: i64, slot: Option<i64>) -> Result<()>;

    /// Marks the document of a slot as dead.
    fn bury(&self, grave: Grave) -> Result<()>;
    /// Forgets that a slot is dead: its document is in no segment any more.
    fn unbury(&self, grave: Grave) -> Result<()>;
    /// Slots that died in a generation or after it.
    fn buried_since(&self, generation: i64) -> Result<Vec<Grave>>;
}
