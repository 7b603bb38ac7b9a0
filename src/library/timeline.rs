//! timeline: what happened in a project or source over a period.

use serde::Serialize;

use super::arguments::limit;
use super::copies::Copies;
use super::{Library, LibraryError, Result};
use crate::access::Reader;
use crate::item::{AtomKind, Item, Trust};
use crate::store::Wanted;

/// Items that an answer without a limit holds at most.
const LIMIT: usize = 20;

/// Which period of what. An empty text counts as left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TimelineQuery {
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
    /// Most items; nothing, zero or less asks for the default.
    pub limit: Option<i64>,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TimelineAnswer {
    /// How many items there are.
    pub count: usize,
    /// Newest first, ties by greater number.
    pub items: Vec<Item>,
}

impl Library {
    /// Lists items in reverse chronological order.
    ///
    /// # Errors
    /// [`LibraryError::Date`](super::LibraryError::Date) for a bound that is no date;
    /// [`LibraryError::Store`](super::LibraryError::Store) when the file cannot be read.
    pub fn timeline(&self, reader: &Reader, query: &TimelineQuery) -> Result<TimelineAnswer> {
        let filter = query.filter()?;
        let limit = limit(query.limit, LIMIT, self.settings.max_limit);
        let _snapshot = self.view.snapshot()?;
        let scope = self.view.scope(reader)?;
        let mut copies = Copies::default();
        let mut items = Vec::new();
        self.view.newest(&scope, &filter, |item| {
            if copies.is_first(&item) {
                items.push(item);
            }
            Ok::<_, LibraryError>(Wanted::until(items.len() == limit))
        })?;
        Ok(TimelineAnswer {
            count: items.len(),
            items,
        })
    }
}
