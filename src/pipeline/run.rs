//! One connector's run: what it works with, and its loop over what the connector sends.

use std::sync::Arc;

use jezero_connectors::{
    Connector, ConnectorError, Instant, Memory, Recollection, Report, Request, Sink, SourceName,
    Trust, time::Clock,
};

use super::delivery::Delivery;
use super::flight::Flights;
use super::halt::Halt;
use super::history::Noted;
use super::pool::Pool;
use super::{PipelineError, RunReport, Stop};
use crate::item::ProjectName;
use crate::project::ProjectRules;
use crate::redaction::Engine;
use crate::store::Store;
use crate::summarizer::Summarizer;

/// What every run works with.
pub struct Pipeline<'a> {
    /// The library; the caller holds its lock.
    pub store: &'a mut Store,
    /// The redaction rules.
    pub engine: &'a Engine,
    /// Who writes the summaries.
    pub summarizer: Arc<dyn Summarizer>,
    /// How many summaries may be under way at once.
    pub max_concurrency: usize,
    /// How many characters a day may be sent to a summariser that costs something.
    pub daily_input_chars: Option<u64>,
    /// How folders become projects.
    pub projects: &'a ProjectRules,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Largest segment, in characters before redaction.
    pub max_input_chars: usize,
    /// Hears when the run should end.
    pub stop: Stop,
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

/// Runs one connector, and notes in the library's history how that went.
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
    let noted = match options.dry_run {
        true => None,
        false => Some(Noted::begin(pipeline, &job.source, started_at)?),
    };
    let read = read(pipeline, job, options, progress, started_at).await;
    match (read, noted) {
        (Ok((report, newest)), Some(noted)) => {
            noted.end(pipeline, &report, newest)?;
            Ok(report)
        }
        (Err(error), Some(noted)) => {
            noted.give_up(pipeline, &error);
            Err(error)
        }
        (read, None) => Ok(read?.0),
    }
}

/// Reads one source to its end; gives the report and when the newest stored item happened.
async fn read(
    pipeline: &mut Pipeline<'_>,
    job: Job,
    options: Options,
    progress: &mut (dyn FnMut(Progress) + Send),
    started_at: Instant,
) -> Result<(RunReport, Option<Instant>), PipelineError> {
    let recollection = Recollection::default();
    let request = Request {
        memory: recollection.clone(),
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
    // The source is being listed in the meantime. A reading must not wait for ever, so it gets an
    // empty memory when there is none to be had, and then finds that nobody listens any more.
    let memory = pipeline.store.memory(&source, pipeline.max_input_chars);
    match memory {
        Ok(memory) => recollection.arrive(memory),
        Err(error) => {
            drop(events);
            recollection.arrive(Memory::default());
            return Err(error.into());
        }
    }

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
        flights: Flights::default(),
        pool: Pool::new(pipeline.max_concurrency),
        halt: Halt::default(),
    };
    delivery.report.connector = delivery.source.to_string();
    let mut is_open = true;
    let mut told = 0;
    let mut stop = pipeline.stop.clone();
    let given_up = pipeline.stop.clone().given_up();
    tokio::pin!(given_up);
    loop {
        delivery.feed(pipeline)?;
        is_open &= !(delivery.is_enough() || delivery.halt.is_told() && delivery.unit.is_none());
        let (busy, reads) = (delivery.pool.is_busy(), is_open && delivery.has_room());
        if !busy && !reads {
            break;
        }
        tokio::select! {
            biased;
            () = &mut given_up => break,
            () = stop.told(), if !delivery.halt.is_told() => delivery.halt.tell(),
            Some(ended) = delivery.pool.ended(), if busy => delivery.arrive(ended, pipeline)?,
            event = events.recv(), if reads => match event {
                Some(event) => delivery.take(event, pipeline).await?,
                None => is_open = false,
            },
        }
        if told != delivery.units + delivery.report.stored {
            told = delivery.units + delivery.report.stored;
            progress(Progress {
                units: delivery.units,
                stored: delivery.report.stored,
            });
        }
    }
    drop(events);
    let outcome = reading
        .await
        .unwrap_or_else(|_| (Report::default(), Err(ConnectorError::Broken)));
    Ok(delivery.finish(pipeline, outcome))
}
