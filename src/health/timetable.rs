//! When each source is read next, as the daemon of this process has planned it.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use crate::item::{Instant, SourceName};

/// The next reading of each source. Copies show the same.
#[derive(Debug, Clone, Default)]
pub struct Timetable(Arc<RwLock<BTreeMap<SourceName, Instant>>>);

impl Timetable {
    /// Takes over what is planned, in place of what was.
    pub fn set(&self, next: BTreeMap<SourceName, Instant>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = next;
    }

    /// When a source is read next; `None` while it is being read and where nobody plans.
    #[must_use]
    pub fn next(&self, source: &SourceName) -> Option<Instant> {
        let next = self.0.read().unwrap_or_else(PoisonError::into_inner);
        next.get(source).copied()
    }
}
