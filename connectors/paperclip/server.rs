//! Asking the server: one request at a time, each answer judged, each failure in words that name
//! the request and say what to do. Nothing is ever sent but `GET`.

use std::time::Duration;

use super::options::Options;
use super::record::Record;
use crate::error::ConnectorError;
use crate::http::{Answer, Http, HttpError, Patience, Question, Url, header, is_loopback};

/// Longest answer that is taken. Servers from before paging send a whole list at once.
const BODY_LIMIT: usize = 64 * 1024 * 1024;

/// The server as one run sees it.
#[derive(Debug)]
pub(super) struct Server {
    base: Url,
    http: Http,
    /// Asks less often, for finding a way around what fails again and again.
    brisk: Http,
    key: Option<Key>,
}

/// A key and the variable that it came from.
#[derive(Clone)]
pub(super) struct Key {
    pub(super) value: String,
    pub(super) variable: String,
}

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Key")
            .field("variable", &self.variable)
            .finish_non_exhaustive()
    }
}

/// Why a request brought nothing to read.
#[derive(Debug)]
pub(super) enum Trouble {
    /// The thing is not there, or not for this key.
    Gone,
    /// The server has no such route: it is older than the question.
    NoRoute,
    /// It is not for this key.
    Forbidden,
    /// The question has a parameter that the server does not take.
    Parameters,
    /// The server failed at it, also when asked again.
    Failing(u16),
    /// More than is taken at once.
    TooLong,
    /// No answer came, or none that ended.
    Silent(HttpError),
    /// Something else than what was expected.
    Unreadable(&'static str),
    /// Nothing more can be read in this run.
    Fatal(ConnectorError),
}

impl Trouble {
    /// What is wrong and what to do, for something that was not read because of it.
    pub(super) fn reason(&self) -> String {
        let later = match self {
            Self::Failing(_) | Self::Silent(_) | Self::Unreadable(_) => {
                ". It is asked for again at the next run"
            }
            _ => "",
        };
        format!("{}{later}", self.words())
    }

    /// What is wrong, in words that quote nothing of the answer.
    pub(super) fn words(&self) -> String {
        match self {
            Self::Gone => "is not there any more".to_owned(),
            Self::NoRoute => "this server has no such route: update it".to_owned(),
            Self::Forbidden => {
                "the key may not read this (403): use a board key of a user who may".to_owned()
            }
            Self::Parameters => {
                "the server refuses the question (400): report it with the server's version"
                    .to_owned()
            }
            Self::Failing(429) => {
                "the server is too busy (429): lower max_concurrency if this stays".to_owned()
            }
            Self::Failing(status) => {
                format!("the server failed at it ({status}): see its log if this stays")
            }
            Self::TooLong => {
                format!("the answer is longer than {BODY_LIMIT} bytes and was not read")
            }
            Self::Silent(error) => error.to_string(),
            Self::Unreadable(what) => format!("the answer {what}"),
            Self::Fatal(error) => error.to_string(),
        }
    }
}

/// An answer's body as text, and whether it held bytes that are no text.
#[derive(Debug)]
pub(super) struct Body {
    pub(super) text: String,
    pub(super) lossy: bool,
}

impl Server {
    /// Makes a client. `first_wait` is the wait before a question is put again.
    ///
    /// # Errors
    /// When the address is wrong or the system has no certificates to check servers with.
    pub(super) fn new(
        options: &Options,
        key: Option<Key>,
        first_wait: Duration,
    ) -> Result<Self, ConnectorError> {
        let base = options.base()?;
        let patience = Patience {
            timeout: Duration::from_secs(options.timeout_seconds),
            tries: 4,
            first_wait,
            longest_wait: Duration::from_secs(60),
            body_limit: BODY_LIMIT,
        };
        let brisk = Patience {
            tries: 2,
            first_wait: first_wait / 2,
            ..patience
        };
        let client = |patience| {
            Http::new(&base, patience).map_err(|error| ConnectorError::Unreachable {
                place: place(&base),
                cause: error.to_string(),
            })
        };
        let (http, brisk) = (client(patience)?, client(brisk)?);
        Ok(Self {
            base,
            http,
            brisk,
            key,
        })
    }

    /// Names the server to people.
    pub(super) fn place(&self) -> String {
        place(&self.base)
    }

    pub(super) fn variable(&self) -> Option<&str> {
        self.key.as_ref().map(|key| key.variable.as_str())
    }

    /// Names a request to people.
    pub(super) fn request(&self, path: &str) -> String {
        format!("GET {}{path}", self.base.path())
    }

    /// Asks with the key, if there is one. A path may have a query.
    ///
    /// # Errors
    /// [`Trouble`]; what it means for the run is for the asker to say.
    pub(super) async fn get(&self, path: &str) -> Result<Body, Trouble> {
        self.ask(&self.http, path, self.key.as_ref()).await
    }

