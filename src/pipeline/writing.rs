//! Writing what has come of a unit: all of it at its end, or some of it while calls are under way.

use jezero_connectors::{Extent, SourceName};

use super::PipelineError;
use super::compare::no_longer_produced;
use super::flight::Flight;
use super::run::{Options, Pipeline};
use crate::store::{SegmentWrite, UnitWrite, Written};

/// How much of a unit is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// What has come so far; the unit is read again unless the rest follows.
    Some,
    /// All that will come.
    All,
}

/// Writes a unit, or a part of it, in one transaction.
pub(super) fn write_unit(
    source: &SourceName,
    options: Options,
    flight: &mut Flight,
    segments: Vec<SegmentWrite>,
    part: Part,
    pipeline: &mut Pipeline<'_>,
) -> Result<Written, PipelineError> {
    let engine = pipeline.engine;
    let redacted = |text: &Option<String>| text.as_deref().map(|text| engine.redact(text));
    let Flight {
        unit, end, settled, ..
    } = flight;
    let (named, cwd) = (redacted(&end.evidence.named), redacted(&end.evidence.cwd));
    let pending = settled.failed || part == Part::Some;
    let written = pipeline.store.write_unit(UnitWrite {
        source: pipeline.store.source(source)?,
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
        segments,
        prune: if pending {
            Vec::new()
        } else {
            no_longer_produced(unit)
        },
        pending,
        remember: !pending && options.sample.is_none(),
        whole: part == Part::All && unit.start.extent == Extent::Whole,
        owned: match part {
            Part::Some => Vec::new(),
            Part::All => std::mem::take(&mut unit.owned),
        },
        marks: match part {
            Part::Some => &[],
            Part::All => &end.marks,
        },
        tail: unit.tail,
        now: pipeline.clock.now(),
    })?;
    Ok(written)
}
