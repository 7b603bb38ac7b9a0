//! Tests of which unit a file is, over real folders and from one reading to the next.

use std::collections::HashMap;
use std::fs;

use super::tests::{forget, key, put, read, record, units};
use crate::digest::sha256_hex8;
use crate::fixtures::remember;
use crate::marks::Recalled;
use crate::unit::{Event, Extent, Locator};

/// The id of a second session of the name `s`.
fn told_apart(text: &str) -> String {
    format!("s~{}", sha256_hex8(sha256_hex8(text.as_bytes()).as_bytes()))
}

/// Two sessions of one name in two folders, and what is remembered of them.
fn two_of_one_name() -> (tempfile::TempDir, HashMap<String, Recalled>) {
    let home = tempfile::tempdir().unwrap();
    put(home.path(), "a/s.jsonl", &record("one"), 300);
    put(home.path(), "b/s.jsonl", &record("two"), 200);
    let first = read(home.path(), "", HashMap::new());
    let ids: Vec<&str> = units(&first).iter().map(|unit| unit.0).collect();
    assert_eq!(ids, ["s", told_apart("two").as_str()]);
    let marks = remember(&first.events);
    (home, marks)
}

#[test]
fn each_file_keeps_its_id_after_a_reset_whatever_their_order_is_then() {
    let (home, marks) = two_of_one_name();
    put(home.path(), "a/s.jsonl", &record("one"), 100);
    let again = read(home.path(), "", forget(marks));
    let other = told_apart("two");
    assert_eq!(
        units(&again),
        [(other.as_str(), Extent::Whole), ("s", Extent::Whole)]
    );
}

#[test]
fn an_id_stays_taken_when_its_file_is_gone_and_everything_was_reset() {
    let (home, marks) = two_of_one_name();
    fs::remove_file(home.path().join("a/s.jsonl")).unwrap();
    put(home.path(), "c/s.jsonl", &record("three"), 100);
    let again = read(home.path(), "", forget(marks));
    let (two, three) = (told_apart("two"), told_apart("three"));
    let ids: Vec<&str> = units(&again).iter().map(|unit| unit.0).collect();
    assert_eq!(ids, [two.as_str(), three.as_str()]);
}

#[test]
fn a_session_moved_between_a_reset_and_the_next_reading_keeps_its_id() {
    let (home, marks) = two_of_one_name();
    fs::create_dir(home.path().join("c")).unwrap();
    fs::rename(home.path().join("b/s.jsonl"), home.path().join("c/s.jsonl")).unwrap();
    let again = read(home.path(), "", forget(marks));
    let other = told_apart("two");
    let ids: Vec<&str> = units(&again).iter().map(|unit| unit.0).collect();
    assert_eq!(ids, ["s", other.as_str()]);
}

#[test]
fn two_files_that_change_places_take_their_ids_along() {
    let (home, marks) = two_of_one_name();
    put(
        home.path(),
        "a/s.jsonl",
        &(record("two") + &record("more")),
        100,
    );
    put(
        home.path(),
        "b/s.jsonl",
        &(record("one") + &record("also")),
        90,
    );
    let swapped = read(home.path(), "", marks);
    let other = told_apart("two");
    let grown = Extent::From(Locator::record(0));
    assert_eq!(units(&swapped), [(other.as_str(), grown), ("s", grown)]);
    // Also when the second of them is not looked at before the next reading.
    let (home, mut marks) = two_of_one_name();
    put(
        home.path(),
        "a/s.jsonl",
        &(record("two") + &record("more")),
        100,
    );
    put(
        home.path(),
        "b/s.jsonl",
        &(record("one") + &record("also")),
        1,
    );
    let first = read(home.path(), "", marks.clone());
    assert_eq!(units(&first), [(other.as_str(), grown)]);
    marks.extend(remember(&first.events));
    let second = read(home.path(), "settle_minutes = 0", marks);
    assert_eq!(units(&second), [("s", Extent::Whole)]);
}

#[test]
fn a_copy_put_back_where_a_session_was_moved_from_does_not_get_its_id() {
    let home = tempfile::tempdir().unwrap();
    put(home.path(), "a/s.jsonl", &record("one"), 300);
    let mut marks = remember(&read(home.path(), "", HashMap::new()).events);
    fs::create_dir(home.path().join("b")).unwrap();
    fs::rename(home.path().join("a/s.jsonl"), home.path().join("b/s.jsonl")).unwrap();
    marks.extend(remember(&read(home.path(), "", marks.clone()).events));
    put(home.path(), "a/s.jsonl", &record("one"), 100);
    let copied = read(home.path(), "", marks.clone());
    assert_eq!((units(&copied).len(), copied.report.left_out), (0, 1));
    put(
        home.path(),
        "b/s.jsonl",
        &(record("one") + &record("more")),
        50,
    );
    marks.extend(remember(&copied.events));
    assert_eq!(units(&read(home.path(), "", marks))[0].0, "s");
}

