//! The index over originals: what it costs, and what questions cost.

use std::path::Path;

use jezero::redaction::Engine;
use jezero::store::search::TextScope;
use jezero::store::{Filter, Frame, ItemWrite, Scope, Store, View, compress};
use jezero_connectors::SourceName;

use crate::building::{prepared, put};
use crate::fts::Fts;
use crate::library_generator::item;
use crate::measure::{memory, quantile, timed};
use crate::queries::{SETS, ask_in};
use crate::steps;

/// Characters of an original.
const CHARS: usize = 40_000;
/// Items of a transaction.
const BATCH: usize = 100;

/// The text of a session: what many items say.
fn original(at: usize) -> String {
    let mut text = String::new();
    for part in 0.. {
        if text.len() >= CHARS {
            break;
        }
        text.push_str(&item(11, at * 100 + part).summary);
        text.push('\n');
    }
    text
}

fn writes(engine: &Engine, items: std::ops::Range<usize>) -> Vec<(SourceName, ItemWrite)> {
    let with_original = |at: usize| {
        let (source, mut write) = prepared(engine, &item(7, at));
        let text = engine.redact(&original(at));
        write.original = Some(Frame::Held(compress(&text).unwrap()));
        (source, write)
    };
    items.map(with_original).collect()
}

/// CPU seconds to store all items, with an index over the originals or without.
fn build(path: &Path, items: usize, indexed: bool) -> f64 {
    let engine = Engine::embedded();
    let mut store = Store::open_with(path, indexed, &mut |_| {}).unwrap();
    let mut seconds = 0.0;
    for start in (0..items).step_by(BATCH) {
        let writes = writes(&engine, start..items.min(start + BATCH));
        seconds += timed(|| put(&mut store, &writes)).1;
    }
    seconds + timed(|| store.finish().unwrap()).1
}

pub(crate) fn measure(folder: &Path, items: usize) {
    let megabytes = (items * CHARS) as f64 / 1e6;
    println!("{items} items with originals of {CHARS} characters: {megabytes:.0} MB of originals");
    let path = &folder.join("originals.db");
    if !path.exists() {
        let without = build(&folder.join("without.db"), items, false);
        let with = build(path, items, true);
        println!(
            "stored in CPU s: {without:.1} without the index, {with:.1} with it: {:.1} ms a MB more",
            (with - without) / megabytes * 1e3
        );
        steps::tell("storing");
        let (store, seconds) = timed(|| {
            drop(Store::open_with(path, false, &mut |_| {}).unwrap());
            steps::tell("taking the index away");
            Store::open_with(path, true, &mut |_| {}).unwrap()
        });
        drop(store);
        println!("indexed again in {seconds:.1} CPU s");
        steps::tell("indexing what is there");
    }
    sizes(path, megabytes);
    for texts in [TextScope::Original, TextScope::All] {
        questions(path, texts);
    }
}

fn sizes(path: &Path, megabytes: f64) {
    let file = Fts::open(path).connection;
    let number = |sql: &str| -> i64 { file.query_row(sql, [], |row| row.get(0)).unwrap() };
    let bytes = number(
        "SELECT sum(pgsize) * (SELECT sum(length(bytes)) FROM index_parts
             WHERE id >> 24 IN (SELECT id FROM index_segments WHERE book = 1))
             / (SELECT sum(length(bytes)) FROM index_parts)
         FROM dbstat WHERE name = 'index_parts' AND aggregate = 1",
    );
    let kept = number("SELECT sum(length(zstd)) FROM originals");
    println!(
        "index {:.3} of the originals' text, which takes {:.3} as it is kept; {} segments, {} words",
        bytes as f64 / 1e6 / megabytes,
        kept as f64 / 1e6 / megabytes,
        number("SELECT count(*) FROM index_segments WHERE book = 1"),
        number("SELECT sum(words) FROM index_segments WHERE book = 1"),
    );
}

fn questions(path: &Path, texts: TextScope) {
    println!("{texts:?}: CPU ms p50 / most: first time; again");
    for (name, make) in SETS {
        let (mut first, mut again, mut unread) = (Vec::new(), Vec::new(), 0);
        let view = View::open(path).unwrap();
        let ask = |words: &[String]| {
            let (scope, filter) = (Scope::All, Filter::default());
            timed(|| ask_in(&view, words, &scope, &filter, texts))
        };
        ask(&["nothing".to_owned()]);
        for query in (0..8).map(make) {
            let (found, seconds) = ask(&query);
            first.push(seconds * 1e3);
            again.push(ask(&query).1 * 1e3);
            unread += found.unread;
        }
        let shown =
            |times: &[f64]| format!("{:.2} / {:.1}", quantile(times, 0.5), quantile(times, 1.0));
        println!(
            "  {name:18} {:>16}; {:>16}; not read {unread}",
            shown(&first),
            shown(&again)
        );
    }
    println!("  memory {:.0} MB", memory());
}
