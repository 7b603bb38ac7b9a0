//! `[summarizer]`: who writes the summaries, and how much it may read.

use std::fmt;

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

/// The provider of the configuration is not part of this version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not available in this version: use provider = \"extractive\"")]
pub struct NotAvailable;

/// Settings of the summariser.
#[derive(Debug, Clone, PartialEq)]
pub struct Summarizer {
    /// Who writes. Without a setting: [`Provider::Anthropic`] when a model is named, else
    /// [`Provider::Extractive`].
    pub provider: Provider,
    /// Where the model answers, without a `/` at its end.
    pub base_url: String,
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
}

impl Default for Summarizer {
    fn default() -> Self {
        Self {
            provider: Provider::Extractive,
            base_url: "https://api.anthropic.com".to_owned(),
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
    ];

    /// Says whether the provider can write summaries in this version of the program.
    ///
    /// # Errors
    /// [`NotAvailable`] for every provider but [`Provider::Extractive`].
    pub fn available(&self) -> Result<(), NotAvailable> {
        match self.provider {
            Provider::Extractive => Ok(()),
            Provider::Anthropic | Provider::OpenaiCompatible | Provider::Command => {
                Err(NotAvailable)
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
        };
        if !summarizer.allow_insecure_http && super::url::is_insecure(&summarizer.base_url) {
            let message = "must start with https://, or lead to this computer (127.0.0.1, \
                           localhost), or be allowed with allow_insecure_http = true";
            section.reject("base_url", message);
        }
        summarizer
    }
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
