//! Values that were hidden once and are to be hidden wherever they stand again.
//!
//! Kept are the length of a value and a keyed hash of it, never the value. The hash rolls over a
//! text, once for every length. Short values and values that are a plain word are not kept: they
//! would hide ordinary text. Limits: 256 values a unit; a copy in another encoding is not found.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hasher, RandomState};

use super::Redacted;
use super::span::{MARKER, floor, markers};
use super::text::{before, byte};

/// Id in the marker of a copy.
pub(super) const ID: &str = "seen";
/// Shortest value that is kept, in bytes.
const SHORTEST: usize = 8;
/// Longest value that is kept, in bytes.
const LONGEST: usize = 8192;
/// From this length on a copy counts also inside of a longer word.
const FREE: usize = 16;
/// Most values of a unit.
const VALUES: usize = 256;
/// First byte of the stored form.
const FORM: u8 = 1;
/// The prime 2^61 - 1, in which hashes are computed.
const PRIME: u64 = (1 << 61) - 1;

/// The values of a unit, by length, as keyed hashes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    salt: [u64; 2],
    values: BTreeMap<u32, Vec<u64>>,
}

impl Default for Seen {
    fn default() -> Self {
        Self::new()
    }
}

impl Seen {
    /// Begins an empty memory with a salt of its own.
    #[must_use]
    pub fn new() -> Self {
        let random = || RandomState::new().build_hasher().finish();
        Self {
            salt: [random(), random()],
            values: BTreeMap::new(),
        }
    }

    /// Number of values kept.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.values().map(Vec::len).sum()
    }

    /// Whether no value is kept.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The form in which the memory is stored with its unit.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = vec![FORM];
        self.salt
            .iter()
            .for_each(|half| out.extend(half.to_le_bytes()));
        for (length, hashes) in &self.values {
            for hash in hashes {
                out.extend(length.to_le_bytes());
                out.extend(hash.to_le_bytes());
            }
        }
        out
    }

    /// Reads the stored form; `None` if it is damaged or of another version.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (form, rest) = bytes.split_first()?;
        let (first, rest) = rest.split_first_chunk()?;
        let (second, mut rest) = rest.split_first_chunk()?;
        let salt = [u64::from_le_bytes(*first), u64::from_le_bytes(*second)];
        let mut values: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
        while !rest.is_empty() {
            let (length, tail) = rest.split_first_chunk()?;
            let (hash, tail) = tail.split_first_chunk()?;
            let length = u32::from_le_bytes(*length);
            if !(SHORTEST..=LONGEST).contains(&(length as usize)) {
                return None;
            }
            values
                .entry(length)
                .or_default()
                .push(u64::from_le_bytes(*hash));
            rest = tail;
        }
        (*form == FORM).then_some(Self { salt, values })
    }

    /// Hides copies of the values in a text that was redacted before; `None` if there are none.
    #[must_use]
    pub fn mask(&self, text: &Redacted) -> Option<Redacted> {
        self.masked(text.as_str()).0.map(Redacted::seal)
    }

    /// Keeps a value, if it is long and odd enough.
    pub(super) fn remember(&mut self, value: &str) {
        let bytes = value.as_bytes();
        if !(SHORTEST..=LONGEST).contains(&bytes.len())
            || value.contains(MARKER)
            || kinds(bytes) < 2
            || self.len() >= VALUES
        {
            return;
        }
        let hash = self.seal(bytes.iter().fold(0, |sum, byte| self.step(sum, *byte)));
        let hashes = self.values.entry(bytes.len() as u32).or_default();
        if !hashes.contains(&hash) {
            hashes.push(hash);
        }
    }

    /// The text without copies, if there are any, and their number.
    pub(super) fn masked(&self, text: &str) -> (Option<String>, u64) {
        let mut found = Vec::new();
        for (length, hashes) in self.values.iter().rev() {
            self.places(text.as_bytes(), *length as usize, hashes, &mut found);
        }
        if found.is_empty() {
            return (None, 0);
        }
        found.sort_by_key(|(start, end)| (*start, std::cmp::Reverse(*end)));
        let markers = markers(text);
        let mut out = String::with_capacity(text.len());
        let (mut from, mut hits) = (0, 0);
        for (start, end) in found {
            let touched = markers.partition_point(|(_, marker_end)| *marker_end <= start);
            let clear = markers
                .get(touched)
                .is_none_or(|(marker, _)| *marker >= end);
            if start < from || !clear || floor(text, start) != start || floor(text, end) != end {
                continue;
            }
            out.push_str(text.get(from..start).unwrap_or_default());
            out.push_str(MARKER);
            out.push_str(ID);
            out.push(']');
            (from, hits) = (end, hits + 1);
        }
        out.push_str(text.get(from..).unwrap_or_default());
        ((hits > 0).then_some(out), hits)
    }

    fn places(&self, text: &[u8], length: usize, hashes: &[u64], found: &mut Vec<(usize, usize)>) {
        let Some(first) = text.get(..length) else {
            return;
        };
        let drop = (1..length).fold(1, |power, _| multiply(power, self.base()));
        let mut sum = first.iter().fold(0, |sum, byte| self.step(sum, *byte));
        let mut start = 0;
        loop {
            let end = start + length;
            if hashes.contains(&self.seal(sum))
                && (length >= FREE || stands_alone(text, start, end))
            {
                found.push((start, end));
            }
            let (Some(old), Some(new)) = (text.get(start), text.get(end)) else {
                return;
            };
            let leaving = multiply(value(*old), drop);
            sum = self.step((sum + PRIME - leaving) % PRIME, *new);
            start += 1;
        }
    }

    fn base(&self) -> u64 {
        let [base, _] = self.salt;
        base % (PRIME - 512) + 512
    }

    fn step(&self, sum: u64, byte: u8) -> u64 {
        (multiply(sum, self.base()) + value(byte)) % PRIME
    }

    /// Mixes the second half of the salt into a sum.
    fn seal(&self, sum: u64) -> u64 {
        let [_, key] = self.salt;
        let mut mixed = (sum ^ key).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        mixed ^= mixed >> 32;
        mixed = mixed.wrapping_mul(0xD6E8_FEB8_6659_FD93);
        mixed ^ mixed >> 32
    }
}

