//! Telling others how the sources are: a webhook for what fails, a heartbeat while all is well.
//!
//! Addresses hold keys, so they come from variables and no error names them. What is sent has been
//! redacted: it is the state of the sources and nothing of the library.

use std::time::Duration;

use jezero_connectors::http::{self, Http, HttpError, Method, Patience, Question, Url};
use serde::Serialize;

use super::Health;
use crate::config::{Env, Secret, Watchdog};
use crate::item::{Instant, SourceName};
use crate::store::{Store, StoreError};

/// Longest message of a heartbeat, in characters.
const MESSAGE: usize = 250;

/// Why nobody was told.
#[derive(Debug, thiserror::Error)]
pub enum AlertError {
    /// The variable holds no address: mend it.
    #[error("{variable}: {cause}")]
    Address {
        /// The variable.
        variable: String,
        /// What is wrong with the address.
        cause: http::AddressError,
    },
    /// There was no answer.
    #[error("{variable}: {cause}")]
    Lost {
        /// The variable.
        variable: String,
        /// What happened.
        cause: HttpError,
    },
    /// The answer was a refusal.
    #[error("{variable}: the server answered with HTTP {status}")]
    Refused {
        /// The variable.
        variable: String,
        /// The status.
        status: u16,
    },
    /// The library could not remember that somebody was told.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Who is to be told.
#[derive(Debug)]
pub struct Alerts {
    webhook: Option<(String, Secret)>,
    heartbeat: Option<(String, Secret)>,
    realert_seconds: f64,
}

impl Alerts {
    /// Looks the addresses up; a variable that is not set tells nobody.
    #[must_use]
    pub fn new(watchdog: &Watchdog, env: &Env) -> Self {
        let named = |name: &Option<String>| {
            let name = name.as_ref()?;
            Some((name.clone(), env.get(name)?))
        };
        Self {
            webhook: named(&watchdog.alert_webhook_env),
            heartbeat: named(&watchdog.heartbeat_url_env),
            realert_seconds: watchdog.realert_hours * 3600.0,
        }
    }

    /// Whether a webhook is to be told of failures.
    #[must_use]
    pub fn has_webhook(&self) -> bool {
        self.webhook.is_some()
    }

    fn is_due(&self, last: Instant, now: Instant) -> bool {
        let passed = now.unix().saturating_sub(last.unix());
        let passed = u32::try_from(passed).map_or(0.0, f64::from);
        // After a clock was set back, waiting could take years.
        last > now || passed >= self.realert_seconds
    }
}

#[derive(Serialize)]
struct Told<'a> {
    #[serde(flatten)]
    health: &'a Health,
    text: String,
}

/// Tells the webhook of each source that is not ok, once and then every `realert_hours`; forgets
/// that it did once the source is ok again. Returns the sources that were told of.
///
/// # Errors
/// [`AlertError`]; what could not be told is told the next time.
pub async fn alert(
    alerts: &Alerts,
    healths: &[Health],
    store: &Store,
    now: Instant,
) -> Result<Vec<SourceName>, AlertError> {
    let Some((variable, address)) = &alerts.webhook else {
        return Ok(Vec::new());
    };
    let mut told = Vec::new();
    for health in healths {
        let last = store.alerted_at(&health.connector)?;
        if health.is_ok() {
            if last.is_some() {
                store.note_alert(&health.connector, None)?;
            }
            continue;
        }
        if last.is_some_and(|last| !alerts.is_due(last, now)) {
            continue;
        }
        let text = health.text();
        let body = serde_json::to_vec(&Told { health, text }).unwrap_or_default();
        let mut question = Question::get(parsed(variable, address)?);
        question.method = Method::POST;
        question.body = Some(body);
        let kind = http::HeaderValue::from_static("application/json");
        question.headers.insert(http::header::CONTENT_TYPE, kind);
        ask(variable, &question).await?;
        store.note_alert(&health.connector, Some(now))?;
        told.push(health.connector.clone());
    }
    Ok(told)
}

/// What a heartbeat said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Beat {
    /// Every source is ok.
    Up,
    /// One is not.
    Down,
}

/// Calls the heartbeat address with `status`, `msg` and `ping`. `None` when there is none.
///
/// # Errors
/// [`AlertError`].
pub async fn beat(alerts: &Alerts, healths: &[Health]) -> Result<Option<Beat>, AlertError> {
    let Some((variable, address)) = &alerts.heartbeat else {
        return Ok(None);
    };
    let ailing: Vec<String> = healths
        .iter()
        .filter(|health| !health.is_ok())
        .map(Health::text)
        .collect();
    let (beat, status) = match ailing.is_empty() {
        true => (Beat::Up, "up"),
        false => (Beat::Down, "down"),
    };
    let message = match beat {
        Beat::Up => "ok".to_owned(),
        Beat::Down => ailing.join("; ").chars().take(MESSAGE).collect(),
    };
    let mut url = parsed(variable, address)?;
    url.query_pairs_mut()
        .append_pair("status", status)
        .append_pair("msg", &message)
        .append_pair("ping", "");
    ask(variable, &Question::get(url)).await?;
    Ok(Some(beat))
}

fn parsed(variable: &str, address: &Secret) -> Result<Url, AlertError> {
    http::address(address.expose(), true).map_err(|cause| AlertError::Address {
        variable: variable.to_owned(),
        cause,
    })
}

async fn ask(variable: &str, question: &Question) -> Result<(), AlertError> {
    let patience = Patience {
        timeout: Duration::from_secs(15),
        tries: 3,
        longest_wait: Duration::from_secs(5),
        ..Patience::default()
    };
    let lost = |cause| AlertError::Lost {
        variable: variable.to_owned(),
        cause,
    };
    let http = Http::new(&question.url, patience).map_err(lost)?;
    let answer = http.ask(question).await.map_err(lost)?;
    if answer.is_success() {
        return Ok(());
    }
    Err(AlertError::Refused {
        variable: variable.to_owned(),
        status: answer.status,
    })
}
