//! What a reading says of itself: counts, and each thing passed over with its place and reason.
//!
//! A reason never quotes what stands in the source, since that has not been redacted.

use std::fmt;

/// Problems beyond this many are counted and not listed.
pub const LISTED: usize = 100;

/// One thing that was passed over or read in part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Where: a file below its root, a folder, a request.
    pub place: String,
    /// One-based line, where a file has lines.
    pub line: Option<u64>,
    /// What is wrong with it, in words that quote nothing of it.
    pub reason: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.place, self.reason),
            None => write!(f, "{}: {}", self.place, self.reason),
        }
    }
}

/// Counts of one reading.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Report {
    /// Units looked at, whether or not they had changed.
    pub seen: u64,
    /// Units sent.
    pub delivered: u64,
    /// Units that had not changed since the last reading.
    pub unchanged: u64,
    /// Units touched too recently; they wait for the settle time.
    pub deferred: u64,
    /// Units that are not wanted or hold nothing to keep.
    pub left_out: u64,
    /// Records passed over because they are damaged, by reason in `problems`.
    pub passed_over: u64,
    /// Records that were read with something left out of them or put in its place.
    pub mended: u64,
    /// Records of types that are not known here.
    pub unknown: u64,
    /// Whole units or folders that could not be read: each makes the run end with exit code 1.
    pub failed: u64,
    /// The first [`LISTED`] problems.
    pub problems: Vec<Problem>,
    /// Problems beyond these.
    pub unlisted: u64,
}

impl Report {
    /// Notes a damaged record that was passed over, with its place.
    pub fn pass_over(&mut self, place: &str, line: Option<u64>, reason: impl Into<String>) {
        self.passed_over += 1;
        self.note(place, line, reason);
    }

    /// Notes a record that was read with something left out of it or put in its place.
    pub fn mend(&mut self, place: &str, line: Option<u64>, reason: impl Into<String>) {
        self.mended += 1;
        self.note(place, line, reason);
    }

    /// Notes a unit or folder that could not be read.
    pub fn fail(&mut self, place: &str, reason: impl Into<String>) {
        self.failed += 1;
        self.note(place, None, reason);
    }

    /// Notes something without counting it as passed over or failed.
    pub fn note(&mut self, place: &str, line: Option<u64>, reason: impl Into<String>) {
        if self.problems.len() < LISTED {
            let reason = reason.into();
            self.problems.push(Problem {
                place: place.to_owned(),
                line,
                reason,
            });
        } else {
            self.unlisted += 1;
        }
    }
}
