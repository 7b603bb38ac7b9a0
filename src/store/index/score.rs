//! Ranking: BM25 over the OR of the terms, with a MaxScore cut-off.
//!
//! Documents are gone through in blocks. As soon as as many are found as are wanted, terms that
//! together cannot lift a document over the worst of these no longer make one a candidate; they are
//! only added to those that other terms make. The shares of a document are added in the order of the
//! terms, so that its relevance is to the bit what the plain scan computes.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::sync::Arc;

use super::list::{FULL, List};
use super::loaded::Segment;
use crate::item::{Instant, ItemId};
use crate::store::search::Ranked;
use crate::store::search::rank::{self, B, K1};

/// Documents of a block: what is computed of it stays in the nearest cache.
const BLOCK: usize = 4096;
/// How much a bound is lifted, so that rounding cannot make it too low.
const SLACK: f64 = 1.0 + 1e-9;

/// What all documents are measured by.
#[derive(Debug)]
pub(super) struct Measure {
    /// Of each term.
    pub(super) idf: Vec<f64>,
    /// The mean length.
    pub(super) mean: f64,
}

/// A segment with the lists of all terms.
pub(super) struct Listed<'a> {
    pub(super) segment: &'a Segment,
    /// One a term.
    pub(super) lists: Vec<Arc<List>>,
    /// 1 for each document that may be a result as far as scope goes.
    pub(super) marks: &'a [u8],
}

/// The best so far; the top is the worst of them.
struct Worst(Ranked);

impl PartialEq for Worst {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Worst {}

impl PartialOrd for Worst {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Worst {
    fn cmp(&self, other: &Self) -> Ordering {
        rank::order(&self.0, &other.0)
    }
}

/// The best so far, as many as are wanted.
pub(super) struct Best {
    pool: usize,
    heap: BinaryHeap<Worst>,
}

impl Best {
    /// Begins with none.
    pub(super) fn new(pool: usize) -> Self {
        Self {
            pool,
            heap: BinaryHeap::with_capacity(pool.min(10_000) + 1),
        }
    }

    /// The relevance below which nothing is taken any more; `None` while there is room.
    fn worst(&self) -> Option<f64> {
        let worst = || self.heap.peek().map_or(0.0, |worst| worst.0.relevance);
        (self.heap.len() >= self.pool).then(worst)
    }

    /// Whether one of this relevance may be among the best.
    pub(super) fn takes(&self, relevance: f64) -> bool {
        self.worst().is_none_or(|worst| relevance >= worst)
    }

    /// Adds one.
    pub(super) fn push(&mut self, ranked: Ranked) {
        let ranked = Worst(ranked);
        if self.heap.len() < self.pool {
            self.heap.push(ranked);
        } else if let Some(mut worst) = self.heap.peek_mut()
            && ranked < *worst
        {
            *worst = ranked;
        }
    }

    /// The best, best first.
    pub(super) fn finish(self) -> Vec<Ranked> {
        let sorted = self.heap.into_sorted_vec().into_iter();
        sorted.map(|worst| worst.0).collect()
    }
}

/// Ranks documents, segment by segment.
pub(super) struct Ranking<'a> {
    measure: &'a Measure,
    best: Best,
    /// The most that each term can add.
    bounds: Vec<f64>,
    block: Block,
}

/// What is computed of a block of documents.
struct Block {
    marks: Vec<u8>,
    /// The candidates, then room.
    room: Vec<u16>,
    /// How many candidates there are.
    count: usize,
    scores: Vec<f64>,
    /// `K1 × (1 − B + B × length ÷ mean)`.
    norms: Vec<f64>,
}

impl<'a> Ranking<'a> {
    /// Begins. `greatest` is the greatest weight of each term in any document.
    pub(super) fn new(measure: &'a Measure, pool: usize, greatest: &[u32]) -> Self {
        let bound = |(idf, weight): (&f64, &u32)| {
            // The shortest document has length 0.
            rank::share(*idf, f64::from(*weight) / 2.0, 0.0, measure.mean) * SLACK
        };
        Self {
            measure,
            best: Best::new(pool),
            bounds: measure.idf.iter().zip(greatest).map(bound).collect(),
            block: Block {
                marks: vec![0; BLOCK],
                room: vec![0; BLOCK],
                count: 0,
                scores: vec![0.0; BLOCK],
                norms: vec![0.0; BLOCK],
            },
        }
    }

