//! The interface that OpenAI began and many servers speak: `POST <base>/chat/completions`.
//!
//! They agree on the messages and on little else. So the best form is asked for first, and what a
//! server refuses is left out: the schema, then JSON at all, and the name of the limit. What it
//! took at last is remembered for as long as the program runs.

use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use jezero_connectors::http::header;
use serde_json::{Value, json};

use super::prompt::Prompt;
use super::server::{Interface, Refusal, Server};
use super::{Making, ModelError, Said, Voice};
use crate::summarizer::Usage;

const INTERFACE: Interface = Interface {
    name: "an OpenAI-compatible interface",
    path: "/chat/completions",
    key_header: || header::AUTHORIZATION,
    key_prefix: "Bearer ",
    headers: &[],
};

/// How a reply's shape is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    /// By a schema that the server enforces.
    Schema,
    /// As some JSON object; its shape stands in the prompt.
    Object,
    /// In words alone.
    Words,
}

/// What a server is asked in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Dialect {
    format: Format,
    /// The key of the limit on the reply.
    limit: &'static str,
}

const OLD_LIMIT: &str = "max_tokens";
const NEW_LIMIT: &str = "max_completion_tokens";

impl Dialect {
    /// What to try after a refusal. `None` when the refusal has another cause.
    fn after(self, refusal: &Refusal) -> Option<Self> {
        let said = refusal.said.to_lowercase();
        let says = |words: &[&str]| words.iter().any(|word| said.contains(word));
        if self.limit == OLD_LIMIT && says(&[NEW_LIMIT]) {
            let limit = NEW_LIMIT;
            return Some(Self { limit, ..self });
        }
        let of_format = says(&["response_format", "json_schema", "json_object", "grammar"]);
        let of_length = says(&[
            "context length",
            "context size",
            "context window",
            "too long",
        ]);
        let may_be = match refusal.status {
            200..=299 | 404 | 500..=599 => of_format,
            400 | 415 | 422 => of_format || !of_length,
            _ => false,
        };
        let format = match self.format {
            Format::Schema => Format::Object,
            Format::Object => Format::Words,
            Format::Words => return None,
        };
        may_be.then_some(Self { format, ..self })
    }
}

/// A model behind such an interface.
pub(super) struct OpenAi {
    server: Server,
    model: String,
    max_tokens: u64,
    dialect: Mutex<Dialect>,
}

impl OpenAi {
    pub(super) fn new(making: &Making<'_>, model: String) -> Result<Self, ModelError> {
        Ok(Self {
            server: Server::new(making, INTERFACE)?,
            model,
            max_tokens: making.settings.max_output_tokens,
            dialect: Mutex::new(Dialect {
                format: Format::Schema,
                limit: OLD_LIMIT,
            }),
        })
    }

    fn dialect(&self) -> Dialect {
        *self.dialect.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn remember(&self, dialect: Dialect) {
        *self.dialect.lock().unwrap_or_else(PoisonError::into_inner) = dialect;
    }

    fn body(&self, prompt: &Prompt, dialect: Dialect) -> Value {
        let in_words = dialect.format != Format::Schema;
        let mut body = json!({
            "model": self.model,
            "messages": [
                {"role": "system", "content": prompt.instructions(in_words)},
                {"role": "user", "content": prompt.user}
            ]
        });
        body[dialect.limit] = json!(self.max_tokens);
        match dialect.format {
            Format::Schema => {
                body["response_format"] = json!({
                    "type": "json_schema",
                    "json_schema": {
                        "name": prompt.form.name,
                        "strict": true,
                        "schema": prompt.form.schema()
                    }
                });
            }
            Format::Object => body["response_format"] = json!({"type": "json_object"}),
            Format::Words => {}
        }
        body
    }

    /// Asks in the dialect that the server is known for, and in poorer ones if it refuses that.
    async fn ask(&self, prompt: &Prompt, usage: &mut Usage) -> Result<Value, ModelError> {
        let known = self.dialect();
        let mut dialect = known;
        let mut first: Option<Refusal> = None;
        loop {
            let refusal = match self.server.ask(&self.body(prompt, dialect), usage).await? {
                Ok(answer) => {
                    if dialect != known {
                        self.remember(dialect);
                    }
                    return Ok(answer);
                }
                Err(refusal) => refusal,
            };
            let Some(next) = dialect.after(&refusal) else {
                // The refusal of the richest form says most when it was not about the form.
                return Err(self.server.refused(&first.unwrap_or(refusal)));
            };
            if next.format != dialect.format {
                first.get_or_insert(refusal);
            }
            dialect = next;
        }
    }
}

#[async_trait]
impl Voice for OpenAi {
    async fn say(&self, prompt: &Prompt, usage: &mut Usage) -> Result<Said, ModelError> {
        let answer = self.ask(prompt, usage).await?;
        let count = |key| answer["usage"][key].as_u64().unwrap_or(0);
        usage.input_tokens += count("prompt_tokens");
        usage.output_tokens += count("completion_tokens");
        let Some(choice) = answer.get("choices").and_then(|choices| choices.get(0)) else {
            return Err(self.server.foreign("it has no list called choices"));
        };
        let message = &choice["message"];
        let text = text_of(&message["content"]);
        match choice["finish_reason"].as_str() {
            Some("length") => {
                return Err(ModelError::Cut {
                    limit: self.max_tokens,
                });
            }
            Some("content_filter") => return Err(self.server.declined("")),
            _ => {}
        }
        match message["refusal"].as_str().filter(|said| !said.is_empty()) {
            Some(said) => Err(self.server.declined(said)),
            None => Ok(Said::Text(text)),
        }
    }
}

/// A message's text: one, or a list of parts.
fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts = parts.iter().filter_map(|part| part.get("text")?.as_str());
            texts.collect::<Vec<_>>().join("")
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_of_the_form_leads_to_a_poorer_one_and_others_do_not() {
        let best = Dialect {
            format: Format::Schema,
            limit: OLD_LIMIT,
        };
        let after = |dialect: Dialect, status, said: &str| {
            let refusal = Refusal::told(status, said);
            dialect
                .after(&refusal)
                .map(|next| (next.format, next.limit))
        };
        assert_eq!(
            after(best, 400, "'response_format.type' must be 'json_object'"),
            Some((Format::Object, OLD_LIMIT))
        );
        assert_eq!(
            after(
                best,
                400,
                "unsupported: use 'max_completion_tokens' instead"
            ),
            Some((Format::Schema, NEW_LIMIT))
        );
        assert_eq!(after(best, 422, ""), Some((Format::Object, OLD_LIMIT)));
        assert_eq!(
            after(best, 500, "failed to parse grammar"),
            Some((Format::Object, OLD_LIMIT))
        );
        assert_eq!(
            after(best, 400, "maximum context length is 4096 tokens"),
            None
        );
        assert_eq!(after(best, 404, "model 'x' not found"), None);
        assert_eq!(after(best, 500, "out of memory"), None);
        assert_eq!(after(best, 401, "response_format"), None);
        let object = Dialect {
            format: Format::Object,
            ..best
        };
        assert_eq!(
            after(object, 400, "json_object"),
            Some((Format::Words, OLD_LIMIT))
        );
        let words = Dialect {
            format: Format::Words,
            ..best
        };
        assert_eq!(after(words, 400, "json_object"), None);
    }
}
