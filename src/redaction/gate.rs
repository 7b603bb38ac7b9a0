//! Decides whether a value beside a secret's name is worth hiding.
//!
//! Names are not enough: `max_tokens=4096`, `password: String` and `Bearer ${TOKEN}` hold no
//! secret. The value decides, and how sure the name is says how much the value must show.

mod words;

use std::sync::LazyLock;

use words::WORDS_OF_CODE;

use super::alphabet::Alphabet;
use super::name::Strength;
use super::span::holds_marker;
use super::text::{byte, entropy, part};
use super::walk::Walk;

/// Bytes of a value in which words are looked for.
const LOOK: usize = 128;

/// What the name of a function is made of, with the path to it.
static IN_CALL: Alphabet = Alphabet::words_and(b"_.:>!?&-");

/// First signs of what stands between two names, or around one.
static OPENS_PAIR: Alphabet = Alphabet::of(b":-${");

/// Words that are looked for all at once, without regard to case.
type Words = LazyLock<Option<Walk>>;

static PLACEHOLDERS: Words = LazyLock::new(|| automaton(words::PLACEHOLDERS));
static STAND_INS: Words = LazyLock::new(|| automaton(words::STAND_INS));
static PARTS_OF_NAMES: Words = LazyLock::new(|| automaton(words::PARTS_OF_NAMES));

/// Openings of references, by their first byte.
static REFERENCES: LazyLock<Vec<Vec<&str>>> = LazyLock::new(|| {
    let begin = |first: usize| {
        let fits = |word: &&&str| word.bytes().next().map(usize::from) == Some(first);
        words::REFERENCES.iter().filter(fits).copied().collect()
    };
    (0..256).map(begin).collect()
});

/// `None` only if the lists cannot be read, which the tests of the words exclude.
fn automaton(words: &[&str]) -> Option<Walk> {
    Walk::new(words).ok()
}

/// How a value stands in its text.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Setting {
    /// Between quotes.
    pub(super) quoted: bool,
    /// `NAME=value`, the name in capitals or behind two hyphens, nothing around the sign.
    pub(super) plain: bool,
    /// Behind a colon, and the key begins its line, and the value ends it.
    pub(super) whole_line: bool,
    /// The key stands between quotes, so that the value may be a bare JSON number.
    pub(super) json: bool,
}

/// Whether a token of a vendor's form is a stand-in.
pub(super) fn is_placeholder_token(token: &[u8]) -> bool {
    let tail = part(token, token.len().saturating_sub(16), token.len());
    !holds_distinct(tail, 4) || holds_word(token, &PLACEHOLDERS)
}

/// Whether a value is worth hiding.
pub(super) fn worth_hiding(value: &[u8], strength: Strength, setting: Setting) -> bool {
    let shortest = if strength == Strength::Password { 4 } else { 6 };
    if value.len() < shortest {
        return false;
    }
    // Prose stands behind many a name: it is asked for first, since it is the cheapest to see.
    let phrase = value.iter().any(u8::is_ascii_whitespace);
    if phrase && !(strength == Strength::Password && is_phrase_of_signs(value)) {
        return false;
    }
    if is_reference(value) || !holds_distinct(value, 3) || is_path(value) || holds_marker(value) {
        return false;
    }
    if is_number(value) {
        let long = value.len() >= 6 && !setting.json;
        return strength == Strength::Password && (setting.quoted || setting.plain && long);
    }
    if holds_word(value, &PLACEHOLDERS) {
        return false;
    }
    if phrase {
        return true;
    }
    match strength {
        Strength::Password => password(value, setting),
        Strength::Credential => credential(value, setting),
        Strength::Likely => random_like(value, if setting.plain { 12 } else { 16 }),
        Strength::Header | Strength::Cookie | Strength::Never => false,
    }
}

fn password(value: &[u8], setting: Setting) -> bool {
    if value
        .iter()
        .all(|byte| byte.is_ascii_alphabetic() || *byte == b'_')
    {
        if is_word_of_code(value) || holds_word(value, &PARTS_OF_NAMES) {
            return false;
        }
        let identifier = value.contains(&b'_') || value.iter().any(u8::is_ascii_uppercase);
        return setting.quoted
            || setting.plain
            || setting.whole_line && !identifier && value.len() >= 6;
    }
    let named = [
        &b"-token"[..],
        b"-secret",
        b"-password",
        b"-key",
        b"_token",
        b"_key",
        b"-pass",
    ];
    if is_wordy(value) && named.iter().any(|end| value.ends_with(end)) {
        return false;
    }
    setting.quoted || setting.plain || !is_expression(value)
}

