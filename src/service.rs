//! What a service manager is given so that the library fills itself: units for systemd, a property
//! list for launchd, a file for Docker.
//!
//! Only texts are made here, from paths that may hold anything but control characters; each format
//! is written with its own escapes.

mod docker;
mod launchd;
mod systemd;

use std::path::{Path, PathBuf};

pub use docker::dockerfile;
pub use launchd::property_list;
pub use systemd::{daemon_unit, run_unit, timer_unit};

/// Seconds without a sign of life after which the daemon is started anew: it gives one at least every
/// half minute.
const WATCHDOG: u32 = 120;
/// Seconds that the daemon has to end: it ends within ten.
const ENDING: u32 = 20;
/// Minutes between two looks at what is due: as often as the shortest usual interval.
const LOOK: u32 = 15;

/// Whose service it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Whose {
    /// The person's own, while logged in (or lingering).
    User,
    /// The computer's, run as this person.
    System(String),
}

/// What is to be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Service {
    /// The program, an absolute path.
    pub program: PathBuf,
    /// Its configuration, an absolute path.
    pub config: PathBuf,
    /// The folder of the library, an absolute path.
    pub data: PathBuf,
    /// Whose it is.
    pub whose: Whose,
    /// Whether the daemon serves the library as well.
    pub serves: bool,
    /// Whether it starts a program of the person's own to write summaries, which may need more than
    /// ours does.
    pub starts_programs: bool,
}

/// Why no text can be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ServiceError {
    /// The path cannot stand in such a file.
    #[error("{path:?} cannot stand in a file of the service manager: {why}")]
    Path {
        /// The path.
        path: PathBuf,
        /// What is wrong with it.
        why: &'static str,
    },
}

impl Service {
    /// Arguments of the daemon, the program apart.
    fn daemon(&self) -> Vec<&'static str> {
        match self.serves {
            true => vec!["daemon", "--serve"],
            false => vec!["daemon"],
        }
    }
}

/// A path as text that fits on a line.
fn line(path: &Path) -> Result<&str, ServiceError> {
    let refused = |why| ServiceError::Path {
        path: path.to_owned(),
        why,
    };
    let text = path.to_str().ok_or_else(|| refused("it is no UTF-8"))?;
    if text.contains(char::is_control) {
        return Err(refused(
            "it holds a line break or another control character",
        ));
    }
    Ok(text)
}

#[cfg(test)]
mod tests;
