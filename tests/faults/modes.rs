//! All that is written is for its owner alone, whatever the surroundings allow, and what is written
//! for a moment is gone.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::limits::under;
use crate::cli::place::{Place, conversation};

/// Names of a folder's entries, folders with a stroke, with the modes that others have a part in.
fn entries(folder: &Path) -> Vec<(String, u32)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().to_string_lossy().into_owned();
        found.push((name, entry.metadata().unwrap().permissions().mode() & 0o777));
    }
    found.sort();
    found
}

#[test]
fn everything_that_is_written_is_for_its_owner_alone_and_nothing_more_is_left() {
    let place = Place::new();
    place.session("a", &conversation("a", 12));
    let open = "umask 000";
    let quiet = |arguments: &[&str]| {
        let ran = under(open, &place, arguments);
        assert_eq!(ran.code, 0, "{arguments:?}: {ran:?}");
    };
    quiet(&["run"]);
    // A reader keeps log and shared memory where they can be seen.
    let reader = place.raw("data/jezero.db");
    let count = |sql| {
        reader
            .query_row(sql, [], |row| row.get::<_, i64>(0))
            .unwrap()
    };
    assert_eq!(count("SELECT count(*) FROM items"), 1);
    place.session("b", &conversation("b", 12));
    quiet(&["run"]);
    let own = |name: &str| (name.to_owned(), 0o600);
    let names = [
        "jezero.db",
        "jezero.db-shm",
        "jezero.db-wal",
        "jezero.db.lock",
    ];
    assert_eq!(entries(&place.path("data")), names.map(own));
    drop(reader);
    quiet(&["backup", "kept/copy.db"]);
    quiet(&["export-jsonl", "kept/items.jsonl"]);
    assert_eq!(
        entries(&place.path("kept")),
        ["copy.db", "items.jsonl"].map(own)
    );
    fs::create_dir(place.path("new")).unwrap();
    quiet(&["-c", "new/jezero.toml", "init"]);
    let top = entries(&place.path(""));
    for folder in ["data", "kept"] {
        assert!(top.contains(&(folder.to_owned(), 0o700)), "{top:?}");
    }
    assert!(entries(&place.path("new")).contains(&own("jezero.toml")));
    // Those who only read leave log and shared memory to the next writer.
    quiet(&["run"]);
    assert_eq!(
        entries(&place.path("data")),
        ["jezero.db", "jezero.db.lock"].map(own)
    );
}
