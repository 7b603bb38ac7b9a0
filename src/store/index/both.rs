//! Answering from two books: what stands in items, and what stands in their originals.
//!
//! The book of originals knows words and lengths alone. Which item an original belongs to, who may
//! see it and whether a filter wants it is known from the book of summaries: a *row* is the place of
//! an item there, counted through all segments, and every original is told its item's row. So a
//! change of an item costs its original nothing.
//!
//! Each book has statistics of its own, those of what the caller may see. An item's relevance is the
//! sum of both, the original's for less ([`ORIGINAL`]).

use std::sync::Arc;

use super::ask::{Asked, Wanted};
use super::budget::Budget;
use super::list::List;
use super::plan::Plan;
use super::score::Best;
use super::seen::Seen;
use super::shelf::Shelf;
use super::texts::{Texts, date};
use crate::item::ItemId;
use crate::store::Result;
use crate::store::search::rank::{self, ORIGINAL};
use crate::store::search::{Matches, Question, Ranked, TextScope};

/// The row of each original, as of one generation.
#[derive(Debug)]
pub(super) struct Rows {
    generation: i64,
    /// How many rows there are.
    count: usize,
    /// For each segment of the originals, the row of each document; [`NOWHERE`] for the dead.
    of_originals: Vec<Vec<u32>>,
}

const NOWHERE: u32 = u32::MAX;

impl Rows {
    /// Finds the row of each original. Both books were seen in the same state of the file.
    pub(super) fn new(summaries: &Seen, originals: &Seen) -> Self {
        let mut items: Vec<(i64, u32)> = Vec::new();
        let mut count = 0_u32;
        for held in &summaries.segments {
            for (item, alive) in held.segment.documents.items.iter().zip(&held.alive) {
                if *alive != 0 {
                    items.push((*item, count));
                }
                count = count.saturating_add(1);
            }
        }
        items.sort_unstable();
        let mut next = 0;
        let mut row = |item: i64| {
            // Originals mostly stand in the order of their items.
            let at = match items.get(next) {
                Some((known, _)) if *known == item => Some(next),
                _ => items.binary_search_by_key(&item, |(item, _)| *item).ok(),
            };
            next = at.map_or(next, |at| at + 1);
            at.and_then(|at| items.get(at))
                .map_or(NOWHERE, |(_, row)| *row)
        };
        let of_originals = originals
            .segments
            .iter()
            .map(|held| {
                let documents = held.segment.documents.items.iter().zip(&held.alive);
                documents
                    .map(|(item, alive)| if *alive == 0 { NOWHERE } else { row(*item) })
                    .collect()
            })
            .collect();
        Self {
            generation: originals.generation,
            count: count as usize,
            of_originals,
        }
    }

    /// As of when it is true.
    pub(super) fn generation(&self) -> i64 {
        self.generation
    }
}

/// The means to answer from both books.
pub(super) struct Both<'a, S, T> {
    pub(super) summaries: &'a Asked<'a, S, T>,
    pub(super) originals: &'a Asked<'a, S, T>,
    pub(super) rows: &'a Rows,
    /// Most characters of originals to read.
    pub(super) characters: u64,
}

/// One book's documents by row, with the lists of all terms.
struct Counted<'a> {
    segments: Vec<Segment<'a>>,
    documents: u64,
    characters: u64,
    /// What its relevance counts.
    weight: f64,
}

/// A segment of it.
struct Segment<'a> {
    lists: Vec<Arc<List>>,
    lengths: &'a [u32],
    rows: RowsOf<'a>,
}

/// Which rows the documents of a segment have.
#[derive(Clone, Copy)]
enum RowsOf<'a> {
    /// One after the other from here.
    From(usize),
    /// As the list says.
    Listed(&'a [u32]),
}

impl RowsOf<'_> {
    fn of(self, document: usize) -> usize {
        match self {
            Self::From(first) => first + document,
            Self::Listed(rows) => rows.get(document).copied().unwrap_or(NOWHERE) as usize,
        }
    }
}

