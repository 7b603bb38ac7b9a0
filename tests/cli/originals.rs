//! Originals that are kept for a time only; their items stay.

use super::place::{Place, conversation, record};

const DAY: i64 = 24 * 3600;

/// A place with two sessions, of which `s1` was stored ten days ago.
fn aged() -> Place {
    let place = Place::new();
    place.session("s1", &conversation("one", 3));
    place.session("s2", &conversation("two", 3));
    place.run();
    let library = place.raw("data/jezero.db");
    let sql = "UPDATE items SET ingested_at = ingested_at - ?1 WHERE external_id GLOB 's1#*'";
    library.execute(sql, [10 * DAY]).unwrap();
    place
}

fn keep(place: &Place, days: i64) {
    let text = std::fs::read_to_string(place.path("jezero.toml")).unwrap();
    let (_, text) = text.split_once("[[connectors]]").unwrap();
    place.write(
        "jezero.toml",
        format!("[storage]\nkeep_originals_days = {days}\n[[connectors]]{text}"),
    );
}

/// Which items have an original, by the first letters of their ids.
fn with_original(place: &Place) -> Vec<String> {
    let items = place.export();
    let items = items.iter().filter(|item| !item["original"].is_null());
    let id = |item: &serde_json::Value| {
        item["external_id"]
            .as_str()
            .unwrap()
            .chars()
            .take(2)
            .collect()
    };
    items.map(id).collect()
}

fn found(place: &Place, scope: &str) -> serde_json::Value {
    let ran = place.jezero(&["search", "checkout", "--scope", scope, "--json"]);
    ran.json()["count"].clone()
}

/// When originals were last looked after: seconds since now, as the library has it.
fn note(place: &Place, days: i64, ago: i64) {
    let sql = "INSERT OR REPLACE INTO meta
               VALUES ('originals_kept', ?1 || ' ' || (unixepoch('now') - ?2))";
    let library = place.raw("data/jezero.db");
    library.execute(sql, [days, ago]).unwrap();
}

