//! The values of a Kubernetes Secret, in YAML or JSON.

use super::super::base64;
use super::super::gate::{self, Setting};
use super::super::name::Strength;
use super::super::text::{byte, line_break, part, skip_blanks};
use super::value::value_at;
use super::{Finder, MANIFEST, quote};

/// Bytes of a manifest that are looked at before and behind its kind.
const REACH: usize = 16_384;
/// Shortest coded value that is hidden, in bytes.
const SHORTEST: usize = 4;

const QUOTED: Setting = Setting {
    quoted: true,
    plain: false,
    whole_line: false,
    json: false,
};

impl Finder<'_, '_> {
    /// The manifest around a `kind` that stands from `start` to `end`, if it is one of a Secret.
    pub(super) fn manifest(&mut self, start: usize, end: usize) {
        if start < self.manifests || !is_secret(self.text, end) {
            return;
        }
        let head = part(self.text, start.saturating_sub(REACH), start);
        let tail = part(self.text, end, end + REACH);
        let from =
            start - memchr::memmem::rfind(head, b"---").map_or(head.len(), |at| head.len() - at);
        let to = end + memchr::memmem::find(tail, b"---").unwrap_or(tail.len());
        let from = from.max(self.manifests);
        self.manifests = to;
        let places: Vec<usize> = memchr::memmem::find_iter(part(self.text, from, to), b"ata")
            .map(|at| from + at)
            .collect();
        for place in places {
            let coded = part(self.text, place.saturating_sub(1), place) == b"d";
            let plain = part(self.text, place.saturating_sub(7), place) == b"stringD";
            let name = place + 3;
            let colon = skip_blanks(self.text, name + quote::closing_length(self.text, name));
            if (coded || plain) && byte(self.text, colon) == b':' {
                self.members(colon + 1, to, coded);
            }
        }
    }

    /// The members of a mapping that begins at `at`.
    fn members(&mut self, at: usize, limit: usize, coded: bool) {
        let (mut at, mut indent) = gap(self.text, at);
        let mapping = byte(self.text, at) == b'{';
        if mapping {
            (at, indent) = gap(self.text, at + 1);
        } else if indent == 0 {
            return;
        }
        while at < limit {
            let name = at + quote::opening(self.text, at).map_or(0, |(length, _)| length);
            let length = part(self.text, name, name + 256)
                .iter()
                .take_while(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(byte))
                .count();
            let end = name + length;
            let colon = skip_blanks(self.text, end + quote::closing_length(self.text, end));
            if length == 0 || byte(self.text, colon) != b':' {
                return;
            }
            let start = skip_blanks(self.text, colon + 1);
            let Some(value) = value_at(self.text, start, false) else {
                return;
            };
            let end = super::value::whole_end(self.text, value, false);
            let shown = part(self.text, value.start, end);
            // `12345678` and `null` decode well, and a marker in their place is no JSON any more.
            let literal = value.close.is_none() && is_literal(shown);
            let secret = if coded {
                !literal && shown.len() >= SHORTEST && base64::decode(shown).is_some()
            } else {
                !(literal && name > at) && gate::worth_hiding(shown, Strength::Password, QUOTED)
            };
            if secret {
                self.hide(value.start, end, MANIFEST);
            }
            let mut behind = end;
            if value.close.is_some() {
                behind += quote::closing_length(self.text, end);
            }
            if byte(self.text, behind) == b',' {
                behind += 1;
            }
            let (next, next_indent) = gap(self.text, behind);
            if next == behind || !mapping && next_indent != indent {
                return;
            }
            at = next;
        }
    }
}

/// Whether a value without quotes is a number or a word of JSON.
fn is_literal(value: &[u8]) -> bool {
    let number = |byte: &u8| byte.is_ascii_digit() || b"+-.eE".contains(byte);
    let word = matches!(value, b"true" | b"false" | b"null");
    word || value.iter().any(u8::is_ascii_digit) && value.iter().all(number)
}

/// Whether the member behind a name says `Secret`.
fn is_secret(text: &[u8], end: usize) -> bool {
    let colon = skip_blanks(text, end + quote::closing_length(text, end));
    let value = skip_blanks(text, colon + 1);
    let value = value + quote::opening(text, value).map_or(0, |(length, _)| length);
    byte(text, colon) == b':'
        && part(text, value, value + 6) == b"Secret"
        && !byte(text, value + 6).is_ascii_alphanumeric()
}

/// First place behind blanks and line breaks, and the blanks of its line; 0 on the same line.
fn gap(text: &[u8], at: usize) -> (usize, usize) {
    let mut at = skip_blanks(text, at);
    let mut indent = 0;
    loop {
        let length = line_break(text, at);
        if length == 0 {
            return (at, indent);
        }
        let end = skip_blanks(text, at + length);
        indent = end - at - length;
        at = end;
    }
}
