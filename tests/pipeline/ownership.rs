//! Forks and resumed copies: a conversation that several files carry is stored once.

use super::script::{Place, Script};

#[test]
fn a_fork_stores_only_what_is_new_in_it() {
    let place = Place::new(1000);
    let origin = Script::new("origin", &[("1", "how to begin"), ("2", "like this")]);
    let fork = Script::new(
        "fork",
        &[
            ("1", "how to begin"),
            ("2", "like this"),
            ("3", "another way"),
        ],
    );
    let report = place.run(&[origin, fork]);
    assert_eq!(report.records_owned_elsewhere, 2);
    let items = place.items();
    assert_eq!(items[0].3, "how to begin\nlike this");
    assert_eq!(items[1].1, "fork#2");
    assert_eq!(
        items[1].3,
        "[2026-09-21 14:15] session: continues origin\nanother way"
    );
}

#[test]
fn a_grown_fork_reads_the_same_as_one_read_at_once() {
    let blocks = [
        ("1", "how to begin"),
        ("2", "like this"),
        ("3", "another way"),
        ("4", "and on"),
    ];
    let origin = Script::new("origin", &blocks[..2]);
    let grown = Place::new(1000);
    grown.run(&[origin.clone(), Script::new("fork", &blocks[..3])]);
    grown.run(&[origin.clone(), Script::new("fork", &blocks)]);
    let at_once = Place::new(1000);
    at_once.run(&[origin, Script::new("fork", &blocks)]);
    assert_eq!(grown.items(), at_once.items());
    assert_eq!(
        grown.items()[1].3,
        "[2026-09-21 14:15] session: continues origin\nanother way\nand on"
    );
}

#[test]
fn the_first_owner_stays_the_owner_when_it_is_read_again() {
    let place = Place::new(1000);
    let first = [("1", "one"), ("2", "two")];
    place.run(&[Script::new("b-first", &first)]);
    let more = [("1", "one"), ("2", "two"), ("3", "three")];
    place.run(&[
        Script::new("a-later", &first),
        Script::new("b-first", &more),
    ]);
    let texts: Vec<_> = place
        .items()
        .into_iter()
        .map(|item| (item.1, item.3))
        .collect();
    assert_eq!(
        texts,
        [("b-first#0".to_owned(), "one\ntwo\nthree".to_owned())]
    );
}

#[test]
fn a_record_that_stands_twice_in_one_unit_is_stored_once() {
    let twice = [("1", "one"), ("2", "two"), ("1", "one"), ("3", "three")];
    let place = Place::new(1000);
    place.run(&[Script::new("u", &twice)]);
    assert_eq!(place.items()[0].3, "one\ntwo\nthree");

    // Also when the second stands in what is read later.
    let grown = Place::new(8);
    grown.run(&[Script::new("u", &twice[..2])]);
    grown.run(&[Script::new("u", &twice)]);
    let texts: Vec<_> = grown.items().into_iter().map(|item| item.3).collect();
    assert_eq!(texts, ["one\ntwo", "three"]);
}

#[test]
fn what_a_session_has_lost_a_fork_that_still_has_it_may_store() {
    let place = Place::new(1000);
    let blocks = [("1", "one"), ("2", "two"), ("3", "three"), ("4", "four")];
    place.run(&[
        Script::new("origin", &blocks[..3]),
        Script::new("fork", &blocks),
    ]);
    let again = |scripts: &[Script]| {
        place.raw().execute("DELETE FROM marks", []).unwrap();
        place.run(scripts);
        let items = place.items();
        items
            .into_iter()
            .map(|item| (item.1, item.3))
            .collect::<Vec<_>>()
    };
    let cut = Script::new("origin", &blocks[..1]);
    let after = again(&[cut, Script::new("fork", &blocks)]);
    let moment = "[2026-09-21 14:14]";
    let expected = [
        ("origin#0".to_owned(), "one".to_owned()),
        (
            "fork#1".to_owned(),
            format!("{moment} session: continues origin\ntwo\nthree\nfour"),
        ),
    ];
    assert_eq!(after, expected);
}

#[test]
fn a_session_that_only_grew_keeps_what_it_owns() {
    let place = Place::new(8);
    let blocks = [("1", "one"), ("2", "two"), ("3", "three"), ("4", "four")];
    place.run(&[Script::new("origin", &blocks[..2])]);
    // Only the end is read now, and what stands before it is still its own.
    place.run(&[Script::new("origin", &blocks[..3])]);
    let report = place.run(&[Script::new("fork", &blocks)]);
    assert_eq!(report.records_owned_elsewhere, 3);
}
