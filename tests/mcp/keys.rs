//! Who is let in, and what they see.

use axum::body::Body;
use axum::http::Request;
use jezero::config::Env;
use jezero::http::ServeError;
use serde_json::json;
use sha2::{Digest, Sha256};

use super::peer::{Got, Peer, message, server};
use crate::support::{Shelf, fixture};

fn digest(key: &str) -> String {
    let digest = Sha256::digest(key.as_bytes());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(super) fn client(name: &str, key: &str, more: &str) -> String {
    format!(
        "[[clients]]\nname = \"{name}\"\ntoken_sha256 = \"{}\"\n{more}\n",
        digest(key)
    )
}

fn with(text: &str) -> Peer {
    Peer::new(Shelf::of_the_pages(), text, Env::given([]))
}

fn ask(peer: &Peer, authorization: &str) -> Got {
    let call = message(
        "tools/call",
        &json!({"name": "list_sources", "arguments": {}}),
    );
    peer.post_with(&[("authorization", authorization)], call.to_string())
}

fn refused(got: &Got) {
    assert_eq!(got.status, 401);
    assert_eq!(
        got.body,
        r#"{"error": "invalid_token", "error_description": "Authentication required"}"#
    );
    assert_eq!(
        got.header("www-authenticate"),
        "Bearer error=\"invalid_token\", error_description=\"Authentication required\", \
         resource_metadata=\"http://127.0.0.1:8765/.well-known/oauth-protected-resource/mcp\""
    );
}

#[test]
fn no_key_and_a_wrong_key_get_the_answer_of_the_page() {
    let peer = with(&client("a", "right", ""));
    refused(&peer.post(message("ping", &json!({})).to_string()));
    for wrong in [
        "Bearer wrong",
        "Bearer ",
        "Basic right",
        "right",
        "Bearer right right",
    ] {
        refused(&ask(&peer, wrong));
    }
    let got = peer.send(
        Request::builder()
            .uri("/metrics")
            .body(Body::empty())
            .unwrap(),
    );
    refused(&got);
    for right in ["Bearer right", "bearer right", "Bearer   right "] {
        assert_eq!(ask(&peer, right).status, 200, "{right}");
    }
    let metrics = Request::builder()
        .uri("/metrics")
        .header("authorization", "Bearer right");
    let counts = peer.send(metrics.body(Body::empty()).unwrap()).body;
    assert!(counts.contains("\njezero_wrong_keys_total 5\n"), "{counts}");
}

#[test]
fn two_authorization_headers_are_none() {
    let peer = with(&client("a", "right", ""));
    let twice = [
        ("authorization", "Bearer right"),
        ("authorization", "Bearer wrong"),
    ];
    refused(&peer.post_with(&twice, message("ping", &json!({})).to_string()));
}

#[test]
fn a_key_sees_the_sources_of_its_client() {
    let text = client("all", "k1", "")
        + &client("codex", "k2", "sources = [\"agent-codex-*\"]")
        + &client("none", "k3", "sources = [\"AGENT-*\"]");
    let peer = with(&text);
    let sources = |key: &str| {
        let got = ask(&peer, &format!("Bearer {key}")).json();
        let sources = got["result"]["structuredContent"]["sources"].clone();
        sources
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect::<Vec<_>>()
    };
    assert_eq!(
        sources("k1"),
        ["agent-claude-code-laptop", "agent-codex-work-mac"]
    );
    assert_eq!(sources("k2"), ["agent-codex-work-mac"]);
    assert_eq!(sources("k3"), [""; 0]);
}

#[test]
fn a_client_may_be_denied_originals() {
    let peer = with(&(client("a", "k1", "originals = false") + &client("b", "k2", "")));
    let original = |key: &str, extra: serde_json::Value| {
        let mut arguments = json!({"item_id": 1, "include_original": true});
        arguments
            .as_object_mut()
            .unwrap()
            .extend(extra.as_object().unwrap().clone());
        let call = message(
            "tools/call",
            &json!({"name": "get_item", "arguments": arguments}),
        );
        let key = format!("Bearer {key}");
        let got = peer
            .post_with(&[("authorization", &key)], call.to_string())
            .json();
        got["result"]["structuredContent"]["item"]["original"].clone()
    };
    assert!(original("k2", json!({})).is_string());
    assert!(original("k1", json!({})).is_null());
    assert!(original("k1", json!({"original_offset": 0, "original_chars": 10})).is_null());
}

#[test]
fn a_key_from_a_variable_lets_in_and_equal_ones_do_not() {
    let text = "[[clients]]\nname = \"a\"\ntoken_env = \"A\"\n\
                [[clients]]\nname = \"b\"\ntoken_env = \"B\"\n\
                [[clients]]\nname = \"c\"\ntoken_env = \"C\"\n\
                [[clients]]\nname = \"d\"\ntoken_env = \"D\"\n";
    let env = Env::given([("A", "same"), ("B", "same"), ("C", "own")]);
    let peer = Peer::new(Shelf::of_the_pages(), text, env);
    assert_eq!(ask(&peer, "Bearer own").status, 200);
    refused(&ask(&peer, "Bearer same"));
}

#[test]
fn a_variable_with_the_key_of_a_digest_disables_both() {
    let text = client("a", "same", "")
        + "[[clients]]\nname = \"b\"\ntoken_env = \"B\"\nsources = []\n"
        + &client("c", "own", "");
    let peer = Peer::new(Shelf::of_the_pages(), &text, Env::given([("B", "same")]));
    refused(&ask(&peer, "Bearer same"));
    assert_eq!(ask(&peer, "Bearer own").status, 200);
}

#[test]
fn without_a_usable_key_there_is_no_server() {
    for text in ["", "[[clients]]\nname = \"a\"\ntoken_env = \"MISSING\"\n"] {
        let shelf = Shelf::of_the_pages();
        let refused = server(&shelf, text, Env::given([]));
        assert!(matches!(refused, Err(ServeError::NoKey)), "{text}");
    }
}

#[test]
fn without_keys_everyone_sees_everything() {
    let peer = Peer::of_the_pages();
    let got = ask(&peer, "Bearer whatever").json();
    let golden: serde_json::Value =
        serde_json::from_str(&fixture("library/answers/list_sources.json")).unwrap();
    assert_eq!(got["result"]["structuredContent"], golden);
}
