//! One segment, summarised by a provider with little patience.

use std::sync::Arc;
use std::time::Duration;

use jezero::config::{Env, Provider, Summarizer as Settings};
use jezero::item::{Instant, SourceName};
use jezero::redaction::Engine;
use jezero::summarizer::{Answer, Making, Summarizer, SummarizerError, Task};
use jezero_connectors::http::Patience;
use serde_json::{Value, json};

use crate::support::model_server::{ModelServer, Turn};

/// A key as no rule of redaction knows it.
pub(crate) const KEY: &str = "plain-words-as-a-key";
pub(crate) const TEXT: &str = "[2026-10-19 21:05] user: The invoice export fails.\n\
    [2026-10-19 21:06] tool error: ValueError: bad BOM at byte 0\n\
    [2026-10-19 21:09] assistant: Fixed; `cargo test -p billing` passes.";

/// What a model should say about [`TEXT`].
pub(crate) fn record() -> Value {
    json!({
        "title": "Invoice export fails on a byte order mark",
        "summary": "The export failed on a BOM. It is stripped now.",
        "questions": ["Why did the invoice export fail?"],
        "atoms": [
            {"kind": "error", "text": "ValueError: bad BOM at byte 0"},
            {"kind": "command", "text": "cargo test -p billing"}
        ],
        "project": "billing"
    })
}

/// An answer of Anthropic's interface.
pub(crate) fn tool_use(input: &Value) -> Value {
    json!({
        "type": "message",
        "role": "assistant",
        "content": [{"type": "tool_use", "id": "toolu_1", "name": "record_summary", "input": input}],
        "stop_reason": "tool_use",
        "usage": {"input_tokens": 900, "cache_read_input_tokens": 100, "output_tokens": 200}
    })
}

/// An answer of an OpenAI-compatible interface.
pub(crate) fn completion(content: &str) -> Value {
    json!({
        "object": "chat.completion",
        "choices": [{
            "index": 0,
            "message": {"role": "assistant", "content": content},
            "finish_reason": "stop"
        }],
        "usage": {"prompt_tokens": 1000, "completion_tokens": 200, "total_tokens": 1200}
    })
}

/// A provider's settings for a server.
pub(crate) fn settings(provider: Provider, base: &str) -> Settings {
    Settings {
        provider,
        base_url: base.to_owned(),
        model: Some("tiny-1".to_owned()),
        ..Settings::default()
    }
}

/// Makes a summariser that waits milliseconds where a run waits seconds.
pub(crate) fn made(settings: &Settings) -> Arc<dyn Summarizer> {
    let env = Env::given([
        ("JEZERO_SUMMARIZER_API_KEY", KEY),
        ("PATH", "/usr/bin:/bin"),
    ]);
    let making = Making::new(settings, &env, Arc::new(Engine::embedded()));
    let patience = Patience {
        first_wait: Duration::from_millis(1),
        ..making.patience
    };
    let making = Making {
        patience,
        projects: vec!["shop".to_owned()],
        hidden: vec!["HOME".to_owned()],
        ..making
    };
    making.make().unwrap()
}

/// Asks for a summary of [`TEXT`].
pub(crate) async fn tried(summarizer: &dyn Summarizer) -> Result<Answer, SummarizerError> {
    tried_on(summarizer, TEXT).await
}

pub(crate) async fn tried_on(
    summarizer: &dyn Summarizer,
    text: &str,
) -> Result<Answer, SummarizerError> {
    let text = Engine::embedded().redact(text);
    let task = Task {
        text: &text,
        title_hint: None,
        part: (1, 1),
        source: &SourceName::new("notes").unwrap(),
        project: None,
        occurred_at: Instant::parse("2026-10-19T21:09:00Z").unwrap(),
    };
    summarizer.summarize(&task).await
}

/// Asks Anthropic's interface, served by `turns`, for one summary.
pub(crate) async fn anthropic(
    turns: Vec<Turn>,
) -> (
    Result<Answer, SummarizerError>,
    Vec<crate::support::model_server::Asked>,
) {
    let server = ModelServer::turns(turns);
    let summarizer = made(&settings(Provider::Anthropic, &server.base));
    let answer = tried(summarizer.as_ref()).await;
    (answer, server.asked())
}

/// Asks an OpenAI-compatible interface, served by `turns`, for one summary.
pub(crate) async fn openai(
    turns: Vec<Turn>,
) -> (
    Result<Answer, SummarizerError>,
    Vec<crate::support::model_server::Asked>,
) {
    let server = ModelServer::turns(turns);
    let base = format!("{}/v1", server.base);
    let summarizer = made(&settings(Provider::OpenaiCompatible, &base));
    let answer = tried(summarizer.as_ref()).await;
    (answer, server.asked())
}
