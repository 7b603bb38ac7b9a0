//! Looking at copies, and going back to one when the library is damaged.

use super::place::{Place, conversation, record};

/// A place with two stored sessions and a copy of them in `copy.db`.
fn copied() -> Place {
    let place = Place::new();
    place.session("s1", &conversation("one", 3));
    place.session("s2", &conversation("two", 3));
    place.run_all();
    assert_eq!(place.jezero(&["backup", "copy.db", "--verify"]).code, 0);
    place
}

fn names(place: &Place, folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(place.path(folder)).unwrap();
    let name = |entry: std::io::Result<std::fs::DirEntry>| entry.unwrap().file_name();
    let mut names: Vec<String> = entries
        .map(|entry| name(entry).into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Writes something else over the pages behind the first.
fn damage(place: &Place, name: &str) {
    let mut bytes = std::fs::read(place.path(name)).unwrap();
    for byte in bytes.iter_mut().skip(4096) {
        *byte = 0x5a;
    }
    place.write(name, bytes);
}

#[test]
fn a_copy_is_looked_at_before_it_gets_its_name_and_later() {
    let place = copied();
    for arguments in [
        &["backup", "other.db", "--verify", "--json"][..],
        &["backup", "copy.db", "--verify-only", "--json"][..],
    ] {
        let ran = place.jezero(arguments);
        assert_eq!(ran.code, 0, "{ran:?}");
        let answer = ran.json();
        let verified = &answer["verified"];
        assert_eq!(verified["faults"], serde_json::json!([]));
        assert_eq!(
            (&answer["items"], &verified["items"]),
            (&2.into(), &2.into())
        );
        assert_eq!(verified["index"]["items"], 2);
        assert_eq!(verified["index"]["originals"], 2);
    }
    let ran = place.jezero(&["backup", "copy.db", "--verify-only"]);
    let whole = "verified: every page and row is whole, index in step";
    assert!(ran.out.contains(whole), "{ran:?}");
    assert!(ran.out.contains("the library has 2 items now"), "{ran:?}");
    // Nothing is left beside it.
    let left = names(&place, "").into_iter();
    let left: Vec<_> = left.filter(|name| name.contains(".db")).collect();
    assert_eq!(left, ["copy.db", "other.db"]);
}

#[test]
fn what_is_wrong_with_a_copy_is_told() {
    let place = copied();
    damage(&place, "copy.db");
    let ran = place.jezero(&["backup", "copy.db", "--verify-only"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.out.contains("damaged: "), "{ran:?}");

    let place = copied();
    let copy = place.raw("copy.db");
    let take = "PRAGMA foreign_keys = off; DROP TRIGGER index_item_gone;
                DELETE FROM items WHERE id = 1;";
    copy.execute_batch(take).unwrap();
    drop(copy);
    let ran = place.jezero(&["backup", "copy.db", "--verify-only"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let fault = "damaged: item 1 is in the index and not in the library";
    assert!(ran.out.contains(fault), "{ran:?}");
    let orphan = "damaged: a row of originals belongs to none of items";
    assert!(ran.out.contains(orphan), "{ran:?}");

    place.write("note.txt", "no copy at all");
    for (name, told) in [
        ("note.txt", "is no copy of a library"),
        ("nowhere.db", "there is no copy at nowhere.db"),
    ] {
        for command in [
            &["backup", "--verify-only", name][..],
            &["restore", name][..],
        ] {
            let ran = place.jezero(command);
            assert_eq!(ran.code, 2, "{ran:?}");
            assert!(ran.notes.contains(told), "{ran:?}");
        }
    }
}

#[test]
fn a_damaged_library_is_restored_from_a_copy_and_searched() {
    let place = copied();
    place.session("s3", &conversation("three", 3));
    place.run_all();
    damage(&place, "data/jezero.db");
    assert_eq!(place.jezero(&["search", "checkout"]).code, 1);
    let damaged = std::fs::read(place.path("data/jezero.db")).unwrap();

    let ran = place.jezero(&["restore", "copy.db"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.out.contains("data/jezero.db: 2 items"), "{ran:?}");
    assert!(ran.out.contains("what was there is kept as"), "{ran:?}");
    let found = place.jezero(&["search", "checkout", "--json"]).json();
    assert_eq!(found["count"], 2);
    assert_eq!(place.jezero(&["index", "check"]).code, 0);
    let kept: Vec<String> = names(&place, "data")
        .into_iter()
        .filter(|name| name.starts_with("jezero.db.before-restore-"))
        .collect();
    assert_eq!(kept.len(), 1, "{kept:?}");
    let kept = std::fs::read(place.path(&format!("data/{}", kept[0]))).unwrap();
    assert!(kept == damaged);
    // Again within the second: nothing that was kept is written over.
    assert_eq!(place.jezero(&["restore", "copy.db"]).code, 0);
    let kept = names(&place, "data").into_iter();
    let kept = kept.filter(|name| name.contains(".before-restore-") && !name.ends_with("-wal"));
    assert_eq!(kept.count(), 2);
    // What came after the copy is read from the sources again, and nothing else.
    let report = place.run();
    assert_eq!(
        (&report["units_unchanged"], &report["stored"]),
        (&2.into(), &1.into())
    );
}

#[test]
fn a_library_that_is_gone_or_begins_as_nothing_known_is_restored() {
    for header in [None, Some([0_u8; 100])] {
        let place = copied();
        match header {
            None => std::fs::remove_dir_all(place.path("data")).unwrap(),
            Some(zeros) => {
                let mut bytes = std::fs::read(place.path("data/jezero.db")).unwrap();
                bytes[..100].copy_from_slice(&zeros);
                place.write("data/jezero.db", bytes);
            }
        }
        let ran = place.jezero(&["restore", "copy.db", "--json"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        assert_eq!(ran.json()["items"], 2);
        assert_eq!(ran.json()["kept"].is_null(), header.is_none());
        assert_eq!(place.export().len(), 2);
    }
}

#[test]
fn the_log_of_what_was_there_is_kept_with_it_and_not_with_the_copy() {
    let place = copied();
    let library = place.raw("data/jezero.db");
    let change = "UPDATE items SET title = 'only in the log' WHERE id = 1";
    library.execute_batch(change).unwrap();
    // As a kill leaves it: nobody closes the library.
    std::mem::forget(library);
    assert!(place.path("data/jezero.db-wal").exists());
    let ran = place.jezero(&["restore", "copy.db", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let titles = |place: &Place| -> Vec<String> {
        let items = place.export();
        let title = |item: &serde_json::Value| item["title"].as_str().unwrap().to_owned();
        items.iter().map(title).collect()
    };
    assert!(!titles(&place).contains(&"only in the log".to_owned()));
    let kept = ran.json()["kept"].as_str().unwrap().to_owned();
    let kept = kept.rsplit('/').next().unwrap().to_owned();
    let old = place.raw(&format!("data/{kept}"));
    let title: String = old
        .query_row("SELECT title FROM items WHERE id = 1", [], |row| row.get(0))
        .unwrap();
    assert_eq!(title, "only in the log");
}

#[test]
fn a_log_whose_library_is_gone_is_kept() {
    let place = copied();
    std::fs::remove_file(place.path("data/jezero.db")).unwrap();
    place.write("data/jezero.db-wal", "what the log held");
    let ran = place.jezero(&["restore", "copy.db", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let kept = ran.json()["kept"].as_str().unwrap().to_owned();
    assert!(kept.ends_with("-wal"), "{kept}");
    assert_eq!(std::fs::read(kept).unwrap(), b"what the log held");
    assert_eq!(place.export().len(), 2);
}

#[cfg(unix)]
#[test]
fn a_library_that_is_a_link_stays_one_and_what_it_leads_to_is_restored() {
    for is_there in [true, false] {
        let place = copied();
        std::fs::create_dir(place.path("disk")).unwrap();
        std::fs::rename(place.path("data/jezero.db"), place.path("disk/whole.db")).unwrap();
        let link = place.path("data/jezero.db");
        std::os::unix::fs::symlink("../disk/whole.db", &link).unwrap();
        match is_there {
            true => damage(&place, "disk/whole.db"),
            false => std::fs::remove_file(place.path("disk/whole.db")).unwrap(),
        }
        let ran = place.jezero(&["restore", "copy.db", "--json"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        assert!(link.is_symlink());
        assert_eq!(place.export().len(), 2);
        let kept = names(&place, "disk").into_iter();
        let kept = kept.filter(|name| name.starts_with("whole.db.before-restore-"));
        assert_eq!(kept.count(), usize::from(is_there));
    }
}

#[test]
fn nothing_is_put_in_place_of_a_library_without_need_or_from_a_bad_copy() {
    let place = copied();
    place.session(
        "s3",
        &[record("user", "x", 90, "The third session is short.")],
    );
    place.run_all();
    damage(&place, "copy.db");
    let ran = place.jezero(&["restore", "copy.db"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(
        ran.notes.contains("the library was left as it is"),
        "{ran:?}"
    );
    let ran = place.jezero(&["restore", "data/../data/jezero.db"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.notes.contains("is the library itself"), "{ran:?}");
    assert_eq!(place.export().len(), 3);

    assert_eq!(place.jezero(&["backup", "good.db"]).code, 0);
    for file in ["jezero.db", "jezero.db-wal", "jezero.db-shm"] {
        drop(std::fs::remove_file(place.path(&format!("data/{file}"))));
    }
    let foreign = place.raw("data/jezero.db");
    foreign.execute_batch("CREATE TABLE theirs (a)").unwrap();
    drop(foreign);
    let before = std::fs::read(place.path("data/jezero.db")).unwrap();
    let ran = place.jezero(&["restore", "good.db"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(
        ran.notes.contains("another program's SQLite file"),
        "{ran:?}"
    );
    assert!(std::fs::read(place.path("data/jezero.db")).unwrap() == before);
}

#[cfg(unix)]
#[test]
fn a_restored_library_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let place = copied();
    let open = std::fs::Permissions::from_mode(0o644);
    std::fs::set_permissions(place.path("copy.db"), open).unwrap();
    assert_eq!(place.jezero(&["restore", "copy.db"]).code, 0);
    for name in names(&place, "data") {
        let mode = std::fs::metadata(place.path(&format!("data/{name}"))).unwrap();
        assert_eq!(mode.permissions().mode() & 0o077, 0, "{name}");
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "a copy that somebody has used, and what is in the file itself"
)]
#[test]
fn what_stands_in_the_log_of_a_copy_comes_back_with_it() {
    let place = copied();
    let used = rusqlite::Connection::open(place.path("copy.db")).unwrap();
    used.pragma_update(None, "journal_mode", "wal").unwrap();
    used.execute("INSERT INTO meta (key, value) VALUES ('late', '1')", [])
        .unwrap();
    for log in ["", "-wal"] {
        let from = place.path(&format!("copy.db{log}"));
        std::fs::copy(from, place.path(&format!("kept.db{log}"))).unwrap();
    }
    drop(used);
    let before = place.export();
    let ran = place.jezero(&["restore", "kept.db"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(place.export(), before);
    let library = rusqlite::Connection::open(place.path("data/jezero.db")).unwrap();
    let late = "SELECT value FROM meta WHERE key = 'late'";
    let late: String = library.query_row(late, [], |row| row.get(0)).unwrap();
    assert_eq!(late, "1");
}
