//! `[redaction]`: which rules hide secrets, beside those compiled in.

use std::path::PathBuf;

use super::reading::Section;

/// Settings of the redaction engine. The engine itself checks rule files and ids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redaction {
    /// Whether secrets are hidden at all.
    pub enabled: bool,
    /// Expressions of the person's own; what they match is hidden.
    pub extra_patterns: Vec<String>,
    /// A folder of rule files that add to the compiled-in rules or replace them by id.
    pub rules_dir: Option<PathBuf>,
    /// Ids of rules that are not applied.
    pub disabled_rules: Vec<String>,
}

impl Default for Redaction {
    fn default() -> Self {
        Self {
            enabled: true,
            extra_patterns: Vec::new(),
            rules_dir: None,
            disabled_rules: Vec::new(),
        }
    }
}

impl Redaction {
    pub(super) const KEYS: &[&str] = &["enabled", "extra_patterns", "rules_dir", "disabled_rules"];

    pub(super) fn read(section: &Section<'_>) -> Self {
        section.only(Self::KEYS);
        let patterns = section.texts("extra_patterns", "an expression, not empty", |pattern| {
            !pattern.is_empty()
        });
        let patterns = patterns.unwrap_or_default();
        for (number, pattern) in patterns.iter().enumerate() {
            if let Err(error) = regex::Regex::new(pattern) {
                let message = format!("expression {number} is not valid: {}", reason(&error));
                section.reject("extra_patterns", message);
            }
        }
        let disabled = section.texts("disabled_rules", "the id of a rule", |id| !id.is_empty());
        Self {
            enabled: section.flag("enabled").unwrap_or(true),
            extra_patterns: patterns,
            rules_dir: section.path("rules_dir"),
            disabled_rules: disabled.unwrap_or_default(),
        }
    }
}

/// Why an expression is refused, without the expression: it may be a secret, word for word.
fn reason(error: &regex::Error) -> String {
    let text = error.to_string();
    match (error, text.rsplit_once("error: ")) {
        (regex::Error::CompiledTooBig(limit), _) => format!("it needs more than {limit} bytes"),
        (_, Some((_, reason))) => reason.to_owned(),
        (_, None) => "it cannot be read".to_owned(),
    }
}
