//! Anthropic's interface: `POST <base>/v1/messages` with one tool that the model must call.

use async_trait::async_trait;
use jezero_connectors::http::HeaderName;
use serde_json::{Value, json};

use super::prompt::Prompt;
use super::server::{Interface, Server};
use super::{Making, ModelError, Said, Voice};
use crate::summarizer::Usage;

const INTERFACE: Interface = Interface {
    name: "Anthropic's interface",
    path: "/v1/messages",
    key_header: || HeaderName::from_static("x-api-key"),
    key_prefix: "",
    headers: &[("anthropic-version", "2023-06-01")],
};

/// A model behind Anthropic's interface.
pub(super) struct Anthropic {
    server: Server,
    model: String,
    max_tokens: u64,
}

impl Anthropic {
    pub(super) fn new(making: &Making<'_>, model: String) -> Result<Self, ModelError> {
        // Other programs want the version in the address, this interface has it in its path.
        let mut settings = making.settings.clone();
        if let Some(base) = settings.base_url.strip_suffix("/v1") {
            settings.base_url = base.to_owned();
        }
        let making = Making {
            settings: &settings,
            ..making.clone()
        };
        Ok(Self {
            server: Server::new(&making, INTERFACE)?,
            model,
            max_tokens: settings.max_output_tokens,
        })
    }

    fn body(&self, prompt: &Prompt) -> Value {
        json!({
            "model": self.model,
            "max_tokens": self.max_tokens,
            "system": prompt.instructions(false),
            "messages": [{"role": "user", "content": prompt.user}],
            "tools": [{
                "name": prompt.form.name,
                "description": prompt.form.purpose,
                "input_schema": prompt.form.schema()
            }],
            "tool_choice": {"type": "tool", "name": prompt.form.name}
        })
    }
}

#[async_trait]
impl Voice for Anthropic {
    async fn say(&self, prompt: &Prompt, usage: &mut Usage) -> Result<Said, ModelError> {
        let answer = match self.server.ask(&self.body(prompt), usage).await? {
            Ok(answer) => answer,
            Err(refusal) => return Err(self.server.refused(&refusal)),
        };
        spent(&answer, usage);
        let content = answer.get("content").and_then(Value::as_array);
        let Some(content) = content else {
            return Err(self.server.foreign("it has no list called content"));
        };
        let texts = content
            .iter()
            .filter_map(|block| block.get("text")?.as_str());
        let text = texts.collect::<Vec<_>>().join("\n");
        match answer.get("stop_reason").and_then(Value::as_str) {
            Some("max_tokens" | "model_context_window_exceeded") => {
                return Err(ModelError::Cut {
                    limit: self.max_tokens,
                });
            }
            Some("refusal") => return Err(self.server.declined(&text)),
            _ => {}
        }
        let called = content.iter().find(|block| {
            let word = |key| block.get(key).and_then(Value::as_str);
            word("type") == Some("tool_use") && word("name") == Some(prompt.form.name)
        });
        Ok(match called.and_then(|block| block.get("input")) {
            Some(input) => Said::Fields(input.clone()),
            None => Said::Text(text),
        })
    }
}

fn spent(answer: &Value, usage: &mut Usage) {
    let count = |key| answer["usage"][key].as_u64().unwrap_or(0);
    usage.input_tokens += count("input_tokens")
        + count("cache_creation_input_tokens")
        + count("cache_read_input_tokens");
    usage.output_tokens += count("output_tokens");
}
