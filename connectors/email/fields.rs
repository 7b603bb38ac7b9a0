//! Header fields as they stand in a mail, and their texts.
//!
//! Written by hand and not left to the MIME parser, because real header sections are damaged in
//! ways that must not cost a mail: bytes that are no ASCII, encoded words that are split inside of
//! a character, lines that belong to nothing.

use std::borrow::Cow;
use std::ops::Range;

use base64::Engine;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use super::charset;

/// Fields beyond this many are not looked at.
const MOST: usize = 2000;

/// Decodes base64 of any padding, as people's programs write it.
pub(super) const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// One field: where its name and its value with folds stand.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Field {
    name: Range<usize>,
    value: Range<usize>,
}

/// The fields of a header section, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Fields<'a> {
    bytes: &'a [u8],
    fields: Vec<Field>,
}

impl<'a> Fields<'a> {
    /// Reads a header section up to its blank line. Lines that belong to no field are passed over.
    pub(super) fn read(bytes: &'a [u8]) -> Self {
        let mut fields: Vec<Field> = Vec::new();
        let mut at = 0;
        while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
            let start = at;
            let length = memchr::memchr(b'\n', rest).map_or(rest.len(), |end| end + 1);
            let line = rest.get(..length).unwrap_or(rest);
            at += length;
            if matches!(line.first(), Some(b' ' | b'\t')) {
                if let Some(last) = fields.last_mut() {
                    last.value.end = at;
                }
                continue;
            }
            if line.trim_ascii().is_empty() {
                break;
            }
            let Some(colon) = memchr::memchr(b':', line) else {
                continue;
            };
            let name = line.get(..colon).unwrap_or_default().trim_ascii_end();
            if name.is_empty() || name.contains(&b' ') || fields.len() >= MOST {
                continue;
            }
            fields.push(Field {
                name: start..start + name.len(),
                value: start + colon + 1..at,
            });
        }
        Self { bytes, fields }
    }

    /// The values of all fields of a name, in order.
    pub(super) fn all(&self, name: &str) -> impl Iterator<Item = &'a [u8]> {
        let (bytes, name) = (self.bytes, name.as_bytes());
        let of = move |range: &Range<usize>| bytes.get(range.clone()).unwrap_or_default();
        self.fields
            .iter()
            .filter(move |field| of(&field.name).eq_ignore_ascii_case(name))
            .map(move |field| of(&field.value))
    }

    /// The first field of a name that says anything.
    pub(super) fn get(&self, name: &str) -> Option<&'a [u8]> {
        self.all(name).find(|value| !value.trim_ascii().is_empty())
    }

    /// Whether there is a field of a name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.all(name).next().is_some()
    }

    /// The first field of a name, in lower case and without folds; for fields of words.
    pub(super) fn word(&self, name: &str) -> String {
        let value = self.get(name).unwrap_or_default();
        String::from_utf8_lossy(&unfolded(value))
            .trim()
            .to_lowercase()
    }

    /// The first field of a name as people read it.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        let text = decode(self.get(name)?);
        (!text.is_empty()).then_some(text)
    }
}

/// A value without its folds.
pub(super) fn unfolded(value: &[u8]) -> Cow<'_, [u8]> {
    let value = value.trim_ascii();
    if !value.contains(&b'\n') && !value.contains(&b'\r') {
        return Cow::Borrowed(value);
    }
    let kept = value.iter().filter(|byte| !matches!(byte, b'\n' | b'\r'));
    Cow::Owned(kept.copied().collect())
}

/// Reads a value as text: folds undone, encoded words decoded, blanks made single.
pub(super) fn decode(value: &[u8]) -> String {
    let value = unfolded(value);
    let mut out = String::new();
    let mut words = Words::default();
    let mut rest: &[u8] = &value;
    while let Some((before, word, after)) = next_word(rest) {
        // Blanks between two encoded words are no part of the text.
        if !(words.is_open() && before.iter().all(u8::is_ascii_whitespace)) {
            words.close(&mut out);
            out.push_str(&charset::guess(before));
        }
        words.push(&word, &mut out);
        rest = after;
    }
    words.close(&mut out);
    out.push_str(&charset::guess(rest));
    single_blanks(&out)
}

/// Makes every run of blanks and control characters one blank.
pub(super) fn single_blanks(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

/// An encoded word: its charset and its bytes.
struct Word<'a> {
    charset: &'a [u8],
    bytes: Vec<u8>,
}

/// Encoded words of one charset that follow each other: a character may be split between them.
#[derive(Default)]
struct Words {
    charset: Vec<u8>,
    bytes: Vec<u8>,
    open: bool,
}

impl Words {
    fn is_open(&self) -> bool {
        self.open
    }

