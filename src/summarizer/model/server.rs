//! A model behind HTTP: one client for all calls, the key in a header that is shown nowhere.
//!
//! A server may repeat what it was sent, the key among it. So the key is taken out of all that
//! comes back before anything else looks at it; then errors are redacted and cut.

use std::sync::Arc;

use jezero_connectors::http::{
    self, Answer, HeaderMap, HeaderName, HeaderValue, Http, HttpError, Method, Question, Url,
    header,
};
use serde_json::Value;

use super::{Making, ModelError};
use crate::config::Secret;
use crate::redaction::{Engine, Redacted};
use crate::summarizer::Usage;

/// Longest piece of a server's or program's own words that an error quotes, in characters.
pub(super) const QUOTED_CHARS: usize = 300;
/// What stands in the place of the key.
const HIDDEN: &str = "[REDACTED:summarizer_api_key]";
/// A shorter key is no secret, and would be found in every text.
const KEY_BYTES: usize = 8;

/// An interface of a model.
#[derive(Debug, Clone, Copy)]
pub(super) struct Interface {
    /// What it is called in messages.
    pub(super) name: &'static str,
    /// The path below the base address.
    pub(super) path: &'static str,
    /// The header that holds the key.
    pub(super) key_header: HeaderNameOf,
    /// What stands before the key in that header.
    pub(super) key_prefix: &'static str,
    /// Headers that go with every question.
    pub(super) headers: &'static [(&'static str, &'static str)],
}

/// Makes a header's name, which cannot be made in a constant.
pub(super) type HeaderNameOf = fn() -> HeaderName;

/// A server that answers questions about texts.
#[derive(Debug)]
pub(super) struct Server {
    http: Http,
    url: Url,
    place: String,
    interface: Interface,
    key: Option<Secret>,
    key_variable: String,
    engine: Arc<Engine>,
}

/// A server's refusal: its status and what it said, the key taken out.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) status: u16,
    pub(super) said: String,
    tries: u64,
}

/// What a question came to.
pub(super) type Asked = Result<Result<Value, Refusal>, ModelError>;

impl Server {
    pub(super) fn new(making: &Making<'_>, interface: Interface) -> Result<Self, ModelError> {
        let settings = making.settings;
        let mut url = http::address(&settings.base_url, settings.allow_insecure_http)?;
        let place = match (url.host_str(), url.port()) {
            (Some(host), Some(port)) => format!("{host}:{port}"),
            (host, _) => host.unwrap_or_default().to_owned(),
        };
        let http = Http::new(&url, making.patience).map_err(|cause| ModelError::Unanswered {
            place: place.clone(),
            cause,
        })?;
        let path = format!("{}{}", url.path().trim_end_matches('/'), interface.path);
        url.set_path(&path);
        Ok(Self {
            http,
            url,
            place,
            interface,
            key: making.key(),
            key_variable: settings.api_key_env.clone(),
            engine: Arc::clone(&making.engine),
        })
    }

    /// Puts a question until there is an answer that stands.
    pub(super) async fn ask(&self, body: &Value, usage: &mut Usage) -> Asked {
        let question = self
            .question(body)
            .map_err(|cause| self.unanswered(cause))?;
        let mut retries = 0;
        let answer = self.http.ask_counting(&question, &mut retries).await;
        usage.retries += u64::from(retries);
        let answer = answer.map_err(|cause| self.unanswered(cause))?;
        let tries = u64::from(retries) + 1;
        let read = serde_json::from_slice::<Value>(&answer.body);
        if !answer.is_success() {
            return Ok(Err(self.refusal(&answer, read.ok(), tries)));
        }
        let mut value = match read {
            Ok(value) if value.is_object() => value,
            Ok(_) => return Err(self.foreign("the answer is no JSON object")),
            Err(_) => return Err(self.foreign(kind_of(&answer))),
        };
        self.scrub(&mut value);
        if let Some(error) = value.get("error").filter(|error| !error.is_null()) {
            return Ok(Err(Refusal {
                status: answer.status,
                said: self.without_key(&said(error)),
                tries,
            }));
        }
        Ok(Ok(value))
    }

    fn question(&self, body: &Value) -> Result<Question, HttpError> {
        let mut headers = HeaderMap::new();
        let json = HeaderValue::from_static("application/json");
        headers.insert(header::CONTENT_TYPE, json.clone());
        headers.insert(header::ACCEPT, json);
        for (name, value) in self.interface.headers {
            let value = HeaderValue::from_static(value);
            headers.insert(HeaderName::from_static(name), value);
        }
        let question = Question {
            method: Method::POST,
            url: self.url.clone(),
            headers,
            body: Some(body.to_string().into_bytes()),
        };
        match &self.key {
            None => Ok(question),
            Some(key) => {
                let value = format!("{}{}", self.interface.key_prefix, key.expose());
                question.secret((self.interface.key_header)(), &value)
            }
        }
    }

