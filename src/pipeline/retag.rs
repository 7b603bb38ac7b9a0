//! The project rules of today on what is stored: items change their project, nothing else.
//!
//! What the source said of the place of work is stored with each unit, so sources are not read. Where it
//! says nothing, the connector's own project counts, and without one an item keeps its project, under
//! its present alias, unless a model is asked for it ([`ask_projects`]).

use std::collections::HashMap;
use std::sync::Arc;

use async_trait::async_trait;
use jezero_connectors::SourceName;
use serde::Serialize;

use super::calls::{Calls, Ended};
use super::run::{Pipeline, Progress};
use super::{PipelineError, RunReport};
use crate::item::{ItemId, ProjectName};
use crate::project::ProjectRules;
use crate::redaction::{Engine, Redacted};
use crate::store::{Evident, Store, Tagged};
use crate::summarizer::{Answer, Summarizer, SummarizerError, Task};

/// Items that change in one transaction.
const BATCH: usize = 500;

/// What a retagging did, in the order of its keys.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Retagged {
    /// The source.
    pub connector: String,
    /// Items looked at.
    pub docs: u64,
    /// Items whose project has changed, or would.
    pub retagged: u64,
    /// Whether nothing was changed.
    pub dry_run: bool,
    /// Items for which a model was asked, or would be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked_model: Option<u64>,
    /// Items that changed by what it said; they count as retagged, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved_by_model: Option<u64>,
    /// What calls of it that failed or were left for another day say. Only when there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trouble: Option<Trouble>,
    /// Items of which no rule says the project.
    #[serde(skip)]
    pub unanswered: Vec<Tagged>,
}

/// What went wrong between us and a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Trouble {
    /// Items without an answer.
    pub failed: u64,
    /// Items that were not asked for, because of the day's limit or the end of the program.
    pub postponed: u64,
    /// The first errors.
    pub errors: Vec<Redacted>,
    /// What else is worth knowing.
    pub note: Option<Redacted>,
}

/// An item whose project changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Move {
    /// The item.
    pub item: ItemId,
    /// Its id inside of the source.
    pub external_id: Redacted,
    /// Its project until now.
    pub from: Option<Redacted>,
    /// Its project from now on.
    pub to: ProjectName,
}

/// What the rules are applied with.
#[derive(Debug)]
pub struct Retag<'a> {
    /// The source.
    pub source: &'a SourceName,
    /// The project of what names none itself.
    pub project: Option<ProjectName>,
    /// The rules.
    pub rules: &'a ProjectRules,
    /// The redaction rules.
    pub engine: &'a Engine,
    /// Whether nothing is to be changed.
    pub dry_run: bool,
}

/// Applies the project rules to all items of a source. `told` gets each change before it is made.
///
/// A kill leaves some items changed and the others as they were; to do it again does the rest.
///
/// # Errors
/// When the library cannot be read or written, and what `told` says.
pub fn retag<E: From<PipelineError>>(
    store: &mut Store,
    with: &Retag<'_>,
    mut told: impl FnMut(&Move) -> Result<(), E>,
) -> Result<Retagged, E> {
    let mut done = Retagged {
        connector: with.source.to_string(),
        docs: 0,
        retagged: 0,
        dry_run: with.dry_run,
        asked_model: None,
        moved_by_model: None,
        trouble: None,
        unanswered: Vec::new(),
    };
    let mut moves = Vec::new();
    store.each_evidence(with.source, |evident| {
        done.docs += evident.items.len() as u64;
        with.judge(evident, &mut moves, &mut done.unanswered);
        Ok::<_, PipelineError>(())
    })?;
    done.retagged = moves.len() as u64;
    for batch in moves.chunks(BATCH) {
        batch.iter().try_for_each(&mut told)?;
        if !with.dry_run {
            let projects = batch.iter().map(|each| (each.item, each.to.clone()));
            let projects: Vec<_> = projects.collect();
            store.put_projects(&projects).map_err(PipelineError::from)?;
        }
    }
    Ok(done)
}

