//! Whatever is asked, with whatever key: nothing of a hidden source is betrayed.

use std::sync::LazyLock;

use jezero::config::Env;
use jezero::import::ImportOptions;
use proptest::prelude::*;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::peer::{Peer, message};
use crate::support::{Shelf, into};

/// A record of a source; `at` numbers them.
fn record(source: &str, at: usize, word: &str) -> Value {
    json!({
        "source": source,
        "external_id": format!("s{at}#0"),
        "occurred_at": format!("2026-10-{:02}T00:00:00Z", 1 + at % 28),
        "title": format!("{word} export {at}"),
        "summary": format!("the {word} was changed"),
        "questions": [format!("why {word}?")],
        "atoms": [{"kind": "decision", "text": format!("use {word}")}],
        "project": if source == "hidden" { "bilge" } else { "billing" },
        "trust": if at.is_multiple_of(2) { "own" } else { "external" },
        "original_ref": format!("x:s{}", at % 3),
        "original": format!("[2026-10-01 00:00] user: {word}"),
    })
}

fn peer(hidden: bool) -> Peer {
    // The seen ones first, so that they have the same numbers with and without the hidden ones.
    let mut records: Vec<Value> = (0..8).map(|at| record("seen", at, "invoice")).collect();
    if hidden {
        records.extend((0..8).map(|at| record("hidden", at, "secretive invoice")));
    }
    peer_of(&records, "sources = [\"s*\"]")
}

/// A library whose originals are all alike or speak of a secret, for a key that may not read them.
fn peer_without_originals(secret: bool) -> Peer {
    let with_original = |at: usize| {
        let mut record = record("seen", at, "invoice");
        if secret {
            record["original"] = json!(format!("hidden secretive words {}", "x ".repeat(at)));
        }
        record
    };
    let records: Vec<Value> = (0..8).map(with_original).collect();
    peer_of(&records, "originals = false")
}

/// A library, and a key that is limited.
fn peer_of(records: &[Value], limit: &str) -> Peer {
    let shelf = Shelf::empty();
    let lines: Vec<String> = records.iter().map(Value::to_string).collect();
    let options = ImportOptions {
        source: None,
        ..into("seen")
    };
    shelf.import(lines.join("\n"), &options).unwrap();
    let digest = Sha256::digest(b"k");
    let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    let config = format!("[[clients]]\nname = \"a\"\ntoken_sha256 = \"{digest}\"\n{limit}\n");
    Peer::new(shelf, &config, Env::given([]))
}

static BOTH: Pair = LazyLock::new(|| std::sync::Mutex::new((peer(true), peer(false))));

type Pair = LazyLock<std::sync::Mutex<(Peer, Peer)>>;

static ORIGINALS: Pair = LazyLock::new(|| {
    let peers = (peer_without_originals(true), peer_without_originals(false));
    std::sync::Mutex::new(peers)
});

fn a_text() -> impl Strategy<Value = Value> {
    let words = [
        "invoice",
        "secretive",
        "hidden",
        "seen",
        "bilge",
        "billing",
        "export changed",
        "",
        "\"use invoice\"",
        "2026-10-05",
        "decision",
        "own",
        "external",
        "bil",
        "hid*",
        "original",
        "all",
        "x:s1",
    ];
    prop_oneof![
        8 => proptest::sample::select(words.to_vec()).prop_map(Value::from),
        1 => "\\PC{0,8}".prop_map(Value::from),
    ]
}

fn a_value() -> impl Strategy<Value = Value> {
    prop_oneof![
        6 => a_text(),
        4 => (-2_i64..20).prop_map(Value::from),
        1 => any::<bool>().prop_map(Value::from),
        1 => Just(Value::Null),
        1 => prop::collection::vec(proptest::sample::select(
            &["title", "snippet", "matched", "truncated", "source", "original"][..]), 0..3)
            .prop_map(|names| json!(names)),
    ]
}

const NAMES: [&str; 19] = [
    "query",
    "project",
    "source",
    "since",
    "until",
    "limit",
    "kind",
    "trust",
    "scope",
    "fields",
    "max_tokens",
    "explain",
    "item_id",
    "include_original",
    "original_offset",
    "original_chars",
    "name",
    "uri",
    "nonsense",
];

prop_compose! {
    fn a_call()(
        tool in proptest::sample::select(&["search", "get_item", "later", "timeline", "list_sources"][..]),
        query in a_text(),
        item in 1_i64..20,
        more in prop::collection::btree_map(proptest::sample::select(&NAMES[..]), a_value(), 0..4),
    ) -> Value {
        let mut arguments = serde_json::Map::new();
        match tool {
            "search" => { arguments.insert("query".to_owned(), query); }
            "get_item" | "later" => { arguments.insert("item_id".to_owned(), json!(item)); }
            _ => {}
        }
        arguments.extend(more.into_iter().map(|(name, value)| (name.to_owned(), value)));
        message("tools/call", &json!({"name": tool, "arguments": arguments}))
    }
}

fn a_message() -> impl Strategy<Value = Value> {
    let uri = prop_oneof![
        Just("jezero://library".to_owned()),
        (1..20).prop_map(|id| format!("jezero://item/{id}")),
    ];
    prop_oneof![
        9 => a_call(),
        1 => uri.prop_map(|uri| message("resources/read", &json!({"uri": uri}))),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_hidden_source_changes_no_byte_of_any_answer(asked in a_message()) {
        let both = BOTH.lock().unwrap();
        let headers = [("authorization", "Bearer k")];
        let with = both.0.post_with(&headers, asked.to_string());
        let without = both.1.post_with(&headers, asked.to_string());
        prop_assert_eq!(with.status, 200);
        prop_assert_eq!(with.body, without.body, "{}", asked);
    }
    #[test]
    fn an_original_that_a_key_may_not_read_changes_no_byte_of_any_answer(asked in a_message()) {
        let both = ORIGINALS.lock().unwrap();
        let headers = [("authorization", "Bearer k")];
        let with = both.0.post_with(&headers, asked.to_string());
        let without = both.1.post_with(&headers, asked.to_string());
        prop_assert_eq!(with.status, 200);
        prop_assert_eq!(with.body, without.body, "{}", asked);
    }
}

#[test]
fn a_key_without_originals_is_told_that_it_may_not_search_them() {
    let both = ORIGINALS.lock().unwrap();
    let arguments = json!({"query": "secretive", "scope": "all"});
    let asked = message(
        "tools/call",
        &json!({"name": "search", "arguments": arguments}),
    );
    let got = both
        .0
        .post_with(&[("authorization", "Bearer k")], asked.to_string());
    let result = &got.json()["result"];
    assert_eq!(result["isError"], json!(true));
    assert_eq!(
        result["structuredContent"],
        json!({"code": "not_allowed", "argument": "scope"})
    );
}
