//! Newer rules on what is stored: nothing of a secret is left in the library's files.

use serde_json::{Value, json};

use super::place::{Place, record};

/// A token that no built-in rule knows.
const TOKEN: &str = "acmekey-h4K7w2P9d3m6X8q5t1";
/// The same in the form of a project's name.
const NAMED: &str = "acmekey-h4k7w2p9d3m6x8q5t1";

const RULE: &str = r#"
[[rule]]
id = "acme"
description = "Acme key"
keywords = ["acmekey-"]
regex = 'acmekey-[A-Za-z0-9]{18}'
match = ["acmekey-q7Wn3xP0kT5vR2zB8m", "acmekey-Zt4Lq9Vw1Xc6Nb3Hs8"]
no_match = ["acmekey-short", "acmekey-"]
"#;

fn with_rule(place: &Place) {
    std::fs::create_dir_all(place.path("rules")).unwrap();
    place.write("rules/acme.toml", RULE);
    let config = std::fs::read_to_string(place.path("jezero.toml")).unwrap();
    place.write(
        "jezero.toml",
        format!("[redaction]\nrules_dir = \"rules\"\n\n{config}"),
    );
}

/// Files of the library in which the token stands, in any case of its letters.
fn holding(place: &Place, token: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(place.path("data")).unwrap() {
        let path = entry.unwrap().path();
        let bytes = std::fs::read(&path).unwrap().to_ascii_lowercase();
        if memchr::memmem::find(&bytes, token.to_ascii_lowercase().as_bytes()).is_some() {
            found.push(path.file_name().unwrap().to_string_lossy().into_owned());
        }
    }
    found.sort();
    found
}

fn sessions(place: &Place, count: usize) {
    for number in 0..count {
        let text =
            format!("in round {number} use {TOKEN} for the call, please, it is the only one");
        let title = json!({"type": "ai-title", "aiTitle": format!("Calling with {TOKEN}"),
            "sessionId": "s"});
        let lines = [
            record("user", &format!("u{number}"), 1, &text),
            record(
                "assistant",
                &format!("a{number}"),
                2,
                &format!("Decided: {TOKEN} it is."),
            ),
            title.to_string(),
        ];
        place.session(&format!("s{number:02}"), &lines);
    }
    let named = [record(
        "user",
        "n1",
        1,
        "a session whose file is called by a secret",
    )];
    place.session(TOKEN, &named);
}

fn import(place: &Place) {
    let text = format!("before {TOKEN} after");
    let line = |id: &str| {
        json!({"external_id": id, "occurred_at": "2026-10-01T00:00:00Z", "title": text,
            "summary": text, "questions": [text], "atoms": [{"kind": "fact", "text": text}],
            "project": NAMED, "account": text, "original": text,
            "original_ref": format!("notes:{TOKEN}")})
        .to_string()
    };
    place.write("notes.jsonl", [line("plain"), line(TOKEN)].join("\n"));
    let ran = place.jezero(&["import-jsonl", "notes.jsonl", "--source", "notes"]);
    assert_eq!(ran.code, 0, "{ran:?}");
}

fn contents(place: &Place) -> Vec<Value> {
    let mut items = place.export();
    for item in &mut items {
        item.as_object_mut().unwrap().shift_remove("ingested_at");
    }
    items.sort_by_key(|item| item["external_id"].to_string());
    items
}

fn filled(count: usize) -> Place {
    let place = Place::new();
    sessions(&place, count);
    place.run();
    import(&place);
    // Reports may quote what was passed over.
    let raw = place.raw("data/jezero.db");
    let row = "INSERT INTO runs (connector, started_at, ended_at, outcome, report)
               VALUES ('x', 1, 2, 'failed', ?1)";
    raw.execute(row, [json!({"errors": [TOKEN]}).to_string()])
        .unwrap();
    let state = "UPDATE connector_state SET last_error = ?1, last_report = ?1";
    raw.execute(state, [json!([TOKEN]).to_string()]).unwrap();
    with_rule(&place);
    place
}