fn credential(value: &[u8], setting: Setting) -> bool {
    if is_wordy(value) || value.len() < 8 {
        return setting.plain
            && value.len() >= 8
            && !holds_word(value, &STAND_INS)
            && !is_word_of_code(value)
            && !holds_word(value, &PARTS_OF_NAMES)
            && value.iter().all(u8::is_ascii_graphic);
    }
    let bare = setting.quoted || setting.plain;
    (bare || !is_expression(value))
        && (value.iter().any(u8::is_ascii_digit) || entropy(value) >= 3.5 && value.len() >= 16)
}

/// Whether a value looks drawn by lot: letters and digits mixed within its parts.
pub(super) fn random_like(value: &[u8], shortest: usize) -> bool {
    value.len() >= shortest
        && value
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || b"_-+/=.~%:!".contains(byte))
        && value.iter().any(u8::is_ascii_digit)
        && value.iter().any(u8::is_ascii_alphabetic)
        && !is_wordy(value)
        && !is_known_id(value)
        && entropy(value) >= 2.9
}

/// Whether every part of a value is a word or a number, as in `claude-sonnet-4-20250514`.
pub(super) fn is_wordy(value: &[u8]) -> bool {
    value
        .split(|byte| !byte.is_ascii_alphanumeric())
        .all(|part| is_word(part) || part.iter().all(u8::is_ascii_digit))
}

/// Letters in one of the usual cases, with at most three digits behind them.
fn is_word(part: &[u8]) -> bool {
    let (mut letters, mut humps, mut digits) = (0usize, 0, 0);
    for (at, byte) in part.iter().enumerate() {
        if byte.is_ascii_digit() {
            digits += 1;
        } else if digits > 0 || !byte.is_ascii_alphabetic() {
            return false;
        } else {
            letters += 1;
            humps += usize::from(at > 0 && byte.is_ascii_uppercase());
        }
    }
    // One capital in four letters is camel case; more is chance, unless all are capitals.
    digits <= 3 && letters <= 24 && (humps * 4 <= letters || humps + 1 >= letters)
}

/// UUID, ULID, and hex of the lengths of common hashes.
fn is_known_id(value: &[u8]) -> bool {
    let hex = value.iter().all(u8::is_ascii_hexdigit);
    match value.len() {
        26 => value
            .iter()
            .all(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase()),
        36 => value.iter().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        }),
        32 | 40 | 64 | 96 | 128 => hex,
        _ => false,
    }
}

fn is_word_of_code(value: &[u8]) -> bool {
    WORDS_OF_CODE
        .iter()
        .any(|word| value.eq_ignore_ascii_case(word.as_bytes()))
}

/// Whether a value is a variable, a call or a path through fields.
pub(super) fn is_reference(value: &[u8]) -> bool {
    let first = usize::from(byte(value, 0).to_ascii_lowercase());
    let opening = |word: &&str| part(value, 0, word.len()).eq_ignore_ascii_case(word.as_bytes());
    if REFERENCES
        .get(first)
        .is_some_and(|words| words.iter().any(opening))
    {
        return true;
    }
    let next = byte(value, 1);
    match byte(value, 0) {
        b'$' => {
            next == b'{'
                || next == b'('
                || next == b'_'
                || next.is_ascii_alphabetic() && is_name(value.get(1..).unwrap_or_default())
        }
        b'{' | b'[' | b'(' => true,
        b'<' => true,
        b'%' => value.ends_with(b"%"),
        b'&' | b'*' | b'@' | b':' => is_name(value.get(1..).unwrap_or_default()),
        _ => is_call(value),
    }
}

/// A name with a bracket behind it, or two names with `::` or `->` between.
fn is_call(value: &[u8]) -> bool {
    let name = value.iter().take_while(|byte| IN_CALL.has(**byte)).count();
    let opens = name > 0 && matches!(byte(value, name), b'(' | b'[' | b'{');
    opens
        || (0..value.len())
            .filter(|at| OPENS_PAIR.has(byte(value, *at)))
            .any(|at| {
                matches!(
                    part(value, at, at + 2),
                    b"::" | b"->" | b"${" | b"{{" | b"$("
                )
            })
}

fn is_name(value: &[u8]) -> bool {
    value
        .iter()
        .all(|byte| byte.is_ascii_alphanumeric() || b"_.[]:->".contains(byte))
}

/// Names joined by dots, or one name of letters and few digits at its end.
fn is_expression(value: &[u8]) -> bool {
    value.iter().any(|byte| b"([{".contains(byte))
        || value.split(|byte| *byte == b'.').all(|part| {
            !part.is_empty()
                && !byte(part, 0).is_ascii_digit()
                && part.split(|byte| *byte == b'_').all(is_word)
        }) && value.iter().any(|byte| b"._".contains(byte))
}

