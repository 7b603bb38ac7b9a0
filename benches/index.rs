//! The index over words against SQLite's FTS5 (trigram) on the same invented items, in one run.
//!
//! `cargo bench --bench index -- 100000` measures with 100,000 items; `--alone` leaves FTS5 out,
//! which takes longer than all else at a million; `--at FOLDER` keeps the library there and uses it
//! again; `--originals` measures the index over originals instead, 40 KB each; `--only sizes|sets|filters|long|first|memory|readers|updates` measures one thing. Times are CPU time of the process, so that other
//! work on the machine counts little; where a time is on the wall, the line says so.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a bench prints, and one that cannot be set up should stop"
)]

#[path = "index/building.rs"]
mod building;
#[path = "index/fts.rs"]
mod fts;
#[path = "library_generator.rs"]
#[expect(dead_code, reason = "shared with the other bench")]
mod library_generator;
#[path = "index/measure.rs"]
mod measure;
#[path = "index/originals.rs"]
mod originals;
#[path = "index/processes.rs"]
mod processes;
#[path = "index/queries.rs"]
mod queries;
#[path = "index/steps.rs"]
mod steps;

use std::path::Path;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    if let Some(at) = arguments.iter().position(|argument| *argument == "--child") {
        return processes::child(&arguments[at + 1..]);
    }
    let items = arguments
        .iter()
        .find_map(|argument| argument.parse().ok())
        .unwrap_or(10_000);
    let after = |name: &str| {
        let at = arguments.iter().position(|argument| *argument == name)?;
        arguments.get(at + 1).copied()
    };
    let plan = Plan {
        items,
        alone: arguments.contains(&"--alone"),
        only: after("--only"),
    };
    steps::watch();
    let folder = tempfile::tempdir().unwrap();
    if arguments.contains(&"--originals") {
        return originals::measure(after("--at").map_or(folder.path(), Path::new), items);
    }
    run(after("--at").map_or(folder.path(), Path::new), &plan);
}

/// What is to be measured.
struct Plan<'a> {
    items: usize,
    alone: bool,
    only: Option<&'a str>,
}

fn run(folder: &Path, plan: &Plan<'_>) {
    let path = &folder.join("jezero.db");
    let beside = path.with_extension("fts");
    let is_new = !path.exists();
    let reference = (!plan.alone).then(|| fts::Fts::create(&beside));
    let (items, reference) = (plan.items, reference.as_ref());
    println!("{items} items of about 1.24 KB");
    if is_new {
        building::build(path, items, reference);
    }
    let wanted = |name: &str| plan.only.is_none_or(|only| only == name);
    if wanted("sizes") {
        building::sizes(path, reference);
    }
    if wanted("sets") {
        queries::sets(path, reference);
    }
    if wanted("filters") {
        queries::filters(path);
    }
    if wanted("long") {
        queries::sixty_four_terms(path);
    }
    if wanted("first") {
        processes::first_answers(path, reference.map(|_| beside.as_path()));
    }
    if wanted("memory") {
        processes::pools(path);
    }
    if wanted("readers") {
        processes::readers_beside_a_writer(path, items);
    }
    if wanted("updates") {
        building::updates(path, items, reference);
    }
}
