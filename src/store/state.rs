//! The state of each connector: what is asked of it most, beside the history of its runs.

use jezero_connectors::{Instant, SourceName};
use rusqlite::{Connection, OptionalExtension};

use super::{Result, Store, View};
use crate::redaction::Redacted;

/// One connector's row of state.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ConnectorState {
    /// When it last began to read.
    pub last_run_at: Option<Instant>,
    /// When it last read with nothing failing.
    pub last_success_at: Option<Instant>,
    /// When the newest item that it stored happened.
    pub last_item_at: Option<Instant>,
    /// What failed at the last run; `None` after a success.
    pub last_error: Option<Redacted>,
    /// The report of the last run, as JSON.
    pub last_report: Option<Redacted>,
    /// Sums over all its runs.
    pub totals: Totals,
}

/// Sums over all runs of a connector. They never fall, also when old runs are pruned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Totals {
    /// Runs that ended.
    pub runs: u64,
    /// Of these, runs in which something failed.
    pub failed_runs: u64,
    /// Items written, new and changed.
    pub items_stored: u64,
    /// Damaged records that were passed over.
    pub records_skipped: u64,
    /// Tokens that a model read.
    pub input_tokens: u64,
    /// Tokens that a model wrote.
    pub output_tokens: u64,
}

impl Store {
    /// The state of a connector: all empty before its first run.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn state(&self, connector: &SourceName) -> Result<ConnectorState> {
        state(&self.connection, connector)
    }

    /// When somebody was last told that a connector is not well.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn alerted_at(&self, connector: &SourceName) -> Result<Option<Instant>> {
        let find = "SELECT value FROM meta WHERE key = ?1";
        let mut find = self.connection.prepare_cached(find)?;
        let noted = find.query_row([alert_key(connector)], |row| row.get::<_, String>(0));
        let noted = noted.optional()?;
        Ok(noted.and_then(|noted| Instant::parse(&noted)))
    }

    /// Notes when somebody was told that a connector is not well; `None` once it is.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn note_alert(&self, connector: &SourceName, at: Option<Instant>) -> Result<()> {
        let key = alert_key(connector);
        match at {
            Some(at) => {
                let note = "INSERT INTO meta (key, value) VALUES (?1, ?2)
                            ON CONFLICT (key) DO UPDATE SET value = excluded.value";
                self.connection
                    .prepare_cached(note)?
                    .execute([key, at.to_string()])?;
            }
            None => {
                let forget = "DELETE FROM meta WHERE key = ?1";
                self.connection.prepare_cached(forget)?.execute([key])?;
            }
        }
        Ok(())
    }

    /// Counts characters that are about to be sent to a model, unless the day's limit (UTC) would
    /// be exceeded by them: then nothing is counted and the answer is no.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn spend(&self, now: Instant, chars: u64, limit: u64) -> Result<bool> {
        let day = now.to_string().chars().take(10).collect::<String>();
        let find = "SELECT value FROM meta WHERE key = 'input_chars'";
        let noted = self.connection.query_row(find, [], |row| row.get(0));
        let noted: Option<String> = noted.optional()?;
        let spent = noted
            .as_deref()
            .and_then(|noted| noted.strip_prefix(&day)?.trim().parse::<u64>().ok())
            .unwrap_or(0)
            .saturating_add(chars);
        if spent > limit {
            return Ok(false);
        }
        let note = "INSERT INTO meta (key, value) VALUES ('input_chars', ?1)
                    ON CONFLICT (key) DO UPDATE SET value = excluded.value";
        let value = format!("{day} {spent}");
        self.connection.prepare_cached(note)?.execute([value])?;
        Ok(true)
    }
}

impl View {
    /// The state of a connector: all empty before its first run.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn state(&self, connector: &SourceName) -> Result<ConnectorState> {
        state(&self.connection, connector)
    }
}

/// Under which key of `meta` an alert is noted.
fn alert_key(connector: &SourceName) -> String {
    format!("watchdog.last_alert.{connector}")
}

fn state(connection: &Connection, connector: &SourceName) -> Result<ConnectorState> {
    let sql = "SELECT last_run_at, last_success_at, last_item_at, last_error, last_report,
                   runs, failed_runs, items_stored, records_skipped, input_tokens, output_tokens
               FROM connector_state WHERE name = ?1";
    let state = connection
        .prepare_cached(sql)?
        .query_row([connector.as_str()], |row| {
            let instant = |at: usize| {
                row.get::<_, Option<i64>>(at)
                    .map(|n| n.and_then(Instant::from_unix))
            };
            let text = |at: usize| {
                row.get::<_, Option<String>>(at)
                    .map(|t| t.map(Redacted::from_library))
            };
            let sum = |at: usize| row.get::<_, i64>(at).map(i64::unsigned_abs);
            Ok(ConnectorState {
                last_run_at: instant(0)?,
                last_success_at: instant(1)?,
                last_item_at: instant(2)?,
                last_error: text(3)?,
                last_report: text(4)?,
                totals: Totals {
                    runs: sum(5)?,
                    failed_runs: sum(6)?,
                    items_stored: sum(7)?,
                    records_skipped: sum(8)?,
                    input_tokens: sum(9)?,
                    output_tokens: sum(10)?,
                },
            })
        });
    Ok(state.optional()?.unwrap_or_default())
}
