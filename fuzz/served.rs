//! What must hold for any request to a served library; used by the fuzz targets and by ordinary
//! tests over the seeds.

use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use jezero::config::{Config, Env};
use jezero::http::Server;
use jezero::import::{ImportOptions, import_jsonl};
use jezero::item::{Instant, Trust};
use jezero::library::Settings;
use jezero::mcp::{Readers, Service};
use jezero::redaction::Engine;
use jezero::store::Store;
use jezero_connectors::time::FixedClock;
use serde_json::{Value, json};
use tower::ServiceExt;

const TOOLS: [&str; 5] = ["search", "get_item", "later", "timeline", "list_sources"];

struct Served {
    runtime: tokio::runtime::Runtime,
    router: Router,
    _folder: tempfile::TempDir,
}

/// A small library, open to all.
static SERVED: LazyLock<Served> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let library = folder.path().join("jezero.db");
    let now = Instant::parse("2026-10-21").unwrap();
    let lines: Vec<String> = (1..9)
        .map(|day| {
            json!({
                "source": format!("s{}", day % 2), "external_id": format!("n{day}"),
                "occurred_at": format!("2026-10-0{day}T00:00:00Z"),
                "title": format!("invoice export {day}"), "summary": "the tax id was lost",
                "questions": ["why?"], "atoms": [{"kind": "error", "text": "E42: 東京"}],
                "project": "billing", "original": "[2026-10-01 00:00] user: invoice",
            })
            .to_string()
        })
        .collect();
    let options = ImportOptions {
        source: None,
        project: None,
        trust: Trust::Own,
    };
    let mut store = Store::open(&library).unwrap();
    let engine = Engine::embedded();
    let lines = lines.join("\n");
    import_jsonl(
        &mut store,
        &engine,
        lines.as_bytes(),
        "seeds",
        &options,
        now,
    )
    .unwrap();
    let file = folder.path().join("jezero.toml");
    let text = "[server]\nrequire_auth = false\n";
    let config = Config::parse(text, &file, Env::given([])).unwrap();
    let service = Service::new(Readers::new(
        library,
        Settings::default(),
        Arc::new(FixedClock(now)),
    ));
    let server = Server::new(&config, Env::given([]), service).unwrap();
    Served {
        runtime: tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap(),
        router: server.router(),
        _folder: folder,
    }
});

fn post(body: Vec<u8>) -> (u16, Vec<u8>) {
    let request = Request::post("/mcp")
        .header("host", "localhost")
        .header("content-type", "application/json")
        .body(Body::from(body))
        .unwrap();
    SERVED.runtime.block_on(async {
        let answer = SERVED.router.clone().oneshot(request);
        let (parts, body) = answer.await.unwrap().into_parts();
        let bytes = axum::body::to_bytes(body, usize::MAX).await;
        (parts.status.as_u16(), bytes.unwrap().to_vec())
    })
}

/// Checks any bytes as the body of a request: one of the statuses that the page names, and a
/// message in every answer that has a body.
pub(super) fn body(bytes: &[u8]) {
    let (status, answer) = post(bytes.to_vec());
    if status == 202 {
        assert!(answer.is_empty());
        return;
    }
    assert!([200, 400, 404].contains(&status), "{status}");
    let answer: Value = serde_json::from_slice(&answer).unwrap();
    assert_eq!(answer["jsonrpc"], json!("2.0"));
    let error = answer["error"]["code"].as_i64();
    assert_ne!(error, Some(-32603), "an internal error");
    assert!(answer["result"].is_object() || error.is_some());
    assert!(status == 200 || error.is_some());
}

/// Checks any arguments of any tool: the first byte chooses the tool, the rest is a JSON object, or
/// a text that is given for every argument that takes one.
pub(super) fn arguments(bytes: &[u8]) {
    let Some((first, rest)) = bytes.split_first() else {
        return;
    };
    let tool = TOOLS[usize::from(*first) % TOOLS.len()];
    let arguments = match serde_json::from_slice(rest) {
        Ok(arguments @ Value::Object(_)) => arguments,
        _ => {
            let text = String::from_utf8_lossy(rest);
            match tool {
                "search" => {
                    json!({"query": text, "explain": true, "fields": ["snippet", "matched"]})
                }
                "later" => json!({"item_id": 1, "query": text}),
                "get_item" => json!({"item_id": text}),
                _ => json!({"since": text, "project": text}),
            }
        }
    };
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": tool, "arguments": arguments}});
    let (status, answer) = post(call.to_string().into_bytes());
    assert_eq!(status, 200);
    let answer: Value = serde_json::from_slice(&answer).unwrap();
    let result = &answer["result"];
    let text = result["content"][0]["text"].as_str().unwrap();
    let failed = result["isError"].as_bool().unwrap();
    if failed {
        assert!(text.starts_with(&format!("Error executing tool {tool}: ")));
        assert!(
            result["structuredContent"]["argument"].is_string(),
            "{text}"
        );
    } else {
        let structured = &result["structuredContent"];
        assert_eq!(text, format!("{structured:#}"));
    }
}
