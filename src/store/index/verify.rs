//! Terms that do not stand in one word: the index finds where they may stand, and texts tell.

use std::sync::Arc;

use super::ask::Asked;
use super::budget::{Budget, characters};
use super::builder::halves;
use super::chain::{self, Chain, Known};
use super::fields::Fields;
use super::list::List;
use super::loaded::Segment;
use super::plan::{Condition, Plan};
use super::seen::Held;
use super::shelf::Shelf;
use super::texts::Texts;
use crate::store::Result;
use crate::store::search::Term;
use crate::store::search::document::{Document, Needle};

/// What the index says of a term in a segment.
#[derive(Debug, Default)]
struct Told {
    /// Documents whose texts must tell whether they hold it, by number.
    doubts: Vec<u32>,
    /// The fields of each that may.
    fields: Vec<Fields>,
    /// Documents that hold it, with weights.
    found: Vec<(u32, u32)>,
}

impl<S: Shelf, T: Texts> Asked<'_, S, T> {
    /// Makes the lists that need a look at texts, reading each text once for all terms.
    pub(super) fn verify(
        &self,
        held: &Held,
        terms: &[Term],
        plans: &[Plan<'_>],
        visible: Option<&[u8]>,
        lists: &mut [Option<Arc<List>>],
        budget: &mut Budget,
    ) -> Result<()> {
        let segment = &held.segment;
        let mut missing = Vec::new();
        for (at, (plan, term)) in plans.iter().zip(terms).enumerate() {
            if matches!(plan, Plan::Counted(_)) {
                continue;
            }
            if let Some(known) = self.cache.list(segment, term) {
                let from = budget.take(at, segment, &known.read, visible);
                if let Some(list) = lists.get_mut(at) {
                    *list = Some(known.from(from));
                }
                continue;
            }
            let mut told = match plan {
                Plan::Counted(_) => continue,
                Plan::Chained(chain) => self.chained(held, chain)?,
                Plan::Verified(conditions) => self.candidates(held, conditions)?,
            };
            let all = (told.doubts.iter())
                .map(|one| characters(segment, *one))
                .sum();
            let affords_all = budget.affords(at, all);
            let from = budget.take(at, segment, &told.doubts, visible);
            if !affords_all {
                told.keep_only(from, visible);
            }
            missing.push(Missing {
                at,
                term,
                needle: Needle::new(term),
                told,
                is_whole: affords_all,
                looked: 0,
            });
        }
        self.read(segment, &mut missing)?;
        for one in missing {
            let Told {
                doubts, mut found, ..
            } = one.told;
            found.sort_unstable_by_key(|(document, _)| *document);
            if let Some(list) = lists.get_mut(one.at) {
                let found = List::Few(found);
                *list = Some(match one.is_whole {
                    true => self.kept(segment, one.term, found, doubts),
                    false => Arc::new(found),
                });
            }
        }
        Ok(())
    }

    /// Reads the texts of all documents in doubt.
    fn read(&self, segment: &Segment, missing: &mut [Missing<'_>]) -> Result<()> {
        let all = missing.iter().flat_map(|one| {
            let documents = one.told.doubts.iter().copied();
            documents.zip(one.told.fields.iter().copied())
        });
        let mut all: Vec<(u32, Fields)> = all.collect();
        all.sort_unstable_by_key(|(document, _)| *document);
        all.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 = kept.1.or(next.1);
            }
            same
        });
        let items = &segment.documents.items;
        let item = |document: u32| items.get(document as usize).copied().unwrap_or(0);
        let wanted: Vec<(i64, Fields)> = all
            .iter()
            .map(|(document, fields)| (item(*document), *fields))
            .collect();
        // What is gone since is dead, which these are not; the index is checked elsewhere.
        self.texts.read_all(&wanted, |at, text| {
            let document = all.get(at).map_or(u32::MAX, |(document, _)| *document);
            for one in missing.iter_mut() {
                one.look(document, text);
            }
        })
    }

    /// What the words of a term tell of documents that are alive.
    fn chained(&self, held: &Held, chain: &Chain<'_>) -> Result<Told> {
        let segment = &held.segment;
        let words = chain.patterns.iter();
        let words: Vec<_> = words.map(|pattern| segment.words(pattern)).collect();
        let mut told = Told::default();
        // A term of which a word stands nowhere needs none of the postings.
        if words.iter().any(Vec::is_empty) {
            return Ok(told);
        }
        let lists = List::collect(self.shelf, segment, &words)?;
        let first = lists.first().into_iter();
        first.for_each(|list| {
            list.each(|at, _| {
                let document = u32::try_from(at).unwrap_or(u32::MAX);
                if held.alive.get(at).is_none_or(|alive| *alive == 0) {
                    return;
                }
                match chain::known(&lists, document) {
                    Known::Weight(0) => {}
                    Known::Weight(weight) => told.found.push((document, weight)),
                    Known::Doubt => told.doubt(document, Fields::ALL),
                }
            });
        });
        Ok(told)
    }

    /// Documents that are alive and meet all conditions, in one field at least.
    fn candidates(&self, held: &Held, conditions: &[Condition<'_>]) -> Result<Told> {
        let segment = &held.segment;
        let mut told = Told::default();
        let mut met = held.alive.clone();
        let mut weights = Vec::new();
        for condition in conditions {
            let mut words = Vec::new();
            for pattern in condition {
                words.extend(segment.words(pattern));
            }
            let lists = List::collect(self.shelf, segment, &[words])?;
            let list = lists.into_iter().next().unwrap_or(List::Few(Vec::new()));
            if list.keep_only(&mut met) == 0 {
                return Ok(told);
            }
            weights.push((list, projects(segment, condition)));
        }
        for (document, _) in (0_u32..).zip(&met).filter(|(_, met)| **met != 0) {
            let project = segment.documents.projects.get(document as usize);
            let project = project.copied().unwrap_or(0) as usize;
            let fields = weights.iter().map(|(list, projects)| {
                let in_project = projects.get(project).copied().unwrap_or(false);
                Fields::of_weight(list.weight(document), in_project)
            });
            let fields = fields.fold(Fields::ALL, Fields::and);
            if !fields.is_empty() {
                told.doubt(document, fields);
            }
        }
        Ok(told)
    }
}

