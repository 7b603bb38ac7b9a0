//! Who may see which sources.
//!
//! Every question to the library takes a [`Reader`]. What a reader may not see does not exist for
//! it: not in results, not in counts, not in the statistics behind a score.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use crate::item::SourceName;

/// Why a list of source patterns was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{pattern:?} is no pattern of source names: {message}")]
pub struct GlobError {
    /// The pattern as it was given.
    pub pattern: String,
    /// What is wrong with it.
    pub message: String,
}

/// Patterns of source names: `*`, `?` and `[…]`, matched case-sensitively against whole names
/// (MCP tools page, Source filtering).
#[derive(Debug, Clone)]
enum SourceGlobs {
    All,
    Only(GlobSet),
}

/// What a caller may see.
#[derive(Debug, Clone)]
pub struct Reader {
    sources: SourceGlobs,
    originals: bool,
}

impl Reader {
    /// Sees every source and every original: the person at the computer itself.
    #[must_use]
    pub fn everything() -> Self {
        Self {
            sources: SourceGlobs::All,
            originals: true,
        }
    }

    /// Sees the sources whose names match one of the patterns, and their originals if `originals`.
    ///
    /// An empty list sees nothing.
    ///
    /// # Errors
    /// [`GlobError`] for the first pattern that cannot be read.
    pub fn new(globs: &[String], originals: bool) -> Result<Self, GlobError> {
        let mut set = GlobSetBuilder::new();
        for pattern in globs {
            set.add(
                GlobBuilder::new(pattern)
                    .build()
                    .map_err(|error| refused(pattern, &error))?,
            );
        }
        let sources = if globs.iter().any(|pattern| pattern == "*") {
            SourceGlobs::All
        } else {
            let set = set
                .build()
                .map_err(|error| refused(&globs.join(", "), &error))?;
            SourceGlobs::Only(set)
        };
        Ok(Self { sources, originals })
    }

    /// Whether this reader may see a source.
    #[must_use]
    pub fn may_see(&self, source: &SourceName) -> bool {
        match &self.sources {
            SourceGlobs::All => true,
            SourceGlobs::Only(set) => set.is_match(source.as_str()),
        }
    }

    /// Whether no source is hidden from this reader.
    #[must_use]
    pub fn sees_all_sources(&self) -> bool {
        matches!(self.sources, SourceGlobs::All)
    }

    /// Whether this reader may see originals.
    #[must_use]
    pub fn may_see_originals(&self) -> bool {
        self.originals
    }
}

fn refused(pattern: &str, error: &globset::Error) -> GlobError {
    GlobError {
        pattern: pattern.to_owned(),
        message: error.kind().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sees(globs: &[&str], source: &str) -> bool {
        let globs: Vec<String> = globs.iter().map(ToString::to_string).collect();
        let reader = Reader::new(&globs, true).unwrap();
        reader.may_see(&SourceName::new(source).unwrap())
    }

    #[test]
    fn a_pattern_is_matched_against_the_whole_name() {
        assert!(sees(&["agent-*"], "agent-claude-code-laptop"));
        assert!(!sees(&["agent-*"], "my-agent-x"));
        assert!(!sees(&["agent"], "agent-x"));
        assert!(sees(&["mail", "agent-?"], "agent-7"));
        assert!(sees(&["[am]*"], "mail"));
        assert!(!sees(&["AGENT-*"], "agent-x"));
    }

    #[test]
    fn no_pattern_sees_nothing_and_a_star_sees_all() {
        assert!(!sees(&[], "a"));
        assert!(sees(&["b", "*"], "a"));
        assert!(
            Reader::new(&["*".to_owned()], false)
                .unwrap()
                .sees_all_sources()
        );
    }

    #[test]
    fn a_broken_pattern_is_named() {
        let error = Reader::new(&["agent-[".to_owned()], true).unwrap_err();
        assert_eq!(error.pattern, "agent-[");
        assert!(
            error
                .to_string()
                .starts_with("\"agent-[\" is no pattern of source names: ")
        );
    }
}
