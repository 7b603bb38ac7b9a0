//! Units whose name changes, and units that grow together.

use super::script::{Place, Script};

#[test]
fn a_unit_under_a_new_name_keeps_its_items_and_needs_no_call() {
    let place = Place::new(12);
    let blocks = [("1", "first text"), ("2", "second one")];
    place.run(&[Script::new("PAP-1", &blocks)]);
    let before = place.items();
    let calls = place.calls();
    let renamed = Script {
        formerly: vec!["PAP-1"],
        ..Script::new("ABC-1", &blocks)
    };
    let report = place.run(std::slice::from_ref(&renamed));
    assert_eq!((report.stored, report.pruned, place.calls()), (0, 0, calls));
    let after = place.items();
    let ids: Vec<_> = after.iter().map(|item| (item.0, item.1.as_str())).collect();
    assert_eq!(ids, [(before[0].0, "ABC-1#0"), (before[1].0, "ABC-1#1")]);
    assert_eq!(references(&place), ["scripted:ABC-1", "scripted:ABC-1"]);
    assert_eq!(place.run(&[renamed]).units_unchanged, 1);
}

#[test]
fn a_new_name_is_kept_even_where_the_unit_has_nothing_left_to_store() {
    let place = Place::new(1000);
    place.run(&[Script::new("PAP-1", &[("1", "first text")])]);
    place.run(&[Script {
        formerly: vec!["PAP-1"],
        ..Script::new("ABC-1", &[])
    }]);
    assert_eq!(place.items()[0].1, "ABC-1#0");
}

#[test]
fn units_that_grow_together_are_stored_once_under_the_older_name() {
    let place = Place::new(1000);
    place.run(&[
        Script::new("older", &[("1", "asked in march")]),
        Script::new("younger", &[("2", "answered in april")]),
    ]);
    let whole = Script {
        formerly: vec!["younger"],
        ..Script::new(
            "older",
            &[
                ("1", "asked in march"),
                ("2", "answered in april"),
                ("3", "thanks"),
            ],
        )
    };
    let report = place.run(&[whole]);
    assert_eq!((report.stored, report.pruned), (1, 1));
    let items = place.items();
    assert_eq!(items.len(), 1);
    assert_eq!(items[0].1, "older#0");
    assert_eq!(items[0].3, "asked in march\nanswered in april\nthanks");
    let owners: Vec<i64> = numbers(&place, "SELECT DISTINCT unit FROM record_owners");
    assert_eq!(owners, numbers(&place, "SELECT id FROM units"));
    assert_eq!(numbers(&place, "SELECT records FROM units"), [3]);
}

#[test]
fn while_a_segment_fails_the_unit_taken_in_stays() {
    let place = Place::new(1000);
    place.run(&[
        Script::new("older", &[("1", "asked in march")]),
        Script::new("younger", &[("2", "answered in april")]),
    ]);
    let whole = Script {
        formerly: vec!["younger"],
        ..Script::new(
            "older",
            &[("1", "asked in march"), ("2", "answered in april")],
        )
    };
    *place.summarizer.fails_on.lock().unwrap() = Some("april");
    place.run(std::slice::from_ref(&whole));
    let ids: Vec<_> = place.items().into_iter().map(|item| item.1).collect();
    assert_eq!(ids, ["older#0", "younger#0"]);
    *place.summarizer.fails_on.lock().unwrap() = None;
    place.run(&[whole]);
    let ids: Vec<_> = place.items().into_iter().map(|item| item.1).collect();
    assert_eq!(ids, ["older#0"]);
}

fn references(place: &Place) -> Vec<String> {
    let raw = place.raw();
    let mut statement = raw.prepare("SELECT original_ref FROM items").unwrap();
    let rows = statement.query_map([], |row| row.get(0)).unwrap();
    rows.collect::<Result<_, _>>().unwrap()
}

fn numbers(place: &Place, sql: &str) -> Vec<i64> {
    let raw = place.raw();
    let mut statement = raw.prepare(sql).unwrap();
    let rows = statement.query_map([], |row| row.get(0)).unwrap();
    rows.collect::<Result<_, _>>().unwrap()
}
