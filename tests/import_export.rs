//! JSON Lines in and out: what is refused and how, what is redacted, and that an export imports
//! as the same items.

use jezero::access::Reader;
use jezero::export::export_jsonl;
use jezero::import::ImportOptions;
use jezero::item::{AtomKind, ItemId, ProjectName, Trust};
use jezero::library::FoundItem;
use jezero::redaction::Redacted;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{Shelf, fixture, into};

const SECRET: &str = "sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz012345";

/// A right record with some fields replaced; `null` takes a field away.
fn record(changes: &Value) -> String {
    let mut record = json!({
        "external_id": "n1", "occurred_at": "2026-10-01T09:00:00Z", "title": "T", "summary": "S",
    });
    for (key, value) in changes.as_object().unwrap() {
        record[key] = value.clone();
    }
    format!("{record}\n")
}

fn fault(line: &[u8]) -> String {
    let error = Shelf::empty()
        .import(line, &into("notes"))
        .unwrap_err()
        .to_string();
    let fault = error.strip_prefix("notes.jsonl:1: invalid record: ");
    fault.unwrap_or(&error).to_owned()
}

fn first(shelf: &Shelf) -> FoundItem {
    let answer = shelf
        .library()
        .get_item(&Reader::everything(), ItemId(1), true);
    answer.unwrap().item.unwrap()
}

