//! The examples of the data-model page: an item, its original, an import, its error.

use jezero::access::Reader;
use jezero::item::ItemId;

use crate::support::{Shelf, fixture, into, json};

#[test]
fn an_item_has_the_fields_of_the_page_in_its_order() {
    let library = Shelf::of_the_pages().library();
    let answer = library
        .get_item(&Reader::everything(), ItemId(1), false)
        .unwrap();
    assert_eq!(
        json(&answer.item.unwrap()),
        fixture("library/answers/item.json")
    );
}

#[test]
fn an_original_comes_back_line_for_line() {
    let library = Shelf::of_the_pages().library();
    let answer = library
        .get_item(&Reader::everything(), ItemId(2), true)
        .unwrap();
    let original = answer.item.unwrap().original.unwrap().unwrap();
    assert_eq!(
        original.as_str(),
        "[2026-10-19 21:05] user: the accounting import rejects the invoice CSV\n\
         [2026-10-19 21:06] tool call: Bash {\"command\": \"uv run pytest tests/test_export.py -q\"}\n\
         [2026-10-19 21:09] assistant: The import fails on the BOM. I removed it from the writer."
    );
}

#[test]
fn the_record_of_the_page_is_imported() {
    let shelf = Shelf::empty();
    let done = shelf
        .import(fixture("library/notes.jsonl"), &into("notes"))
        .unwrap();
    assert_eq!(
        serde_json::to_string(&done).unwrap(),
        r#"{"inserted":1,"updated":0,"unchanged":0}"#
    );
    let answer = shelf
        .library()
        .get_item(&Reader::everything(), ItemId(1), true)
        .unwrap();
    assert_eq!(json(&answer), fixture("library/answers/note.json"));
}

#[test]
fn a_known_record_is_unchanged_by_its_hash_and_updated_in_place_without() {
    let shelf = Shelf::empty();
    let record = fixture("library/notes.jsonl");
    shelf.import(&record, &into("notes")).unwrap();
    let again = shelf.import(&record, &into("notes")).unwrap();
    assert_eq!((again.inserted, again.updated, again.unchanged), (0, 0, 1));
    let changed = record.replace("at checkout time.", "at checkout.");
    let done = shelf.import(&changed, &into("notes")).unwrap();
    assert_eq!((done.inserted, done.updated, done.unchanged), (0, 1, 0));
    let library = shelf.library();
    let answer = library
        .get_item(&Reader::everything(), ItemId(1), false)
        .unwrap();
    assert_eq!(
        answer.item.unwrap().item.summary.as_str(),
        "Invoices now copy the tax id at checkout."
    );
}

#[test]
fn a_bad_value_stops_the_import_with_path_and_line() {
    let shelf = Shelf::empty();
    let record = fixture("library/notes.jsonl");
    let lines = format!("{record}{}", record.replace("+00:00", ""));
    let error = shelf.import(&lines, &into("notes")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "notes.jsonl:2: invalid record: occurred_at must be an ISO 8601 date and time with an \
         offset (2026-01-31T09:00:00+02:00)"
    );
    assert_eq!(
        shelf.library().stats(&Reader::everything()).unwrap().items,
        0
    );
}
