//! Turns the redacted text of a segment into a [`Draft`](crate::item::Draft).
//!
//! One trait, one implementation a provider. What comes back is [`Reply`], raw text: it becomes a
//! draft only through [`accept`], which redacts it once more and enforces the limits.

mod accept;
pub mod extractive;
mod model;

pub use accept::{Dropped, accept};
pub use model::{Making, ModelError};

use async_trait::async_trait;

use crate::item::{Instant, ProjectName, SourceName};
use crate::redaction::Redacted;

/// What a summariser is given. All of it has been redacted.
#[derive(Debug, Clone)]
pub struct Task<'a> {
    /// The segment's text.
    pub text: &'a Redacted,
    /// The source's own title, if it has one, without `(part n/N)`.
    pub title_hint: Option<&'a Redacted>,
    /// Which part of how many, from 1.
    pub part: (usize, usize),
    /// Where it comes from.
    pub source: &'a SourceName,
    /// Its project, when the source or the configuration says it.
    pub project: Option<&'a ProjectName>,
    /// The time of its last message.
    pub occurred_at: Instant,
}

/// A summariser's reply before it is checked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reply {
    /// What it is about.
    pub title: String,
    /// What happened.
    pub summary: String,
    /// What a person would ask to find it.
    pub questions: Vec<String>,
    /// Kind (a word of the data model) and text.
    pub atoms: Vec<(String, String)>,
    /// A guess at the project.
    pub project: Option<String>,
}

/// What a call used up, the tries that failed among it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Tokens that the model read, as far as the server says.
    pub input_tokens: u64,
    /// Tokens that it wrote.
    pub output_tokens: u64,
    /// How often a question was put again because the server was busy or the connection broke.
    pub retries: u64,
    /// How often a reply that broke a rule was asked for again.
    pub repairs: u64,
}

impl Usage {
    /// Adds what another call used up.
    pub fn add(&mut self, other: &Self) {
        self.input_tokens += other.input_tokens;
        self.output_tokens += other.output_tokens;
        self.retries += other.retries;
        self.repairs += other.repairs;
    }
}

/// A reply with what it cost.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Answer {
    /// The reply, not yet checked.
    pub reply: Reply,
    /// What it cost.
    pub usage: Usage,
}

impl From<Reply> for Answer {
    fn from(reply: Reply) -> Self {
        Self {
            reply,
            usage: Usage::default(),
        }
    }
}

/// Why a segment has no summary.
#[derive(Debug, thiserror::Error)]
pub enum SummarizerError {
    /// The reply breaks a rule of the data model: the segment is tried again at the next run.
    #[error("the reply was refused: {0}")]
    Refused(&'static str),
    /// The model gave no summary.
    #[error("{cause}")]
    Model {
        /// Why, and what next.
        cause: ModelError,
        /// What was used up all the same.
        usage: Usage,
    },
    /// The call ended without a word, which is a defect of this program.
    #[error("the summariser broke off; please report it with the run's output")]
    Broken,
}

impl SummarizerError {
    /// Whether the key was refused: the next segment would fare no better.
    #[must_use]
    pub fn is_denied(&self) -> bool {
        matches!(
            self,
            Self::Model {
                cause: ModelError::Denied { .. },
                ..
            }
        )
    }

    /// What the failed call used up all the same.
    #[must_use]
    pub fn usage(&self) -> Option<&Usage> {
        match self {
            Self::Model { usage, .. } => Some(usage),
            Self::Refused(_) | Self::Broken => None,
        }
    }
}

/// Makes summaries.
#[async_trait]
pub trait Summarizer: Send + Sync {
    /// Which provider and model writes; stored with each item (`summary_by`).
    fn name(&self) -> &str;

    /// Whether a call costs money or waiting: such calls are made side by side, counted against
    /// the day's limit, and what they bring is stored at once.
    fn costs(&self) -> bool {
        true
    }

    /// Summarises one segment.
    ///
    /// # Errors
    /// [`SummarizerError`] for this segment alone; others go on.
    async fn summarize(&self, task: &Task<'_>) -> Result<Answer, SummarizerError>;

    /// Asks for the project of a segment alone: nothing else of the answer counts. Who cannot be
    /// asked for less than a summary gives one.
    ///
    /// # Errors
    /// As [`Summarizer::summarize`].
    async fn guess_project(&self, task: &Task<'_>) -> Result<Answer, SummarizerError> {
        self.summarize(task).await
    }
}
