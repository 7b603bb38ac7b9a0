//! Reading one source, as `run` and `daemon` do it.

use std::sync::Arc;

use super::Exit;
use super::failure::Failure;
use super::setting::Setting;
use crate::config::ConnectorConfig;
use crate::item::SourceName;
use crate::pipeline::{self, Job, Options, Pipeline, Progress, RunReport, Stop};
use crate::project::ProjectRules;
use crate::redaction::Redacted;
use crate::store::{RemovedOriginals, Store};

/// Runs one connector; the caller holds the library's lock.
pub(super) async fn read(
    setting: &Setting,
    store: &mut Store,
    connector: &ConnectorConfig,
    options: Options,
    stop: &Stop,
    told: &mut (dyn FnMut(Progress) + Send),
) -> Result<RunReport, Failure> {
    if store.is_forgotten_source(&connector.name)? {
        let text =
            "not read, since it was forgotten; `jezero forget --undo --source NAME` lets it in";
        return Ok(RunReport {
            connector: connector.name.to_string(),
            note: Some(Redacted::literal(text)),
            ..RunReport::default()
        });
    }
    let engine = setting.engine()?;
    let projects = ProjectRules::new(&setting.config.projects, setting.config.env.home());
    let job = Job {
        source: connector.name.clone(),
        trust: connector.trust,
        project: connector
            .project
            .as_deref()
            .and_then(|name| projects.named(name, &engine)),
        connector: connector
            .build(&setting.config)
            .map_err(|error| Failure::new(Exit::BadUse, error))?,
    };
    let settings = &setting.config.summarizer;
    let mut pipeline = Pipeline {
        store,
        engine: &engine,
        summarizer: setting.summarizer_for(options.dry_run)?,
        max_concurrency: settings.max_concurrency,
        daily_input_chars: settings.daily_input_chars,
        projects: &projects,
        clock: Arc::clone(&setting.clock),
        max_input_chars: settings.max_input_chars,
        stop: stop.clone(),
    };
    Ok(pipeline::run(&mut pipeline, job, options, told).await?)
}

/// Removes the originals that are kept no longer, as `[storage].keep_originals_days` says; to be
/// called when sources were read. The caller holds the library's lock.
pub(super) fn remove_old_originals(
    setting: &Setting,
    store: &mut Store,
) -> Result<RemovedOriginals, Failure> {
    match setting.config.storage.keep_originals_days {
        Some(days) => Ok(store.remove_old_originals(days, setting.clock.now())?),
        None => Ok(RemovedOriginals::default()),
    }
}

/// Says what was removed.
pub(super) fn told_of_removed(removed: RemovedOriginals) -> String {
    format!(
        "{} originals are kept no longer and were removed ([storage].keep_originals_days); their \
         {} bytes are free for what is stored next",
        removed.count, removed.bytes
    )
}

/// Tells in the log how a reading went.
pub(super) fn log(source: &SourceName, report: &RunReport) {
    let told = match report.errors.first() {
        _ if !report.has_failed() && report.stored + report.pruned == 0 => "nothing new".to_owned(),
        _ if !report.has_failed() => format!(
            "stored {}, pruned {}, {} unchanged",
            report.stored, report.pruned, report.unchanged
        ),
        Some(error) => format!("{} failed: {error}", report.failed),
        None => format!("{} failed: something failed", report.failed),
    };
    // The level of an event is fixed where it stands.
    macro_rules! tell {
        ($level:ident) => {
            tracing::$level!(
                connector = %source,
                stored = report.stored,
                pruned = report.pruned,
                unchanged = report.unchanged,
                failed = report.failed,
                deferred_sessions = report.deferred_sessions,
                records_passed_over = report.records_passed_over,
                input_tokens = report.input_tokens,
                output_tokens = report.output_tokens,
                "{source}: {told}"
            )
        };
    }
    if report.has_failed() {
        tell!(warn);
    } else if report.stored + report.pruned > 0 {
        tell!(info);
    } else {
        tell!(debug);
    }
    if let Some(note) = &report.note {
        tracing::info!(connector = %source, "{source}: {note}");
    }
}