    fn push(&mut self, word: &Word<'_>, out: &mut String) {
        if self.open && !self.charset.eq_ignore_ascii_case(word.charset) {
            self.close(out);
        }
        self.charset = word.charset.to_vec();
        self.bytes.extend(&word.bytes);
        self.open = true;
    }

    fn close(&mut self, out: &mut String) {
        if self.open {
            out.push_str(&charset::decode(&self.bytes, Some(&self.charset)));
            self.bytes.clear();
            self.open = false;
        }
    }
}

/// Finds the next `=?charset?B?…?=`: what stands before it, the word, and what follows.
fn next_word(text: &[u8]) -> Option<(&[u8], Word<'_>, &[u8])> {
    let mut from = 0;
    while let Some(found) = text
        .get(from..)
        .and_then(|rest| memchr::memmem::find(rest, b"=?"))
    {
        let start = from + found;
        if let Some((word, length)) = text.get(start + 2..).and_then(word) {
            let (before, rest) = text.split_at(start);
            return Some((before, word, rest.get(2 + length..).unwrap_or_default()));
        }
        from = start + 2;
    }
    None
}

/// Reads `charset?B?…?=` and its length.
fn word(text: &[u8]) -> Option<(Word<'_>, usize)> {
    let mut parts = text.splitn(3, |byte| *byte == b'?');
    let (charset, encoding, rest) = (parts.next()?, parts.next()?, parts.next()?);
    if charset.is_empty() || charset.len() > 60 || encoding.len() != 1 {
        return None;
    }
    let end = memchr::memmem::find(rest, b"?=")?;
    let text = rest.get(..end)?;
    // RFC 2231 adds a language behind an asterisk.
    let bare = charset.split(|byte| *byte == b'*').next()?;
    let bytes = match encoding {
        b"B" | b"b" => base64_of(text),
        b"Q" | b"q" => quoted_printable(text),
        _ => return None,
    };
    let length = charset.len() + 1 + 1 + 1 + end + 2;
    Some((
        Word {
            charset: bare,
            bytes,
        },
        length,
    ))
}

/// Decodes base64, with whatever is none in between left out.
pub(super) fn base64_of(text: &[u8]) -> Vec<u8> {
    let is_one = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    let clean: Vec<u8> = text.iter().copied().filter(is_one).collect();
    // A single sign left over says nothing.
    let whole = clean.len() - usize::from(clean.len() % 4 == 1);
    LENIENT
        .decode(clean.get(..whole).unwrap_or_default())
        .unwrap_or_default()
}

fn quoted_printable(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        match first {
            b'_' => out.push(b' '),
            b'=' => match after
                .split_first_chunk::<2>()
                .and_then(|(pair, rest)| Some((hex(*pair)?, rest)))
            {
                Some((byte, after)) => {
                    out.push(byte);
                    rest = after;
                }
                None => out.push(b'='),
            },
            byte => out.push(*byte),
        }
    }
    out
}

fn hex([high, low]: [u8; 2]) -> Option<u8> {
    let digit = |byte: u8| {
        char::from(byte)
            .to_digit(16)
            .and_then(|digit| u8::try_from(digit).ok())
    };
    Some(digit(high)? << 4 | digit(low)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folded_odd_and_missing_fields_are_read() {
        let text = b"Subject: one\r\n two\nX-Odd : 1\nno field\nFrom:\n ana@example.org\n \n more\n\nBody: no\n";
        let fields = Fields::read(text);
        assert_eq!(fields.text("subject").as_deref(), Some("one two"));
        assert_eq!(fields.word("X-Odd"), "1");
        assert_eq!(fields.text("From").as_deref(), Some("ana@example.org more"));
        assert!(!fields.has("Body"));
        assert!(Fields::read(b"\n").fields.is_empty());
    }

    #[test]
    fn encoded_words_are_decoded_also_when_they_split_a_character() {
        for (value, expected) in [
            ("=?UTF-8?Q?caf=C3=A9?= au lait", "café au lait"),
            ("=?utf-8?B?w4XDhA==?= =?utf-8?B?w5Y=?=", "ÅÄÖ"),
            // The two bytes of one letter in two words.
            ("=?utf-8?Q?caf=C3?= =?utf-8?Q?=A9?=", "café"),
            ("=?iso-8859-1*en?q?a_b?=", "a b"),
            ("=?koi8-r?B?8NLJ18XU?=", "Привет"),
            ("a =?x?Z?b?= c", "a =?x?Z?b?= c"),
            ("=?utf-8?B?8J+YgA?= x", "😀 x"),
            ("=?iso-2022-jp?B?GyRCRnxLXBsoQg==?=", "日本"),
            ("=?=?utf-8?q?x?=", "=?x"),
        ] {
            assert_eq!(decode(value.as_bytes()), expected, "{value}");
        }
        assert_eq!(decode("raw é".as_bytes()), "raw é");
        assert_eq!(decode(b"raw \xe9"), "raw é");
    }
}
