//! What there is, at one glance: sources with the state of their readings, and projects.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Library, Result};
use crate::access::Reader;
use crate::item::{Instant, SourceName};

/// What a reader can see.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Overview {
    /// All items.
    pub items: u64,
    /// Each source that has items, by name.
    pub sources: BTreeMap<SourceName, SourceState>,
    /// Each project that has items, by name.
    pub projects: BTreeMap<String, ProjectSummary>,
}

/// A source and how its readings go.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SourceState {
    /// Its items.
    pub items: u64,
    /// When the latest of them happened.
    #[serde(serialize_with = "crate::item::as_text")]
    pub latest: Instant,
    /// `ok`, `failing`, or `imported` for a source that no connector here reads.
    pub state: &'static str,
    /// When it was last read.
    #[serde(serialize_with = "super::maybe")]
    pub last_run_at: Option<Instant>,
    /// When it was last read with nothing failing.
    #[serde(serialize_with = "super::maybe")]
    pub last_success_at: Option<Instant>,
}

/// How much there is of a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ProjectSummary {
    /// Its items.
    pub items: u64,
    /// When the latest of them happened.
    #[serde(serialize_with = "crate::item::as_text")]
    pub latest: Instant,
}

impl Library {
    /// Tells what a reader can see: counts, states and projects.
    ///
    /// # Errors
    /// [`LibraryError::Store`](super::LibraryError::Store) when the file cannot be read.
    pub fn overview(&self, reader: &Reader) -> Result<Overview> {
        let _snapshot = self.view.snapshot()?;
        let scope = self.view.scope(reader)?;
        let mut sources = BTreeMap::new();
        let mut items = 0;
        for count in self.view.source_counts(&scope)? {
            let state = self.view.state(&count.name)?;
            items += count.items;
            let word = match (state.last_run_at, &state.last_error) {
                (None, _) => "imported",
                (Some(_), Some(_)) => "failing",
                (Some(_), None) => "ok",
            };
            let summary = SourceState {
                items: count.items,
                latest: count.latest,
                state: word,
                last_run_at: state.last_run_at,
                last_success_at: state.last_success_at,
            };
            sources.insert(count.name, summary);
        }
        let projects = self.view.project_counts(&scope)?.into_iter().map(|count| {
            let summary = ProjectSummary {
                items: count.items,
                latest: count.latest,
            };
            (count.name.to_string(), summary)
        });
        Ok(Overview {
            items,
            sources,
            projects: projects.collect(),
        })
    }
}
