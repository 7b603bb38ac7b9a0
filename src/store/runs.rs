//! The history of runs: noted when one begins, completed when it ends.
//!
//! A run whose process was killed stays as it was noted. Whoever begins to write next, and so knows
//! that nobody else is writing, marks it as interrupted.

use jezero_connectors::{Instant, SourceName};
use rusqlite::{Connection, Row, params};
use serde::{Deserialize, Serialize};

use super::state::Totals;
use super::{Result, Store, View};
use crate::redaction::Redacted;

/// Runs kept for each connector: ten days of one that is read every quarter of an hour, in less than
/// a megabyte.
const RUNS_KEPT: i64 = 1000;
/// Seconds after which a run is of no use any more: three months.
const AGE_KEPT: i64 = 90 * 24 * 3600;
/// Runs kept whatever their age: of a source that is read once a month, or after the clock has jumped.
const RUNS_KEPT_ALWAYS: i64 = 20;
/// Longest error text that is kept, in characters.
const ERROR_CHARS: usize = 1000;

/// A run that has begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunId(i64);

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// It is under way, or was killed and nobody has begun to write since.
    Running,
    /// With nothing failing.
    Ok,
    /// With something failing; the rest is stored.
    Failed,
    /// It was killed. What it had stored is there.
    Interrupted,
}

impl Outcome {
    /// The word that is stored and printed.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Ok => "ok",
            Self::Failed => "failed",
            Self::Interrupted => "interrupted",
        }
    }

    fn named(word: &str) -> Self {
        let all = [Self::Running, Self::Ok, Self::Failed];
        let known = all.into_iter().find(|outcome| outcome.as_str() == word);
        known.unwrap_or(Self::Interrupted)
    }
}

/// A run that ends.
#[derive(Debug, Clone)]
pub struct RunRow<'a> {
    /// The connector.
    pub connector: &'a SourceName,
    /// When it began.
    pub started_at: Instant,
    /// When it ended.
    pub ended_at: Instant,
    /// The newest item that it stored.
    pub last_item_at: Option<Instant>,
    /// What failed.
    pub error: Option<Redacted>,
    /// Its report with all places, as JSON; of the last run alone it is kept.
    pub report: Redacted,
    /// Its report without places, as JSON.
    pub counts: Redacted,
    /// What it adds to the sums; runs and failed runs are counted here.
    pub sums: Totals,
}

/// A run of the history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastRun {
    /// The connector.
    pub connector: SourceName,
    /// When it began.
    pub started_at: Instant,
    /// When it ended; `None` while it is under way and after a kill.
    pub ended_at: Option<Instant>,
    /// How it ended.
    pub outcome: Outcome,
    /// What it counted; `None` until it has ended.
    pub counts: Option<RunCounts>,
    /// The first thing that failed.
    pub error: Option<Redacted>,
    /// What else it said.
    pub note: Option<Redacted>,
}

/// What a run counted, by the names that its report has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RunCounts {
    /// Units looked at.
    pub units: u64,
    /// Of these, units that had not been touched since the run before.
    pub units_unchanged: u64,
    /// Of these, units touched too recently; they wait.
    pub deferred_sessions: u64,
    /// Of these, units that are not wanted or hold nothing to keep.
    pub units_left_out: u64,
    /// Items written, new and changed.
    pub stored: u64,
    /// Items removed because their segments are no longer produced.
    pub pruned: u64,
    /// Segments without a summary, and units or folders that could not be read.
    pub failed: u64,
    /// Damaged records that were passed over.
    pub records_passed_over: u64,
    /// Tokens that a model read.
    pub input_tokens: u64,
    /// Tokens that a model wrote.
    pub output_tokens: u64,
}

/// What is read back of a report.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Report {
    #[serde(flatten)]
    counts: RunCounts,
    errors: Vec<String>,
    note: Option<String>,
}

impl RunCounts {
    /// Units that were read.
    #[must_use]
    pub fn units_read(&self) -> u64 {
        let unread = self.units_unchanged + self.deferred_sessions + self.units_left_out;
        self.units.saturating_sub(unread)
    }

    /// Reads them out of a report; all are zero where it is damaged.
    #[must_use]
    pub fn of(report: &Redacted) -> Self {
        serde_json::from_str(report.as_str()).unwrap_or_default()
    }
}