    fn refusal(&self, answer: &Answer, read: Option<Value>, tries: u64) -> Refusal {
        let said = match read {
            Some(mut value) => {
                self.scrub(&mut value);
                // The key may stand as a name, too.
                self.without_key(&said(value.get("error").unwrap_or(&value)))
            }
            // A page for browsers says nothing that helps.
            None if is_html(answer) => String::new(),
            None => self.without_key(&String::from_utf8_lossy(&answer.body)),
        };
        Refusal {
            status: answer.status,
            said,
            tries,
        }
    }

    /// The error that a refusal ends in.
    pub(super) fn refused(&self, refusal: &Refusal) -> ModelError {
        let (place, status) = (self.place.clone(), refusal.status);
        let said = quoted(&refusal.said, &self.engine);
        match status {
            300..=399 => self.foreign("it leads to another address, and a key does not follow"),
            401..=403 => ModelError::Denied {
                place,
                status,
                said,
                variable: self.key_variable.clone(),
            },
            408 | 409 | 429 | 500..=599 => ModelError::Busy {
                place,
                status,
                said,
                tries: refusal.tries,
            },
            _ => ModelError::Refused {
                place,
                status,
                said,
            },
        }
    }

    /// The error for an answer of another shape.
    pub(super) fn foreign(&self, what: &'static str) -> ModelError {
        ModelError::Foreign {
            place: self.place.clone(),
            interface: self.interface.name,
            what,
        }
    }

    /// The error for a model that does not want to.
    pub(super) fn declined(&self, said: &str) -> ModelError {
        ModelError::Declined {
            said: quoted(said, &self.engine),
        }
    }

    fn unanswered(&self, cause: HttpError) -> ModelError {
        ModelError::Unanswered {
            place: self.place.clone(),
            cause,
        }
    }

    /// Takes the key out of every text of a value.
    fn scrub(&self, value: &mut Value) {
        match value {
            Value::String(text) => {
                if self
                    .key
                    .as_ref()
                    .is_some_and(|key| text.contains(key.expose()))
                {
                    *text = self.without_key(text);
                }
            }
            Value::Array(list) => list.iter_mut().for_each(|one| self.scrub(one)),
            Value::Object(fields) => fields.values_mut().for_each(|one| self.scrub(one)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn without_key(&self, text: &str) -> String {
        match &self.key {
            Some(key) if key.expose().len() >= KEY_BYTES => text.replace(key.expose(), HIDDEN),
            _ => text.to_owned(),
        }
    }
}

/// What a server says in an error: its message, else the whole of it.
fn said(error: &Value) -> String {
    let message = ["message", "detail", "error"]
        .into_iter()
        .find_map(|key| error.get(key)?.as_str());
    match message.or_else(|| error.as_str()) {
        Some(message) => message.to_owned(),
        None => error.to_string(),
    }
}

/// Somebody's own words as an error quotes them: after a colon, on one line, redacted, then cut in
/// the middle, since servers begin with the cause and programs end with it.
pub(super) fn quoted(said: &str, engine: &Engine) -> Redacted {
    // Before its lines are joined, since a secret may be cut by the end of one.
    let said = engine.redact(said);
    let line = said
        .as_str()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    if line.is_empty() {
        return Redacted::default();
    }
    let cut = engine.redact(&line).cut_middle(QUOTED_CHARS).on_one_line();
    Redacted::join([&Redacted::literal(""), &cut], ": ")
}

fn is_html(answer: &Answer) -> bool {
    let kind = answer.headers.get(header::CONTENT_TYPE);
    let told = kind.and_then(|kind| kind.to_str().ok());
    told.is_some_and(|kind| kind.contains("html"))
        || answer.body.trim_ascii_start().starts_with(b"<")
}

fn kind_of(answer: &Answer) -> &'static str {
    match is_html(answer) {
        true => "the answer is a page for browsers",
        false if answer.body.trim_ascii().is_empty() => "the answer is empty",
        false => "the answer is no JSON",
    }
}

#[cfg(test)]
impl Refusal {
    /// A refusal as a test tells it.
    pub(super) fn told(status: u16, said: &str) -> Self {
        Self {
            status,
            said: said.to_owned(),
            tries: 1,
        }
    }
}
