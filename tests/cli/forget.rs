//! What was forgotten is gone to the last byte, and stays away whatever brings it.

use super::place::{Place, conversation, record};

/// Whether a file of the library holds some bytes.
fn holds(place: &Place, bytes: &[u8]) -> bool {
    std::fs::read_dir(place.path("data")).unwrap().any(|entry| {
        let file = std::fs::read(entry.unwrap().path()).unwrap();
        memchr::memmem::find(&file, bytes).is_some()
    })
}

/// The stored original of an item, compressed as it stands in the file.
fn frame(place: &Place, item: i64) -> Vec<u8> {
    let sql = "SELECT zstd FROM originals WHERE item = ?1";
    let library = place.raw("data/jezero.db");
    library.query_row(sql, [item], |row| row.get(0)).unwrap()
}

fn external_ids(place: &Place) -> Vec<String> {
    let mut ids: Vec<String> = place
        .export()
        .iter()
        .map(|item| item["external_id"].as_str().unwrap().to_owned())
        .collect();
    ids.sort();
    ids
}

fn said(id: &str, uuid: &str, minute: u32, text: &str) -> (String, Vec<String>) {
    (id.to_owned(), vec![record("user", uuid, minute, text)])
}

/// A place whose sessions are cut into segments of at most a thousand characters.
fn finely_cut() -> Place {
    let place = Place::new();
    let settings = std::fs::read_to_string(place.path("jezero.toml")).unwrap();
    place.write(
        "jezero.toml",
        format!("[summarizer]\nmax_input_chars = 1000\n{settings}"),
    );
    place
}

