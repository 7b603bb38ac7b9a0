//! The segments of one unit: compared with what is stored, and what a summary makes of one.

use jezero_connectors::{Locator, Trust, UnitEnd};

use super::PipelineError;
use super::assemble::{Assembly, Sealed};
use super::compare::{Verdict, compare, external_id};
use super::delivery::Delivery;
use super::mask;
use super::pool::{Given, Outcome};
use super::run::Pipeline;
use crate::item::{ProjectName, titled};
use crate::redaction::Redacted;
use crate::store::{ItemWrite, RedactedAgain, SegmentWrite, Store, StoredSegment};
use crate::summarizer;

impl Delivery {
    /// Compares the segments of a unit; says which of them need a summary.
    pub(super) fn settle(
        &mut self,
        unit: &Assembly,
        end: &UnitEnd,
        pipeline: &Pipeline<'_>,
    ) -> Result<Settled, PipelineError> {
        let engine = pipeline.engine;
        let about = self.about(unit, end, pipeline);
        let before: Vec<StoredSegment> = unit.kept().to_vec();
        let parts = before.len() + unit.sealed.len();
        let mut settled = Settled {
            title: told(unit, end, pipeline),
            about,
            parts: (before.len(), parts),
            segments: Vec::new(),
            wanted: Vec::new(),
            failed: false,
        };
        for (at, stored) in before.iter().enumerate() {
            let part = (at + 1, parts);
            settled.segments.push(unchanged(
                stored,
                stored.locator,
                part,
                unit,
                pipeline.store,
            )?);
        }
        for (at, sealed) in unit.sealed.iter().enumerate() {
            let part = settled.part(at);
            self.report.docs += 1;
            self.report.redactions += sealed.redactions.total();
            match compare(unit, sealed, pipeline.store, engine)? {
                Verdict::Same(stored) => {
                    self.report.unchanged += 1;
                    let locator = sealed.locator;
                    let same = unchanged(&stored, locator, part, unit, pipeline.store)?;
                    settled.segments.push(same);
                }
                Verdict::Redacted(item, frame) => {
                    let draft = pipeline.store.draft(item)?;
                    let again =
                        |text: &Redacted| mask::mask(&engine.redact(text.as_str()), &unit.values);
                    let again = Box::new(RedactedAgain {
                        item,
                        draft: draft.redacted_again(again),
                        content_hash: sealed.hash.clone(),
                        original: Some(frame),
                        rules_version: engine.version(),
                    });
                    let write = SegmentWrite::Redacted { again, part };
                    settled.segments.push(write);
                }
                Verdict::Summarise => settled.wanted.push(at),
            }
        }
        Ok(settled)
    }

    fn about(&self, unit: &Assembly, end: &UnitEnd, pipeline: &Pipeline<'_>) -> About {
        let stored_title = unit
            .stored
            .as_ref()
            .and_then(|stored| stored.title_hint.clone());
        let evidence = unit.evidence(end.evidence.clone());
        let project = pipeline.projects.of(&evidence, pipeline.engine);
        let account = unit.start.account.as_deref();
        About {
            title: told(unit, end, pipeline).or(stored_title),
            project: project.or_else(|| self.project.clone()),
            trust: end.trust.unwrap_or(self.trust).capped(self.trust),
            account: account.map(|account| pipeline.engine.redact(account)),
        }
    }

    /// What a call for a segment is given. `None` when the segment has no text of its own.
    pub(super) fn given(
        &self,
        unit: &Assembly,
        settled: &Settled,
        at: usize,
        pipeline: &Pipeline<'_>,
    ) -> Result<Option<Given>, PipelineError> {
        let Some((sealed, frame)) = unit
            .sealed
            .get(at)
            .and_then(|sealed| Some((sealed, sealed.frame.as_ref()?)))
        else {
            return Ok(None);
        };
        Ok(Some(Given {
            text: pipeline.store.text_of(frame)?,
            title_hint: settled.about.title.clone(),
            part: settled.part(at),
            source: self.source.clone(),
            project: settled.about.project.clone(),
            occurred_at: sealed.occurred_at,
        }))
    }