fn export(shelf: &Shelf, reader: &Reader) -> String {
    let mut out = Vec::new();
    export_jsonl(&shelf.view(), reader, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn wrong_shapes_are_refused_with_the_field_and_what_would_be_right() {
    let name = "a lower-case name: a letter or digit, then letters, digits, _, . and -, \
                64 characters at most";
    let cases = [
        (json!({"external_id": null}), "external_id is missing".to_owned()),
        (json!({"title": null}), "title is missing".to_owned()),
        (json!({"summary": null}), "summary is missing".to_owned()),
        (json!({"occurred_at": null}), "occurred_at is missing".to_owned()),
        (json!({"external_id": 17}), "external_id must be a string of 1 to 512 bytes without control characters".to_owned()),
        (json!({"title": "x".repeat(201)}), "title must be a string of 1 to 200 characters".to_owned()),
        (json!({"title": " "}), "title must be a string of 1 to 200 characters".to_owned()),
        (json!({"summary": ""}), "summary must be a string that is not empty".to_owned()),
        (json!({"questions": "why?"}), "questions must be a list of at most 6 strings".to_owned()),
        (json!({"questions": vec!["q"; 7]}), "questions must be a list of at most 6 strings".to_owned()),
        (json!({"questions": ["a", 2]}), "questions[1] must be a string that is not empty".to_owned()),
        (json!({"atoms": vec![json!({"kind": "fact", "text": "x"}); 13]}), "atoms must be a list of at most 12 objects with kind and text".to_owned()),
        (json!({"atoms": ["fact: x"]}), "atoms[0] must be an object with kind and text and nothing else".to_owned()),
        (json!({"atoms": [{"kind": "fact", "text": "x", "why": ""}]}), "atoms[0] must be an object with kind and text and nothing else".to_owned()),
        (json!({"atoms": [{"kind": "idea", "text": "x"}]}), "atoms[0].kind must be one of decision, rationale, fix, error, command, fact, risk".to_owned()),
        (json!({"atoms": [{"kind": "fact", "text": " "}]}), "atoms[0].text must be a string that is not empty".to_owned()),
        (json!({"project": 7}), format!("project must be {name}")),
        (json!({"project": "Shop"}), format!("project must be {name}")),
        (json!({"account": ["a"]}), "account must be a string that is not empty".to_owned()),
        (json!({"original": ""}), "original must be a string that is not empty".to_owned()),
        (json!({"original_ref": "a\nb"}), "original_ref must be a string of 1 to 512 bytes without control characters".to_owned()),
        (json!({"trust": "high"}), "trust must be \"own\" or \"external\"".to_owned()),
        (json!({"content_hash": "abc"}), "content_hash must be 64 hex digits (a SHA-256)".to_owned()),
        (json!({"redactions": {"rule": -1}}), "redactions must be an object of rule ids and counts".to_owned()),
        (json!({"occurred_at": "2026-10-01"}), "occurred_at must be an ISO 8601 date and time with an offset (2026-01-31T09:00:00+02:00)".to_owned()),
        (json!({"occurred_at": 1_759_309_200}), "occurred_at must be an ISO 8601 date and time with an offset (2026-01-31T09:00:00+02:00)".to_owned()),
        (json!({"external_id": SECRET}), "external_id holds what looks like a secret (anthropic-api-key); it must be an id without one".to_owned()),
    ];
    for (changes, expected) in cases {
        assert_eq!(fault(record(&changes).as_bytes()), expected, "{changes}");
    }
}

#[test]
fn what_is_no_record_at_all_is_refused_without_quoting_it() {
    let fields = "external_id, occurred_at, title, summary, questions, atoms, project, account, \
                  original, original_ref, trust, content_hash, source, ingested_at, summary_by, \
                  redactions";
    let right = record(&json!({}));
    let twice = right.replacen('{', "{\"title\": \"U\", ", 1);
    let cases: [(&[u8], String); 8] = [
        (b"[1, 2]", "the line must be one JSON object".to_owned()),
        (b"\"text\"", "the line must be one JSON object".to_owned()),
        (
            b"{\"title\": \"abc",
            "the line is no JSON: EOF while parsing a string at column 14".to_owned(),
        ),
        (
            b"{} {}",
            "the line is no JSON: trailing characters at column 4".to_owned(),
        ),
        (
            b"{\"title\": \"\\ud800\"}",
            "the line is no JSON: unexpected end of hex escape at column 18".to_owned(),
        ),
        (b"{\"title\": \"\xff\"}", "byte 12 is no UTF-8".to_owned()),
        (
            b"{\"titel\": 1}",
            format!("there is no field titel; the fields are {fields}"),
        ),
        (twice.as_bytes(), "title stands there twice".to_owned()),
    ];
    for (line, expected) in cases {
        assert_eq!(fault(line), expected, "{}", String::from_utf8_lossy(line));
    }
    let key = fault(format!("{{\"{SECRET}\": 1}}").as_bytes());
    assert!(
        key.starts_with("there is no field [REDACTED:anthropic-api-key];"),
        "{key}"
    );
}

#[test]
fn an_id_that_stands_there_twice_is_refused_with_both_lines() {
    let lines = format!(
        "{}\n{}",
        record(&json!({})),
        record(&json!({"title": "other"}))
    );
    let shelf = Shelf::empty();
    let error = shelf.import(&lines, &into("notes")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "notes.jsonl:3: invalid record: external_id is that of line 1; each record needs its own"
    );
    assert_eq!(
        shelf.library().stats(&Reader::everything()).unwrap().items,
        0
    );
}

#[test]
fn a_byte_order_mark_blank_lines_and_carriage_returns_are_passed_over() {
    let lines = format!(
        "\u{FEFF}{}\r\n\n  \r\n{}",
        record(&json!({})).trim_end(),
        record(&json!({"external_id": "n2"})).trim_end()
    );
    let done = Shelf::empty().import(&lines, &into("notes")).unwrap();
    assert_eq!(done.inserted, 2);
}

#[test]
fn every_text_is_redacted_and_counted() {
    let text = format!("key {SECRET} end");
    let shelf = Shelf::empty();
    let lines = record(&json!({
        "title": text, "summary": text, "questions": [text], "account": text, "original": text,
        "atoms": [{"kind": "fact", "text": text}],
    }));
    shelf.import(&lines, &into("notes")).unwrap();
    let item = serde_json::to_string(&first(&shelf)).unwrap();
    assert!(!item.contains("sk-ant"), "{item}");
    assert_eq!(
        item.matches("key [REDACTED:anthropic-api-key] end").count(),
        6
    );
    let stored = shelf.view().stored(ItemId(1)).unwrap();
    assert_eq!(
        stored.redactions.0,
        [("anthropic-api-key".to_owned(), 6)].into()
    );
}

#[test]
fn the_hash_is_the_given_one_or_of_the_original_or_of_the_summary_as_redacted() {
    let hash = |changes: Value| {
        let shelf = Shelf::empty();
        shelf.import(record(&changes), &into("notes")).unwrap();
        shelf.view().stored(ItemId(1)).unwrap().content_hash
    };
    // SHA-256 of "S", of "O" and of "[REDACTED:anthropic-api-key]".
    let (of_s, of_o, of_marker) = (
        "8de0b3c47f112c59745f717a626932264c422a7563954872e237b223af4ad643",
        "c4694f2e93d5c4e7d51f9c5deb75e6cc8be5e1114178c6a45b6fc2c566a0aa8c",
        "e40be5b9c8a50d73a4ac2265d8a6dfe6f29d31ff169da2c476078adf469325bd",
    );
    assert_eq!(hash(json!({})), of_s);
    assert_eq!(hash(json!({"original": "O"})), of_o);
    assert_eq!(hash(json!({"original": SECRET})), of_marker);
    assert_eq!(
        hash(json!({"content_hash": "AB".repeat(32)})),
        "ab".repeat(32)
    );
}

#[test]
fn trust_is_lowered_by_a_record_and_never_raised_by_one() {
    let trust = |ceiling: Trust, word: Option<&str>| {
        let shelf = Shelf::empty();
        let options = ImportOptions {
            trust: ceiling,
            ..into("notes")
        };
        shelf
            .import(record(&json!({"trust": word})), &options)
            .unwrap();
        first(&shelf).item.trust
    };
    assert_eq!(trust(Trust::Own, None), Trust::Own);
    assert_eq!(trust(Trust::Own, Some("external")), Trust::External);
    assert_eq!(trust(Trust::External, Some("own")), Trust::External);
    assert_eq!(trust(Trust::External, None), Trust::External);
}

#[test]
fn the_project_option_fills_only_records_without_one() {
    let options = ImportOptions {
        project: ProjectName::new(Redacted::literal("atlas")),
        ..into("notes")
    };
    let project = |given: Value| {
        let shelf = Shelf::empty();
        shelf
            .import(record(&json!({"project": given})), &options)
            .unwrap();
        first(&shelf).item.project.unwrap().to_string()
    };
    assert_eq!(project(Value::Null), "atlas");
    assert_eq!(project(json!("shop")), "shop");
}

#[test]
fn the_source_option_counts_and_without_it_each_record_names_its_own() {
    let own = ImportOptions {
        source: None,
        ..into("notes")
    };
    let source = |options: &ImportOptions| {
        let shelf = Shelf::empty();
        shelf
            .import(record(&json!({"source": "mail"})), options)
            .unwrap();
        first(&shelf).item.source.to_string()
    };
    assert_eq!(source(&own), "mail");
    assert_eq!(source(&into("notes")), "notes");
    let error = Shelf::empty().import(record(&json!({})), &own).unwrap_err();
    assert_eq!(
        error.to_string(),
        "notes.jsonl:1: invalid record: source is missing"
    );
}

#[test]
fn an_export_has_every_field_in_a_fixed_order() {
    let exported = export(&Shelf::of_the_pages(), &Reader::everything());
    assert_eq!(exported, fixture("library/answers/export.jsonl"));
}

#[test]
fn an_export_holds_what_its_reader_may_see() {
    let shelf = Shelf::of_the_pages();
    let reader = Reader::new(&["agent-claude-*".to_owned()], false).unwrap();
    let exported = export(&shelf, &reader);
    assert_eq!(exported.lines().count(), 3);
    assert!(
        exported
            .lines()
            .all(|line| line.contains("\"original\":null"))
    );
}

fn any_text() -> impl Strategy<Value = String> {
    "\\PC{0,20}[\n\t\u{1b}\u{0}a-z\"\\\\]{1,5}[é한\u{1F600}]?"
        .prop_filter("not blank", |text| !text.trim().is_empty())
}

fn any_atom() -> impl Strategy<Value = Value> {
    let kinds = AtomKind::ALL.map(AtomKind::as_str).to_vec();
    (proptest::sample::select(kinds), any_text())
        .prop_map(|(kind, text)| json!({"kind": kind, "text": text}))
}

prop_compose! {
    fn any_record()(
        second in 0_i64..253_402_300_800,
        texts in (any_text(), any_text()),
        questions in prop::collection::vec(any_text(), 0..=6),
        atoms in prop::collection::vec(any_atom(), 0..=12),
        project in prop::option::of("[a-zé0-9][a-z0-9_.-]{0,9}"),
        rest in prop::array::uniform2(prop::option::of(any_text())),
        original_ref in prop::option::of("[a-z]{1,9}:[A-Z/]{1,9}"),
        external in any::<bool>(),
        source in "[ab]",
    ) -> Value {
        let [account, original] = rest;
        json!({
            "occurred_at": jezero::item::Instant::from_unix(second).unwrap().to_string(),
            "title": texts.0, "summary": texts.1, "questions": questions, "atoms": atoms,
            "project": project, "account": account, "original": original,
            "original_ref": original_ref, "source": source,
            "trust": if external { "external" } else { "own" },
        })
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn what_is_exported_and_imported_again_is_the_same(
        mut records in prop::collection::vec(any_record(), 1..6)
    ) {
        let options = ImportOptions { source: None, ..into("a") };
        let mut lines = String::new();
        for (at, record) in records.iter_mut().enumerate() {
            // Two records may share an id when their sources differ.
            let shared = at / 2;
            record["external_id"] = json!(format!("n{shared}"));
            record["source"] = json!(if at % 2 == 0 { "a" } else { "b" });
            lines.push_str(&format!("{record}\n"));
        }
        let shelf = Shelf::empty();
        shelf.import(&lines, &options).unwrap();
        let exported = export(&shelf, &Reader::everything());
        for (line, record) in exported.lines().zip(&records) {
            let line: Value = serde_json::from_str(line).unwrap();
            for (key, value) in record.as_object().unwrap() {
                prop_assert_eq!(&line[key], value, "{}", key);
            }
        }
        let second = Shelf::empty();
        second.import(&exported, &options).unwrap();
        prop_assert_eq!(export(&second, &Reader::everything()), exported);
    }
}
