//! Bad use and damaged input: a clear message, the right exit code, nothing lost beside it.

use super::place::{Place, conversation, record};

#[test]
fn without_a_configuration_init_is_named() {
    let place = Place::new();
    std::fs::remove_file(place.path("jezero.toml")).unwrap();
    let ran = place.jezero(&["run"]);
    assert_eq!(ran.code, 2);
    assert!(ran.notes.contains("jezero init"), "{ran:?}");
}

#[test]
fn without_a_library_run_is_named() {
    let ran = Place::new().jezero(&["search", "anything"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.notes.contains("there is no library at ") && ran.notes.contains("`jezero run`"),
        "{ran:?}"
    );
}

#[test]
fn a_foreign_database_is_left_untouched() {
    let place = Place::new();
    std::fs::create_dir(place.path("data")).unwrap();
    for (bytes, what) in [
        (
            "no database at all, and longer than a header",
            "it is no SQLite file",
        ),
        ("short", "it is no SQLite file"),
    ] {
        place.write("data/jezero.db", bytes);
        let ran = place.jezero(&["run"]);
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(
            ran.notes.contains(what) && ran.notes.contains("left untouched"),
            "{ran:?}"
        );
        assert_eq!(
            std::fs::read(place.path("data/jezero.db")).unwrap(),
            bytes.as_bytes()
        );
    }
}

#[test]
fn a_missing_folder_is_named_and_fails() {
    let place = Place::new();
    std::fs::remove_dir_all(place.path("sessions")).unwrap();
    let ran = place.jezero(&["run", "--json"]);
    assert_eq!(ran.code, 1);
    let error = ran.json()["errors"][0].as_str().unwrap().to_owned();
    assert!(error.contains("sessions"), "{error}");
}

#[test]
fn an_empty_folder_is_no_failure() {
    let report = Place::new().run();
    assert_eq!(
        (&report["units"], &report["failed"]),
        (&0.into(), &0.into())
    );
}

#[test]
fn damage_is_named_with_its_place_and_costs_nothing_beside_it() {
    let place = Place::new();
    let mut lines = conversation("one", 2);
    lines.insert(1, "{ this is no JSON".to_owned());
    lines.insert(3, "[1, 2, 3]".to_owned());
    place.session("s1", &lines);
    let report = place.run();
    assert_eq!(
        (&report["failed"], &report["records_passed_over"]),
        (&0.into(), &2.into()),
        "{report}"
    );
    let places: Vec<&str> = report["passed_over"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| p["place"].as_str().unwrap())
        .collect();
    assert_eq!(
        places,
        ["-home-me-shop/s1.jsonl:2", "-home-me-shop/s1.jsonl:4"]
    );
    let original = place.export()[0]["original"].as_str().unwrap().to_owned();
    assert_eq!(original.lines().count(), 4);
}

#[test]
fn an_unknown_connector_is_refused_with_the_known_ones() {
    let ran = Place::new().jezero(&["run", "--connector", "nope"]);
    assert_eq!(ran.code, 2);
    assert!(ran.notes.contains("it has: agent-claude"), "{ran:?}");
}

#[test]
fn a_bad_date_is_repeated_with_what_would_be_right() {
    let place = Place::new();
    place.session("s1", &[record("user", "u", 0, "hello")]);
    place.run();
    let ran = place.jezero(&["timeline", "--since", "yesterday"]);
    assert_eq!(ran.code, 2);
    assert_eq!(
        ran.notes,
        "error: since must be an ISO 8601 date or datetime (2026-01-31 or 2026-01-31T09:00:00+02:00), got 'yesterday'\n"
    );
}

#[test]
fn an_export_never_overwrites() {
    let place = Place::new();
    place.session("s1", &conversation("one", 2));
    place.run();
    place.write("mine.jsonl", "precious");
    let ran = place.jezero(&["export-jsonl", "mine.jsonl"]);
    assert_eq!(ran.code, 2);
    assert_eq!(
        std::fs::read_to_string(place.path("mine.jsonl")).unwrap(),
        "precious"
    );
}

#[test]
fn an_item_that_is_not_there_is_said_so() {
    let place = Place::new();
    place.session("s1", &conversation("one", 2));
    place.run();
    assert_eq!(place.jezero(&["show", "99"]).code, 1);
    assert_eq!(
        place.jezero(&["show", "99", "--json"]).out,
        "{\n  \"found\": false\n}\n"
    );
}
