//! How long questions take on an invented library of 10,000 items.
#![expect(
    clippy::unwrap_used,
    reason = "a bench that cannot be set up should stop"
)]

mod library_generator;

use std::sync::{Arc, LazyLock};

use divan::Bencher;
use jezero::access::Reader;
use jezero::import::{ImportOptions, import_jsonl};
use jezero::item::{Instant, ItemId, Trust};
use jezero::library::{Library, SearchQuery, Settings, TimelineQuery};
use jezero::redaction::Engine;
use jezero::store::Store;
use jezero_connectors::time::FixedClock;
use library_generator::{lines, word};

const ITEMS: usize = 10_000;

static FOLDER: LazyLock<tempfile::TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(&folder.path().join("jezero.db")).unwrap();
    let options = ImportOptions {
        source: None,
        project: None,
        trust: Trust::Own,
    };
    let engine = Engine::embedded().unwrap();
    let lines = lines(ITEMS, 7);
    import_jsonl(
        &mut store,
        &engine,
        lines.as_bytes(),
        "generated",
        &options,
        now(),
    )
    .unwrap();
    folder
});

fn now() -> Instant {
    Instant::parse("2026-10-21").unwrap()
}

fn library() -> Library {
    let path = FOLDER.path().join("jezero.db");
    Library::open(&path, Settings::default(), Arc::new(FixedClock(now()))).unwrap()
}

fn search(bencher: Bencher, terms: &[String], globs: &[&str]) {
    let library = library();
    let globs: Vec<String> = globs.iter().map(ToString::to_string).collect();
    let reader = Reader::new(&globs, true).unwrap();
    let query = SearchQuery {
        query: terms.join(" "),
        ..SearchQuery::default()
    };
    bencher.bench_local(|| library.search(&reader, &query).unwrap().count);
}

/// One to six terms, the first common, the others rarer and rarer.
#[divan::bench(args = [1, 2, 4, 6])]
fn search_by_terms(bencher: Bencher, terms: usize) {
    let terms: Vec<String> = (0..terms)
        .map(|at| word(20 * 4_usize.pow(at as u32)))
        .collect();
    search(bencher, &terms, &["*"]);
}

#[divan::bench]
fn search_by_one_rare_term(bencher: Bencher) {
    search(bencher, &[word(20_000)], &["*"]);
}

#[divan::bench]
fn search_limited_to_half_of_the_sources(bencher: Bencher) {
    search(bencher, &[word(20), word(300)], &["agent-0", "agent-1"]);
}

#[divan::bench]
fn later(bencher: Bencher) {
    let library = library();
    let reader = Reader::everything();
    bencher.bench_local(|| library.later(&reader, ItemId(5000), None, None).unwrap());
}

#[divan::bench]
fn timeline_of_a_project(bencher: Bencher) {
    let library = library();
    let query = TimelineQuery {
        project: Some(word(7)),
        ..TimelineQuery::default()
    };
    bencher.bench_local(|| {
        library
            .timeline(&Reader::everything(), &query)
            .unwrap()
            .count
    });
}

#[divan::bench]
fn get_item(bencher: Bencher) {
    let library = library();
    bencher.bench_local(|| {
        library
            .get_item(&Reader::everything(), ItemId(5000), true)
            .unwrap()
    });
}

fn main() {
    LazyLock::force(&FOLDER);
    divan::main();
}
