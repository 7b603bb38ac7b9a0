//! Fresh processes, and readers beside a writer.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Barrier;
use std::time::{Duration, Instant};

use jezero::redaction::Engine;
use jezero::store::{Filter, Scope, Store, View};

use crate::building::{prepared, put};
use crate::fts::Fts;
use crate::library_generator::item;
use crate::measure::{memory, on_the_wall, process_cpu, quantile, timed};
use crate::queries::{SETS, ask, loaded};

/// Readers at a time.
const READERS: usize = 8;
/// Questions that each of them asks in turn.
const QUESTIONS: usize = 40;
/// How long they ask, in seconds.
const SECONDS: u64 = 6;

/// What a process started by this bench does.
pub(crate) fn child(arguments: &[&str]) {
    match arguments {
        ["first", path, set] => {
            let view = View::open(Path::new(path)).unwrap();
            ask(&view, &query(set, 0), &Scope::All, &Filter::default());
            println!("{}", process_cpu() * 1e3);
        }
        ["first-fts", path, set] => {
            Fts::open(Path::new(path)).search(&query(set, 0));
            println!("{}", process_cpu() * 1e3);
        }
        ["pool", path, views] => pool(Path::new(path), views.parse().unwrap()),
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
///
/// Each question was asked once before that counts: a reader that is answered seldom would otherwise have
/// more first answers among its dearest than one that is answered often.
fn read(path: &Path, seed: usize) {
    let view = loaded(path);
    for at in 0..QUESTIONS {
        ask(
            &view,
            &query("3 mixed", at),
            &Scope::All,
            &Filter::default(),
        );
    }
    let end = Instant::now() + Duration::from_secs(SECONDS);
    let mut at = seed * 1000;
    while Instant::now() < end {
        at += 1;
        let query = query("3 mixed", at % QUESTIONS);
        let ((_, cpu), wall) =
            on_the_wall(|| timed(|| ask(&view, &query, &Scope::All, &Filter::default())));
        println!("{} {}", wall * 1e3, cpu * 1e3);
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
        "a fresh process's first answer, ms p50: CPU; wall with start and end of the process (FTS5)"
    );
    for set in ["1 rare", "3 mixed", "6 common"] {
        let times = |what: &str, path: &Path| {
            let one = || {
                let mut command = own();
                command.arg(what).arg(path).arg(set);
                let (output, wall) = on_the_wall(|| command.output().unwrap());
                (printed(&output.stdout), wall * 1e3)
            };
            let (cpu, wall): (Vec<f64>, Vec<f64>) = (0..9).map(|_| one()).unzip();
            (quantile(&cpu, 0.5), quantile(&wall, 0.5))
        };
        let (cpu, wall) = times("first", path);
        let (fts_cpu, fts_wall) = fts.map_or((0.0, 0.0), |fts| times("first-fts", fts));
        println!("  {set:10} {cpu:.1} ({fts_cpu:.1}); {wall:.1} ({fts_wall:.1})");
    }
}

/// The number that a child has printed.
fn printed(output: &[u8]) -> f64 {
    let text = std::str::from_utf8(output).unwrap();
    text.trim().parse().unwrap()
}

/// Opens views as a server does, one a thread, asks each the same 40 questions, and prints the memory
/// that the process then holds.
fn pool(path: &Path, views: usize) {
    let (ready, done) = (Barrier::new(views + 1), Barrier::new(views + 1));
    std::thread::scope(|scope| {
        for _ in 0..views {
            scope.spawn(|| {
                let view = loaded(path);
                for set in ["3 mixed", "6 mixed", "1 common", "phrase", "CJK"] {
                    for at in 0..8 {
                        ask(&view, &query(set, at), &Scope::All, &Filter::default());
                    }
                }
                ready.wait();
                done.wait();
            });
        }
        ready.wait();
        println!("{}", memory());
        done.wait();
    });
}

/// The memory of a process with so many readers.
pub(crate) fn pools(path: &Path) {
    let held = |views: usize| {
        let mut command = own();
        command.arg("pool").arg(path).arg(views.to_string());
        printed(&command.output().unwrap().stdout)
    };
    println!(
        "memory of a process with 0, 1 and 8 readers that have been asked 40 questions each: {:.0}, {:.0}, {:.0} MB",
        held(0),
        held(1),
        held(8)
    );
}

/// What readers took, all together.
#[derive(Default)]
struct Times {
    wall: Vec<f64>,
    cpu: Vec<f64>,
    /// Megabytes of one of them.
    memory: f64,
}

/// Runs the readers and `beside`, which is told how to find out whether one of them still asks.
fn readers(path: &Path, beside: impl FnOnce(&dyn Fn() -> bool)) -> Times {
    let start = |seed: usize| {
        let mut command = own();
        command.arg("read").arg(path).arg(seed.to_string());
        command.stdout(Stdio::piped()).spawn().unwrap()
    };
    let children: Vec<_> = (0..READERS).map(start).collect();
    // Nobody waits for a reader that waits for a reader of its lines.
    let children: Vec<_> = children
        .into_iter()
        .map(|child| std::thread::spawn(|| child.wait_with_output().unwrap()))
        .collect();
    beside(&|| children.iter().any(|child| !child.is_finished()));
    let mut times = Times::default();
    for child in children {
        let output = child.join().unwrap();
        assert!(output.status.success(), "a reader failed");
        for line in String::from_utf8(output.stdout).unwrap().lines() {
            let (first, second) = line.split_once(' ').unwrap();
            if first == "memory" {
                times.memory = second.parse().unwrap();
            } else {
                times.wall.push(first.parse().unwrap());
                times.cpu.push(second.parse().unwrap());
            }
        }
    }
    times
}

/// Eight readers alone, then with a writer that changes single items without a pause.
pub(crate) fn readers_beside_a_writer(path: &Path, items: usize) {
    let alone = readers(path, |_| {});
    let engine = Engine::embedded();
    let mut store = Store::open(path).unwrap();
    let mut writes = 0;
    let start = Instant::now();
    let beside = readers(path, |ask| {
        while ask() {
            writes += 1;
            put(
                &mut store,
                &[prepared(&engine, &item(9, writes * 31 % items))],
            );
        }
    });
    let seconds = start.elapsed().as_secs().max(1);
    let p95 = |times: &[f64]| quantile(times, 0.95);
    let show = |times: &Times| {
        format!(
            "wall p50 {:.1}, p95 {:.1}; CPU p50 {:.2}, p95 {:.2} ms; {} answers/s; {:.0} MB each",
            quantile(&times.wall, 0.5),
            p95(&times.wall),
            quantile(&times.cpu, 0.5),
            p95(&times.cpu),
            times.wall.len() as u64 / SECONDS,
            times.memory
        )
    };
    println!("{READERS} readers, 3 mixed: {}", show(&alone));
    println!("  beside a writer: {}", show(&beside));
    println!(
        "  {} changes/s; p95 ratio wall {:.2}, CPU {:.2}",
        writes as u64 / seconds,
        p95(&beside.wall) / p95(&alone.wall),
        p95(&beside.cpu) / p95(&alone.cpu)
    );
}
