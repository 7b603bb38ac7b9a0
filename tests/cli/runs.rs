//! `jezero runs`: what it keeps of runs that ended and of those that were killed.

use std::process::Stdio;

use serde_json::{Value, json};

use super::place::{Place, conversation};

fn runs(place: &Place, arguments: &[&str]) -> Vec<Value> {
    let ran = place.jezero(&[&["runs", "--json"], arguments].concat());
    assert_eq!(ran.code, 0, "{ran:?}");
    let lines = ran
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    lines.collect()
}

#[test]
fn each_run_is_told_with_its_counts_the_newest_first() {
    let place = Place::new();
    let none = place.jezero(&["runs"]);
    assert_eq!((none.code, none.out.as_str()), (0, ""));
    assert!(none.notes.contains("no run yet"), "{none:?}");
    place.session("a", &conversation("a", 3));
    place.session("b", &["{\"type\":\"user\"".to_owned(), String::new()]);
    place.run();
    std::fs::remove_dir_all(place.path("sessions")).unwrap();
    assert_eq!(place.jezero(&["daemon", "--once"]).code, 1);
    let told = runs(&place, &[]);
    assert_eq!(told.len(), 2);
    assert_eq!(told[0]["outcome"], "failed");
    let error = told[0]["error"].as_str().unwrap();
    assert!(error.ends_with("sessions does not exist"), "{error}");
    let mut first = told[1].clone();
    for changing in ["started_at", "ended_at", "seconds"] {
        assert!(!first[changing].is_null(), "{first}");
        first.as_object_mut().unwrap().shift_remove(changing);
    }
    assert_eq!(
        first,
        json!({"connector": "agent-claude", "outcome": "ok", "units": 2, "units_read": 1,
               "stored": 1, "pruned": 0, "failed": 0, "deferred_sessions": 0,
               "records_passed_over": 1, "input_tokens": 0, "output_tokens": 0,
               "error": null, "note": null})
    );
    assert_eq!(runs(&place, &["--limit", "1"]), told[..1]);
    assert_eq!(runs(&place, &["--connector", "agent-claude"]), told);
    let shown = place.jezero(&["runs"]);
    assert_eq!(shown.out.lines().count(), 3, "{shown:?}");
    let unknown = place.jezero(&["runs", "--connector", "agent-x"]);
    assert_eq!(unknown.code, 2);
    assert!(
        unknown.notes.contains("there is no connector \"agent-x\""),
        "{unknown:?}"
    );
}

#[test]
fn a_dry_run_leaves_no_trace() {
    let place = Place::new();
    place.session("a", &conversation("a", 3));
    place.run();
    assert_eq!(place.jezero(&["run", "--dry-run"]).code, 0);
    assert_eq!(runs(&place, &[]).len(), 1);
}

#[cfg(unix)]
#[test]
fn a_run_that_was_killed_is_running_then_interrupted_at_once_and_after_the_next_start() {
    let place = Place::new();
    let text = std::fs::read_to_string(place.path("jezero.toml")).unwrap();
    // A summary that does not end tells that the run is in the middle of its work.
    let begun = place.path("begun");
    let script = format!(": > '{}'; exec /bin/sleep 20", begun.display());
    let summarizer = format!(
        "[summarizer]\nprovider = \"command\"\ncommand = [\"/bin/sh\", \"-c\", \"{script}\"]\n"
    );
    place.write("jezero.toml", summarizer + &text);
    place.session("a", &conversation("a", 3));
    let mut child = place
        .command(&["run", "--json"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while !begun.exists() {
        assert_eq!(child.try_wait().unwrap(), None);
        std::thread::yield_now();
    }
    let running = runs(&place, &[]);
    let outcomes = |runs: &[Value]| -> Vec<Value> {
        let outcomes = runs.iter().map(|run| run["outcome"].clone());
        outcomes.collect()
    };
    assert_eq!(outcomes(&running), ["running"]);
    child.kill().unwrap();
    child.wait().unwrap();
    let killed = runs(&place, &[]);
    assert_eq!(outcomes(&killed), ["interrupted"]);
    assert_eq!(killed[0]["ended_at"], Value::Null);
    place.write("jezero.toml", text);
    place.run();
    assert_eq!(outcomes(&runs(&place, &[])), ["ok", "interrupted"]);
}
