//! A secret found once in a unit is hidden in all of it, also in what was stored before.

use super::script::{Place, Script};

/// A value that no rule knows bare, and that a name gives away.
const VALUE: &str = "quaint-Otter-77-parade";

fn named() -> String {
    format!("DB_PASSWORD={VALUE}")
}

#[test]
fn a_value_is_hidden_in_the_blocks_before_and_after_the_one_that_gives_it_away() {
    let place = Place::new(80);
    let bare = format!("I typed {VALUE} at the prompt, and it went through well enough");
    let script = Script::new("u", &[("1", &bare), ("2", &named()), ("3", &bare)]);
    assert_eq!(place.run(&[script]).stored, 3);
    for (_, _, _, original) in place.items() {
        assert!(!original.contains(VALUE), "{original}");
    }
}

#[test]
fn a_value_found_later_is_hidden_in_what_is_stored_without_a_new_summary() {
    let place = Place::new(80);
    let bare = format!("I typed {VALUE} at the prompt, and it went through well enough");
    let title = Some("About quaint-Otter-77-parade");
    let first = Script {
        title,
        ..Script::new("u", &[("1", &bare), ("2", &bare)])
    };
    place.run(&[first]);
    assert!(place.items()[0].3.contains(VALUE));
    let calls = place.calls();

    let grown = Script {
        title,
        ..Script::new("u", &[("1", &bare), ("2", &bare), ("3", &named())])
    };
    let report = place.run(std::slice::from_ref(&grown));
    assert_eq!((report.redacted_again, place.calls()), (2, calls + 1));
    for (_, _, title, original) in place.items() {
        assert!(
            !title.contains(VALUE) && !original.contains(VALUE),
            "{title}: {original}"
        );
    }

    // Read whole again, everything is as it is stored: what is known is hidden from the start.
    let connection = place.raw();
    connection.execute("DELETE FROM marks", []).unwrap();
    let again = place.run(&[grown]);
    assert_eq!(
        (again.docs, again.unchanged, place.calls()),
        (3, 3, calls + 1)
    );
}
