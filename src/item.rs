//! The data model: items and atoms, with the limits of the specification's data-model page.
//!
//! Texts are [`Redacted`] all through; a summariser's reply becomes a [`Draft`] only by way of the
//! redaction engine.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;
use sha2::{Digest, Sha256};
use unicode_normalization::char::is_combining_mark;

use crate::redaction::Redacted;
pub use jezero_connectors::{ExternalId, Instant, OriginalRef, SourceName, Trust, UnitId};

/// Longest title, in characters.
pub const TITLE_CHARS: usize = 200;
/// Most questions of an item.
pub const MAX_QUESTIONS: usize = 6;
/// Most atoms of an item.
pub const MAX_ATOMS: usize = 12;

/// The number of an item: stable for the life of the library, never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct ItemId(pub i64);

impl fmt::Display for ItemId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// What an atom is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum AtomKind {
    /// What was settled.
    Decision,
    /// Why.
    Rationale,
    /// What cured it.
    Fix,
    /// Exact text of an error.
    Error,
    /// A command that worked, exact.
    Command,
    /// A thing learned.
    Fact,
    /// What may break.
    Risk,
}

impl AtomKind {
    /// All kinds, in the order of the data model.
    pub const ALL: [Self; 7] = [
        Self::Decision,
        Self::Rationale,
        Self::Fix,
        Self::Error,
        Self::Command,
        Self::Fact,
        Self::Risk,
    ];

    /// The word of the data model.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Decision => "decision",
            Self::Rationale => "rationale",
            Self::Fix => "fix",
            Self::Error => "error",
            Self::Command => "command",
            Self::Fact => "fact",
            Self::Risk => "risk",
        }
    }
}

impl FromStr for AtomKind {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|kind| kind.as_str() == word)
            .ok_or_else(|| format!("must be one of {}", Self::ALL.map(Self::as_str).join(", ")))
    }
}

/// One small, exact piece of knowledge.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct Atom {
    /// What it is.
    pub kind: AtomKind,
    /// The piece itself, never empty.
    pub text: Redacted,
}

/// The name of a project: lower case, a letter or digit first, then letters, digits, `_`, `.`, `-`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct ProjectName(Redacted);

impl ProjectName {
    /// Longest name, in characters.
    pub const LIMIT: usize = 64;

    /// Checks a name that is already in its final form.
    ///
    /// Returns `None` for another shape than the one above, or more than [`Self::LIMIT`]
    /// characters.
    #[must_use]
    pub fn new(name: Redacted) -> Option<Self> {
        let text = name.as_str();
        let good = text.chars().next().is_some_and(char::is_alphanumeric)
            && text.chars().all(|c| Self::may_hold(c) && !c.is_uppercase())
            && text.chars().count() <= Self::LIMIT;
        good.then_some(Self(name))
    }

    /// Whether a name may hold a sign behind its first one: letters and digits of any script, the
    /// marks that belong to letters of some scripts, and `_`, `.`, `-`.
    #[must_use]
    pub fn may_hold(c: char) -> bool {
        c.is_alphanumeric() || matches!(c, '_' | '.' | '-') || is_combining_mark(c)
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl fmt::Display for ProjectName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What a summariser makes of a segment: checked, redacted, within the limits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// 1 to [`TITLE_CHARS`] characters.
    pub title: Redacted,
    /// Not empty.
    pub summary: Redacted,
    /// Up to [`MAX_QUESTIONS`], none empty.
    pub questions: Vec<Redacted>,
    /// Up to [`MAX_ATOMS`], none empty.
    pub atoms: Vec<Atom>,
    /// A guess from the text.
    pub project: Option<ProjectName>,
}

impl Draft {
    /// Redacts every text again, by rules that may be newer than those it was made under.
    #[must_use]
    pub fn redacted_again(self, mut redact: impl FnMut(&Redacted) -> Redacted) -> Self {
        Self {
            title: redact(&self.title),
            summary: redact(&self.summary),
            questions: self.questions.iter().map(&mut redact).collect(),
            atoms: self
                .atoms
                .iter()
                .map(|atom| Atom {
                    kind: atom.kind,
                    text: redact(&atom.text),
                })
                .collect(),
            project: self.project,
        }
    }
}

/// One entry of the library, in the field order that every reader sees.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Item {
    /// Its number.
    pub id: ItemId,
    /// The source it came from.
    pub source: SourceName,
    /// Its id inside of the source.
    pub external_id: ExternalId,
    /// When the work happened: the time of its last message.
    #[serde(serialize_with = "as_text")]
    pub occurred_at: Instant,
    /// What it is about.
    pub title: Redacted,
    /// What happened.
    pub summary: Redacted,
    /// What a person would ask to find it.
    pub questions: Vec<Redacted>,
    /// Its pieces of knowledge.
    pub atoms: Vec<Atom>,
    /// The project it belongs to.
    pub project: Option<ProjectName>,
    /// The account it came from.
    pub account: Option<Redacted>,
    /// Names the original in its source.
    pub original_ref: Option<OriginalRef>,
    /// Who wrote it.
    #[serde(serialize_with = "trust_word")]
    pub trust: Trust,
}

/// Serialises an instant as readers see it.
#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the form that serde asks for"
)]
pub(crate) fn as_text<S: serde::Serializer>(
    instant: &Instant,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_str(instant)
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the form that serde asks for"
)]
fn trust_word<S: serde::Serializer>(trust: &Trust, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(trust.as_str())
}

/// A title with ` (part n/N)` when there is more than one part, within [`TITLE_CHARS`].
#[must_use]
pub fn titled(title: &str, (part, parts): (usize, usize)) -> String {
    let suffix = if parts > 1 {
        format!(" (part {part}/{parts})")
    } else {
        String::new()
    };
    let title = title.strip_suffix(&suffix).unwrap_or(title);
    let room = TITLE_CHARS.saturating_sub(suffix.len());
    title.chars().take(room).chain(suffix.chars()).collect()
}

/// The hash by which texts are compared: lower-case hex of the SHA-256 (data model page, Ids).
#[must_use]
pub fn content_hash(text: &Redacted) -> String {
    use std::fmt::Write;
    let digest = Sha256::digest(text.as_str().as_bytes());
    digest
        .iter()
        .fold(String::with_capacity(64), |mut out, byte| {
            let _written: fmt::Result = write!(out, "{byte:02x}");
            out
        })
}
