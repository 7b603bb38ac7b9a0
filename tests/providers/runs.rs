//! The whole way, through `jezero run`, with each provider.

use serde_json::{Value, json};

use super::tried::{KEY, completion, record, tool_use};
use crate::cli::place::{Place, conversation};
use crate::support::model_server::{ModelServer, Turn};

/// A place with one session and a summariser.
fn place(summarizer: &str) -> Place {
    let place = Place::new();
    let connectors = std::fs::read_to_string(place.path("jezero.toml")).unwrap();
    let text = format!("[summarizer]\nmodel = \"tiny-1\"\n{summarizer}\n{connectors}");
    place.write("jezero.toml", text);
    place.session("s1", &conversation("one", 3));
    place
}

fn with_key(place: &Place) {
    place.write(".env", format!("JEZERO_SUMMARIZER_API_KEY={KEY}\n"));
}

/// A record of the conversations that the tests write; one command of it stands in no text.
fn of_conversation() -> Value {
    let mut record = record();
    record["title"] = json!("Checkout loses the tax id");
    record["atoms"] = json!([
        {"kind": "fix", "text": "The form dropped it; it is copied at checkout."},
        {"kind": "command", "text": "rm -rf build"}
    ]);
    record
}

#[test]
fn anthropic_writes_a_library_and_the_report_counts_what_it_took() {
    let server = ModelServer::turns(vec![Turn::json(&tool_use(&of_conversation()))]);
    let place = place(&format!("base_url = \"{}\"", server.base));
    with_key(&place);
    let report = place.run();
    let counts = [
        "stored",
        "input_tokens",
        "output_tokens",
        "atoms_dropped",
        "failed",
    ];
    assert_eq!(
        counts.map(|count| report[count].as_u64().unwrap()),
        [1, 1000, 200, 1, 0],
        "{report}"
    );
    let item = &place.export()[0];
    assert_eq!(item["title"], "Checkout loses the tax id");
    assert_eq!(item["summary_by"], "anthropic tiny-1");
    assert_eq!(
        item["atoms"],
        json!([{"kind": "fix", "text": "The form dropped it; it is copied at checkout."}])
    );
    assert_eq!(place.run()["stored"], 0);
    let asked = server.asked();
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].header("x-api-key"), Some(KEY));
}

#[test]
fn a_server_on_this_computer_needs_no_key() {
    let server = ModelServer::turns(vec![Turn::json(&completion(
        &of_conversation().to_string(),
    ))]);
    let place = place(&format!(
        "provider = \"openai_compatible\"\nbase_url = \"{}/v1\"\noutput_language = \"French\"\n\
         known_projects = [\"books\"]",
        server.base
    ));
    let report = place.run();
    assert_eq!(
        (&report["stored"], &report["input_tokens"]),
        (&1.into(), &1000.into())
    );
    assert_eq!(place.export()[0]["summary_by"], "openai_compatible tiny-1");
    let asked = &server.asked()[0];
    assert_eq!(
        (asked.line.as_str(), asked.header("authorization")),
        ("POST /v1/chat/completions", None)
    );
    let system = asked.body["messages"][0]["content"].as_str().unwrap();
    assert!(system.contains("Write in \"French\", whatever language the text is in"));
}

#[cfg(unix)]
#[test]
fn a_program_writes_a_library_and_its_path_starts_at_the_configuration() {
    use std::os::unix::fs::PermissionsExt;
    let place = place("provider = \"command\"\ncommand = [\"./sum\", \"-p\"]");
    place.write("record", of_conversation().to_string());
    let script = format!(
        "#!/bin/sh\ncat > /dev/null\ncat {}\n",
        place.path("record").display()
    );
    place.write("sum", script);
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(place.path("sum"), mode).unwrap();
    assert_eq!(place.run()["stored"], 1);
    assert_eq!(place.export()[0]["summary_by"], "command sum");
}

#[test]
fn a_missing_key_fails_before_anything_moves_and_a_dry_run_needs_none() {
    let server = ModelServer::turns(vec![Turn::json(&tool_use(&record()))]);
    let place = place(&format!("base_url = \"{}\"", server.base));
    for empty in [false, true] {
        if empty {
            place.write(".env", "JEZERO_SUMMARIZER_API_KEY=\n");
        }
        let ran = place.jezero(&["run"]);
        assert_eq!(
            (ran.code, ran.notes.as_str()),
            (
                2,
                "error: summarizer.api_key_env: the environment variable \
                 JEZERO_SUMMARIZER_API_KEY is not set\n\
                 hint: set JEZERO_SUMMARIZER_API_KEY in the environment or in a file .env beside \
                 the configuration; provider = \"extractive\" needs no key\n"
            ),
            "{ran:?}"
        );
        assert!(!place.path("data").exists());
    }
    let dry = place.jezero(&["run", "--dry-run", "--json"]);
    assert_eq!(
        (dry.code, &dry.json()["would_store"]),
        (0, &1.into()),
        "{dry:?}"
    );
    assert!(dry.json()["estimated_input_tokens"].as_u64().unwrap() > 1000);
    assert_eq!(server.asked().len(), 0);
}