    /// Asks with little patience.
    pub(super) async fn get_briskly(&self, path: &str) -> Result<Body, Trouble> {
        self.ask(&self.brisk, path, self.key.as_ref()).await
    }

    /// Asks without a key, as the route that tells of the server itself is asked.
    pub(super) async fn get_openly(&self, path: &str) -> Result<Body, Trouble> {
        self.ask(&self.brisk, path, None).await
    }

    async fn ask(&self, http: &Http, path: &str, key: Option<&Key>) -> Result<Body, Trouble> {
        let refused = |message: String| {
            Trouble::Fatal(ConnectorError::Refused {
                place: self.request(path),
                message,
            })
        };
        let address = format!("{}{path}", self.base);
        let url = Url::parse(&address).map_err(|_| Trouble::Unreadable("cannot be asked for"))?;
        let mut question = Question::get(url);
        if let Some(key) = key {
            let bearer = format!("Bearer {}", key.value);
            question = question
                .secret(header::AUTHORIZATION, &bearer)
                .map_err(|_| {
                    refused(format!(
                        "the key in {} holds signs that no key has: copy it again",
                        key.variable
                    ))
                })?;
        }
        let answer = http.ask(&question).await.map_err(|error| match error {
            HttpError::TooLong { .. } => Trouble::TooLong,
            error => Trouble::Silent(error),
        })?;
        self.judge(path, answer).map_err(|trouble| match trouble {
            Verdict::Trouble(trouble) => trouble,
            Verdict::Refused(message) => refused(message),
        })
    }

    fn judge(&self, path: &str, answer: Answer) -> Result<Body, Verdict> {
        let said = |word: &str| {
            let text = String::from_utf8_lossy(&answer.body);
            let mut record = Record::parse(&text);
            let error = record.as_mut().and_then(|record| record.text("error"));
            error.is_some_and(|error| error.contains(word))
        };
        match answer.status {
            200..=299 => body(answer),
            300..=399 => Err(Verdict::Refused(format!(
                "the server sends elsewhere ({}): put the address that it leads to into api_url",
                answer.status
            ))),
            401 => Err(Verdict::Refused(self.unknown_key(path))),
            403 if said("hostname is not allowed") => Err(Verdict::Refused(format!(
                "the server does not answer to the name {} (403): add it to its \
                 PAPERCLIP_ALLOWED_HOSTNAMES, or use a name that it has",
                self.base.host_str().unwrap_or_default()
            ))),
            403 => Err(Trouble::Forbidden.into()),
            404 if said("route not found") => Err(Trouble::NoRoute.into()),
            404 if said("not found") => Err(Trouble::Gone.into()),
            404 => Err(Verdict::Refused(
                "nothing is there (404), and what answers is no Paperclip: api_url must lead to \
                 the API, such as http://127.0.0.1:3100/api"
                    .to_owned(),
            )),
            400 | 422 => Err(Trouble::Parameters.into()),
            status => Err(Trouble::Failing(status).into()),
        }
    }

    fn unknown_key(&self, path: &str) -> String {
        let open = if is_loopback(&self.base) {
            "; a server in local_trusted mode wants none, so unset the variable for it"
        } else {
            ""
        };
        match self.variable() {
            Some(variable) if path != HEALTH => format!(
                "the key in {variable} is not known to the server or has expired (401): make a \
                 new one as docs/connectors/paperclip.md tells{open}"
            ),
            _ => {
                "the server wants a key (401): make one as docs/connectors/paperclip.md tells and \
                  put it into the variable that api_key_env names"
                    .to_owned()
            }
        }
    }
}

/// The route that tells of the server itself.
pub(super) const HEALTH: &str = "/health";

enum Verdict {
    Trouble(Trouble),
    /// Nothing more can be read; in our words, and what to do.
    Refused(String),
}

impl From<Trouble> for Verdict {
    fn from(trouble: Trouble) -> Self {
        Self::Trouble(trouble)
    }
}

fn body(answer: Answer) -> Result<Body, Verdict> {
    let body = match String::from_utf8(answer.body) {
        Ok(text) => Body { text, lossy: false },
        Err(error) => Body {
            text: String::from_utf8_lossy(error.as_bytes()).into_owned(),
            lossy: true,
        },
    };
    if body.text.trim_start().starts_with('<') {
        return Err(Verdict::Trouble(Trouble::Unreadable(
            "is a web page and no data, as from a proxy or a login page; see whether api_url leads \
             to the API",
        )));
    }
    Ok(body)
}

fn place(base: &Url) -> String {
    let host = base.host_str().unwrap_or_default();
    match base.port() {
        Some(port) => format!("{}://{host}:{port}{}", base.scheme(), base.path()),
        None => format!("{}://{host}{}", base.scheme(), base.path()),
    }
}
