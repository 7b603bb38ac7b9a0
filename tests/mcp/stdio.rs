//! MCP over a pair of pipes.

use jezero::access::Reader;
use jezero::mcp::stdio::serve;
use serde_json::{Value, json};
use tokio::io::AsyncReadExt;

use super::peer::{message, service};
use crate::support::Shelf;

/// Sends lines to a server and gives all it answers until it ends, by id.
fn talk(lines: &[u8]) -> Vec<Value> {
    let shelf = Shelf::of_the_pages();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let out = runtime.block_on(async {
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        let (mut heard, _keep) = tokio::io::split(ours);
        let reading = tokio::spawn(async move {
            let mut out = String::new();
            heard.read_to_string(&mut out).await.unwrap();
            out
        });
        serve(service(&shelf), Reader::everything(), lines, theirs)
            .await
            .unwrap();
        drop(_keep);
        reading.await.unwrap()
    });
    let mut answers: Vec<Value> = out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    answers.sort_by_key(|answer| answer["id"].as_i64());
    answers
}

fn numbered(id: i64, method: &str, params: &Value) -> String {
    let mut message = message(method, params);
    message["id"] = json!(id);
    message.to_string()
}

#[test]
fn every_line_is_answered_whatever_came_before() {
    let modern = json!({"_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }});
    let long = format!("\"{}\"", "x".repeat(4 * 1024 * 1024));
    let lines = [
        "\u{feff}{broken",
        "[]",
        "",
        "   ",
        &long,
        &numbered(1, "server/discover", &modern),
        &numbered(2, "no/such/method", &json!({})),
        &numbered(3, "tools/call", &json!({"name": "list_sources"})),
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        &numbered(4, "initialize", &json!({"protocolVersion": "2025-06-18"})),
        &numbered(5, "ping", &json!({})),
    ]
    .join("\r\n");
    let answers = talk(lines.as_bytes());
    let codes: Vec<i64> = answers
        .iter()
        .filter(|answer| answer["id"].is_null())
        .map(|answer| answer["error"]["code"].as_i64().unwrap())
        .collect();
    let mut sorted = codes;
    sorted.sort_unstable();
    assert_eq!(sorted, [-32700, -32600, -32600]);
    let by_id = |id: i64| {
        let found: Vec<&Value> = answers
            .iter()
            .filter(|one| one["id"] == json!(id))
            .collect();
        assert_eq!(found.len(), 1);
        found[0]
    };
    assert_eq!(
        by_id(1)["result"]["supportedVersions"][0],
        json!("2026-07-28")
    );
    assert_eq!(by_id(2)["error"]["code"], json!(-32601));
    assert_eq!(by_id(3)["result"]["isError"], json!(false));
    assert_eq!(by_id(4)["result"]["protocolVersion"], json!("2025-06-18"));
    assert_eq!(by_id(5)["result"], json!({}));
    assert_eq!(answers.len(), 8);
}

#[test]
fn bytes_that_are_no_text_are_a_broken_line() {
    let mut lines = vec![0xFF, 0x00, b'\n'];
    lines.extend(numbered(1, "ping", &json!({})).bytes());
    let answers = talk(&lines);
    assert_eq!(answers[0]["error"]["code"], json!(-32700));
    assert_eq!(answers[1]["result"], json!({}));
}

#[test]
fn a_hundred_questions_at_once_get_an_answer_each() {
    let lines: Vec<String> = (0..100)
        .map(|id| {
            numbered(
                id,
                "tools/call",
                &json!({"name": "search", "arguments": {"query": "invoice"}}),
            )
        })
        .collect();
    let answers = talk(lines.join("\n").as_bytes());
    assert_eq!(answers.len(), 100);
    assert!(
        answers
            .iter()
            .all(|answer| answer["result"]["structuredContent"]["count"] == json!(2))
    );
}
