//! One reading of a source into a library, at a moment that a test chooses.

use std::path::Path;
use std::sync::Arc;

use jezero::config::Projects;
use jezero::item::Trust;
use jezero::pipeline::{Job, Options, Pipeline, PipelineError, RunReport, Stop, run};
use jezero::project::ProjectRules;
use jezero::redaction::Engine;
use jezero::store::Store;
use jezero::summarizer::Summarizer;
use jezero_connectors::Connector;
use jezero_connectors::connector::Surroundings;
use jezero_connectors::time::FixedClock;

use super::{instant, source};

/// Reads all that a connector has, in segments of at most 3,000 characters.
pub(crate) fn read(
    store: &mut Store,
    engine: &Engine,
    summarizer: Arc<dyn Summarizer>,
    now: &str,
    (name, connector): (&str, Box<dyn Connector>),
) -> Result<RunReport, PipelineError> {
    let mut pipeline = Pipeline {
        store,
        engine,
        summarizer,
        max_concurrency: 1,
        daily_input_chars: None,
        stop: Stop::never(),
        projects: &ProjectRules::new(&Projects::default(), None),
        clock: Arc::new(FixedClock(instant(now))),
        max_input_chars: 3000,
    };
    let job = Job {
        source: source(name),
        trust: Trust::Own,
        project: None,
        connector,
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(run(&mut pipeline, job, Options::default(), &mut |_| {}))
}

/// A connector for the Claude Code sessions of a folder, also for those of a moment ago and for short
/// ones.
pub(crate) fn sessions(folder: &Path) -> Box<dyn Connector> {
    let options = format!(
        "projects_dir = {:?}\nsettle_minutes = 0\nmin_chars = 0\n",
        folder.to_str().unwrap()
    );
    let kind = jezero_connectors::kind("claude_code").unwrap();
    let connector = kind.build(&options.parse().unwrap(), &Surroundings::default());
    connector.unwrap()
}
