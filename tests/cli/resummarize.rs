//! Summaries made anew from what is stored, when the sources are long gone.

use super::place::{Place, conversation, record};

/// A place with two sessions, whose summaries were then made worse.
fn spoiled() -> Place {
    let place = Place::new();
    place.session("s1", &conversation("one", 3));
    place.session(
        "s2",
        &[record(
            "user",
            "x1",
            200,
            "Decision: the tax id stays empty.",
        )],
    );
    place.run();
    std::fs::remove_dir_all(place.path("sessions")).unwrap();
    std::fs::create_dir(place.path("sessions")).unwrap();
    let library = place.raw("data/jezero.db");
    let spoil = "UPDATE items SET title = 'old words', summary = 'nothing', questions = '[]',
                     summary_by = 'anthropic:small', project = 'mine', ingested_at = 1000;
                 DELETE FROM atoms; DELETE FROM index_pending;";
    library.execute_batch(spoil).unwrap();
    drop(library);
    assert_eq!(place.jezero(&["index", "rebuild"]).code, 0);
    place
}

#[test]
fn all_but_title_summary_questions_atoms_and_writer_stays() {
    let place = spoiled();
    let before = place.export();
    let ran = place.jezero(&["resummarize", "--source", "agent-claude", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let report = ran.json();
    assert_eq!(
        (&report["connector"], &report["docs"], &report["stored"]),
        (&"resummarize".into(), &2.into(), &2.into())
    );
    assert!(report["input_chars"].as_u64().unwrap() > 300, "{report}");
    let after = place.export();
    for (old, new) in before.iter().zip(&after) {
        for key in [
            "source",
            "external_id",
            "occurred_at",
            "project",
            "account",
            "original",
            "original_ref",
            "trust",
            "content_hash",
            "ingested_at",
            "redactions",
        ] {
            assert_eq!(old[key], new[key], "{key}");
        }
        assert_eq!(new["summary_by"], "extractive");
        assert_ne!(
            (&new["title"], &new["summary"]),
            (&old["title"], &old["summary"])
        );
    }
    assert_eq!(after[1]["atoms"][0]["kind"], "decision");
    // Searches find the new words and no more the old ones.
    assert_eq!(
        place.jezero(&["search", "old words", "--json"]).json()["count"],
        0
    );
    assert_eq!(
        place.jezero(&["search", "tax", "--json"]).json()["count"],
        2
    );
    assert_eq!(place.jezero(&["index", "check"]).code, 0);
}

#[test]
fn items_are_chosen_by_number_file_project_date_and_writer() {
    let place = spoiled();
    let would = |arguments: &[&str]| {
        let ran = place.jezero(&[&["resummarize", "--dry-run", "--json"], arguments].concat());
        assert!([0, 1].contains(&ran.code), "{ran:?}");
        let report = ran.json();
        (
            report["would_store"].as_u64().unwrap(),
            report["failed"].as_u64().unwrap(),
        )
    };
    place.write("ids.txt", "2, 1\n\n2\n");
    place.write("wrong.txt", "1\nx\n");
    assert_eq!(would(&["--ids", "1,1,2"]), (2, 0));
    assert_eq!(would(&["--ids", "2,77"]), (1, 1));
    assert_eq!(would(&["--ids-file", "ids.txt"]), (2, 0));
    assert_eq!(would(&["--ids-file", "ids.txt", "--limit", "1"]), (1, 0));
    assert_eq!(would(&["--project", "mine"]), (2, 0));
    assert_eq!(would(&["--project", "other"]), (0, 0));
    assert_eq!(would(&["--since", "2026-10-01T02:00:00+00:00"]), (1, 0));
    assert_eq!(would(&["--provider-not", "anthropic"]), (0, 0));
    assert_eq!(would(&["--provider-not", "extractive"]), (2, 0));
    let ran = place.jezero(&["resummarize", "--ids", "1", "--dry-run"]);
    assert!(
        ran.out.starts_with("would summarise 1 items anew: "),
        "{ran:?}"
    );
    assert_eq!(place.export()[0]["title"], "old words");

    for (arguments, message) in [
        (&["resummarize"][..], "--provider-not"),
        (&["resummarize", "--ids-file", "wrong.txt"], "wrong.txt:2: "),
        (&["resummarize", "--ids-file", "none.txt"], "none.txt: "),
        (&["resummarize", "--since", "soon"], "ISO 8601"),
        (
            &["resummarize", "--provider-not", "gpt"],
            "openai_compatible",
        ),
    ] {
        let ran = place.jezero(arguments);
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.notes.contains(message), "{ran:?}");
    }
}

#[test]
fn items_without_an_original_are_named_and_keep_what_they_have() {
    let place = spoiled();
    place
        .raw("data/jezero.db")
        .execute("DELETE FROM originals WHERE item = 1", [])
        .unwrap();
    let ran = place.jezero(&["resummarize", "--project", "mine", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let report = ran.json();
    assert_eq!((&report["docs"], &report["stored"]), (&2.into(), &1.into()));
    assert_eq!(report["passed_over"][0]["place"], "item 1");
    assert_eq!(place.export()[0]["title"], "old words");
}

#[test]
fn what_newer_rules_hide_does_not_reach_the_summariser() {
    let place = spoiled();
    let settings = std::fs::read_to_string(place.path("jezero.toml")).unwrap();
    let rule = "[redaction]\nextra_patterns = ['tax id']\n";
    place.write("jezero.toml", format!("{rule}{settings}"));
    assert_eq!(place.jezero(&["resummarize", "--ids", "2"]).code, 0);
    let item = &place.export()[1];
    let made = format!("{}{}{}", item["title"], item["summary"], item["atoms"]);
    assert!(
        made.contains("[REDACTED:") && !made.contains("tax id"),
        "{made}"
    );
}
