//! Answering a question from the index.

use std::sync::Arc;

use super::budget::{Budget, characters};
use super::builder::halves;
use super::cache::{Cache, Verified};
use super::chain::{self, Chain, Known};
use super::list::List;
use super::loaded::Segment;
use super::plan::{Condition, Plan};
use super::score::{Listed, Measure, Ranking};
use super::seen::{Held, Seen};
use super::shelf::Shelf;
use super::texts::marks::EXTERNAL;
use super::texts::{Texts, date};
use crate::store::Result;
use crate::store::search::document::{Document, Needle};
use crate::store::search::{Matches, Question, Term, rank};

/// Which documents may be results, by what the index keeps of them.
#[derive(Debug, Default)]
pub(super) struct Wanted<'a> {
    /// Exact project name.
    pub(super) project: Option<&'a str>,
    /// The source's number; −1 for one that the library does not know.
    pub(super) source: Option<i64>,
    /// Happened at or after this second.
    pub(super) since: Option<i64>,
    /// Happened before this second.
    pub(super) until: Option<i64>,
    /// Has an atom of the kind with this mark.
    pub(super) kind: Option<u8>,
    /// Whether third parties wrote it.
    pub(super) external: Option<bool>,
}

impl Wanted<'_> {
    /// What a segment's documents are held against.
    pub(super) fn test<'s>(&self, segment: &'s Segment) -> impl Fn(usize) -> bool + use<'s> {
        let documents = &segment.documents;
        let project = self
            .project
            .map(|name| super::builder::place(&segment.names, Some(name)));
        let source = self
            .source
            .map(|source| u32::try_from(source).unwrap_or(u32::MAX));
        let (since, until) = (self.since, self.until);
        let (kind, external) = (self.kind, self.external);
        move |at| {
            let date = || documents.dates.get(at).copied().unwrap_or(0);
            let marks = || documents.marks.get(at).copied().unwrap_or(0);
            let project_fits = project
                .is_none_or(|project| project != 0 && documents.projects.get(at) == Some(&project));
            project_fits
                && source.is_none_or(|source| documents.sources.get(at) == Some(&source))
                && since.is_none_or(|since| date() >= since)
                && until.is_none_or(|until| date() < until)
                && kind.is_none_or(|kind| marks() & kind != 0)
                && external.is_none_or(|external| (marks() & EXTERNAL != 0) == external)
        }
    }
}

/// One reader's means to answer.
pub(super) struct Asked<'a, S, T> {
    pub(super) shelf: &'a S,
    pub(super) texts: &'a T,
    pub(super) cache: &'a Cache,
    pub(super) seen: &'a Seen,
}

