//! Finding items by words.
//!
//! [`TextIndex`] is what the library asks: terms in, ranked items out. [`Scan`] answers by reading
//! every item that the reader may see, so its cost grows with the library. Matching is literal, on
//! text folded by [`fold`]; relevance is BM25 over the OR of the terms ([`rank`]).

pub(super) mod document;
pub mod fold;
pub mod rank;
mod scan;
pub mod terms;

pub use scan::Scan;
pub use terms::{Rules, Term, Terms};

use jezero_connectors::Instant;

use super::{Filter, Result, Scope};
use crate::item::ItemId;

/// What is looked for, where.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// Sources whose items exist for this question: results and statistics come from them alone.
    pub scope: &'a Scope,
    /// Which of them may be results; does not change statistics, hence not relevance.
    pub filter: &'a Filter<'a>,
    /// The terms, joined with OR.
    pub terms: &'a [Term],
    /// How many of the best are wanted.
    pub pool: usize,
}

/// One item that matches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ranked {
    /// The item.
    pub id: ItemId,
    /// When it happened.
    pub occurred_at: Instant,
    /// BM25 over the terms; greater than zero.
    pub relevance: f64,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Matches {
    /// The best, by relevance; of equals the newer first, then the one with the greater number.
    pub ranked: Vec<Ranked>,
    /// Items in scope.
    pub searched: u64,
    /// For each term, how many items in scope hold it.
    pub frequencies: Vec<u64>,
}

/// Ranks items by words.
pub trait TextIndex {
    /// Finds the best matches.
    ///
    /// # Errors
    /// What SQLite says.
    fn matches(&self, question: &Question<'_>) -> Result<Matches>;
}
