//! What can be wrong with a configuration, told so that one can mend it.

use std::fmt;
use std::path::{Path, PathBuf};

/// One thing that is wrong, with its place.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Problem {
    /// The file: the configuration or the `.env` beside it.
    pub path: PathBuf,
    /// Line in that file, from 1.
    pub line: usize,
    /// Dotted key such as `connectors[1].options.projects_dir`, counted from 0; `None` when the
    /// file as a whole is concerned.
    pub key: Option<String>,
    /// What is wrong and what would be right. Never holds a secret.
    pub message: String,
}

/// Writes `<path>:<line>: <key>: <message>`.
impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: ", self.path.display(), self.line)?;
        if let Some(key) = &self.key {
            write!(f, "{key}: ")?;
        }
        f.write_str(&self.message)
    }
}

/// Why a configuration could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// There is no such file: make one with `jezero init`, or name another.
    #[error("config not found at {}", path.display())]
    NotFound {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// The file is there and cannot be read: mend its permissions.
    #[error("the config at {} cannot be read: {cause}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's word for it.
        cause: std::io::Error,
    },
    /// The file says something that is not understood: mend the lines named.
    #[error("{}", lines(.0))]
    Invalid(Vec<Problem>),
}

impl ConfigError {
    /// The problems of a file that was read, in the order of its lines; none for a file that was
    /// not.
    #[must_use]
    pub fn problems(&self) -> &[Problem] {
        match self {
            Self::Invalid(problems) => problems,
            Self::NotFound { .. } | Self::Unreadable { .. } => &[],
        }
    }

    pub(super) fn reading(path: &Path, cause: std::io::Error) -> Self {
        let path = path.to_owned();
        if cause.kind() == std::io::ErrorKind::NotFound {
            Self::NotFound { path }
        } else {
            Self::Unreadable { path, cause }
        }
    }
}

fn lines(problems: &[Problem]) -> String {
    let lines: Vec<String> = problems
        .iter()
        .map(|problem| format!("invalid config: {problem}"))
        .collect();
    lines.join("\n")
}
