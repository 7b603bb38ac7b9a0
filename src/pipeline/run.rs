//! One connector's run, from its first event to its report.

use std::sync::Arc;

use jezero_connectors::{
    Connector, ConnectorError, Event, Instant, Mark, Report, Request, Sink, SourceName, Trust,
    UnitEnd, time::Clock,
};

use super::assemble::{Assembly, Sealed};
use super::compare::{Verdict, compare, external_id, no_longer_produced, text_of};
use super::{PipelineError, RunReport};
use crate::item::{ProjectName, titled};
use crate::project::ProjectRules;
use crate::redaction::{Engine, Redacted};
use crate::store::{
    ItemWrite, RedactedAgain, RunRow, SegmentWrite, Store, StoredSegment, UnitWrite,
};
use crate::summarizer::{self, Summarizer, Task};

/// What every run works with.
pub struct Pipeline<'a> {
    /// The library; the caller holds its lock.
    pub store: &'a mut Store,
    /// The redaction rules.
    pub engine: &'a Engine,
    /// Who writes the summaries.
    pub summarizer: &'a dyn Summarizer,
    /// How folders become projects.
    pub projects: &'a ProjectRules,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Largest segment, in characters before redaction.
    pub max_input_chars: usize,
}

impl std::fmt::Debug for Pipeline<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pipeline")
            .field("max_input_chars", &self.max_input_chars)
            .finish_non_exhaustive()
    }
}

/// One connector as the configuration sets it up.
pub struct Job {
    /// The source it fills.
    pub source: SourceName,
    /// Who wrote what it reads, at most.
    pub trust: Trust,
    /// The project of what names none itself.
    pub project: Option<ProjectName>,
    /// The connector.
    pub connector: Box<dyn Connector>,
}

impl std::fmt::Debug for Job {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Job")
            .field("source", &self.source)
            .finish_non_exhaustive()
    }
}

/// How much of a run is wanted.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// Stop after this many units that had something new.
    pub limit: Option<usize>,
    /// Take the newest so many units and leave all marks alone.
    pub sample: Option<usize>,
    /// Summarise and store nothing.
    pub dry_run: bool,
}

/// How far a run has come; told after each unit.
#[derive(Debug, Clone, Copy, Default)]
pub struct Progress {
    /// Units delivered so far.
    pub units: u64,
    /// Items stored so far.
    pub stored: u64,
}

