//! search: finds items by words.

use serde::Serialize;

use super::arguments::limit;
use super::copies::Copies;
use super::excerpt::Excerpt;
use super::narrow::Narrow;
use super::{Library, Result};
use crate::access::Reader;
use crate::item::{AtomKind, Instant, Item, ItemId, Trust};
use crate::store::search::{Matches, Question, Ranked, Term, Terms, TextIndex};
use crate::store::{Filter, Scope};

/// What to look for. An empty text counts as left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SearchQuery {
    /// Words and "quoted phrases".
    pub query: String,
    /// Exact project name.
    pub project: Option<String>,
    /// Exact source name.
    pub source: Option<String>,
    /// ISO 8601: happened then or later.
    pub since: Option<String>,
    /// ISO 8601: happened before then.
    pub until: Option<String>,
    /// Only items with an atom of this kind.
    pub kind: Option<AtomKind>,
    /// Only items of this trust.
    pub trust: Option<Trust>,
    /// Most results; nothing, zero or less asks for the default.
    pub limit: Option<i64>,
}

/// The best matches.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SearchAnswer {
    /// How many there are.
    pub count: usize,
    /// By score, best first; of equals the newer, then the one with the greater number.
    pub results: Vec<Hit>,
    /// How the query was read; not part of the answer that is sent.
    #[serde(skip)]
    pub looked: Looked,
}

/// An item that matches.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Hit {
    /// The item.
    #[serde(flatten)]
    pub item: Item,
    /// Relevance and age in one number, with four decimals. Compares results of one query.
    pub score: f64,
    /// BM25 over the terms, before age is looked at; not part of the answer that is sent.
    #[serde(skip)]
    pub relevance: f64,
    /// The factor of age: `score` is the product; not part of the answer that is sent.
    #[serde(skip)]
    pub recency: f64,
}

/// How a query was read, to explain an empty answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Looked {
    /// Items that the reader may see.
    pub items: u64,
    /// Terms that were looked for, folded.
    pub terms: Vec<TermCount>,
    /// Terms too short to be looked for, folded.
    pub dropped: Vec<String>,
}

/// A term and how common it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TermCount {
    /// The term, folded.
    pub term: String,
    /// Items that hold it, among those that the reader may see.
    pub items: u64,
}

/// A candidate with its score.
struct Scored {
    id: ItemId,
    score: f64,
    relevance: f64,
    recency: f64,
}

impl Scored {
    fn hit(&self, item: Item) -> Hit {
        Hit {
            item,
            score: self.score,
            relevance: self.relevance,
            recency: self.recency,
        }
    }
}

impl Library {
    /// Finds items by words.
    ///
    /// # Errors
    /// [`LibraryError::Date`](super::LibraryError::Date) for a `since` that is no date;
    /// [`LibraryError::Store`](super::LibraryError::Store) when the file cannot be read.
    pub fn search(&self, reader: &Reader, query: &SearchQuery) -> Result<SearchAnswer> {
        let filter = query.filter()?;
        let limit = limit(
            query.limit,
            self.settings.default_limit,
            self.settings.max_limit,
        );
        let terms = Terms::read(&query.query, self.rules());
        let _snapshot = self.view.snapshot()?;
        let scope = self.view.scope(reader)?;
        let pool = self.settings.candidate_pool;
        let found = self.matching(&scope, &filter, &terms.used, query.narrow(), pool)?;
        let mut results = Vec::new();
        let mut copies = Copies::default();
        for ranked in self.scored(&found.ranked) {
            if results.len() == limit {
                break;
            }
            if let Some(item) = self.view.item(&scope, ranked.id)?
                && copies.is_first(&item)
            {
                results.push(ranked.hit(item));
            }
        }
        Ok(SearchAnswer {
            count: results.len(),
            results,
            looked: Looked {
                items: found.searched,
                terms: counted(terms.used, &found.frequencies),
                dropped: terms.dropped,
            },
        })
    }

    /// What of an item answers a query.
    #[must_use]
    pub fn excerpt(&self, item: &Item, query: &str) -> Excerpt {
        Excerpt::of(item, &Terms::read(query, self.rules()).used)
    }

    /// The best matches that are left after `narrow`, at most `pool`.
    ///
    /// The index knows nothing of kinds and trust: it is asked for more and more until enough are
    /// left or there are no more.
    pub(super) fn matching(
        &self,
        scope: &Scope,
        filter: &Filter<'_>,
        terms: &[Term],
        narrow: Narrow,
        pool: usize,
    ) -> Result<Matches> {
        let mut asked = pool;
        loop {
            let mut found = self.index().matches(&Question {
                scope,
                filter,
                terms,
                pool: asked,
            })?;
            if narrow.is_open() {
                return Ok(found);
            }
            let all = found.ranked.len() < asked;
            let mut left = Vec::new();
            for candidate in found.ranked {
                let item = self.view.item(scope, candidate.id)?;
                if item.is_some_and(|item| narrow.takes(&item)) {
                    left.push(candidate);
                }
            }
            if all || left.len() >= pool {
                left.truncate(pool);
                found.ranked = left;
                return Ok(found);
            }
            asked = asked.saturating_mul(8);
        }
    }

    /// Ranks candidates by relevance and age: the order of what a caller sees, best first.
    fn scored(&self, candidates: &[Ranked]) -> Vec<Scored> {
        let now = self.clock.now();
        let mut scored: Vec<(Ranked, Scored)> = candidates
            .iter()
            .map(|candidate| {
                let recency = self.recency(candidate.occurred_at, now);
                let score = rounded(candidate.relevance * recency);
                let by_score = Ranked {
                    relevance: score,
                    ..*candidate
                };
                let scored = Scored {
                    id: candidate.id,
                    score,
                    relevance: candidate.relevance,
                    recency,
                };
                (by_score, scored)
            })
            .collect();
        scored.sort_by(|a, b| crate::store::search::rank::order(&a.0, &b.0));
        scored.into_iter().map(|(_, scored)| scored).collect()
    }

    /// The factor of the specification's formula; what lies in the future counts as of now.
    fn recency(&self, occurred_at: Instant, now: Instant) -> f64 {
        let seconds = now.unix().saturating_sub(occurred_at.unix()).max(0);
        let days = crate::store::search::rank::count(seconds.unsigned_abs()) / 86_400.0;
        let weight = self.settings.recency_weight;
        let fresh = 0.5_f64.powf(days / self.settings.recency_half_life_days);
        (1.0 - weight) + weight * fresh
    }
}

fn counted(terms: Vec<Term>, frequencies: &[u64]) -> Vec<TermCount> {
    let counts = frequencies.iter().copied();
    terms
        .into_iter()
        .zip(counts)
        .map(|(term, items)| TermCount {
            term: term.folded,
            items,
        })
        .collect()
}

/// Four decimals.
fn rounded(score: f64) -> f64 {
    (score * 10_000.0).round() / 10_000.0
}
