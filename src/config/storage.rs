//! `[storage]`: where the library lies and how its words are cut.

use std::fmt;
use std::path::{Path, PathBuf};

use super::reading::Section;

/// How the words of items are matched. Named as SQLite names its own tokenizers, so that a
/// configuration of the Python package keeps its meaning.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(transparent)]
pub struct Tokenizer(String);

impl Tokenizer {
    const RULE: &str = "\"trigram\" (parts of words match) or \"unicode61\" (whole words match), \
                        each with options of a-z, 0-9, _ and spaces after it";

    fn new(text: &str) -> Option<Self> {
        let plain = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b' ');
        let known = matches!(text.split(' ').next(), Some("trigram" | "unicode61"));
        (known && text.bytes().all(plain)).then(|| Self(text.to_owned()))
    }

    /// Whether a term matches inside of words (`trigram…`) or whole words only (`unicode61…`).
    #[must_use]
    pub fn matches_parts(&self) -> bool {
        self.0.starts_with("trigram")
    }

    /// Fewest characters of a term: shorter ones are dropped from a query.
    #[must_use]
    pub fn minimum_term(&self) -> usize {
        if self.matches_parts() { 3 } else { 1 }
    }

    /// The words of the configuration.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for Tokenizer {
    fn default() -> Self {
        Self("trigram remove_diacritics 1".to_owned())
    }
}

impl fmt::Display for Tokenizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Settings of the library's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Storage {
    /// The SQLite file.
    pub path: PathBuf,
    /// How words are matched.
    pub tokenizer: Tokenizer,
    /// Days after which an original is removed; `None` keeps it for ever.
    pub keep_originals_days: Option<u32>,
}

impl Storage {
    pub(super) const KEYS: &[&str] = &["path", "tokenizer", "keep_originals_days"];
    /// A hundred years.
    const MOST_DAYS: u64 = 36_500;

    pub(super) fn read(section: &Section<'_>) -> Self {
        section.only(Self::KEYS);
        let tokenizer = section.get("tokenizer", Tokenizer::RULE, |value| {
            Tokenizer::new(value.as_str()?)
        });
        Self {
            path: section
                .path("path")
                .unwrap_or_else(|| section.paths().base.join(Path::new("data/jezero.db"))),
            tokenizer: tokenizer.unwrap_or_default(),
            keep_originals_days: section
                .integer("keep_originals_days", 0..=Self::MOST_DAYS)
                .and_then(|days| u32::try_from(days).ok())
                .filter(|days| *days > 0),
        }
    }
}
