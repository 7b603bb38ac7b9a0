//! Months of the daemon in a minute: its schedule over a few sources that change a little, with a clock
//! of its own, beside a reader that asks after each reading, as `jezero daemon --serve` does.
//!
//! `JEZERO_SOAK` says how often each source is read (1,000 by default), `JEZERO_SOAK_READERS` how many more
//! readers ask without a pause (none by default). What must stay flat is printed
//! on the way: memory, the write-ahead log, open files, files left. Ends with 1 when something grew.
#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a bench that cannot be set up should stop, and says what it measured"
)]

#[expect(dead_code, reason = "whole sessions are for other benches")]
mod corpus;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jezero::access::Reader;
use jezero::config::Projects;
use jezero::daemon::{Ears, Ended, Mouth, Plan, Runner, run};
use jezero::item::{Instant, SourceName, Trust};
use jezero::library::{Library, SearchQuery, Settings};
use jezero::pipeline::{Job, Options, Pipeline, Stop, Stopper};
use jezero::project::ProjectRules;
use jezero::redaction::Engine;
use jezero::store::{Lock, Store, Upkeeping};
use jezero::summarizer::extractive::Extractive;
use jezero_connectors::connector::Surroundings;
use jezero_connectors::time::Clock;
use tokio::sync::mpsc;

/// Sources: name, kind, option, folder.
const SOURCES: [[&str; 3]; 3] = [
    ["agent-a", "claude_code", "projects_dir"],
    ["mail-eml", "email", "eml_dir"],
    ["mail-maildir", "email", "maildir"],
];
/// The default interval of a connector.
const INTERVAL: i64 = 15 * 60;
/// Sessions that are written to in turn.
const SESSIONS: u64 = 6;
/// Kilobytes by which memory may grow with the library.
const SLACK: u64 = 8 * 1024;

/// A clock that passes only while everything waits.
#[derive(Debug)]
struct Paused(tokio::time::Instant);

impl Clock for Paused {
    fn now(&self) -> Instant {
        let passed = i64::try_from(self.0.elapsed().as_secs()).unwrap_or(0);
        Instant::from_unix(1_795_000_000 + passed).expect("a time")
    }
}

/// What is looked at.
#[derive(Debug, Clone, Copy, Default)]
struct Seen {
    resident: u64,
    peak: u64,
    log: u64,
    largest_log: u64,
    open: usize,
    unnamed: usize,
    files: usize,
    items: u64,
}

/// Reads sources as the daemon's own runner does.
struct Soak {
    folder: PathBuf,
    wanted: u64,
    clock: Arc<Paused>,
    upkeep: Upkeeping,
    reader: Mutex<Option<Library>>,
    read: Mutex<[u64; SOURCES.len()]>,
    seen: Mutex<Vec<(u64, Seen)>>,
    stopper: Stopper,
}

impl Soak {
    fn library(&self) -> PathBuf {
        self.folder.join("data/jezero.db")
    }

    /// Changes a source a little, now and then.
    fn change(&self, source: usize, round: u64) {
        let mut numbers = corpus::Numbers::new(round * 7 + source as u64);
        let folder = self.folder.join(SOURCES.get(source).expect("a source")[0]);
        if source == 0 && round.is_multiple_of(2) {
            let id = format!("00000000-0000-4000-8000-{:012}", round / 2 % SESSIONS);
            let path = folder.join(format!("-home-me-code-atlas/{id}.jsonl"));
            let mut options = fs::OpenOptions::new();
            let mut file = options
                .append(true)
                .create(true)
                .open(path)
                .expect("a file");
            let line = corpus::record(&mut numbers, round * 60, &id);
            file.write_all(line.as_bytes()).expect("room");
        } else if source > 0 && round.is_multiple_of(10) {
            let mail = format!(
                "From: Ben <ben@example.org>\nTo: Ana <ana@example.org>\nSubject: Till {}\n\
                 Date: Mon, 19 Oct 2026 {:02}:{:02}:00 +0000\nMessage-ID: <{source}-{round}@example.org>\n\
                 \nThe till is short by {} again.\n",
                round % 50,
                round / 60 % 24,
                round % 60,
                numbers.below(100)
            );
            let name = match source {
                1 => format!("{round}.eml"),
                _ => format!("cur/17925{round:05}.M1P1.box,U={round}:2,S"),
            };
            fs::write(folder.join(name), mail).expect("room");
        }
    }

