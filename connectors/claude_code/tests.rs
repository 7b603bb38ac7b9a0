//! Tests of the connector over real folders: what is listed, when, in which order, how it grows.
//! What a record renders to is told by `fixtures/claude_code/`.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::options::Options;
use super::session::{self, Known, REACH, Source};
use super::*;
use crate::fixtures::{Reading, poll, remember};
use crate::marks::{Memory, Recalled, Tail};
use crate::time::Instant;
use crate::unit::{Event, Extent};

/// The present moment of [`poll`].
const NOW: u64 = 1_795_996_800;

fn record(text: &str) -> String {
    let uuid = crate::digest::sha256_hex8(text.as_bytes());
    format!(
        r#"{{"type":"user","uuid":"{uuid}","timestamp":"2026-10-09T21:23:12.000Z","message":{{"content":"{text}"}}}}"#
    ) + "\n"
}

fn put(root: &Path, name: &str, text: &str, minutes_ago: i64) {
    let path = root.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    let then = i64::try_from(NOW).unwrap() - minutes_ago * 60;
    let time = UNIX_EPOCH + Duration::from_secs(u64::try_from(then).unwrap());
    File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_modified(time)
        .unwrap();
}

fn table(root: &Path, more: &str) -> toml::Table {
    let mut table: toml::Table = more.parse().unwrap();
    let root = root.display().to_string();
    table.entry("projects_dir").or_insert(root.into());
    table
}

fn read(root: &Path, more: &str, marks: HashMap<String, Recalled>) -> Reading {
    poll("claude_code", &table(root, more), Memory::new(marks), None)
}

fn units(reading: &Reading) -> Vec<(&str, Extent)> {
    let starts = reading.events.iter().filter_map(|event| match event {
        Event::Start(start) => Some((start.id.as_str(), start.extent)),
        _ => None,
    });
    starts.collect()
}

fn texts(reading: &Reading) -> Vec<&str> {
    let blocks = reading.events.iter().filter_map(|event| match event {
        Event::Blocks(blocks) => Some(blocks),
        _ => None,
    });
    let pieces = blocks.flatten().flat_map(|block| &block.pieces);
    pieces.map(|piece| piece.text.as_str()).collect()
}

#[test]
fn a_missing_folder_is_a_failure_that_names_it_and_an_empty_one_has_no_units() {
    let home = tempfile::tempdir().unwrap();
    let missing = home.path().join("nowhere");
    let reading = read(&missing, "", HashMap::new());
    let expected = format!("{} does not exist", missing.display());
    assert_eq!(reading.failure, Some(expected));
    let reading = read(home.path(), "", HashMap::new());
    assert_eq!((reading.failure, reading.report.seen), (None, 0));
    assert_eq!(reading.events, Vec::new());
}

#[test]
fn units_come_oldest_first_and_by_place_at_the_same_time() {
    let home = tempfile::tempdir().unwrap();
    put(home.path(), "b/young.jsonl", &record("a"), 100);
    put(home.path(), "b/same.jsonl", &record("b"), 200);
    put(home.path(), "a/same2.jsonl", &record("c"), 200);
    put(home.path(), "a/old.jsonl", &record("d"), 300);
    let reading = read(home.path(), "", HashMap::new());
    let ids: Vec<&str> = units(&reading).iter().map(|unit| unit.0).collect();
    assert_eq!(ids, ["old", "same2", "same", "young"]);
}

#[test]
fn a_session_touched_lately_waits_unless_its_time_lies_in_the_future() {
    let home = tempfile::tempdir().unwrap();
    put(home.path(), "a/active.jsonl", &record("a"), 29);
    put(home.path(), "a/rested.jsonl", &record("b"), 30);
    put(home.path(), "a/future.jsonl", &record("c"), -600);
    let reading = read(home.path(), "", HashMap::new());
    let ids: Vec<&str> = units(&reading).iter().map(|unit| unit.0).collect();
    assert_eq!(ids, ["rested", "future"]);
    assert_eq!(reading.report.deferred, 1);
    let reading = read(home.path(), "settle_minutes = 0", HashMap::new());
    assert_eq!((units(&reading).len(), reading.report.deferred), (3, 0));
}

#[test]
fn a_sample_is_the_newest_files_read_whole_whatever_is_remembered() {
    let home = tempfile::tempdir().unwrap();
    for (name, age) in [
        ("a/one.jsonl", 300),
        ("a/two.jsonl", 200),
        ("a/three.jsonl", 1),
    ] {
        put(home.path(), name, &record(name), age);
    }
    let first = read(home.path(), "settle_minutes = 0", HashMap::new());
    let memory = Memory::new(remember(&first.events));
    let sample = poll("claude_code", &table(home.path(), ""), memory, Some(2));
    assert_eq!(
        units(&sample),
        [("two", Extent::Whole), ("three", Extent::Whole)]
    );
}

