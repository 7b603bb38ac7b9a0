//! The history of runs, as far as a reader may see.

use serde::Serialize;

use super::{Library, Result};
use crate::access::Reader;
use crate::item::{Instant, SourceName};
use crate::redaction::Redacted;
use crate::store::{Outcome, PastRun};

/// A run of one connector, with the words of its report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Run {
    /// The connector.
    pub connector: SourceName,
    /// When it began.
    #[serde(serialize_with = "crate::item::as_text")]
    pub started_at: Instant,
    /// When it ended; `None` while it is under way and after a kill.
    #[serde(serialize_with = "super::maybe")]
    pub ended_at: Option<Instant>,
    /// Seconds that it took.
    pub seconds: Option<i64>,
    /// How it ended.
    pub outcome: Outcome,
    /// What it counted, in place of this field; nothing until it has ended.
    #[serde(flatten)]
    pub counts: Option<Counts>,
    /// The first thing that failed.
    pub error: Option<Redacted>,
    /// What else it said.
    pub note: Option<Redacted>,
}

/// What a run counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Units that were found.
    pub units: u64,
    /// Of these, units that were read.
    pub units_read: u64,
    /// Items written, new and changed.
    pub stored: u64,
    /// Items removed because their segments are no longer produced.
    pub pruned: u64,
    /// Segments without a summary, and units or folders that could not be read.
    pub failed: u64,
    /// Units touched too recently; they wait.
    pub deferred_sessions: u64,
    /// Damaged records that were passed over.
    pub records_passed_over: u64,
    /// Tokens that a model read.
    pub input_tokens: u64,
    /// Tokens that a model wrote.
    pub output_tokens: u64,
}

impl Library {
    /// The newest runs of a connector, or of all that a reader may see, the newest first.
    ///
    /// A run without an end is `running`; one who knows that nobody writes knows better.
    ///
    /// # Errors
    /// [`LibraryError::Store`](super::LibraryError::Store) when the file cannot be read.
    pub fn runs(
        &self,
        reader: &Reader,
        connector: Option<&SourceName>,
        limit: usize,
    ) -> Result<Vec<Run>> {
        // What is hidden must not take the place of what is seen.
        let asked = match reader.sees_all_sources() {
            true => limit,
            false => usize::MAX,
        };
        let runs = self.view.runs(connector, asked)?.into_iter();
        let seen = runs.filter(|run| reader.may_see(&run.connector));
        Ok(seen.take(limit).map(told).collect())
    }
}

fn told(run: PastRun) -> Run {
    let took = |ended: Instant| (ended.unix() - run.started_at.unix()).max(0);
    Run {
        seconds: run.ended_at.map(took),
        connector: run.connector,
        started_at: run.started_at,
        ended_at: run.ended_at,
        outcome: run.outcome,
        counts: run.counts.map(|counts| Counts {
            units: counts.units,
            units_read: counts.units_read(),
            stored: counts.stored,
            pruned: counts.pruned,
            failed: counts.failed,
            deferred_sessions: counts.deferred_sessions,
            records_passed_over: counts.records_passed_over,
            input_tokens: counts.input_tokens,
            output_tokens: counts.output_tokens,
        }),
        error: run.error,
        note: run.note,
    }
}
