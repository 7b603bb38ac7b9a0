//! Filling and changing libraries.

use std::path::Path;

use jezero::item::{Atom, AtomKind, Draft, Instant, ProjectName, Trust};
use jezero::redaction::{Counts, Engine};
use jezero::store::{ItemWrite, Store, StoreError};
use jezero_connectors::{ExternalId, Locator, SourceName};

use crate::fts::Fts;
use crate::library_generator::{Generated, item};
use crate::measure::{on_the_wall, quantile, timed, written};
use crate::steps;

/// Items of a transaction of an import.
const BATCH: usize = 1_000;

fn now() -> Instant {
    Instant::parse("2026-10-21").unwrap()
}

pub(crate) fn prepared(engine: &Engine, item: &Generated) -> (SourceName, ItemWrite) {
    let redacted = |text: &String| engine.redact(text);
    let project = ProjectName::new(redacted(&item.project));
    let atom = |text: &String| Atom {
        kind: AtomKind::Fact,
        text: redacted(text),
    };
    let write = ItemWrite {
        external_id: ExternalId::new(item.external_id.clone()).unwrap(),
        occurred_at: Instant::from_unix(item.seconds).unwrap(),
        draft: Draft {
            title: redacted(&item.title),
            summary: redacted(&item.summary),
            questions: item.questions.iter().map(redacted).collect(),
            atoms: item.atoms.iter().map(atom).collect(),
            project: project.clone(),
        },
        project,
        account: None,
        original_ref: None,
        trust: Trust::Own,
        content_hash: item.title.clone(),
        original: None,
        locator: Locator::default(),
        part: (1, 1),
        rules_version: 1,
        summary_by: "bench".to_owned(),
        redactions: Counts::default(),
    };
    (SourceName::new(item.source.clone()).unwrap(), write)
}

pub(crate) fn put(store: &mut Store, items: &[(SourceName, ItemWrite)]) {
    store
        .batch(|batch| {
            items
                .iter()
                .try_for_each(|(source, item)| batch.put(source, item, now()).map(drop))
        })
        .map_err(|error: StoreError| error)
        .unwrap();
}

/// Fills the library, and FTS5 beside it, batch by batch in turns.
pub(crate) fn build(path: &Path, items: usize, reference: Option<&Fts>) {
    let engine = Engine::embedded();
    let mut store = Store::open(path).unwrap();
    let (mut own, mut other, mut longest) = (0.0, 0.0, 0.0_f64);
    let before = written();
    for start in (0..items).step_by(BATCH) {
        let some: Vec<Generated> = (start..items.min(start + BATCH))
            .map(|at| item(7, at))
            .collect();
        let writes: Vec<_> = some.iter().map(|item| prepared(&engine, item)).collect();
        let (((), wall), seconds) = timed(|| on_the_wall(|| put(&mut store, &writes)));
        own += seconds;
        longest = longest.max(wall);
        if let Some(reference) = reference {
            other += timed(|| reference.put(&some)).1;
        }
    }
    let bytes = written() - before;
    let ((), finishing) = timed(|| store.finish().unwrap());
    let rate = |seconds: f64| items as f64 / seconds;
    println!(
        "build by {BATCH}: {:.0} items/s (longest transaction with its upkeep {:.0} ms on the wall; finishing {:.2} s)",
        rate(own + finishing),
        longest * 1e3,
        finishing
    );
    if reference.is_some() {
        println!(
            "  FTS5: {:.0} items/s; ratio {:.1}",
            rate(other),
            other / (own + finishing)
        );
    } else {
        println!(
            "  {:.1} KB written an item",
            bytes as f64 / items as f64 / 1024.0
        );
    }
    steps::tell("building");
}

/// What the index takes of the file, by the searchable text.
pub(crate) fn sizes(path: &Path, reference: Option<&Fts>) {
    let file = Fts::open(path).connection;
    let text: i64 = file
        .query_row(
            "SELECT sum(length(CAST(title || summary || questions || coalesce(project, '') AS BLOB)))
                 + (SELECT sum(length(CAST(text AS BLOB))) FROM atoms) FROM items",
            [],
            |row| row.get(0),
        )
        .unwrap();
    let pages = |connection: &rusqlite::Connection, name: &str| -> i64 {
        let sql =
            "SELECT coalesce(sum(pgsize), 0) FROM dbstat WHERE name GLOB ?1 AND aggregate = 1";
        connection.query_row(sql, [name], |row| row.get(0)).unwrap()
    };
    let share = |bytes: i64| bytes as f64 / text as f64;
    println!(
        "size: index {:.3} of the searchable text ({:.1} MB)",
        share(pages(&file, "index_*")),
        text as f64 / 1e6
    );
    for name in ["index_parts", "index_slots", "index_dead*"] {
        println!("  {name}: {:.3}", share(pages(&file, name)));
    }
    let sql = "SELECT count(*), sum(words), sum(postings), sum(documents) FROM index_segments";
    let counts: (i64, i64, i64, i64) = file
        .query_row(sql, [], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
        })
        .unwrap();
    println!(
        "  segments {}, words {}, postings {:.3}",
        counts.0,
        counts.1,
        share(counts.2)
    );
    if let Some(reference) = reference {
        println!(
            "  FTS5: {:.2}",
            share(pages(&reference.connection, "fts_*"))
        );
    }
}

/// Single items changed, each in a transaction of its own.
pub(crate) fn updates(path: &Path, items: usize, reference: Option<&Fts>) {
    const COUNT: usize = 1_000;
    let engine = Engine::embedded();
    let mut store = Store::open(path).unwrap();
    let changed: Vec<Generated> = (0..COUNT)
        .map(|at| item(8, at * (items / COUNT).max(1)))
        .collect();
    let writes: Vec<_> = changed
        .iter()
        .map(|item| [prepared(&engine, item)])
        .collect();
    let shown = |name: &str, times: &[f64], bytes: u64| {
        let at = |share| quantile(times, share) * 1e3;
        println!(
            "{name}: CPU ms p50 {:.2}, p95 {:.2}, p99 {:.2}, most {:.1}; {:.0} KB written each",
            at(0.5),
            at(0.95),
            at(0.99),
            at(1.0),
            bytes as f64 / COUNT as f64 / 1024.0
        );
    };
    let before = written();
    let times: Vec<f64> = writes
        .iter()
        .map(|write| timed(|| put(&mut store, write)).1)
        .collect();
    shown("one update", &times, written() - before);
    steps::tell("updating");
    if let Some(reference) = reference {
        let before = written();
        let one = |item: &Generated| timed(|| reference.put(std::slice::from_ref(item))).1;
        let times: Vec<f64> = changed.iter().map(one).collect();
        shown("  FTS5", &times, written() - before);
    }
}
