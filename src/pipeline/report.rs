//! What a run says of itself: the fields of the report, in the order in which they are printed.

use jezero_connectors::{Problem, Report};
use serde::Serialize;

use crate::redaction::{Engine, Redacted};

/// Errors that are quoted; the rest is in the counts.
const ERRORS: usize = 5;

/// A record, unit or folder that was passed over, with its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PassedOver {
    /// Where, such as `folder/session.jsonl:17`.
    pub place: Redacted,
    /// Why.
    pub reason: Redacted,
}

/// Counts of one connector's run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct RunReport {
    /// The connector.
    pub connector: String,
    /// Segments that were compared with what is stored.
    pub docs: u64,
    /// Segments whose text had not changed.
    pub unchanged: u64,
    /// Items written, new and changed.
    pub stored: u64,
    /// Segments without a summary, and units or folders that could not be read.
    pub failed: u64,
    /// Units touched too recently; they wait for the settle time.
    pub deferred_sessions: u64,
    /// Secrets hidden in what was read.
    pub redactions: u64,
    /// Stored items whose texts newer redaction rules changed, without a new summary.
    #[serde(skip_serializing_if = "is_zero")]
    pub redacted_again: u64,
    /// Characters given to the summariser.
    pub input_chars: u64,
    /// Tokens that a model read.
    pub input_tokens: u64,
    /// Tokens that a model wrote.
    pub output_tokens: u64,
    /// Items removed because their segments are no longer produced.
    pub pruned: u64,
    /// Units looked at.
    pub units: u64,
    /// Units that had not been touched since the last run.
    pub units_unchanged: u64,
    /// Units with too little text for an item.
    pub units_too_short: u64,
    /// Records that another unit already owns (forks, resumed copies).
    pub records_owned_elsewhere: u64,
    /// Records of types that are not known.
    pub records_unknown: u64,
    /// Damaged records that were passed over.
    pub records_passed_over: u64,
    /// Atoms left out of a summary because they break a rule (an error or command that does not
    /// stand in the text).
    pub atoms_dropped: u64,
    /// Whether nothing was summarised and stored.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
    /// Segments that a run without `--dry-run` would summarise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub would_store: Option<u64>,
    /// The number given to `--sample`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sample: Option<usize>,
    /// What else is worth knowing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<Redacted>,
    /// The first errors.
    pub errors: Vec<Redacted>,
    /// What was passed over, with places.
    pub passed_over: Vec<PassedOver>,
    /// How many more of these are not listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub passed_over_unlisted: u64,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the form that serde asks for"
)]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl RunReport {
    /// Whether something really failed: the exit code is then 1.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        self.failed > 0
    }

    /// Notes an error; the first few are quoted.
    pub(super) fn error(&mut self, text: Redacted) {
        self.failed += 1;
        if self.errors.len() < ERRORS {
            self.errors.push(text);
        }
    }

    /// Takes over what the connector counted.
    pub(super) fn take(&mut self, report: &Report, engine: &Engine) {
        self.units += report.seen;
        self.units_unchanged += report.unchanged;
        self.deferred_sessions += report.deferred;
        self.records_unknown += report.unknown;
        self.records_passed_over += report.passed_over;
        self.passed_over_unlisted += report.unlisted;
        self.failed += report.failed;
        self.passed_over.extend(
            report
                .problems
                .iter()
                .map(|problem| passed_over(problem, engine)),
        );
        let unread = report
            .problems
            .len()
            .min(ERRORS.saturating_sub(self.errors.len()));
        if report.failed > 0 {
            let texts = report
                .problems
                .iter()
                .take(unread)
                .map(|p| engine.redact(&p.to_string()));
            self.errors.extend(texts);
        }
    }
}

fn passed_over(problem: &Problem, engine: &Engine) -> PassedOver {
    let place = match problem.line {
        Some(line) => format!("{}:{line}", problem.place),
        None => problem.place.clone(),
    };
    PassedOver {
        place: engine.redact(&place),
        reason: engine.redact(&problem.reason),
    }
}
