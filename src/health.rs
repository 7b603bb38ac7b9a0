//! Whether each source is read as it should be, and telling someone when it is not.
//!
//! A library that fills itself for months is looked at by nobody, so silence counts as a failure:
//! a source without a successful run for `max_silence_hours` is stale.

mod alert;
mod timetable;

pub use alert::{AlertError, Alerts, Beat, alert, beat};
pub use timetable::Timetable;

use serde::Serialize;

use crate::config::Watchdog;
use crate::item::{Instant, SourceName};
use crate::redaction::{Clean, Redacted};
use crate::store::ConnectorState;

/// How a source is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// It has not been read yet.
    Never,
    /// Something failed at the last run.
    Failing,
    /// Nothing failed, and there was no successful run for too long.
    Stale,
    /// It is read as it should be.
    Ok,
}

impl Status {
    /// The word that is printed.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Never => "never",
            Self::Failing => "failing",
            Self::Stale => "stale",
            Self::Ok => "ok",
        }
    }
}

/// The health of one source, with the fields in which it is told to others.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Health {
    /// The source.
    pub connector: SourceName,
    /// How it is.
    pub status: Status,
    /// When it was last read with nothing failing, as ISO 8601.
    pub last_success_at: Option<String>,
    /// Hours since then, to one decimal.
    pub hours_since_success: Option<f64>,
    /// What failed at the last run.
    pub last_error: Option<Redacted>,
}

impl Clean for Health {}

impl Health {
    /// Judges a source by its state.
    ///
    /// A clock that was set back makes a success lie in the future: it then counts as just now.
    #[must_use]
    pub fn of(
        connector: &SourceName,
        state: &ConnectorState,
        watchdog: &Watchdog,
        now: Instant,
    ) -> Self {
        let hours = state
            .last_success_at
            .map(|success| hours_between(success, now));
        let status = if state.last_run_at.is_none() {
            Status::Never
        } else if state.last_error.is_some() {
            Status::Failing
        } else if hours.is_none_or(|hours| hours > watchdog.max_silence_hours) {
            Status::Stale
        } else {
            Status::Ok
        };
        Self {
            connector: connector.clone(),
            status,
            last_success_at: state.last_success_at.map(|success| success.to_string()),
            hours_since_success: hours.map(|hours| (hours * 10.0).round() / 10.0),
            last_error: state.last_error.clone(),
        }
    }

    /// Whether nothing is to be done.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        self.status == Status::Ok
    }

    /// One line for people.
    #[must_use]
    pub fn text(&self) -> String {
        let since = match self.hours_since_success {
            Some(hours) => format!("last success {hours} hours ago"),
            None => "no success yet".to_owned(),
        };
        let line = format!("{}: {}, {since}", self.connector, self.status.as_str());
        match &self.last_error {
            Some(error) => format!("{line}: {error}"),
            None => line,
        }
    }
}

/// Hours from one instant to a later one; 0 when it is earlier.
fn hours_between(from: Instant, to: Instant) -> f64 {
    let seconds = to.unix().saturating_sub(from.unix()).max(0);
    let minutes = i32::try_from(seconds / 60).unwrap_or(i32::MAX);
    f64::from(minutes) / 60.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Instant {
        Instant::parse(text).unwrap()
    }

    fn health(state: &ConnectorState, now: &str) -> Health {
        let name = SourceName::new("agent-a").unwrap();
        Health::of(&name, state, &Watchdog::default(), at(now))
    }

    #[test]
    fn a_source_is_never_failing_stale_or_ok() {
        let mut state = ConnectorState::default();
        assert_eq!(health(&state, "2026-10-20T00:00:00Z").status, Status::Never);
        state.last_run_at = Some(at("2026-10-20T00:00:00Z"));
        state.last_success_at = state.last_run_at;
        assert_eq!(health(&state, "2026-10-21T00:00:00Z").status, Status::Ok);
        let stale = health(&state, "2026-10-21T00:05:00Z");
        assert_eq!(
            (stale.status, stale.hours_since_success),
            (Status::Stale, Some(24.1))
        );
        state.last_error = Some(Redacted::literal("the folder is gone"));
        let failing = health(&state, "2026-10-20T01:30:00Z");
        assert_eq!(
            failing.text(),
            "agent-a: failing, last success 1.5 hours ago: the folder is gone"
        );
    }

    #[test]
    fn a_success_in_the_future_is_one_just_now() {
        let state = ConnectorState {
            last_run_at: Some(at("2027-01-01T00:00:00Z")),
            last_success_at: Some(at("2027-01-01T00:00:00Z")),
            ..ConnectorState::default()
        };
        let health = health(&state, "2026-10-20T00:00:00Z");
        assert_eq!(
            (health.status, health.hours_since_success),
            (Status::Ok, Some(0.0))
        );
    }
}