#[test]
fn a_mark_tells_nothing_that_stands_in_a_session_or_in_its_name() {
    let home = tempfile::tempdir().unwrap();
    let text = record("said")
        + r#"{"type":"user","uuid":"u-secret","cwd":"/home/secret","message":{"content":"x"}}"#
        + "\n"
        + r#"{"type":"custom-title","customTitle":"a secret title"}"#
        + "\n";
    put(home.path(), "secret-folder/secret-stem.jsonl", &text, 300);
    let reading = read(home.path(), "", HashMap::new());
    let Some(Event::End(end)) = reading.events.last() else {
        panic!("{:?}", reading.events);
    };
    assert_eq!(end.title_hint.as_deref(), Some("a secret title"));
    assert_eq!(end.evidence.cwd.as_deref(), Some("/home/secret"));
    let [mark] = end.marks.as_slice() else {
        panic!("{:?}", end.marks);
    };
    assert_eq!(mark.key, key("secret-folder/secret-stem.jsonl"));
    for part in [&mark.key, &mark.value, &mark.identity] {
        assert!(!part.contains("secret") && !part.contains("said"), "{part}");
        assert!(part.len() < 200, "{part}");
    }
}

#[test]
fn a_grown_session_tells_its_title_and_folder_again_only_if_it_met_better_ones() {
    let title = |kind: &str, field: &str, text: &str| {
        format!(r#"{{"type":"{kind}","{field}":"{text}"}}"#) + "\n"
    };
    let home = tempfile::tempdir().unwrap();
    let cwd = record("one").replace(r#""message""#, r#""cwd":"/home/ana","message""#);
    let far = record(&"x".repeat(1100 * 1024));
    let text = cwd + &title("custom-title", "customTitle", "Own") + &far + &far + &record("two");
    put(home.path(), "-home-ana-x/s.jsonl", &text, 300);
    let marks = remember(&read(home.path(), "", HashMap::new()).events);
    for (more, expected) in [
        (record("three"), None),
        (title("ai-title", "aiTitle", "The agent's"), None),
        (
            title("custom-title", "customTitle", "Better"),
            Some("Better"),
        ),
    ] {
        put(
            home.path(),
            "-home-ana-x/s.jsonl",
            &(text.clone() + &more),
            200,
        );
        let grown = read(home.path(), "", marks.clone());
        assert!(matches!(units(&grown)[0].1, Extent::From(_)));
        let Some(Event::End(end)) = grown.events.last() else {
            panic!("{:?}", grown.events);
        };
        assert_eq!(end.title_hint.as_deref(), expected);
        assert_eq!(end.evidence, crate::unit::Evidence::default());
    }
}

#[test]
fn a_session_of_the_same_size_with_other_content_is_read_whole() {
    let home = tempfile::tempdir().unwrap();
    let padding: String = (0..60).map(|n| record(&format!("padding {n}"))).collect();
    let text = |middle: &str| format!("{padding}{}{padding}", record(middle));
    put(home.path(), "a/s.jsonl", &text("middle"), 300);
    let marks = remember(&read(home.path(), "", HashMap::new()).events);
    // Younger, and older: put back from a copy.
    for minutes_ago in [200, 400] {
        put(home.path(), "a/s.jsonl", &text("muddle"), minutes_ago);
        let again = read(home.path(), "", marks.clone());
        assert_eq!(units(&again), [("s", Extent::Whole)]);
        put(home.path(), "a/s.jsonl", &text("middle"), minutes_ago);
        let again = read(home.path(), "", marks.clone());
        assert_eq!((units(&again).len(), again.report.unchanged), (0, 1));
    }
    // Larger and yet older.
    put(
        home.path(),
        "a/s.jsonl",
        &(text("middle") + &record("more")),
        400,
    );
    let again = read(home.path(), "", marks);
    assert_eq!(units(&again), [("s", Extent::Whole)]);
}

#[test]
fn a_session_that_a_reset_left_out_stays_out_when_it_grows_and_keeps_its_id() {
    let home = tempfile::tempdir().unwrap();
    let text = record("one").replace(r#""message""#, r#""entrypoint":"sdk-cli","message""#);
    put(home.path(), "a/s.jsonl", &text, 300);
    let mut marks = remember(&read(home.path(), "", HashMap::new()).events);
    let skip = r#"skip_entrypoints = ["sdk-cli"]"#;
    let reset = read(home.path(), skip, forget(marks.clone()));
    assert_eq!((units(&reset).len(), reset.report.left_out), (0, 1));
    marks = remember(&reset.events);
    put(home.path(), "a/s.jsonl", &(text + &record("two")), 200);
    let grown = read(home.path(), skip, marks.clone());
    assert_eq!((units(&grown).len(), grown.report.left_out), (0, 1));
    put(home.path(), "b/s.jsonl", &record("three"), 100);
    let again = read(home.path(), "", marks);
    let other = told_apart("three");
    let whole = Extent::Whole;
    assert_eq!(units(&again), [("s", whole), (other.as_str(), whole)]);
}
