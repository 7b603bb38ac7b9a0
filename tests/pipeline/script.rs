//! A source that delivers what a test tells it to, and a summariser that counts its calls.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use jezero::config::Projects;
use jezero::item::{SourceName, Trust, UnitId};
use jezero::pipeline::{Job, Options, Pipeline, RunReport, Stop, run};
use jezero::project::ProjectRules;
use jezero::redaction::Engine;
use jezero::store::{Filter, Scope, Store, View, Wanted};
use jezero::summarizer::{Answer, Reply, Summarizer, SummarizerError, Task};
use jezero_connectors::connector::Outcome;
use jezero_connectors::time::FixedClock;
use jezero_connectors::{
    Block, Connector, Event, Evidence, Extent, Instant, Locator, Mark, OriginalRef, Piece,
    RecordKey, Report, Request, Sink, UnitEnd, UnitStart,
};

/// A unit as a test writes it: each block is a record id and a text.
#[derive(Debug, Clone, Default)]
pub(crate) struct Script {
    pub(crate) id: &'static str,
    pub(crate) title: Option<&'static str>,
    pub(crate) blocks: Vec<(&'static str, String)>,
    pub(crate) min_chars: usize,
    pub(crate) formerly: Vec<&'static str>,
}

impl Script {
    pub(crate) fn new(id: &'static str, blocks: &[(&'static str, &str)]) -> Self {
        let blocks = blocks
            .iter()
            .map(|(key, text)| (*key, (*text).to_owned()))
            .collect();
        Self {
            id,
            blocks,
            ..Self::default()
        }
    }
}

/// Delivers scripts whole, or from the tail that it is given back.
pub(crate) struct Scripted(Vec<Script>);

impl Scripted {
    pub(crate) fn new(scripts: &[Script]) -> Self {
        Self(scripts.to_vec())
    }
}

#[async_trait]
impl Connector for Scripted {
    async fn poll(&mut self, request: Request, mut sink: Sink) -> Outcome {
        let mut report = Report::default();
        for script in &self.0 {
            report.seen += 1;
            let known = request.memory.get(script.id);
            let size = script.blocks.len().to_string();
            if known.is_some_and(|known| known.value == size) {
                report.unchanged += 1;
                continue;
            }
            let tail = known.and_then(|known| known.tail);
            let from = tail.map_or(0, |tail| usize::try_from(tail.position).unwrap());
            let formerly = script.formerly.iter().map(|id| UnitId::new(*id).unwrap());
            let start = UnitStart {
                id: UnitId::new(script.id).unwrap(),
                formerly: formerly.collect(),
                original_ref: OriginalRef::new(format!("scripted:{}", script.id)).unwrap(),
                account: None,
                extent: tail.map_or(Extent::Whole, |tail| Extent::From(tail.locator)),
                min_chars: script.min_chars,
            };
            let blocks = script
                .blocks
                .iter()
                .enumerate()
                .skip(from)
                .map(|(at, (key, text))| Block {
                    locator: Locator::record(at as u64),
                    position: at as u64,
                    instant: Instant::from_unix(1_790_000_000 + at as i64 * 60).unwrap(),
                    record_key: (!key.is_empty()).then(|| RecordKey::of(key.as_bytes())),
                    pieces: vec![Piece {
                        text: text.clone(),
                        keep_chars: None,
                    }],
                });
            let end = UnitEnd {
                title_hint: script.title.map(str::to_owned),
                evidence: Evidence::default(),
                trust: None,
                marks: vec![Mark {
                    key: script.id.to_owned(),
                    value: size,
                    identity: String::new(),
                }],
            };
            for event in [
                Event::Start(start),
                Event::Blocks(blocks.collect()),
                Event::End(end),
            ] {
                if let Err(stopped) = sink.send(event).await {
                    return (report, Err(stopped));
                }
            }
            report.delivered += 1;
        }
        (report, Ok(()))
    }
}

/// Counts calls; fails on texts that hold a word.
#[derive(Debug, Default)]
pub(crate) struct Counting {
    calls: AtomicUsize,
    pub(crate) fails_on: Mutex<Option<&'static str>>,
}

#[async_trait]
impl Summarizer for Counting {
    fn name(&self) -> &str {
        "counting"
    }

    fn costs(&self) -> bool {
        false
    }

