//! Values that were hidden once and are to be hidden wherever they stand again.
//!
//! Kept of a value are its length, a salted SHA-256 cut to 64 bits, and 24 bits each of what its
//! first and its last eight bytes hash to; never the value. The 24 bits of the end are looked up at
//! every place of a text: vendors' tokens begin alike, but they end each in its own way. Only
//! where both short hashes agree is the whole value hashed. Short values and values that are a
//! plain word are not kept: they would hide ordinary text. Limits: 256 values a unit, and of
//! values with the same short hashes four.

mod clothes;

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::OnceLock;

use sha2::{Digest, Sha256};

use super::span::{self, MARKER, Rank, Span, floor, markers};
use super::text::{before, byte};
use super::{Counts, Redacted, document};

/// Id in the marker of a copy.
pub(super) const ID: &str = "seen";
/// Shortest value that is kept, in bytes; as long as what the short hashes read.
const SHORTEST: usize = 8;
/// Longest value that is kept, in bytes.
const LONGEST: usize = 8192;
/// From this length on a copy counts also inside of a longer word.
const FREE: usize = 16;
/// Most values of a unit, without their other forms.
const VALUES: u32 = 256;
/// Most values whose short hashes are the same, so that no text makes each byte cost many hashes.
const ALIKE: usize = 4;
/// Bytes of either end of a long value that are hashed.
const ENDS: usize = 64;
/// First byte of the stored form.
const FORM: u8 = 2;

/// A value, or one of its other forms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Print {
    tail: u32,
    head: u32,
    length: u32,
    hash: u64,
}

/// The values of a unit as salted hashes.
#[derive(Debug, Clone)]
pub struct Seen {
    salt: [u64; 2],
    /// Number of values, each with all its forms.
    values: u32,
    /// Sorted.
    prints: Vec<Print>,
    /// Made at the first text after a new value: many texts are short.
    lookup: OnceLock<Lookup>,
}

impl PartialEq for Seen {
    fn eq(&self, other: &Self) -> bool {
        (self.salt, self.values, &self.prints) == (other.salt, other.values, &other.prints)
    }
}

impl Eq for Seen {}

/// The short hashes of ends, to be asked at every byte of a text.
#[derive(Debug, Clone)]
struct Lookup {
    /// A bit for each upper eighteen bits of a short hash.
    ends: Box<[u64]>,
    /// Where the prints begin whose short hash of the end has these first eight bits.
    begins: Box<[u16; 257]>,
}

impl Lookup {
    fn new(prints: &[Print]) -> Self {
        let mut begins = Box::new([0u16; 257]);
        for (bits, begin) in begins.iter_mut().enumerate() {
            let before = |print: &Print| bits > (print.tail >> 16) as usize;
            let place = prints.partition_point(before);
            *begin = u16::try_from(place).unwrap_or(u16::MAX);
        }
        let mut ends = vec![0u64; 1 << 12].into_boxed_slice();
        for print in prints {
            let bits = (print.tail >> 6) as usize;
            if let Some(slot) = ends.get_mut(bits >> 6) {
                *slot |= 1 << (bits & 63);
            }
        }
        Self { ends, begins }
    }

    /// Whether a value may end in this way.
    fn knows(&self, tail: u32) -> bool {
        let bits = (tail >> 6) as usize;
        let slot = self.ends.get(bits >> 6).copied().unwrap_or(0);
        slot >> (bits & 63) & 1 == 1
    }

