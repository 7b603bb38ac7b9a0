//! Every example of the MCP tools and data model pages, through the protocol.

use serde_json::{Value, json};

use super::peer::{Peer, message};
use crate::support::fixture;

/// An answer in the form of the golden files.
fn text(answer: &Value) -> String {
    serde_json::to_string_pretty(answer).unwrap() + "\n"
}

#[test]
fn the_curl_of_the_page_gives_the_answer_of_the_page() {
    let peer = Peer::of_the_pages();
    let got = peer.post_with(
        &[("accept", "application/json, text/event-stream")],
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_sources","arguments":{}}}"#,
    );
    assert_eq!(got.status, 200);
    assert_eq!(got.header("content-type"), "application/json");
    let structured = r#"{"sources":{"agent-claude-code-laptop":{"items":3,"latest":"2026-10-20T21:23:12+00:00"},"agent-codex-work-mac":{"items":1,"latest":"2026-10-16T21:23:12+00:00"}}}"#;
    let golden = fixture("library/answers/list_sources.json");
    let text = serde_json::to_string(golden.trim_end()).unwrap();
    assert_eq!(
        got.body,
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"result":{{"content":[{{"text":{text},"type":"text"}}],"isError":false,"structuredContent":{structured}}}}}"#
        )
    );
}

#[test]
fn the_calls_of_the_page_give_the_answers_of_the_page() {
    let peer = Peer::of_the_pages();
    for (golden, tool, arguments) in [
        (
            "search",
            "search",
            json!({"query": "invoice export", "limit": 2}),
        ),
        (
            "get_item",
            "get_item",
            json!({"item_id": 1, "include_original": true}),
        ),
        (
            "later",
            "later",
            json!({"item_id": 1, "query": "invoice CSV encoding"}),
        ),
        (
            "timeline",
            "timeline",
            json!({"project": "billing", "since": "2026-10-01", "limit": 2}),
        ),
        ("list_sources", "list_sources", json!({})),
    ] {
        let answer = peer.answer(tool, &arguments);
        assert_eq!(
            text(&answer),
            fixture(&format!("library/answers/{golden}.json")),
            "{tool}"
        );
    }
}

#[test]
fn null_counts_as_left_out() {
    let peer = Peer::of_the_pages();
    let nulls = json!({
        "project": "billing", "source": null, "since": "2026-10-01", "until": null, "limit": 2,
        "kind": null, "trust": null, "fields": null, "max_tokens": null,
    });
    assert_eq!(
        text(&peer.answer("timeline", &nulls)),
        fixture("library/answers/timeline.json")
    );
    let got = peer.post(
        message(
            "tools/call",
            &json!({"name": "list_sources", "arguments": null}),
        )
        .to_string(),
    );
    assert_eq!(got.json()["result"]["isError"], json!(false));
    let got = peer.post(message("tools/call", &json!({"name": "list_sources"})).to_string());
    assert_eq!(got.json()["result"]["isError"], json!(false));
}

#[test]
fn the_error_of_the_page_is_the_error_here() {
    let peer = Peer::of_the_pages();
    let result = peer.call("timeline", &json!({"since": "yesterday"}));
    assert_eq!(
        result.to_string(),
        r#"{"content":[{"type":"text","text":"Error executing tool timeline: since must be an ISO 8601 date or datetime (2026-01-31 or 2026-01-31T09:00:00+02:00), got 'yesterday'"}],"isError":true,"structuredContent":{"code":"invalid_argument","argument":"since"}}"#
    );
}

#[test]
fn what_is_not_there_is_no_error() {
    let peer = Peer::of_the_pages();
    for id in [0, -1, 99, i64::MAX] {
        let absent = json!({"item_id": id});
        assert_eq!(
            peer.answer("get_item", &absent).to_string(),
            r#"{"found":false}"#
        );
        assert_eq!(
            peer.answer("later", &absent).to_string(),
            r#"{"found":false}"#
        );
    }
    let empty = peer
        .answer("search", &json!({"query": "nowhere"}))
        .to_string();
    assert!(
        empty.starts_with(r#"{"count":0,"results":[],"why_empty":{"#),
        "{empty}"
    );
    let empty = peer.answer("later", &json!({"item_id": 3})).to_string();
    let documented = r#"{"found":true,"item":{"id":3,"occurred_at":"2026-10-20T21:23:12+00:00"},"matched_by":"project_timeline","count":0,"later":[],"#;
    assert!(empty.starts_with(documented), "{empty}");
}

#[test]
fn limits_have_defaults_and_a_maximum() {
    let peer = Peer::of_the_pages();
    for limit in [
        json!(0),
        json!(-5),
        json!(1000),
        json!(null),
        json!(i64::MAX),
        json!(1e30),
    ] {
        let answer = peer.answer("timeline", &json!({"limit": limit}));
        assert_eq!(answer["count"], json!(4), "{limit}");
    }
    assert_eq!(
        peer.answer("timeline", &json!({"limit": 1}))["count"],
        json!(1)
    );
}