#[test]
fn each_failure_costs_its_segment_alone_and_the_next_run_mends_it() {
    let ended = |reason: &str| {
        let mut body = tool_use(&record());
        body["stop_reason"] = json!(reason);
        Turn::json(&body)
    };
    let html = Turn::status(200, "<html>").header("content-type", "text/html");
    let busy = Turn::status(429, "{}").header("retry-after", "3600");
    for (turn, why) in [
        (Turn::status(401, "{}"), "refuses the key with status 401"),
        (
            Turn::status(400, "{}"),
            "refuses the question with status 400",
        ),
        (busy, "is busy, status 429"),
        (html, "the answer is a page for browsers"),
        (Turn::status(200, "{\"content"), "the answer is no JSON"),
        (ended("max_tokens"), "was cut off at 2048 tokens"),
        (ended("refusal"), "declined to write about this text"),
        (
            Turn::json(&tool_use(&json!({"title": 1}))),
            "was refused twice: title must be",
        ),
    ] {
        let failing = turn.clone();
        let bad = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
        let is_bad = std::sync::Arc::clone(&bad);
        let server = ModelServer::start(move |_, asked| {
            let two = asked.body.to_string().contains("two question");
            match two && is_bad.load(std::sync::atomic::Ordering::SeqCst) {
                true => failing.clone(),
                false => Turn::json(&tool_use(&of_conversation())),
            }
        });
        let place = place(&format!("base_url = \"{}\"", server.base));
        with_key(&place);
        place.session("s2", &conversation("two", 3));
        let ran = place.jezero(&["run", "--json"]);
        let report = ran.json();
        assert_eq!(
            (ran.code, &report["stored"], &report["failed"]),
            (1, &1.into(), &1.into()),
            "{ran:?}"
        );
        let error = report["errors"][0].as_str().unwrap();
        assert!(
            error.starts_with("s2#0: ") && error.contains(why),
            "{error}"
        );
        bad.store(false, std::sync::atomic::Ordering::SeqCst);
        let before = server.asked().len();
        let again = place.run();
        assert_eq!(
            (&again["stored"], &again["failed"]),
            (&1.into(), &0.into()),
            "{why}"
        );
        assert_eq!(server.asked().len(), before + 1, "{why}");
        assert_eq!(place.export().len(), 2);
    }
}

#[test]
fn a_key_that_is_refused_again_and_again_ends_the_asking_and_costs_nothing_stored() {
    let good = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let is_good = std::sync::Arc::clone(&good);
    let server =
        ModelServer::start(
            move |_, _| match is_good.load(std::sync::atomic::Ordering::SeqCst) {
                true => Turn::json(&tool_use(&of_conversation())),
                false => Turn::status(401, "{}"),
            },
        );
    let place = place(&format!(
        "base_url = \"{}\"\nmax_concurrency = 1",
        server.base
    ));
    with_key(&place);
    for number in 2..=9 {
        let words = format!("number {number}");
        place.session(&format!("s{number}"), &conversation(&words, 3));
    }
    let ran = place.jezero(&["run", "--json"]);
    let report = ran.json();
    assert_eq!(
        (ran.code, &report["stored"], &report["failed"]),
        (1, &0.into(), &3.into()),
        "{ran:?}"
    );
    assert_eq!(
        report["note"],
        "the key was refused again and again, so the rest was not asked for; mend the key, then \
         run again"
    );
    assert_eq!(server.asked().len(), 3);
    good.store(true, std::sync::atomic::Ordering::SeqCst);
    let again = place.run();
    assert_eq!(
        (&again["stored"], &again["failed"]),
        (&9.into(), &0.into()),
        "{again}"
    );
    assert_eq!(server.asked().len(), 12);

    good.store(false, std::sync::atomic::Ordering::SeqCst);
    let anew = place.jezero(&["resummarize", "--source", "agent-claude", "--json"]);
    assert_eq!(anew.code, 1, "{anew:?}");
    assert_eq!(server.asked().len(), 15);
    assert_eq!(place.export().len(), 9);
}

#[test]
fn a_model_that_is_asked_for_projects_is_asked_for_nothing_else() {
    let server = ModelServer::start(|_, asked| {
        let tool = asked.body["tool_choice"]["name"].as_str().unwrap();
        match tool {
            "record_project" => {
                let mut answer = tool_use(&json!({"project": "Depot"}));
                answer["content"][0]["name"] = json!(tool);
                Turn::json(&answer)
            }
            _ => Turn::json(&tool_use(&of_conversation())),
        }
    });
    let place = place(&format!("base_url = \"{}\"", server.base));
    with_key(&place);
    let text = std::fs::read_to_string(place.path("jezero.toml")).unwrap();
    place.write(
        "jezero.toml",
        format!("[projects]\nroots = ['none']\n{text}"),
    );
    let elsewhere = conversation("one", 3)
        .into_iter()
        .map(|line| line.replace("/home/me/code/shop", "/"))
        .collect::<Vec<_>>();
    place.session("s1", &elsewhere);
    place.run();
    let before = place.export();
    let asked = server.asked().len();
    let ran = place.jezero(&[
        "retag",
        "--connector",
        "agent-claude",
        "--ask-model",
        "--json",
    ]);
    assert_eq!(
        ran.out,
        "{\"connector\":\"agent-claude\",\"docs\":1,\"retagged\":1,\"dry_run\":false,\
         \"asked_model\":1,\"moved_by_model\":1}\n",
        "{ran:?}"
    );
    let questions = server.asked();
    let body = &questions[asked].body;
    assert_eq!(questions.len(), asked + 1);
    assert_eq!(
        body["tools"][0]["input_schema"],
        json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["project"],
            "properties": {"project": {"type": ["string", "null"]}}
        })
    );
    let told = body["system"].as_str().unwrap();
    assert!(told.contains("project: the known project"), "{told}");
    assert!(!told.contains("atoms"), "{told}");
    let user = body["messages"][0]["content"].as_str().unwrap();
    let known = before[0]["project"].as_str();
    assert!(
        known.is_none_or(|known| !user.contains(&format!("\"project\":\"{known}\""))),
        "{user}"
    );
    let after = place.export();
    assert_eq!(after[0]["project"], "depot");
    assert_eq!(after[0]["title"], before[0]["title"]);
}
