//! Wrong arguments get a tool error that names the argument, repeats the value and says what would
//! be right.

use serde_json::{Value, json};

use super::peer::{Peer, message};

#[test]
fn each_mistake_names_the_argument_and_repeats_the_value() {
    let peer = Peer::of_the_pages();
    for (tool, arguments, told, code, argument) in [
        (
            "search",
            json!({}),
            "query is required: the words to look for, such as invoice export; got 'nothing'",
            "missing_argument",
            "query",
        ),
        (
            "search",
            json!({"query": null}),
            "query is required: the words to look for, such as invoice export; got 'null'",
            "missing_argument",
            "query",
        ),
        (
            "search",
            json!({"query": ["a"]}),
            r#"query must be a string, got '["a"]'"#,
            "invalid_argument",
            "query",
        ),
        (
            "search",
            json!({"query": "a", "limit": "ten"}),
            "limit must be an integer, got 'ten'",
            "invalid_argument",
            "limit",
        ),
        (
            "search",
            json!({"query": "a", "limit": 1.5}),
            "limit must be an integer, got '1.5'",
            "invalid_argument",
            "limit",
        ),
        (
            "search",
            json!({"query": "a", "kind": "idea"}),
            "kind must be one of decision, rationale, fix, error, command, fact, risk, got 'idea'",
            "invalid_argument",
            "kind",
        ),
        (
            "search",
            json!({"query": "a", "scope": "transcript"}),
            "scope must be one of summary, original, all, got 'transcript'",
            "invalid_argument",
            "scope",
        ),
        (
            "search",
            json!({"query": "a", "fields": "title"}),
            "fields must be a list of strings, got 'title'",
            "invalid_argument",
            "fields",
        ),
        (
            "timeline",
            json!({"trust": "mine"}),
            "trust must be one of own, external, got 'mine'",
            "invalid_argument",
            "trust",
        ),
        (
            "timeline",
            json!({"until": "2026-13-01"}),
            "until must be an ISO 8601 date or datetime (2026-01-31 or 2026-01-31T09:00:00+02:00), got '2026-13-01'",
            "invalid_argument",
            "until",
        ),
        (
            "get_item",
            json!({}),
            "item_id is required: the id of an item, such as 1, as search returns it; got 'nothing'",
            "missing_argument",
            "item_id",
        ),
        (
            "get_item",
            json!({"item_id": "one"}),
            "item_id must be an integer, got 'one'",
            "invalid_argument",
            "item_id",
        ),
        (
            "get_item",
            json!({"item_id": true}),
            "item_id must be an integer, got 'true'",
            "invalid_argument",
            "item_id",
        ),
        (
            "get_item",
            json!({"item_id": 9_223_372_036_854_775_808_u64}),
            "item_id is out of range: item ids are integers up to 9223372036854775807, got '9223372036854775808'",
            "out_of_range",
            "item_id",
        ),
        (
            "get_item",
            json!({"item_id": 1, "include_original": "yes"}),
            "include_original must be true or false, got 'yes'",
            "invalid_argument",
            "include_original",
        ),
        (
            "later",
            json!({"item_id": 1, "query": 5}),
            "query must be a string, got '5'",
            "invalid_argument",
            "query",
        ),
        (
            "list_sources",
            json!({"limit": 1}),
            "'limit' is no argument of this tool, which takes no argument; got '1'",
            "unknown_argument",
            "limit",
        ),
        (
            "later",
            json!({"item_id": 1, "since": "x"}),
            "'since' is no argument of this tool, which takes item_id, query, limit, fields, max_tokens; got 'x'",
            "unknown_argument",
            "since",
        ),
    ] {
        let (text, structured) = peer.error(tool, &arguments);
        assert_eq!(text, format!("Error executing tool {tool}: {told}"));
        assert_eq!(
            structured,
            json!({"code": code, "argument": argument}),
            "{arguments}"
        );
    }
}

#[test]
fn a_value_is_cut_at_sixty_characters_and_has_no_control_characters() {
    let peer = Peer::of_the_pages();
    let (text, _) = peer.error("timeline", &json!({"since": "é\n".repeat(100)}));
    assert!(
        text.ends_with(&format!("got '{}'", "é ".repeat(30))),
        "{text}"
    );
    let (text, _) = peer.error("search", &json!({"query": vec!["x"; 100]}));
    let shown = text.rsplit_once("got '").unwrap().1;
    assert_eq!(shown.trim_end_matches('\'').chars().count(), 60);
}

#[test]
fn what_is_beyond_doubt_is_understood() {
    let peer = Peer::of_the_pages();
    let expected = peer.answer("get_item", &json!({"item_id": 1, "include_original": true}));
    for arguments in [
        json!({"item_id": "1", "include_original": "true"}),
        json!({"item_id": 1.0, "include_original": true}),
    ] {
        assert_eq!(peer.answer("get_item", &arguments), expected);
    }
}

#[test]
fn a_wrong_call_is_a_protocol_error() {
    let peer = Peer::of_the_pages();
    let error = |params: &Value| {
        let got = peer.post(message("tools/call", params).to_string());
        assert_eq!(got.status, 200);
        let error = got.json()["error"].clone();
        (
            error["code"].as_i64().unwrap(),
            error["message"].as_str().unwrap().to_owned(),
        )
    };
    let unknown = "Unknown tool: find; there are search, get_item, later, timeline, list_sources";
    assert_eq!(
        error(&json!({"name": "find"})),
        (-32602, unknown.to_owned())
    );
    assert_eq!(error(&json!({})).0, -32602);
    assert_eq!(error(&json!({"name": "search", "arguments": []})).0, -32602);
    assert_eq!(
        error(&json!({"name": "search", "arguments": "query"})).0,
        -32602
    );
}

#[test]
fn an_absent_library_is_told_without_its_place() {
    let peer = Peer::of_the_pages();
    std::fs::remove_file(peer.shelf.path()).unwrap();
    let (text, structured) = peer.error("list_sources", &json!({}));
    assert_eq!(
        text,
        "Error executing tool list_sources: there is no library yet; `jezero run` on the computer \
         of the server makes one"
    );
    assert_eq!(structured, json!({"code": "library_unavailable"}));
}

#[test]
fn a_library_that_takes_the_place_of_another_is_the_one_that_is_read() {
    let peer = Peer::of_the_pages();
    let items = || peer.answer("timeline", &json!({}))["count"].clone();
    assert_eq!(items(), json!(4));
    let other = crate::support::Shelf::empty();
    std::fs::rename(other.path(), peer.shelf.path()).unwrap();
    assert_eq!(items(), json!(0));
}
