//! The five questions: search, `get_item`, later, timeline, `list_sources`; and the counts of stats.
//!
//! Every question takes a [`Reader`] and answers as if the library held only what that reader may
//! see. Answers serialise with exactly the documented keys in the documented order (MCP tools
//! page). Nothing here prints or knows a protocol.

mod arguments;
mod copies;
mod excerpt;
mod get_item;
mod later;
mod list_sources;
mod overview;
mod readings;
mod runs;
mod search;
mod stats;
mod timeline;
mod why_empty;

pub use excerpt::Excerpt;
pub use get_item::{FoundItem, ItemAnswer};
pub use later::{LaterAnswer, MatchedBy, Newer, Reference};
pub use list_sources::{SourceSummary, SourcesAnswer};
pub use overview::{Overview, ProjectSummary, SourceState};
pub use readings::Reading;
pub use runs::{Counts, Run};
pub use search::{Hit, Looked, SearchAnswer, SearchQuery, TermCount};
pub use stats::Stats;
pub use timeline::{TimelineAnswer, TimelineQuery};
pub use why_empty::WhyEmpty;

pub use crate::store::search::TextScope;

use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;

use jezero_connectors::time::Clock;

use crate::store::search::{Rules, TextIndex};
use crate::store::{Index, StoreError, View};

/// How questions are answered (`[search]` and `[storage].tokenizer`).
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Results of a search that names no limit.
    pub default_limit: usize,
    /// Most results of any question.
    pub max_limit: usize,
    /// How many of the best matches are ranked again by age.
    pub candidate_pool: usize,
    /// After how many days the boost of recent items has halved.
    pub recency_half_life_days: f64,
    /// The part of a score that age can take away, 0 to 1.
    pub recency_weight: f64,
    /// Whether terms match whole words alone (`unicode61`) instead of any part of a word.
    pub whole_words: bool,
    /// Whether terms of two characters count.
    pub short_terms: bool,
    /// Whether originals are searched when a question asks for them.
    pub originals: bool,
}

impl Default for Settings {
    /// The defaults of the configuration.
    fn default() -> Self {
        Self {
            default_limit: 10,
            max_limit: 50,
            candidate_pool: 200,
            recency_half_life_days: 90.0,
            recency_weight: 0.3,
            whole_words: false,
            short_terms: false,
            originals: true,
        }
    }
}

/// Why a question has no answer. An item that is not there is an answer, not an error.
#[derive(Debug, thiserror::Error)]
pub enum LibraryError {
    /// A date that cannot be read: the caller can mend the argument.
    #[error(
        "{argument} must be an ISO 8601 date or datetime (2026-01-31 or \
         2026-01-31T09:00:00+02:00), got '{value}'"
    )]
    Date {
        /// The argument's name.
        argument: &'static str,
        /// What was given: at most 60 characters, control characters as blanks.
        value: String,
    },
    /// The caller may not read originals, so nothing is looked for in them.
    #[error("scope must be summary here: this key may not read originals")]
    OriginalsHidden,
    /// Originals are not indexed.
    #[error(
        "scope must be summary here: originals are not searched while [search].originals is false"
    )]
    OriginalsOff,
    /// The library file cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl LibraryError {
    /// The argument that the caller can mend, if that is what is wrong.
    #[must_use]
    pub fn argument(&self) -> Option<&'static str> {
        match self {
            Self::Date { argument, .. } => Some(argument),
            Self::OriginalsHidden | Self::OriginalsOff => Some("scope"),
            Self::Store(_) => None,
        }
    }
}

/// Short for an answer.
type Result<T, E = LibraryError> = std::result::Result<T, E>;

/// The library, open for questions. One thread asks at a time; open another for another thread.
pub struct Library {
    view: View,
    settings: Settings,
    clock: Arc<dyn Clock>,
    counted: RefCell<list_sources::Counted>,
}

impl Library {
    /// Opens the library for questions.
    ///
    /// # Errors
    /// [`LibraryError::Store`] when there is none or it is not ours to read.
    pub fn open(path: &Path, settings: Settings, clock: Arc<dyn Clock>) -> Result<Self> {
        let view = View::open(path)?;
        Ok(Self {
            view,
            settings,
            clock,
            counted: RefCell::default(),
        })
    }

    /// The file itself, for what reads all of it.
    #[must_use]
    pub fn view(&self) -> &View {
        &self.view
    }

    /// How questions are answered.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    fn index(&self) -> impl TextIndex + '_ {
        Index::new(&self.view)
    }

    fn rules(&self) -> Rules {
        Rules {
            whole_words: self.settings.whole_words,
            short_terms: self.settings.short_terms,
        }
    }
}

impl std::fmt::Debug for Library {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Library")
            .field("path", &self.view.path())
            .finish_non_exhaustive()
    }
}

/// An instant as text, or null.
#[expect(clippy::ref_option, reason = "the form that serde asks for")]
fn maybe<S: serde::Serializer>(
    instant: &Option<crate::item::Instant>,
    serializer: S,
) -> std::result::Result<S::Ok, S::Error> {
    match instant {
        Some(instant) => serializer.collect_str(instant),
        None => serializer.serialize_none(),
    }
}