/// A byte as a number that is never 0, so that lengths count.
fn value(byte: u8) -> u64 {
    u64::from(byte) + 1
}

fn multiply(left: u64, right: u64) -> u64 {
    let product = u128::from(left) * u128::from(right);
    let folded = (product & u128::from(PRIME)) as u64 + (product >> 61) as u64;
    folded % PRIME
}

/// Kinds of ASCII characters: small letters, capitals, digits, signs.
fn kinds(value: &[u8]) -> usize {
    let kinds: [fn(&u8) -> bool; 4] = [
        u8::is_ascii_lowercase,
        u8::is_ascii_uppercase,
        u8::is_ascii_digit,
        |byte| !byte.is_ascii_alphanumeric(),
    ];
    kinds.iter().filter(|kind| value.iter().any(*kind)).count()
}

fn stands_alone(text: &[u8], start: usize, end: usize) -> bool {
    !before(text, start).is_ascii_alphanumeric() && !byte(text, end).is_ascii_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory(values: &[&str]) -> Seen {
        let mut bytes = vec![FORM];
        bytes.extend([7; 16]);
        let mut seen = Seen::from_bytes(&bytes).expect("a stored form");
        values.iter().for_each(|value| seen.remember(value));
        seen
    }

    #[test]
    fn copies_of_a_value_are_masked_and_others_are_not() {
        let seen = memory(&["q7Wn3xP0", "correct-Horse-1-battery"]);
        let (text, hits) = seen.masked("a q7Wn3xP0 b xcorrect-Horse-1-batteryx c q7Wn3xP01");
        assert_eq!(hits, 2);
        assert_eq!(
            text.as_deref(),
            Some("a [REDACTED:seen] b x[REDACTED:seen]x c q7Wn3xP01")
        );
    }

    #[test]
    fn short_and_plain_values_are_not_kept() {
        assert!(memory(&["short1", "plainword", "x[REDACTED:a]1"]).is_empty());
    }

    #[test]
    fn the_stored_form_gives_back_the_memory_and_no_value() {
        let seen = memory(&["q7Wn3xP0", "zz-Top-1973-zz"]);
        let bytes = seen.to_bytes();
        assert_eq!(Seen::from_bytes(&bytes), Some(seen));
        assert_eq!(bytes.len(), 17 + 2 * 12);
        assert_eq!(Seen::from_bytes(&bytes[..20]), None);
    }

    #[test]
    fn two_memories_hash_a_value_differently() {
        let (mut one, mut two) = (Seen::new(), Seen::new());
        one.remember("q7Wn3xP0");
        two.remember("q7Wn3xP0");
        assert_ne!(one.to_bytes()[17..], two.to_bytes()[17..]);
    }
}