    /// Between which places the prints stand that may end in this way.
    fn bucket(&self, tail: u32) -> std::ops::Range<usize> {
        let bits = (tail >> 16) as usize;
        match self.begins.get(bits..bits + 2) {
            Some([begin, end]) => usize::from(*begin)..usize::from(*end),
            _ => 0..0,
        }
    }
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
            values: 0,
            prints: Vec::new(),
            lookup: OnceLock::new(),
        }
    }

    /// Number of values kept; grows with every new one.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values as usize
    }

    /// Whether no value is kept.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.prints.is_empty()
    }

    /// The form in which the memory is stored with its unit.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = vec![FORM];
        self.salt
            .iter()
            .for_each(|half| out.extend(half.to_le_bytes()));
        out.extend(self.values.to_le_bytes());
        for print in &self.prints {
            out.extend(print.tail.to_le_bytes());
            out.extend(print.head.to_le_bytes());
            out.extend(print.length.to_le_bytes());
            out.extend(print.hash.to_le_bytes());
        }
        out
    }

    /// Reads the stored form; `None` if it is damaged or of another version.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (form, rest) = bytes.split_first()?;
        let (first, rest) = rest.split_first_chunk()?;
        let (second, rest) = rest.split_first_chunk()?;
        let (values, mut rest) = rest.split_first_chunk()?;
        let mut prints = Vec::new();
        while !rest.is_empty() {
            let (tail, more) = rest.split_first_chunk()?;
            let (head, more) = more.split_first_chunk()?;
            let (length, more) = more.split_first_chunk()?;
            let (hash, more) = more.split_first_chunk()?;
            let print = Print {
                tail: u32::from_le_bytes(*tail),
                head: u32::from_le_bytes(*head),
                length: u32::from_le_bytes(*length),
                hash: u64::from_le_bytes(*hash),
            };
            if !(SHORTEST..=LONGEST).contains(&(print.length as usize)) {
                return None;
            }
            prints.push(print);
            rest = more;
        }
        prints.sort_unstable();
        (*form == FORM).then(|| Self {
            salt: [u64::from_le_bytes(*first), u64::from_le_bytes(*second)],
            values: u32::from_le_bytes(*values),
            prints,
            lookup: OnceLock::new(),
        })
    }

    /// Hides copies of the values in a text that was redacted before; `None` if there are none.
    #[must_use]
    pub fn mask(&self, text: &Redacted) -> Option<Redacted> {
        self.masked(text.as_str()).0.map(Redacted::seal)
    }

    /// Hides copies of the values in a text that was redacted before, and counts them.
    #[must_use]
    pub fn mask_counting(&self, text: &Redacted) -> (Redacted, Counts) {
        let mut counts = Counts::default();
        let (masked, hits) = self.masked(text.as_str());
        if hits > 0 {
            counts.0.insert(ID.to_owned(), hits);
        }
        (masked.map_or_else(|| text.clone(), Redacted::seal), counts)
    }

    /// Keeps a value in all its forms, if it is long and odd enough.
    pub(super) fn remember(&mut self, value: &str) {
        if self.values >= VALUES || value.contains(MARKER) || !self.keep(value) {
            return;
        }
        self.values += 1;
        for form in clothes::of(value) {
            self.keep(&form);
        }
    }

    /// Keeps one form; says whether it is new.
    fn keep(&mut self, form: &str) -> bool {
        let bytes = form.as_bytes();
        if !(SHORTEST..=LONGEST).contains(&bytes.len()) || kinds(bytes) < 2 {
            return false;
        }
        let (Some(head), Some(tail)) = (bytes.first_chunk(), bytes.last_chunk()) else {
            return false;
        };
        let print = Print {
            tail: self.short(*tail),
            head: self.short(*head),
            length: bytes.len() as u32,
            hash: self.hash(bytes),
        };
        let alike = self
            .ending(print.tail)
            .iter()
            .filter(|known| known.head == print.head)
            .count();
        match self.prints.binary_search(&print) {
            Err(place) if alike < ALIKE => {
                self.prints.insert(place, print);
                self.lookup.take();
                true
            }
            _ => false,
        }
    }

    /// The prints of values with an end of this short hash.
    fn ending(&self, tail: u32) -> &[Print] {
        let from = self.prints.partition_point(|print| print.tail < tail);
        let rest = self.prints.get(from..).unwrap_or_default();
        let count = rest.partition_point(|print| print.tail == tail);
        rest.get(..count).unwrap_or_default()
    }

    /// The text without copies, if there are any, and their number.
    pub(super) fn masked(&self, text: &str) -> (Option<String>, u64) {
        let mut found = self.places(text.as_bytes());
        if found.is_empty() {
            return (None, 0);
        }
        found.sort_by_key(|(start, end)| (*start, std::cmp::Reverse(*end)));
        let markers = markers(text);
        let mut copies: Vec<Span<'_>> = Vec::new();
        for (start, end) in found {
            let touched = markers.partition_point(|(_, marker_end)| *marker_end <= start);
            let clear = markers
                .get(touched)
                .is_none_or(|(marker, _)| *marker >= end);
            let apart = copies.last().is_none_or(|last| last.end <= start);
            if apart && clear && floor(text, start) == start && floor(text, end) == end {
                copies.push(Span {
                    start,
                    end,
                    id: ID,
                    rank: Rank::Structure,
                    secret: false,
                    bare: false,
                });
            }
        }
        let copies = document::kept_whole(text, copies);
        let hidden = || span::hide(text, &copies, &mut Counts::default());
        let hits = copies.len() as u64;
        ((hits > 0).then(hidden), hits)
    }

    /// Places of copies, by their ends.
    fn places(&self, text: &[u8]) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        if self.prints.is_empty() || text.len() < SHORTEST {
            return found;
        }
        let lookup = self.lookup.get_or_init(|| Lookup::new(&self.prints));
        for (from, last) in text.windows(SHORTEST).enumerate() {
            let Some(last) = last.first_chunk() else {
                break;
            };
            let tail = self.short(*last);
            if lookup.knows(tail) {
                let prints = self.prints.get(lookup.bucket(tail)).unwrap_or_default();
                let alike = prints.iter().filter(|print| print.tail == tail);
                self.copies(text, alike, from + SHORTEST, &mut found);
            }
        }
        found
    }

    /// Adds the copies of values that end at a place.
    fn copies<'p>(
        &self,
        text: &[u8],
        prints: impl Iterator<Item = &'p Print>,
        end: usize,
        found: &mut Vec<(usize, usize)>,
    ) {
        let mut first = None;
        for print in prints {
            let length = print.length as usize;
            let Some(value) = end.checked_sub(length).and_then(|from| text.get(from..end)) else {
                continue;
            };
            let same_head = value
                .first_chunk()
                .is_some_and(|head| self.short(*head) == print.head);
            let free = || length >= FREE || stands_alone(text, end - length, end);
            if same_head && free() && self.hash(value) == print.hash {
                first = first.into_iter().chain([end - length]).min();
            }
        }
        found.extend(first.map(|first| (first, end)));
    }

    /// Twenty-four bits of a salted hash of eight bytes.
    fn short(&self, bytes: [u8; 8]) -> u32 {
        let [key, factor] = self.salt;
        let mut mixed = (u64::from_le_bytes(bytes) ^ key).wrapping_mul(factor | 1);
        mixed ^= mixed >> 32;
        (mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as u32
    }

    /// A salted hash of the length and the two ends of a value, which are all of a short one.
    fn hash(&self, value: &[u8]) -> u64 {
        let mut hash = Sha256::new();
        self.salt
            .iter()
            .for_each(|half| hash.update(half.to_le_bytes()));
        hash.update((value.len() as u64).to_le_bytes());
        if value.len() <= 2 * ENDS {
            hash.update(value);
        } else {
            hash.update(value.get(..ENDS).unwrap_or_default());
            hash.update(value.get(value.len() - ENDS..).unwrap_or_default());
        }
        hash.finalize()
            .first_chunk()
            .map_or(0, |first| u64::from_le_bytes(*first))
    }
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
        bytes.extend([0; 4]);
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
        assert_eq!((bytes.len() - 21) % 20, 0);
        assert_eq!(Seen::from_bytes(&bytes[..30]), None);
        let older = [&[1][..], &bytes[1..]].concat();
        assert_eq!(Seen::from_bytes(&older), None);
    }

    #[test]
    fn two_memories_hash_a_value_differently() {
        let (mut one, mut two) = (Seen::new(), Seen::new());
        one.remember("q7Wn3xP0");
        two.remember("q7Wn3xP0");
        assert_ne!(one.to_bytes()[21..], two.to_bytes()[21..]);
    }

    #[test]
    fn copies_in_other_clothes_are_masked() {
        let seen = memory(&["p@ss/w\"rd-4711"]);
        for (text, expected) in [
            ("?pw=p%40ss%2Fw%22rd-4711&x=1", "?pw=[REDACTED:seen]&x=1"),
            (r#"{"a":"p@ss/w\"rd-4711"}"#, r#"{"a":"[REDACTED:seen]"}"#),
            ("data: cEBzcy93InJkLTQ3MTE=", "data: [REDACTED:seen]="),
            // `bob:` before the value.
            ("Basic Ym9iOnBAc3Mvdy", "Basic Ym9iOnBAc3Mvdy"),
            (
                "Basic Ym9iOnBAc3MvdyJyZC00NzEx",
                "Basic Ym9iOn[REDACTED:seen]",
            ),
        ] {
            let masked = seen.masked(text).0;
            assert_eq!(masked.as_deref().unwrap_or(text), expected);
        }
    }

    #[test]
    fn many_values_cost_no_more_looks_than_one() {
        // The whole value is hashed only where both of its ends stand; a text without them has none.
        let values: Vec<String> = (0..200)
            .map(|at| format!("sk-ant-{}{at}", "q7W".repeat(at + 1)))
            .collect();
        let seen = memory(&values.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(seen.len(), 200);
        assert_eq!(seen.masked(&"sk-ant-api03 ".repeat(1000)), (None, 0));
        let text = format!("{} {}", values[3], values[150]);
        assert_eq!(
            seen.masked(&text).0.as_deref(),
            Some("[REDACTED:seen] [REDACTED:seen]")
        );
    }

    #[test]
    fn of_values_with_the_same_ends_only_some_are_kept() {
        let mut seen = memory(&[]);
        for at in 0..10 {
            seen.remember(&format!("beginning{}the-ending", "ab1".repeat(at + 3)));
        }
        assert_eq!(seen.len(), ALIKE);
    }
}
