//! Calls of a summariser for stored items: what is stored is read when a call begins, and what comes
//! of it is handed over at once.

use std::sync::Arc;

use super::halt::{Halt, Words};
use super::pool::{Given, Outcome, Place, Pool};
use super::run::Pipeline;
use super::{PipelineError, RunReport, mask};
use crate::item::ItemId;
use crate::redaction::Seen;
use crate::store::StoreError;
use crate::summarizer::Summarizer;

/// A call that has ended.
pub(super) struct Ended {
    /// The item it was made for.
    pub(super) item: ItemId,
    /// What it was given; nothing after a call that broke off.
    pub(super) given: Option<Given>,
    /// What came of it.
    pub(super) outcome: Outcome,
    /// The secrets of the item's unit.
    pub(super) seen: Seen,
}

/// The calls to be made.
pub(super) struct Calls {
    summarizer: Arc<dyn Summarizer>,
    items: Vec<(ItemId, Seen)>,
    pool: Pool,
    /// Whether calls are counted and none is made.
    dry_run: bool,
    /// Why no more calls are begun.
    halt: Halt,
}

/// What is said of items that were not begun.
const WORDS: Words = Words {
    told: "told to end; the rest is as it was",
    spent: "daily_input_chars is used up; give the command again tomorrow for the rest",
    denied: "the key was refused again and again, so the rest is as it was; mend the key, then give \
             the command again",
};

impl Calls {
    pub(super) fn new(
        summarizer: Arc<dyn Summarizer>,
        max_concurrency: usize,
        dry_run: bool,
    ) -> Self {
        Self {
            summarizer,
            items: Vec::new(),
            pool: Pool::new(max_concurrency),
            dry_run,
            halt: Halt::default(),
        }
    }

    /// How many are to be made.
    pub(super) fn count(&self) -> usize {
        self.items.len()
    }

    /// Puts an item at the end of the queue.
    pub(super) fn queue(&mut self, item: ItemId) {
        let unit = self.items.len() as u64;
        self.items.push((item, Seen::default()));
        self.pool.queue(Place { unit, segment: 0 });
    }

    /// Makes all calls, as many side by side as may be. An item that cannot be read is noted in the
    /// report as failed; what is not begun in time, as postponed.
    pub(super) async fn make<E: From<PipelineError>>(
        &mut self,
        pipeline: &mut Pipeline<'_>,
        report: &mut RunReport,
        mut arrive: impl FnMut(&mut Pipeline<'_>, &mut RunReport, Ended) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut stop = pipeline.stop.clone();
        let given_up = pipeline.stop.clone().given_up();
        tokio::pin!(given_up);
        loop {
            self.feed(pipeline, report)?;
            if !self.pool.is_busy() {
                break;
            }
            tokio::select! {
                biased;
                () = &mut given_up => break,
                () = stop.told(), if !self.halt.is_told() => self.halt.tell(),
                Some((place, given, outcome)) = self.pool.ended() => {
                    self.halt.hear(&outcome);
                    if let Some((item, seen)) = self.at(place) {
                        let (item, seen) = (*item, std::mem::take(seen));
                        let ended = Ended { item, given, outcome, seen };
                        arrive(pipeline, report, ended)?;
                    }
                }
            }
        }
        if let Some(note) = self.halt.note(&WORDS) {
            report.note = Some(note);
        }
        Ok(())
    }

    /// Begins as many calls as there is room for.
    fn feed(
        &mut self,
        pipeline: &mut Pipeline<'_>,
        report: &mut RunReport,
    ) -> Result<(), PipelineError> {
        while let Some(place) = self.pool.next() {
            let Some(item) = self.at(place).map(|(item, _)| *item) else {
                continue;
            };
            let kept = match pipeline.store.kept(item) {
                Ok(kept) => kept,
                // One damaged row is no reason to leave the others as they are.
                Err(error @ StoreError::Damaged { .. }) => {
                    let text = format!("item {item}: {error}");
                    report.error(pipeline.engine.redact(&text));
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            let original = kept.original.unwrap_or_default();
            // Nothing that the rules of today hide is sent to a model.
            let text = match kept.rules_version == pipeline.engine.version() {
                true => original,
                false => mask::mask(&pipeline.engine.redact(original.as_str()), &kept.seen),
            };
            let chars = u64::try_from(text.chars()).unwrap_or(u64::MAX);
            if self.dry_run {
                report.would_ask(chars);
                continue;
            }
            if !self.halt.lets(chars, pipeline)? {
                report.postponed += 1 + self.pool.take_back().len() as u64;
                break;
            }
            report.input_chars += chars;
            if let Some((_, seen)) = self.at(place) {
                *seen = kept.seen;
            }
            let given = Given {
                text,
                title_hint: kept.title_hint,
                part: kept.part,
                source: kept.source,
                project: kept.project,
                occurred_at: kept.occurred_at,
            };
            self.pool.begin(place, given, Arc::clone(&self.summarizer));
        }
        Ok(())
    }

    fn at(&mut self, place: Place) -> Option<&mut (ItemId, Seen)> {
        self.items.get_mut(usize::try_from(place.unit).ok()?)
    }
}