#[test]
fn originals_that_are_too_old_go_with_their_words_and_the_items_stay() {
    let place = aged();
    keep(&place, 30);
    assert_eq!(place.run()["unchanged"], 0);
    assert_eq!(with_original(&place), ["s1", "s2"]);
    keep(&place, 5);
    let ran = place.jezero(&["run"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let told = "1 originals are kept no longer and were removed";
    assert!(ran.out.contains(told), "{ran:?}");
    assert!(ran.out.contains("[storage].keep_originals_days"), "{ran:?}");
    assert_eq!(with_original(&place), ["s2"]);
    assert_eq!(place.export().len(), 2);
    assert_eq!(
        (found(&place, "summary"), found(&place, "original")),
        (2.into(), 1.into())
    );
    let ran = place.jezero(&["index", "check", "--json"]);
    assert_eq!((ran.code, &ran.json()["originals"]), (0, &1.into()));
    // It does not come back from a source that did not change, and there is nothing left to do.
    let ran = place.jezero(&["run", "--json"]);
    assert_eq!(ran.out.lines().count(), 1, "{ran:?}");
    place.jezero(&["connector", "reset", "agent-claude", "--yes"]);
    assert_eq!(place.run()["unchanged"], 2);
    assert_eq!(with_original(&place), ["s2"]);
    // A session that goes on is stored with all of its text.
    place.session("s1", &conversation("one", 4));
    assert_eq!(place.run()["stored"], 1);
    assert_eq!(with_original(&place), ["s1", "s2"]);
}

#[test]
fn what_was_removed_is_one_line_of_json() {
    let place = aged();
    keep(&place, 5);
    let ran = place.jezero(&["run", "--json"]);
    let last: serde_json::Value = serde_json::from_str(ran.out.lines().last().unwrap()).unwrap();
    assert_eq!(last["originals_removed"], 1);
    assert!(last["bytes"].as_u64().unwrap() > 100, "{last}");
}

#[test]
fn commands_that_need_originals_say_that_they_are_gone() {
    let place = aged();
    keep(&place, 5);
    place.run_all();
    let ran = place.jezero(&["resummarize", "--source", "agent-claude"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.out.contains("1 items summarised anew"), "{ran:?}");
    assert!(
        ran.out.contains("without an original, left as they are: 1"),
        "{ran:?}"
    );
    assert!(
        ran.notes.contains("Originals are kept for 5 days"),
        "{ran:?}"
    );
    let text = std::fs::read_to_string(place.path("jezero.toml")).unwrap();
    place.write(
        "jezero.toml",
        format!("[redaction]\nextra_patterns = [\"checkout\"]\n{text}"),
    );
    let ran = place.jezero(&["redact-stored"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.out.contains("1 of them have no original"), "{ran:?}");
    assert_eq!(with_original(&place), ["s2"]);
    assert_eq!(found(&place, "all"), 0);
}

#[test]
fn a_secret_found_later_is_hidden_and_makes_no_empty_original() {
    let place = Place::new();
    let text = std::fs::read_to_string(place.path("jezero.toml")).unwrap();
    place.write(
        "jezero.toml",
        format!("[summarizer]\nmax_input_chars = 1000\n{text}"),
    );
    let long = "The plates are worn and wait. ".repeat(25);
    let mut lines: Vec<String> = (0..3)
        .map(|at| record("user", &format!("u{at}"), at, &long))
        .collect();
    place.session("s1", &lines);
    place.run_all();
    assert_eq!(with_original(&place).len(), 3);
    let library = place.raw("data/jezero.db");
    let plant = "UPDATE items SET summary = 'It was opened with blue-Heron-42! then.'
                 WHERE external_id = 's1#0';
                 DELETE FROM originals;";
    library.execute_batch(plant).unwrap();
    drop(library);
    assert_eq!(place.jezero(&["index", "rebuild"]).code, 0);
    lines.push(record("user", "key", 9, "password = \"blue-Heron-42!\""));
    place.session("s1", &lines);
    place.run_all();
    let items = place.export();
    let first = items.iter().find(|item| item["external_id"] == "s1#0");
    let first = first.unwrap();
    let summary = first["summary"].as_str().unwrap();
    assert!(summary.contains("[REDACTED:"), "{first}");
    assert!(first["original"].is_null(), "{first}");
    assert_eq!(place.jezero(&["index", "check"]).code, 0);
}

#[test]
fn a_clock_that_is_wrong_for_a_while_removes_nothing() {
    let place = aged();
    keep(&place, 5);
    // The look before was in the future: that clock was wrong, or this one is.
    note(&place, 5, -400 * DAY);
    place.run_all();
    assert_eq!(with_original(&place), ["s2"]);
    let place = aged();
    keep(&place, 5);
    // At the look before, which is what counts, it was young enough.
    note(&place, 5, 6 * DAY);
    place.run_all();
    assert_eq!(with_original(&place), ["s1", "s2"]);
    // Looked after an hour ago.
    note(&place, 5, 3600);
    place.run_all();
    assert_eq!(with_original(&place), ["s1", "s2"]);
    note(&place, 5, DAY);
    place.run_all();
    assert_eq!(with_original(&place), ["s2"]);
}

#[test]
fn a_number_of_days_that_is_none_is_named_with_file_key_and_value() {
    let place = aged();
    for (value, shown) in [
        ("-1", "-1"),
        ("36501", "36501"),
        ("\"90\"", "\\\"90\\\""),
        ("1.5", "1.5"),
    ] {
        place.write(
            "jezero.toml",
            format!("[storage]\nkeep_originals_days = {value}\n"),
        );
        let ran = place.jezero(&["run"]);
        assert_eq!(ran.code, 2, "{ran:?}");
        let wanted = format!(
            "jezero.toml:2: storage.keep_originals_days: must be a whole number from 0 to 36500, got {}",
            shown.replace("\\\"", "\"")
        );
        assert!(ran.notes.contains(&wanted), "{ran:?}");
    }
    for (days, told) in [
        (90, "originals   kept for 90 days"),
        (0, "originals   kept for ever"),
    ] {
        place.write(
            "jezero.toml",
            format!("[storage]\nkeep_originals_days = {days}\n"),
        );
        let ran = place.jezero(&["check-config"]);
        assert!(ran.out.contains(told), "{ran:?}");
    }
}