    fn read_one(&self, source: usize, here: &tokio::runtime::Handle, stop: &Stop) {
        let [name, kind, option] = *SOURCES.get(source).expect("a source");
        let path = self.library();
        let upkeep = self.upkeep.clone();
        let mut store = Store::open_beside(&path, true, upkeep).expect("a library");
        let engine = Engine::embedded();
        let mut options = toml::Table::new();
        let folder = self.folder.join(name).display().to_string();
        options.insert(option.to_owned(), folder.into());
        options.insert("settle_minutes".to_owned(), 0.into());
        options.insert("min_chars".to_owned(), 0.into());
        let kind = jezero_connectors::kind(kind).expect("the kind");
        let job = Job {
            source: SourceName::new(name).expect("a name"),
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
            clock: Arc::clone(&self.clock) as Arc<dyn Clock>,
            max_input_chars: 60_000,
            stop: stop.clone(),
        };
        let mut quiet = |_| {};
        let reading = jezero::pipeline::run(&mut pipeline, job, Options::default(), &mut quiet);
        let report = here.block_on(reading).expect("a report");
        assert_eq!(report.failed, 0, "{report:?}");
        store.finish().expect("an index");
    }

    /// Asks and asks, each question in a snapshot of its own, until all is read.
    fn ask_without_pause(&self) {
        let library = self.opened();
        while !self.is_done() {
            ask(&library);
        }
    }

    fn is_done(&self) -> bool {
        let read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        read.first().is_some_and(|read| *read >= self.wanted)
    }

    fn opened(&self) -> Library {
        let clock = Arc::clone(&self.clock) as Arc<dyn Clock>;
        Library::open(&self.library(), Settings::default(), clock).expect("a library")
    }

    /// Asks something with a library that stays open, and looks at what is to stay flat.
    fn look(&self) -> Seen {
        let path = self.library();
        let reader = self.reader.lock();
        let mut reader = reader.unwrap_or_else(PoisonError::into_inner);
        let library = reader.get_or_insert_with(|| self.opened());
        ask(library);
        let stats = library.stats(&Reader::everything()).expect("numbers");
        let data = path.parent().expect("a folder");
        let links = fs::read_dir("/proc/self/fd")
            .into_iter()
            .flatten()
            .flatten();
        let open: Vec<PathBuf> = links
            .filter_map(|link| fs::read_link(link.path()).ok())
            .collect();
        let unnamed = open
            .iter()
            .filter(|path| path.to_string_lossy().ends_with("(deleted)"));
        Seen {
            resident: status("VmRSS:"),
            peak: status("VmHWM:"),
            log: size(&path.with_extension("db-wal")),
            largest_log: 0,
            unnamed: unnamed.count(),
            open: open.len(),
            files: fs::read_dir(data).into_iter().flatten().count(),
            items: stats.items,
        }
    }
}

fn ask(library: &Library) {
    let query = SearchQuery {
        query: "import fails till".to_owned(),
        ..SearchQuery::default()
    };
    let answer = library.search(&Reader::everything(), &query);
    answer.expect("an answer");
}

/// The daemon's hand on it.
struct Reads(Arc<Soak>);

impl Runner for Reads {
    async fn read(&self, source: SourceName, stop: Stop) -> Ended {
        let at = SOURCES
            .iter()
            .position(|it| it[0] == source.as_str())
            .expect("a source");
        let round = {
            let mut read = self.0.read.lock().unwrap_or_else(PoisonError::into_inner);
            let count = read.get_mut(at).expect("a source");
            *count += 1;
            *count
        };
        let (soak, here) = (Arc::clone(&self.0), tokio::runtime::Handle::current());
        let reading = tokio::task::spawn_blocking(move || {
            soak.change(at, round);
            soak.read_one(at, &here, &stop);
            soak.look()
        });
        let now = reading.await.expect("a reading");
        let mut seen = self.0.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let largest_log = seen.iter().map(|(_, seen)| seen.largest_log).max();
        let now = Seen {
            largest_log: largest_log.unwrap_or(0).max(now.log),
            ..now
        };
        match seen.last_mut() {
            Some((last, known)) if *last == round || at > 0 => *known = now,
            _ => seen.push((round, now)),
        }
        if at == 0 && round >= self.0.wanted {
            self.0.stopper.tell();
        }
        Ended::Well
    }

    fn changed_plans(&self, _: bool) -> Option<Vec<Plan>> {
        None
    }

