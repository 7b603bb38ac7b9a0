//! How the readings of each source go, in numbers.

use std::collections::BTreeMap;

use super::{Library, Result};
use crate::access::Reader;
use crate::item::SourceName;
use crate::store::{ConnectorState, RunCounts};

/// A source in numbers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reading {
    /// Its items.
    pub items: u64,
    /// Its state; all empty for a source that no connector here reads.
    pub state: ConnectorState,
    /// What its last run counted.
    pub last: RunCounts,
}

impl Library {
    /// The sources that a reader can see: those that have been read, and those that have items.
    ///
    /// # Errors
    /// [`LibraryError::Store`](super::LibraryError::Store) when the file cannot be read.
    pub fn readings(&self, reader: &Reader) -> Result<BTreeMap<SourceName, Reading>> {
        let _snapshot = self.view.snapshot()?;
        let mut readings = BTreeMap::new();
        for name in self.view.connectors()? {
            if !reader.may_see(&name) {
                continue;
            }
            let state = self.view.state(&name)?;
            let last = state.last_report.as_ref().map(RunCounts::of);
            let reading = Reading {
                items: 0,
                last: last.unwrap_or_default(),
                state,
            };
            readings.insert(name, reading);
        }
        for count in self.counted(&self.view.scope(reader)?)? {
            let reading: &mut Reading = readings.entry(count.name).or_default();
            reading.items = count.items;
        }
        Ok(readings)
    }
}