/// Runs one connector.
///
/// # Errors
/// Only when the library cannot be read or written; whatever fails in the source or for one
/// segment is in the report, and the run goes on.
pub async fn run(
    pipeline: &mut Pipeline<'_>,
    job: Job,
    options: Options,
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<RunReport, PipelineError> {
    let started_at = pipeline.clock.now();
    let memory = pipeline
        .store
        .memory(&job.source, pipeline.max_input_chars)?;
    let request = Request {
        memory: Arc::new(memory),
        now: started_at,
        sample: options.sample,
    };
    let (sink, mut events) = Sink::channel();
    let Job {
        source,
        trust,
        project,
        mut connector,
    } = job;
    let reading = tokio::spawn(async move { connector.poll(request, sink).await });

    let mut delivery = Delivery {
        source,
        trust,
        project,
        options,
        report: RunReport {
            dry_run: options.dry_run,
            would_store: options.dry_run.then_some(0),
            sample: options.sample,
            ..RunReport::default()
        },
        changed: 0,
        units: 0,
        newest: None,
        unit: None,
    };
    delivery.report.connector = delivery.source.to_string();
    while let Some(event) = events.recv().await {
        let closed = delivery.take(event, pipeline).await?;
        if closed {
            progress(Progress {
                units: delivery.units,
                stored: delivery.report.stored,
            });
        }
        if options.limit.is_some_and(|limit| delivery.changed >= limit) {
            break;
        }
    }
    drop(events);
    let outcome = reading
        .await
        .unwrap_or_else(|_| (Report::default(), Err(ConnectorError::Broken)));
    delivery.finish(pipeline, started_at, outcome)
}

struct Delivery {
    source: SourceName,
    trust: Trust,
    project: Option<ProjectName>,
    options: Options,
    report: RunReport,
    /// Units with something new.
    changed: usize,
    units: u64,
    /// When the newest stored item happened.
    newest: Option<Instant>,
    unit: Option<Assembly>,
}

impl Delivery {
    /// Takes one event; says whether a unit ended with it.
    async fn take(
        &mut self,
        event: Event,
        pipeline: &mut Pipeline<'_>,
    ) -> Result<bool, PipelineError> {
        match event {
            Event::Start(start) => {
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
                if let Some(unit) = self.unit.take() {
                    self.units += 1;
                    self.close(unit, end, pipeline).await?;
                    return Ok(true);
                }
            }
            Event::Abandoned => self.unit = None,
            Event::Marks(marks) => self.keep(&marks, pipeline)?,
        }
        Ok(false)
    }

    fn keep(&self, marks: &[Mark], pipeline: &mut Pipeline<'_>) -> Result<(), PipelineError> {
        if !self.leaves_marks_alone() {
            let source = pipeline.store.source(&self.source)?;
            pipeline
                .store
                .keep_marks(source, marks, pipeline.max_input_chars)?;
        }
        Ok(())
    }

    fn leaves_marks_alone(&self) -> bool {
        self.options.dry_run || self.options.sample.is_some()
    }

    async fn close(
        &mut self,
        mut unit: Assembly,
        end: UnitEnd,
        pipeline: &mut Pipeline<'_>,
    ) -> Result<(), PipelineError> {
        unit.finish()?;
        self.report.records_owned_elsewhere += unit.elsewhere;
        self.report.records_passed_over += unit.disordered;
        let too_short = unit.stored.is_none() && unit.chars < unit.start.min_chars;
        if unit.sealed.is_empty() || too_short {
            self.report.units_too_short += 1;
            return self.keep(&end.marks, pipeline);
        }
        let settled = self.settle(&unit, &end, pipeline).await?;
        if settled.changed {
            self.changed += 1;
        }
        if !self.options.dry_run {
            self.store(&unit, &end, settled, pipeline)?;
        }
        Ok(())
    }

    /// Compares and summarises the segments of a unit.
    async fn settle(
        &mut self,
        unit: &Assembly,
        end: &UnitEnd,
        pipeline: &Pipeline<'_>,
    ) -> Result<Settled, PipelineError> {
        let engine = pipeline.engine;
        let told = end.title_hint.as_deref().map(|title| engine.redact(title));
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
        let before: Vec<StoredSegment> = unit.kept().cloned().collect();
        let parts = before.len() + unit.sealed.len();
        let mut settled = Settled {
            title: told,
            about,
            segments: Vec::new(),
            failed: false,
            changed: false,
        };
        for (at, stored) in before.iter().enumerate() {
            settled.segments.push(SegmentWrite::Same {
                item: stored.item,
                part: (at + 1, parts),
            });
        }
        for (at, sealed) in unit.sealed.iter().enumerate() {
            let part = (before.len() + at + 1, parts);
            self.report.docs += 1;
            self.report.redactions += sealed.redactions.total();
            match compare(unit, sealed, pipeline.store, engine)? {
                Verdict::Same(item) => {
                    self.report.unchanged += 1;
                    settled.segments.push(SegmentWrite::Same { item, part });
                }
                Verdict::Redacted(item) => {
                    let draft = pipeline.store.draft(item)?;
                    let again = Box::new(RedactedAgain {
                        item,
                        draft: draft.redacted_again(|text| engine.redact(text.as_str())),
                        content_hash: sealed.hash.clone(),
                        original: sealed.frame.clone().unwrap_or_default(),
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
        let text = text_of(sealed)?;
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
        self.report.atoms_dropped += dropped.unknown_kinds + dropped.not_in_text;
        draft.title = pipeline.engine.redact(&titled(draft.title.as_str(), part));
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

    fn store(
        &mut self,
        unit: &Assembly,
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
            original_ref: &unit.start.original_ref,
            account: settled.about.account.as_ref(),
            title_hint: settled.title.as_ref(),
            named: named.as_ref(),
            cwd: cwd.as_ref(),
            trust: settled.about.trust,
            layout: pipeline.max_input_chars,
            segments: settled.segments,
            prune: if settled.failed {
                Vec::new()
            } else {
                no_longer_produced(unit)
            },
            pending: settled.failed,
            owned: unit.owned.clone(),
            marks: if self.leaves_marks_alone() {
                &[]
            } else {
                &end.marks
            },
            tail: unit.tail,
            now: pipeline.clock.now(),
        })?;
        self.report.stored += written.inserted + written.updated;
        self.report.redacted_again += written.redacted_again;
        self.report.pruned += written.pruned;
        Ok(())
    }

    fn finish(
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
            let text = serde_json::to_string(&self.report).unwrap_or_default();
            pipeline.store.finish_run(&RunRow {
                connector: &self.source,
                started_at,
                ended_at: pipeline.clock.now(),
                last_item_at: self.newest,
                error: error.or_else(|| failed.then(|| Redacted::literal("something failed"))),
                report: pipeline.engine.redact(&text),
            })?;
        }
        Ok(self.report)
    }
}

/// What is the same for all segments of a unit.
struct About {
    title: Option<Redacted>,
    project: Option<ProjectName>,
    trust: Trust,
    account: Option<Redacted>,
}

/// A unit whose segments have been compared and summarised.
struct Settled {
    /// The title that the source told at this reading.
    title: Option<Redacted>,
    about: About,
    segments: Vec<SegmentWrite>,
    failed: bool,
    changed: bool,
}
