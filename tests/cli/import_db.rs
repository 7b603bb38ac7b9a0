//! A library of the Python package, built by its documented layout, becomes one of this program.

use rusqlite::{Connection, params};

use super::place::{Place, conversation, record};

const LAYOUT: &str = "
    PRAGMA journal_mode = WAL;
    CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT);
    INSERT INTO meta VALUES ('schema_version', '1'), ('tokenizer', 'trigram remove_diacritics 1'),
        ('watchdog.last_alert.agent-claude', '2026-10-01T00:00:00+00:00');
    CREATE TABLE items (id INTEGER PRIMARY KEY, source TEXT NOT NULL, external_id TEXT NOT NULL,
        occurred_at TEXT NOT NULL, ingested_at TEXT NOT NULL, title TEXT NOT NULL,
        summary TEXT NOT NULL, questions TEXT NOT NULL DEFAULT '[]',
        atoms TEXT NOT NULL DEFAULT '[]', project TEXT, account TEXT, original TEXT,
        original_ref TEXT, trust TEXT NOT NULL CHECK (trust IN ('own', 'external')),
        content_hash TEXT, UNIQUE (source, external_id));
    CREATE INDEX items_occurred ON items (occurred_at);
    CREATE INDEX items_project ON items (project, occurred_at);
    CREATE INDEX items_source ON items (source, occurred_at);
    CREATE VIRTUAL TABLE items_fts USING fts5 (title, summary, questions, atoms, project,
        tokenize = 'trigram remove_diacritics 1');
    CREATE TABLE connector_state (name TEXT PRIMARY KEY, cursor TEXT, last_run_at TEXT,
        last_success_at TEXT, last_item_at TEXT, last_error TEXT);
    INSERT INTO connector_state VALUES ('agent-claude', '1790000000.5',
        '2026-10-20T10:00:00.123456+00:00', '2026-10-20T10:00:05+00:00',
        '2026-10-19T21:23:12+00:00', NULL);";

/// Writes an item with its row of the index, as the package does.
fn put(library: &Connection, id: i64, external_id: &str, title: &str, original: Option<&str>) {
    let unit = external_id.split('#').next().unwrap();
    library
        .execute(
            "INSERT INTO items VALUES (?1, 'agent-claude', ?2, '2026-10-19T21:23:12.043076+00:00',
                '2026-10-19T22:00:00+00:00', ?3, ?4, ?5, ?6, 'billing', NULL, ?7, ?8, 'own',
                'aaaa')",
            params![
                id,
                external_id,
                title,
                format!("{title}, told at length."),
                "[\"Why broken accents?\"]",
                "[{\"kind\": \"error\", \"text\": \"UnicodeEncodeError: latin-1\"}]",
                original,
                format!("claude-code-session:{unit}"),
            ],
        )
        .unwrap();
    let index = "INSERT INTO items_fts (rowid, title, summary, questions, atoms, project)
                 VALUES (?1, ?2, ?3, 'Why broken accents?', 'UnicodeEncodeError: latin-1', 'billing')";
    let row = params![id, title, format!("{title}, told at length.")];
    library.execute(index, row).unwrap();
}

/// A place with such a library of three items at `old.db`.
fn with_old() -> (Place, Connection) {
    let place = Place::new();
    let library = place.raw("old.db");
    library.execute_batch(LAYOUT).unwrap();
    let key = format!("sk-ant-{}-{}AA", "api03", "Zx9".repeat(31));
    put(
        &library,
        7,
        "s1#0",
        "Invoice export in UTF-8",
        Some("[2026-10-19 21:05] user: the export"),
    );
    put(
        &library,
        9,
        "s1#40",
        "Invoice import",
        Some(&format!("the key is {key} here")),
    );
    put(&library, 12, "note-17", "A note without an original", None);
    (place, library)
}

