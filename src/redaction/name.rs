//! Names that say that a secret stands beside them.
//!
//! The names are data (`redaction-rules/names.toml`). A key is cut into its words; its last words
//! decide, so that `DB_PASSWORD_2` is a password and `password_file` is none.

use std::collections::HashMap;

use serde::Deserialize;

use super::rule::Sample;
use super::text::{before, byte, part};

/// How sure a name is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Strength {
    /// A person's or a service's password: weak values count.
    Password,
    /// A generated secret: the value must not be made of words.
    Credential,
    /// An ordinary word, too: the value must look drawn by lot.
    Likely,
    /// The name of a header of credentials, with or without a scheme.
    Header,
    /// The name of a header of cookies.
    Cookie,
    /// Looks like a secret's name and is none.
    Never,
}

/// A group of names as its file writes it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawName {
    pub(super) id: String,
    pub(super) description: String,
    pub(super) strength: Strength,
    pub(super) words: Vec<String>,
    #[serde(default, rename = "match")]
    pub(super) matches: Vec<Sample>,
    #[serde(default)]
    pub(super) no_match: Vec<Sample>,
}

impl RawName {
    /// Whether the group hides something under its own id.
    pub(super) fn hides(&self) -> bool {
        matches!(
            self.strength,
            Strength::Password | Strength::Credential | Strength::Likely
        )
    }
}

/// Words behind a name that change nothing about it.
const QUALIFIERS: &[&str] = &[
    "prod",
    "production",
    "dev",
    "development",
    "test",
    "testing",
    "staging",
    "stage",
    "live",
    "sandbox",
    "local",
    "old",
    "new",
    "plain",
    "plaintext",
    "raw",
    "base64",
    "b64",
    "value",
    "env",
    "default",
    "primary",
    "secondary",
    "v1",
    "v2",
    "v3",
];

/// A name of this length or more counts also at the end of a longer word (`pgpassword`).
const SUFFIX_LENGTH: usize = 6;
/// Longest key that is looked at, in bytes.
const KEY_LIMIT: usize = 80;

/// Lengths up to 63, by the last byte.
#[derive(Debug)]
struct Lengths([u64; 256]);

impl Default for Lengths {
    fn default() -> Self {
        Self([0; 256])
    }
}

impl Lengths {
    fn bit(word: &[u8]) -> (usize, u64) {
        let last = before(word, word.len());
        (usize::from(last), 1 << word.len().min(63))
    }

    fn add(&mut self, word: &[u8]) {
        let (last, bit) = Self::bit(word);
        if let Some(lengths) = self.0.get_mut(last) {
            *lengths |= bit;
        }
    }

    fn may_hold(&self, word: &[u8]) -> bool {
        let (last, bit) = Self::bit(word);
        self.0.get(last).is_some_and(|lengths| lengths & bit != 0)
    }
}

/// The names, ready to be asked.
#[derive(Debug, Default)]
pub(super) struct Names {
    groups: Vec<RawName>,
    by_word: HashMap<Vec<u8>, usize>,
    /// Which lengths the words have that end with a byte, a bit each: most words of a text are none,
    /// and a look here is cheaper than one into the map.
    lengths: Lengths,
    /// By their last byte, the longest first.
    suffixes: HashMap<u8, Vec<(Vec<u8>, usize)>>,
}

impl Names {
    /// Adds a group.
    pub(super) fn add(&mut self, group: RawName) {
        let index = self.groups.len();
        for word in &group.words {
            let joined: Vec<u8> = word.bytes().filter(|byte| *byte != b'_').collect();
            if joined.len() >= SUFFIX_LENGTH && group.strength != Strength::Never {
                let last = before(&joined, joined.len());
                let alike = self.suffixes.entry(last).or_default();
                alike.push((joined.clone(), index));
                alike.sort_by_key(|(suffix, _)| std::cmp::Reverse(suffix.len()));
            }
            self.lengths.add(&joined);
            self.by_word.insert(joined, index);
        }
        self.groups.push(group);
    }

    /// Groups with ids and examples.
    pub(super) fn groups(&self) -> &[RawName] {
        &self.groups
    }

    /// The last part of every name: where one stands, a key may end.
    pub(super) fn tails(&self) -> Vec<String> {
        let words = self.groups.iter().flat_map(|group| &group.words);
        let mut tails: Vec<String> = words
            .filter_map(|word| word.rsplit('_').next().map(str::to_owned))
            .collect();
        tails.sort();
        tails.dedup();
        tails
    }

    /// The group that a key belongs to.
    pub(super) fn group(&self, key: &[u8]) -> Option<&RawName> {
        let key = part(key, key.len().saturating_sub(KEY_LIMIT), key.len());
        let mut words = Words::of(key);
        while words.count > 1 && is_qualifier(words.last()) {
            words.drop_last();
        }
        words.drop_digits();
        let index = words
            .tails()
            .filter(|tail| self.lengths.may_hold(tail))
            .find_map(|tail| self.by_word.get(tail))
            .or_else(|| {
                let last = words.last();
                let alike = self.suffixes.get(&before(last, last.len()))?;
                let longest = alike.iter().find(|(suffix, _)| last.ends_with(suffix));
                longest.map(|(_, index)| index)
            })?;
        self.groups
            .get(*index)
            .filter(|group| group.strength != Strength::Never)
    }
}

/// Keys that are remembered at once.
const RECENT: usize = 64;

