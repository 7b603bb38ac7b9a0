//! Summaries made anew from stored originals; sources are not read.
//!
//! Each summary is stored when it comes, so that a kill loses only the calls under way. An item
//! whose call fails keeps the summary that it has.

use std::sync::Arc;

use super::calls::{Calls, Ended};
use super::run::{Pipeline, Progress};
use super::{PassedOver, PipelineError, RunReport, mask};
use crate::item::titled;
use crate::redaction::Redacted;
use crate::store::{Anew, Candidate, Filter};
use crate::summarizer::{self, SummarizerError};

/// Items that are listed by number when they could not be taken.
const LISTED: usize = 100;
/// What stands in the place of a connector's name in the report.
const NAME: &str = "resummarize";

/// Summarises items anew.
///
/// `limit` is the most calls, `dry_run` counts and makes none. Items that `which` names by number and that
/// are not there count as failed; items without an original are counted and named.
///
/// # Errors
/// Only when the library cannot be read or written; an item that fails is in the report, and the
/// others go on.
pub async fn resummarize(
    pipeline: &mut Pipeline<'_>,
    which: &Anew<'_>,
    limit: Option<usize>,
    dry_run: bool,
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<RunReport, PipelineError> {
    let candidates = pipeline.store.to_summarise_anew(which)?;
    let mut report = RunReport {
        connector: NAME.to_owned(),
        dry_run,
        would_store: dry_run.then_some(0),
        ..RunReport::default()
    };
    let summarizer = Arc::clone(&pipeline.summarizer);
    let mut calls = Calls::new(summarizer, pipeline.max_concurrency, dry_run);
    name_missing(&mut report, which, &candidates, pipeline);
    for candidate in candidates {
        if limit.is_some_and(|limit| calls.count() >= limit) {
            break;
        }
        report.docs += 1;
        match candidate.has_original {
            true => calls.queue(candidate.item),
            false => name_without_original(&mut report, candidate, pipeline),
        }
    }
    let mut units = 0;
    let arrive = |pipeline: &mut Pipeline<'_>, report: &mut RunReport, ended: Ended| {
        units += 1;
        store(pipeline, report, ended)?;
        let stored = report.stored;
        progress(Progress { units, stored });
        Ok::<_, PipelineError>(())
    };
    calls.make(pipeline, &mut report, arrive).await?;
    Ok(report)
}

fn name_missing(
    report: &mut RunReport,
    which: &Anew<'_>,
    found: &[Candidate],
    pipeline: &Pipeline<'_>,
) {
    let there: std::collections::HashSet<_> = found.iter().map(|found| found.item).collect();
    let wanted = which.ids.unwrap_or_default().iter();
    for id in wanted.filter(|id| !there.contains(*id)) {
        let what = match which.filter == Filter::default() && which.provider_not.is_none() {
            true => "there is no such item",
            false => "there is no such item among those asked for",
        };
        report.error(pipeline.engine.redact(&format!("item {id}: {what}")));
    }
}

fn name_without_original(report: &mut RunReport, found: Candidate, pipeline: &Pipeline<'_>) {
    if report.passed_over.len() == LISTED {
        report.passed_over_unlisted += 1;
        return;
    }
    report.passed_over.push(PassedOver {
        what: "passed over",
        place: pipeline.engine.redact(&format!("item {}", found.item)),
        reason: Redacted::literal("its original is not stored, or is kept no longer"),
    });
}

/// Stores what a call brought.
fn store(
    pipeline: &mut Pipeline<'_>,
    report: &mut RunReport,
    ended: Ended,
) -> Result<(), PipelineError> {
    let engine = pipeline.engine;
    let item = ended.item;
    let accepted = ended.outcome.and_then(|answer| {
        report.spent(&answer.usage);
        let given = ended.given.ok_or(SummarizerError::Broken)?;
        let accepted = summarizer::accept(answer.reply, &given.task(), engine)?;
        Ok((accepted, given.part))
    });
    match accepted {
        Ok(((mut draft, dropped), part)) => {
            report.atoms_dropped += dropped.all_atoms();
            report.atoms_not_in_text += dropped.not_in_text;
            draft.title = engine.redact(&titled(draft.title.as_str(), part));
            let draft = draft.redacted_again(|text| mask::mask(text, &ended.seen));
            let by = pipeline.summarizer.name();
            pipeline.store.put_summary(item, &draft, by)?;
            report.stored += 1;
        }
        Err(error) => {
            if let Some(usage) = error.usage() {
                report.spent(usage);
            }
            report.error(engine.redact(&format!("item {item}: {error}")));
        }
    }
    Ok(())
}
