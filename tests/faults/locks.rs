//! Another program keeps the library's file to itself, or makes it at the same time.

use std::process::Stdio;

use jezero::store::{Store, Upkeeping};

use crate::cli::place::{Place, conversation};

use super::ground::sound;

#[test]
fn a_run_waits_for_another_program_and_readers_do_not() {
    let place = Place::new();
    place.session("a", &conversation("a", 3));
    place.run();
    place.session("b", &conversation("b", 3));
    let other = place.raw("data/jezero.db");
    other.execute_batch("BEGIN EXCLUSIVE").unwrap();
    assert_eq!(
        place.jezero(&["search", "checkout", "--json"]).json()["count"],
        1
    );
    let mut run = place.command(&["run", "--json"]);
    let run = run.stdout(Stdio::piped()).spawn().unwrap();
    // It holds the lock of writers, and waits for the file.
    let held = format!("process {},", run.id());
    while !std::fs::read_to_string(place.path("data/jezero.db.lock"))
        .unwrap()
        .contains(&held)
    {
        std::thread::yield_now();
    }
    assert_eq!(place.export().len(), 1);
    other.execute_batch("ROLLBACK").unwrap();
    drop(other);
    let ran = run.wait_with_output().unwrap();
    assert!(ran.status.success());
    assert_eq!(place.export().len(), 2);
    sound(&place);
}

#[test]
fn a_new_library_may_be_made_by_many_at_once() {
    let place = Place::new();
    let library = place.path("data/jezero.db");
    let upkeep = Upkeeping::default();
    let start = std::sync::Barrier::new(8);
    let made: Vec<String> = std::thread::scope(|scope| {
        let open = || {
            start.wait();
            let opened = Store::open_beside(&library, true, upkeep.clone());
            opened.err().map(|error| error.to_string())
        };
        let opening: Vec<_> = (0..8).map(|_| scope.spawn(open)).collect();
        let opened = opening.into_iter();
        opened.filter_map(|opened| opened.join().unwrap()).collect()
    });
    assert_eq!(made, Vec::<String>::new());
    sound(&place);
    place.session("a", &conversation("a", 3));
    assert_eq!(place.run()["stored"], 1);
}
