//! A connector's delivery, event by event: units opened, filled, closed and stored.

use jezero_connectors::{
    ConnectorError, Event, Extent, Instant, Mark, OriginalRef, RecordKey, Report, SourceName,
    Trust, UnitEnd, UnitId, UnitStart,
};

use super::assemble::Assembly;
use super::compare::no_longer_produced;
use super::run::{Options, Pipeline};
use super::settle::Settled;
use super::{PipelineError, RunReport};
use crate::item::ProjectName;
use crate::redaction::{Engine, Redacted};
use crate::store::{Keep, RunRow, UnitWrite};

/// What has been taken of a connector's delivery so far.
pub(super) struct Delivery {
    pub(super) source: SourceName,
    pub(super) trust: Trust,
    pub(super) project: Option<ProjectName>,
    pub(super) options: Options,
    pub(super) report: RunReport,
    /// Units with something new.
    pub(super) changed: usize,
    pub(super) units: u64,
    /// When the newest stored item happened.
    pub(super) newest: Option<Instant>,
    pub(super) unit: Option<Assembly>,
}

impl Delivery {
    /// Takes one event; says whether a unit ended with it.
    pub(super) async fn take(
        &mut self,
        event: Event,
        pipeline: &mut Pipeline<'_>,
    ) -> Result<bool, PipelineError> {
        match event {
            Event::Start(start) => {
                let Some(start) = presentable(start, pipeline.engine) else {
                    return Ok(false);
                };
                let source = pipeline.store.known_source(&self.source)?;
                let limit = pipeline.max_input_chars;
                self.unit = Some(Assembly::open(start, source, limit, pipeline.store)?);
            }
            Event::Blocks(blocks) => {
                if let Some(unit) = &mut self.unit {
                    for block in &blocks {
                        unit.push(block, pipeline.engine, pipeline.store)?;
                    }
                }
            }
            Event::End(end) => {
                if let Some(mut unit) = self.unit.take() {
                    self.units += 1;
                    self.close(&mut unit, &end, pipeline).await?;
                    unit.put_back(pipeline.store)?;
                    return Ok(true);
                }
            }
            Event::Abandoned => {
                if let Some(unit) = self.unit.take() {
                    unit.put_back(pipeline.store)?;
                }
            }
            Event::Marks(marks) => self.keep(&marks, Keep::Value, pipeline)?,
        }
        Ok(false)
    }

    fn keep(
        &self,
        marks: &[Mark],
        keep: Keep,
        pipeline: &mut Pipeline<'_>,
    ) -> Result<(), PipelineError> {
        if self.options.dry_run || marks.is_empty() {
            return Ok(());
        }
        let keep = if self.options.sample.is_some() {
            Keep::Identity
        } else {
            keep
        };
        let source = pipeline.store.source(&self.source)?;
        let layout = pipeline.max_input_chars;
        pipeline.store.keep_marks(source, marks, layout, keep)?;
        Ok(())
    }

    async fn close(
        &mut self,
        unit: &mut Assembly,
        end: &UnitEnd,
        pipeline: &mut Pipeline<'_>,
    ) -> Result<(), PipelineError> {
        unit.finish(pipeline.store)?;
        self.report.records_owned_elsewhere += unit.elsewhere;
        self.report.records_repeated += unit.repeated;
        self.report.records_passed_over += unit.disordered;
        let too_short = unit.stored.is_none() && unit.chars < unit.start.min_chars;
        if unit.sealed.is_empty() || too_short {
            if unit.sealed.is_empty() {
                self.report.units_left_out += 1;
            } else {
                self.report.units_too_short += 1;
            }
            if let Some(stored) = unit.stored.as_ref().filter(|_| !self.options.dry_run) {
                let (id, original_ref) = (&unit.start.id, &unit.start.original_ref);
                pipeline.store.rename_unit(stored.row, id, original_ref)?;
            }
            // Nothing of it is stored by this reading, so the next one has nothing to begin at.
            return self.keep(&end.marks, Keep::All(None), pipeline);
        }
        let settled = self.settle(unit, end, pipeline).await?;
        if settled.changed {
            self.changed += 1;
        }
        if !self.options.dry_run {
            self.store(unit, end, settled, pipeline)?;
        }
        Ok(())
    }

