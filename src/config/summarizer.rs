//! `[summarizer]`: who writes the summaries, and how much it may read.

use std::fmt;

use super::Env;
use super::reading::Section;

/// Who writes the summaries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Provider {
    /// The rules built into this program: offline, no key.
    Extractive,
    /// A model behind Anthropic's interface.
    Anthropic,
    /// A model behind an interface like OpenAI's, on this computer or elsewhere.
    OpenaiCompatible,
    /// A program that reads the text and prints the summary.
    Command,
}

impl Provider {
    /// All of them, in the order in which they are listed to people.
    pub const ALL: [Self; 4] = [
        Self::Extractive,
        Self::Anthropic,
        Self::OpenaiCompatible,
        Self::Command,
    ];

    /// The word of the configuration.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Extractive => "extractive",
            Self::Anthropic => "anthropic",
            Self::OpenaiCompatible => "openai_compatible",
            Self::Command => "command",
        }
    }
}

impl fmt::Display for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What a provider needs and does not have; the message says how to give it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotReady {
    /// No model is named.
    #[error("summarizer.model: {provider} needs the name of a model, such as model = \"…\"")]
    Model {
        /// The provider.
        provider: Provider,
    },
    /// No server is named.
    #[error(
        "summarizer.base_url: openai_compatible needs an address, such as \
         http://127.0.0.1:11434/v1 (Ollama) or https://api.openai.com/v1"
    )]
    Address,
    /// The variable of the key is not set, or is empty.
    #[error("summarizer.api_key_env: the environment variable {variable} is not set")]
    Key {
        /// Its name.
        variable: String,
    },
    /// The key cannot be sent.
    #[error(
        "summarizer.api_key_env: the value of {variable} is no key: it holds a blank, a line break \
         or a sign that is not ASCII"
    )]
    KeyShape {
        /// Its name.
        variable: String,
    },
    /// No program is named.
    #[error(
        "summarizer.command: the provider command needs a program with its arguments, such as \
         command = [\"summarise\", \"--json\"]"
    )]
    Command,
}

impl NotReady {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::Key { variable } | Self::KeyShape { variable } => format!(
                "set {variable} in the environment or in a file .env beside the configuration; \
                 provider = \"extractive\" needs no key"
            ),
            Self::Model { .. } | Self::Address | Self::Command => {
                "docs/summarizer.md shows each provider; provider = \"extractive\" needs none of it"
                    .to_owned()
            }
        }
    }
}

/// Settings of the summariser.
#[derive(Debug, Clone, PartialEq)]
pub struct Summarizer {
    /// Who writes. Without a setting: [`Provider::Anthropic`] when a model is named, else
    /// [`Provider::Extractive`].
    pub provider: Provider,
    /// Where the model answers, without a `/` at its end.
    pub base_url: String,
    /// Whether `base_url` was named in the file: the default is no server for every provider.
    pub base_url_named: bool,
    /// Which model writes.
    pub model: Option<String>,
    /// Name of the variable that holds the key.
    pub api_key_env: String,
    /// Whether `api_key_env` was named in the file: a server on this computer needs a key only
    /// then.
    pub api_key_named: bool,
    /// Most calls at once.
    pub max_concurrency: usize,
    /// Longest wait for one reply.
    pub timeout_seconds: f64,
    /// Longest segment, in characters.
    pub max_input_chars: usize,
    /// Longest reply, in tokens of the model.
    pub max_output_tokens: u64,
    /// Most characters a day that are given to a model; `None` is no limit.
    pub daily_input_chars: Option<u64>,
    /// Projects that a guess prefers.
    pub known_projects: Vec<String>,
    /// Language of the summaries; `None` is the text's own.
    pub output_language: Option<String>,
    /// Whether an unencrypted connection to another computer is allowed.
    pub allow_insecure_http: bool,
    /// The program of [`Provider::Command`] and its arguments; no shell reads them.
    pub command: Vec<String>,
}

impl Default for Summarizer {
    fn default() -> Self {
        Self {
            provider: Provider::Extractive,
            base_url: "https://api.anthropic.com".to_owned(),
            base_url_named: false,
            model: None,
            api_key_env: "JEZERO_SUMMARIZER_API_KEY".to_owned(),
            api_key_named: false,
            max_concurrency: 4,
            timeout_seconds: 120.0,
            max_input_chars: 60_000,
            max_output_tokens: 2048,
            daily_input_chars: None,
            known_projects: Vec::new(),
            output_language: None,
            allow_insecure_http: false,
            command: Vec::new(),
        }
    }
}

impl Summarizer {
    pub(super) const KEYS: &[&str] = &[
        "provider",
        "base_url",
        "model",
        "api_key_env",
        "max_concurrency",
        "timeout_seconds",
        "max_input_chars",
        "max_output_tokens",
        "daily_input_chars",
        "known_projects",
        "output_language",
        "allow_insecure_http",
        "command",
    ];

