//! In which documents of a segment a term stands, and how much that counts.

use std::collections::BTreeMap;

use super::loaded::Segment;
use super::lookup::Found;
use super::pack::each_posting;
use super::segment::{PART, damaged};
use super::shelf::{Kind, Shelf};
use crate::store::Result;

/// The documents that hold a term, with weights in halves.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum List {
    /// By number: for a term that few documents hold.
    Few(Vec<(u32, u32)>),
    /// A cell a document: for a term that many hold.
    Many {
        /// The weight, 0 where the term does not stand, [`FULL`] where `more` has it.
        cells: Vec<u8>,
        /// Weights of [`FULL`] and more.
        more: BTreeMap<u32, u32>,
    },
}

/// What a cell holds when the weight is too large for it.
pub(super) const FULL: u8 = u8::MAX;
/// A term stands in many documents when it does in one of this many.
const SHARE: usize = 8;

impl List {
    /// Collects the postings of the words of each of several terms.
    ///
    /// The words of all terms are read in one go, in the order in which they lie in the file: common
    /// terms have so many that otherwise each part would be read once a term.
    pub(super) fn collect(
        shelf: &impl Shelf,
        segment: &Segment,
        terms: &[Vec<Found>],
    ) -> Result<Vec<Self>> {
        let fault = || damaged(segment.row.id);
        let size = segment.documents.len();
        let mut sums: Vec<Sum> = terms.iter().map(|words| Sum::new(words, size)).collect();
        let mut order: Vec<(usize, Found)> = Vec::new();
        for (at, words) in terms.iter().enumerate() {
            order.extend(words.iter().map(|word| (at, *word)));
        }
        // Each term's words are in order mostly, and sorting that keeps equals makes use of it.
        order.sort_by_key(|(_, word)| word.from);
        let numbers = parts(&order).ok_or_else(fault)?;
        let mut words = order.chunk_by(|a, b| a.1.from == b.1.from).peekable();
        // A word's postings that do not lie in one part.
        let mut joined = Vec::new();
        shelf.read_parts(segment.row.id, Kind::Postings, &numbers, |number, part| {
            let start = number as usize * PART;
            let end = start + PART;
            while let Some(same) = words.peek()
                && let Some((_, word)) = same.first()
                && (word.from as usize) < end
            {
                let (from, to) = (word.from as usize, word.to as usize);
                let piece = part.get(from.max(start) - start..to.min(end) - start);
                let mut postings = piece.ok_or_else(fault)?;
                if to > end || !joined.is_empty() {
                    joined.extend_from_slice(postings);
                    if to > end {
                        break;
                    }
                    postings = &joined;
                }
                for (at, word) in *same {
                    let sum = sums.get_mut(*at);
                    let added = sum.and_then(|sum| sum.add(postings, word.times));
                    added.ok_or_else(fault)?;
                }
                joined.clear();
                words.next();
            }
            Ok(())
        })?;
        sums.into_iter()
            .map(|sum| sum.list(size).ok_or_else(fault))
            .collect()
    }

    /// The list without some documents, which rise.
    pub(super) fn without(&self, gone: &[u32]) -> Self {
        let mut few = Vec::new();
        let mut gone = gone.iter().copied().peekable();
        self.each(|document, weight| {
            let document = u32::try_from(document).unwrap_or(u32::MAX);
            while gone.next_if(|gone| *gone < document).is_some() {}
            if gone.peek() != Some(&document) {
                few.push((document, weight));
            }
        });
        Self::Few(few)
    }

    /// The weight of the term in a document, 0 where it does not stand.
    pub(super) fn weight(&self, document: u32) -> u32 {
        match self {
            Self::Few(list) => list
                .binary_search_by_key(&document, |(document, _)| *document)
                .ok()
                .and_then(|at| list.get(at))
                .map_or(0, |(_, weight)| *weight),
            Self::Many { cells, more } => match cells.get(document as usize) {
                Some(&FULL) => more.get(&document).copied().unwrap_or(0),
                Some(weight) => u32::from(*weight),
                None => 0,
            },
        }
    }

    /// Calls `each` with every document and its weight, in order.
    pub(super) fn each(&self, mut each: impl FnMut(usize, u32)) {
        match self {
            Self::Few(list) => list
                .iter()
                .for_each(|(document, weight)| each(*document as usize, *weight)),
            Self::Many { cells, more } => {
                for (document, cell) in (0_u32..).zip(cells) {
                    match *cell {
                        0 => {}
                        FULL => each(document as usize, more.get(&document).copied().unwrap_or(0)),
                        weight => each(document as usize, u32::from(weight)),
                    }
                }
            }
        }
    }

    /// How many of the documents with a mark hold the term.
    pub(super) fn count(&self, marks: &[u8]) -> u64 {
        let counted = match self {
            Self::Few(list) => list
                .iter()
                .filter(|(document, _)| {
                    marks.get(*document as usize).is_some_and(|mark| *mark != 0)
                })
                .count(),
            Self::Many { cells, .. } => cells
                .chunks(128)
                .zip(marks.chunks(128))
                .map(|(cells, marks)| {
                    // At most 128, so that bytes can count: eight times as many at a time.
                    let both = cells
                        .iter()
                        .zip(marks)
                        .map(|(cell, mark)| u8::from(*cell != 0) & mark);
                    usize::from(both.fold(0_u8, u8::wrapping_add))
                })
                .sum(),
        };
        counted as u64
    }

