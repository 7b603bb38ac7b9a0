//! The index against the plain scan: a fixed set of queries, and the seeds of the fuzz targets.

#[path = "../fuzz/search_checks.rs"]
mod search_checks;

use std::fs;
use std::path::Path;

use jezero::store::search::Rules;
use search_checks::{Shelved, search_query, search_text};

/// Texts of which every item has some, so that words are rare, common and between.
const PARTS: [&str; 24] = [
    "the import fails when a token is read",
    "from config before the server starts",
    "facturación y contraseña en el módulo",
    "発行済み請求書の設定を変更した",
    "東京都の検索と日本語の入力",
    "한국어 검색 결과를 수정했다",
    "src/store/index.rs:42 and tests/cli/place.rs",
    "std::collections::HashMap::new()",
    "error[E0502]: cannot borrow `x` as mutable",
    "called `Option::unwrap()` on a `None` value",
    "cargo test --lib store::index -- --nocapture",
    "https://example.org/path?query=1&page=2",
    "don't panic; it's only a test",
    "snake_case_name and camelCaseName",
    "version 1.2.3-rc.4 of 2026-10-09",
    "🎉🎉🎉 shipped — “at last”",
    "a === b !== c --> d ... e",
    "bytestestable testtest test",
    "UTF-8 with BOM, UTF-16 without",
    "key=value; PATH=/usr/bin:/bin",
    "Straße, ẞ, İstanbul, Łódź, naïve",
    "0123456789abcdef0123456789abcdef",
    "NEAR AND OR NOT are words",
    "(brackets [and] {braces}) \"quotes\"",
];

/// Words and phrases that are looked for, alone and together.
const TERMS: [&str; 50] = [
    "the",
    "test",
    "import",
    "token",
    "config",
    "server",
    "a",
    "import fails",
    "read from",
    "facturacion",
    "CONTRASEÑA",
    "modulo",
    "請求書",
    "東京",
    "の設定",
    "日本語の",
    "한국어",
    "검색 결과",
    "src/store",
    "index.rs",
    "rs:42",
    "::index",
    "std::collections",
    "HashMap::new()",
    "E0502",
    "borrow `x`",
    "unwrap()`",
    "--lib",
    "-- --nocapture",
    "https://",
    "query=1",
    "don't",
    "it's only",
    "snake_case",
    "CamelCase",
    "1.2.3",
    "2026-10",
    "🎉🎉🎉",
    "“at last”",
    "===",
    "-->",
    "...",
    "testest",
    "utf-8",
    "/usr/bin:",
    "strasse",
    "lodz",
    "abcdef0",
    "NEAR(",
    "[and]",
];

fn library() -> Shelved {
    let text = |at: usize| {
        let picked =
            (0..5).map(|n| PARTS[(at * at + at * (n + 1) + n * 7) % (PARTS.len() - n * 2)]);
        picked
            .collect::<Vec<_>>()
            .join(if at.is_multiple_of(3) { ". " } else { " " })
    };
    Shelved::new(&(0..60).map(text).collect::<Vec<_>>())
}

/// 200 queries: each term alone as a word and as a phrase, then two to six together.
fn queries() -> Vec<String> {
    let phrase = |term: &str| format!("\"{term}\"");
    let alone = TERMS.iter().map(ToString::to_string);
    let phrases = TERMS.iter().map(|term| phrase(term));
    let together = (0..100_usize).map(|at| {
        let terms = (0..2 + at % 5).map(|n| TERMS[(at * 7 + n * (at % 11 + 1)) % TERMS.len()]);
        let quoted = terms.map(|term| {
            if term.contains(' ') {
                phrase(term)
            } else {
                term.to_owned()
            }
        });
        quoted
            .collect::<Vec<_>>()
            .join(if at % 2 == 0 { " " } else { " OR " })
    });
    alone.chain(phrases).chain(together).collect()
}

#[test]
fn two_hundred_queries_give_what_the_scan_gives() {
    let library = library();
    let queries = queries();
    assert_eq!(queries.len(), 200);
    let mut answered = 0;
    for query in &queries {
        for (whole_words, short_terms) in [(false, false), (false, true), (true, false)] {
            let rules = Rules {
                whole_words,
                short_terms,
            };
            answered += usize::from(!library.compare(query, rules).ranked.is_empty());
        }
    }
    // A set that nothing answers would compare nothing.
    assert!(answered > 500, "{answered}");
}

fn seeds(folder: &str, check: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fuzz/seeds")
        .join(folder);
    let mut seen = 0;
    for entry in fs::read_dir(folder).unwrap() {
        check(&fs::read(entry.unwrap().path()).unwrap());
        seen += 1;
    }
    assert!(seen > 2);
}

#[test]
fn the_seeds_of_queries_are_answered_alike() {
    seeds("search_query", search_query);
}

#[test]
fn the_seeds_of_texts_are_answered_alike() {
    seeds("search_text", search_text);
}
