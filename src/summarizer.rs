//! Turns the redacted text of a segment into a [`Draft`].
//!
//! One trait, one implementation a provider. What comes back is [`Reply`], raw text: it becomes a
//! [`Draft`] only through `accept`, which redacts it once more and enforces the limits.

pub mod extractive;

use async_trait::async_trait;

use crate::item::{Draft, Instant, ProjectName, SourceName};
use crate::redaction::{Engine, Redacted};

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

/// Why a segment has no summary.
#[derive(Debug, thiserror::Error)]
pub enum SummarizerError {
    /// The reply breaks a rule of the data model: the segment is tried again at the next run.
    #[error("the reply was refused: {0}")]
    Refused(&'static str),
}

/// Makes summaries.
#[async_trait]
pub trait Summarizer: Send + Sync {
    /// Which provider and model writes; stored with each item (`summary_by`).
    fn name(&self) -> &str;

    /// Summarises one segment.
    ///
    /// # Errors
    /// [`SummarizerError`] for this segment alone; others go on.
    async fn summarize(&self, task: &Task<'_>) -> Result<Reply, SummarizerError>;
}

/// Checks a reply and makes a draft of it: redacts every field again, cuts and drops what is over
/// the limits of the data-model page.
///
/// # Errors
/// [`SummarizerError::Refused`] when title or summary is empty.
pub fn accept(reply: Reply, _task: &Task<'_>, engine: &Engine) -> Result<Draft, SummarizerError> {
    let text = |raw: &str| Some(engine.redact(raw.trim())).filter(|text| !text.as_str().is_empty());
    let title = text(&reply.title).ok_or(SummarizerError::Refused("the title is empty"))?;
    let summary = text(&reply.summary).ok_or(SummarizerError::Refused("the summary is empty"))?;
    let atoms = reply.atoms.iter().filter_map(|(kind, raw)| {
        Some(crate::item::Atom {
            kind: kind.parse().ok()?,
            text: text(raw)?,
        })
    });
    Ok(Draft {
        title: title.truncated(crate::item::TITLE_CHARS),
        summary,
        questions: reply
            .questions
            .iter()
            .filter_map(|raw| text(raw))
            .take(crate::item::MAX_QUESTIONS)
            .collect(),
        atoms: atoms.take(crate::item::MAX_ATOMS).collect(),
        project: reply
            .project
            .and_then(|raw| ProjectName::new(engine.redact(&raw.to_lowercase()))),
    })
}
