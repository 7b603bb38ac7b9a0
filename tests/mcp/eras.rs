//! Both eras of the protocol over HTTP.

use serde_json::{Value, json};

use super::peer::{Got, Peer, message};

const MODERN: &str = "2026-07-28";

fn params(mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    params
}

/// Sends a request of the newer era, with headers as they should be.
fn modern(peer: &Peer, method: &str, given: &Value, name: Option<&str>) -> Got {
    let mut headers = vec![("mcp-protocol-version", MODERN), ("mcp-method", method)];
    headers.extend(name.map(|name| ("mcp-name", name)));
    peer.post_with(
        &headers,
        message(method, &params(given.clone())).to_string(),
    )
}

fn code(got: &Got) -> (u16, i64) {
    (got.status, got.json()["error"]["code"].as_i64().unwrap())
}

#[test]
fn the_handshake_agrees_on_the_revision_asked_for_or_on_the_newest_that_has_one() {
    let peer = Peer::of_the_pages();
    for (asked, agreed) in [
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2024-11-05", "2025-11-25"),
        (MODERN, "2025-11-25"),
        ("nonsense", "2025-11-25"),
    ] {
        let result = peer.ask("initialize", &json!({"protocolVersion": asked}));
        assert_eq!(result["protocolVersion"], json!(agreed), "{asked}");
        assert_eq!(result["serverInfo"]["name"], json!("jezero"));
        assert_eq!(
            result["capabilities"],
            json!({"tools": {}, "resources": {}, "prompts": {}})
        );
        assert!(result["instructions"].as_str().unwrap().contains("`later`"));
    }
    assert_eq!(peer.ask("ping", &json!({})), json!({}));
}

#[test]
fn the_older_era_has_status_200_for_every_fault() {
    let peer = Peer::of_the_pages();
    let got = peer.post(message("logging/setLevel", &json!({})).to_string());
    assert_eq!(code(&got), (200, -32601));
    let headers = [("mcp-protocol-version", "2025-06-18")];
    let got = peer.post_with(&headers, message("ping", &json!({})).to_string());
    assert_eq!(got.status, 200);
    let headers = [("mcp-protocol-version", "1999-01-01")];
    let got = peer.post_with(&headers, message("ping", &json!({})).to_string());
    assert_eq!(code(&got), (400, -32600));
}

#[test]
fn discovery_tells_what_the_handshake_tells() {
    let peer = Peer::of_the_pages();
    let got = modern(&peer, "server/discover", &json!({}), None);
    assert_eq!(got.status, 200);
    let result = got.json()["result"].clone();
    assert_eq!(
        result["supportedVersions"],
        json!(["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"])
    );
    assert_eq!(
        result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"],
        json!("jezero")
    );
    let handshake = peer.ask("initialize", &json!({}));
    assert_eq!(result["instructions"], handshake["instructions"]);
    assert_eq!(result["capabilities"], handshake["capabilities"]);
    assert_eq!(result["resultType"], json!("complete"));
    assert_eq!(result["cacheScope"], json!("private"));
    assert_eq!(result["ttlMs"], json!(300_000));
}

#[test]
fn results_of_the_newer_era_say_what_they_are() {
    let peer = Peer::of_the_pages();
    let call = json!({"name": "list_sources", "arguments": {}});
    let got = modern(&peer, "tools/call", &call, Some("list_sources"));
    assert_eq!(got.status, 200);
    let result = got.json()["result"].clone();
    assert_eq!(result["resultType"], json!("complete"));
    assert_eq!(
        result["structuredContent"],
        peer.answer("list_sources", &json!({}))
    );
    for list in [
        "tools/list",
        "resources/list",
        "resources/templates/list",
        "prompts/list",
    ] {
        let result = modern(&peer, list, &json!({}), None).json()["result"].clone();
        assert_eq!(result["cacheScope"], json!("private"), "{list}");
        assert_eq!(result["resultType"], json!("complete"), "{list}");
    }
    let read = json!({"uri": "jezero://library"});
    let result = modern(&peer, "resources/read", &read, Some("jezero://library")).json();
    assert_eq!(result["result"]["ttlMs"], json!(0));
    // The older era knows none of these keys.
    let older = peer.ask("tools/list", &json!({}));
    assert_eq!(
        older.as_object().unwrap().keys().collect::<Vec<_>>(),
        ["tools"]
    );
}