impl Store {
    /// Notes that a run begins, and prunes the connector's history. The caller holds the library's
    /// lock and has no other run of this connector under way: one that is noted so was killed.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn begin_run(&mut self, connector: &SourceName, started_at: Instant) -> Result<RunId> {
        let transaction = self.connection.transaction()?;
        let (name, started) = (connector.as_str(), started_at.unix());
        transaction.execute(
            "UPDATE runs SET outcome = 'interrupted' WHERE outcome = 'running' AND connector = ?1",
            [name],
        )?;
        transaction.execute(
            "INSERT INTO runs (connector, started_at, outcome) VALUES (?1, ?2, 'running')",
            params![name, started],
        )?;
        let id = RunId(transaction.last_insert_rowid());
        prune(&transaction, name, started)?;
        transaction.commit()?;
        Ok(id)
    }

    /// Marks all runs that are noted as under way as interrupted: for one who has just taken the
    /// library's lock.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn interrupt_runs(&self) -> Result<()> {
        let mark = "UPDATE runs SET outcome = 'interrupted' WHERE outcome = 'running'";
        self.connection.execute(mark, [])?;
        Ok(())
    }

    /// Notes how a run ended, and the connector's new state.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn finish_run(&mut self, id: RunId, run: &RunRow<'_>) -> Result<()> {
        let transaction = self.connection.transaction()?;
        let ended = run.ended_at.unix();
        let error = run.error.clone().map(|error| error.truncated(ERROR_CHARS));
        note_state(&transaction, run, error.as_ref())?;
        let outcome = match error {
            Some(_) => Outcome::Failed,
            None => Outcome::Ok,
        };
        transaction.execute(
            "UPDATE runs SET ended_at = ?2, outcome = ?3, report = ?4 WHERE id = ?1",
            params![id.0, ended, outcome.as_str(), run.counts.as_str()],
        )?;
        transaction.commit()?;
        Ok(())
    }
}

impl View {
    /// The newest runs, of one connector or of all, the newest first.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn runs(&self, connector: Option<&SourceName>, limit: usize) -> Result<Vec<PastRun>> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let sql = "SELECT connector, started_at, ended_at, outcome, report FROM runs
                   WHERE ?1 IS NULL OR connector = ?1 ORDER BY id DESC LIMIT ?2";
        let mut statement = self.connection.prepare_cached(sql)?;
        let name = connector.map(SourceName::as_str);
        let rows = statement.query_map(params![name, limit], past_run)?;
        // A row that another program has spoiled is no run.
        let runs: rusqlite::Result<Vec<Option<PastRun>>> = rows.collect();
        Ok(runs?.into_iter().flatten().collect())
    }

    /// The connectors that have a state here, by name.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn connectors(&self) -> Result<Vec<SourceName>> {
        let sql = "SELECT name FROM connector_state ORDER BY name";
        let mut statement = self.connection.prepare_cached(sql)?;
        let names = statement.query_map([], |row| row.get::<_, String>(0))?;
        let names: rusqlite::Result<Vec<String>> = names.collect();
        Ok((names?.iter())
            .filter_map(|name| SourceName::new(name).ok())
            .collect())
    }
}

fn past_run(row: &Row<'_>) -> rusqlite::Result<Option<PastRun>> {
    let (name, started): (String, i64) = (row.get(0)?, row.get(1)?);
    let (ended, word): (Option<i64>, String) = (row.get(2)?, row.get(3)?);
    let report: Option<String> = row.get(4)?;
    let report: Option<Report> = report.and_then(|text| serde_json::from_str(&text).ok());
    let counts = report.as_ref().map(|report| report.counts);
    let Report { errors, note, .. } = report.unwrap_or_default();
    let (Ok(connector), Some(started_at)) = (SourceName::new(&name), Instant::from_unix(started))
    else {
        return Ok(None);
    };
    Ok(Some(PastRun {
        connector,
        started_at,
        ended_at: ended.and_then(Instant::from_unix),
        outcome: Outcome::named(&word),
        counts,
        error: errors.into_iter().next().map(Redacted::from_library),
        note: note.map(Redacted::from_library),
    }))
}

fn note_state(connection: &Connection, run: &RunRow<'_>, error: Option<&Redacted>) -> Result<()> {
    let sums = [
        run.sums.items_stored,
        run.sums.records_skipped,
        run.sums.input_tokens,
        run.sums.output_tokens,
    ];
    let [stored, skipped, read, written] = sums.map(|sum| i64::try_from(sum).unwrap_or(i64::MAX));
    connection.execute(
        "INSERT INTO connector_state
            (name, last_run_at, last_success_at, last_item_at, last_error, last_report,
             runs, failed_runs, items_stored, records_skipped, input_tokens, output_tokens)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, 1, ?5 IS NOT NULL, ?7, ?8, ?9, ?10)
         ON CONFLICT (name) DO UPDATE SET
            last_run_at = excluded.last_run_at,
            last_success_at = coalesce(excluded.last_success_at, last_success_at),
            last_item_at = max(coalesce(excluded.last_item_at, last_item_at),
                               coalesce(last_item_at, excluded.last_item_at)),
            last_error = excluded.last_error,
            last_report = excluded.last_report,
            runs = runs + 1,
            failed_runs = failed_runs + excluded.failed_runs,
            items_stored = items_stored + excluded.items_stored,
            records_skipped = records_skipped + excluded.records_skipped,
            input_tokens = input_tokens + excluded.input_tokens,
            output_tokens = output_tokens + excluded.output_tokens",
        params![
            run.connector.as_str(),
            run.started_at.unix(),
            error.is_none().then_some(run.ended_at.unix()),
            run.last_item_at.map(Instant::unix),
            error.map(Redacted::as_str),
            run.report.as_str(),
            stored,
            skipped,
            read,
            written,
        ],
    )?;
    Ok(())
}

