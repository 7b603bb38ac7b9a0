//! Asking a server over HTTP: one client, patience with busy servers, limits on what comes back.
//!
//! Shared by connectors that read a server and by the summarisers that call a model. An answer of
//! any status is an [`Answer`]: what a status means is for the asker to say. What is waited out
//! here is what passes by itself: 408, 409, 429 and 5xx, and connections that fail or break off.
//! Redirects are not followed, since a key must not travel to an address that nobody configured.
//!
//! Addresses and headers may hold keys, so errors name neither: the asker knows what it asked for.

use std::fmt;
use std::hash::{BuildHasher, Hasher};
use std::time::Duration;

pub use reqwest::header::{self, HeaderMap, HeaderName, HeaderValue};
pub use reqwest::{Method, Url};

/// How patient an asker is, and how much it takes.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// Longest wait for one answer, from the first byte sent to the last received.
    pub timeout: Duration,
    /// How often a question is put at most.
    pub tries: u32,
    /// Wait before the second try; doubled before each further one, with up to a half more by chance.
    pub first_wait: Duration,
    /// Longest wait that a server may ask for with `Retry-After`; beyond it the answer stands.
    pub longest_wait: Duration,
    /// Longest body that is taken, in bytes.
    pub body_limit: usize,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(120),
            tries: 5,
            first_wait: Duration::from_secs(2),
            longest_wait: Duration::from_secs(120),
            body_limit: 16 * 1024 * 1024,
        }
    }
}

/// Why an address cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// Not an address of a server.
    #[error("not an address such as https://example.com/api")]
    Shape,
    /// Name and password stand in it.
    #[error("a name or a password stands in the address; keys go into variables")]
    Userinfo,
    /// It would send keys and texts in clear over a network.
    #[error("http:// is for this computer only; use https://")]
    Insecure,
}

/// Checks a base address: `https`, or `http` to this computer, or `http` anywhere if `insecure`.
///
/// # Errors
/// [`AddressError`], whose text says what would be right.
pub fn address(text: &str, insecure: bool) -> Result<Url, AddressError> {
    let url = Url::parse(text.trim()).map_err(|_| AddressError::Shape)?;
    if !url.has_host() || !matches!(url.scheme(), "http" | "https") {
        return Err(AddressError::Shape);
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(AddressError::Userinfo);
    }
    if url.scheme() == "http" && !insecure && !is_loopback(&url) {
        return Err(AddressError::Insecure);
    }
    Ok(url)
}

/// Whether an address is one of this computer.
#[must_use]
pub fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost"
        || host.ends_with(".localhost")
        || bare
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

/// Why there is no answer, after all tries.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HttpError {
    /// Nobody answers there: is the server running, is the address right?
    #[error("the server cannot be reached: {cause}")]
    Unreachable {
        /// The system's word for it.
        cause: String,
    },
    /// The answer took too long.
    #[error("the server did not answer within {} seconds", .after.as_secs_f64())]
    Slow {
        /// How long was waited.
        after: Duration,
    },
    /// The connection ended before the answer did.
    #[error("the connection ended in the middle of an answer")]
    Cut,
    /// The answer is longer than is taken.
    #[error("the answer is longer than {limit} bytes")]
    TooLong {
        /// The limit.
        limit: usize,
    },
    /// The question could not be put: a header or the address has a shape that HTTP forbids.
    #[error("the question cannot be sent as HTTP")]
    Question,
}

impl HttpError {
    fn passes(&self) -> bool {
        matches!(
            self,
            Self::Unreachable { .. } | Self::Slow { .. } | Self::Cut
        )
    }
}

/// One question.
#[derive(Clone)]
pub struct Question {
    /// The method.
    pub method: Method,
    /// The whole address.
    pub url: Url,
    /// Headers; a key's value is marked sensitive by whoever puts it in.
    pub headers: HeaderMap,
    /// The body, if there is one.
    pub body: Option<Vec<u8>>,
}

impl Question {
    /// A question without a body.
    #[must_use]
    pub fn get(url: Url) -> Self {
        Self {
            method: Method::GET,
            url,
            headers: HeaderMap::new(),
            body: None,
        }
    }

    /// Adds a header whose value is shown nowhere.
    ///
    /// # Errors
    /// [`HttpError::Question`] for a value that cannot stand in a header.
    pub fn secret(mut self, name: HeaderName, value: &str) -> Result<Self, HttpError> {
        let mut value = HeaderValue::from_str(value).map_err(|_| HttpError::Question)?;
        value.set_sensitive(true);
        self.headers.insert(name, value);
        Ok(self)
    }
}

impl fmt::Debug for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Question")
            .field("method", &self.method)
            .finish_non_exhaustive()
    }
}

/// What came back, whatever its status.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// Its headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Vec<u8>,
    /// How often the question had to be put again.
    pub retries: u32,
}

impl Answer {
    /// Whether the server did what was asked.
    #[must_use]
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    fn after(self, retries: u32) -> Self {
        Self { retries, ..self }
    }
}

