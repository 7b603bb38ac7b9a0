//! From every error below to an exit code and a hint: the one place that knows both.

use std::fmt;
use std::path::Path;

use super::Exit;
use crate::config::ConfigError;
use crate::export::ExportError;
use crate::http::ServeError;
use crate::import::{ImportError, TakeOverError};
use crate::library::LibraryError;
use crate::pipeline::PipelineError;
use crate::redaction::RuleError;
use crate::store::{StoreError, Trouble};

/// What a command ends with when it cannot do its work.
pub(super) struct Failure {
    pub(super) exit: Exit,
    error: anyhow::Error,
    hint: Option<String>,
}

impl Failure {
    /// A failure with its exit code.
    pub(super) fn new(exit: Exit, error: impl Into<anyhow::Error>) -> Self {
        Self {
            exit,
            error: error.into(),
            hint: None,
        }
    }

    /// A failure in words.
    pub(super) fn text(exit: Exit, message: impl fmt::Display) -> Self {
        Self::new(exit, anyhow::anyhow!("{message}"))
    }

    /// Adds what to do next.
    pub(super) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The message, line by line.
    pub(super) fn lines(&self) -> Vec<String> {
        let message = self.error.to_string();
        let mut lines: Vec<String> = Vec::new();
        for line in message.lines() {
            let own = line.starts_with("invalid config:") || line.starts_with("error:");
            lines.push(if own {
                line.to_owned()
            } else {
                format!("error: {line}")
            });
        }
        lines.extend(self.hint.iter().map(|hint| format!("hint: {hint}")));
        lines
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        let (exit, hint) = match &error {
            StoreError::Missing { .. } => (
                Exit::BadUse,
                "`jezero run` reads your sources and makes the library",
            ),
            StoreError::Earlier { path } => {
                let hint = take_over(path);
                return Self::new(Exit::BadUse, error).hint(hint);
            }
            StoreError::Foreign { .. } => (
                Exit::BadUse,
                "set [storage].path in jezero.toml to another file; if it was your library, the disk has \
                 damaged it: put a backup in its place with `jezero restore COPY`",
            ),
            StoreError::Older { .. } => (
                Exit::BadUse,
                "`jezero run` brings it up to date (`jezero index rebuild` where no source is read); so does \
                 starting the daemon, and nothing is lost",
            ),
            StoreError::Newer { .. } => (Exit::BadUse, "update jezero on this computer"),
            StoreError::Locked { .. } => (Exit::Locked, "try again when that has ended"),
            StoreError::File { .. } => {
                let exit = match error.trouble() {
                    Some(Trouble::Full | Trouble::Descriptors) => Exit::Failed,
                    _ => Exit::BadUse,
                };
                (exit, mending(error.trouble()))
            }
            // As while another run writes: nothing is wrong, and a later try goes on.
            StoreError::Sqlite(_) if error.trouble() == Some(Trouble::Busy) => {
                (Exit::Locked, mending(error.trouble()))
            }
            StoreError::Sqlite(_) | StoreError::Damaged { .. } => {
                (Exit::Failed, mending(error.trouble()))
            }
        };
        Self::new(exit, error).hint(hint)
    }
}

/// What to do about a file that is not what was written.
pub(super) const DAMAGED: &str = "check the disk, then put a backup in the library's place: `jezero restore COPY`; the next \
     `jezero run` reads again what came since";

