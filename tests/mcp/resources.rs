//! Resources and prompts.

use serde_json::{Value, json};

use super::peer::{Peer, message};

fn read(peer: &Peer, uri: &str) -> Value {
    peer.ask("resources/read", &json!({"uri": uri}))["contents"][0].clone()
}

fn error(peer: &Peer, method: &str, params: &Value) -> Value {
    peer.post(message(method, params).to_string()).json()["error"].clone()
}

#[test]
fn the_library_tells_sources_states_and_projects() {
    let peer = Peer::of_the_pages();
    let content = read(&peer, "jezero://library");
    assert_eq!(content["mimeType"], json!("application/json"));
    let overview: Value = serde_json::from_str(content["text"].as_str().unwrap()).unwrap();
    assert_eq!(overview["items"], json!(4));
    assert_eq!(
        overview["sources"]["agent-codex-work-mac"],
        json!({
            "items": 1,
            "latest": "2026-10-16T21:23:12+00:00",
            "state": "imported",
            "last_run_at": null,
            "last_success_at": null,
        })
    );
    assert_eq!(
        overview["projects"]["billing"],
        json!({"items": 3, "latest": "2026-10-20T21:23:12+00:00"})
    );
}

#[test]
fn an_item_is_a_resource_as_get_item_returns_it() {
    let peer = Peer::of_the_pages();
    let item: Value =
        serde_json::from_str(read(&peer, "jezero://item/1")["text"].as_str().unwrap()).unwrap();
    assert_eq!(
        item,
        peer.answer("get_item", &json!({"item_id": 1}))["item"]
    );
    for absent in [
        "jezero://item/99",
        "jezero://item/-1",
        "jezero://item/x",
        "file:///etc",
        "",
    ] {
        let error = error(&peer, "resources/read", &json!({"uri": absent}));
        assert_eq!(error["code"], json!(-32002), "{absent}");
        assert_eq!(error["data"]["uri"], json!(absent));
    }
}

#[test]
fn every_listed_resource_can_be_read() {
    let peer = Peer::of_the_pages();
    let listed = peer.ask("resources/list", &json!({}));
    let uris: Vec<&str> = listed["resources"]
        .as_array()
        .unwrap()
        .iter()
        .map(|resource| resource["uri"].as_str().unwrap())
        .collect();
    assert_eq!(uris, ["jezero://library", "jezero://guide"]);
    for uri in uris {
        assert_eq!(read(&peer, uri)["uri"], json!(uri));
    }
    let templates = peer.ask("resources/templates/list", &json!({}));
    assert_eq!(
        templates["resourceTemplates"][0]["uriTemplate"],
        json!("jezero://item/{id}")
    );
}

#[test]
fn prompts_are_filled_in() {
    let peer = Peer::of_the_pages();
    let listed = peer.ask("prompts/list", &json!({}));
    let names: Vec<&str> = listed["prompts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|prompt| prompt["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["catch_up", "check_decision", "resume_work"]);
    let text = |name: &str, arguments: Value| {
        let prompt = peer.ask(
            "prompts/get",
            &json!({"name": name, "arguments": arguments}),
        );
        prompt["messages"][0]["content"]["text"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let catch_up = text("catch_up", json!({"project": "billing"}));
    assert!(
        catch_up.starts_with(
            "Tell me what happened in the project \"billing\" in the last seven days."
        )
    );
    let check = text(
        "check_decision",
        json!({"decision": "a \"BOM\"\nis written"}),
    );
    assert!(
        check.starts_with("Find out whether this still holds: \"a  BOM  is written\"."),
        "{check}"
    );
    assert!(
        text("resume_work", json!({"topic": "x".repeat(500)}))
            .contains(&format!("\"{}\"", "x".repeat(200)))
    );
}

#[test]
fn a_prompt_that_lacks_something_is_a_protocol_error() {
    let peer = Peer::of_the_pages();
    for (params, told) in [
        (
            json!({"name": "x"}),
            "Unknown prompt: x; there are catch_up, check_decision, resume_work",
        ),
        (json!({"name": "resume_work"}), "topic is required"),
        (
            json!({"name": "resume_work", "arguments": {"topic": 1}}),
            "topic must be a string",
        ),
    ] {
        let error = error(&peer, "prompts/get", &params);
        assert_eq!(error, json!({"code": -32602, "message": told}));
    }
}
