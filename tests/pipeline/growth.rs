//! Growing, shrinking and failing units.

use jezero::pipeline::Options;

use super::script::{Place, Script, text};

fn parts(sizes: &[(char, usize)]) -> Script {
    let blocks = sizes
        .iter()
        .map(|(tag, chars)| ("", text(*tag, *chars)))
        .collect();
    Script {
        id: "u",
        title: Some("Import"),
        blocks,
        min_chars: 0,
        ..Script::default()
    }
}

fn outline(place: &Place) -> Vec<(i64, String, String)> {
    place
        .items()
        .into_iter()
        .map(|(id, external, title, _)| (id, external, title))
        .collect()
}

#[test]
fn a_grown_session_pays_for_its_last_segment_alone_and_a_new_part_number_for_nothing() {
    let place = Place::new(100);
    place.run(&[parts(&[('a', 60), ('b', 30)])]);
    assert_eq!(
        outline(&place),
        [(1, "u#0".to_owned(), "Import".to_owned())]
    );
    assert_eq!(place.calls(), 1);

    let report = place.run(&[parts(&[('a', 60), ('b', 30), ('c', 70)])]);
    assert_eq!(place.calls(), 2);
    assert_eq!((report.docs, report.unchanged, report.stored), (2, 1, 1));
    assert_eq!(
        outline(&place),
        [
            (1, "u#0".to_owned(), "Import (part 1/2)".to_owned()),
            (2, "u#2".to_owned(), "Import (part 2/2)".to_owned()),
        ]
    );

    let report = place.run(&[parts(&[('a', 60), ('b', 30), ('c', 70), ('d', 20)])]);
    assert_eq!(place.calls(), 3);
    assert_eq!(
        (report.docs, report.unchanged, report.stored, report.pruned),
        (1, 0, 1, 0)
    );
    assert_eq!(
        place.items()[1].3,
        format!("{}\n{}", text('c', 70), text('d', 20))
    );
}

#[test]
fn a_run_with_nothing_new_does_nothing() {
    let place = Place::new(100);
    let script = [parts(&[('a', 60), ('b', 70)])];
    place.run(&script);
    let report = place.run(&script);
    assert_eq!(
        (report.units, report.units_unchanged, report.docs),
        (1, 1, 0)
    );
    assert_eq!(place.calls(), 2);
}

#[test]
fn a_changed_limit_reads_a_touched_unit_whole_and_prunes() {
    let mut place = Place::new(100);
    place.run(&[parts(&[('a', 60), ('b', 60), ('c', 60)])]);
    assert_eq!(outline(&place).len(), 3);
    place.limit = 200;
    let report = place.run(&[parts(&[('a', 60), ('b', 60), ('c', 60), ('d', 60)])]);
    assert_eq!((report.stored, report.pruned), (2, 2));
    let ids: Vec<_> = outline(&place)
        .into_iter()
        .map(|(id, external, _)| (id, external))
        .collect();
    assert_eq!(ids, [(1, "u#0".to_owned()), (4, "u#3".to_owned())]);
}

#[test]
fn old_segments_stay_while_one_fails_and_are_pruned_once_it_succeeds() {
    let mut place = Place::new(100);
    let grown = [parts(&[('a', 60), ('b', 60), ('c', 60), ('z', 60)])];
    place.run(&[parts(&[('a', 60), ('b', 60), ('c', 60)])]);
    place.limit = 130;
    *place.summarizer.fails_on.lock().unwrap() = Some("zzz");
    let report = place.run(&grown);
    assert_eq!((report.stored, report.failed, report.pruned), (1, 1, 0));
    assert!(report.has_failed());
    assert_eq!(
        report.errors[0].as_str(),
        "u#2: the reply was refused: told to fail"
    );
    let kept: Vec<_> = outline(&place)
        .into_iter()
        .map(|(_, external, _)| external)
        .collect();
    assert_eq!(kept, ["u#0", "u#1", "u#2"]);

    *place.summarizer.fails_on.lock().unwrap() = None;
    let before = place.calls();
    let report = place.run(&grown);
    assert_eq!((report.unchanged, report.stored, report.pruned), (1, 1, 1));
    assert_eq!(
        place.calls(),
        before + 1,
        "only what had failed is paid for"
    );
    let kept: Vec<_> = outline(&place)
        .into_iter()
        .map(|(_, external, _)| external)
        .collect();
    assert_eq!(kept, ["u#0", "u#2"]);
}

#[test]
fn a_short_unit_waits_until_it_is_long_enough() {
    let place = Place::new(100);
    let short = Script {
        min_chars: 50,
        ..parts(&[('a', 20)])
    };
    let report = place.run(&[short]);
    assert_eq!((report.units_too_short, report.stored), (1, 0));
    let grown = Script {
        min_chars: 50,
        ..parts(&[('a', 20), ('b', 40)])
    };
    assert_eq!(place.run(&[grown]).stored, 1);
    assert_eq!(
        place.items()[0].3,
        format!("{}\n{}", text('a', 20), text('b', 40))
    );
}

#[test]
fn a_source_that_was_emptied_empties_nothing() {
    let place = Place::new(100);
    place.run(&[parts(&[('a', 60), ('b', 60)])]);
    assert_eq!(place.run(&[parts(&[])]).pruned, 0);
    assert_eq!(outline(&place).len(), 2);

    // What is written afterwards is read from the start: what was remembered is gone with the text.
    let report = place.run(&[parts(&[('c', 60)])]);
    assert_eq!((report.stored, report.pruned), (1, 1));
    assert_eq!(place.items()[0].3, text('c', 60));
}

#[test]
fn a_dry_run_tells_and_stores_nothing() {
    let place = Place::new(100);
    let options = Options {
        dry_run: true,
        ..Options::default()
    };
    let report = place.run_with(&[parts(&[('a', 60), ('b', 60)])], options);
    assert_eq!(
        (report.would_store, report.stored, report.input_chars),
        (Some(2), 0, 120)
    );
    assert!(!place.path.exists());
    assert_eq!(place.calls(), 0);
}

#[test]
fn a_limit_counts_units_with_something_new_and_the_next_run_goes_on() {
    let place = Place::new(100);
    let unit = |id| Script {
        id,
        ..parts(&[('a', 60)])
    };
    let scripts = [unit("a"), unit("b"), unit("c")];
    let options = Options {
        limit: Some(2),
        ..Options::default()
    };
    assert_eq!(place.run_with(&scripts, options).stored, 2);
    assert_eq!(place.run(&scripts).stored, 1);
    assert_eq!(place.items().len(), 3);
}

#[test]
fn a_sample_leaves_all_marks_alone() {
    let place = Place::new(100);
    let options = Options {
        sample: Some(1),
        ..Options::default()
    };
    assert_eq!(place.run_with(&[parts(&[('a', 60)])], options).stored, 1);
    let report = place.run(&[parts(&[('a', 60)])]);
    assert_eq!(
        (report.units_unchanged, report.unchanged, report.stored),
        (0, 1, 0)
    );
}