impl<S: Shelf, T: Texts> Asked<'_, S, T> {
    /// Ranks what matches.
    pub(super) fn matches(&self, question: &Question<'_>, wanted: &Wanted<'_>) -> Result<Matches> {
        let scoped = self.seen.scoped(question.scope);
        let plans: Vec<Plan<'_>> = question.terms.iter().map(Plan::new).collect();
        let mut budget = Budget::new(&plans, u64::MAX);
        let mut frequencies = vec![0; question.terms.len()];
        let mut greatest = vec![0; question.terms.len()];
        let mut listed = Vec::with_capacity(self.seen.segments.len());
        for (held, marks) in self.seen.segments.iter().zip(&scoped.marks) {
            let lists = self.lists(held, question.terms, &plans, None, &mut budget)?;
            for ((frequency, greatest), list) in
                frequencies.iter_mut().zip(&mut greatest).zip(&lists)
            {
                *frequency += list.count(marks);
                *greatest = list.greatest().max(*greatest);
            }
            listed.push(Listed {
                segment: &held.segment,
                lists,
                marks,
            });
        }
        let documents = scoped.documents;
        let measure = Measure {
            idf: frequencies
                .iter()
                .map(|with| rank::idf(documents, *with))
                .collect(),
            mean: rank::count(scoped.characters) / rank::count(documents.max(1)),
        };
        let mut ranking = Ranking::new(&measure, question.pool, &greatest);
        for listed in &listed {
            let documents = &listed.segment.documents;
            ranking.add(listed, wanted.test(listed.segment), |at| {
                let item = documents.items.get(at).copied().unwrap_or(0);
                date(documents.dates.get(at).copied().unwrap_or(0), item)
            })?;
        }
        Ok(Matches {
            ranked: ranking.finish(),
            searched: documents,
            frequencies,
            unread: budget.unread,
        })
    }

    /// The list of each term in a segment.
    ///
    /// With marks, lists tell of documents with a mark alone, as far as texts must be read.
    pub(super) fn lists(
        &self,
        held: &Held,
        terms: &[Term],
        plans: &[Plan<'_>],
        visible: Option<&[u8]>,
        budget: &mut Budget,
    ) -> Result<Vec<Arc<List>>> {
        let segment = &held.segment;
        let mut lists: Vec<Option<Arc<List>>> = vec![None; terms.len()];
        let mut counted = Vec::new();
        let mut words = Vec::new();
        for ((at, plan), (term, list)) in plans.iter().enumerate().zip(terms.iter().zip(&mut lists))
        {
            if let Plan::Counted(pattern) = plan {
                *list = self.cache.list(segment, term).map(|known| known.list);
                if list.is_none() {
                    counted.push(at);
                    words.push(segment.words(pattern));
                }
            }
        }
        let collected = List::collect(self.shelf, segment, &words)?;
        for (at, found) in counted.into_iter().zip(collected) {
            if let (Some(list), Some(term)) = (lists.get_mut(at), terms.get(at)) {
                *list = Some(self.kept(segment, term, found, Vec::new()));
            }
        }
        self.verify(held, terms, plans, visible, &mut lists, budget)?;
        let none = || Arc::new(List::Few(Vec::new()));
        Ok(lists
            .into_iter()
            .map(|list| list.unwrap_or_else(none))
            .collect())
    }

    fn kept(&self, segment: &Segment, term: &Term, list: List, read: Vec<u32>) -> Arc<List> {
        let list = Verified {
            list: Arc::new(list),
            read: read.into(),
        };
        self.cache.keep(segment, term, &list);
        list.list
    }

    /// Makes the lists that need a look at texts, reading each text once for all terms.
    fn verify(
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
            let (mut candidates, found) = match plan {
                Plan::Counted(_) => continue,
                Plan::Chained(chain) => self.chained(held, chain)?,
                Plan::Verified(conditions) => (self.candidates(held, conditions)?, Vec::new()),
            };
            let all = candidates.iter().map(|one| characters(segment, *one)).sum();
            let affords_all = budget.affords(at, all);
            let from = budget.take(at, segment, &candidates, visible);
            if !affords_all {
                candidates.drain(..from);
                if let Some(marks) = visible {
                    candidates
                        .retain(|one| marks.get(*one as usize).is_some_and(|mark| *mark != 0));
                }
            }
            missing.push(Missing {
                at,
                term,
                needle: Needle::new(term),
                candidates,
                is_whole: affords_all,
                looked: 0,
                found,
            });
        }
        self.read(segment, &mut missing)?;
        for mut one in missing {
            one.found.sort_unstable_by_key(|(document, _)| *document);
            if let Some(list) = lists.get_mut(one.at) {
                let found = List::Few(one.found);
                *list = Some(match one.is_whole {
                    true => self.kept(segment, one.term, found, one.candidates),
                    false => Arc::new(found),
                });
            }
        }
        Ok(())
    }

    /// Reads the texts of all candidates.
    fn read(&self, segment: &Segment, missing: &mut [Missing<'_>]) -> Result<()> {
        let all = missing
            .iter()
            .flat_map(|one| one.candidates.iter().copied());
        let mut all: Vec<u32> = all.collect();
        all.sort_unstable();
        all.dedup();
        let items = &segment.documents.items;
        let item = |document: &u32| items.get(*document as usize).copied().unwrap_or(0);
        let items: Vec<i64> = all.iter().map(item).collect();
        // What is gone since is dead, which candidates are not; the index is checked elsewhere.
        self.texts.read_all(&items, |at, text| {
            let document = all.get(at).copied().unwrap_or(u32::MAX);
            for one in missing.iter_mut() {
                one.look(document, text);
            }
        })
    }

    /// Documents that are alive and may hold a term made of some words, which their texts must tell;
    /// and those that do, with its weights.
    fn chained(&self, held: &Held, chain: &Chain<'_>) -> Result<(Vec<u32>, Vec<(u32, u32)>)> {
        let segment = &held.segment;
        let words: Vec<_> = chain
            .patterns
            .iter()
            .map(|pattern| segment.words(pattern))
            .collect();
        let (mut doubts, mut found) = (Vec::new(), Vec::new());
        // A term of which a word stands nowhere needs none of the postings.
        if words.iter().any(Vec::is_empty) {
            return Ok((doubts, found));
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
                    Known::Weight(weight) => found.push((document, weight)),
                    Known::Doubt => doubts.push(document),
                }
            });
        });
        Ok((doubts, found))
    }

    /// Documents that are alive and meet all conditions.
    fn candidates(&self, held: &Held, conditions: &[Condition<'_>]) -> Result<Vec<u32>> {
        let segment = &held.segment;
        let mut met = held.alive.clone();
        for condition in conditions {
            let mut words = Vec::new();
            for pattern in condition {
                words.extend(segment.words(pattern));
            }
            let lists = List::collect(self.shelf, segment, &[words])?;
            let list = lists.into_iter().next().unwrap_or(List::Few(Vec::new()));
            if list.keep_only(&mut met) == 0 {
                return Ok(Vec::new());
            }
        }
        let met = (0_u32..).zip(met).filter(|(_, met)| *met != 0);
        Ok(met.map(|(document, _)| document).collect())
    }
}

/// A list that is being made by reading texts.
struct Missing<'a> {
    /// Which term's.
    at: usize,
    term: &'a Term,
    needle: Needle<'a>,
    /// Documents whose texts tell whether they hold the term, by number.
    candidates: Vec<u32>,
    /// Whether these are all there are, so that the list is worth keeping.
    is_whole: bool,
    /// How many of these have been looked at.
    looked: usize,
    /// Where it stands, as far as that is known.
    found: Vec<(u32, u32)>,
}

impl Missing<'_> {
    /// Looks at the next document, if it is a candidate.
    fn look(&mut self, document: u32, text: Option<&Document>) {
        if self.candidates.get(self.looked) != Some(&document) {
            return;
        }
        self.looked += 1;
        let weight = text.map_or(0, |text| halves(text.frequency(&self.needle)));
        if weight > 0 {
            self.found.push((document, weight));
        }
    }
}
