//! Fresh processes, and readers beside a writer.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use jezero::redaction::Engine;
use jezero::store::{Filter, Scope, Store, View};

use crate::building::{prepared, put};
use crate::fts::Fts;
use crate::library_generator::item;
use crate::measure::{memory, on_the_wall, quantile};
use crate::queries::{SETS, ask, loaded};

/// Readers at a time.
const READERS: usize = 8;
/// How long they ask, in seconds.
const SECONDS: u64 = 6;

/// What a process started by this bench does.
pub(crate) fn child(arguments: &[&str]) {
    match arguments {
        ["first", path, set] => {
            let view = View::open(Path::new(path)).unwrap();
            ask(&view, &query(set, 0), &Scope::All, &Filter::default());
        }
        ["first-fts", path, set] => {
            Fts::open(Path::new(path)).search(&query(set, 0));
        }
        ["read", path, seed] => read(Path::new(path), seed.parse().unwrap()),
        _ => {}
    }
}

fn query(set: &str, at: usize) -> Vec<String> {
    let make = SETS
        .iter()
        .find(|(name, _)| *name == set)
        .map(|(_, make)| make);
    make.unwrap()(at)
}

/// Asks and asks; prints the times in milliseconds, then the memory.
fn read(path: &Path, seed: usize) {
    let view = loaded(path);
    let end = Instant::now() + Duration::from_secs(SECONDS);
    let mut at = seed * 1000;
    while Instant::now() < end {
        at += 1;
        let query = query("3 mixed", at % 40);
        let (_, seconds) = on_the_wall(|| ask(&view, &query, &Scope::All, &Filter::default()));
        println!("{}", seconds * 1e3);
    }
    println!("memory {:.0}", memory());
}

fn own() -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.arg("--child");
    command
}

/// From the start of a process to the end of its first answer.
pub(crate) fn first_answers(path: &Path, fts: Option<&Path>) {
    println!(
        "a fresh process's first answer, wall ms p50 with start and end of the process (FTS5)"
    );
    for set in ["1 rare", "3 mixed", "6 common"] {
        let time = |what: &str, path: &Path| {
            let one = || on_the_wall(|| own().arg(what).arg(path).arg(set).status().unwrap()).1;
            quantile(&(0..9).map(|_| one() * 1e3).collect::<Vec<_>>(), 0.5)
        };
        let other = fts.map_or(0.0, |fts| time("first-fts", fts));
        println!("  {set:10} {:.1} ({other:.1})", time("first", path));
    }
}

/// Times of all readers together, and the memory of one.
fn readers(path: &Path, beside: impl FnOnce()) -> (Vec<f64>, f64) {
    let start = |seed: usize| {
        let mut command = own();
        command.arg("read").arg(path).arg(seed.to_string());
        command.stdout(Stdio::piped()).spawn().unwrap()
    };
    let children: Vec<_> = (0..READERS).map(start).collect();
    beside();
    let (mut times, mut memory) = (Vec::new(), 0.0);
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "a reader failed");
        for line in String::from_utf8(output.stdout).unwrap().lines() {
            match line.strip_prefix("memory ") {
                Some(megabytes) => memory = megabytes.parse().unwrap(),
                None => times.push(line.parse().unwrap()),
            }
        }
    }
    (times, memory)
}

/// Eight readers alone, then with a writer that changes single items without a pause.
pub(crate) fn readers_beside_a_writer(path: &Path, items: usize) {
    let (alone, memory) = readers(path, || {});
    let engine = Engine::embedded().unwrap();
    let mut store = Store::open(path).unwrap();
    let mut writes = 0;
    let (beside, _) = readers(path, || {
        let end = Instant::now() + Duration::from_secs(SECONDS);
        while Instant::now() < end {
            writes += 1;
            put(
                &mut store,
                &[prepared(&engine, &item(9, writes * 31 % items))],
            );
        }
    });
    let show = |times: &[f64]| {
        format!(
            "p50 {:.1}, p95 {:.1} ms, {} answers/s",
            quantile(times, 0.5),
            quantile(times, 0.95),
            times.len() as u64 / SECONDS
        )
    };
    println!(
        "{READERS} readers, 3 mixed, on the wall: {}; {memory:.0} MB each",
        show(&alone)
    );
    println!(
        "  beside a writer: {}; {} changes/s; p95 ratio {:.2}",
        show(&beside),
        writes as u64 / SECONDS,
        quantile(&beside, 0.95) / quantile(&alone, 0.95)
    );
}
