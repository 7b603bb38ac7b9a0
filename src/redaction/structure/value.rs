//! The value behind a separator: where it begins and ends.

use super::super::alphabet::Alphabet;
use super::super::text::{byte, part, skip_blanks};
use super::quote::{self, Close};

/// Bytes of a value that decide whether it is hidden; an accepted one is followed to its end.
pub(super) const LOOK: usize = 512;
/// Longest value that is followed, in bytes.
const VALUE_LIMIT: usize = 65_536;

/// What may end a value without quotes, or opens a bracket in it.
static MAY_END: Alphabet = Alphabet::controls_and(b"(){}[] \"'`\\;<&#|,\xC2\xE2");

/// A value.
#[derive(Debug, Clone, Copy)]
pub(super) struct Value {
    pub(super) start: usize,
    /// End of what was looked at.
    pub(super) end: usize,
    /// How it is closed, if it is quoted.
    pub(super) close: Option<Close>,
}

/// The value that begins at a place; `query` ends it at `&` and `#`, too.
pub(super) fn value_at(text: &[u8], at: usize, query: bool) -> Option<Value> {
    let opening = |skip: usize| Some((skip, quote::opening(text, at + skip)?));
    let opened = opening(0).or_else(|| match letters_of_literal(text, at) {
        0 => None,
        letters => opening(letters),
    });
    if let Some((skip, (length, close))) = opened {
        let mut start = at + skip + length;
        // Three quotes open a text as one does.
        let quote = part(text, at + skip, start);
        if part(text, start, start + length) == quote
            && part(text, start + length, start + 2 * length) == quote
        {
            start += 2 * length;
        }
        // Behind the quote that ends a string comes no value.
        if b",:;]} \t".contains(&byte(text, start)) {
            return None;
        }
        if let Some(end) = quote::value_end(text, start, start + LOOK, close) {
            return (end > start).then_some(Value {
                start,
                end,
                close: Some(close),
            });
        }
        let cut = part(text, start, start + LOOK + 1).len() > LOOK;
        let whole = cut && !part(text, start, start + LOOK).contains(&b'\n');
        if whole
            && !matches!(
                close,
                Close::Char {
                    quote: b'\'' | b'`',
                    ..
                }
            )
        {
            return Some(Value {
                start,
                end: start + LOOK,
                close: Some(close),
            });
        }
        let end = bare_end(text, start, start + LOOK, query);
        return (end > start).then_some(Value {
            start,
            end,
            close: None,
        });
    }
    let end = bare_end(text, at, at + LOOK, query);
    (end > at).then_some(Value {
        start: at,
        end,
        close: None,
    })
}

/// Bytes of what Python, Rust, C# and others write before a quote: `f`, `rb`, `r#`, `@`.
fn letters_of_literal(text: &[u8], at: usize) -> usize {
    let letters = part(text, at, at + 2)
        .iter()
        .take_while(|byte| matches!(byte, b'f' | b'b' | b'r' | b'u' | b'F' | b'B' | b'R' | b'@'))
        .count();
    let hashes = part(text, at + letters, at + letters + 3)
        .iter()
        .take_while(|byte| letters > 0 && **byte == b'#')
        .count();
    letters + hashes
}

/// Follows an accepted value to its end.
pub(super) fn whole_end(text: &[u8], value: Value, query: bool) -> usize {
    if value.end - value.start < LOOK {
        return value.end;
    }
    let limit = value.start + VALUE_LIMIT;
    match value.close {
        Some(close) => quote::value_end(text, value.start, limit, close),
        None => Some(bare_end(text, value.start, limit, query)),
    }
    .unwrap_or_else(|| bare_end(text, value.start, limit, query).max(value.end))
}

/// End of a value without quotes, without the punctuation behind it.
pub(super) fn bare_end(text: &[u8], start: usize, limit: usize, query: bool) -> usize {
    let window = part(text, start, limit);
    let mut depth = 0usize;
    let places = window.iter().enumerate();
    let length = places
        .filter(|(_, sign)| MAY_END.has(**sign))
        .find(|(at, sign)| {
            let next = byte(window, at + 1);
            match **sign {
                b'(' | b'{' | b'[' => {
                    depth += 1;
                    false
                }
                b')' | b'}' | b']' if depth > 0 => {
                    depth -= 1;
                    false
                }
                b')' | b'}' | b']' => ends_bracket(next),
                b' ' | b'\t' => {
                    !(depth > 0
                        && part(window, *at, at + 40).contains(&b'}')
                        && byte(window, at - 1) != b',')
                }
                0..=31 | 127 | b'"' | b'\'' | b'`' | b'\\' | b';' | b'<' if *at > 0 => true,
                0..=31 | 127 | b'"' | b'\'' | b'`' | b'\\' | b';' => true,
                b'&' => {
                    query || matches!(next, b'&' | b' ') || part(window, *at, at + 6) == b"&quot;"
                }
                b'#' => query,
                b'|' => matches!(next, b' ' | b'|'),
                b',' => ends_list_member(window, at + 1),
                0xC2 => next == 0xA0,
                0xE2 => next == 0x80 && matches!(byte(window, at + 2), 0x98..=0x9F),
                _ => false,
            }
        })
        .map_or(window.len(), |(at, _)| at);
    let mut end = start + length;
    while end > start
        && b".,:;)]}>".contains(&byte(text, end - 1))
        && !balanced(part(text, start, end))
    {
        end -= 1;
    }
    end
}

/// Whether a bracket that closes nothing of the value ends it, by the byte behind.
fn ends_bracket(next: u8) -> bool {
    next.is_ascii_whitespace() || b"\0,;:.)]}\"'`\\<&|".contains(&next)
}

/// Whether a last bracket closes one of the value's own.
fn balanced(value: &[u8]) -> bool {
    let count = |sign: u8| memchr::memchr_iter(sign, value).count();
    match value.last() {
        Some(b')') => count(b'(') >= count(b')'),
        Some(b']') => count(b'[') >= count(b']'),
        Some(b'}') => count(b'{') >= count(b'}'),
        Some(b'>') => count(b'<') >= count(b'>'),
        _ => false,
    }
}

/// Whether the comma before `at` stands between members of a list.
fn ends_list_member(text: &[u8], at: usize) -> bool {
    match byte(text, at) {
        0 | b' ' | b'\t' | b'\n' | b'\r' | b'"' | b'\'' | b'\\' | b'}' | b')' => true,
        _ => {
            let name = part(text, at, at + 32)
                .iter()
                .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_')
                .count();
            name > 0 && matches!(byte(text, at + name), b'=' | b':')
        }
    }
}

/// Whether nothing but a comment or closing signs stands between a place and the line's end.
pub(super) fn ends_line(text: &[u8], at: usize) -> bool {
    let mut at = skip_blanks(text, at);
    while matches!(byte(text, at), b'"' | b'\'') {
        at += 1;
    }
    at >= text.len()
        || matches!(byte(text, at), b'\n' | b'\r' | b'#')
        || byte(text, at) == b'\\' && super::super::text::line_break(text, at) > 0
}