/// What to do when the library cannot be read or written.
fn mending(trouble: Option<Trouble>) -> &'static str {
    match trouble {
        Some(Trouble::Busy) => {
            "another program keeps the library file to itself: end it (`lsof` or `fuser` with the file \
             names it) and give the command again; what was stored stays"
        }
        Some(Trouble::Full) => {
            "make room on the disk (or raise the quota) and give the command again; what was stored \
             stays, and the next run does the rest"
        }
        Some(Trouble::ReadOnly) => {
            "make the library's folder and files writable for you (modes, mount) and give the command \
             again"
        }
        Some(Trouble::Descriptors) => {
            "too many files are open: raise the limit (`ulimit -n 256`, LimitNOFILE= of the service) and \
             give the command again"
        }
        Some(Trouble::Unopened) => {
            "check the modes of the library's folder and files and how many files may be open \
             (`ulimit -n`), then give the command again"
        }
        Some(Trouble::Disk) => {
            "check the disk: room, limits on the size of files (`ulimit -f`), the system's log; then give \
             the command again"
        }
        Some(Trouble::Damaged) => DAMAGED,
        None => "check that the folder exists, that you may write there and that the disk has room",
    }
}

/// How a library of the Python package that lies where ours should be is taken over.
pub(super) fn take_over(path: &Path) -> String {
    let (old, new) = (path.display(), path.with_extension("python.db"));
    let new = new.display();
    let mut hint = format!("end what uses it, then take it over: mv '{old}' '{new}'");
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    if Path::new(&log).exists() {
        hint += &format!(" && mv '{old}-wal' '{new}-wal'");
    }
    hint + &format!(
        " && jezero import-db '{new}'; to leave it: set [storage].path in jezero.toml to another file"
    )
}

impl From<PipelineError> for Failure {
    fn from(error: PipelineError) -> Self {
        match error {
            PipelineError::Store(error) => error.into(),
            error @ PipelineError::Compress(_) => Self::new(Exit::Failed, error),
        }
    }
}

impl From<RuleError> for Failure {
    fn from(error: RuleError) -> Self {
        Self::new(Exit::BadUse, error).hint("mend the rule, or take it out of [redaction]")
    }
}

impl From<ConfigError> for Failure {
    fn from(errors: ConfigError) -> Self {
        let missing = matches!(errors, ConfigError::NotFound { .. });
        let failure = Self::new(Exit::BadUse, errors);
        match missing {
            true => failure.hint("`jezero init` writes a configuration for this computer"),
            false => failure,
        }
    }
}

impl From<LibraryError> for Failure {
    fn from(error: LibraryError) -> Self {
        match error {
            LibraryError::Store(error) => error.into(),
            error @ LibraryError::OriginalsOff => Self::new(Exit::BadUse, error)
                .hint("with true, the next `jezero run` indexes the originals that are there"),
            error => Self::new(Exit::BadUse, error),
        }
    }
}

impl From<ImportError> for Failure {
    fn from(error: ImportError) -> Self {
        match error {
            ImportError::Store(error) => error.into(),
            error => Self::new(Exit::BadUse, error).hint("nothing was imported"),
        }
    }
}

impl From<TakeOverError> for Failure {
    fn from(error: TakeOverError) -> Self {
        match error {
            TakeOverError::Store(error) => error.into(),
            error @ TakeOverError::Taken { .. } => Self::new(Exit::BadUse, error).hint(
                "set [storage].path in jezero.toml to a new file, give the command again, then `jezero \
                 run`",
            ),
        }
    }
}

impl From<ExportError> for Failure {
    fn from(error: ExportError) -> Self {
        match error {
            ExportError::Store(error) => error.into(),
            error @ ExportError::Write(_) => Self::new(Exit::Failed, error)
                .hint("make room on the disk, or name another file; no part of it was left"),
        }
    }
}

impl From<ServeError> for Failure {
    fn from(error: ServeError) -> Self {
        match error {
            ServeError::NoKey => Self::new(Exit::BadUse, error).hint(
                "`jezero new-token` makes a key and the line for a [[clients]] block; \
                 `jezero check-config` says what is wrong with those that are there",
            ),
            ServeError::Listen { .. } => Self::new(Exit::BadUse, error)
                .hint("end what uses the port, or set [server].host and [server].port"),
            ServeError::Stopped(_) => Self::new(Exit::Failed, error),
        }
    }
}
