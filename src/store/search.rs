//! Finding items by words.
//!
//! [`TextIndex`] is what the library asks: terms in, ranked items out. [`Scan`] answers by reading
//! every item that the reader may see, so its cost grows with the library. Matching is literal, on
//! text folded by [`fold`]; relevance is BM25 over the OR of the terms ([`rank`]). A [`TextScope`]
//! says whether the five fields of items are searched, or their redacted originals, or both.

pub(super) mod document;
pub mod fold;
pub mod rank;
mod scan;
pub mod terms;

pub use scan::Scan;
pub use terms::{Rules, Term, Terms};

use jezero_connectors::Instant;

use std::str::FromStr;

use super::{Filter, Result, Scope};
use crate::item::ItemId;

/// Which texts are searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TextScope {
    /// Title, summary, questions, atoms and project.
    #[default]
    Summary,
    /// The redacted originals.
    Original,
    /// Both: an item is as relevant as its five fields and, for less, its original together.
    All,
}

impl TextScope {
    /// The words for them.
    pub const WORDS: [&str; 3] = ["summary", "original", "all"];

    /// Whether the five fields are searched.
    #[must_use]
    pub fn has_summaries(self) -> bool {
        self != Self::Original
    }

    /// Whether originals are searched.
    #[must_use]
    pub fn has_originals(self) -> bool {
        self != Self::Summary
    }
}

impl FromStr for TextScope {
    type Err = String;

    fn from_str(word: &str) -> std::result::Result<Self, String> {
        match word {
            "summary" => Ok(Self::Summary),
            "original" => Ok(Self::Original),
            "all" => Ok(Self::All),
            _ => Err(format!("must be one of {}", Self::WORDS.join(", "))),
        }
    }
}

/// What is looked for, where.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// Sources whose items exist for this question: results and statistics come from them alone.
    pub scope: &'a Scope,
    /// Which of them may be results; does not change statistics, hence not relevance.
    pub filter: &'a Filter<'a>,
    /// The terms, joined with OR.
    pub terms: &'a [Term],
    /// Which texts they are looked for in.
    pub texts: TextScope,
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
    /// Items in scope; with [`TextScope::Original`], those that have an original.
    pub searched: u64,
    /// For each term, how many of them hold it.
    pub frequencies: Vec<u64>,
    /// Originals that may hold a phrase, counted once a phrase, and were not read because too many
    /// may: these do not count as holding it.
    pub unread: u64,
}

/// Ranks items by words.
pub trait TextIndex {
    /// Finds the best matches.
    ///
    /// # Errors
    /// What SQLite says.
    fn matches(&self, question: &Question<'_>) -> Result<Matches>;
}