/// A client: connections are kept and used again by all who share it.
#[derive(Debug, Clone)]
pub struct Http {
    client: reqwest::Client,
    patience: Patience,
}

impl Http {
    /// Makes a client for the server at `base`. A proxy that the environment names is used, but
    /// never for this computer itself.
    ///
    /// # Errors
    /// [`HttpError::Unreachable`] when the system's certificates cannot be used.
    pub fn new(base: &Url, patience: Patience) -> Result<Self, HttpError> {
        // Fails when one is installed already, which is as good.
        drop(rustls::crypto::ring::default_provider().install_default());
        let mut builder = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .timeout(patience.timeout)
            .connect_timeout(patience.timeout.min(Duration::from_secs(20)))
            .user_agent(concat!("jezero/", env!("CARGO_PKG_VERSION")));
        if is_loopback(base) {
            builder = builder.no_proxy();
        }
        let client = builder.build().map_err(|error| HttpError::Unreachable {
            cause: innermost(&error),
        })?;
        Ok(Self { client, patience })
    }

    /// Puts a question until there is an answer that will not change by waiting.
    ///
    /// # Errors
    /// [`HttpError`] once the tries are used up.
    pub async fn ask(&self, question: &Question) -> Result<Answer, HttpError> {
        self.ask_counting(question, &mut 0).await
    }

    /// Puts a question as [`Http::ask`] does; counts how often it had to be put again, also when
    /// there is no answer in the end.
    ///
    /// # Errors
    /// As [`Http::ask`].
    pub async fn ask_counting(
        &self,
        question: &Question,
        retries: &mut u32,
    ) -> Result<Answer, HttpError> {
        *retries = 0;
        loop {
            let last = *retries + 1 >= self.patience.tries;
            let wait = match self.once(question).await {
                Ok(answer) if !passes(answer.status) || last => {
                    return Ok(answer.after(*retries));
                }
                Ok(answer) => match retry_after(&answer.headers) {
                    Some(wait) if wait > self.patience.longest_wait => {
                        return Ok(answer.after(*retries));
                    }
                    Some(wait) => wait.max(self.wait(0)),
                    None => self.wait(*retries),
                },
                Err(error) if !error.passes() || last => return Err(error),
                Err(_) => self.wait(*retries),
            };
            *retries += 1;
            tokio::time::sleep(wait).await;
        }
    }

    async fn once(&self, question: &Question) -> Result<Answer, HttpError> {
        let mut request = self
            .client
            .request(question.method.clone(), question.url.clone())
            .headers(question.headers.clone());
        if let Some(body) = &question.body {
            request = request.body(body.clone());
        }
        let mut response = request.send().await.map_err(|error| self.failure(&error))?;
        let limit = self.patience.body_limit;
        let mut body = Vec::new();
        while let Some(part) = response
            .chunk()
            .await
            .map_err(|error| self.failure(&error))?
        {
            if body.len() + part.len() > limit {
                return Err(HttpError::TooLong { limit });
            }
            body.extend_from_slice(&part);
        }
        Ok(Answer {
            status: response.status().as_u16(),
            headers: std::mem::take(response.headers_mut()),
            body,
            retries: 0,
        })
    }

    fn failure(&self, error: &reqwest::Error) -> HttpError {
        if error.is_builder() {
            HttpError::Question
        } else if error.is_timeout() {
            HttpError::Slow {
                after: self.patience.timeout,
            }
        } else if error.is_connect() {
            HttpError::Unreachable {
                cause: innermost(error),
            }
        } else {
            HttpError::Cut
        }
    }

    /// Exponential, with up to a half more by chance so that askers do not come back in step.
    fn wait(&self, retries: u32) -> Duration {
        let wait = self.patience.first_wait * 2_u32.saturating_pow(retries.min(8));
        let chance = std::hash::RandomState::new().build_hasher().finish() % 512;
        wait + wait.mul_f64(chance_part(chance))
    }
}

fn chance_part(chance: u64) -> f64 {
    f64::from(u32::try_from(chance).unwrap_or(0)) / 1024.0
}

/// Whether a status may be another one in a while.
fn passes(status: u16) -> bool {
    matches!(status, 408 | 409 | 429 | 500..=599)
}

/// Seconds or a date, as RFC 9110 section 10.2.3 has it. A date is held against the date of the
/// answer itself, so that no two clocks need to agree.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name| Some(headers.get(name)?.to_str().ok()?.trim());
    let pause = text(header::RETRY_AFTER)?;
    if let Ok(seconds) = pause.parse::<u64>() {
        return Some(Duration::from_secs(seconds));
    }
    let date = |text| chrono::DateTime::parse_from_rfc2822(text).ok();
    let left = date(pause)?.signed_duration_since(date(text(header::DATE)?)?);
    Some(left.to_std().unwrap_or(Duration::ZERO))
}

