//! Forgotten units and segments under other names.

use jezero::item::ItemId;
use jezero::store::{Forget, Store};
use jezero_connectors::Instant;

use super::script::{Place, Script};

fn forget(place: &Place, what: Forget<'_>) {
    let now = Instant::parse("2026-10-21T00:00:00Z").unwrap();
    let done = Store::open(&place.path).unwrap().forget(what, now).unwrap();
    assert!(done.erased);
}

#[test]
fn a_forgotten_unit_stays_away_under_its_next_names() {
    let place = Place::new(1000);
    // Without record ids, so that only its name tells it.
    let blocks = [("", "first text"), ("", "second one")];
    place.run(&[Script::new("PAP-1", &blocks)]);
    forget(&place, Forget::Unit("PAP-1"));
    for (name, before) in [
        ("ABC-1", vec!["PAP-1"]),
        ("ABC-1", vec![]),
        ("XYZ-1", vec!["ABC-1"]),
    ] {
        let grown = [("", "first text"), ("", "second one"), ("", "third")];
        let report = place.run(&[Script {
            formerly: before,
            ..Script::new(name, &grown)
        }]);
        assert_eq!((report.stored, place.items().len()), (0, 0), "{name}");
    }
}

#[test]
fn a_forgotten_segment_stays_away_when_its_unit_is_renamed() {
    let place = Place::new(12);
    let blocks = [("", "first text"), ("", "second one"), ("", "third")];
    place.run(&[Script::new("PAP-1", &blocks)]);
    forget(&place, Forget::Items(&[ItemId(2)]));
    for before in [vec!["PAP-1"], vec![]] {
        place
            .raw()
            .execute("UPDATE marks SET value = '', tail_record = NULL", [])
            .unwrap();
        let report = place.run(&[Script {
            formerly: before,
            ..Script::new("ABC-1", &blocks)
        }]);
        assert_eq!((report.stored, report.unchanged), (0, 2), "{report:?}");
        let ids: Vec<_> = place.items().into_iter().map(|item| item.1).collect();
        assert_eq!(ids, ["ABC-1#0", "ABC-1#2"]);
    }
}
