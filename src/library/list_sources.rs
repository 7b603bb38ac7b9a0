//! `list_sources`: what a reader can see, by source.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Library, Result};
use crate::access::Reader;
use crate::item::{Instant, SourceName};

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

impl Library {
    /// Lists the sources that a reader can see, those without an item left out.
    ///
    /// # Errors
    /// [`LibraryError::Store`](super::LibraryError::Store) when the file cannot be read.
    pub fn list_sources(&self, reader: &Reader) -> Result<SourcesAnswer> {
        let _snapshot = self.view.snapshot()?;
        let counts = self.view.source_counts(&self.view.scope(reader)?)?;
        let summary = |items, latest| SourceSummary { items, latest };
        Ok(SourcesAnswer {
            sources: counts
                .into_iter()
                .map(|count| (count.name, summary(count.items, count.latest)))
                .collect(),
        })
    }
}
