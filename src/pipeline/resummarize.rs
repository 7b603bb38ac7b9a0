//! Summaries made anew from stored originals; sources are not read.
//!
//! Each summary is stored when it comes, so that a kill loses only the calls under way. An item
//! whose call fails keeps the summary that it has.

use std::sync::Arc;

use super::pool::{Given, Outcome, Place, Pool};
use super::run::{Pipeline, Progress};
use super::{PassedOver, PipelineError, RunReport, mask};
use crate::item::{ItemId, titled};
use crate::redaction::{Redacted, Seen};
use crate::store::{Anew, Candidate};
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
    let mut work = Work {
        report: RunReport {
            connector: NAME.to_owned(),
            dry_run,
            would_store: dry_run.then_some(0),
            ..RunReport::default()
        },
        items: Vec::new(),
        pool: Pool::new(pipeline.max_concurrency),
        spent: false,
        stopped: false,
    };
    work.name_missing(which, &candidates, pipeline);
    work.choose(&candidates, limit, pipeline);
    let mut done = 0;
    let mut stop = pipeline.stop.clone();
    let given_up = pipeline.stop.clone().given_up();
    tokio::pin!(given_up);
    loop {
        work.feed(pipeline)?;
        if !work.pool.is_busy() {
            break;
        }
        tokio::select! {
            biased;
            () = &mut given_up => break,
            () = stop.told(), if !work.stopped => work.stopped = true,
            Some((place, given, outcome)) = work.pool.ended() => {
                work.arrive(place, given, outcome, pipeline)?;
                done += 1;
                progress(Progress {
                    units: done,
                    stored: work.report.stored,
                });
            }
        }
    }
    if work.stopped {
        let text = "told to end; what is not done has the summary that it had";
        work.report.note = Some(Redacted::literal(text));
    }
    if work.spent {
        let text = "daily_input_chars is used up; give the command again tomorrow for the rest";
        work.report.note = Some(Redacted::literal(text));
    }
    Ok(work.report)
}

/// The work in hand.
struct Work {
    report: RunReport,
    /// The items to be summarised, with the secrets of their units once they are read.
    items: Vec<(ItemId, Seen)>,
    pool: Pool,
    /// Whether the day's characters are used up.
    spent: bool,
    /// Whether it was told to end.
    stopped: bool,
}

impl Work {
    fn name_missing(&mut self, which: &Anew<'_>, found: &[Candidate], pipeline: &Pipeline<'_>) {
        let missing = |id: &&ItemId| !found.iter().any(|candidate| candidate.item == **id);
        for id in which.ids.unwrap_or_default().iter().filter(missing) {
            let what = if which.filter == crate::store::Filter::default() {
                "there is no such item"
            } else {
                "there is no such item, or it is not of the source, project or time asked for"
            };
            let text = format!("item {id}: {what}");
            self.report.error(pipeline.engine.redact(&text));
        }
    }

    /// Takes the items that have an original, up to the limit, and names those without.
    fn choose(&mut self, candidates: &[Candidate], limit: Option<usize>, pipeline: &Pipeline<'_>) {
        for candidate in candidates {
            if limit.is_some_and(|limit| self.items.len() >= limit) {
                break;
            }
            self.report.docs += 1;
            if candidate.has_original {
                let unit = self.items.len() as u64;
                self.items.push((candidate.item, Seen::default()));
                self.pool.queue(Place { unit, segment: 0 });
            } else if self.report.passed_over.len() < LISTED {
                let place = format!("item {}", candidate.item);
                self.report.passed_over.push(PassedOver {
                    what: "passed over",
                    place: pipeline.engine.redact(&place),
                    reason: Redacted::literal("it is stored without an original"),
                });
            } else {
                self.report.passed_over_unlisted += 1;
            }
        }
    }

    /// Begins as many calls as there is room for.
    fn feed(&mut self, pipeline: &mut Pipeline<'_>) -> Result<(), PipelineError> {
        while let Some(place) = self.pool.next() {
            let Some((item, seen)) = at(&mut self.items, place) else {
                continue;
            };
            let item = *item;
            let kept = match pipeline.store.kept(item) {
                Ok(kept) => kept,
                // One damaged row is no reason to leave the others as they are.
                Err(error @ crate::store::StoreError::Damaged { .. }) => {
                    let text = format!("item {item}: {error}");
                    self.report.error(pipeline.engine.redact(&text));
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            seen.clone_from(&kept.seen);
            let original = kept.original.unwrap_or_default();
            // Nothing that the rules of today hide is sent to a model.
            let text = match kept.rules_version == pipeline.engine.version() {
                true => original,
                false => mask::mask(&pipeline.engine.redact(original.as_str()), seen),
            };
            let chars = u64::try_from(text.chars()).unwrap_or(u64::MAX);
            if self.report.dry_run {
                self.report.would_ask(chars);
                continue;
            }
            if self.stopped || !self.may_spend(chars, pipeline)? {
                self.spent = !self.stopped;
                self.report.postponed += 1 + self.pool.take_back().len() as u64;
                break;
            }
            self.report.input_chars += chars;
            let given = Given {
                text,
                title_hint: kept.title_hint,
                part: kept.part,
                source: kept.source,
                project: kept.project,
                occurred_at: kept.occurred_at,
            };
            let summarizer = Arc::clone(&pipeline.summarizer);
            self.pool.begin(place, given, summarizer);
        }
        Ok(())
    }

    /// Counts characters against the day's limit before they are sent.
    fn may_spend(&self, chars: u64, pipeline: &Pipeline<'_>) -> Result<bool, PipelineError> {
        match pipeline.daily_input_chars {
            Some(limit) if pipeline.summarizer.costs() => {
                let now = pipeline.clock.now();
                Ok(pipeline.store.spend(now, chars, limit)?)
            }
            _ => Ok(true),
        }
    }

    /// Stores what a call brought.
    fn arrive(
        &mut self,
        place: Place,
        given: Option<Given>,
        outcome: Outcome,
        pipeline: &mut Pipeline<'_>,
    ) -> Result<(), PipelineError> {
        let Some((item, seen)) = at(&mut self.items, place) else {
            return Ok(());
        };
        let engine = pipeline.engine;
        let report = &mut self.report;
        let accepted = outcome.and_then(|answer| {
            report.spent(&answer.usage);
            let given = given.ok_or(SummarizerError::Broken)?;
            let accepted = summarizer::accept(answer.reply, &given.task(), engine)?;
            Ok((accepted, given.part))
        });
        match accepted {
            Ok(((mut draft, dropped), part)) => {
                report.atoms_dropped += dropped.all_atoms();
                report.atoms_not_in_text += dropped.not_in_text;
                draft.title = engine.redact(&titled(draft.title.as_str(), part));
                let draft = draft.redacted_again(|text| mask::mask(text, seen));
                let by = pipeline.summarizer.name();
                pipeline.store.put_summary(*item, &draft, by)?;
                report.stored += 1;
            }
            Err(error) => {
                if let Some(usage) = error.usage() {
                    report.spent(usage);
                }
                report.error(engine.redact(&format!("item {item}: {error}")));
            }
        }
        *seen = Seen::default();
        Ok(())
    }
}

fn at(items: &mut [(ItemId, Seen)], place: Place) -> Option<&mut (ItemId, Seen)> {
    items.get_mut(usize::try_from(place.unit).ok()?)
}
