//! A bridge from standard input and output to a server: each line becomes a POST, each answer a
//! line. The key stays in the environment of this program and out of an agent's files.
//!
//! The bridge understands no more of a message than the headers of the newer era want. It outlives
//! its server: while that cannot be reached, the handshake and the list of tools are answered from
//! here, so that an agent starts, and each call says what is wrong.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use jezero_connectors::http::{self, Http, HttpError, Method, Patience, Question, Url, header};
use serde_json::Value;
use tokio::io::{AsyncBufRead, AsyncWrite};

use super::message::{self, Fault, Message, Request};
use super::revision::{self, Era};
use super::service::standing;
use super::stdio::{Line, pump, read};
use crate::config::Secret;

/// The server did not do its part.
const SERVER_FAULT: i64 = -32000;
/// Longest wait for a whole answer.
const ANSWER: Duration = Duration::from_secs(120);
/// Largest answer, in bytes: an original may be long.
const MAX_ANSWER: usize = 256 * 1024 * 1024;

/// Knows a server and the key for it.
#[derive(Debug)]
pub struct Bridge {
    http: Http,
    url: Url,
    authorization: Option<Secret>,
}

/// Why there can be no bridge.
#[derive(Debug, thiserror::Error)]
pub enum BridgeError {
    /// The address has another form: mend the variable.
    #[error("the server's address must start with https:// or http://")]
    Address,
    /// The system's certificates cannot be read: mend them.
    #[error(transparent)]
    Client(#[from] HttpError),
    /// The key cannot stand in a header: mend the variable.
    #[error("the key holds characters that no key has")]
    Key,
}

impl Bridge {
    /// A bridge to a server: its address, with or without the path of the endpoint.
    ///
    /// # Errors
    /// [`BridgeError`].
    pub fn new(address: &str, key: Option<Secret>) -> Result<Self, BridgeError> {
        let url = endpoint(address.trim()).ok_or(BridgeError::Address)?;
        let printable = |key: &Secret| key.expose().bytes().all(|byte| byte.is_ascii_graphic());
        if key.as_ref().is_some_and(|key| !printable(key)) {
            return Err(BridgeError::Key);
        }
        let patience = Patience {
            timeout: ANSWER,
            // An agent waits, and asks again by itself.
            tries: 1,
            body_limit: MAX_ANSWER,
            ..Patience::default()
        };
        Ok(Self {
            http: Http::new(&url, patience)?,
            url,
            authorization: key,
        })
    }

    /// Whether the key would travel to another computer unencrypted.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.authorization.is_some() && self.url.scheme() == "http" && !http::is_loopback(&self.url)
    }

    /// Carries lines until the input ends.
    ///
    /// # Errors
    /// When the input cannot be read or the output takes no more.
    pub async fn serve(
        self,
        input: impl AsyncBufRead + Unpin,
        output: impl AsyncWrite + Unpin + Send + 'static,
    ) -> io::Result<()> {
        let bridge = Arc::new(self);
        pump(input, output, move |line| {
            let bridge = Arc::clone(&bridge);
            async move { bridge.carry(&line).await }
        })
        .await
    }

    /// Carries one line over and its answer back.
    async fn carry(&self, line: &Line) -> Option<Vec<u8>> {
        let message = match read(line) {
            Ok(message) => message,
            Err((id, fault)) => return Some(message::answer(&id, Err(fault))),
        };
        let Line::Whole(bytes) = line else {
            return None;
        };
        let posted = self.post(bytes, &message).await;
        let Message::Request(request) = message else {
            if let Err(told) = posted {
                tracing::warn!("a notification was lost: {told}");
            }
            return None;
        };
        let told = match posted {
            Ok(answer) => match answer.line_for(&request) {
                Ok(line) => return Some(line),
                Err(told) => told,
            },
            Err(told) => {
                let era = Era::of(&request, None);
                if let Some(outcome) = era.ok().and_then(|era| standing(&request, era)) {
                    tracing::warn!("{told}; answered from here");
                    return Some(message::answer(&request.id, outcome));
                }
                told
            }
        };
        tracing::warn!("{told}");
        Some(message::answer(
            &request.id,
            Err(Fault::new(SERVER_FAULT, told)),
        ))
    }

