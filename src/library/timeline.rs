//! timeline: what happened in a project or source over a period.

use serde::Serialize;

use super::arguments::{date, given, limit};
use super::copies::Copies;
use super::{Library, LibraryError, Result};
use crate::access::Reader;
use crate::item::Item;
use crate::store::{Filter, Wanted};

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
        let filter = Filter {
            project: given(query.project.as_deref()),
            source: given(query.source.as_deref()),
            since: date("since", query.since.as_deref())?,
            until: date("until", query.until.as_deref())?,
        };
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