    fn last_reading(&self, _: &SourceName) -> Option<Instant> {
        None
    }
}

/// A number of kilobytes that the system says of this process; 0 where it says none.
fn status(name: &str) -> u64 {
    let text = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    let number = line.and_then(|line| line.split_whitespace().next());
    number.and_then(|number| number.parse().ok()).unwrap_or(0)
}

fn size(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |data| data.len())
}

#[expect(
    clippy::disallowed_methods,
    reason = "a switch for whoever runs the bench"
)]
fn switch(name: &str, otherwise: u64) -> u64 {
    let wanted = std::env::var(name).ok();
    wanted
        .and_then(|wanted| wanted.parse().ok())
        .unwrap_or(otherwise)
}

fn main() -> ExitCode {
    let place = tempfile::tempdir().expect("a folder");
    let folder = place.path().to_owned();
    for below in [
        "agent-a/-home-me-code-atlas",
        "mail-eml",
        "mail-maildir/cur",
        "mail-maildir/new",
        "mail-maildir/tmp",
    ] {
        fs::create_dir_all(folder.join(below)).expect("a folder");
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .build()
        .expect("a runtime");
    let soak = runtime.block_on(async {
        let (stopper, stop) = Stop::channel();
        let (_changes, changes) = mpsc::channel(1);
        let (_reload, reload) = mpsc::channel(1);
        let clock = Arc::new(Paused(tokio::time::Instant::now()));
        let soak = Arc::new(Soak {
            folder,
            wanted: switch("JEZERO_SOAK", 1000),
            clock: Arc::clone(&clock),
            upkeep: Upkeeping::default(),
            reader: Mutex::default(),
            read: Mutex::default(),
            seen: Mutex::default(),
            stopper,
        });
        let plans = SOURCES.map(|[name, ..]| Plan {
            source: SourceName::new(name).expect("a name"),
            interval: INTERVAL,
            settle: 0,
        });
        let path = soak.library();
        // One lock for all of it, as while any source of the daemon is being read.
        let lock = Lock::take(&path, "soak", Duration::ZERO, clock.as_ref()).expect("the lock");
        drop(Store::open_with(&path, true, &mut |_| {}).expect("a library"));
        for _ in 0..switch("JEZERO_SOAK_READERS", 0) {
            let (soak, here) = (Arc::clone(&soak), tokio::runtime::Handle::current());
            std::thread::spawn(move || {
                // The clock is the runtime's.
                let _here = here.enter();
                soak.ask_without_pause();
            });
        }
        let ears = Ears {
            changes,
            reload,
            stop,
        };
        let runner = Arc::new(Reads(Arc::clone(&soak)));
        run(runner, plans.to_vec(), ears, clock, &Mouth::default()).await;
        drop(lock);
        soak
    });
    report(&soak)
}

fn report(soak: &Soak) -> ExitCode {
    let seen = soak.seen.lock().unwrap_or_else(PoisonError::into_inner);
    println!("readings  VmRSS kB  VmHWM kB  log kB  largest log kB  open  unnamed  files  items");
    let tenth = soak.wanted / 10;
    let rows = seen
        .iter()
        .filter(|(round, _)| *round == 1 || round.is_multiple_of(tenth.max(1)));
    for (round, now) in rows {
        println!(
            "{round:8}  {:8}  {:8}  {:6}  {:14}  {:4}  {:7}  {:5}  {:5}",
            now.resident,
            now.peak,
            now.log / 1024,
            now.largest_log / 1024,
            now.open,
            now.unnamed,
            now.files,
            now.items
        );
    }
    let at = |round: u64| {
        seen.iter()
            .find(|(at, _)| *at == round)
            .map(|(_, seen)| *seen)
    };
    let (Some(early), Some(late)) = (at(tenth), at(soak.wanted)) else {
        println!("too few readings");
        return ExitCode::FAILURE;
    };
    let is_flat = late.resident <= early.resident + SLACK
        // SQLite keeps the file of a connection that ends for the next one while another connection of
        // the process has a lock: at most as many as were open side by side, one a source.
        && late.open <= early.open + SOURCES.len()
        && late.files <= early.files
        && late.unnamed <= early.unnamed
        && late.largest_log <= 2 * early.largest_log.max(4 << 20);
    println!("{}", if is_flat { "flat" } else { "NOT flat" });
    if is_flat {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
