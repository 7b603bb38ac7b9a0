//! Summaries written by a model: one conversation, three ways to hold it.
//!
//! A [`Voice`] carries a [`Prompt`] to a model and brings back what it said. All else is the same
//! for every provider: the prompt, the reading of the reply, and the one repair. A reply that
//! breaks a rule is asked for once more, with the rule it broke; a second one is a failure of that
//! segment alone.

mod anthropic;
mod command;
mod error;
mod find;
mod openai;
mod prompt;
mod reply;
mod schema;
mod server;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use jezero_connectors::http::Patience;
use serde_json::Value;

pub use error::ModelError;

use self::prompt::{Attempt, Prompt, Style};
use self::schema::{Form, PROJECT, SUMMARY};
use super::{Answer, Summarizer, SummarizerError, Task, Usage};
use crate::config::{Env, Provider, Secret, Summarizer as Settings};
use crate::redaction::Engine;

/// Longest wait for one reply that a configuration can ask for.
const LONGEST_TIMEOUT: Duration = Duration::from_secs(24 * 60 * 60);
/// Longest answer of a server or program, in bytes: a summary has some thousand.
const ANSWER_BYTES: usize = 4 * 1024 * 1024;

/// What a model's summariser is made of.
#[derive(Debug, Clone)]
pub struct Making<'a> {
    /// The section of the configuration.
    pub settings: &'a Settings,
    /// Where the key is looked up.
    pub env: &'a Env,
    /// Names of projects that a guess prefers, beside those of the settings.
    pub projects: Vec<String>,
    /// Variables that a program must not see: those that hold this program's keys.
    pub hidden: Vec<String>,
    /// The rules that quoted replies and errors go through.
    pub engine: Arc<Engine>,
    /// How patient calls over HTTP are.
    pub patience: Patience,
}

impl<'a> Making<'a> {
    /// The way a run makes it.
    #[must_use]
    pub fn new(settings: &'a Settings, env: &'a Env, engine: Arc<Engine>) -> Self {
        let timeout = Duration::try_from_secs_f64(settings.timeout_seconds)
            .unwrap_or(LONGEST_TIMEOUT)
            .min(LONGEST_TIMEOUT);
        Self {
            settings,
            env,
            projects: Vec::new(),
            hidden: Vec::new(),
            engine,
            patience: Patience {
                timeout,
                body_limit: ANSWER_BYTES,
                ..Patience::default()
            },
        }
    }

    /// Makes the summariser. Nothing is asked yet: whether a key is there and whether anybody
    /// answers is not looked at, so that a dry run needs neither.
    ///
    /// # Errors
    /// [`ModelError`] when the address cannot be used or no client can be made.
    pub fn make(self) -> Result<Arc<dyn Summarizer>, ModelError> {
        let model = self.settings.model.clone().unwrap_or_default();
        let name = format!("{} {model}", self.settings.provider);
        Ok(match self.settings.provider {
            Provider::Extractive => Arc::new(super::extractive::Extractive),
            Provider::Anthropic => {
                let voice = anthropic::Anthropic::new(&self, model)?;
                Arc::new(self.model(name, voice))
            }
            Provider::OpenaiCompatible => {
                let voice = openai::OpenAi::new(&self, model)?;
                Arc::new(self.model(name, voice))
            }
            Provider::Command => {
                let voice = command::Command::new(&self);
                let name = format!("command {}", voice.program());
                Arc::new(self.model(name, voice))
            }
        })
    }

    fn model<V: Voice>(self, name: String, voice: V) -> Model<V> {
        let mut projects = self.settings.known_projects.clone();
        projects.extend(self.projects);
        let language = self.settings.output_language.clone();
        Model {
            name,
            style: Style::new(&projects, language, &self.engine),
            engine: self.engine,
            voice,
        }
    }

    /// The key, when one is set.
    fn key(&self) -> Option<Secret> {
        self.env.get(&self.settings.api_key_env)
    }
}

/// What a model said.
#[derive(Debug, Clone, PartialEq)]
enum Said {
    /// The fields of a tool call.
    Fields(Value),
    /// Text that should hold them as JSON.
    Text(String),
}

/// A way to a model.
#[async_trait]
trait Voice: Send + Sync + 'static {
    /// Puts a question; adds what it used up, also when it fails.
    async fn say(&self, prompt: &Prompt, usage: &mut Usage) -> Result<Said, ModelError>;
}

/// A summariser that asks a model.
struct Model<V> {
    name: String,
    style: Style,
    engine: Arc<Engine>,
    voice: V,
}

impl<V: Voice> Model<V> {
    async fn reply(
        &self,
        form: &'static Form,
        task: &Task<'_>,
        usage: &mut Usage,
    ) -> Result<super::Reply, ModelError> {
        let prompt = self.style.prompt(form, task, None);
        let said = self.voice.say(&prompt, usage).await?;
        let flaw = match reply::read(form, &said) {
            Ok(reply) => return Ok(reply),
            Err(flaw) => flaw,
        };
        usage.repairs += 1;
        let attempt = Attempt {
            said: self.engine.redact(&shown(said)),
            flaw: flaw.to_string(),
        };
        let prompt = self.style.prompt(form, task, Some(attempt));
        let said = self.voice.say(&prompt, usage).await?;
        reply::read(form, &said).map_err(ModelError::Shape)
    }
}

impl<V: Voice> Model<V> {
    async fn answer(
        &self,
        form: &'static Form,
        task: &Task<'_>,
    ) -> Result<Answer, SummarizerError> {
        let mut usage = Usage::default();
        match self.reply(form, task, &mut usage).await {
            Ok(reply) => Ok(Answer { reply, usage }),
            Err(cause) => Err(SummarizerError::Model { cause, usage }),
        }
    }
}

fn shown(said: Said) -> String {
    match said {
        Said::Fields(fields) => fields.to_string(),
        Said::Text(text) => text,
    }
}

#[async_trait]
impl<V: Voice> Summarizer for Model<V> {
    fn name(&self) -> &str {
        &self.name
    }

    async fn summarize(&self, task: &Task<'_>) -> Result<Answer, SummarizerError> {
        self.answer(&SUMMARY, task).await
    }

    async fn guess_project(&self, task: &Task<'_>) -> Result<Answer, SummarizerError> {
        // What it was until now is a guess as well, and would be given back.
        let task = Task {
            project: None,
            ..task.clone()
        };
        self.answer(&PROJECT, &task).await
    }
}
