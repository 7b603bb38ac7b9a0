//! Answering a question from the index.

use std::sync::Arc;

use super::builder::halves;
use super::cache::Cache;
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

/// How many characters of text may be read for each term that spans words.
#[derive(Debug)]
pub(super) struct Budget {
    /// Of each term.
    left: Vec<u64>,
    /// Texts that were not read, counted once a term.
    pub(super) unread: u64,
}

impl Budget {
    /// So many characters for all terms together.
    pub(super) fn new(plans: &[Plan<'_>], characters: u64) -> Self {
        let is_verified = |plan: &&Plan<'_>| matches!(plan, Plan::Verified(_));
        let sharing = plans.iter().filter(is_verified).count().max(1) as u64;
        Self {
            left: vec![characters / sharing; plans.len()],
            unread: 0,
        }
    }

    fn left(&self, term: usize) -> u64 {
        self.left.get(term).copied().unwrap_or(0)
    }

    fn spend(&mut self, term: usize, characters: u64) {
        if let Some(left) = self.left.get_mut(term) {
            *left = left.saturating_sub(characters);
        }
    }
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
            let lists = self.lists(held, question.terms, &plans, &mut budget)?;
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
    pub(super) fn lists(
        &self,
        held: &Held,
        terms: &[Term],
        plans: &[Plan<'_>],
        budget: &mut Budget,
    ) -> Result<Vec<Arc<List>>> {
        let segment = &held.segment;
        let mut lists: Vec<Option<Arc<List>>> = Vec::with_capacity(terms.len());
        for (at, term) in terms.iter().enumerate() {
            // A list that would not have been made is not used either: what a question finds must
            // not hang on what was asked before.
            let known = self.cache.list(segment, term);
            let known = known.filter(|(_, cost)| *cost <= budget.left(at));
            lists.push(known.map(|(list, cost)| {
                budget.spend(at, cost);
                list
            }));
        }
        let mut counted = Vec::new();
        let mut words = Vec::new();
        for ((at, plan), list) in plans.iter().enumerate().zip(&lists) {
            if let (None, Plan::Counted(pattern)) = (list, plan) {
                counted.push(at);
                words.push(segment.words(pattern));
            }
        }
        let collected = List::collect(self.shelf, segment, &words)?;
        for (at, found) in counted.into_iter().zip(collected) {
            if let (Some(list), Some(term)) = (lists.get_mut(at), terms.get(at)) {
                *list = Some(self.kept(segment, term, found, 0));
            }
        }
        self.verify(held, terms, plans, &mut lists, budget)?;
        let none = || Arc::new(List::Few(Vec::new()));
        Ok(lists
            .into_iter()
            .map(|list| list.unwrap_or_else(none))
            .collect())
    }

    fn kept(&self, segment: &Segment, term: &Term, list: List, cost: u64) -> Arc<List> {
        let list = Arc::new(list);
        self.cache.keep(segment, term, &list, cost);
        list
    }

    /// Makes the lists that are still missing by reading texts, each text once for all terms.
    fn verify(
        &self,
        held: &Held,
        terms: &[Term],
        plans: &[Plan<'_>],
        lists: &mut [Option<Arc<List>>],
        budget: &mut Budget,
    ) -> Result<()> {
        let segment = &held.segment;
        let mut missing = Vec::new();
        for (at, plan) in plans.iter().enumerate() {
            if let (Some(None), Plan::Verified(conditions), Some(term)) =
                (lists.get(at), plan, terms.get(at))
            {
                let candidates = self.candidates(held, conditions)?;
                let (candidates, cost, unread) = afforded(segment, candidates, budget.left(at));
                budget.spend(at, cost);
                budget.unread += unread;
                missing.push(Missing {
                    at,
                    term,
                    needle: Needle::new(term),
                    candidates,
                    cost: (unread == 0).then_some(cost),
                    looked: 0,
                    found: Vec::new(),
                });
            }
        }
        let mut all: Vec<u32> = missing
            .iter()
            .flat_map(|one| one.candidates.clone())
            .collect();
        all.sort_unstable();
        all.dedup();
        let mut text = Document::default();
        for document in all {
            let Some(item) = segment.documents.items.get(document as usize) else {
                continue;
            };
            // What is gone since is dead, which candidates are not; the index is checked elsewhere.
            let is_there = self.texts.read(*item, &mut text)?.is_some();
            for one in &mut missing {
                one.look(document, is_there.then_some(&text));
            }
        }
        for one in missing {
            if let Some(list) = lists.get_mut(one.at) {
                let found = List::Few(one.found);
                *list = Some(match one.cost {
                    Some(cost) => self.kept(segment, one.term, found, cost),
                    None => Arc::new(found),
                });
            }
        }
        Ok(())
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

/// The last of some documents whose texts may be read for so many characters, how many characters
/// they have, and how many documents were left out.
fn afforded(segment: &Segment, candidates: Vec<u32>, left: u64) -> (Vec<u32>, u64, u64) {
    let length = |document: &u32| {
        let length = segment.documents.lengths.get(*document as usize);
        length.copied().map_or(0, u64::from)
    };
    let mut cost = 0_u64;
    let mut from = candidates.len();
    for (at, document) in candidates.iter().enumerate().rev() {
        let more = cost.saturating_add(length(document));
        if more > left {
            break;
        }
        (cost, from) = (more, at);
    }
    let afforded = candidates.get(from..).unwrap_or_default().to_vec();
    // Nothing is left for older segments: what is read is always the newest.
    let cost = if from > 0 { left } else { cost };
    (afforded, cost, from as u64)
}

/// A list that is being made by reading texts.
struct Missing<'a> {
    /// Which term's.
    at: usize,
    term: &'a Term,
    needle: Needle<'a>,
    /// Documents that may hold the term, by number.
    candidates: Vec<u32>,
    /// Their characters; nothing where some were left out, and the list is not to be kept.
    cost: Option<u64>,
    /// How many of these have been looked at.
    looked: usize,
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
