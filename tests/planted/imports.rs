//! Every field of an imported record.

use serde_json::{Value, json};

use super::{all_that_is_stored, marker, shows};
use crate::cli::place::Place;

/// A record with every field that an import knows.
fn record() -> Value {
    json!({
        "external_id": "a#1", "occurred_at": "2026-10-01T00:00:00Z", "title": "A title",
        "summary": "A summary of it", "questions": ["what of it"],
        "atoms": [{"kind": "fact", "text": "a fact"}], "project": "shop",
        "account": "me", "original": "the original text", "original_ref": "x:1", "trust": "own",
        "content_hash": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        "source": "notes", "ingested_at": "2026-10-02T00:00:00Z", "summary_by": "hand",
        "redactions": {"password": 1},
    })
}

/// The record with the marker in every place of a field, one variant each.
fn variants(field: &str, secret: &str) -> Vec<Value> {
    let base = record();
    let with = |value: Value| {
        let mut record = base.clone();
        record[field] = value;
        record
    };
    let text = format!("{} {secret}", base[field].as_str().unwrap_or("text"));
    let mut variants = vec![
        with(json!(secret)),
        with(json!(text)),
        with(json!(secret.to_lowercase())),
        with(json!([secret])),
        with(json!({ secret: secret })),
        with(json!([{ secret: secret, "kind": secret, "text": secret }])),
        with(json!([{"kind": "fact", "text": text}])),
        with(json!({"password": secret})),
    ];
    variants.retain(|variant| *variant != base);
    variants
}

#[test]
fn a_secret_in_any_field_of_an_import_goes_out_nowhere() {
    let place = Place::new();
    let written = record();
    let mut keys: Vec<&str> = written
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    keys.sort_unstable();
    let mut fields = jezero::import::FIELDS.to_vec();
    fields.sort_unstable();
    assert_eq!(keys, fields, "a new field must take part");

    let mut number = 10_000;
    let mut stored = 0;
    let mut secrets = Vec::new();
    for field in fields.iter().copied().chain(["unknown"]) {
        for at in 0..variants(field, "").len() {
            number += 1;
            let secret = marker(number);
            let mut record = variants(field, &secret).swap_remove(at);
            if field != "external_id" {
                record["external_id"] = json!(format!("r{number}"));
            }
            place.write("in.jsonl", record.to_string());
            let arguments = ["import-jsonl", "in.jsonl"];
            let ran = place.jezero(&arguments);
            stored += usize::from(ran.code == 0);
            let said = format!("{}{}", ran.out, ran.notes);
            assert!(!shows(said.as_bytes(), &secret), "{field} {at}: {said}");
            secrets.push((format!("{field} {at}: {record}"), secret));
        }
    }
    for name in ["source", "project", "trust"] {
        number += 1;
        let secret = marker(number);
        place.write("in.jsonl", record().to_string());
        let option = format!("--{name}");
        let ran = place.jezero(&["import-jsonl", "in.jsonl", &option, &secret]);
        assert_ne!(ran.code, 0);
        secrets.push((option, secret));
    }
    let bytes = all_that_is_stored(&place.path("data/jezero.db"));
    let exported = place.jezero(&["export-jsonl", "-"]).out;
    for (what, secret) in &secrets {
        assert!(!shows(&bytes, secret), "{what}: in the library");
        assert!(!shows(exported.as_bytes(), secret), "{what}: exported");
    }
    assert!(stored > 10, "{stored}");
}
