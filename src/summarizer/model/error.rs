//! Why a model gave no summary, by what the reader of the message can do about it.
//!
//! Every message says why and what next. What a server or program said is quoted redacted and cut;
//! keys and addresses beyond the host never stand in it.

use jezero_connectors::http::{AddressError, HttpError};

use super::reply::Flaw;
use crate::redaction::Redacted;

/// Why a model gave no summary.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// The address cannot be used: mend `base_url`.
    #[error("summarizer.base_url: {0}")]
    Address(#[from] AddressError),
    /// Nobody answers, or not to the end.
    #[error(
        "{place}: {cause}. Check that the server is up, that summarizer.base_url is right and that \
         timeout_seconds is long enough; then run again"
    )]
    Unanswered {
        /// Host and port.
        place: String,
        /// What happened on the way.
        cause: HttpError,
    },
    /// The key is missing, wrong or has no rights or money left.
    #[error(
        "{place} refuses the key with status {status}{said}. Check the variable {variable} and the \
         account behind it; then run again"
    )]
    Denied {
        /// Host and port.
        place: String,
        /// The status.
        status: u16,
        /// What the server said, after a colon; empty if nothing.
        said: Redacted,
        /// The variable that holds the key.
        variable: String,
    },
    /// The server was busy or broken at every try.
    #[error(
        "{place} is busy, status {status} at try {tries}{said}. Run again later; if it goes on, \
         lower summarizer.max_concurrency"
    )]
    Busy {
        /// Host and port.
        place: String,
        /// The last status.
        status: u16,
        /// What the server said.
        said: Redacted,
        /// How often it was asked.
        tries: u64,
    },
    /// The server does not take the question.
    #[error(
        "{place} refuses the question with status {status}{said}. Check summarizer.model and \
         base_url, and lower max_input_chars if the text is too long for the model; then run again"
    )]
    Refused {
        /// Host and port.
        place: String,
        /// The status.
        status: u16,
        /// What the server said.
        said: Redacted,
    },
    /// Something answers that does not speak this interface.
    #[error(
        "{place} does not answer as {interface} does: {what}. Check summarizer.base_url and \
         provider; then run again"
    )]
    Foreign {
        /// Host and port.
        place: String,
        /// The interface that was expected.
        interface: &'static str,
        /// What came instead.
        what: &'static str,
    },
    /// The reply came to its end before it was done.
    #[error(
        "the model's reply was cut off at {limit} tokens. Raise summarizer.max_output_tokens, or \
         lower max_input_chars if the model's memory is full; then run again"
    )]
    Cut {
        /// `max_output_tokens`.
        limit: u64,
    },
    /// The model does not want to.
    #[error(
        "the model declined to write about this text{said}. It is asked again at the next run; \
         another summarizer.model may not decline"
    )]
    Declined {
        /// What it said.
        said: Redacted,
    },
    /// The reply broke a rule, and so did the one after it.
    #[error(
        "the model's reply was refused twice: {0}. It is asked again at the next run; if it goes \
         on, take another summarizer.model"
    )]
    Shape(Flaw),
    /// The program could not be started.
    #[error("{program} cannot be started: {cause}. Check summarizer.command")]
    Start {
        /// The program's name.
        program: String,
        /// The system's word for it.
        cause: std::io::Error,
    },
    /// The program was too slow, and was ended with all that it had started.
    #[error(
        "{program} was ended after {seconds} seconds. Raise summarizer.timeout_seconds, or try the \
         command by hand"
    )]
    Slow {
        /// The program's name.
        program: String,
        /// `timeout_seconds`.
        seconds: f64,
    },
    /// The program failed.
    #[error("{program} {how}{said}. Try the command by hand; then run again")]
    Ended {
        /// The program's name.
        program: String,
        /// How it ended.
        how: String,
        /// What it wrote to its error output.
        said: Redacted,
    },
}