#[test]
fn a_forgotten_item_is_nowhere_in_the_files() {
    let place = Place::new();
    for session in 0..30 {
        let tag = format!("tag{session}");
        place.session(&format!("s{session:02}"), &conversation(&tag, 12));
    }
    let (id, lines) = said(
        "s99",
        "only",
        5,
        "Decision: the quixotropic ledger moves to Zanzibar-Annex.",
    );
    place.session(&id, &lines);
    place.run();
    let found = place.jezero(&["search", "quixotropic", "--json"]).json();
    let item = found["results"][0]["id"].as_i64().unwrap();
    let frame = frame(&place, item);
    assert!(holds(&place, b"quixotropic") && holds(&place, &frame));

    let ran = place.jezero(&["forget", &item.to_string(), "--yes", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(
        ran.out,
        "{\"forgotten\":true,\"items\":1,\"units\":0,\"erased\":true}\n"
    );
    for word in ["quixotropic", "anzibar", "annex"] {
        assert!(!holds(&place, word.as_bytes()), "{word}");
    }
    assert!(!holds(&place, &frame));
    assert_eq!(place.jezero(&["show", &item.to_string()]).code, 1);
    assert_eq!(place.jezero(&["index", "check"]).code, 0);
    assert_eq!(place.export().len(), 30);
}

#[test]
fn no_run_reset_or_import_brings_a_forgotten_session_back() {
    let place = Place::new();
    place.session("s1", &conversation("one", 3));
    place.session("s2", &conversation("two", 3));
    place.run();
    place.jezero(&["export-jsonl", "all.jsonl"]);
    let ran = place.jezero(&["forget", "--unit", "claude-code-session:s1", "--yes"]);
    assert_eq!(
        (ran.code, ran.out.as_str()),
        (0, "forgotten: 1 item, one session as a whole\n")
    );
    assert_eq!(external_ids(&place), ["s2#0"]);

    assert_eq!(place.run()["stored"], 0);
    place.jezero(&["connector", "reset", "agent-claude", "--yes"]);
    let report = place.run();
    assert_eq!(
        (&report["stored"], &report["units_left_out"]),
        (&0.into(), &1.into())
    );
    // Grown, and copied under another name.
    let mut grown = conversation("one", 3);
    grown.push(record("user", "late", 90, "One more thing."));
    place.session("s1", &grown);
    place.session("z-copy", &grown);
    place.run();
    let items = place.export();
    assert_eq!(items.len(), 2);
    assert_eq!(
        items[1]["original"],
        "[2026-10-01 01:30] user: One more thing."
    );
    // Imported, into this source and into another one.
    for source in ["agent-claude", "notes"] {
        let ran = place.jezero(&["import-jsonl", "all.jsonl", "--source", source]);
        let left_out = ran.json()["forgotten"].clone();
        assert_eq!(left_out, 1, "{ran:?}");
        assert!(ran.notes.contains("`jezero forget --undo`"), "{ran:?}");
    }
    let ids = external_ids(&place);
    assert_eq!(ids, ["s2#0", "s2#0", "z-copy#6"]);

    // Until it is let in again.
    let ran = place.jezero(&["forget", "--undo", "--unit", "s1"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    place.run();
    assert_eq!(external_ids(&place), ["s1#0", "s2#0", "s2#0", "z-copy#6"]);
    assert_eq!(place.jezero(&["forget", "--undo", "--unit", "s1"]).code, 1);
}

#[test]
fn a_forgotten_segment_stays_away_however_the_session_is_cut() {
    let place = finely_cut();
    let turns: Vec<String> = (0..8)
        .map(|turn| {
            // Of two sizes that do not fit together, while two of the small ones would.
            let times = if turn % 2 == 0 { 45 } else { 75 };
            let tag = format!("marker{turn} ").repeat(times);
            record("user", &format!("u{turn}"), turn, &tag)
        })
        .collect();
    place.session("s1", &turns);
    place.run();
    let before = external_ids(&place);
    assert_eq!(
        before,
        (0..8).map(|n| format!("s1#{n}")).collect::<Vec<_>>()
    );
    let second = place.jezero(&["search", "marker1", "--json"]).json()["results"][0]["id"].clone();
    let ran = place.jezero(&["forget", &second.to_string(), "--yes"]);
    assert_eq!(ran.code, 0, "{ran:?}");

    place.jezero(&["connector", "reset", "agent-claude", "--yes"]);
    let report = place.run();
    assert_eq!(
        (&report["unchanged"], &report["stored"]),
        (&7.into(), &0.into()),
        "{report}"
    );
    // Cut anew, with room for everything in one segment.
    let settings = std::fs::read_to_string(place.path("jezero.toml")).unwrap();
    place.write("jezero.toml", settings.replace("= 1000", "= 60000"));
    place.jezero(&["connector", "reset", "agent-claude", "--yes"]);
    place.run();
    assert_eq!(external_ids(&place), ["s1#0", "s1#2"]);
    let originals: String = place
        .export()
        .iter()
        .map(|item| item["original"].as_str().unwrap().to_owned())
        .collect();
    assert!(!originals.contains("marker1") && originals.contains("marker7"));
    assert!(!holds(&place, b"marker1"));
}

#[test]
fn what_a_session_adds_after_its_end_was_forgotten_is_stored() {
    let place = Place::new();
    let mut lines = conversation("one", 3);
    // A line without an id of its own is known by its place and time.
    lines.push(record("user", "", 20, "no id of its own").replace("\"uuid\":\"\",", ""));
    place.session("s1", &lines);
    place.run();
    assert_eq!(place.jezero(&["forget", "1", "--yes"]).code, 0);
    lines.push(record("user", "late", 90, "One more thing."));
    place.session("s1", &lines);
    assert_eq!(place.run()["stored"], 1);
    let items = place.export();
    assert_eq!(items[0]["external_id"], "s1#7");
    assert_eq!(
        items[0]["original"],
        "[2026-10-01 01:30] user: One more thing."
    );
}

#[test]
fn a_forgotten_source_brings_nothing_until_it_is_let_in() {
    let place = Place::new();
    place.session("s1", &conversation("one", 3));
    place.run();
    let ran = place.jezero(&["forget", "--source", "agent-claude", "--yes", "--json"]);
    assert_eq!(
        ran.out,
        "{\"forgotten\":true,\"items\":1,\"units\":1,\"erased\":true}\n"
    );
    assert!(ran.notes.contains("enabled = false"), "{ran:?}");
    assert!(!holds(&place, b"checkout"));
    place.session("s2", &conversation("two", 3));
    let report = place.run();
    assert_eq!(
        (&report["stored"], &report["units"]),
        (&0.into(), &0.into())
    );
    assert!(report["note"].as_str().unwrap().contains("forget --undo"));
    let state = place.jezero(&["connector", "list", "--json"]).json();
    assert_eq!(state[0]["items"], 0);
    assert_eq!(place.export().len(), 0);

    let ran = place.jezero(&["forget", "--undo", "--source", "agent-claude", "--json"]);
    assert_eq!(ran.out, "{\"lifted\":1,\"marks_forgotten\":0}\n");
    assert_eq!(place.run()["stored"], 2);
}

#[test]
fn without_yes_nothing_is_forgotten_and_a_wrong_name_is_told() {
    let place = Place::new();
    place.session("s1", &conversation("one", 3));
    place.run();
    let ran = place.jezero(&["forget", "1"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(
        ran.out.starts_with("[1] ") && ran.notes.contains("--yes"),
        "{ran:?}"
    );
    for (arguments, message) in [
        (&["forget", "1", "7", "8", "--yes"][..], "no item 7, 8"),
        (
            &["forget", "--unit", "nobody", "--yes"],
            "no session has that",
        ),
        (
            &["forget", "--source", "nobody", "--yes"],
            "no source nobody",
        ),
    ] {
        let ran = place.jezero(arguments);
        assert_eq!(ran.code, 1, "{ran:?}");
        assert!(
            ran.notes.contains(message) && ran.notes.contains("nothing was forgotten"),
            "{ran:?}"
        );
    }
    assert_eq!(place.jezero(&["forget", "--yes"]).code, 2);
    assert_eq!(place.jezero(&["forget", "1", "--undo"]).code, 2);
    assert_eq!(place.export().len(), 1);
}

#[test]
fn what_a_kill_left_in_the_file_goes_when_the_library_is_next_written() {
    let place = Place::new();
    for session in 0..20 {
        let tag = format!("tag{session}");
        place.session(&format!("s{session:02}"), &conversation(&tag, 12));
    }
    let (id, lines) = said("s99", "only", 5, "Decision: the quixotropic ledger moves.");
    place.session(&id, &lines);
    place.run();
    // As a kill leaves it between the removal and the erasing: rows gone, words still there.
    let library = place.raw("data/jezero.db");
    library
        .execute_batch(
            "PRAGMA foreign_keys = ON; PRAGMA secure_delete = OFF;
             DELETE FROM items WHERE external_id = 's99#0';
             INSERT INTO meta VALUES ('erase_due', '1');",
        )
        .unwrap();
    drop(library);
    assert!(holds(&place, b"quixotropic"));
    place.jezero(&["connector", "reset", "agent-claude", "--yes"]);
    assert!(!holds(&place, b"quixotropic"));
    assert_eq!(place.jezero(&["index", "check"]).code, 0);
}

#[test]
fn a_copy_in_another_source_is_forgotten_with_an_item() {
    let place = Place::new();
    place.session("s1", &conversation("one", 3));
    place.session("s2", &conversation("two", 3));
    place.run();
    place.jezero(&["export-jsonl", "all.jsonl"]);
    place.jezero(&["import-jsonl", "all.jsonl", "--source", "mirror"]);
    assert_eq!(place.export().len(), 4);
    let ran = place.jezero(&["forget", "1", "--yes", "--json"]);
    assert_eq!(ran.json()["items"], 2, "{ran:?}");
    assert_eq!(external_ids(&place), ["s2#0", "s2#0"]);
    // Also one that comes only now, by import or by a run.
    let ran = place.jezero(&["import-jsonl", "all.jsonl", "--source", "later"]);
    assert_eq!(ran.json()["forgotten"], 1, "{ran:?}");
    let settings = std::fs::read_to_string(place.path("jezero.toml")).unwrap();
    place.write(
        "jezero.toml",
        settings.replace("agent-claude", "agent-mirror"),
    );
    let report = place.run();
    assert_eq!(
        (&report["stored"], &report["units_left_out"]),
        (&1.into(), &1.into())
    );
    assert!(
        place
            .export()
            .iter()
            .all(|item| item["external_id"] == "s2#0")
    );
}
