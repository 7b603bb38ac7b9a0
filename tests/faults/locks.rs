//! Another program keeps the library's file to itself.

use std::process::Stdio;

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
