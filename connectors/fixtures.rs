//! Runs every `fixtures/<connector>/<case>/` and compares with its `expected.json`.
//!
//! A case is a tree that the connector reads (`projects/`), perhaps a second tree that is laid over
//! it for a second reading (`then/`), and what both readings send. For a connector that asks a
//! server it is what that server answers (`answers.json`, see `served`), and perhaps what it answers
//! otherwise at a second reading (`then.json`). `options` in `expected.json`
//! go to the connector; the settle time is always 0 and all files get the same time, later ones in
//! the second tree, so that order is by name. With `JEZERO_WRITE_EXPECTED=1` the expectations are
//! written anew, to be looked at before they are kept.

use std::collections::HashMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::connector::{Connector, Request, Surroundings};
use crate::marks::{Memory, Recalled, Tail};
use crate::report::Report;
use crate::served::{self, Served};
use crate::time::Instant;
use crate::unit::{Event, Extent, Sink};

/// 2026-11-01T00:00:00Z, the time of all files of a first tree.
const FIRST: u64 = 1_793_491_200;

/// Everything that one reading sends.
pub(crate) struct Reading {
    pub(crate) events: Vec<Event>,
    pub(crate) report: Report,
    pub(crate) failure: Option<String>,
}

/// Polls a connector once.
pub(crate) fn poll(
    kind: &str,
    options: &toml::Table,
    memory: Memory,
    sample: Option<usize>,
) -> Reading {
    let kind = crate::kind(kind).unwrap();
    let connector = kind.build(options, &Surroundings::default()).unwrap();
    poll_built(connector, memory, sample)
}

/// Polls a connector that was built elsewhere.
pub(crate) fn poll_built(
    mut connector: Box<dyn Connector>,
    memory: Memory,
    sample: Option<usize>,
) -> Reading {
    let request = Request {
        memory: memory.into(),
        now: Instant::parse("2026-11-30T00:00:00Z").unwrap(),
        sample,
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let (sink, mut receiver) = Sink::channel();
        let gather = async {
            let mut events = Vec::new();
            while let Some(event) = receiver.recv().await {
                events.push(event);
            }
            events
        };
        let (events, (report, result)) = tokio::join!(gather, connector.poll(request, sink));
        Reading {
            events,
            report,
            failure: result.err().map(|error| error.to_string()),
        }
    })
}

/// What a store would give back after a reading: all marks, the last block of each unit as its
/// tail, as if every segment held one block.
pub(crate) fn remember(events: &[Event]) -> HashMap<String, Recalled> {
    let mut marks = HashMap::new();
    let mut tail = None;
    for event in events {
        match event {
            Event::Start(_) => tail = None,
            Event::Blocks(blocks) => {
                let last = blocks.last().map(|block| Tail {
                    locator: block.locator,
                    position: block.position,
                });
                tail = last.or(tail);
            }
            Event::End(end) => {
                for mark in &end.marks {
                    let value = mark.value.clone();
                    marks.insert(
                        mark.key.clone(),
                        Recalled {
                            value,
                            identity: mark.identity.clone(),
                            tail,
                        },
                    );
                }
            }
            Event::Marks(new) => {
                for mark in new {
                    let value = mark.value.clone();
                    marks.insert(
                        mark.key.clone(),
                        Recalled {
                            value,
                            identity: mark.identity.clone(),
                            tail: None,
                        },
                    );
                }
            }
            Event::Abandoned => {}
        }
    }
    marks
}