#[test]
fn no_byte_of_a_secret_is_left_in_the_library() {
    let place = filled(3);
    assert!(!holding(&place, TOKEN).is_empty());

    let dry = place.jezero(&["redact-stored", "--dry-run", "--json"]);
    assert_eq!(dry.code, 0, "{dry:?}");
    let dry = dry.json();
    assert!(!holding(&place, TOKEN).is_empty());

    let ran = place.jezero(&["redact-stored", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let report = ran.json();
    for key in [
        "items",
        "items_read",
        "items_redacted",
        "secrets",
        "secrets_elsewhere",
        "rules",
    ] {
        assert_eq!(report[key], dry[key], "{key}");
    }
    assert_eq!(report["erased"], true);
    assert_eq!(
        (&report["items"], &report["items_redacted"]),
        (&json!(6), &json!(5))
    );
    assert_eq!(holding(&place, TOKEN), Vec::<String>::new());
    let exported = place
        .jezero(&["export-jsonl", "-"])
        .out
        .to_ascii_lowercase();
    assert!(!exported.contains(NAMED), "{exported}");
    let check = place.jezero(&["index", "check"]);
    assert_eq!(check.code, 0, "{check:?}");

    let again = place.jezero(&["redact-stored"]);
    assert_eq!(
        again.out,
        "redacted 0 secrets in 0 items\n  items: 0 read, 6 under the rules of today already\n"
    );
}

#[test]
fn what_a_run_finds_afterwards_is_nothing_new() {
    let place = filled(2);
    place.jezero(&["redact-stored"]);
    let before = contents(&place);
    let raw = place.raw("data/jezero.db");
    raw.execute("UPDATE marks SET value = ''", []).unwrap();
    drop(raw);
    let report = place.run();
    assert_eq!(
        (&report["stored"], &report["unchanged"]),
        (&json!(0), &json!(3)),
        "{report}"
    );
    assert_eq!(contents(&place), before);
}

#[test]
fn a_value_found_in_one_item_of_a_session_is_hidden_in_all_of_them() {
    let place = Place::new();
    let config = std::fs::read_to_string(place.path("jezero.toml")).unwrap();
    place.write(
        "jezero.toml",
        format!("[summarizer]\nmax_input_chars = 1000\n\n{config}"),
    );
    let bare = "h4K7w2P9d3m6X8q5t1";
    let text = |words: &str| format!("{words} {}", "and so the work went on. ".repeat(30));
    place.session(
        "s",
        &[
            record("user", "u1", 1, &text(&format!("first {bare} alone"))),
            record("user", "u2", 2, &text(&format!("then acme={bare} named"))),
        ],
    );
    place.run();
    with_rule(&place);
    let rule = RULE
        .replace("acmekey-[A-Za-z0-9]", "acme=(?P<secret>[A-Za-z0-9]")
        .replace("{18}'", "{18})'")
        .replace("acmekey-", "acme=");
    place.write("rules/acme.toml", rule);
    let ran = place.jezero(&["redact-stored"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.out.starts_with("redacted "), "{ran:?}");
    let exported = place.jezero(&["export-jsonl", "-"]).out;
    assert!(
        exported.contains("first [REDACTED:seen] alone"),
        "{exported}"
    );
    assert_eq!(holding(&place, bare), Vec::<String>::new());
}

#[test]
fn a_run_that_is_killed_is_gone_on_with() {
    let whole = filled(60);
    whole.jezero(&["redact-stored"]);
    let expected = contents(&whole);
    for moment in 0..8_u64 {
        let place = filled(60);
        let enough = 1 + moment * 60_000;
        place.killed_at(&["redact-stored"], enough);
        let ran = place.jezero(&["redact-stored"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        assert_eq!(contents(&place), expected, "killed at {enough} bytes");
        assert_eq!(holding(&place, TOKEN), Vec::<String>::new());
    }
}

#[test]
fn a_damaged_item_is_named_and_passed_over() {
    let place = filled(2);
    let raw = place.raw("data/jezero.db");
    raw.execute("UPDATE originals SET zstd = x'00' WHERE item = 1", [])
        .unwrap();
    drop(raw);
    let ran = place.jezero(&["redact-stored"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(
        ran.out
            .contains("passed over: the library file holds a damaged original (row 1)"),
        "{ran:?}"
    );
    assert!(
        ran.out.contains("4 read") || ran.out.contains("5 read"),
        "{ran:?}"
    );
}

#[test]
fn without_rules_and_without_a_library_it_says_what_to_do() {
    let place = Place::new();
    let ran = place.jezero(&["redact-stored"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.notes.starts_with("error: there is no library at "),
        "{ran:?}"
    );
    let config = std::fs::read_to_string(place.path("jezero.toml")).unwrap();
    place.write(
        "jezero.toml",
        format!("[redaction]\nenabled = false\n\n{config}"),
    );
    let ran = place.jezero(&["redact-stored"]);
    assert_eq!(ran.code, 2);
    assert_eq!(
        ran.notes,
        "error: redaction is switched off, so there is nothing to apply\n\
         hint: set enabled = true in [redaction] of the configuration\n"
    );
}