    /// Makes an item of a segment's summary. `None` when that failed; the report then says why.
    pub(super) fn summarised(
        &mut self,
        unit: &Assembly,
        settled: &Settled,
        at: usize,
        (given, outcome): (Option<Given>, Outcome),
        pipeline: &Pipeline<'_>,
    ) -> Option<SegmentWrite> {
        let sealed = unit.sealed.get(at)?;
        let engine = pipeline.engine;
        let accepted = outcome.and_then(|answer| {
            self.report.spent(&answer.usage);
            let given = given.ok_or(summarizer::SummarizerError::Broken)?;
            summarizer::accept(answer.reply, &given.task(), engine)
        });
        let (mut draft, dropped) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                if let Some(usage) = error.usage() {
                    self.report.spent(usage);
                }
                let text = format!("{}#{}: {error}", unit.start.id, sealed.locator);
                self.report.error(engine.redact(&text));
                return None;
            }
        };
        self.report.atoms_dropped += dropped.all_atoms();
        self.report.atoms_not_in_text += dropped.not_in_text;
        let part = settled.part(at);
        draft.title = engine.redact(&titled(draft.title.as_str(), part));
        let mut draft = draft.redacted_again(|text| mask::mask(text, &unit.values));
        let Some(external_id) = external_id(unit, sealed) else {
            let text = engine.redact("a unit id is too long to be stored");
            self.report.error(text);
            return None;
        };
        let about = &settled.about;
        let guess = draft.project.take();
        let guess = guess.and_then(|guess| pipeline.projects.named(guess.as_str(), engine));
        self.newest = self.newest.max(Some(sealed.occurred_at));
        Some(SegmentWrite::Item(Box::new(ItemWrite {
            external_id,
            occurred_at: sealed.occurred_at,
            draft,
            project: about.project.clone().or(guess),
            account: about.account.clone(),
            original_ref: Some(unit.start.original_ref.clone()),
            trust: about.trust,
            content_hash: sealed.hash.clone(),
            original: sealed.frame.clone(),
            locator: sealed.locator,
            part,
            rules_version: engine.version(),
            summary_by: pipeline.summarizer.name().to_owned(),
            redactions: sealed.redactions.clone(),
        })))
    }
}

/// The title that the source told at this reading.
fn told(unit: &Assembly, end: &UnitEnd, pipeline: &Pipeline<'_>) -> Option<Redacted> {
    let title = end.title_hint.as_deref()?;
    Some(mask::mask(&pipeline.engine.redact(title), &unit.values))
}

/// A segment whose text is what is stored: nothing to write but its part number, unless this
/// reading found a secret that stands in it.
fn unchanged(
    stored: &StoredSegment,
    locator: Locator,
    part: (usize, usize),
    unit: &Assembly,
    store: &Store,
) -> Result<SegmentWrite, PipelineError> {
    Ok(match mask::stored(stored, unit, store)? {
        Some(again) => SegmentWrite::Redacted { again, part },
        None => SegmentWrite::Same {
            item: stored.item,
            locator,
            part,
        },
    })
}

/// What is the same for all segments of a unit.
pub(super) struct About {
    pub(super) title: Option<Redacted>,
    pub(super) project: Option<ProjectName>,
    pub(super) trust: Trust,
    pub(super) account: Option<Redacted>,
}

/// A unit whose segments have been compared.
pub(super) struct Settled {
    /// The title that the source told at this reading.
    pub(super) title: Option<Redacted>,
    pub(super) about: About,
    /// Stored segments before those that were read, and all segments.
    parts: (usize, usize),
    /// What is known to be written so far.
    pub(super) segments: Vec<SegmentWrite>,
    /// The sealed segments that need a summary.
    pub(super) wanted: Vec<usize>,
    /// Whether one of them has none.
    pub(super) failed: bool,
}

impl Settled {
    /// Part n of N of a sealed segment.
    fn part(&self, at: usize) -> (usize, usize) {
        let (before, parts) = self.parts;
        (before + at + 1, parts)
    }
}

/// Size of a segment as the summariser gets it, in characters.
pub(super) fn size(sealed: &Sealed) -> u64 {
    u64::try_from(sealed.chars).unwrap_or(u64::MAX)
}