/// Writes a reading in the form of `expected.json`.
fn told(reading: &Reading) -> Value {
    let mut units: Vec<Value> = Vec::new();
    let mut bare_marks = 0;
    for event in &reading.events {
        match event {
            Event::Start(start) => {
                let mut unit = json!({
                    "id": start.id.as_str(),
                    "original_ref": start.original_ref.as_str(),
                    "extent": match start.extent {
                        Extent::Whole => "whole".to_owned(),
                        Extent::From(locator) => format!("from {locator}"),
                    },
                });
                if !start.formerly.is_empty() {
                    let formerly = start.formerly.iter().map(|id| Value::from(id.as_str()));
                    unit["formerly"] = formerly.collect::<Vec<_>>().into();
                }
                if let Some(account) = &start.account {
                    unit["account"] = account.as_str().into();
                }
                units.push(unit);
            }
            Event::Blocks(blocks) => {
                let texts = blocks.iter().map(|block| {
                    let pieces: Vec<&str> = block.pieces.iter().map(|p| p.text.as_str()).collect();
                    Value::from(format!("{} {}", block.locator, pieces.join("\n")))
                });
                let unit = units.last_mut().unwrap();
                let mut all = unit["blocks"].as_array().cloned().unwrap_or_default();
                all.extend(texts);
                unit["blocks"] = all.into();
            }
            Event::End(end) => {
                let unit = units.last_mut().unwrap();
                unit["title"] = json!(end.title_hint);
                unit["cwd"] = json!(end.evidence.cwd);
                unit["named"] = json!(end.evidence.named);
                if let Some(trust) = end.trust {
                    unit["trust"] = trust.as_str().into();
                }
            }
            Event::Abandoned => units.last_mut().unwrap()["abandoned"] = true.into(),
            Event::Marks(marks) => bare_marks += marks.len(),
        }
    }
    let report = &reading.report;
    json!({
        "units": units,
        "only_marks": bare_marks,
        "report": {
            "seen": report.seen,
            "delivered": report.delivered,
            "unchanged": report.unchanged,
            "left_out": report.left_out,
            "passed_over": report.passed_over,
            "mended": report.mended,
            "unknown": report.unknown,
            "failed": report.failed,
            "problems": report.problems.iter().map(ToString::to_string).collect::<Vec<_>>(),
        },
        "failure": reading.failure,
    })
}

/// Copies a tree and gives all its files one time.
fn lay(from: &Path, to: &Path, time: SystemTime) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            lay(&entry.path(), &target, time);
        } else {
            fs::copy(entry.path(), &target).unwrap();
            File::options()
                .write(true)
                .open(&target)
                .unwrap()
                .set_modified(time)
                .unwrap();
        }
    }
}

/// What a case gives a connector to read.
enum Given {
    Tree(tempfile::TempDir),
    Server(Served),
}

impl Given {
    fn new(case: &Path) -> Self {
        if case.join("answers.json").is_file() {
            return Self::Server(Served::case(&case.join("answers.json")));
        }
        let temporary = tempfile::tempdir().unwrap();
        let time = UNIX_EPOCH + Duration::from_secs(FIRST);
        lay(
            &case.join("projects"),
            &temporary.path().join("projects"),
            time,
        );
        Self::Tree(temporary)
    }

    /// The option that leads to it, how it is called there, and its name in expectations.
    fn place(&self) -> (&'static str, String, &'static str) {
        match self {
            Self::Tree(folder) => {
                let projects = folder.path().join("projects");
                ("projects_dir", projects.display().to_string(), "projects")
            }
            Self::Server(served) => ("api_url", served.address.clone(), "http://server"),
        }
    }

    /// Lays what has changed over it; returns whether anything has.
    fn then(&self, case: &Path) -> bool {
        let (tree, answers) = (case.join("then"), case.join("then.json"));
        match self {
            Self::Tree(folder) if tree.is_dir() => {
                let time = UNIX_EPOCH + Duration::from_secs(FIRST + 60);
                lay(&tree, &folder.path().join("projects"), time);
            }
            Self::Server(served) if answers.is_file() => served.learn(served::read(&answers)),
            _ => return false,
        }
        true
    }
}

/// Options that name a place, relative to the case's tree.
const PLACES: &[&str] = &["maildir", "mbox", "eml_dir"];

