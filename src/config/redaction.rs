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
    "allow_sha256",
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
    let allowed = section.texts("allow_sha256", DIGEST, |text| digest(text).is_some());
    let allowed = allowed.unwrap_or_default();
    Settings {
        enabled: section.flag("enabled").unwrap_or(true),
        extra_patterns: patterns,
        rules_dir: section.path("rules_dir"),
        disabled_rules: disabled.unwrap_or_default(),
        personal: section.flag("personal").unwrap_or(false),
        allow_sha256: allowed.iter().filter_map(|text| digest(text)).collect(),
    }
}

/// What an entry of `allow_sha256` must be.
const DIGEST: &str = "64 hex digits, as `jezero redact --report` prints them behind what it hides (never the value itself)";

fn digest(text: &str) -> Option<[u8; 32]> {
    let mut digest = [0; 32];
    if text.len() != 2 * digest.len() || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    for (at, byte) in digest.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(2 * at..2 * at + 2)?, 16).ok()?;
    }
    Some(digest)
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
