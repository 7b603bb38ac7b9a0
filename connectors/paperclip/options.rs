//! `[connectors.options]` of the kind `paperclip`.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::error::ConnectorError;
use crate::http::{self, Url};
use crate::options;

/// Where a server listens that nobody moved.
pub const USUAL_URL: &str = "http://127.0.0.1:3100/api";
/// The variable with the key, unless another one is named.
pub const USUAL_KEY: &str = "PAPERCLIP_API_KEY";

/// The options; see `docs/connectors/paperclip.md` for what each does.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Where the API is. Without a path, `/api` is added.
    pub api_url: String,
    /// Whether keys and texts may travel over a network without encryption.
    pub insecure_http: bool,
    /// Names the variable that holds the key.
    pub api_key_env: Option<String>,
    /// Ids of the companies to read; empty reads those that the key sees.
    pub company_ids: Vec<String>,
    /// A Paperclip project's id, url key or name, and the project that its tasks belong to.
    pub project_map: BTreeMap<String, String>,
    /// Tasks in one of these states are passed over.
    pub skip_statuses: Vec<String>,
    /// Whether notices that the server wrote itself are passed over.
    pub skip_system_notices: bool,
    /// Whether documents are read.
    pub include_documents: bool,
    /// Whether interactions (questions, confirmations) and their answers are read.
    pub include_interactions: bool,
    /// How the server's own user is called.
    pub board_name: String,
    /// Characters kept of one description, comment, answer or document.
    pub max_block_chars: usize,
    /// Minutes that a task must have rested before it is read; 0 reads at once.
    pub settle_minutes: u32,
    /// Rendered characters below which a task is not worth an item.
    pub min_chars: usize,
    /// Requests that are under way at the same time.
    pub max_concurrency: usize,
    /// Seconds that one answer may take.
    pub timeout_seconds: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            api_url: USUAL_URL.to_owned(),
            insecure_http: false,
            api_key_env: None,
            company_ids: Vec::new(),
            project_map: BTreeMap::new(),
            skip_statuses: Vec::new(),
            skip_system_notices: true,
            include_documents: true,
            include_interactions: true,
            board_name: "board".to_owned(),
            max_block_chars: 8000,
            settle_minutes: options::Common::default().settle_minutes,
            min_chars: 200,
            max_concurrency: 4,
            timeout_seconds: 60,
        }
    }
}

/// Keys with the least and greatest value that makes sense. A server takes eight lists at once.
const BOUNDS: &[(&str, u64, u64)] = &[
    ("max_block_chars", 1, 1_000_000),
    ("settle_minutes", 0, 525_600),
    ("min_chars", 0, 1_000_000),
    ("max_concurrency", 1, 8),
    ("timeout_seconds", 1, 3600),
];

fn refuse(key: &str, message: impl Into<String>) -> ConnectorError {
    ConnectorError::Option {
        key: key.to_owned(),
        message: message.into(),
    }
}

impl Options {
    /// Reads and checks an options table.
    ///
    /// # Errors
    /// [`ConnectorError::Option`] with the key and what would be right.
    pub fn read(table: &toml::Table) -> Result<Self, ConnectorError> {
        // Before the types are checked: a negative number is out of bounds to a person.
        for (key, least, most) in BOUNDS {
            let Some(value) = table.get(*key).and_then(toml::Value::as_integer) else {
                continue;
            };
            if !u64::try_from(value).is_ok_and(|value| (*least..=*most).contains(&value)) {
                let message = format!("{value} is not within {least} and {most}");
                return Err(refuse(key, message));
            }
        }
        let options: Self = options::parse(table)?;
        options.base()?;
        if options.api_key_env.as_deref().is_some_and(|name| {
            let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
            name.is_empty() || !name.chars().all(word)
        }) {
            let message = "is no name of a variable; the key itself does not belong in this file";
            return Err(refuse("api_key_env", message));
        }
        if let Some(bad) = options.company_ids.iter().find(|id| !is_uuid(id)) {
            let message = format!(
                "{bad:?} is no company id such as 0b54a1c2-5d1e-4f0a-9c3e-7a8b9c0d1e2f; \
                 GET /api/companies lists them"
            );
            return Err(refuse("company_ids", message));
        }
        if options.skip_statuses.iter().any(|s| s.trim().is_empty()) {
            return Err(refuse("skip_statuses", "has an empty entry"));
        }
        let name = options.board_name.trim();
        if name.is_empty() || name.chars().count() > 80 || name.chars().any(char::is_control) {
            return Err(refuse("board_name", "has 1 to 80 characters on one line"));
        }
        Ok(options)
    }

    /// The address of the API, without a slash at its end.
    ///
    /// # Errors
    /// [`ConnectorError::Option`] naming `api_url`.
    pub fn base(&self) -> Result<Url, ConnectorError> {
        let mut url = http::address(&self.api_url, self.insecure_http).map_err(|error| {
            let hint = match error {
                http::AddressError::Insecure => {
                    ", or set insecure_http = true in a network of yours"
                }
                _ => "",
            };
            refuse("api_url", format!("{error}{hint}"))
        })?;
        url.set_query(None);
        url.set_fragment(None);
        let path = url.path().trim_end_matches('/').to_owned();
        url.set_path(if path.is_empty() { "/api" } else { &path });
        Ok(url)
    }
}

/// Whether a text has the form of the server's ids.
#[must_use]
pub fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Options, String> {
        let table: toml::Table = text.parse().unwrap();
        Options::read(&table).map_err(|error| error.to_string())
    }

    #[test]
    fn an_empty_table_gives_the_documented_defaults() {
        assert_eq!(read(""), Ok(Options::default()));
    }

    #[test]
    fn what_is_wrong_is_refused_by_its_key() {
        for (text, message) in [
            (
                "max_concurrency = 9",
                "max_concurrency: 9 is not within 1 and 8",
            ),
            (
                "min_chars = -1",
                "min_chars: -1 is not within 0 and 1000000",
            ),
            (
                "skip_statuses = [\" \"]",
                "skip_statuses: has an empty entry",
            ),
            (
                "api_key_env = \"pcp board\"",
                "api_key_env: is no name of a variable; the key itself does not belong in this file",
            ),
            (
                "api_url = \"http://tasks.example.com/api\"",
                "api_url: http:// is for this computer only; use https://, or set \
                 insecure_http = true in a network of yours",
            ),
            (
                "board_name = \"\"",
                "board_name: has 1 to 80 characters on one line",
            ),
        ] {
            assert_eq!(read(text), Err(message.to_owned()), "{text}");
        }
        assert!(
            read("company_ids = [\"PAP\"]")
                .unwrap_err()
                .starts_with("company_ids: \"PAP\"")
        );
        assert!(
            read("api_uri = \"x\"")
                .unwrap_err()
                .starts_with("api_uri: unknown field")
        );
    }

    #[test]
    fn an_address_without_a_path_gets_the_usual_one() {
        let base = |url: &str| {
            let options = Options {
                api_url: url.to_owned(),
                ..Options::default()
            };
            options.base().unwrap().to_string()
        };
        assert_eq!(base("http://127.0.0.1:3100"), "http://127.0.0.1:3100/api");
        assert_eq!(
            base("http://127.0.0.1:3100/api/"),
            "http://127.0.0.1:3100/api"
        );
        assert_eq!(
            base("https://x.example/pc/api?a=b"),
            "https://x.example/pc/api"
        );
    }
}
