//! `[redaction]`: which rules hide secrets, beside those compiled in.

use super::reading::Section;
use crate::redaction::Settings;

/// Keys of the section.
pub(super) const KEYS: &[&str] = &[
    "enabled",
    "extra_patterns",
    "rules_dir",
    "disabled_rules",
    "personal",
];

/// Reads the section. The engine itself checks rule files and ids.
pub(super) fn read(section: &Section<'_>) -> Settings {
    section.only(KEYS);
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
    Settings {
        enabled: section.flag("enabled").unwrap_or(true),
        extra_patterns: patterns,
        rules_dir: section.path("rules_dir"),
        disabled_rules: disabled.unwrap_or_default(),
        personal: section.flag("personal").unwrap_or(false),
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