/// Keys that were asked for in a text, by where they stand in it, with their groups: code and logs
/// say the same few names again and again.
#[derive(Debug)]
pub(super) struct Recent<'e>([Option<(usize, usize, Option<&'e RawName>)>; RECENT]);

impl Default for Recent<'_> {
    fn default() -> Self {
        Self([None; RECENT])
    }
}

impl<'e> Recent<'e> {
    /// The group of the key at a place of a text, always of the same text.
    pub(super) fn group(
        &mut self,
        names: &'e Names,
        text: &[u8],
        (start, end): (usize, usize),
    ) -> Option<&'e RawName> {
        let key = part(text, start, end);
        let signs = usize::from(byte(key, 0)) + 7 * usize::from(before(key, key.len()));
        let slot = self.0.get_mut((signs + 31 * key.len()) % RECENT)?;
        match *slot {
            Some((start, end, group)) if part(text, start, end) == key => group,
            _ => {
                let group = names.group(key);
                *slot = Some((start, end, group));
                group
            }
        }
    }
}

/// Most words at the end of a key that make a name.
const NAME_WORDS: usize = 4;

/// The words of a key in small letters, cut at signs and at humps: joined, and where each begins.
struct Words {
    joined: [u8; KEY_LIMIT],
    length: usize,
    starts: [u8; KEY_LIMIT],
    count: usize,
}

impl Words {
    fn of(key: &[u8]) -> Self {
        let mut words = Self {
            joined: [0; KEY_LIMIT],
            length: 0,
            starts: [0; KEY_LIMIT],
            count: 0,
        };
        let mut fresh = true;
        for (at, letter) in key.iter().enumerate() {
            if b"_-. ".contains(letter) {
                fresh = true;
                continue;
            }
            let last = before(key, at);
            let hump = letter.is_ascii_uppercase()
                && (last.is_ascii_lowercase()
                    || last.is_ascii_uppercase() && byte(key, at + 1).is_ascii_lowercase());
            if (fresh || hump)
                && let Some(slot) = words.starts.get_mut(words.count)
            {
                *slot = words.length as u8;
                words.count += 1;
            }
            if let Some(slot) = words.joined.get_mut(words.length) {
                *slot = letter.to_ascii_lowercase();
                words.length += 1;
            }
            fresh = false;
        }
        words
    }

    fn last_start(&self) -> usize {
        let last = self.count.checked_sub(1);
        last.and_then(|last| self.starts.get(last))
            .map_or(0, |start| usize::from(*start))
    }

    fn last(&self) -> &[u8] {
        part(&self.joined, self.last_start(), self.length)
    }

    fn drop_last(&mut self) {
        self.length = self.last_start();
        self.count -= 1;
    }

    /// Drops the digits at the end of a last word that keeps at least three bytes.
    fn drop_digits(&mut self) {
        while self.length > self.last_start() + 3
            && before(&self.joined, self.length).is_ascii_digit()
        {
            self.length -= 1;
        }
    }

    /// The last words joined, from four down to one.
    fn tails(&self) -> impl Iterator<Item = &[u8]> {
        let first = self.count.saturating_sub(NAME_WORDS);
        let starts = self.starts.get(first..self.count).unwrap_or_default();
        starts
            .iter()
            .map(|start| part(&self.joined, usize::from(*start), self.length))
    }
}

fn is_qualifier(word: &[u8]) -> bool {
    word.iter().all(u8::is_ascii_digit)
        || QUALIFIERS
            .iter()
            .any(|qualifier| qualifier.as_bytes() == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Names {
        let mut names = Names::default();
        for (id, strength, words) in [
            ("password", Strength::Password, &["password", "pass"][..]),
            ("api-key", Strength::Credential, &["api_key", "secret_key"]),
            ("key", Strength::Likely, &["key"]),
            ("none", Strength::Never, &["public_key"]),
        ] {
            names.add(RawName {
                id: id.to_owned(),
                description: String::new(),
                strength,
                words: words.iter().map(|word| (*word).to_owned()).collect(),
                matches: Vec::new(),
                no_match: Vec::new(),
            });
        }
        names
    }

    #[test]
    fn a_key_that_comes_again_has_the_group_of_its_letters() {
        let names = names();
        let mut recent = Recent::default();
        // Keys that differ in the middle alone share a slot.
        let text = "p1password keyword password api_key apixkey password key keyword";
        let mut at = 0;
        for key in text.split(' ') {
            let place = (at, at + key.len());
            let group = recent.group(&names, text.as_bytes(), place);
            let plain = names.group(key.as_bytes());
            let id = |group: Option<&RawName>| group.map(|group| group.id.clone());
            assert_eq!(id(group), id(plain), "{key}");
            at += key.len() + 1;
        }
    }

    #[test]
    fn the_last_words_of_a_key_decide() {
        let names = names();
        let id = |key: &str| names.group(key.as_bytes()).map(|group| group.id.clone());
        for key in [
            "DB_PASSWORD",
            "dbPassword2",
            "PGPASSWORD",
            "password_prod",
            "spring.db.password",
            "db-pass",
        ] {
            assert_eq!(id(key).as_deref(), Some("password"), "{key}");
        }
        for key in ["API_KEY", "apiKey", "X-Api-Key", "myAPIKey", "openaiapikey"] {
            assert_eq!(id(key).as_deref(), Some("api-key"), "{key}");
        }
        assert_eq!(id("sortKey").as_deref(), Some("key"));
        for key in [
            "password_file",
            "compass",
            "publicKey",
            "keys",
            "monkey",
            "passed",
        ] {
            assert_eq!(id(key), None, "{key}");
        }
    }
}