#[test]
fn reading_leaves_the_times_of_files_and_folders_as_they_were() {
    let home = tempfile::tempdir().unwrap();
    put(home.path(), "a/s.jsonl", &record("a"), 300);
    let times = || -> Vec<SystemTime> {
        let paths = ["a/s.jsonl", "a", ""].map(|name| home.path().join(name));
        paths
            .map(|path| fs::metadata(path).unwrap().modified().unwrap())
            .to_vec()
    };
    let before = times();
    assert_eq!(units(&read(home.path(), "", HashMap::new())).len(), 1);
    assert_eq!(times(), before);
}

#[cfg(unix)]
#[test]
fn links_out_of_the_tree_are_named_and_links_within_it_read_once() {
    use std::os::unix::fs::symlink;
    let (home, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    put(outside.path(), "secret.jsonl", &record("outside"), 300);
    put(home.path(), "a/s.jsonl", &record("inside"), 300);
    symlink(
        outside.path().join("secret.jsonl"),
        home.path().join("a/out.jsonl"),
    )
    .unwrap();
    symlink(outside.path(), home.path().join("folder")).unwrap();
    symlink("nothing", home.path().join("a/broken.jsonl")).unwrap();
    symlink(home.path().join("a"), home.path().join("again")).unwrap();
    let socket = home.path().join("a/socket.jsonl");
    let _listener = std::os::unix::net::UnixListener::bind(socket).unwrap();
    let reading = read(home.path(), "", HashMap::new());
    assert_eq!(texts(&reading), ["[2026-10-09 21:23] user: inside"]);
    let told: Vec<String> = reading
        .report
        .problems
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        told,
        [
            "folder: a link that leads out of the folder is not followed",
            "a/broken.jsonl: a link that leads nowhere",
            "a/out.jsonl: a link that leads out of the folder is not followed",
            "a/socket.jsonl: not a regular file",
        ]
    );
    assert_eq!((reading.report.passed_over, reading.report.failed), (4, 0));
}

#[cfg(unix)]
#[test]
fn a_file_that_cannot_be_read_is_a_failure_and_the_rest_goes_on() {
    use std::os::unix::fs::symlink;
    let home = tempfile::tempdir().unwrap();
    put(home.path(), "a/s.jsonl", &record("a"), 300);
    put(home.path(), "b/t.jsonl", &record("b"), 200);
    let options = Options::read(&table(home.path(), "")).unwrap();
    let sessions = Sessions {
        wanted: vec![home.path().to_owned()],
        options,
    };
    let places = sessions.places().unwrap();
    let mut report = Report::default();
    let found = listing::list(&places, &sessions.options, &mut report);
    // It becomes a link out of the tree after it was listed.
    fs::remove_file(home.path().join("a/s.jsonl")).unwrap();
    symlink("/dev/null", home.path().join("a/s.jsonl")).unwrap();
    let request = Request {
        memory: Memory::default().into(),
        now: Instant::parse("2026-11-30T00:00:00Z").unwrap(),
        sample: None,
    };
    let (mut sink, mut receiver) = Sink::channel();
    delivery::run(
        &sessions.options,
        &places,
        &found,
        &request,
        &mut sink,
        &mut report,
    )
    .unwrap();
    drop(sink);
    let mut started = Vec::new();
    while let Some(event) = receiver.blocking_recv() {
        if let Event::Start(start) = event {
            started.push(start.id.as_str().to_owned());
        }
    }
    assert_eq!(started, ["t"]);
    assert_eq!(report.failed, 1);
    assert_eq!(
        report.problems[0].to_string(),
        "a/s.jsonl: cannot be read: invalid input parameter"
    );
}

#[test]
fn a_moved_file_keeps_its_unit_and_sends_only_its_mark() {
    let home = tempfile::tempdir().unwrap();
    put(
        home.path(),
        "a/s.jsonl",
        &(record("one") + &record("two")),
        300,
    );
    let first = read(home.path(), "", HashMap::new());
    fs::create_dir(home.path().join("b")).unwrap();
    fs::rename(home.path().join("a/s.jsonl"), home.path().join("b/s.jsonl")).unwrap();
    let marks = remember(&first.events);
    let moved = read(home.path(), "", marks.clone());
    let [Event::Marks(new)] = moved.events.as_slice() else {
        panic!("{:?}", moved.events);
    };
    assert_eq!(new[0].key, "b/s.jsonl");
    assert_eq!(new[0].value, marks["a/s.jsonl"].value);
    put(
        home.path(),
        "b/s.jsonl",
        &(record("one") + &record("two") + &record("three")),
        100,
    );
    let grown = read(home.path(), "", marks);
    let from = Extent::From(crate::unit::Locator::record(1));
    assert_eq!(units(&grown), [("s", from)]);
}

#[test]
fn a_tail_is_not_used_under_other_rendering_options() {
    let home = tempfile::tempdir().unwrap();
    put(
        home.path(),
        "a/s.jsonl",
        &(record("one") + &record("two")),
        300,
    );
    let marks = remember(&read(home.path(), "", HashMap::new()).events);
    put(
        home.path(),
        "a/s.jsonl",
        &(record("one") + &record("two") + &record("three")),
        200,
    );
    let reading = read(home.path(), "max_result_chars = 10", marks);
    assert_eq!(units(&reading), [("s", Extent::Whole)]);
}

