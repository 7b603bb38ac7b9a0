//! What is refused before anything is answered, and the routes beside MCP.

use axum::body::Body;
use axum::http::Request;
use jezero::config::Env;
use serde_json::json;

use super::peer::{OPEN, Peer, message};
use crate::support::Shelf;

fn get(path: &str) -> Request<Body> {
    Request::builder().uri(path).body(Body::empty()).unwrap()
}

fn ping() -> String {
    message("ping", &json!({})).to_string()
}

#[test]
fn another_host_is_misdirected_on_every_route() {
    let peer = Peer::of_the_pages();
    for path in [
        "/mcp",
        "/healthz",
        "/nowhere",
        "/.well-known/oauth-protected-resource/mcp",
    ] {
        let request = Request::builder().uri(path).header("host", "evil.example");
        let got = peer.send(request.body(Body::empty()).unwrap());
        assert_eq!(
            (got.status, got.body.as_str()),
            (421, "Invalid Host header"),
            "{path}"
        );
    }
    let none = peer.send_bare(get("/healthz"));
    assert_eq!(none.status, 421);
    let two = Request::builder()
        .uri("/healthz")
        .header("host", "localhost")
        .header("host", "evil.example");
    assert_eq!(peer.send_bare(two.body(Body::empty()).unwrap()).status, 421);
}

#[test]
fn another_origin_is_forbidden() {
    let peer = Peer::of_the_pages();
    let got = peer.post_with(&[("origin", "https://evil.example")], ping());
    assert_eq!(
        (got.status, got.body.as_str()),
        (403, "Invalid Origin header")
    );
    assert_eq!(peer.post_with(&[("origin", "null")], ping()).status, 403);
    assert_eq!(
        peer.post_with(&[("origin", "http://localhost:5173")], ping())
            .status,
        200
    );
}

#[test]
fn only_json_is_read() {
    let peer = Peer::of_the_pages();
    for kind in ["text/plain", "application/x-www-form-urlencoded", ""] {
        let got = peer.post_with(&[("content-type", kind)], ping());
        assert_eq!(
            (got.status, got.json()["error"]["code"].as_i64()),
            (400, Some(-32600)),
            "{kind}"
        );
    }
    for kind in ["application/json; charset=utf-8", "Application/JSON"] {
        assert_eq!(
            peer.post_with(&[("content-type", kind)], ping()).status,
            200,
            "{kind}"
        );
    }
}

#[test]
fn broken_json_a_batch_and_no_message_are_bad_requests() {
    let peer = Peer::of_the_pages();
    for (body, code) in [
        ("", -32700),
        ("{", -32700),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\\ud800\"}",
            -32700,
        ),
        ("[]", -32600),
        (
            "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]",
            -32600,
        ),
        ("\"ping\"", -32600),
        ("{\"id\":1,\"method\":\"ping\"}", -32600),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":[]}",
            -32602,
        ),
    ] {
        let got = peer.post(body);
        assert_eq!(
            (got.status, got.json()["error"]["code"].as_i64()),
            (400, Some(code)),
            "{body}"
        );
    }
    assert_eq!(peer.post(vec![0xFF, 0xFE]).status, 400);
    let deep = "[".repeat(200_000);
    assert_eq!(peer.post(deep).status, 400);
}

#[test]
fn a_body_over_four_mebibytes_is_too_large() {
    let peer = Peer::of_the_pages();
    let padded = |size: usize| {
        let ping = ping();
        format!("{ping}{}", " ".repeat(size - ping.len()))
    };
    assert_eq!(peer.post(padded(4 * 1024 * 1024)).status, 200);
    let got = peer.post(padded(4 * 1024 * 1024 + 1));
    assert_eq!(
        (got.status, got.body.as_str()),
        (413, "Request body too large")
    );
}

#[test]
fn any_accept_header_will_do() {
    let peer = Peer::of_the_pages();
    for accept in [
        "application/json",
        "*/*",
        "text/event-stream",
        "text/html",
        "",
    ] {
        let got = peer.post_with(&[("accept", accept)], ping());
        assert_eq!(
            (got.status, got.header("content-type")),
            (200, "application/json"),
            "{accept}"
        );
    }
}

#[test]
fn notifications_are_accepted_and_other_methods_are_not() {
    let peer = Peer::of_the_pages();
    let got = peer.post(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    assert_eq!((got.status, got.body.as_str()), (202, ""));
    for method in ["GET", "DELETE", "PUT", "OPTIONS"] {
        let request = Request::builder().method(method).uri("/mcp");
        let got = peer.send(request.body(Body::empty()).unwrap());
        assert_eq!((got.status, got.header("allow")), (405, "POST"), "{method}");
    }
}

#[test]
fn the_metadata_names_the_address_that_was_typed() {
    let text = "[server]\npublic_url = \"https://jezero.example.org\"\n\
                [[clients]]\nname = \"a\"\ntoken_env = \"A\"\n";
    let peer = Peer::new(Shelf::of_the_pages(), text, Env::given([("A", "k")]));
    let path = "/.well-known/oauth-protected-resource/mcp";
    for (host, resource) in [
        ("localhost:8765", "http://localhost:8765/mcp"),
        ("jezero.example.org", "https://jezero.example.org/mcp"),
    ] {
        let request = Request::builder().uri(path).header("host", host);
        let got = peer.send(request.body(Body::empty()).unwrap());
        assert_eq!(
            (got.status, got.json()),
            (
                200,
                json!({"resource": resource, "bearer_methods_supported": ["header"]})
            )
        );
    }
    let asked = Request::builder().method("OPTIONS").uri(path);
    let got = peer.send(asked.body(Body::empty()).unwrap());
    assert_eq!(
        (got.status, got.header("allow")),
        (204, "GET, HEAD, OPTIONS")
    );
    for path in [
        "/.well-known/oauth-protected-resource",
        "/.well-known/oauth-authorization-server",
        "/.well-known/openid-configuration",
        "/.well-known/oauth-protected-resource/mcp/",
        "/register",
        "/",
    ] {
        let got = peer.send(get(path));
        assert_eq!(
            (got.status, got.body.as_str()),
            (404, "{\"error\":\"not_found\"}"),
            "{path}"
        );
    }
}

#[test]
fn health_and_counts_are_told() {
    let peer = Peer::of_the_pages();
    let health = peer.send(get("/healthz"));
    assert_eq!(
        (health.status, health.body.as_str()),
        (200, "{\"status\":\"ok\"}")
    );
    peer.answer("list_sources", &json!({}));
    peer.error("timeline", &json!({"since": "x"}));
    let counts = peer.send(get("/metrics")).body;
    for line in [
        "jezero_tool_calls_total{tool=\"list_sources\",outcome=\"ok\"} 1",
        "jezero_tool_calls_total{tool=\"timeline\",outcome=\"error\"} 1",
        "jezero_http_responses_total{status=\"200\"} 3",
        "jezero_wrong_keys_total 0",
    ] {
        assert!(counts.lines().any(|one| one == line), "{line} in {counts}");
    }
    for line in counts.lines().filter(|line| !line.starts_with('#')) {
        assert!(
            line.rsplit_once(' ').unwrap().1.parse::<f64>().is_ok(),
            "{line}"
        );
    }
}

#[test]
fn a_server_without_its_library_is_not_healthy() {
    let shelf = Shelf::empty();
    std::fs::remove_file(shelf.path()).unwrap();
    let peer = Peer::new(shelf, OPEN, Env::given([]));
    assert_eq!(peer.send(get("/healthz")).status, 503);
}
