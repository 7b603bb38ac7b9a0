//! Times of questions.

use std::path::Path;

use jezero::item::{AtomKind, Instant};
use jezero::store::search::{Matches, Question, Rules, Terms, TextIndex, TextScope};
use jezero::store::{Filter, Index, Scope, View};

use crate::fts::Fts;
use crate::library_generator::{item, word};
use crate::measure::{quantile, timed};

/// Queries of a set.
const QUERIES: usize = 8;

/// A word that many, some or few items hold.
fn common(at: usize) -> String {
    word(3 + at % 60)
}

fn mid(at: usize) -> String {
    word(1_000 + at * 37)
}

fn rare(at: usize) -> String {
    word(30_000 + at * 97)
}

/// A phrase of three words that stands in an item.
fn phrase(at: usize) -> String {
    let item = item(7, at * 13 + 5);
    let words: Vec<&str> = item.summary.split(' ').skip(3).take(3).collect();
    words.join(" ")
}

/// Names, paths and numbers that stand in an item.
fn names(at: usize) -> String {
    let item = item(7, at * 13 + 5);
    let is_name = |word: &&str| word.contains(['_', ':', '/', '-']);
    let word = item
        .summary
        .split(' ')
        .find(is_name)
        .unwrap_or("src/main.rs");
    word.trim_matches([',', '.', '(', ')']).to_owned()
}

type Make = fn(usize) -> Vec<String>;

/// The sets: what they are called, and their queries.
pub(crate) const SETS: &[(&str, Make)] = &[
    ("1 rare", |at| vec![rare(at)]),
    ("6 rare", |at| (0..6).map(|n| rare(at * 6 + n)).collect()),
    ("1 mid", |at| vec![mid(at)]),
    ("3 mid", |at| (0..3).map(|n| mid(at * 3 + n)).collect()),
    ("6 mid", |at| (0..6).map(|n| mid(at * 6 + n)).collect()),
    ("3 mixed", |at| vec![rare(at), mid(at), common(at)]),
    ("6 mixed", |at| {
        let two = |make: fn(usize) -> String| [make(2 * at), make(2 * at + 1)];
        [two(rare), two(mid), two(common)].concat()
    }),
    ("1 common", |at| vec![common(at)]),
    ("3 common", |at| {
        (0..3).map(|n| common(at * 3 + n)).collect()
    }),
    ("6 common", |at| {
        (0..6).map(|n| common(at * 6 + n)).collect()
    }),
    ("names", |at| vec![names(at)]),
    ("accents", |at| {
        vec![["decision", "facturacion", "ubertragung", "ación"][at % 4].to_owned()]
    }),
    ("CJK", |at| {
        vec![["請求書", "東京都", "発行済み", "京都の設"][at % 4].to_owned()]
    }),
    ("phrase", |at| vec![phrase(at)]),
    ("phrase of 2 common", |at| {
        vec![format!("{} {}", common(at), common(at + 9))]
    }),
];

pub(crate) fn ask(view: &View, words: &[String], scope: &Scope, filter: &Filter<'_>) -> Matches {
    ask_in(view, words, scope, filter, TextScope::Summary)
}

pub(crate) fn ask_in(
    view: &View,
    words: &[String],
    scope: &Scope,
    filter: &Filter<'_>,
    texts: TextScope,
) -> Matches {
    let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
    let terms = Terms::read(&quoted.join(" "), Rules::default()).used;
    Index::new(view)
        .matches(&Question {
            scope,
            filter,
            terms: &terms,
            texts,
            pool: 200,
        })
        .unwrap()
}

/// A view that has loaded the dictionary and nothing else.
pub(crate) fn loaded(path: &Path) -> View {
    let view = View::open(path).unwrap();
    ask(
        &view,
        &["nothing at all".to_owned()],
        &Scope::All,
        &Filter::default(),
    );
    view
}

