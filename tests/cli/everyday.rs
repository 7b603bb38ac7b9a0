//! What people do every day: run, search, show, list, take out and bring in.

use super::place::{Place, conversation, record, root};

#[test]
fn a_session_goes_in_by_run_and_comes_back_from_search() {
    let place = Place::new();
    place.session(
        "4b1c2d9e-0000-4000-8000-000000000001",
        &[
            record(
                "user",
                "u1",
                0,
                "Why do exported invoices show broken accents?",
            ),
            record(
                "assistant",
                "a1",
                3,
                "The writer used latin-1. We decided to write UTF-8 with a BOM instead.",
            ),
        ],
    );
    let ran = place.jezero(&["run"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(
        ran.out.starts_with("agent-claude: stored 1 item\n"),
        "{ran:?}"
    );
    assert!(
        ran.notes
            .contains("The library holds 1 item. Ask it:\n  jezero search \""),
        "{ran:?}"
    );

    let found = place.jezero(&["search", "ACCÉNTS", "--json"]).json();
    assert_eq!(found["count"], 1);
    let item = &found["results"][0];
    assert_eq!(
        item["external_id"],
        "4b1c2d9e-0000-4000-8000-000000000001#0"
    );
    assert_eq!(item["occurred_at"], "2026-10-01T00:03:00+00:00");
    assert_eq!(
        item["original_ref"],
        "claude-code-session:4b1c2d9e-0000-4000-8000-000000000001"
    );
    assert_eq!(
        (&item["project"], &item["trust"]),
        (&"shop".into(), &"own".into())
    );

    let shown = place.jezero(&["show", "1", "--original", "--json"]).json();
    assert_eq!(
        shown["item"]["original"],
        "[2026-10-01 00:00] user: Why do exported invoices show broken accents?\n\
         [2026-10-01 00:03] assistant: The writer used latin-1. We decided to write UTF-8 with a BOM instead."
    );
}

#[test]
fn a_second_run_reads_nothing_and_a_grown_session_only_its_end() {
    let place = Place::new();
    let mut lines = conversation("one", 3);
    place.session("s1", &lines);
    assert_eq!(place.run()["stored"], 1);
    let again = place.run();
    assert_eq!(
        (&again["units"], &again["units_unchanged"], &again["docs"]),
        (&1.into(), &1.into(), &0.into())
    );

    lines.push(record("user", "late", 90, "One more thing."));
    place.session("s1", &lines);
    let grown = place.run();
    assert_eq!((&grown["stored"], &grown["docs"]), (&1.into(), &1.into()));
    let items = place.export();
    assert_eq!(items.len(), 1);
    assert!(
        items[0]["original"]
            .as_str()
            .unwrap()
            .ends_with("[2026-10-01 01:30] user: One more thing.")
    );
}

#[test]
fn a_secret_is_nowhere_in_the_library_wherever_it_stood() {
    let place = Place::new();
    let secret = |tag: &str| format!("sk-ant-{}-{tag}{}AA", "api03", "Zx9".repeat(31));
    let (said, titled, worked) = (secret("said"), secret("titled"), secret("worked"));
    let (folder, file) = (secret("folder"), secret("file"));
    let mut lines = [
        record(
            "user",
            "u1",
            0,
            &format!("use the key {said} for the model"),
        ),
        serde_json::json!({"type": "ai-title", "aiTitle": format!("With {titled}")}).to_string(),
    ];
    lines[0] = lines[0].replace("/home/me/code/shop", &format!("/home/me/code/{worked}"));
    std::fs::create_dir(place.path(&format!("sessions/{folder}"))).unwrap();
    place.write(
        &format!("sessions/{folder}/{file}.jsonl"),
        lines.join("\n") + "\n",
    );
    let ran = place.jezero(&["run", "--json"]);
    assert_eq!(ran.json()["stored"], 1, "{ran:?}");
    let item = &place.export()[0];
    let original = item["original"].as_str().unwrap();
    assert!(original.contains("use the key [REDACTED:"), "{item}");
    // Read once more from where it ended: what is remembered of it holds none of them either.
    lines[1] = record("assistant", "a1", 5, "Done.");
    let path = format!("sessions/{folder}/{file}.jsonl");
    let before = std::fs::read_to_string(place.path(&path)).unwrap();
    place.write(&path, before + &lines[1] + "\n");
    assert_eq!(place.run()["stored"], 1);
    assert!(
        place.export()[0]["title"]
            .as_str()
            .unwrap()
            .starts_with("With [REDACTED:")
    );

    let mut kept = vec![("output", (ran.out + &ran.notes).into_bytes())];
    for entry in std::fs::read_dir(place.path("data")).unwrap() {
        kept.push(("library", std::fs::read(entry.unwrap().path()).unwrap()));
    }
    for (what, bytes) in kept {
        for secret in [&said, &titled, &worked, &folder, &file] {
            let found = bytes
                .windows(secret.len())
                .any(|window| window == secret.as_bytes());
            assert!(!found, "{secret} stands in the {what}");
        }
    }
}

#[test]
fn a_forked_pair_gives_one_conversation() {
    let place = Place::new();
    let shared = conversation("shared", 3);
    let mut fork = shared.clone();
    fork.push(record("user", "new", 90, "Let us try another way."));
    place.session("a-origin", &shared);
    place.session("b-fork", &fork);
    assert_eq!(place.run()["records_owned_elsewhere"], 6);
    let items = place.export();
    assert_eq!(items.len(), 2);
    assert_eq!(
        items[1]["original"],
        "[2026-10-01 01:30] session: continues a-origin\n[2026-10-01 01:30] user: Let us try another way."
    );
}

#[test]
fn the_shipped_configuration_fills_a_library_from_the_fixtures() {
    let place = Place::new();
    let shipped = std::fs::read_to_string(root().join("jezero.toml")).unwrap();
    place.write(
        "jezero.toml",
        shipped.replace("\"fixtures/", &format!("\"{}/fixtures/", root().display())),
    );
    let report = place.run();
    assert_eq!(
        (&report["failed"], &report["records_passed_over"]),
        (&0.into(), &0.into()),
        "{report}"
    );
    assert!(report["stored"].as_u64().unwrap() >= 12, "{report}");
    assert!(report["redactions"].as_u64().unwrap() >= 1, "{report}");
    let checked = place.jezero(&["index", "check"]);
    assert_eq!(
        (checked.code, checked.notes.as_str()),
        (0, ""),
        "{checked:?}"
    );
    let found = place.jezero(&["search", "invoice export", "--json"]).json();
    assert!(found["count"].as_u64().unwrap() >= 2, "{found}");
}

#[test]
fn what_is_taken_out_comes_in_again_the_same() {
    let place = Place::new();
    place.session("s1", &conversation("one", 3));
    place.session("s2", &conversation("two", 4));
    place.run();
    assert_eq!(place.jezero(&["export-jsonl", "all.jsonl"]).code, 0);
    let other = Place::new();
    std::fs::copy(place.path("all.jsonl"), other.path("all.jsonl")).unwrap();
    let ran = other.jezero(&["import-jsonl", "all.jsonl", "--source", "agent-claude"]);
    assert_eq!(
        (ran.code, ran.out.as_str()),
        (0, "{\"inserted\":2,\"updated\":0,\"unchanged\":0}\n"),
        "{ran:?}"
    );
    assert_eq!(other.export(), place.export());

    // A run over the same sessions finds them stored and has nothing to pay for.
    other.session("s1", &conversation("one", 3));
    other.session("s2", &conversation("two", 4));
    let report = other.run();
    assert_eq!(
        (&report["docs"], &report["unchanged"], &report["stored"]),
        (&2.into(), &2.into(), &0.into())
    );
    assert_eq!(other.export(), place.export());
    assert_eq!(other.run()["units_unchanged"], 2);
}

#[test]
fn what_is_newer_on_a_subject_is_shown_newest_first() {
    let place = Place::new();
    for (id, uuid, minute, text) in [
        (
            "s1",
            "1",
            0,
            "Decision: the invoice export is written as UTF-8 with BOM.",
        ),
        (
            "s2",
            "2",
            14400,
            "Decision: the invoice export is plain UTF-8 without BOM.",
        ),
    ] {
        place.session(id, &[record("user", uuid, minute, text)]);
    }
    place.run();
    let ran = place.jezero(&["show", "1", "--newer", "--query", "invoice export"]);
    assert!(
        ran.out
            .starts_with("NEWER ON THIS SUBJECT\n[2] 2026-10-11  agent-claude  "),
        "{ran:?}"
    );
    let answer = place
        .jezero(&["show", "1", "--newer", "--query", "zebra", "--json"])
        .json();
    assert_eq!(
        (&answer["matched_by"], &answer["count"]),
        (&"project_timeline".into(), &1.into())
    );
}

#[test]
fn connectors_are_listed_with_their_state_and_can_be_reset() {
    let place = Place::new();
    place.session("s1", &conversation("one", 2));
    let before = place.jezero(&["connector", "list", "--json"]).json();
    assert_eq!(
        (&before[0]["last_run_at"], &before[0]["items"]),
        (&serde_json::Value::Null, &0.into())
    );
    place.run();
    let after = place.jezero(&["connector", "list", "--json"]).json();
    assert_eq!(
        (&after[0]["items"], &after[0]["last_error"]),
        (&1.into(), &serde_json::Value::Null)
    );
    assert!(after[0]["last_success_at"].is_string());
    assert_eq!(before[0]["due_at"], serde_json::Value::Null);
    let seconds = |key: &str| {
        let text = after[0][key].as_str().unwrap();
        jezero_connectors::Instant::parse(text).unwrap().unix()
    };
    assert_eq!(seconds("due_at") - seconds("last_run_at"), 15 * 60);

    assert!(
        place
            .jezero(&["connector", "reset", "agent-claude"])
            .notes
            .contains("--yes")
    );
    assert_eq!(place.run()["units_unchanged"], 1);
    place.jezero(&["connector", "reset", "agent-claude", "--yes"]);
    let report = place.run();
    assert_eq!(
        (&report["docs"], &report["unchanged"], &report["stored"]),
        (&1.into(), &1.into(), &0.into())
    );
}

#[test]
fn due_keeps_to_the_interval() {
    let place = Place::new();
    place.session("s1", &conversation("one", 2));
    let first = place.jezero(&["run", "--due"]);
    let last = first.out.lines().last().unwrap();
    assert_eq!(
        last,
        "{\"due\":{\"ran\":[\"agent-claude\"],\"not_due_until\":{}}}"
    );
    let second = place.jezero(&["run", "--due"]);
    assert!(
        second
            .out
            .starts_with("{\"due\":{\"ran\":[],\"not_due_until\":{\"agent-claude\":\"20"),
        "{second:?}"
    );

    // A last run in the far future is a mistake of the clock and no reason to wait for it.
    let far = "UPDATE connector_state SET last_run_at = 4102444800";
    place.raw("data/jezero.db").execute(far, []).unwrap();
    let third = place.jezero(&["run", "--due"]);
    let ran = "{\"due\":{\"ran\":[\"agent-claude\"],\"not_due_until\":{}}}\n";
    assert!(third.out.ends_with(ran), "{third:?}");
}

#[cfg(unix)]
#[test]
fn the_library_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    place.session("s1", &conversation("one", 2));
    place.run();
    let mode = |name: &str| {
        std::fs::metadata(place.path(name))
            .unwrap()
            .permissions()
            .mode()
            & 0o777
    };
    assert_eq!(
        (
            mode("data"),
            mode("data/jezero.db"),
            mode("data/jezero.db.lock")
        ),
        (0o700, 0o600, 0o600)
    );
}

#[test]
fn originals_are_searched_by_scope_unless_they_are_not_indexed() {
    let place = Place::new();
    place.session("s1", &conversation("one", 30));
    place.run();
    let found = |scope: &str| {
        let ran = place.jezero(&["search", "one", "--scope", scope, "--json"]);
        ran.json()["count"].clone()
    };
    assert_eq!((found("original"), found("all")), (1.into(), 1.into()));
    let config = std::fs::read_to_string(place.path("jezero.toml")).unwrap();
    place.write(
        "jezero.toml",
        format!("[search]\noriginals = false\n{config}"),
    );
    let ran = place.jezero(&["search", "one", "--scope", "original"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.notes.contains("[search].originals is false"), "{ran:?}");
    place.run();
    let originals = || place.jezero(&["index", "check", "--json"]).json()["originals"].clone();
    assert_eq!(originals(), 0);
    place.write("jezero.toml", config);
    place.run();
    assert_eq!((originals(), found("original")), (1.into(), 1.into()));
    let wrong = place.jezero(&["search", "one", "--scope", "everything"]);
    assert_eq!(wrong.code, 2, "{wrong:?}");
}
