//! Why a connector could not do its work at all. Damage inside of a source is no error: it is
//! counted in the [`Report`](crate::Report).

use std::path::PathBuf;

/// A failure of a whole reading, by what the reader of the message can do about it.
#[derive(Debug, thiserror::Error)]
pub enum ConnectorError {
    /// An option is wrong: mend the configuration.
    #[error("{key}: {message}")]
    Option {
        /// The option's key.
        key: String,
        /// What is wrong and what would be right.
        message: String,
    },
    /// The source is not there (yet).
    #[error("{} does not exist", path.display())]
    Missing {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// The source is there and cannot be read: mend its permissions or the medium.
    #[error("{} cannot be read: {cause}", path.display())]
    Unreadable {
        /// What cannot be read.
        path: PathBuf,
        /// The system's word for it.
        cause: std::io::Error,
    },
    /// A server does not answer: is it running, is the address right? Exit code 4.
    #[error("{place} cannot be reached: {cause}")]
    Unreachable {
        /// The server, without keys: its host and path.
        place: String,
        /// The system's word for it.
        cause: String,
    },
    /// A server is there and does not let us in, or does not speak what is expected: mend the key,
    /// its rights or the address.
    #[error("{place}: {message}")]
    Refused {
        /// The request, without keys.
        place: String,
        /// What it said, in our words, and what to do.
        message: String,
    },
    /// The receiver wants no more; not a failure.
    #[error("the reading was stopped")]
    Stopped,
    /// The reading thread ended before its work was done: report it.
    #[error("the reader ended unexpectedly")]
    Broken,
}
