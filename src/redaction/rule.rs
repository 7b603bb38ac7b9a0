//! A rule of a family: what its file says, checked and made ready.
//!
//! The format is told in `docs/redaction.md`. A rule looks only where one of its keywords stands.

mod apart;

use std::sync::OnceLock;

use regex::bytes::{Regex, RegexBuilder};
use serde::Deserialize;

use super::alphabet::{Alphabet, without_punctuation};
use super::checksum::Checksum;
use super::gate;
use super::least::Least;
use super::text::{
    ESCAPE, after_escape_letters, before, byte, entropy, escape_ends_at, line_break, part,
    skip_blanks,
};

/// Longest id: a marker has room for no more.
pub(super) const ID_LIMIT: usize = 64;
/// Bytes that a rule looks at from the start of a token, unless its file says more.
const WINDOW: usize = 512;
/// Most bytes that a rule may ask for.
const WINDOW_LIMIT: usize = 65_536;

/// Why rules could not be made ready.
#[derive(Debug, thiserror::Error)]
pub enum RuleError {
    /// A file or folder of rules cannot be read: check the path and its rights.
    #[error("{file}: cannot be read: {source}")]
    Read {
        /// The file or folder.
        file: String,
        /// What the system says.
        source: std::io::Error,
    },
    /// A file is no TOML of the documented form: mend it.
    #[error("{file}: {message}")]
    Form {
        /// The file.
        file: String,
        /// What the reader says, with the line.
        message: String,
    },
    /// A field of a rule has a wrong value: mend it.
    #[error("{file}: rule {rule}: {field}: expected {expected}")]
    Field {
        /// The file.
        file: String,
        /// The rule's id.
        rule: String,
        /// The field.
        field: &'static str,
        /// What would be right.
        expected: String,
    },
    /// An id that is to be switched off is none: write the one that was meant.
    #[error("disabled_rules: nothing has the id {id}; the nearest is {nearest}")]
    Unknown {
        /// What was written.
        id: String,
        /// The id that looks most like it.
        nearest: String,
    },
}

/// A text of a rule file: whole, or in parts that are joined.
///
/// Parts keep a sample from looking like a live token to those who scan repositories.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(super) enum Sample {
    /// A whole text.
    Whole(String),
    /// The parts of a text.
    Parts(Vec<String>),
}

impl Sample {
    /// The text.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Whole(text) => text.clone(),
            Self::Parts(parts) => parts.concat(),
        }
    }
}

/// Words that must stand near a token.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Near {
    /// The words, without regard to case.
    pub(super) words: Vec<String>,
    /// Greatest distance in bytes.
    pub(super) within: usize,
}

/// What may stand directly before a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Boundary {
    /// No letter and no digit.
    #[default]
    Word,
    /// Nothing of the token's own alphabet.
    Alphabet,
    /// Anything.
    None,
}

/// Whether a value is worth hiding in its other places.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Class {
    /// It gives access.
    #[default]
    Secret,
    /// It names the half of a pair that gives access.
    PairId,
}

/// A rule as its file writes it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawRule {
    pub(super) id: String,
    pub(super) description: String,
    #[serde(default)]
    pub(super) keywords: Vec<String>,
    pub(super) regex: String,
    #[serde(default)]
    pub(super) ignore_case: bool,
    pub(super) alphabet: Option<String>,
    #[serde(default)]
    pub(super) boundary: Boundary,
    #[serde(default)]
    pub(super) before: usize,
    #[serde(default)]
    pub(super) window: Option<usize>,
    pub(super) length: Option<usize>,
    #[serde(default)]
    pub(super) exact: bool,
    #[serde(default)]
    pub(super) min_length: usize,
    #[serde(default)]
    pub(super) entropy: f64,
    pub(super) checksum: Option<Checksum>,
    #[serde(default)]
    pub(super) checksum_decides: bool,
    pub(super) near: Option<Near>,
    #[serde(default)]
    pub(super) allow: Vec<String>,
    #[serde(default)]
    pub(super) class: Class,
    #[serde(default, rename = "match")]
    pub(super) matches: Vec<Sample>,
    #[serde(default)]
    pub(super) no_match: Vec<Sample>,
}

/// A rule, ready to run.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) raw: RawRule,
    pub(super) window: usize,
    alphabet: Alphabet,
    /// Made at the first hit: most rules never meet one in the life of a process.
    regex: OnceLock<Option<Ready>>,
    allow: Vec<Regex>,
}

/// An expression that can run, and what it needs at least.
#[derive(Debug, Clone)]
struct Ready {
    regex: Regex,
    least: Option<Least>,
}