/// The last cause in a chain, which is the system's: the outer ones quote the address.
fn innermost(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpListener;

    use super::*;

    /// Serves the given answers, one connection each, and returns the base address.
    fn server(answers: Vec<&'static str>) -> Url {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}/", listener.local_addr().unwrap());
        std::thread::spawn(move || {
            for answer in answers {
                let (mut stream, _) = listener.accept().unwrap();
                let _read = stream.read(&mut [0; 4096]).unwrap();
                stream.write_all(answer.as_bytes()).unwrap();
            }
        });
        Url::parse(&base).unwrap()
    }

    fn quick() -> Patience {
        Patience {
            first_wait: Duration::from_millis(1),
            longest_wait: Duration::from_secs(1),
            tries: 3,
            body_limit: 64,
            ..Patience::default()
        }
    }

    async fn asked(answers: Vec<&'static str>) -> Result<Answer, HttpError> {
        let url = server(answers);
        let http = Http::new(&url, quick()).unwrap();
        http.ask(&Question::get(url)).await
    }

    const BUSY: &str =
        "HTTP/1.1 503 Busy\r\nRetry-After: 0\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    const GOOD: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok";
    const CUT: &str = "HTTP/1.1 200 OK\r\nContent-Length: 20\r\nConnection: close\r\n\r\nok";

    #[tokio::test]
    async fn a_busy_or_broken_answer_is_asked_for_again_and_counted() {
        let answer = asked(vec![BUSY, CUT, GOOD]).await.unwrap();
        assert_eq!((answer.status, answer.retries), (200, 2));
        assert_eq!(answer.body, b"ok");
    }

    #[tokio::test]
    async fn when_the_tries_are_used_up_the_last_word_stands() {
        let answer = asked(vec![BUSY, BUSY, BUSY]).await.unwrap();
        assert_eq!((answer.status, answer.retries), (503, 2));
        let error = asked(vec![CUT, CUT, CUT]).await.unwrap_err();
        assert_eq!(error, HttpError::Cut);
    }

    #[tokio::test]
    async fn other_refusals_redirects_and_long_pauses_are_final() {
        for (answer, status) in [
            ("HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n", 404),
            (
                "HTTP/1.1 307 There\r\nLocation: http://127.0.0.1:9/\r\nContent-Length: 0\r\n\r\n",
                307,
            ),
            (
                "HTTP/1.1 429 Later\r\nRetry-After: 3600\r\nContent-Length: 0\r\n\r\n",
                429,
            ),
        ] {
            let answer = asked(vec![answer]).await.unwrap();
            assert_eq!((answer.status, answer.retries), (status, 0));
        }
    }

    #[tokio::test]
    async fn an_answer_beyond_the_limit_is_refused() {
        let long = "HTTP/1.1 200 OK\r\nContent-Length: 65\r\n\r\n\
                    aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
        let error = asked(vec![long]).await.unwrap_err();
        assert_eq!(error, HttpError::TooLong { limit: 64 });
    }

    #[tokio::test]
    async fn a_server_that_is_not_there_is_named_by_the_system_s_word_alone() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/secret-path", listener.local_addr().unwrap());
        drop(listener);
        let url = Url::parse(&url).unwrap();
        let http = Http::new(&url, quick()).unwrap();
        let error = http.ask(&Question::get(url)).await.unwrap_err();
        assert!(matches!(error, HttpError::Unreachable { .. }), "{error:?}");
        assert!(!error.to_string().contains("secret-path"));
    }

    #[test]
    fn http_is_for_this_computer_unless_it_is_allowed() {
        for good in [
            "http://127.0.0.1:11434/v1",
            "http://localhost:8080",
            "http://[::1]:80/",
            "https://example.com/api",
        ] {
            assert!(address(good, false).is_ok(), "{good}");
        }
        assert_eq!(
            address("http://example.com", false),
            Err(AddressError::Insecure)
        );
        assert!(address("http://example.com", true).is_ok());
        assert_eq!(
            address("https://a:b@example.com", false),
            Err(AddressError::Userinfo)
        );
        for bad in ["example.com", "ftp://example.com", "https://", ""] {
            assert_eq!(address(bad, true), Err(AddressError::Shape), "{bad}");
        }
    }

    #[test]
    fn keys_are_shown_in_no_debug_form() {
        let url = Url::parse("https://example.com/?key=marker").unwrap();
        let question = Question::get(url)
            .secret(header::AUTHORIZATION, "Bearer marker")
            .unwrap();
        assert!(!format!("{question:?} {:?}", question.headers).contains("marker"));
    }

    #[test]
    fn a_pause_is_told_in_seconds_or_as_a_date() {
        let asked = |text: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static(text));
            let now = HeaderValue::from_static("Wed, 21 Oct 2026 07:27:30 GMT");
            headers.insert(header::DATE, now);
            retry_after(&headers)
        };
        assert_eq!(asked("7"), Some(Duration::from_secs(7)));
        assert_eq!(
            asked("Wed, 21 Oct 2026 07:28:00 GMT"),
            Some(Duration::from_secs(30))
        );
        let past = asked("Wed, 21 Oct 2015 07:28:00 GMT");
        assert_eq!(past, Some(Duration::ZERO));
        assert_eq!(asked("soon"), None);
    }
}
