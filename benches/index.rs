//! The index over words against SQLite's FTS5 (trigram) on the same invented items, in one run.
//!
//! `cargo bench --bench index -- 100000` measures with 100,000 items; `--alone` leaves FTS5 out,
//! which takes longer than all else at a million. Times are CPU time of the process, so that other
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
#[path = "index/processes.rs"]
mod processes;
#[path = "index/queries.rs"]
mod queries;

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
    let alone = arguments.contains(&"--alone");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("jezero.db");
    run(&path, items, alone);
}

fn run(path: &Path, items: usize, alone: bool) {
    let reference = (!alone).then(|| fts::Fts::create(&path.with_extension("fts")));
    println!("{items} items of about 1.24 KB");
    building::build(path, items, reference.as_ref());
    building::sizes(path, reference.as_ref());
    queries::sets(path, reference.as_ref());
    queries::filters(path);
    queries::sixty_four_terms(path);
    processes::first_answers(
        path,
        reference
            .as_ref()
            .map(|_| path.with_extension("fts"))
            .as_deref(),
    );
    processes::readers_beside_a_writer(path, items);
    building::updates(path, items, reference.as_ref());
}
