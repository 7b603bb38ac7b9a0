//! Tests of what is told of damaged lines, over real folders and from one reading to the next.

use std::collections::HashMap;

use super::tests::{put, read, record, texts};
use crate::fixtures::{Reading, remember};

#[test]
fn a_line_over_the_cap_is_passed_over_and_named() {
    let home = tempfile::tempdir().unwrap();
    let long = record(&"x".repeat(1024 * 1024));
    put(
        home.path(),
        "a/s.jsonl",
        &(record("before") + &long + &record("after")),
        300,
    );
    let reading = read(home.path(), "max_line_mb = 1", HashMap::new());
    assert_eq!(
        texts(&reading),
        [
            "[2026-10-09 21:23] user: before",
            "[2026-10-09 21:23] user: after"
        ]
    );
    let told = reading.report.problems[0].to_string();
    assert_eq!(
        told,
        "a/s.jsonl:2: this line is longer than 1 MB (max_line_mb) and was passed over"
    );
    assert_eq!(reading.report.passed_over, 1);
}

#[test]
fn an_unfinished_last_line_is_told_once_and_not_again_until_the_file_changes() {
    let home = tempfile::tempdir().unwrap();
    let next = record("two");
    let (torn, rest) = next.split_at(next.len() / 2);
    put(home.path(), "a/s.jsonl", &(record("one") + torn), 300);
    let first = read(home.path(), "", HashMap::new());
    let told = |reading: &Reading| {
        let problems = reading.report.problems.iter();
        problems
            .map(|problem| (problem.kind, problem.to_string()))
            .collect::<Vec<_>>()
    };
    let waits = "a/s.jsonl:2: the last line is unfinished and waits for the rest of it".to_owned();
    assert_eq!(told(&first), [(crate::ProblemKind::Note, waits)]);
    assert_eq!((first.report.passed_over, first.report.mended), (0, 0));
    let marks = remember(&first.events);
    assert_eq!(told(&read(home.path(), "", marks.clone())), []);
    // Touched, and as it was.
    put(home.path(), "a/s.jsonl", &(record("one") + torn), 200);
    assert_eq!(told(&read(home.path(), "", marks.clone())), []);
    put(
        home.path(),
        "a/s.jsonl",
        &(record("one") + torn + rest),
        100,
    );
    let whole = read(home.path(), "", marks);
    assert_eq!(told(&whole), []);
    assert!(texts(&whole)[1].ends_with("user: two"));
}

#[test]
fn what_is_no_text_is_counted_where_it_is_kept_and_only_there() {
    let home = tempfile::tempdir().unwrap();
    let kept = record(r"half \ud83d") + &record("genuine \u{fffd}") + &record(r"pair \ud83d\ude00");
    let dropped = r#"{"type":"progress","data":"\ud83d"}"#.to_owned() + "\n";
    put(home.path(), "a/s.jsonl", &(kept + &dropped), 300);
    let reading = read(home.path(), "", HashMap::new());
    let told: Vec<String> = reading
        .report
        .problems
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        told,
        ["a/s.jsonl:1: what is no text in this record became U+FFFD"]
    );
    assert_eq!(reading.report.mended, 1);
}
