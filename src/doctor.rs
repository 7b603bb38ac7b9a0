//! Looks for what keeps the library from filling itself, and says how to mend it.
//!
//! Everything is only looked at: files are not opened for writing, nothing is repaired. Each check is
//! a question that a person would ask when something is wrong; one that fails ends with the command
//! that mends it. All of it works without a library, and on a damaged one.

mod clock;
mod disk;
mod files;
mod library;
mod shell;
mod sources;
mod summaries;
mod walk;
mod watches;

use serde::Serialize;

use crate::config::Config;
use crate::item::Instant;

pub use shell::quoted;

/// What came of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// All is well.
    Ok,
    /// It works, and will not for ever.
    Warning,
    /// Something does not work, or harm is near.
    Failing,
}

impl Verdict {
    /// The word that is printed.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warning => "warning",
            Self::Failing => "failing",
        }
    }
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Check {
    /// What was looked at.
    pub check: &'static str,
    /// What came of it.
    pub result: Verdict,
    /// What was found, in a sentence without its full stop.
    pub text: String,
    /// The command that mends it, or what to change where. Always there when it is failing.
    pub mend: Option<String>,
}

impl Check {
    fn ok(check: &'static str, text: impl Into<String>) -> Self {
        Self {
            check,
            result: Verdict::Ok,
            text: text.into(),
            mend: None,
        }
    }

    fn warning(check: &'static str, text: impl Into<String>, mend: impl Into<String>) -> Self {
        Self {
            check,
            result: Verdict::Warning,
            text: text.into(),
            mend: Some(mend.into()),
        }
    }

    fn failing(check: &'static str, text: impl Into<String>, mend: impl Into<String>) -> Self {
        Self {
            result: Verdict::Failing,
            ..Self::warning(check, text, mend)
        }
    }
}

/// What is examined.
#[derive(Debug)]
pub struct Patient<'a> {
    /// The configuration.
    pub config: &'a Config,
    /// The program with the option that names this configuration, as a person would type it.
    pub program: String,
    /// The time.
    pub now: Instant,
    /// Whether everything is looked at, however long that takes.
    pub thorough: bool,
}

impl Patient<'_> {
    /// A command of this program.
    fn command(&self, arguments: &str) -> String {
        format!("{} {arguments}", self.program)
    }

    /// Where to change a line of the configuration.
    fn edit(&self, what: &str) -> String {
        format!("change {what} in {}", quoted(&self.config.path))
    }
}

/// Examines everything, and tells of each thing as soon as it was looked at.
///
/// Not for a process that has the library open: it opens the library's file once more, and closing
/// that would drop the locks that SQLite holds on it.
pub fn examine(patient: &Patient<'_>, told: &mut dyn FnMut(Check)) {
    disk::look(patient, told);
    files::look(patient, told);
    let library = library::look(patient, told);
    clock::look(patient, library.as_ref(), told);
    summaries::look(patient, told);
    sources::look(patient, library.as_ref(), told);
    watches::look(patient, told);
}
