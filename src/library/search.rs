//! search: finds items by words.

use serde::Serialize;

use super::arguments::limit;
use super::copies::Copies;
use super::excerpt::{self, Excerpt};
use super::{Library, LibraryError, Result};
use crate::access::Reader;
use crate::item::{AtomKind, Instant, Item, ItemId, Trust};
use crate::redaction::Redacted;
use crate::store::search::{Question, Ranked, Term, Terms, TextIndex, TextScope};

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
    /// Which texts to search.
    pub scope: TextScope,
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
    /// Items that the reader may see; those with an original, if originals alone were searched.
    pub items: u64,
    /// Terms that were looked for, folded.
    pub terms: Vec<TermCount>,
    /// Terms too short to be looked for, folded.
    pub dropped: Vec<String>,
    /// Originals that may hold a phrase and were not read, because too many may.
    pub unread: u64,
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
    /// [`LibraryError::Date`] for a `since` that is no date; [`LibraryError::OriginalsHidden`] and
    /// [`LibraryError::OriginalsOff`] for a scope with originals where there are none to search;
    /// [`LibraryError::Store`] when the file cannot be read.
    pub fn search(&self, reader: &Reader, query: &SearchQuery) -> Result<SearchAnswer> {
        self.admit(reader, query.scope)?;
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
        let found = self.index().matches(&Question {
            scope: &scope,
            filter: &filter,
            terms: &terms.used,
            texts: query.scope,
            pool,
        })?;
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
                unread: found.unread,
            },
        })
    }

    /// Refuses originals to those who may not read them, before anything is looked at.
    fn admit(&self, reader: &Reader, scope: TextScope) -> Result<()> {
        if !scope.has_originals() {
            Ok(())
        } else if !reader.may_see_originals() {
            Err(LibraryError::OriginalsHidden)
        } else if !self.settings.originals {
            Err(LibraryError::OriginalsOff)
        } else {
            Ok(())
        }
    }

    /// What of an item, and of its original if that was searched, answers a query.
    ///
    /// # Errors
    /// As [`Library::search`].
    pub fn excerpt(&self, reader: &Reader, item: &Item, query: &SearchQuery) -> Result<Excerpt> {
        self.admit(reader, query.scope)?;
        let original = match query.scope.has_originals() {
            true => self.view.original(item.id)?,
            false => None,
        };
        let mut texts = match query.scope.has_summaries() {
            true => excerpt::texts(item),
            false => Vec::new(),
        };
        texts.extend(original.as_ref().map(Redacted::as_str));
        let terms = Terms::read(&query.query, self.rules()).used;
        Ok(Excerpt::of(&texts, &terms))
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
