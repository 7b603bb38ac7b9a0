//! Copies of the library: whole at any moment, private, and good to go back to.

use std::process::Stdio;

use super::place::{Place, conversation};

fn size(place: &Place, name: &str) -> u64 {
    std::fs::metadata(place.path(name)).unwrap().len()
}

#[test]
fn a_backup_put_in_the_place_of_the_library_is_the_library() {
    let place = Place::new();
    place.session("s1", &conversation("one", 3));
    place.session("s2", &conversation("two", 3));
    place.run();
    let before = place.export();
    let ran = place.jezero(&["backup", "copy.db"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let bytes = size(&place, "copy.db");
    assert_eq!(ran.out, format!("copy.db: 2 items, {bytes} bytes\n"));

    // More is stored, then the disk goes mad.
    place.session("s3", &conversation("three", 3));
    place.run();
    for name in ["jezero.db", "jezero.db-wal", "jezero.db-shm"] {
        drop(std::fs::remove_file(place.path(&format!("data/{name}"))));
    }
    std::fs::copy(place.path("copy.db"), place.path("data/jezero.db")).unwrap();
    assert_eq!(place.export(), before);
    assert_eq!(place.jezero(&["index", "check"]).code, 0);
    assert_eq!(
        place.jezero(&["search", "checkout", "--json"]).json()["count"],
        2
    );
    // What connectors remember is in it: only the session that came later is read.
    let report = place.run();
    assert_eq!(
        (&report["units_unchanged"], &report["stored"]),
        (&2.into(), &1.into())
    );
}

#[test]
fn a_backup_made_while_a_run_writes_is_whole() {
    let place = Place::new();
    place.session("first", &conversation("first", 3));
    place.run();
    for session in 0..40 {
        place.session(
            &format!("s{session:02}"),
            &conversation(&format!("tag{session}"), 40),
        );
    }
    let mut run = place
        .command(&["run", "--json"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut copies = 0;
    while run.try_wait().unwrap().is_none() || copies == 0 {
        copies += 1;
        let name = format!("copy{copies}.db");
        let ran = place.jezero(&["backup", &name, "--json"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        let answer = ran.json();
        assert_eq!(answer["bytes"], size(&place, &name));
        let items = answer["items"].as_u64().unwrap();
        assert!((1..=41).contains(&items), "{answer}");
        // The copy is a library like any other.
        place.write("copy.toml", format!("[storage]\npath = \"{name}\"\n"));
        let ran = place.jezero(&["-c", "copy.toml", "index", "check", "--json"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        assert_eq!(ran.json()["items"], items);
        let check: String = place
            .raw(&name)
            .query_row("PRAGMA integrity_check", [], |row| row.get(0))
            .unwrap();
        assert_eq!(check, "ok");
    }
    assert!(run.wait().unwrap().success());
}

#[test]
fn everyday_commands_empty_no_log_that_another_program_follows() {
    let place = Place::new();
    place.session("s1", &conversation("one", 3));
    place.run_all();
    // A program that copies the log while it grows holds a reader open.
    let follower = place.raw("data/jezero.db");
    let hold = "BEGIN; SELECT count(*) FROM items";
    follower.execute_batch(hold).unwrap();
    let log = || std::fs::read(place.path("data/jezero.db-wal")).unwrap();
    let mut before = log();
    for name in ["s2", "s3", "s4"] {
        place.session(name, &conversation(name, 20));
        place.run_all();
        assert_eq!(place.jezero(&["backup", name]).code, 0);
        let now = log();
        assert!(now.len() > before.len() && now.starts_with(&before));
        before = now;
    }
}

#[test]
fn a_file_that_is_there_stays_unless_it_is_to_go() {
    let place = Place::new();
    assert_eq!(place.jezero(&["backup", "copy.db"]).code, 2);
    place.session("s1", &conversation("one", 3));
    place.run();
    place.write("copy.db", "something dear");
    let ran = place.jezero(&["backup", "copy.db"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.notes.contains("exists") && ran.notes.contains("--force"));
    assert_eq!(
        std::fs::read(place.path("copy.db")).unwrap(),
        b"something dear"
    );
    assert_eq!(place.jezero(&["backup", "copy.db", "--force"]).code, 0);
    assert!(size(&place, "copy.db") > 1000);
    for (path, message) in [
        ("data/jezero.db", "belongs to the library itself"),
        (
            "data/../data/jezero.db.lock",
            "belongs to the library itself",
        ),
        ("sessions", "is a folder"),
    ] {
        let ran = place.jezero(&["backup", path, "--force"]);
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.notes.contains(message), "{ran:?}");
    }
    assert_eq!(place.export().len(), 1);
    let names = std::fs::read_dir(place.path("")).unwrap();
    let left = names.filter(|name| {
        let name = name.as_ref().unwrap().file_name();
        name.to_string_lossy().contains(".part")
    });
    assert_eq!(left.count(), 0);
}

#[cfg(unix)]
#[test]
fn a_backup_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    place.session("s1", &conversation("one", 3));
    place.run();
    place.jezero(&["backup", "copy.db"]);
    let mode = std::fs::metadata(place.path("copy.db"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
}