/// Removes what is too much or too old of a connector's history.
fn prune(connection: &Connection, name: &str, now: i64) -> Result<()> {
    let older = "DELETE FROM runs WHERE connector = ?1 AND started_at < ?2 AND id <=
                    (SELECT id FROM runs WHERE connector = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?3)";
    let mut older = connection.prepare_cached(older)?;
    older.execute(params![name, i64::MAX, RUNS_KEPT])?;
    older.execute(params![
        name,
        now.saturating_sub(AGE_KEPT),
        RUNS_KEPT_ALWAYS
    ])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = 24 * 3600;

    struct Case {
        folder: tempfile::TempDir,
        store: Store,
    }

    impl Case {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let store = Store::open(&folder.path().join("jezero.db")).unwrap();
            Self { folder, store }
        }

        fn begin(&mut self, connector: &str, at: i64) -> RunId {
            self.store.begin_run(&name(connector), time(at)).unwrap()
        }

        fn finish(&mut self, id: RunId, connector: &str, at: i64, error: Option<&'static str>) {
            let connector = name(connector);
            let run = RunRow {
                connector: &connector,
                started_at: time(at),
                ended_at: time(at + 5),
                last_item_at: None,
                error: error.map(Redacted::literal),
                report: Redacted::literal("{\"passed_over\":[]}"),
                counts: Redacted::literal("{\"stored\":2}"),
                sums: Totals {
                    items_stored: 2,
                    records_skipped: 1,
                    ..Totals::default()
                },
            };
            self.store.finish_run(id, &run).unwrap();
        }

        fn runs(&self, connector: Option<&str>) -> Vec<(String, i64, Outcome)> {
            let view = View::open(&self.folder.path().join("jezero.db")).unwrap();
            let connector = connector.map(name);
            let runs = view.runs(connector.as_ref(), usize::MAX).unwrap();
            let shown = |run: PastRun| {
                let since = run.started_at.unix() - time(0).unix();
                (run.connector.to_string(), since, run.outcome)
            };
            runs.into_iter().map(shown).collect()
        }
    }

    fn name(text: &str) -> SourceName {
        SourceName::new(text).unwrap()
    }

    fn time(seconds: i64) -> Instant {
        Instant::from_unix(1_790_000_000 + seconds).unwrap()
    }

    fn run(connector: &str, at: i64, outcome: Outcome) -> (String, i64, Outcome) {
        (connector.to_owned(), at, outcome)
    }

    #[test]
    fn a_run_is_running_then_ok_or_failed() {
        let mut case = Case::new();
        let first = case.begin("a", 0);
        assert_eq!(case.runs(None), [run("a", 0, Outcome::Running)]);
        case.finish(first, "a", 0, None);
        let second = case.begin("a", 10);
        case.finish(second, "a", 10, Some("the folder is gone"));
        let expected = [run("a", 10, Outcome::Failed), run("a", 0, Outcome::Ok)];
        assert_eq!(case.runs(Some("a")), expected);
        assert_eq!(case.runs(Some("b")), []);
        let totals = Totals {
            runs: 2,
            failed_runs: 1,
            items_stored: 4,
            records_skipped: 2,
            ..Totals::default()
        };
        assert_eq!(case.store.state(&name("a")).unwrap().totals, totals);
    }

    #[test]
    fn a_run_that_was_killed_is_interrupted_when_the_next_one_of_its_connector_begins() {
        let mut case = Case::new();
        case.begin("a", 0);
        case.begin("b", 1);
        case.begin("a", 2);
        let expected = [
            run("a", 2, Outcome::Running),
            run("b", 1, Outcome::Running),
            run("a", 0, Outcome::Interrupted),
        ];
        assert_eq!(case.runs(None), expected);
        case.store.interrupt_runs().unwrap();
        let all = case.runs(None);
        assert!(
            all.iter().all(|run| run.2 == Outcome::Interrupted),
            "{all:?}"
        );
    }

    #[test]
    fn the_newest_thousand_runs_of_a_connector_are_kept() {
        let mut case = Case::new();
        case.begin("b", 0);
        for second in 0..1010 {
            case.begin("a", second);
        }
        let kept = case.runs(Some("a"));
        assert_eq!((kept.len(), kept.last().unwrap().1), (1000, 10));
        assert_eq!(case.runs(Some("b")).len(), 1);
    }

    #[test]
    fn runs_of_more_than_ninety_days_go_but_for_the_newest_twenty() {
        let mut case = Case::new();
        for second in 0..30 {
            case.begin("a", second);
        }
        case.begin("a", 90 * DAY);
        assert_eq!(case.runs(None).len(), 31);
        case.begin("a", 91 * DAY);
        let kept = case.runs(None);
        assert_eq!((kept.len(), kept.last().unwrap().1), (20, 12));
    }
}