impl Retag<'_> {
    /// Which items of a unit belong to another project than they say.
    fn judge(&self, evident: Evident, moves: &mut Vec<Move>, unanswered: &mut Vec<Tagged>) {
        let says = self.rules.of(&evident.evidence, self.engine);
        // The project of an imported item was chosen by whoever wrote the file.
        let says = says.or_else(|| self.project.clone().filter(|_| evident.is_unit));
        if says.is_none() && evident.is_unit {
            unanswered.extend(evident.items.iter().cloned());
        }
        for item in evident.items {
            let renamed = || {
                let project = item.project.as_ref()?;
                self.rules.named(project.as_str(), self.engine)
            };
            let Some(to) = says.clone().or_else(renamed) else {
                continue;
            };
            if item.project.as_ref().map(Redacted::as_str) != Some(to.as_str()) {
                moves.push(Move {
                    item: item.item,
                    external_id: item.external_id,
                    from: item.project,
                    to,
                });
            }
        }
    }
}

/// Asks for projects where others ask for summaries.
struct ProjectAlone(Arc<dyn Summarizer>);

#[async_trait]
impl Summarizer for ProjectAlone {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn costs(&self) -> bool {
        self.0.costs()
    }

    async fn summarize(&self, task: &Task<'_>) -> Result<Answer, SummarizerError> {
        self.0.guess_project(task).await
    }
}

/// Asks the summariser for the project of the items that no rule answers for, from their stored
/// originals. `told` gets each change before it is made; each is made at once.
///
/// An item without an original is not asked for. One whose call fails keeps its project.
///
/// # Errors
/// When the library cannot be read or written, and what `told` says.
pub async fn ask_projects<E: From<PipelineError>>(
    pipeline: &mut Pipeline<'_>,
    done: &mut Retagged,
    mut told: impl FnMut(&Move) -> Result<(), E>,
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<(), E> {
    let summarizer = Arc::new(ProjectAlone(Arc::clone(&pipeline.summarizer)));
    let mut calls = Calls::new(summarizer, pipeline.max_concurrency, done.dry_run);
    let mut waiting = HashMap::new();
    for tagged in done.unanswered.drain(..) {
        let original = pipeline.store.has_original(tagged.item);
        if original.map_err(PipelineError::from)? {
            calls.queue(tagged.item);
            waiting.insert(tagged.item, tagged);
        }
    }
    let mut report = RunReport {
        dry_run: done.dry_run,
        ..RunReport::default()
    };
    let (mut asked, mut moved) = (0, 0);
    let arrive = |pipeline: &mut Pipeline<'_>, report: &mut RunReport, ended: Ended| {
        asked += 1;
        let Some(tagged) = waiting.remove(&ended.item) else {
            return Ok::<_, E>(());
        };
        if let Some(change) = answered(tagged, ended, pipeline, report) {
            told(&change)?;
            let project = [(change.item, change.to)];
            let put = pipeline.store.put_projects(&project);
            put.map_err(PipelineError::from)?;
            moved += 1;
        }
        progress(Progress {
            units: asked,
            stored: moved,
        });
        Ok(())
    };
    calls.make(pipeline, &mut report, arrive).await?;
    done.asked_model = Some(report.would_store.unwrap_or(asked));
    done.moved_by_model = Some(moved);
    done.retagged += moved;
    if report.failed + report.postponed > 0 {
        done.trouble = Some(Trouble {
            failed: report.failed,
            postponed: report.postponed,
            errors: report.errors,
            note: report.note,
        });
    }
    Ok(())
}

/// The change that an answer brings, if it brings one.
fn answered(
    tagged: Tagged,
    ended: Ended,
    pipeline: &Pipeline<'_>,
    report: &mut RunReport,
) -> Option<Move> {
    let engine = pipeline.engine;
    let answer = match ended.outcome {
        Ok(answer) => answer,
        Err(error) => {
            let text = format!("item {}: {error}", tagged.item);
            report.error(engine.redact(&text));
            return None;
        }
    };
    let to = pipeline.projects.named(&answer.reply.project?, engine)?;
    let same = tagged.project.as_ref().map(Redacted::as_str) == Some(to.as_str());
    (!same).then_some(Move {
        item: tagged.item,
        external_id: tagged.external_id,
        from: tagged.project,
        to,
    })
}
