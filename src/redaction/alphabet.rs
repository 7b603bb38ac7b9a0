//! The bytes that a token may be made of.

use super::text::{before, byte, part};

/// A set of ASCII bytes, written like the inside of a character class: `A-Za-z0-9_-`.
#[derive(Debug, Clone)]
pub(super) struct Alphabet([bool; 256]);

impl Alphabet {
    /// Reads a set; what is no ASCII, a quote, a backslash, a bracket or a space is refused.
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

    /// Whether a byte is in the set.
    pub(super) fn has(&self, byte: u8) -> bool {
        self.0.get(usize::from(byte)).copied().unwrap_or(false)
    }

    /// End of the run of members that begins at `at`.
    pub(super) fn run_end(&self, text: &[u8], at: usize) -> usize {
        let tail = part(text, at, text.len());
        at + tail
            .iter()
            .position(|byte| !self.has(*byte))
            .unwrap_or(tail.len())
    }

    /// Start of the run of members that ends at `at`, at most `limit` bytes before it.
    pub(super) fn run_start(&self, text: &[u8], at: usize, limit: usize) -> usize {
        let mut start = at;
        while start > 0 && at - start < limit && self.has(before(text, start)) {
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