impl<S: Shelf, T: Texts> Both<'_, S, T> {
    /// Ranks what matches.
    pub(super) fn matches(&self, question: &Question<'_>, wanted: &Wanted<'_>) -> Result<Matches> {
        let scoped = self.summaries.seen.scoped(question.scope);
        let marks = scoped.marks().collect::<Vec<_>>().concat();
        let plans: Vec<Plan<'_>> = question.terms.iter().map(Plan::new).collect();
        let mut budget = Budget::new(&plans, self.characters);
        let mut books = Vec::new();
        if question.texts.has_summaries() {
            let (documents, characters) = (scoped.documents(), scoped.characters());
            books.push(self.in_summaries(question, &plans, documents, characters)?);
        }
        let originals = self.in_originals(question, &plans, &mut budget, &marks)?;
        let searched = match question.texts {
            TextScope::Original => originals.documents,
            _ => scoped.documents(),
        };
        books.push(originals);
        let mut found = Matches {
            searched,
            frequencies: Vec::new(),
            ranked: Vec::new(),
            unread: budget.unread,
        };
        let mut relevance = vec![0.0; self.rows.count];
        for book in &books {
            let with = book.add(question.terms.len(), &marks, &mut relevance);
            if books.len() == 1 {
                found.frequencies = with;
            }
        }
        if books.len() > 1 {
            found.frequencies = united(&books, question.terms.len(), &marks);
        }
        found.ranked = self.best(question, wanted, &relevance)?;
        Ok(found)
    }

    fn in_summaries(
        &self,
        question: &Question<'_>,
        plans: &[Plan<'_>],
        documents: u64,
        characters: u64,
    ) -> Result<Counted<'_>> {
        let mut budget = Budget::new(plans, u64::MAX);
        let mut first = 0;
        let mut segments = Vec::new();
        for held in &self.summaries.seen.segments {
            let lengths = held.segment.documents.lengths.as_slice();
            segments.push(Segment {
                lists: (self.summaries).lists(held, question.terms, plans, None, &mut budget)?,
                lengths,
                rows: RowsOf::From(first),
            });
            first += lengths.len();
        }
        Ok(Counted {
            segments,
            documents,
            characters,
            weight: 1.0,
        })
    }

    fn in_originals(
        &self,
        question: &Question<'_>,
        plans: &[Plan<'_>],
        budget: &mut Budget,
        marks: &[u8],
    ) -> Result<Counted<'_>> {
        let mut counted = Counted {
            segments: Vec::new(),
            documents: 0,
            characters: 0,
            weight: ORIGINAL,
        };
        let held = self.originals.seen.segments.iter();
        // The newest first: what may be read is spent on them.
        for (held, rows) in held.zip(&self.rows.of_originals).rev() {
            let lengths = held.segment.documents.lengths.as_slice();
            let mark = |row: &u32| marks.get(*row as usize).copied().unwrap_or(0);
            let visible: Vec<u8> = rows.iter().map(mark).collect();
            for (mark, length) in visible.iter().zip(lengths) {
                counted.documents += u64::from(*mark);
                counted.characters += u64::from(*mark) * u64::from(*length);
            }
            let lists =
                (self.originals).lists(held, question.terms, plans, Some(&visible), budget)?;
            counted.segments.push(Segment {
                lists,
                lengths,
                rows: RowsOf::Listed(rows),
            });
        }
        Ok(counted)
    }

    /// The best rows that are wanted.
    fn best(
        &self,
        question: &Question<'_>,
        wanted: &Wanted<'_>,
        relevance: &[f64],
    ) -> Result<Vec<Ranked>> {
        let mut best = Best::new(question.pool);
        let mut first = 0;
        for held in &self.summaries.seen.segments {
            let documents = &held.segment.documents;
            let wanted = wanted.test(&held.segment);
            let rows = relevance.get(first..).unwrap_or_default();
            first += documents.len();
            for (at, relevance) in rows.iter().take(documents.len()).enumerate() {
                // What is not in scope, or dead, got nothing.
                if *relevance <= 0.0 || !best.takes(*relevance) || !wanted(at) {
                    continue;
                }
                let item = documents.items.get(at).copied().unwrap_or(0);
                let seconds = documents.dates.get(at).copied().unwrap_or(0);
                best.push(Ranked {
                    id: ItemId(item),
                    occurred_at: date(seconds, item)?,
                    relevance: *relevance,
                });
            }
        }
        Ok(best.finish())
    }
}

impl Counted<'_> {
    /// Adds the relevance of each row with a mark, term after term as the scan does. Gives how many
    /// of these rows hold each term.
    fn add(&self, terms: usize, marks: &[u8], relevance: &mut [f64]) -> Vec<u64> {
        let mut frequencies = vec![0; terms];
        for segment in &self.segments {
            for (list, frequency) in segment.lists.iter().zip(&mut frequencies) {
                list.each(|document, _| {
                    let mark = marks.get(segment.rows.of(document)).copied().unwrap_or(0);
                    *frequency += u64::from(mark);
                });
            }
        }
        let mean = rank::count(self.characters) / rank::count(self.documents.max(1));
        let idf: Vec<f64> = frequencies
            .iter()
            .map(|with| rank::idf(self.documents, *with))
            .collect();
        for segment in &self.segments {
            let mut own = vec![0.0; segment.lengths.len()];
            for (list, idf) in segment.lists.iter().zip(&idf) {
                list.each(|document, weight| {
                    if let (Some(own), Some(length)) =
                        (own.get_mut(document), segment.lengths.get(document))
                    {
                        let frequency = f64::from(weight) / 2.0;
                        *own += rank::share(*idf, frequency, f64::from(*length), mean);
                    }
                });
            }
            for (document, own) in own.iter().enumerate().filter(|(_, own)| **own > 0.0) {
                let row = segment.rows.of(document);
                if marks.get(row).is_some_and(|mark| *mark != 0)
                    && let Some(relevance) = relevance.get_mut(row)
                {
                    *relevance += self.weight * own;
                }
            }
        }
        frequencies
    }
}

/// How many of the rows with a mark hold each term in any of the books.
fn united(books: &[Counted<'_>], terms: usize, marks: &[u8]) -> Vec<u64> {
    let mut held = vec![0_u8; marks.len()];
    let mut count = |term: usize| {
        held.fill(0);
        for segment in books.iter().flat_map(|book| &book.segments) {
            if let Some(list) = segment.lists.get(term) {
                list.each(|document, _| {
                    if let Some(held) = held.get_mut(segment.rows.of(document)) {
                        *held = 1;
                    }
                });
            }
        }
        let both = held
            .iter()
            .zip(marks)
            .map(|(held, mark)| u64::from(held & mark));
        both.sum()
    };
    (0..terms).map(&mut count).collect()
}
