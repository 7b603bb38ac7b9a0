//! Comparing the index with the items, word by word.

use std::collections::HashMap;
use std::fmt;

use rusqlite::Connection;
use serde::Serialize;

use super::builder::{Facts, halves};
use super::pack::each_posting;
use super::segment::{self, Document, PART, Words, stamped};
use super::shelf::{Book, Kind, Part, SegmentRow, Shelf, Stage};
use super::sqlite::SqliteShelf;
use super::texts::{self, SqliteTexts, Texts};
use super::words::cut;
use crate::store::search::document::Document as Text;
use crate::store::{Result, StoreError};

/// Faults that are told one by one; the rest is counted.
const TOLD: usize = 20;

/// What a comparison found.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize)]
pub struct Checked {
    /// Items that were compared.
    pub items: u64,
    /// Originals that were compared: none while they are not indexed.
    pub originals: u64,
    /// Segments of the index.
    pub segments: u64,
    /// Items that wait to be indexed: until then searches read every text.
    pub waiting: u64,
    /// How many faults there are.
    pub faults: u64,
    /// The first of them.
    pub first_faults: Vec<Fault>,
}

/// Where index and items differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(tag = "fault", rename_all = "snake_case")]
pub enum Fault {
    /// A segment cannot be read, or is not what was written.
    Segment {
        /// Its number.
        segment: i64,
    },
    /// An item, or its original, is in no segment.
    Missing {
        /// Its number.
        item: i64,
    },
    /// The index has other words, counts or properties than the item or its original.
    Differs {
        /// Its number.
        item: i64,
    },
    /// The index finds an item, or an original, that is not in the library.
    Left {
        /// Its number.
        item: i64,
    },
    /// An original cannot be read, so no search finds what is in it.
    Unreadable {
        /// The number of its item.
        item: i64,
    },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Segment { segment } => write!(f, "segment {segment} is damaged"),
            Self::Missing { item } => write!(f, "item {item} is not in the index"),
            Self::Differs { item } => write!(f, "item {item} has other words than the index says"),
            Self::Left { item } => write!(f, "item {item} is in the index and not in the library"),
            Self::Unreadable { item } => write!(f, "the original of item {item} cannot be read"),
        }
    }
}

impl Checked {
    fn fault(&mut self, fault: Fault) {
        self.faults += 1;
        if self.first_faults.len() < TOLD {
            self.first_faults.push(fault);
        }
    }
}

/// What the index says of a document, and its words in one number.
struct Indexed {
    document: Document,
    project: Option<String>,
    words: u64,
}

/// Compares; the caller holds one state of the file.
pub(in crate::store) fn check(connection: &Connection) -> Result<Checked> {
    let mut checked = Checked::default();
    for book in Book::ALL {
        checked.waiting += texts::count_pending(connection, book)?;
        compare(connection, book, &mut checked)?;
    }
    Ok(checked)
}

fn compare(connection: &Connection, book: Book, checked: &mut Checked) -> Result<()> {
    let shelf = SqliteShelf(connection);
    let texts = SqliteTexts { connection, book };
    let mut found: HashMap<i64, u64> = HashMap::new();
    for row in shelf.segments(book)? {
        if row.stage != Stage::Live {
            continue;
        }
        checked.segments += 1;
        let indexed = match read(&shelf, &row) {
            Ok(indexed) => indexed,
            Err(StoreError::Damaged { .. }) => {
                checked.fault(Fault::Segment { segment: row.id });
                continue;
            }
            Err(other) => return Err(other),
        };
        for indexed in indexed {
            let item = indexed.document.item;
            // A document that its item has left is dead, or should be.
            if shelf.slot(book, item)? == Some(indexed.document.slot) {
                *found.entry(item).or_default() += 1;
                check_document(&texts, &indexed, checked)?;
            } else if !shelf.is_buried(indexed.document.slot, row.since)? {
                checked.fault(Fault::Left { item });
            }
        }
    }
    let mut missing = texts::all(connection, book)?;
    missing.retain(|item| found.get(item) != Some(&1));
    for item in missing {
        if texts::is_pending(connection, book, item)? {
            continue;
        }
        let is_there = texts.read(item, &mut Text::default())?.is_some();
        checked.fault(match (book, is_there) {
            (Book::Originals, false) => Fault::Unreadable { item },
            _ => Fault::Missing { item },
        });
    }
    Ok(())
}