fn is_path(value: &[u8]) -> bool {
    let opens = [&b"/"[..], b"./", b"../", b"~/", b"~\\"]
        .iter()
        .any(|form| value.starts_with(form));
    let drive =
        byte(value, 0).is_ascii_alphabetic() && byte(value, 1) == b':' && byte(value, 2) == b'\\';
    let address = memchr::memchr_iter(b':', value).any(|at| part(value, at, at + 3) == b"://");
    let parts = || {
        value
            .split(|byte| *byte == b'/')
            .all(|part| part.len() < 25)
    };
    drive || address || opens && parts() && !value.ends_with(b"=")
}

fn is_number(value: &[u8]) -> bool {
    let first = byte(value, 0);
    if !first.is_ascii_digit() && !b"+-._,eEui".contains(&first) {
        return false;
    }
    let types = [
        &b"u8"[..],
        b"i8",
        b"u16",
        b"i16",
        b"u32",
        b"i32",
        b"u64",
        b"i64",
        b"usize",
    ];
    let digits = types.iter().find_map(|end| value.strip_suffix(*end));
    if digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_digit)) {
        return true;
    }
    let hex = value
        .strip_prefix(b"0x")
        .or_else(|| value.strip_prefix(b"0X"));
    if hex.is_some_and(|digits| digits.len() <= 16 && digits.iter().all(u8::is_ascii_hexdigit)) {
        return true;
    }
    value.iter().any(u8::is_ascii_digit)
        && value
            .iter()
            .all(|byte| byte.is_ascii_digit() || b"+-._,eE".contains(byte))
}

/// Several words, but with signs and digits that prose does not have.
fn is_phrase_of_signs(value: &[u8]) -> bool {
    value.len() <= 40
        && value.iter().any(u8::is_ascii_digit)
        && value.iter().any(|byte| b"@#$%^&*!+=~".contains(byte))
        && !value.contains(&b'(')
}

/// Whether one of the words stands in the first bytes of a value.
fn holds_word(value: &[u8], words: &Words) -> bool {
    words
        .as_ref()
        .is_some_and(|words| words.finds(part(value, 0, LOOK)))
}

/// Whether so many different bytes stand in a value.
fn holds_distinct(value: &[u8], count: u32) -> bool {
    let mut seen = [0u64; 4];
    let mut distinct = 0;
    value.iter().any(|byte| {
        let bit = 1 << (byte & 63);
        if let Some(slot) = seen.get_mut(usize::from(byte >> 6))
            && *slot & bit == 0
        {
            *slot |= bit;
            distinct += 1;
        }
        distinct >= count
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hidden(value: &str, strength: Strength, setting: Setting) -> bool {
        worth_hiding(value.as_bytes(), strength, setting)
    }

    const QUOTED: Setting = Setting {
        quoted: true,
        plain: false,
        whole_line: false,
        json: false,
    };
    const PLAIN: Setting = Setting {
        quoted: false,
        plain: true,
        whole_line: false,
        json: false,
    };
    const BARE: Setting = Setting {
        quoted: false,
        plain: false,
        whole_line: false,
        json: false,
    };

    #[test]
    fn weak_passwords_are_hidden_where_their_place_is_sure() {
        for value in ["hunter2", "letmein", "p@ss", "Tr0ub4dor&3"] {
            assert!(hidden(value, Strength::Password, QUOTED), "{value}");
            assert!(hidden(value, Strength::Password, PLAIN), "{value}");
        }
        assert!(!hidden("letmein", Strength::Password, BARE));
    }

    #[test]
    fn references_placeholders_and_types_are_left() {
        for value in [
            "$DB_PASSWORD",
            "${DB}",
            "{{ db }}",
            "process.env.DB_PW1",
            "os.environ['A1']",
            "<secret1>",
            "xxxxxxxx",
            "changeme1",
            "your-password1",
            "String",
            "String::from",
            "getPassword(1)",
            "/run/secrets/db1",
            "[REDACTED:password]",
            "********",
            "http://a.example/1",
            "password",
        ] {
            assert!(!hidden(value, Strength::Password, QUOTED), "{value}");
        }
    }

    #[test]
    fn a_word_that_may_be_a_secret_needs_a_random_value() {
        for value in [
            "claude-sonnet-4-20250514",
            "4096",
            "authentication",
            "ctrl+shift+down",
            "TokenStream",
            "01ARZ3NDEKTSV4RRFFQ69G5FAV",
            "9b2c1d9e-8f7a-4b6c-9d0e-1f2a3b4c5d6e",
            "bailu",
        ] {
            assert!(!hidden(value, Strength::Likely, QUOTED), "{value}");
        }
        assert!(hidden("q7Wn3xP0zR5tLk8vB2", Strength::Likely, QUOTED));
    }
}