impl Rule {
    /// Checks a rule; its expression is compiled now only if `now` says so.
    pub(super) fn new(raw: RawRule, file: &str, now: bool) -> Result<Self, RuleError> {
        let wrong = |field: &'static str, expected: String| RuleError::Field {
            file: file.to_owned(),
            rule: raw.id.clone(),
            field,
            expected,
        };
        check_id(&raw.id).map_err(|expected| wrong("id", expected))?;
        let words = raw.near.as_ref().map_or(0, |near| near.words.len());
        if raw.keywords.is_empty() && words == 0 {
            return Err(wrong("keywords", "at least one, or near.words".to_owned()));
        }
        let near = raw.near.iter().flat_map(|near| &near.words);
        let letter =
            |word: &String| word.len() < 2 && word.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if raw.keywords.iter().chain(near).any(letter) {
            let expected = "words of two bytes or more, or single signs".to_owned();
            return Err(wrong("keywords", expected));
        }
        let window = raw.window.unwrap_or(WINDOW);
        if !(1..=WINDOW_LIMIT).contains(&window) {
            return Err(wrong("window", format!("1 to {WINDOW_LIMIT} bytes")));
        }
        let alphabet = Alphabet::parse(raw.alphabet.as_deref().unwrap_or("A-Za-z0-9_-"))
            .map_err(|expected| wrong("alphabet", expected))?;
        let allow = raw
            .allow
            .iter()
            .map(|pattern| Regex::new(pattern))
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| wrong("allow", format!("a regular expression ({error})")))?;
        let regex = OnceLock::new();
        if now {
            let compiled = compile(&raw)
                .map_err(|error| wrong("regex", format!("a regular expression ({error})")))?;
            regex.get_or_init(|| Some(compiled));
        }
        Ok(Self {
            raw,
            window,
            alphabet,
            regex,
            allow,
        })
    }

    /// Compiles the expression.
    ///
    /// # Errors
    /// If it is none.
    #[cfg(test)]
    pub(super) fn compiled(&self) -> Result<(), regex::Error> {
        compile(&self.raw).map(|_| ())
    }

    /// The rule with a window that no text of a test fills.
    #[cfg(any(test, fuzzing))]
    pub(super) fn without_window(&self) -> Self {
        Self {
            raw: self.raw.clone(),
            window: usize::MAX / 2,
            alphabet: self.alphabet.clone(),
            regex: self.regex.clone(),
            allow: self.allow.clone(),
        }
    }

    fn regex(&self) -> Option<&Ready> {
        self.regex.get_or_init(|| compile(&self.raw).ok()).as_ref()
    }

    /// Looks at the token around a keyword that stands from `hit` to `end`; gives the place to
    /// hide.
    pub(super) fn at_keyword(&self, text: &[u8], hit: usize, end: usize) -> Option<(usize, usize)> {
        // The letters of an escape before a token are none of it: without them its backslash would
        // stand alone. A keyword itself is where it is.
        let run = self.alphabet.run_start(text, hit, self.raw.before);
        let first = after_escape_letters(text, run).min(hit);
        if self.may_begin(text, first)
            && let Some(found) = self.token_at(text, first)
        {
            return Some(found);
        }
        // Behind the first byte, a token begins only where a sign or an escape ends.
        let head = part(text, first.saturating_sub(ESCAPE), hit);
        let escapes = first < hit && memchr::memrchr3(b'\\', b'[', b'%', head).is_some();
        let begins = |at: &usize| {
            (!before(text, *at).is_ascii_alphanumeric() || escapes && escape_ends_at(text, *at))
                && self.may_begin(text, *at)
        };
        (first + 1..=hit)
            .filter(begins)
            .find_map(|start| self.token_at(text, start))
            .or_else(|| {
                let broken = self.breaks(text, end)?;
                self.may_begin(text, first)
                    .then(|| self.broken(text, first, broken, part(text, hit, end)))?
            })
    }

    /// The place to hide of a token that begins at a place.
    fn token_at(&self, text: &[u8], start: usize) -> Option<(usize, usize)> {
        let (from, to) = self.direct(text, start)?;
        Some((from, self.joined_end(text, start, to)))
    }

    /// Where a line break ends the run of the alphabet that goes on at a place, if one does.
    fn breaks(&self, text: &[u8], at: usize) -> Option<usize> {
        let limit = at + self.raw.length.unwrap_or(WINDOW / 2);
        let end = self.alphabet.run_end(text, at, limit);
        matches!(byte(text, end), b'\n' | b'\r' | b'\\').then_some(end)
    }

    /// Looks at the tokens behind a word that only gives context.
    pub(super) fn after_word(&self, text: &[u8], hit: usize) -> Option<(usize, usize)> {
        let limit = hit + self.raw.near.as_ref()?.within;
        let mut at = hit;
        while at < limit.min(text.len()) {
            if !self.alphabet.has(byte(text, at)) {
                at += 1;
                continue;
            }
            let start = after_escape_letters(text, at);
            let end = self.alphabet.run_end(text, at, at + WINDOW);
            if start < end
                && let Some(found) = self.direct(text, start)
            {
                return Some(found);
            }
            at = end;
        }
        None
    }

    fn may_begin(&self, text: &[u8], start: usize) -> bool {
        let last = before(text, start);
        let touching = match self.raw.boundary {
            Boundary::Word => last.is_ascii_alphanumeric(),
            Boundary::Alphabet => {
                last.is_ascii_alphanumeric() || last != b'=' && self.alphabet.has(last)
            }
            Boundary::None => false,
        };
        !touching || escape_ends_at(text, start)
    }

    /// Matches at a place and runs on to the end of the token.
    fn direct(&self, text: &[u8], start: usize) -> Option<(usize, usize)> {
        let (from, end) = self.matched(part(text, start, start + self.window))?;
        let (from, end) = (start + from, start + end);
        if self.raw.exact && self.alphabet.has(byte(text, end)) {
            return None;
        }
        // What is refused must not be followed far: the next keyword may stand in the same run.
        let look = self.alphabet.run_end(text, end, end + WINDOW);
        let trimmed = without_punctuation(text, from, look);
        if !self.accepts(text, from, trimmed) {
            return None;
        }
        let run = self.alphabet.run_end(text, look, text.len());
        Some((from, without_punctuation(text, from, run)))
    }

    /// Where the secret stands in a text that begins with the token.
    fn matched(&self, window: &[u8]) -> Option<(usize, usize)> {
        let Ready { regex, least } = self.regex()?;
        if least.as_ref().is_some_and(|least| !least.fits(window)) {
            return None;
        }
        let whole = regex.find(window)?;
        if regex.captures_len() == 1 {
            return Some((whole.start(), whole.end()));
        }
        let groups = regex.captures(window)?;
        let secret = groups.name("secret").or_else(|| groups.get(0))?;
        Some((secret.start(), secret.end()))
    }

    fn accepts(&self, text: &[u8], start: usize, end: usize) -> bool {
        let secret = part(text, start, end);
        if secret.len() < self.raw.min_length.max(1) {
            return false;
        }
        let proven = self.raw.checksum.is_some_and(|sum| sum.holds(secret));
        if self.raw.checksum_decides && !proven {
            return false;
        }
        if !proven
            && (gate::is_placeholder_token(secret)
                || self.raw.entropy > 0.0 && entropy(secret) < self.raw.entropy)
        {
            return false;
        }
        if self.allow.iter().any(|pattern| pattern.is_match(secret)) {
            return false;
        }
        let Some(near) = self
            .raw
            .near
            .as_ref()
            .filter(|_| !self.raw.keywords.is_empty())
        else {
            return true;
        };
        let around =
            part(text, start.saturating_sub(near.within), end + near.within).to_ascii_lowercase();
        near.words.iter().any(|word| {
            memchr::memmem::find(&around, word.to_ascii_lowercase().as_bytes()).is_some()
        })
    }

    /// End of a token that goes on behind a line break: its documented length says so, or what
    /// stands there looks drawn by lot.
    fn joined_end(&self, text: &[u8], start: usize, end: usize) -> usize {
        let Some((from, to)) = self.next_line(text, end) else {
            return end;
        };
        let rest = part(text, from, to);
        let fits = match self.raw.length {
            Some(length) => {
                let missing = length.saturating_sub(end - start);
                missing > 0 && rest.len().abs_diff(missing) <= missing / 8
            }
            None => gate::random_like(rest, 20),
        };
        if fits { to } else { end }
    }

    /// Matches a token that a line break at `first` cuts in two.
    fn broken(
        &self,
        text: &[u8],
        start: usize,
        first: usize,
        keyword: &[u8],
    ) -> Option<(usize, usize)> {
        let (from, to) = self.next_line(text, first)?;
        if apart::begins_anew(part(text, from, to), keyword) {
            return None;
        }
        let least = self.regex()?.least.as_ref().map_or(0, Least::length);
        if first - start + (to - from) < least {
            return None;
        }
        let mut joined = part(text, start, first).to_vec();
        joined.extend_from_slice(part(text, from, to.min(from + self.window)));
        let (secret, end) = self.matched(&joined)?;
        if end <= first - start
            || secret >= first - start
            || !self.accepts(&joined, secret, joined.len())
        {
            return None;
        }
        // A word of prose on the next line must not be taken for the rest of a token.
        let rest = part(text, from, to);
        let plausible = rest.iter().any(u8::is_ascii_digit) || self.raw.length.is_some();
        plausible.then_some((start + secret, to))
    }

    /// The run of the alphabet on the next line, if the text breaks at a place.
    fn next_line(&self, text: &[u8], at: usize) -> Option<(usize, usize)> {
        let gap = line_break(text, at);
        if gap == 0 {
            return None;
        }
        let from = skip_blanks(text, at + gap);
        let to = self.alphabet.run_end(text, from, from + WINDOW_LIMIT);
        (to > from && !b"=:".contains(&byte(text, to))).then_some((from, to))
    }
}

/// Checks the form of an id.
pub(super) fn check_id(id: &str) -> Result<(), String> {
    let fits = (1..=ID_LIMIT).contains(&id.len())
        && id
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    if fits {
        Ok(())
    } else {
        Err(format!(
            "1 to {ID_LIMIT} lower-case letters, digits and hyphens"
        ))
    }
}

fn compile(raw: &RawRule) -> Result<Ready, regex::Error> {
    let regex = RegexBuilder::new(&format!(r"\A(?:{})", raw.regex))
        .unicode(false)
        .case_insensitive(raw.ignore_case)
        .build()?;
    let least = Least::of(&raw.regex, raw.ignore_case);
    Ok(Ready { regex, least })
}
