//! A run as the library's history remembers it.

use jezero_connectors::{Instant, SourceName};

use super::{Pipeline, PipelineError, RunReport};
use crate::redaction::Redacted;
use crate::store::{RunId, RunRow, StoreError, Totals};

/// A run that is noted as under way.
#[derive(Debug)]
pub(super) struct Noted {
    id: RunId,
    source: SourceName,
    started_at: Instant,
}

impl Noted {
    /// Notes that a run begins.
    pub(super) fn begin(
        pipeline: &mut Pipeline<'_>,
        source: &SourceName,
        started_at: Instant,
    ) -> Result<Self, StoreError> {
        Ok(Self {
            id: pipeline.store.begin_run(source, started_at)?,
            source: source.clone(),
            started_at,
        })
    }

    /// Notes how it ended.
    pub(super) fn end(
        &self,
        pipeline: &mut Pipeline<'_>,
        report: &RunReport,
        newest: Option<Instant>,
    ) -> Result<(), StoreError> {
        let error = report.errors.first().cloned();
        let failed = report.has_failed();
        // Places are of use in the last report only; a thousand of them would fill the library.
        let counts = RunReport {
            passed_over: Vec::new(),
            ..report.clone()
        };
        let run = RunRow {
            connector: &self.source,
            started_at: self.started_at,
            ended_at: pipeline.clock.now(),
            last_item_at: newest,
            error: error.or_else(|| failed.then(|| Redacted::literal("something failed"))),
            report: Redacted::json(report),
            counts: Redacted::json(&counts),
            sums: sums(report),
        };
        pipeline.store.finish_run(self.id, &run)
    }

    /// Notes that it could not go on. When that cannot be written either, it stays noted as under way
    /// until the next one begins.
    pub(super) fn give_up(&self, pipeline: &mut Pipeline<'_>, error: &PipelineError) {
        let mut report = RunReport {
            connector: self.source.to_string(),
            ..RunReport::default()
        };
        report.error(pipeline.engine.redact(&error.to_string()));
        if let Err(second) = self.end(pipeline, &report, None) {
            tracing::debug!("{}: its end could not be noted: {second}", self.source);
        }
    }
}

fn sums(report: &RunReport) -> Totals {
    Totals {
        items_stored: report.stored,
        records_skipped: report.records_passed_over,
        input_tokens: report.input_tokens,
        output_tokens: report.output_tokens,
        // What a run is, the store counts.
        ..Totals::default()
    }
}
