//! A run that is killed at any moment leaves a library that opens, and the next run completes it.

use super::place::{Place, conversation};

/// Sessions enough for a run to be killed in the middle of.
const SESSIONS: usize = 40;

fn filled() -> Place {
    let place = Place::new();
    for session in 0..SESSIONS {
        place.session(
            &format!("s{session:02}"),
            &conversation(&format!("tag{session}"), 60),
        );
    }
    place
}

/// Originals by external id: what a run stores, without what depends on order or time.
fn contents(place: &Place) -> Vec<(String, String)> {
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    let mut items: Vec<_> = place
        .export()
        .iter()
        .map(|item| (text(&item["external_id"]), text(&item["original"])))
        .collect();
    items.sort();
    items
}

#[test]
fn a_run_killed_at_ten_moments_is_completed_with_nothing_twice() {
    let whole = filled();
    whole.run();
    let expected = contents(&whole);
    assert_eq!(expected.len(), SESSIONS);

    // The moment is chosen by the growth of the library and not by a clock: the run is killed as
    // soon as the write-ahead log has passed a size.
    for moment in 0..10_u64 {
        let place = filled();
        let enough = 1 + moment * 40_000;
        place.killed_at(&["run", "--json"], enough);

        let report = place.run();
        assert_eq!(report["failed"], 0, "{report}");
        assert_eq!(contents(&place), expected, "killed at {enough} bytes");
    }
}