/// For each project of a segment, as documents name it, whether its name may meet a condition.
fn projects(segment: &Segment, condition: &Condition<'_>) -> Vec<bool> {
    let none = std::iter::once(false);
    let named = segment.folded_names().iter().map(|name| {
        let mut patterns = condition.iter();
        patterns.any(|pattern| pattern.finder.find(name.as_bytes()).is_some())
    });
    none.chain(named).collect()
}

impl Told {
    fn doubt(&mut self, document: u32, fields: Fields) {
        self.doubts.push(document);
        self.fields.push(fields);
    }

    /// Leaves those in doubt before a place out, and those without a mark.
    fn keep_only(&mut self, from: usize, visible: Option<&[u8]>) {
        let is_kept = |document: &u32| {
            visible.is_none_or(|marks| marks.get(*document as usize).is_some_and(|mark| *mark != 0))
        };
        let doubts = self.doubts.iter().copied().zip(self.fields.iter().copied());
        let doubts = doubts.skip(from).filter(|(document, _)| is_kept(document));
        (self.doubts, self.fields) = doubts.unzip();
    }
}

/// A list that is being made by reading texts.
struct Missing<'a> {
    /// Which term's.
    at: usize,
    term: &'a Term,
    needle: Needle<'a>,
    told: Told,
    /// Whether these are all there are, so that the list is worth keeping.
    is_whole: bool,
    /// How many of the doubts have been looked at.
    looked: usize,
}

impl Missing<'_> {
    /// Looks at the next document, if it is in doubt.
    fn look(&mut self, document: u32, text: Option<&Document>) {
        if self.told.doubts.get(self.looked) != Some(&document) {
            return;
        }
        self.looked += 1;
        let weight = text.map_or(0, |text| halves(text.frequency(&self.needle)));
        if weight > 0 {
            self.told.found.push((document, weight));
        }
    }
}
