//! In which documents of a segment a term stands, and how much that counts.

use std::collections::BTreeMap;

use super::loaded::{Found, Segment};
use super::pack::each_posting;
use super::segment::{PART, damaged};
use super::shelf::{Kind, Part, Shelf};
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
        let size = segment.documents.len();
        let mut sums: Vec<Sum> = terms.iter().map(|words| Sum::new(words, size)).collect();
        let mut order: Vec<(usize, Found)> = Vec::new();
        for (at, words) in terms.iter().enumerate() {
            order.extend(words.iter().map(|word| (at, *word)));
        }
        order.sort_unstable_by_key(|(_, word)| word.from);
        let mut reader = Reader::new(shelf, segment);
        for (at, word) in order {
            match sums.get_mut(at) {
                Some(Sum::Few(few)) => {
                    reader.each(word, |document, weight| few.push((document, weight)))?;
                }
                Some(Sum::Many(cells)) => {
                    reader.each(word, |document, weight| cells.add(document, weight))?;
                }
                None => {}
            }
        }
        sums.into_iter()
            .map(|sum| sum.list(size).ok_or_else(|| damaged(segment.row.id)))
            .collect()
    }

    /// The list without documents before one.
    pub(super) fn since(&self, first: u32) -> Self {
        let mut few = Vec::new();
        self.each(|document, weight| {
            let document = u32::try_from(document).unwrap_or(u32::MAX);
            if document >= first {
                few.push((document, weight));
            }
        });
        Self::Few(few)
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

/// Reads postings of a segment, word after word, holding the last part.
struct Reader<'a, S> {
    shelf: &'a S,
    segment: &'a Segment,
    /// The part that is held.
    number: Option<u32>,
    part: Vec<u8>,
    /// A word's postings that do not lie in one part.
    joined: Vec<u8>,
}

impl<'a, S: Shelf> Reader<'a, S> {
    fn new(shelf: &'a S, segment: &'a Segment) -> Self {
        Self {
            shelf,
            segment,
            number: None,
            part: Vec::new(),
            joined: Vec::new(),
        }
    }

    fn each(&mut self, word: Found, each: impl FnMut(u32, u32)) -> Result<()> {
        let fault = || damaged(self.segment.row.id);
        let (from, to) = (word.from as usize, word.to as usize);
        let (first, last) = (from / PART, to.saturating_sub(1) / PART);
        let times = word.times;
        let mut each = each;
        let mut each = |document, weight: u32| each(document, weight.saturating_mul(times));
        if first == last {
            self.hold(first)?;
            let bytes = self.part.get(from - first * PART..to - first * PART);
            return each_posting(bytes.ok_or_else(fault)?, &mut each).ok_or_else(fault);
        }
        self.joined.clear();
        for number in first..=last {
            self.hold(number)?;
            let from = from.saturating_sub(number * PART);
            let to = (to - number * PART).min(PART);
            let bytes = self.part.get(from..to);
            self.joined.extend_from_slice(bytes.ok_or_else(fault)?);
        }
        each_posting(&self.joined, &mut each).ok_or_else(fault)
    }

    fn hold(&mut self, number: usize) -> Result<()> {
        let segment = self.segment.row.id;
        let number = u32::try_from(number).map_err(|_| damaged(segment))?;
        if self.number != Some(number) {
            self.number = None;
            self.part.clear();
            self.shelf.read(
                Part {
                    segment,
                    kind: Kind::Postings,
                    number,
                },
                &mut self.part,
            )?;
            self.number = Some(number);
        }
        Ok(())
    }
}