    /// Says whether all is there that the provider needs for its first call.
    ///
    /// # Errors
    /// [`NotReady`] names what is missing. Whether a server answers is not looked at.
    pub fn ready(&self, env: &Env) -> Result<(), NotReady> {
        let provider = self.provider;
        match provider {
            Provider::Extractive => return Ok(()),
            Provider::Command if self.command.is_empty() => return Err(NotReady::Command),
            Provider::Command => return Ok(()),
            Provider::OpenaiCompatible if !self.base_url_named => return Err(NotReady::Address),
            Provider::Anthropic | Provider::OpenaiCompatible => {}
        }
        if self.model.is_none() {
            return Err(NotReady::Model { provider });
        }
        let variable = self.api_key_env.clone();
        match env.get(&variable) {
            Some(key) if !key.expose().bytes().all(|byte| byte.is_ascii_graphic()) => {
                Err(NotReady::KeyShape { variable })
            }
            None if self.needs_key() => Err(NotReady::Key { variable }),
            _ => Ok(()),
        }
    }

    /// Whether calls need a key: those over HTTP do, except to a server on this computer for which
    /// none was named.
    #[must_use]
    pub fn needs_key(&self) -> bool {
        match self.provider {
            Provider::Extractive | Provider::Command => false,
            Provider::Anthropic => true,
            Provider::OpenaiCompatible => {
                self.api_key_named || !super::url::is_local(&self.base_url)
            }
        }
    }

    pub(super) fn read(section: &Section<'_>) -> Self {
        section.only(Self::KEYS);
        let standard = Self::default();
        let model = section.any_text("model");
        let implied = match model {
            Some(_) => Provider::Anthropic,
            None => Provider::Extractive,
        };
        let count = |key, from, to, standard: usize| {
            let number = section.integer(key, from..=to);
            number.map_or(standard, |number| {
                usize::try_from(number).unwrap_or(usize::MAX)
            })
        };
        let projects = section.texts("known_projects", super::projects::NAME_RULE, |name| {
            super::projects::clean(name).is_some()
        });
        let summarizer = Self {
            provider: read_provider(section).unwrap_or(implied),
            base_url: section
                .text("base_url", super::url::RULE, super::url::is_http)
                .map_or(standard.base_url, |url| {
                    url.trim_end_matches('/').to_owned()
                }),
            base_url_named: section.has("base_url"),
            model,
            api_key_named: section.has("api_key_env"),
            api_key_env: section
                .variable("api_key_env")
                .unwrap_or(standard.api_key_env),
            max_concurrency: count("max_concurrency", 1, 64, standard.max_concurrency),
            timeout_seconds: section
                .positive("timeout_seconds")
                .unwrap_or(standard.timeout_seconds),
            max_input_chars: count("max_input_chars", 1000, u64::MAX, standard.max_input_chars),
            max_output_tokens: section
                .integer("max_output_tokens", 1..=u64::MAX)
                .unwrap_or(standard.max_output_tokens),
            daily_input_chars: section.integer("daily_input_chars", 1..=u64::MAX),
            known_projects: (projects.unwrap_or_default().iter())
                .filter_map(|name| super::projects::clean(name))
                .collect(),
            output_language: section.any_text("output_language"),
            allow_insecure_http: section.flag("allow_insecure_http").unwrap_or(false),
            command: read_command(section),
        };
        summarizer.check_limits(section);
        if !summarizer.allow_insecure_http && super::url::is_insecure(&summarizer.base_url) {
            let message = "must start with https://, or lead to this computer (127.0.0.1, \
                           localhost), or be allowed with allow_insecure_http = true";
            section.reject("base_url", message);
        }
        summarizer
    }

    /// A day's limit below one segment would let nothing through, ever.
    fn check_limits(&self, section: &Section<'_>) {
        let segment = u64::try_from(self.max_input_chars).unwrap_or(u64::MAX);
        if let Some(day) = self.daily_input_chars.filter(|day| *day < segment) {
            let message =
                format!("daily_input_chars ({day}) must not be below max_input_chars ({segment})");
            section.reject("daily_input_chars", message);
        }
    }
}

/// A program's path is resolved as every path; a bare name is looked for where programs are.
fn read_command(section: &Section<'_>) -> Vec<String> {
    let mut command = section
        .texts("command", "a text without NUL", |text| !text.contains('\0'))
        .unwrap_or_default();
    let Some(program) = command.first_mut() else {
        return command;
    };
    if program.trim().is_empty() {
        section.reject("command", "must begin with the name of a program");
    } else if program.contains('/') {
        let path = section.paths().resolve(program);
        *program = path.to_string_lossy().into_owned();
    }
    command
}

fn read_provider(section: &Section<'_>) -> Option<Provider> {
    let rule = format!("one of {}", Provider::ALL.map(Provider::as_str).join(", "));
    section.get("provider", &rule, |value| {
        let word = value.as_str()?;
        Provider::ALL
            .into_iter()
            .find(|provider| provider.as_str() == word)
    })
}
