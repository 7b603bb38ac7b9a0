//! What can go wrong with a server, by what is done about it.

use std::io;

use crate::error::ConnectorError;

/// Why a question to the server was not answered.
#[derive(Debug)]
pub(super) enum Trouble {
    /// The connection is of no use any more; another one may be. Our words or the system's.
    Cut(String),
    /// The server says no to this question alone.
    No,
    /// No other try will do.
    Fatal(ConnectorError),
}

impl Trouble {
    /// A failed read or write.
    pub(super) fn cut(error: &io::Error) -> Self {
        Self::Cut(match error.kind() {
            io::ErrorKind::UnexpectedEof => "it ended the connection".to_owned(),
            io::ErrorKind::TimedOut => "it does not answer in time".to_owned(),
            io::ErrorKind::InvalidData => "it sent something that is no IMAP".to_owned(),
            _ => error.to_string(),
        })
    }
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        Self::cut(&error)
    }
}

/// A response code (RFC 9051, section 7.1): the word in brackets, in upper case, and what follows
/// it. The text behind it is for people, may quote anything, and is not kept.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Code {
    pub(super) word: String,
    pub(super) rest: String,
}

impl Code {
    /// Reads the text of a status response: `[UIDVALIDITY 3] UIDs are valid`.
    pub(super) fn read(text: &[u8]) -> Self {
        let text = String::from_utf8_lossy(text);
        let inside = text
            .trim_start()
            .strip_prefix('[')
            .and_then(|rest| rest.split_once(']'));
        let Some((inside, _)) = inside else {
            return Self::default();
        };
        let (word, rest) = inside.split_once(' ').unwrap_or((inside, ""));
        Self {
            word: word.to_ascii_uppercase(),
            rest: rest.to_owned(),
        }
    }

    /// Whether a refusal with it may be another answer in a while.
    pub(super) fn passes(&self) -> bool {
        let words = ["UNAVAILABLE", "INUSE", "LIMIT", "THROTTLED", "SERVERBUG"];
        words.contains(&self.word.as_str())
    }
}
