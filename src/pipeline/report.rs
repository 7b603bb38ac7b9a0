//! What a run says of itself: the fields of the report, in the order in which they are printed.

use jezero_connectors::{Problem, ProblemKind, Report};
use serde::Serialize;

use crate::redaction::{Clean, Engine, Redacted};
use crate::store::Written;
use crate::summarizer::Usage;

/// Errors that are quoted; the rest is in the counts.
const ERRORS: usize = 5;

/// Rule of thumb for Latin text; other scripts take more tokens.
const CHARS_A_TOKEN: u64 = 4;
/// Instructions and schema that go with each segment.
const PROMPT_TOKENS: u64 = 1200;
/// A summary as it usually is: title, three sentences, questions, a handful of atoms.
const REPLY_TOKENS: u64 = 600;

/// Something that was not read as it should be, with its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PassedOver {
    /// `passed over`, `read in part`, `failed` or `note`.
    pub what: &'static str,
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
    /// Questions put again to a model because its server was busy or the connection broke.
    #[serde(skip_serializing_if = "is_zero")]
    pub retries: u64,
    /// Replies of a model that broke a rule and were asked for again.
    #[serde(skip_serializing_if = "is_zero")]
    pub repairs: u64,
    /// Segments that wait for another run because `daily_input_chars` is used up, the key is refused
    /// again and again, or the program was told to end.
    #[serde(skip_serializing_if = "is_zero")]
    pub postponed: u64,
    /// Items removed because their segments are no longer produced.
    pub pruned: u64,
    /// Units looked at.
    pub units: u64,
    /// Units that had not been touched since the last run.
    pub units_unchanged: u64,
    /// Units that are not wanted or hold nothing to keep (copies, empty files, switched-off kinds).
    pub units_left_out: u64,
    /// Units with too little text for an item.
    pub units_too_short: u64,
    /// Records that another unit already owns (forks, resumed copies).
    pub records_owned_elsewhere: u64,
    /// Records left out because the same unit already has them: histories written twice.
    pub records_repeated: u64,
    /// Records of types that are not known.
    pub records_unknown: u64,
    /// Records that were read with something left out of them or put in its place.
    pub records_mended: u64,
    /// Damaged records that were passed over.
    pub records_passed_over: u64,
    /// Atoms left out of a summary: too many, repeated, of an unknown kind, or an error or command
    /// that does not stand in the text.
    pub atoms_dropped: u64,
    /// Of these, errors and commands that do not stand in the text.
    #[serde(skip_serializing_if = "is_zero")]
    pub atoms_not_in_text: u64,
    /// Whether the server that a connector reads did not answer; the exit code is then 4.
    #[serde(skip)]
    pub unreachable: bool,
    /// Whether nothing was summarised and stored.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
    /// Segments that a run without `--dry-run` would summarise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub would_store: Option<u64>,
    /// Tokens that a model would read, by the rule of thumb of four characters a token, the
    /// instructions included. Only in a dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimated_input_tokens: Option<u64>,
    /// Tokens that a model would write, by the mean of a summary. Only in a dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimated_output_tokens: Option<u64>,
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

impl Clean for RunReport {}

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

    /// Adds what a call used up.
    pub(super) fn spent(&mut self, usage: &Usage) {
        self.input_tokens += usage.input_tokens;
        self.output_tokens += usage.output_tokens;
        self.retries += usage.retries;
        self.repairs += usage.repairs;
    }

    /// Adds what was written of a unit.
    pub(super) fn written(&mut self, written: Written) {
        self.stored += written.inserted + written.updated;
        self.redacted_again += written.redacted_again;
        self.pruned += written.pruned;
    }

    /// Counts a call that a dry run does not make.
    pub(super) fn would_ask(&mut self, chars: u64) {
        self.input_chars += chars;
        *self.would_store.get_or_insert(0) += 1;
        *self.estimated_input_tokens.get_or_insert(0) += chars / CHARS_A_TOKEN + PROMPT_TOKENS;
        *self.estimated_output_tokens.get_or_insert(0) += REPLY_TOKENS;
    }

    /// Takes over what the connector counted.
    pub(super) fn take(&mut self, report: &Report, engine: &Engine) {
        self.units += report.seen;
        self.units_unchanged += report.unchanged;
        self.deferred_sessions += report.deferred;
        self.units_left_out += report.left_out;
        self.records_unknown += report.unknown;
        self.records_mended += report.mended;
        self.records_passed_over += report.passed_over;
        self.passed_over_unlisted += report.unlisted;
        self.failed += report.failed;
        self.passed_over.extend(
            report
                .problems
                .iter()
                .map(|problem| passed_over(problem, engine)),
        );
        let failed = report
            .problems
            .iter()
            .filter(|problem| problem.kind == ProblemKind::Failed);
        let room = ERRORS.saturating_sub(self.errors.len());
        let texts = failed
            .take(room)
            .map(|problem| engine.redact(&problem.to_string()));
        self.errors.extend(texts);
    }
}

fn passed_over(problem: &Problem, engine: &Engine) -> PassedOver {
    let place = match problem.line {
        Some(line) => format!("{}:{line}", problem.place),
        None => problem.place.clone(),
    };
    let what = match problem.kind {
        ProblemKind::PassedOver => "passed over",
        ProblemKind::Mended => "read in part",
        ProblemKind::Failed => "failed",
        ProblemKind::Note => "note",
    };
    PassedOver {
        what,
        place: engine.redact(&place),
        reason: engine.redact(&problem.reason),
    }
}