    /// The best, best first.
    pub(super) fn finish(self) -> Vec<Ranked> {
        self.best.finish()
    }

    /// Looks at the documents of a segment; `wanted` says which may be results, all without it.
    pub(super) fn add(
        &mut self,
        listed: &Listed<'_>,
        wanted: Option<&impl Fn(usize) -> bool>,
        date: impl Fn(usize) -> crate::store::Result<Instant>,
    ) -> crate::store::Result<()> {
        let size = listed.segment.documents.len();
        for start in (0..size).step_by(BLOCK) {
            let end = size.min(start + BLOCK);
            self.candidates(listed, start, end, wanted);
            if self.block.count == 0 {
                continue;
            }
            self.score(listed, start, end);
            let mut least = self.best.worst().unwrap_or(f64::NEG_INFINITY);
            for at in self.block.candidates() {
                let document = start + at;
                let relevance = self.block.scores.get(at).copied().unwrap_or(0.0);
                let may_be_taken = relevance >= least;
                if !may_be_taken {
                    continue;
                }
                let item = listed.segment.documents.items.get(document).copied();
                let ranked = Ranked {
                    id: ItemId(item.unwrap_or(0)),
                    occurred_at: date(document)?,
                    relevance,
                };
                self.best.push(ranked);
                least = self.best.worst().unwrap_or(least);
            }
        }
        Ok(())
    }

    /// Which terms make a document a candidate.
    fn essential(&self) -> Vec<bool> {
        let mut essential = vec![true; self.bounds.len()];
        let Some(worst) = self.best.worst() else {
            return essential;
        };
        let mut order: Vec<usize> = (0..self.bounds.len()).collect();
        let bound = |term: &usize| self.bounds.get(*term).copied().unwrap_or(f64::INFINITY);
        order.sort_by(|a, b| bound(a).total_cmp(&bound(b)));
        let mut sum = 0.0;
        for term in order {
            sum += bound(&term);
            if sum >= worst {
                break;
            }
            if let Some(essential) = essential.get_mut(term) {
                *essential = false;
            }
        }
        essential
    }

    fn candidates(
        &mut self,
        listed: &Listed<'_>,
        start: usize,
        end: usize,
        wanted: Option<&impl Fn(usize) -> bool>,
    ) {
        let essential = self.essential();
        let block = &mut self.block;
        block.count = 0;
        block.marks.fill(0);
        let mut any = false;
        for (list, _) in listed
            .lists
            .iter()
            .zip(&essential)
            .filter(|(_, essential)| **essential)
        {
            match &**list {
                List::Few(list) => {
                    for (document, _) in stretch(list, start, end) {
                        if let Some(mark) = block.marks.get_mut(*document as usize - start) {
                            *mark = 1;
                            any = true;
                        }
                    }
                }
                List::Many { cells, .. } => {
                    let cells = cells.get(start..end).unwrap_or_default();
                    block
                        .marks
                        .iter_mut()
                        .zip(cells)
                        .for_each(|(mark, cell)| *mark |= cell);
                    any = true;
                }
            }
        }
        if !any {
            return;
        }
        let seen = listed.marks.get(start..end).unwrap_or_default();
        for (mark, seen) in block.marks.iter_mut().zip(seen) {
            *mark = u8::from(*mark != 0) & *seen;
        }
        if let Some(wanted) = wanted {
            for (at, mark) in block.marks.iter_mut().enumerate() {
                *mark &= u8::from(*mark != 0 && wanted(start + at));
            }
        }
        block.collect();
    }

