//! The whole way of sessions into the library: read, render, redact, cut, hash, summarise, store.
//!
//! Made sessions by default; `JEZERO_CORPUS=<folder of projects>` takes real ones. Each is measured
//! as bytes of transcripts a second. `parse` is the yardstick: the same bytes through
//! `serde_json::Value`.
#![expect(
    clippy::expect_used,
    reason = "a bench that cannot be set up should stop"
)]

mod corpus;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use jezero::config::Projects;
use jezero::item::{SourceName, Trust};
use jezero::pipeline::{Job, Options, Pipeline, Stop, run};
use jezero::project::ProjectRules;
use jezero::redaction::Engine;
use jezero::store::Store;
use jezero::summarizer::extractive::Extractive;
use jezero_connectors::connector::Surroundings;
use jezero_connectors::time::SystemClock;

fn main() {
    divan::main();
}

/// A folder with sessions, and a number for each library made in it.
struct Ground {
    folder: tempfile::TempDir,
    projects: PathBuf,
    bytes: u64,
    libraries: AtomicUsize,
}

impl Ground {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let projects = match option_env_corpus() {
            Some(projects) => projects,
            None => made(folder.path()),
        };
        let bytes = sessions(&projects)
            .iter()
            .map(|path| path.metadata().map_or(0, |data| data.len()))
            .sum();
        Self {
            folder,
            projects,
            bytes,
            libraries: AtomicUsize::new(0),
        }
    }

    fn library(&self) -> PathBuf {
        self.folder.path().join(format!(
            "{}.db",
            self.libraries.fetch_add(1, Ordering::Relaxed)
        ))
    }

    fn run(&self, library: &Path) -> u64 {
        let mut store = Store::open(library).expect("a library");
        let engine = Engine::embedded();
        let mut options = toml::Table::new();
        options.insert(
            "projects_dir".to_owned(),
            self.projects.display().to_string().into(),
        );
        options.insert("settle_minutes".to_owned(), 0.into());
        let kind = jezero_connectors::kind("claude_code").expect("the kind");
        let job = Job {
            source: SourceName::new("bench").expect("a name"),
            trust: Trust::Own,
            project: None,
            connector: kind
                .build(&options, &Surroundings::default())
                .expect("good options"),
        };
        let mut pipeline = Pipeline {
            store: &mut store,
            engine: &engine,
            summarizer: Arc::new(Extractive),
            max_concurrency: 1,
            daily_input_chars: None,
            projects: &ProjectRules::new(&Projects::default(), None),
            clock: Arc::new(SystemClock),
            max_input_chars: 60_000,
            stop: Stop::never(),
        };
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .build()
            .expect("a runtime");
        let report = runtime.block_on(run(&mut pipeline, job, Options::default(), &mut |_| {}));
        report.expect("a report").stored
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "a benchmark has no configuration"
)]
fn option_env_corpus() -> Option<PathBuf> {
    std::env::var_os("JEZERO_CORPUS").map(PathBuf::from)
}

fn made(folder: &Path) -> PathBuf {
    let projects = folder.join("projects");
    let sessions = projects.join("-home-me-code-atlas");
    fs::create_dir_all(&sessions).expect("a folder");
    for seed in 0..40 {
        let id = corpus::uuid(&mut corpus::Numbers::new(seed));
        let mut file = fs::File::create(sessions.join(format!("{id}.jsonl"))).expect("a file");
        corpus::session(seed, 500_000, &mut file).expect("room on the disk");
    }
    projects
}

fn sessions(projects: &Path) -> Vec<PathBuf> {
    let (mut found, mut folders) = (Vec::new(), vec![projects.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path
                .extension()
                .is_some_and(|extension| extension == "jsonl")
            {
                found.push(path);
            }
        }
    }
    found
}

/// Everything, into a new library.
#[divan::bench(sample_count = 10, sample_size = 1)]
fn first_run(bencher: Bencher<'_, '_>) {
    let ground = Ground::new();
    bencher
        .counter(BytesCount::new(ground.bytes))
        .with_inputs(|| ground.library())
        .bench_values(|library| black_box(ground.run(&library)));
}

/// Nothing new: files are listed and their sizes and times compared.
#[divan::bench(sample_count = 20, sample_size = 1)]
fn nothing_new(bencher: Bencher<'_, '_>) {
    let ground = Ground::new();
    let library = ground.library();
    ground.run(&library);
    bencher.bench(|| black_box(ground.run(&library)));
}

/// The yardstick: the same bytes, parsed into values and thrown away.
#[divan::bench(sample_count = 10, sample_size = 1)]
fn parse(bencher: Bencher<'_, '_>) {
    let ground = Ground::new();
    let texts: Vec<Vec<u8>> = sessions(&ground.projects)
        .iter()
        .map(|path| fs::read(path).expect("a session"))
        .collect();
    bencher.counter(BytesCount::new(ground.bytes)).bench(|| {
        let lines = texts
            .iter()
            .flat_map(|text| text.split(|byte| *byte == b'\n'));
        lines
            .filter(|line| serde_json::from_slice::<serde_json::Value>(line).is_ok())
            .count()
    });
}