    /// Takes the marks of documents that do not hold the term, and counts those left.
    pub(super) fn keep_only(&self, marks: &mut Vec<u8>) -> usize {
        match self {
            Self::Few(list) => {
                let mut kept = vec![0; marks.len()];
                for (document, _) in list {
                    let at = *document as usize;
                    if let (Some(to), Some(mark)) = (kept.get_mut(at), marks.get(at)) {
                        *to = *mark;
                    }
                }
                *marks = kept;
            }
            Self::Many { cells, .. } => {
                marks
                    .iter_mut()
                    .zip(cells)
                    .for_each(|(mark, cell)| *mark &= u8::from(*cell != 0));
            }
        }
        marks.iter().map(|mark| usize::from(*mark)).sum()
    }

    /// The greatest weight.
    pub(super) fn greatest(&self) -> u32 {
        match self {
            Self::Few(list) => list.iter().map(|(_, weight)| *weight).max(),
            Self::Many { cells, more } => more
                .values()
                .copied()
                .max()
                .or_else(|| cells.iter().copied().max().map(u32::from)),
        }
        .unwrap_or(0)
    }

    /// Bytes of memory that it takes.
    pub(super) fn memory(&self) -> usize {
        match self {
            Self::Few(list) => 8 * list.len(),
            Self::Many { cells, more } => cells.len() + 32 * more.len(),
        }
    }
}

/// The postings of a term while they are being summed.
enum Sum {
    Few(Vec<(u32, u32)>),
    Many(Cells),
}

impl Sum {
    fn new(words: &[Found], size: usize) -> Self {
        let bytes: usize = words
            .iter()
            .map(|word| (word.to - word.from) as usize)
            .sum();
        // A posting takes a byte or more, most take one or two.
        if bytes * SHARE > size {
            Self::Many(Cells::new(size))
        } else {
            Self::Few(Vec::with_capacity(bytes))
        }
    }

    /// Adds a word's postings, in which the term stands so many times; nothing if they make no sense.
    fn add(&mut self, postings: &[u8], times: u32) -> Option<()> {
        match self {
            Self::Few(few) => each_posting(postings, |document, weight| {
                few.push((document, weight.saturating_mul(times)));
            }),
            Self::Many(cells) => each_posting(postings, |document, weight| {
                cells.add(document, weight.saturating_mul(times));
            }),
        }
    }

    /// The sum; nothing if a posting names a document that is not there.
    fn list(self, size: usize) -> Option<List> {
        let mut few = match self {
            Self::Many(cells) => return Some(cells.list()),
            Self::Few(few) => few,
        };
        few.sort_unstable_by_key(|(document, _)| *document);
        few.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 = kept.1.saturating_add(next.1);
            }
            same
        });
        few.shrink_to_fit();
        let inside = few
            .last()
            .is_none_or(|(document, _)| (*document as usize) < size);
        inside.then_some(List::Few(few))
    }
}

/// Weights by document while they are being summed.
struct Cells {
    cells: Vec<u8>,
    more: BTreeMap<u32, u32>,
}

impl Cells {
    fn new(size: usize) -> Self {
        Self {
            cells: vec![0; size],
            more: BTreeMap::new(),
        }
    }

    #[inline]
    fn add(&mut self, document: u32, weight: u32) {
        let Some(cell) = self.cells.get_mut(document as usize) else {
            return;
        };
        let sum = u32::from(*cell) + weight;
        match u8::try_from(sum) {
            Ok(sum) if sum < FULL => *cell = sum,
            _ => {
                let before = self.more.entry(document).or_insert(0);
                *before = before.saturating_add(if *cell == FULL { weight } else { sum });
                *cell = FULL;
            }
        }
    }

    fn list(self) -> List {
        let Self { cells, more } = self;
        let held = cells.iter().filter(|cell| **cell != 0).count();
        if held * SHARE * 2 > cells.len() {
            return List::Many { cells, more };
        }
        let mut few = Vec::with_capacity(held);
        for (document, cell) in (0_u32..).zip(&cells) {
            match *cell {
                0 => {}
                FULL => few.push((document, more.get(&document).copied().unwrap_or(0))),
                weight => few.push((document, u32::from(weight))),
            }
        }
        List::Few(few)
    }
}

/// The parts that hold the postings of some words, which lie one behind the other.
fn parts(words: &[(usize, Found)]) -> Option<Vec<u32>> {
    let mut parts = Vec::new();
    let mut next = 0;
    for (_, word) in words {
        let (from, to) = (word.from as usize, word.to as usize);
        let last = to.checked_sub(1)? / PART;
        for number in next.max(from / PART)..=last {
            parts.push(u32::try_from(number).ok()?);
            next = number + 1;
        }
    }
    Some(parts)
}
