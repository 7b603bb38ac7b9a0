//! Sets of bytes: what a token, a name or a value may be made of.

use super::text::{before, byte, part};

/// A set of bytes.
#[derive(Debug, Clone)]
pub(super) struct Alphabet([bool; 256]);

impl Alphabet {
    /// Reads a set that is written like the inside of a character class, `A-Za-z0-9_-`; what is no
    /// ASCII, a quote, a backslash, a bracket or a space is refused.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut set = [false; 256];
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let first = byte(bytes, at);
            let (last, step) = match (byte(bytes, at + 1), byte(bytes, at + 2)) {
                (b'-', last) if last != 0 => (last, 3),
                _ => (first, 1),
            };
            for member in first..=last {
                if !member.is_ascii_graphic() || b"\"'`\\[]".contains(&member) {
                    return Err(format!(
                        "ASCII letters, digits and signs without quotes, brackets and backslash, like A-Za-z0-9_- (found {:?})",
                        char::from(member)
                    ));
                }
                if let Some(slot) = set.get_mut(usize::from(member)) {
                    *slot = true;
                }
            }
            at += step;
        }
        Ok(Self(set))
    }

    /// These bytes alone.
    pub(super) const fn of(signs: &[u8]) -> Self {
        let mut set = [false; 256];
        let mut at = 0;
        while at < signs.len() {
            set[signs[at] as usize] = true;
            at += 1;
        }
        Self(set)
    }

    /// Letters, digits and these bytes.
    pub(super) const fn words_and(signs: &[u8]) -> Self {
        let set = Self::of(signs).and(b'0', b'9');
        set.and(b'A', b'Z').and(b'a', b'z')
    }

    /// Control characters and these bytes.
    pub(super) const fn controls_and(signs: &[u8]) -> Self {
        Self::of(signs).and(0, 31).and(127, 127)
    }

    const fn and(self, first: u8, last: u8) -> Self {
        let Self(mut set) = self;
        let mut at = first as usize;
        while at <= last as usize {
            set[at] = true;
            at += 1;
        }
        Self(set)
    }

    /// Whether a byte is in the set.
    pub(super) fn has(&self, byte: u8) -> bool {
        self.0.get(usize::from(byte)).copied().unwrap_or(false)
    }

    /// End of the run of members that begins at `at`, looked for up to `limit`.
    pub(super) fn run_end(&self, text: &[u8], at: usize, limit: usize) -> usize {
        let tail = part(text, at, limit);
        at + tail
            .iter()
            .position(|byte| !self.has(*byte))
            .unwrap_or(tail.len())
    }

    /// Start of the run of members that ends at `at`, at most `limit` bytes before it; a `=` only
    /// ever ends a token.
    pub(super) fn run_start(&self, text: &[u8], at: usize, limit: usize) -> usize {
        let mut start = at;
        while start > 0
            && at - start < limit
            && before(text, start) != b'='
            && self.has(before(text, start))
        {
            start -= 1;
        }
        start
    }
}

/// End of a token without the punctuation that a sentence or a list puts behind it.
pub(super) fn without_punctuation(text: &[u8], start: usize, end: usize) -> usize {
    let mut end = end;
    while end > start && b".,:;!?)]}>'\"".contains(&before(text, end)) {
        end -= 1;
    }
    end
}
