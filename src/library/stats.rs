//! stats: how much there is.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Library, Result, SourceSummary};
use crate::access::Reader;
use crate::item::SourceName;

/// How much a reader can see.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Stats {
    /// All items.
    pub items: u64,
    /// Each source that has items, by name.
    pub sources: BTreeMap<SourceName, SourceSummary>,
}

impl Library {
    /// Counts what a reader can see.
    ///
    /// # Errors
    /// [`LibraryError::Store`](super::LibraryError::Store) when the file cannot be read.
    pub fn stats(&self, reader: &Reader) -> Result<Stats> {
        let sources = self.list_sources(reader)?.sources;
        Ok(Stats {
            items: sources.values().map(|source| source.items).sum(),
            sources,
        })
    }
}
