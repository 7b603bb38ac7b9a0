//! search: finds items by words.

use serde::Serialize;

use super::arguments::{date, given, limit};
use super::copies::Copies;
use super::{Library, Result};
use crate::access::Reader;
use crate::item::{Instant, Item, ItemId};
use crate::store::Filter;
use crate::store::search::{Question, Ranked, Term, Terms, TextIndex};

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
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TermCount {
    /// The term, folded.
    pub term: String,
    /// Items that hold it, among those that the reader may see.
    pub items: u64,
}

impl Library {
    /// Finds items by words.
    ///
    /// # Errors
    /// [`LibraryError::Date`](super::LibraryError::Date) for a `since` that is no date;
    /// [`LibraryError::Store`](super::LibraryError::Store) when the file cannot be read.
    pub fn search(&self, reader: &Reader, query: &SearchQuery) -> Result<SearchAnswer> {
        let filter = Filter {
            project: given(query.project.as_deref()),
            source: given(query.source.as_deref()),
            since: date("since", query.since.as_deref())?,
            until: None,
        };
        let limit = limit(
            query.limit,
            self.settings.default_limit,
            self.settings.max_limit,
        );
        let terms = Terms::read(&query.query, self.rules());
        let _snapshot = self.view.snapshot()?;
        let scope = self.view.scope(reader)?;
        let found = self.index().matches(&Question {
            scope: &scope,
            filter: &filter,
            terms: &terms.used,
            pool: self.settings.candidate_pool,
        })?;
        let mut results = Vec::new();
        let mut copies = Copies::default();
        for (id, score) in self.scored(&found.ranked) {
            if results.len() == limit {
                break;
            }
            if let Some(item) = self.view.item(&scope, id)?
                && copies.is_first(&item)
            {
                results.push(Hit { item, score });
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

    /// Ranks candidates by relevance and age: the order of what a caller sees, best first.
    fn scored(&self, candidates: &[Ranked]) -> Vec<(ItemId, f64)> {
        let now = self.clock.now();
        let mut scored: Vec<Ranked> = candidates
            .iter()
            .map(|candidate| Ranked {
                relevance: rounded(candidate.relevance * self.recency(candidate.occurred_at, now)),
                ..*candidate
            })
            .collect();
        scored.sort_by(crate::store::search::rank::order);
        scored
            .iter()
            .map(|candidate| (candidate.id, candidate.relevance))
            .collect()
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
