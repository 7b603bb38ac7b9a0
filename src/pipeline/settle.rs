//! The segments of one unit: compared with what is stored, and summarised where they differ.

use jezero_connectors::{Locator, Trust, UnitEnd};

use super::PipelineError;
use super::assemble::{Assembly, Sealed};
use super::compare::{Verdict, compare, external_id};
use super::delivery::Delivery;
use super::mask;
use super::run::Pipeline;
use crate::item::{ProjectName, titled};
use crate::redaction::Redacted;
use crate::store::{ItemWrite, RedactedAgain, SegmentWrite, Store, StoredSegment};
use crate::summarizer::{self, Task};

impl Delivery {
    /// Compares and summarises the segments of a unit.
    pub(super) async fn settle(
        &mut self,
        unit: &Assembly,
        end: &UnitEnd,
        pipeline: &Pipeline<'_>,
    ) -> Result<Settled, PipelineError> {
        let engine = pipeline.engine;
        let told = end
            .title_hint
            .as_deref()
            .map(|title| mask::mask(&engine.redact(title), &unit.values));
        let stored_title = unit
            .stored
            .as_ref()
            .and_then(|stored| stored.title_hint.clone());
        let evidence = unit.evidence(end.evidence.clone());
        let about = About {
            title: told.clone().or(stored_title),
            project: pipeline
                .projects
                .of(&evidence, engine)
                .or_else(|| self.project.clone()),
            trust: end.trust.unwrap_or(self.trust).capped(self.trust),
            account: unit
                .start
                .account
                .as_deref()
                .map(|account| engine.redact(account)),
        };
        let before: Vec<StoredSegment> = unit.kept().to_vec();
        let parts = before.len() + unit.sealed.len();
        let mut settled = Settled {
            title: told,
            about,
            segments: Vec::new(),
            failed: false,
            changed: false,
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
            let part = (before.len() + at + 1, parts);
            self.report.docs += 1;
            self.report.redactions += sealed.redactions.total();
            match compare(unit, sealed, pipeline.store, engine)? {
                Verdict::Same(stored) => {
                    self.report.unchanged += 1;
                    settled.segments.push(unchanged(
                        &stored,
                        sealed.locator,
                        part,
                        unit,
                        pipeline.store,
                    )?);
                }
                Verdict::Redacted(item, frame) => {
                    let draft = pipeline.store.draft(item)?;
                    let again =
                        |text: &Redacted| mask::mask(&engine.redact(text.as_str()), &unit.values);
                    let again = Box::new(RedactedAgain {
                        item,
                        draft: draft.redacted_again(again),
                        content_hash: sealed.hash.clone(),
                        original: frame,
                        rules_version: engine.version(),
                    });
                    settled
                        .segments
                        .push(SegmentWrite::Redacted { again, part });
                }
                Verdict::Summarise => {
                    settled.changed = true;
                    self.summarise(unit, sealed, part, &mut settled, pipeline)
                        .await?;
                }
            }
        }
        Ok(settled)
    }

    async fn summarise(
        &mut self,
        unit: &Assembly,
        sealed: &Sealed,
        part: (usize, usize),
        settled: &mut Settled,
        pipeline: &Pipeline<'_>,
    ) -> Result<(), PipelineError> {
        self.report.input_chars += u64::try_from(sealed.chars).unwrap_or(u64::MAX);
        if let Some(would) = &mut self.report.would_store {
            *would += 1;
            return Ok(());
        }
        let Some(frame) = &sealed.frame else {
            return Ok(());
        };
        let text = pipeline.store.text_of(frame)?;
        let about = &settled.about;
        let task = Task {
            text: &text,
            title_hint: about.title.as_ref(),
            part,
            source: &self.source,
            project: about.project.as_ref(),
            occurred_at: sealed.occurred_at,
        };
        let reply = pipeline.summarizer.summarize(&task).await;
        let accepted = reply.and_then(|reply| summarizer::accept(reply, &task, pipeline.engine));
        let (mut draft, dropped) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                let text = format!("{}#{}: {error}", unit.start.id, sealed.locator);
                self.report.error(pipeline.engine.redact(&text));
                settled.failed = true;
                return Ok(());
            }
        };
        self.report.atoms_dropped += dropped.all_atoms();
        draft.title = pipeline.engine.redact(&titled(draft.title.as_str(), part));
        let mut draft = draft.redacted_again(|text| mask::mask(text, &unit.values));
        let Some(external_id) = external_id(unit, sealed) else {
            self.report
                .error(pipeline.engine.redact("a unit id is too long to be stored"));
            settled.failed = true;
            return Ok(());
        };
        let project = match &about.project {
            Some(project) => Some(project.clone()),
            None => {
                let guess = draft.project.take();
                guess.and_then(|guess| pipeline.projects.named(guess.as_str(), pipeline.engine))
            }
        };
        self.newest = self.newest.max(Some(sealed.occurred_at));
        settled
            .segments
            .push(SegmentWrite::Item(Box::new(ItemWrite {
                external_id,
                occurred_at: sealed.occurred_at,
                draft,
                project,
                account: about.account.clone(),
                original_ref: Some(unit.start.original_ref.clone()),
                trust: about.trust,
                content_hash: sealed.hash.clone(),
                original: sealed.frame.clone(),
                locator: sealed.locator,
                part,
                rules_version: pipeline.engine.version(),
                summary_by: pipeline.summarizer.name().to_owned(),
                redactions: sealed.redactions.clone(),
            })));
        Ok(())
    }
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

/// A unit whose segments have been compared and summarised.
pub(super) struct Settled {
    /// The title that the source told at this reading.
    pub(super) title: Option<Redacted>,
    pub(super) about: About,
    pub(super) segments: Vec<SegmentWrite>,
    pub(super) failed: bool,
    pub(super) changed: bool,
}