fn import(place: &Place) -> serde_json::Value {
    let ran = place.jezero(&["import-db", "old.db", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    ran.json()
}

#[test]
fn items_keep_their_numbers_and_are_found_by_the_same_searches() {
    let (place, library) = with_old();
    drop(library);
    let before = std::fs::read(place.path("old.db")).unwrap();
    assert_eq!(
        import(&place),
        serde_json::json!({"inserted": 3, "unchanged": 0, "forgotten": 0, "mended": 0,
            "passed_over": 0, "connectors": 1, "redactions": 1, "problems": []})
    );
    // The old file is as it was, with nothing beside it.
    assert_eq!(std::fs::read(place.path("old.db")).unwrap(), before);
    assert!(!place.path("old.db-wal").exists() && !place.path("old.db-shm").exists());

    let numbers = |words: &str| -> Vec<i64> {
        let found = place.jezero(&["search", words, "--json"]).json();
        let hits = found["results"].as_array().unwrap().clone();
        hits.iter().map(|hit| hit["id"].as_i64().unwrap()).collect()
    };
    assert_eq!(numbers("utf-8"), [7]);
    assert_eq!(numbers("import"), [9]);
    assert_eq!(numbers("unicodeencode").len(), 3);
    assert_eq!(numbers("billing").len(), 3);
    let items = place.export();
    assert_eq!(items[0]["occurred_at"], "2026-10-19T21:23:12+00:00");
    assert_eq!(items[0]["ingested_at"], "2026-10-19T22:00:00+00:00");
    assert_eq!(items[0]["questions"][0], "Why broken accents?");
    assert_eq!(items[0]["original"], "[2026-10-19 21:05] user: the export");
    assert_eq!(
        items[1]["original"],
        "the key is [REDACTED:anthropic-api-key] here"
    );
    assert_eq!(items[2]["original"], serde_json::Value::Null);
    let state = place.jezero(&["connector", "list", "--json"]).json();
    assert_eq!(state[0]["last_run_at"], "2026-10-20T10:00:00+00:00");
    assert_eq!(place.jezero(&["index", "check"]).code, 0);
    // Once more there is nothing to do, and new items get new numbers.
    let again = import(&place);
    assert_eq!(
        (&again["inserted"], &again["unchanged"]),
        (&0.into(), &3.into())
    );
    place.session("s2", &conversation("two", 2));
    place.run();
    assert_eq!(
        place.jezero(&["show", "13", "--json"]).json()["item"]["external_id"],
        "s2#0"
    );
}

#[test]
fn a_run_takes_the_sessions_over_that_are_still_there() {
    let (place, library) = with_old();
    drop(library);
    import(&place);
    place.session("s1", &[record("user", "u1", 1, "why is the tax id lost?")]);
    let report = place.run();
    assert_eq!(
        (&report["stored"], &report["pruned"]),
        (&1.into(), &1.into()),
        "{report}"
    );
    let items = place.export();
    let ids: Vec<_> = items
        .iter()
        .map(|item| item["external_id"].as_str().unwrap())
        .collect();
    assert_eq!(ids, ["s1#0", "note-17"]);
    assert_eq!(
        place.jezero(&["show", "7", "--json"]).json()["item"]["external_id"],
        "s1#0"
    );
}

#[test]
fn it_does_not_matter_how_the_old_index_was_made_nor_whether_a_log_is_there() {
    let (place, library) = with_old();
    library
        .execute_batch("DROP TABLE items_fts; PRAGMA wal_checkpoint(TRUNCATE)")
        .unwrap();
    // As for a program that does not know the module of the index.
    library
        .execute_batch(
            "PRAGMA writable_schema = ON;
             INSERT INTO sqlite_schema (type, name, tbl_name, rootpage, sql) VALUES ('table',
                'items_fts', 'items_fts', 0, 'CREATE VIRTUAL TABLE items_fts USING fts9 (title)');
             PRAGMA writable_schema = OFF;",
        )
        .unwrap();
    // This stands in the log alone, which the open connection keeps.
    library
        .execute("UPDATE items SET title = 'From the log' WHERE id = 7", [])
        .unwrap();
    assert!(std::fs::metadata(place.path("old.db-wal")).unwrap().len() > 0);
    assert_eq!(import(&place)["inserted"], 3);
    assert_eq!(place.export()[0]["title"], "From the log");
    drop(library);
}

#[test]
fn damaged_rows_are_named_and_passed_over() {
    let (place, library) = with_old();
    library
        .execute_batch(
            "UPDATE items SET source = 'Bad Name!*' WHERE id = 7;
             UPDATE items SET questions = '\"Why?\"', project = 4711,
                atoms = '[{\"kind\": \"idea\", \"text\": \"x\"}, 5]' WHERE id = 9;
             UPDATE items SET occurred_at = 'yesterday' WHERE id = 12;
             INSERT INTO items (id, source, external_id, occurred_at, ingested_at, title, summary,
                trust) VALUES (20, 'notes', 'n', '2026-10-01T00:00:00+00:00', '', x'ff00', 's', 'own');",
        )
        .unwrap();
    drop(library);
    let ran = place.jezero(&["import-db", "old.db", "--json"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let taken = ran.json();
    assert_eq!(
        (&taken["inserted"], &taken["passed_over"], &taken["mended"]),
        (&1.into(), &3.into(), &1.into())
    );
    assert_eq!(
        taken["problems"],
        serde_json::json!([
            {"item": 7, "reason": "its source is no name that a source can have"},
            {"item": 12, "reason": "its occurred_at is no date"},
            {"item": 20, "reason": "title holds bytes instead of text"},
        ])
    );
    let item = &place.export()[0];
    assert_eq!(
        (&item["questions"], &item["atoms"], &item["project"]),
        (
            &serde_json::json!([]),
            &serde_json::json!([]),
            &"4711".into()
        )
    );
}

#[test]
fn nothing_is_imported_where_a_number_is_in_use() {
    let (place, library) = with_old();
    drop(library);
    for session in 0..8 {
        place.session(
            &format!("t{session}"),
            &conversation(&format!("tag{session}"), 2),
        );
    }
    place.run();
    let before = place.export();
    let ran = place.jezero(&["import-db", "old.db"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(
        ran.notes
            .contains("item 7 of old.db cannot keep its number")
            && ran.notes.contains("[storage].path"),
        "{ran:?}"
    );
    assert_eq!(place.export(), before);
}

#[test]
fn an_old_library_where_ours_should_be_is_taken_over_as_the_message_says() {
    let (place, library) = with_old();
    drop(library);
    std::fs::create_dir(place.path("data")).unwrap();
    std::fs::rename(place.path("old.db"), place.path("data/jezero.db")).unwrap();
    let bytes = std::fs::read(place.path("data/jezero.db")).unwrap();
    for command in [&["run"][..], &["import-db", "data/jezero.db"]] {
        let ran = place.jezero(command);
        assert_eq!(ran.code, 2, "{ran:?}");
        let path = place.path("data/jezero.db");
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
        let told = ran.notes.split("take it over: ").nth(1).unwrap();
        let told = told.split("; ").next().unwrap().to_owned();
        let moved = place.path("data/jezero.python.db");
        assert!(
            told.starts_with("mv '") && told.ends_with("data/jezero.python.db'"),
            "{told}"
        );
        if command[0] == "import-db" {
            std::fs::rename(&path, &moved).unwrap();
        }
    }
    let ran = place.jezero(&["import-db", "data/jezero.python.db"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.out.starts_with("3 items taken over\n"), "{ran:?}");
    assert_eq!(place.export().len(), 3);
}

#[test]
fn another_file_is_no_old_library() {
    let (place, library) = with_old();
    library
        .execute(
            "UPDATE meta SET value = '2' WHERE key = 'schema_version'",
            [],
        )
        .unwrap();
    drop(library);
    place
        .raw("birds.db")
        .execute_batch("CREATE TABLE birds (name)")
        .unwrap();
    place.session("s1", &conversation("one", 2));
    place.run();
    place.jezero(&["backup", "ours.db"]);
    place.write("text.txt", "just a text");
    for (path, message) in [
        ("none.db", "there is no file none.db"),
        ("text.txt", "it is no SQLite file"),
        ("birds.db", "another program's SQLite file"),
        ("ours.db", "a library of this program already"),
        (
            "old.db",
            "a version of the Python package that is not known",
        ),
    ] {
        let ran = place.jezero(&["import-db", path]);
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.notes.contains(message), "{path}: {ran:?}");
    }
    assert_eq!(place.export().len(), 1);
}