#[test]
fn a_pattern_names_several_roots_whose_files_stay_apart() {
    let home = tempfile::tempdir().unwrap();
    put(home.path(), "ana/projects/a/s.jsonl", &record("one"), 300);
    put(home.path(), "ben/projects/a/s.jsonl", &record("two"), 200);
    put(home.path(), "ben/other/a/t.jsonl", &record("three"), 100);
    let pattern = format!(
        "projects_dir = {:?}",
        home.path().join("*/projects").display().to_string()
    );
    let reading = read(home.path(), &pattern, HashMap::new());
    let told_apart = format!(
        "s~{}",
        crate::digest::sha256_hex8(crate::digest::sha256_hex8(b"two").as_bytes())
    );
    assert_eq!(
        units(&reading),
        [("s", Extent::Whole), (told_apart.as_str(), Extent::Whole)]
    );
    let mut keys: Vec<String> = remember(&reading.events).into_keys().collect();
    keys.sort();
    assert_eq!(keys, ["ana/projects/a/s.jsonl", "ben/projects/a/s.jsonl"]);
}

#[test]
fn without_a_folder_named_the_agents_own_are_read() {
    let home = tempfile::tempdir().unwrap();
    put(
        home.path(),
        ".config/claude/projects/a/t.jsonl",
        &record("b"),
        200,
    );
    let mut surroundings = Surroundings {
        home: Some(home.path().to_owned()),
        ..Surroundings::default()
    };
    let places = |surroundings: &Surroundings| {
        let sessions = Sessions {
            wanted: usual_places(surroundings),
            options: Options::default(),
        };
        let places = sessions.places();
        places.map(|places| {
            places
                .iter()
                .map(|place| place.prefix.clone())
                .collect::<Vec<_>>()
        })
    };
    assert_eq!(places(&surroundings).unwrap(), ["~config/"]);
    put(home.path(), ".claude/projects/a/s.jsonl", &record("a"), 300);
    assert_eq!(places(&surroundings).unwrap(), ["", "~config/"]);
    let moved = home.path().join("moved").display().to_string();
    surroundings.variables.insert(CONFIG_DIR.to_owned(), moved);
    assert_eq!(places(&surroundings).unwrap(), ["~config/"]);
    fs::remove_dir_all(home.path().join(".config")).unwrap();
    let error = places(&surroundings).unwrap_err().to_string();
    let expected = home.path().join("moved/projects");
    assert_eq!(error, format!("{} does not exist", expected.display()));
}

#[test]
fn a_line_over_the_cap_is_passed_over_and_named() {
    let home = tempfile::tempdir().unwrap();
    let long = record(&"x".repeat(1024 * 1024));
    put(
        home.path(),
        "a/s.jsonl",
        &(record("before") + &long + &record("after")),
        300,
    );
    let reading = read(home.path(), "max_line_mb = 1", HashMap::new());
    assert_eq!(
        texts(&reading),
        [
            "[2026-10-09 21:23] user: before",
            "[2026-10-09 21:23] user: after"
        ]
    );
    let told = reading.report.problems[0].to_string();
    assert_eq!(told, "a/s.jsonl:2: is longer than 1 MB (max_line_mb)");
    assert_eq!(reading.report.passed_over, 1);
}

/// Counts what is read of it.
struct Counting(Cursor<Vec<u8>>, u64);

impl Read for Counting {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.0.read(buffer)?;
        self.1 += u64::try_from(read).unwrap();
        Ok(read)
    }
}

impl Seek for Counting {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.0.seek(to)
    }
}

#[test]
fn a_grown_file_is_read_from_its_tail_and_one_reach_before_it() {
    let options = Options::default();
    let source = Source {
        place: "s",
        sub_agent: false,
        fallback: Instant::default(),
        reach: REACH,
        options: &options,
    };
    let text = (0..80_000)
        .map(|n| record(&format!("line {n}")))
        .collect::<String>();
    let mut input = Counting(Cursor::new(text.into_bytes()), 0);
    let size = u64::try_from(input.0.get_ref().len()).unwrap();
    let mut report = Report::default();
    let mut last = None;
    let mut emit = |block: crate::unit::Block| {
        last = Some(Tail {
            locator: block.locator,
            position: block.position,
        });
        Ok(())
    };
    let known = Known::default();
    let known = session::read(&mut input, &source, &known, None, &mut report, &mut emit).unwrap();
    assert_eq!(input.1, size);
    input.1 = 0;
    let mut sent = 0;
    let mut emit = |_| {
        sent += 1;
        Ok(())
    };
    session::read(&mut input, &source, &known, last, &mut report, &mut emit).unwrap();
    assert_eq!(sent, 1);
    assert!(input.1 < REACH + 100_000, "{} of {size} bytes", input.1);
}
