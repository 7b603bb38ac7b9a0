//! Making the index of words anew.

use super::place::Place;

#[test]
fn a_person_is_told_that_texts_are_being_indexed_beside_the_result() {
    let place = Place::new();
    let line = |number: usize| {
        let item = serde_json::json!({
            "external_id": number.to_string(),
            "occurred_at": "2026-03-01T09:00:00Z",
            "title": format!("Task {number}"),
            "summary": "What was done about the lake.",
        });
        format!("{item}\n")
    };
    place.write("items.jsonl", (0..600).map(line).collect::<String>());
    let ran = place.jezero(&["import-jsonl", "items.jsonl", "--source", "tasks"]);
    assert_eq!((ran.code, ran.notes.as_str()), (0, ""), "{ran:?}");
    let ran = place.jezero(&["index", "rebuild"]);
    assert_eq!(
        (ran.code, ran.out.as_str()),
        (0, "the index has been made anew\n"),
        "{ran:?}"
    );
    assert_eq!(
        ran.notes,
        "indexing 600 texts for searches; if this is stopped, the next command that writes goes on from there\n"
    );
    let checked = place.jezero(&["index", "check", "--json"]).json();
    assert_eq!(
        (&checked["items"], &checked["waiting"], &checked["faults"]),
        (&600.into(), &0.into(), &0.into())
    );
}