#[test]
fn headers_and_body_must_agree() {
    let peer = Peer::of_the_pages();
    let call = params(json!({"name": "list_sources"}));
    let send = |headers: &[(&str, &str)]| {
        peer.post_with(headers, message("tools/call", &call).to_string())
    };
    let version = ("mcp-protocol-version", MODERN);
    let method = ("mcp-method", "tools/call");
    let name = ("mcp-name", "list_sources");
    assert_eq!(send(&[version, method, name]).status, 200);
    assert_eq!(
        send(&[version, method, ("mcp-name", "=?base64?bGlzdF9zb3VyY2Vz?=")]).status,
        200
    );
    for headers in [
        &[method, name][..],
        &[version, name],
        &[version, method],
        &[("mcp-protocol-version", "2025-11-25"), method, name],
        &[version, ("mcp-method", "tools/list"), name],
        &[version, method, ("mcp-name", "search")],
        &[version, method, ("mcp-name", "=?base64?bad!?=")],
        &[version, method, name, name],
    ] {
        let got = send(headers);
        assert_eq!(code(&got), (400, -32020), "{headers:?}");
        assert_eq!(got.json()["id"], json!(1));
    }
}

#[test]
fn what_a_request_must_say_of_itself_is_asked_for() {
    let peer = Peer::of_the_pages();
    let headers = [
        ("mcp-protocol-version", MODERN),
        ("mcp-method", "tools/list"),
    ];
    let bare = message("tools/list", &json!({})).to_string();
    assert_eq!(code(&peer.post_with(&headers, bare)), (400, -32602));
    let discover = message("server/discover", &json!({})).to_string();
    assert_eq!(code(&peer.post(discover)), (400, -32602));
    let half = json!({"_meta": {"io.modelcontextprotocol/protocolVersion": MODERN}});
    let half = message("tools/list", &half).to_string();
    let got = peer.post_with(&headers, half);
    assert_eq!(code(&got), (400, -32602));
    assert!(
        got.body
            .contains("io.modelcontextprotocol/clientCapabilities")
    );
}

#[test]
fn an_unknown_revision_is_answered_with_those_that_are_known() {
    let peer = Peer::of_the_pages();
    let params = json!({"_meta": {
        "io.modelcontextprotocol/protocolVersion": "2099-01-01",
        "io.modelcontextprotocol/clientCapabilities": {},
    }});
    let headers = [
        ("mcp-protocol-version", "2099-01-01"),
        ("mcp-method", "tools/list"),
    ];
    let got = peer.post_with(&headers, message("tools/list", &params).to_string());
    assert_eq!(code(&got), (400, -32022));
    let data = got.json()["error"]["data"].clone();
    assert_eq!(data["requested"], json!("2099-01-01"));
    assert_eq!(data["supported"][0], json!(MODERN));
}

#[test]
fn methods_that_the_newer_era_dropped_are_not_found() {
    let peer = Peer::of_the_pages();
    for method in [
        "initialize",
        "ping",
        "logging/setLevel",
        "resources/subscribe",
        "nonsense",
    ] {
        let got = modern(&peer, method, &json!({}), None);
        assert_eq!(code(&got), (404, -32601), "{method}");
    }
    let got = modern(&peer, "tools/call", &json!({"name": "find"}), Some("find"));
    assert_eq!(code(&got), (200, -32602));
}

#[test]
fn a_header_that_disagrees_is_told_before_an_unknown_revision() {
    let peer = Peer::of_the_pages();
    let params = json!({"_meta": {
        "io.modelcontextprotocol/protocolVersion": "2099-01-01",
        "io.modelcontextprotocol/clientCapabilities": {},
    }});
    let headers = [
        ("mcp-protocol-version", MODERN),
        ("mcp-method", "tools/list"),
    ];
    let got = peer.post_with(&headers, message("tools/list", &params).to_string());
    assert_eq!(code(&got), (400, -32020));
}