    async fn summarize(&self, task: &Task<'_>) -> Result<Answer, SummarizerError> {
        let call = self.calls.fetch_add(1, Ordering::SeqCst) + 1;
        let fails_on = *self.fails_on.lock().unwrap();
        if fails_on.is_some_and(|word| task.text.as_str().contains(word)) {
            return Err(SummarizerError::Refused("told to fail"));
        }
        Ok(Reply {
            title: task
                .title_hint
                .map_or("untitled", |hint| hint.as_str())
                .to_owned(),
            summary: format!("summary {call}"),
            ..Reply::default()
        }
        .into())
    }
}

/// A library in a folder of its own, with its fixed clock.
pub(crate) struct Place {
    _folder: tempfile::TempDir,
    pub(crate) path: PathBuf,
    pub(crate) engine: Engine,
    pub(crate) summarizer: Arc<Counting>,
    pub(crate) limit: usize,
    now: Mutex<Instant>,
}

impl Place {
    pub(crate) fn new(limit: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self {
            path: folder.path().join("jezero.db"),
            _folder: folder,
            engine: Engine::embedded(),
            summarizer: Arc::default(),
            limit,
            now: Mutex::new(Instant::parse("2026-10-21T00:00:00Z").unwrap()),
        }
    }

    /// Runs the scripts as one source.
    pub(crate) fn run(&self, scripts: &[Script]) -> RunReport {
        self.run_with(scripts, Options::default())
    }

    pub(crate) fn run_with(&self, scripts: &[Script], options: Options) -> RunReport {
        self.run_connector(Box::new(Scripted(scripts.to_vec())), options)
    }

    /// Runs any connector as one source.
    pub(crate) fn run_connector(
        &self,
        connector: Box<dyn Connector>,
        options: Options,
    ) -> RunReport {
        self.with_pipeline(options, |_| {})(connector).unwrap()
    }

    /// A run with some things changed. It is dropped, as by a kill, when it comes to a standstill.
    pub(crate) fn with_pipeline<'a>(
        &'a self,
        options: Options,
        change: impl FnOnce(&mut Pipeline<'_>) + 'a,
    ) -> impl FnOnce(Box<dyn Connector>) -> Option<RunReport> + 'a {
        move |connector| {
            let mut store = if options.dry_run {
                Store::open_to_look(&self.path).unwrap()
            } else {
                Store::open(&self.path).unwrap()
            };
            let mut pipeline = Pipeline {
                store: &mut store,
                engine: &self.engine,
                summarizer: self.summarizer.clone(),
                max_concurrency: 1,
                daily_input_chars: None,
                projects: &ProjectRules::new(&Projects::default(), None),
                clock: Arc::new(FixedClock(*self.now.lock().unwrap())),
                max_input_chars: self.limit,
                stop: Stop::never(),
            };
            change(&mut pipeline);
            let job = Job {
                source: SourceName::new("scripted").unwrap(),
                trust: Trust::Own,
                project: None,
                connector,
            };
            // With its clock paused, time passes only when nothing else is left to do.
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_time()
                .start_paused(true)
                .build()
                .unwrap();
            runtime.block_on(async {
                let mut quiet = |_| {};
                let run = run(&mut pipeline, job, options, &mut quiet);
                let hour = std::time::Duration::from_secs(3600);
                let ended = tokio::time::timeout(hour, run).await;
                ended.ok().map(Result::unwrap)
            })
        }
    }

    /// Moves the clock.
    pub(crate) fn set_clock(&self, now: Instant) {
        *self.now.lock().unwrap() = now;
    }

    /// The library's file, opened as only a test may.
    #[expect(clippy::disallowed_methods, reason = "the test plays another program")]
    pub(crate) fn raw(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(&self.path).unwrap()
    }

    /// Calls of the summariser so far.
    pub(crate) fn calls(&self) -> usize {
        self.summarizer.calls.load(Ordering::SeqCst)
    }

    /// Number, external id, title and original of every item, by number.
    pub(crate) fn items(&self) -> Vec<(i64, String, String, String)> {
        let view = View::open(&self.path).unwrap();
        let mut items = Vec::new();
        let take = |item| {
            items.push(item);
            Ok::<_, jezero::store::StoreError>(Wanted::More)
        };
        view.by_number(&Scope::All, &Filter::default(), take)
            .unwrap();
        let original = |id| view.original(id).unwrap().unwrap().to_string();
        let shown = |item: jezero::item::Item| {
            (
                item.id.0,
                item.external_id.to_string(),
                item.title.to_string(),
                original(item.id),
            )
        };
        items.into_iter().map(shown).collect()
    }
}

/// The text that a script's blocks render to.
pub(crate) fn text(tag: char, chars: usize) -> String {
    tag.to_string().repeat(chars)
}