/// Every set: first time of each term, again, and FTS5.
pub(crate) fn sets(path: &Path, reference: Option<&Fts>) {
    println!("CPU ms p50 / p95: first time; again; FTS5 (ratio of p50 to each)");
    let (_, loading) = timed(|| loaded(path));
    println!("  loading dictionary and documents: {:.1}", loading * 1e3);
    for (name, make) in SETS {
        let queries: Vec<Vec<String>> = (0..QUERIES).map(make).collect();
        let (mut first, mut again, mut other) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..3 {
            let view = loaded(path);
            for query in &queries {
                let one = || timed(|| ask(&view, query, &Scope::All, &Filter::default())).1 * 1e3;
                first.push(one());
                again.push(one());
            }
        }
        if let Some(reference) = reference {
            other = queries
                .iter()
                .map(|query| timed(|| reference.search(query)).1 * 1e3)
                .collect();
        }
        let shown =
            |times: &[f64]| format!("{:.2} / {:.2}", quantile(times, 0.5), quantile(times, 0.95));
        let ratio = |times: &[f64]| quantile(&other, 0.5) / quantile(times, 0.5);
        println!(
            "  {name:18} {:>15}; {:>15}; {:>17} ({:.1}, {:.1})",
            shown(&first),
            shown(&again),
            shown(&other),
            ratio(&first),
            ratio(&again)
        );
    }
}

/// What a filter or a limited key costs.
pub(crate) fn filters(path: &Path) {
    let none = Filter::default();
    let agents = Scope::Only(vec![1, 2, 3, 4]);
    let half = Scope::Only(vec![1, 2]);
    let project = word(7);
    let cases: [(&str, &Scope, Filter<'_>); 7] = [
        ("all", &Scope::All, none),
        ("agent-* (every source)", &agents, none),
        ("half of the sources", &half, none),
        (
            "a project",
            &Scope::All,
            Filter {
                project: Some(&project),
                ..none
            },
        ),
        (
            "a source",
            &Scope::All,
            Filter {
                source: Some("agent-1"),
                ..none
            },
        ),
        (
            "a kind",
            &Scope::All,
            Filter {
                kind: Some(AtomKind::Fact),
                ..none
            },
        ),
        (
            "since",
            &Scope::All,
            Filter {
                since: Instant::from_unix(1_300_000_000),
                ..none
            },
        ),
    ];
    println!("filters, 6 mixed and 6 common terms, CPU ms p50 first time; again");
    for (name, scope, filter) in &cases {
        let (mut first, mut again) = (Vec::new(), Vec::new());
        for (_, make) in SETS
            .iter()
            .filter(|(set, _)| ["6 mixed", "6 common"].contains(set))
        {
            let view = loaded(path);
            ask(&view, &["nothing".to_owned()], scope, filter);
            for query in (0..QUERIES).map(make) {
                first.push(timed(|| ask(&view, &query, scope, filter)).1 * 1e3);
                again.push(timed(|| ask(&view, &query, scope, filter)).1 * 1e3);
            }
        }
        println!(
            "  {name:24} {:.2}; {:.2}",
            quantile(&first, 0.5),
            quantile(&again, 0.5)
        );
    }
}

/// The longest queries.
pub(crate) fn sixty_four_terms(path: &Path) {
    let time = |terms: &[String]| {
        let one = || {
            let view = loaded(path);
            timed(|| ask(&view, terms, &Scope::All, &Filter::default())).1 * 1e3
        };
        quantile(&(0..5).map(|_| one()).collect::<Vec<_>>(), 0.5)
    };
    let common: Vec<String> = (0..64).map(|at| word(3 + at)).collect();
    println!("64 common terms: CPU ms p50 {:.0}", time(&common));
    let phrase = |at: usize| format!("{} {}", word(3 + at), word(4 + at));
    let phrases: Vec<String> = (0..64).map(phrase).collect();
    println!("64 phrases of two common words: {:.0}", time(&phrases));
}
