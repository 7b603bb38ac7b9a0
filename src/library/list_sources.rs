//! `list_sources`: what a reader can see, by source.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Library, Result};
use crate::access::Reader;
use crate::item::{Instant, SourceName};
use crate::store::{Scope, SourceCount};

/// The sources that have items, by name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SourcesAnswer {
    /// Each source with its counts.
    pub sources: BTreeMap<SourceName, SourceSummary>,
}

/// How much there is of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct SourceSummary {
    /// Its items.
    pub items: u64,
    /// When the latest of them happened.
    #[serde(serialize_with = "crate::item::as_text")]
    pub latest: Instant,
}

/// The counts of a scope, as long as the library does not change. Readers with the same rights ask
/// the same question all the time, and counting reads every item's index entry.
#[derive(Debug, Default)]
pub(super) struct Counted {
    version: i64,
    scopes: Vec<(Scope, Vec<SourceCount>)>,
}

/// Most scopes that are kept.
const SCOPES: usize = 8;

impl Library {
    pub(super) fn counted(&self, scope: &Scope) -> Result<Vec<SourceCount>> {
        let version = self.view.version()?;
        let mut counted = self.counted.borrow_mut();
        if counted.version != version || counted.scopes.len() >= SCOPES {
            counted.scopes.clear();
            counted.version = version;
        }
        if let Some((_, counts)) = counted.scopes.iter().find(|(one, _)| one == scope) {
            return Ok(counts.clone());
        }
        let counts = self.view.source_counts(scope)?;
        counted.scopes.push((scope.clone(), counts.clone()));
        Ok(counts)
    }

    /// Lists the sources that a reader can see, those without an item left out.
    ///
    /// # Errors
    /// [`LibraryError::Store`](super::LibraryError::Store) when the file cannot be read.
    pub fn list_sources(&self, reader: &Reader) -> Result<SourcesAnswer> {
        let _snapshot = self.view.snapshot()?;
        let counts = self.counted(&self.view.scope(reader)?)?;
        let summary = |items, latest| SourceSummary { items, latest };
        Ok(SourcesAnswer {
            sources: counts
                .into_iter()
                .map(|count| (count.name, summary(count.items, count.latest)))
                .collect(),
        })
    }
}