    fn store(
        &mut self,
        unit: &mut Assembly,
        end: &UnitEnd,
        settled: Settled,
        pipeline: &mut Pipeline<'_>,
    ) -> Result<(), PipelineError> {
        let engine = pipeline.engine;
        let redacted = |text: &Option<String>| text.as_deref().map(|text| engine.redact(text));
        let (named, cwd) = (redacted(&end.evidence.named), redacted(&end.evidence.cwd));
        let written = pipeline.store.write_unit(UnitWrite {
            source: pipeline.store.source(&self.source)?,
            id: &unit.start.id,
            row: unit.stored.as_ref().map(|stored| stored.row),
            absorbed: unit.absorbed.iter().map(|taken| taken.row).collect(),
            original_ref: &unit.start.original_ref,
            account: settled.about.account.as_ref(),
            title_hint: settled.title.as_ref(),
            named: named.as_ref(),
            cwd: cwd.as_ref(),
            seen: &unit.values,
            trust: settled.about.trust,
            layout: pipeline.max_input_chars,
            segments: settled.segments,
            prune: if settled.failed {
                Vec::new()
            } else {
                no_longer_produced(unit)
            },
            pending: settled.failed,
            remember: !settled.failed && self.options.sample.is_none(),
            whole: unit.start.extent == Extent::Whole,
            owned: std::mem::take(&mut unit.owned),
            marks: &end.marks,
            tail: unit.tail,
            now: pipeline.clock.now(),
        })?;
        self.report.stored += written.inserted + written.updated;
        self.report.redacted_again += written.redacted_again;
        self.report.pruned += written.pruned;
        Ok(())
    }

    pub(super) fn finish(
        mut self,
        pipeline: &mut Pipeline<'_>,
        started_at: Instant,
        (report, result): (Report, Result<(), ConnectorError>),
    ) -> Result<RunReport, PipelineError> {
        self.report.take(&report, pipeline.engine);
        match result {
            Ok(()) | Err(ConnectorError::Stopped) => {}
            Err(error) => self
                .report
                .error(pipeline.engine.redact(&error.to_string())),
        }
        if !self.options.dry_run {
            let error = self.report.errors.first().cloned();
            let failed = self.report.has_failed();
            pipeline.store.finish_run(&RunRow {
                connector: &self.source,
                started_at,
                ended_at: pipeline.clock.now(),
                last_item_at: self.newest,
                error: error.or_else(|| failed.then(|| Redacted::literal("something failed"))),
                report: Redacted::json(&self.report),
            })?;
        }
        Ok(self.report)
    }
}

/// A unit under a name that may be stored: a file can be called anything, also by a secret.
fn presentable(start: UnitStart, engine: &Engine) -> Option<UnitStart> {
    let formerly = start.formerly.iter().map(|id| match hidden(id, engine) {
        Some(hidden) => UnitId::new(hidden).ok(),
        None => Some(id.clone()),
    });
    let start = UnitStart {
        formerly: formerly.collect::<Option<_>>()?,
        ..start
    };
    let Some(hidden) = hidden(&start.id, engine) else {
        return Some(start);
    };
    let kind = start.original_ref.as_str().split(':').next()?;
    Some(UnitStart {
        original_ref: OriginalRef::new(format!("{kind}:{hidden}")).ok()?,
        id: UnitId::new(hidden).ok()?,
        ..start
    })
}

/// The name that a unit is stored under when its own is, or holds, a secret.
fn hidden(id: &UnitId, engine: &Engine) -> Option<String> {
    let id = id.as_str();
    let is_secret = engine.redact(id).as_str() != id;
    is_secret.then(|| format!("unit-{:016x}", RecordKey::of(id.as_bytes()).0))
}