    fn score(&mut self, listed: &Listed<'_>, start: usize, end: usize) {
        let block = &mut self.block;
        let lengths = listed
            .segment
            .documents
            .lengths
            .get(start..end)
            .unwrap_or_default();
        let mean = self.measure.mean;
        block.scores.fill(0.0);
        for (to, length) in block.norms.iter_mut().zip(lengths) {
            let length = f64::from(*length);
            let norm = if mean > 0.0 { length / mean } else { 1.0 };
            *to = K1 * (1.0 - B + B * norm);
        }
        for (list, idf) in listed.lists.iter().zip(&self.measure.idf) {
            match &**list {
                List::Few(list) => {
                    for (document, weight) in stretch(list, start, end) {
                        let at = *document as usize - start;
                        // Harmless where no candidate is: nobody reads that score.
                        block.add(at, *idf, *weight);
                    }
                }
                List::Many { cells, more } => {
                    let cells = cells.get(start..end).unwrap_or_default();
                    block.add_many(cells, *idf, |at| {
                        let document = u32::try_from(start + at).unwrap_or(u32::MAX);
                        more.get(&document).copied().unwrap_or(0)
                    });
                }
            }
        }
    }
}

impl Block {
    /// The candidates, in order.
    fn candidates(&self) -> impl Iterator<Item = usize> + use<'_> {
        let candidates = self.room.iter().take(self.count);
        candidates.map(|at| usize::from(*at))
    }

    /// Makes the marks, which are 0 or 1, a list of candidates.
    fn collect(&mut self) {
        let mut at = 0;
        for marks in self.marks.chunks(8) {
            if marks.iter().all(|mark| *mark == 0) {
                at += 8;
                continue;
            }
            // Each is written, and stays if it is one: whether it is cannot be foreseen.
            for mark in marks {
                if let Some(room) = self.room.get_mut(self.count) {
                    *room = at;
                }
                self.count += usize::from(*mark);
                at += 1;
            }
        }
    }

    #[inline]
    fn add(&mut self, at: usize, idf: f64, weight: u32) {
        let frequency = f64::from(weight) / 2.0;
        if let (Some(score), Some(norm)) = (self.scores.get_mut(at), self.norms.get(at)) {
            // As in `rank::share`, operation for operation.
            *score += idf * frequency * (K1 + 1.0) / (frequency + norm);
        }
    }

    fn add_many(&mut self, cells: &[u8], idf: f64, more: impl Fn(usize) -> u32) {
        // Of many candidates it is quicker to reckon with all documents, several at a time: no
        // occurrence adds nothing, and nobody reads the score of one that is no candidate.
        if self.count * 4 > cells.len() && memchr::memchr(FULL, cells).is_none() {
            let norms = self.norms.iter().zip(cells);
            for (score, (norm, cell)) in self.scores.iter_mut().zip(norms) {
                let frequency = f64::from(*cell) / 2.0;
                *score += idf * frequency * (K1 + 1.0) / (frequency + norm);
            }
            return;
        }
        for at in self.room.iter().take(self.count) {
            let at = usize::from(*at);
            let weight = match cells.get(at) {
                None | Some(0) => continue,
                Some(&FULL) => more(at),
                Some(weight) => u32::from(*weight),
            };
            let frequency = f64::from(weight) / 2.0;
            if let (Some(score), Some(norm)) = (self.scores.get_mut(at), self.norms.get(at)) {
                *score += idf * frequency * (K1 + 1.0) / (frequency + norm);
            }
        }
    }
}

/// The part of a list that lies in a block.
fn stretch(list: &[(u32, u32)], start: usize, end: usize) -> &[(u32, u32)] {
    let from = list.partition_point(|(document, _)| (*document as usize) < start);
    let rest = list.get(from..).unwrap_or_default();
    let to = rest.partition_point(|(document, _)| (*document as usize) < end);
    rest.get(..to).unwrap_or_default()
}