    async fn post(&self, body: &[u8], message: &Message) -> Result<Answer, String> {
        let lost = |error: HttpError| match error {
            unreachable @ HttpError::Unreachable { .. } => unreachable.to_string(),
            other => format!("the server cannot be reached: {other}"),
        };
        let mut question = Question::get(self.url.clone());
        question.method = Method::POST;
        question.body = Some(body.to_vec());
        let mut add = |name: &'static str, value: &str| {
            if let Ok(value) = http::HeaderValue::from_str(value) {
                question.headers.insert(name, value);
            }
        };
        add("content-type", "application/json");
        add("accept", "application/json, text/event-stream");
        if let Message::Request(request) = message
            && let Some(version) = revision::named(request)
        {
            add("mcp-protocol-version", &in_header(version));
            add("mcp-method", &in_header(&request.method));
            if let Some(name) = revision::name_of(request) {
                add("mcp-name", &in_header(name));
            }
        }
        if let Some(key) = &self.authorization {
            let value = format!("Bearer {}", key.expose());
            question = question
                .secret(header::AUTHORIZATION, &value)
                .map_err(lost)?;
        }
        let answer = self.http.ask(&question).await.map_err(lost)?;
        Ok(Answer {
            status: answer.status,
            body: answer.body,
        })
    }
}

/// What came back.
struct Answer {
    status: u16,
    body: Vec<u8>,
}

impl Answer {
    /// The line that answers a request, or what is wrong with the answer.
    fn line_for(self, request: &Request) -> Result<Vec<u8>, String> {
        if self.status == 401 {
            return Err("the server does not know the key (HTTP 401): set JEZERO_TOKEN".to_owned());
        }
        let strange = || format!("the server answered with HTTP {}", self.status);
        let mut value: Value = serde_json::from_slice(&self.body).map_err(|_| strange())?;
        let Value::Object(answer) = &mut value else {
            return Err(strange());
        };
        if !answer.contains_key("result") && !answer.get("error").is_some_and(Value::is_object) {
            return Err(strange());
        }
        let named = answer.get("id") == Some(&request.id);
        if named && !self.body.contains(&b'\n') && !self.body.contains(&b'\r') {
            return Ok(self.body);
        }
        answer.insert("id".to_owned(), request.id.clone());
        Ok(value.to_string().into_bytes())
    }
}

/// The address of the endpoint: a bare server's is at `/mcp`.
fn endpoint(address: &str) -> Option<Url> {
    let strange = |c: char| c.is_whitespace() || c.is_control();
    let mut url = http::address(address, true).ok()?;
    // What the standard for addresses would mend silently is refused.
    let rest = address.split_once("://")?.1;
    if rest.starts_with('/') || address.chars().any(strange) {
        return None;
    }
    if url.path() == "/" {
        url.set_path("/mcp");
    }
    Some(url)
}

/// A text as a header can carry it.
fn in_header(text: &str) -> String {
    let plain = text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
        && text.trim() == text
        && !text.starts_with("=?base64?");
    if plain {
        text.to_owned()
    } else {
        format!("=?base64?{}?=", BASE64_STANDARD.encode(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_server_has_its_endpoint_at_mcp() {
        let end = |address| endpoint(address).unwrap().to_string();
        assert_eq!(end("https://a.example"), "https://a.example/mcp");
        assert_eq!(end("https://a.example/"), "https://a.example/mcp");
        assert_eq!(end("http://[::1]:1/lib/mcp"), "http://[::1]:1/lib/mcp");
        assert_eq!(endpoint("http://localhost:1@box.lan"), None);
        for bad in [
            "",
            "a.example",
            "ftp://a",
            "https://",
            "https:///x",
            "http://a b",
        ] {
            assert_eq!(endpoint(bad), None, "{bad}");
        }
    }

    #[test]
    fn only_a_key_on_its_way_to_another_computer_is_open() {
        let key = || crate::config::Env::given([("K", "k")]).get("K");
        let open = |url, key| Bridge::new(url, key).unwrap().is_open();
        assert!(open("http://box.lan:8765", key()));
        assert!(open("http://localhost.example", key()));
        assert!(!open("http://localhost:8765", key()));
        assert!(!open("https://box.lan", key()));
        assert!(!open("http://box.lan", None));
    }

    #[test]
    fn a_header_carries_any_text() {
        assert_eq!(in_header("get_item"), "get_item");
        assert_eq!(in_header("é"), "=?base64?w6k=?=");
        assert_eq!(in_header(" a"), "=?base64?IGE=?=");
    }
}
