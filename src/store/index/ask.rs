//! Answering a question from the index.

use std::sync::Arc;

use super::budget::Budget;
use super::cache::{Cache, Verified};
use super::list::List;
use super::loaded::Segment;
use super::plan::Plan;
use super::score::{Listed, Measure, Ranking};
use super::seen::{Held, Seen};
use super::shelf::Shelf;
use super::texts::marks::EXTERNAL;
use super::texts::{Texts, date};
use crate::store::Result;
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
    /// Whether any document may be unwanted.
    fn narrows(&self) -> bool {
        let Self {
            project,
            source,
            since,
            until,
            kind,
            external,
        } = self;
        project.is_some()
            || source.is_some()
            || since.or(*until).is_some()
            || kind.is_some()
            || external.is_some()
    }

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
        for (held, marks) in self.seen.segments.iter().zip(scoped.marks()) {
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
        let documents = scoped.documents();
        let measure = Measure {
            idf: frequencies
                .iter()
                .map(|with| rank::idf(documents, *with))
                .collect(),
            mean: rank::count(scoped.characters()) / rank::count(documents.max(1)),
        };
        let mut ranking = Ranking::new(&measure, question.pool, &greatest);
        for listed in &listed {
            let documents = &listed.segment.documents;
            let test = wanted.narrows().then(|| wanted.test(listed.segment));
            ranking.add(listed, test.as_ref(), |at| {
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

    pub(super) fn kept(
        &self,
        segment: &Segment,
        term: &Term,
        list: List,
        read: Vec<u32>,
    ) -> Arc<List> {
        let list = Verified {
            list: Arc::new(list),
            read: read.into(),
        };
        self.cache.keep(segment, term, &list);
        list.list
    }
}
