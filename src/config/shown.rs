//! How keys and values are repeated in messages: short, and never a secret.

use toml::de::DeValue;

use crate::redaction::Engine;

/// Longest text that a message repeats, in characters.
const SHOWN_CHARS: usize = 60;
/// What stands for a value that is not repeated.
const HIDDEN: &str = "another value (not shown)";

/// Endings of keys whose values are secrets.
const SECRET_ENDINGS: [&str; 9] = [
    "api_key",
    "apikey",
    "token",
    "secret",
    "password",
    "passwd",
    "credential",
    "credentials",
    "private_key",
];

/// Whether a key looks as if its value were a secret.
pub(super) fn is_secret_key(key: &str) -> bool {
    let key = key.to_lowercase().replace('-', "_");
    SECRET_ENDINGS.iter().any(|ending| key.ends_with(ending))
}

/// Whether the value of a key must not be repeated: secrets, and the keys next to them into which
/// a secret is easily pasted.
pub(super) fn is_private(key: &str) -> bool {
    let key = key.to_lowercase().replace('-', "_");
    is_secret_key(&key)
        || key.ends_with("_env")
        || key.ends_with("_sha256")
        || key == "extra_patterns"
}

/// A value as a message repeats it.
pub(super) fn value(key: &str, value: &DeValue<'_>) -> String {
    if is_private(key) {
        return HIDDEN.to_owned();
    }
    match value {
        DeValue::String(text) => self::text(text),
        DeValue::Integer(integer) => integer.to_string(),
        DeValue::Float(float) => float.to_string(),
        DeValue::Boolean(flag) => flag.to_string(),
        DeValue::Datetime(datetime) => datetime.to_string(),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
    }
}

/// A text as a message repeats it: quoted, cut at 60 characters; hidden when it holds a secret or is
/// an address with a name or password in it.
pub(super) fn text(text: &str) -> String {
    let address = text.split_once("://").map(|(_, rest)| rest);
    if address.is_some_and(|rest| rest.contains('@')) {
        return HIDDEN.to_owned();
    }
    // A key may be pasted anywhere; a message is the one place where rules are needed this early.
    if Engine::embedded().redact(text).as_str() != text {
        return HIDDEN.to_owned();
    }
    let mut cut: String = text.chars().take(SHOWN_CHARS).collect();
    if cut.len() < text.len() {
        cut.push('…');
    }
    format!("{cut:?}")
}

/// The message on a key that does not exist.
pub(super) fn unknown<'k>(key: &str, keys: impl Iterator<Item = &'k str> + Clone) -> String {
    let nearest = keys
        .clone()
        .map(|valid| (strsim::damerau_levenshtein(key, valid), valid))
        .filter(|(distance, valid)| {
            let close = *distance <= 1 + valid.chars().count() / 4;
            close || (key.len() > 2 && valid.starts_with(key))
        })
        .min();
    let hint = nearest.map_or_else(String::new, |(_, valid)| format!(", did you mean {valid}?"));
    let list: Vec<&str> = keys.collect();
    format!("unknown key{hint} (valid here: {})", list.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_key_names_the_nearest_and_all_valid_ones() {
        let keys = ["path", "tokenizer"];
        assert_eq!(
            unknown("tokeniser", keys.into_iter()),
            "unknown key, did you mean tokenizer? (valid here: path, tokenizer)"
        );
        assert_eq!(
            unknown("colour", keys.into_iter()),
            "unknown key (valid here: path, tokenizer)"
        );
    }

    #[test]
    fn values_are_cut_and_addresses_with_a_password_hidden() {
        assert_eq!(text("a\nb"), "\"a\\nb\"");
        assert_eq!(text(&"ä".repeat(61)), format!("\"{}…\"", "ä".repeat(60)));
        assert_eq!(text("http://me:pw@host"), HIDDEN);
    }

    #[test]
    fn keys_that_look_like_secrets_are_known_in_every_spelling() {
        for key in [
            "api_key",
            "PASSWORD",
            "my-api-key",
            "bot_token",
            "db_credentials",
        ] {
            assert!(is_secret_key(key), "{key}");
        }
        for key in ["api_key_env", "max_tokens", "token_limit", "projects_dir"] {
            assert!(!is_secret_key(key), "{key}");
        }
        assert!(is_private("api_key_env") && is_private("token_sha256"));
    }
}