/// Reads all of a segment.
fn read(shelf: &SqliteShelf<'_>, row: &SegmentRow) -> Result<Vec<Indexed>> {
    let fault = || segment::damaged(row.id);
    if stamp(shelf, row)? != row.stamp {
        return Err(fault());
    }
    let names = segment::names(shelf, row)?;
    let mut indexed = Vec::new();
    segment::documents(shelf, row, |document| {
        let project = (document.project as usize).checked_sub(1);
        let project = project.and_then(|at| names.get(at)).cloned();
        indexed.push(Indexed {
            document,
            project,
            words: 0,
        });
    })?;
    let mut words = Words::new(*row);
    let (mut postings, mut before) = (Vec::new(), Vec::new());
    while words.advance(shelf)? {
        postings.clear();
        words.postings(shelf, &mut postings)?;
        let mut sound = before < words.word;
        let name = stamped(0, &words.word).cast_unsigned();
        let read = each_posting(&postings, |document, weight| {
            match indexed.get_mut(document as usize) {
                Some(indexed) => indexed.words = added(indexed.words, name, weight),
                None => sound = false,
            }
        });
        if read.is_none() || !sound {
            return Err(fault());
        }
        before.clone_from(&words.word);
    }
    let rising = indexed.is_sorted_by_key(|indexed| indexed.document.slot);
    (rising && indexed.len() == row.documents as usize)
        .then_some(indexed)
        .ok_or_else(fault)
}

/// Adds a word to the number that stands for all words of a document, in whatever order.
fn added(words: u64, word: u64, weight: u32) -> u64 {
    words.wrapping_add(word.wrapping_mul(u64::from(weight)))
}

/// The checksum of a segment as it is in the file, in the order in which it was written.
fn stamp(shelf: &SqliteShelf<'_>, row: &SegmentRow) -> Result<i64> {
    let posting_parts = u32::try_from(row.postings.div_ceil(PART as u64)).unwrap_or(u32::MAX);
    let counts = [
        (Kind::Names, row.name_parts),
        (Kind::Documents, row.document_parts),
        (Kind::Dictionary, row.dictionary_parts),
        (Kind::Postings, posting_parts),
    ];
    let mut stamp = 0;
    let mut bytes = Vec::new();
    for (kind, parts) in counts {
        for number in 0..parts {
            bytes.clear();
            shelf.read(
                Part {
                    segment: row.id,
                    kind,
                    number,
                },
                &mut bytes,
            )?;
            // Parts of several kinds are written by turns: their sum does not ask for the order.
            stamp = segment::with_part(stamp, kind, number, &bytes);
        }
    }
    Ok(stamp)
}

fn check_document(texts: &SqliteTexts<'_>, indexed: &Indexed, checked: &mut Checked) -> Result<()> {
    let item = indexed.document.item;
    let mut text = Text::default();
    let Some(facts) = texts.read(item, &mut text)? else {
        checked.fault(Fault::Left { item });
        return Ok(());
    };
    match texts.book {
        Book::Summaries => checked.items += 1,
        Book::Originals => checked.originals += 1,
    }
    let mut words = 0;
    for (field, weight) in text.fields() {
        let weight = halves(weight);
        let field = std::str::from_utf8(field).unwrap_or_default();
        cut(field, |word| {
            words = added(words, stamped(0, word).cast_unsigned(), weight);
        });
    }
    let same = Facts {
        source: indexed.document.source,
        project: indexed.project.clone(),
        occurred_at: indexed.document.occurred_at,
        marks: indexed.document.marks,
    };
    let length = u32::try_from(text.length).unwrap_or(u32::MAX);
    if words != indexed.words || facts != same || length != indexed.document.length {
        checked.fault(Fault::Differs { item });
    }
    Ok(())
}