fn options(kind: &str, expected: &Value, given: &Given) -> toml::Table {
    let mut options: toml::Table = match expected.get("options") {
        Some(given) => serde_json::from_value(given.clone()).unwrap(),
        None => toml::Table::new(),
    };
    let (key, place, _) = given.place();
    options.insert("settle_minutes".into(), 0.into());
    if let Given::Tree(folder) = given {
        let projects = folder.path().join("projects");
        for (key, value) in &mut options {
            if let Some(below) = value.as_str().filter(|_| PLACES.contains(&key.as_str())) {
                *value = projects.join(below).display().to_string().into();
            }
        }
    }
    if kind != "email" {
        options.insert(key.into(), place.into());
    }
    options
}

fn run(kind: &str, case: &Path) {
    let file = case.join("expected.json");
    let expected: Value = match fs::read_to_string(&file) {
        Ok(text) => serde_json::from_str(&text).unwrap(),
        Err(_) => json!({}),
    };
    let given = Given::new(case);
    let options = options(kind, &expected, &given);
    let mut found = json!({ "about": expected["about"] });
    if let Some(options) = expected.get("options") {
        found["options"] = options.clone();
    }
    let first = poll(kind, &options, Memory::default(), None);
    found["first"] = told(&first);
    let again = poll(kind, &options, Memory::new(remember(&first.events)), None);
    assert_eq!(
        again.events,
        Vec::new(),
        "{}: a second reading sends nothing",
        case.display()
    );
    if given.then(case) {
        let then = poll(kind, &options, Memory::new(remember(&first.events)), None);
        found["then"] = told(&then);
    }
    let (_, here, name) = given.place();
    let found = serde_json::to_string_pretty(&found)
        .unwrap()
        .replace(&here, name)
        + "\n";
    #[expect(
        clippy::disallowed_methods,
        reason = "a switch for whoever writes a case"
    )]
    if std::env::var_os("JEZERO_WRITE_EXPECTED").is_some() {
        fs::write(&file, &found).unwrap();
    }
    let expected: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    let found: Value = serde_json::from_str(&found).unwrap();
    if expected != found {
        let found = serde_json::to_string_pretty(&found).unwrap();
        panic!("{} sends something else:\n{found}", case.display());
    }
}

/// The folder of all fixtures.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures")
}

/// Whether a folder is a case, and not data for other tests.
fn is_case(path: &Path) -> bool {
    path.join("projects").is_dir() || path.join("answers.json").is_file()
}

#[test]
fn every_case_of_every_connector_is_read_as_expected() {
    for kind in crate::ALL {
        let folder = folder().join(kind.name());
        let mut cases = 0;
        let mut entries: Vec<PathBuf> = fs::read_dir(&folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        entries.sort();
        for case in entries.iter().filter(|path| is_case(path)) {
            run(kind.name(), case);
            cases += 1;
        }
        assert!(cases > 0, "{} has no case", folder.display());
    }
}

#[test]
fn the_everyday_sessions_are_sound_worth_reading_and_share_a_fork() {
    let options = toml::toml! { settle_minutes = 0 };
    let mut options = options;
    let everyday = folder().join("claude_code/everyday");
    options.insert("projects_dir".into(), everyday.display().to_string().into());
    let reading = poll("claude_code", &options, Memory::default(), None);
    assert_eq!(reading.report.problems, Vec::new());
    assert_eq!(reading.report.unknown, 0);
    let mut lengths = Vec::new();
    let mut keys = Vec::new();
    for event in &reading.events {
        match event {
            Event::Start(_) => lengths.push(0),
            Event::Blocks(blocks) => {
                let pieces = blocks.iter().flat_map(|block| &block.pieces);
                let chars: usize = pieces.map(|piece| piece.text.chars().count()).sum();
                *lengths.last_mut().unwrap() += chars;
                keys.extend(blocks.iter().filter_map(|block| block.record_key));
            }
            _ => {}
        }
    }
    assert!(lengths.len() >= 14, "{} sessions", lengths.len());
    assert!(lengths.iter().all(|length| *length > 400), "{lengths:?}");
    let all = keys.len();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(all - keys.len(), 7, "records that the fork carries as well");
}
