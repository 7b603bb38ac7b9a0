//! Bytes of the library's file are not what was written.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use jezero::store::{StoreError, Trouble, View};

use crate::cli::place::{Place, conversation};

use super::ground::sound;

/// What `docs/operations.md` says to do.
const RESTORE: &str = "rm -f data/jezero.db data/jezero.db-wal data/jezero.db-shm && \
                       cp copy.db data/jezero.db && chmod 600 data/jezero.db";

fn filled() -> Place {
    let place = Place::new();
    for name in ["a", "b", "c", "d"] {
        place.session(name, &conversation(name, 60));
    }
    place.run();
    place
}

/// Whether anything that looks at a library says that it is damaged.
fn is_noticed(library: &Path) -> bool {
    let is_damage = |error: &StoreError| {
        matches!(error, StoreError::Foreign { .. }) || error.trouble() == Some(Trouble::Damaged)
    };
    let view = match View::open(library) {
        Ok(view) => view,
        Err(error) => return is_damage(&error),
    };
    let is_file_damaged = match view.check_file(true) {
        Ok(faults) => !faults.is_empty(),
        Err(error) => is_damage(&error),
    };
    is_file_damaged
        || match view.check_index() {
            Ok(checked) => checked.faults > 0,
            Err(error) => is_damage(&error),
        }
}

#[test]
fn every_page_that_is_overwritten_is_noticed() {
    let place = filled();
    let bytes = fs::read(place.path("data/jezero.db")).unwrap();
    let file = place.raw("data/jezero.db");
    let number = |name| file.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let size = usize::try_from(number("page_size").unwrap()).unwrap();
    let unused = usize::try_from(number("freelist_count").unwrap()).unwrap();
    drop(file);
    let mut unnoticed = BTreeSet::new();
    for page in 0..bytes.len() / size {
        let mut damaged = bytes.clone();
        damaged[page * size..(page + 1) * size].fill(0xA5);
        // A name for each: what is read of a file is shared within a process.
        let name = format!("damaged-{page}.db");
        place.write(&name, damaged);
        if !is_noticed(&place.path(&name)) {
            unnoticed.insert(page + 1);
        }
        fs::remove_file(place.path(&name)).unwrap();
    }
    // Pages that hold nothing are missed by nobody.
    assert!(
        unnoticed.len() <= unused,
        "{unnoticed:?} of {unused} unused"
    );
    assert!(bytes.len() / size > 30, "{}", bytes.len() / size);
}

#[test]
fn a_damaged_library_is_reported_and_a_backup_takes_its_place() {
    let place = filled();
    assert_eq!(place.jezero(&["backup", "copy.db"]).code, 0);
    let before = place.export();
    place.session("later", &conversation("later", 5));
    place.run();
    let complete = place.export();
    let library = place.path("data/jezero.db");
    let mut bytes = fs::read(&library).unwrap();
    let (from, to) = (bytes.len() / 4, bytes.len() * 3 / 4);
    bytes[from..to].fill(0x5A);
    fs::write(&library, bytes).unwrap();

    for arguments in [
        &["index", "check"][..],
        &["run"],
        &["backup", "other.db"],
        &["search", "checkout", "--scope", "all"],
    ] {
        let ran = place.jezero(arguments);
        assert_eq!(ran.code, 1, "{arguments:?} {ran:?}");
        assert!(
            ran.notes.contains("put a backup in"),
            "{arguments:?} {ran:?}"
        );
        assert!(!place.path("other.db").exists());
    }
    let check = place.jezero(&["index", "check", "--json"]);
    assert_eq!(check.code, 1, "{check:?}");

    let restored = Command::new("/bin/sh")
        .args(["-c", RESTORE])
        .current_dir(place.path(""))
        .status();
    assert!(restored.unwrap().success());
    assert_eq!(place.jezero(&["index", "check"]).code, 0);
    assert_eq!(place.export(), before);
    assert_eq!(place.run()["stored"], 1);
    let text =
        |item: &serde_json::Value| item["external_id"].to_string() + &item["original"].to_string();
    assert_eq!(
        place.export().iter().map(text).collect::<Vec<_>>(),
        complete.iter().map(text).collect::<Vec<_>>()
    );
    sound(&place);
}
