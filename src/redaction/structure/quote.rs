//! Quotes around a value, in all the dresses that escaping gives them.

use super::super::text::{byte, part, skip_blanks};

/// How a quoted value ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Close {
    /// A quote character at a depth of escaping: depth `n` has `2^n - 1` backslashes before it.
    Char { quote: u8, depth: u32 },
    /// These bytes.
    Literal(&'static [u8]),
}

/// Pairs of openings and endings that are no single ASCII character.
const PAIRS: &[(&[u8], &[u8])] = &[
    (b"&quot;", b"&quot;"),
    (b"&#34;", b"&#34;"),
    (b"&#39;", b"&#39;"),
    (b"%22", b"%22"),
    ("“".as_bytes(), "”".as_bytes()),
    ("„".as_bytes(), "“".as_bytes()),
    ("‘".as_bytes(), "’".as_bytes()),
    ("«".as_bytes(), "»".as_bytes()),
    ("「".as_bytes(), "」".as_bytes()),
];

/// Whether one of [`PAIRS`] may begin with a byte.
fn begins_pair(first: u8) -> bool {
    matches!(first, b'&' | b'%' | 128..)
}

/// The opening quote at a place: its length and how it is closed.
pub(super) fn opening(text: &[u8], at: usize) -> Option<(usize, Close)> {
    let slashes = backslashes_from(text, at);
    let next = byte(text, at + slashes);
    if matches!(next, b'"' | b'\'' | b'`') {
        let depth = (slashes + 1).trailing_zeros();
        let whole = slashes + 1 == 1 << depth;
        return whole.then_some((slashes + 1, Close::Char { quote: next, depth }));
    }
    if slashes > 0 && next == b'u' {
        let code = part(text, at + slashes + 1, at + slashes + 5);
        let literal: &'static [u8] = match code {
            b"0022" => b"\\u0022",
            b"0027" => b"\\u0027",
            _ => return None,
        };
        return Some((slashes + 5, Close::Literal(literal)));
    }
    if !begins_pair(byte(text, at)) {
        return None;
    }
    PAIRS
        .iter()
        .find(|(open, _)| part(text, at, at + open.len()) == *open)
        .map(|(open, close)| (open.len(), Close::Literal(close)))
}

/// Length of a closing quote at a place, of whatever kind; 0 if there is none.
pub(super) fn closing_length(text: &[u8], at: usize) -> usize {
    if let Some((length, _)) = opening(text, at) {
        return length;
    }
    if !begins_pair(byte(text, at)) {
        return 0;
    }
    let close = PAIRS.iter().map(|(_, close)| *close);
    close
        .into_iter()
        .find(|close| part(text, at, at + close.len()) == *close)
        .map_or(0, <[u8]>::len)
}

/// Where the value that began at `start` ends, at most at `limit`; `None` if no quote closes it.
pub(super) fn value_end(text: &[u8], start: usize, limit: usize, close: Close) -> Option<usize> {
    match close {
        Close::Literal(literal) => {
            let line = part(text, start, limit);
            let end = memchr::memmem::find(line, literal).map(|end| start + end);
            let stop = end.unwrap_or(start + line.len());
            let end = string_end(text, start, stop).or(end)?;
            (!part(text, start, end).contains(&b'\n')).then_some(end)
        }
        Close::Char { quote, depth } => char_end(text, start, limit, quote, depth),
    }
}

/// Where the JSON string around a value ends, if that is before the value does: its quote has a sign
/// of JSON behind it.
fn string_end(text: &[u8], start: usize, limit: usize) -> Option<usize> {
    let quotes = memchr::memchr_iter(b'"', part(text, start, limit)).map(|at| start + at);
    quotes
        .filter(|at| {
            let next = skip_blanks(text, at + 1);
            next >= text.len() || matches!(byte(text, next), b',' | b':' | b']' | b'}')
        })
        .map(|at| at - backslashes_before(text, at, start))
        .next()
}

fn char_end(text: &[u8], start: usize, limit: usize, quote: u8, depth: u32) -> Option<usize> {
    let mut at = start;
    loop {
        let window = part(text, at, limit);
        let found = at + memchr::memchr3(quote, b'\n', b'"', window)?;
        let slashes = backslashes_before(text, found, start);
        match byte(text, found) {
            b'\n' => return None,
            sign if sign == quote && quote != b'"' && slashes.is_multiple_of(2) => {
                return Some(found);
            }
            b'"' => {
                let mask = (1usize << (depth + 1)) - 1;
                let inside = slashes & mask == mask || quote != b'"' && slashes > 0;
                if !inside {
                    // The quote ends this string, or one of those around it.
                    let level = slashes.trailing_ones();
                    let end = found - ((1usize << level) - 1).min(found - start);
                    return (quote == b'"' || level == 0).then_some(end);
                }
            }
            _ => {}
        }
        at = found + 1;
    }
}

fn backslashes_from(text: &[u8], at: usize) -> usize {
    part(text, at, at + 32)
        .iter()
        .take_while(|byte| **byte == b'\\')
        .count()
}

fn backslashes_before(text: &[u8], at: usize, start: usize) -> usize {
    part(text, start.max(at.saturating_sub(64)), at)
        .iter()
        .rev()
        .take_while(|byte| **byte == b'\\')
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Option<&str> {
        let (length, close) = opening(text.as_bytes(), 0)?;
        let end = value_end(text.as_bytes(), length, text.len(), close)?;
        text.get(length..end)
    }

    #[test]
    fn a_value_ends_at_the_quote_of_its_own_depth() {
        for (text, expected) in [
            (r#""ab" c"#, "ab"),
            (r#""a\"b" c"#, r#"a\"b"#),
            (r#""a\\" c"#, r"a\\"),
            (r#"\"ab\" c"#, "ab"),
            (r#"\"a\\\"b\" c"#, r#"a\\\"b"#),
            (r#"\\\"ab\\\" c"#, "ab"),
            (r#"'a"#, ""),
            (r"'ab' c", "ab"),
            (r"\u0022ab\u0022", "ab"),
            ("&quot;ab&quot;", "ab"),
            ("“ab” c", "ab"),
        ] {
            assert_eq!(value(text).unwrap_or_default(), expected, "{text}");
        }
    }

    #[test]
    fn a_value_never_leaves_the_string_around_it() {
        assert_eq!(value(r#"\"ab" c\""#), Some("ab"));
        for (text, expected) in [
            (r#"“ab", "c": "d”"#, "ab"),
            (r#"“ab\", \"c\": \"d”"#, "ab"),
            (r#"«ab"} »"#, "ab"),
            (r#"“ab", "c": "d"}"#, "ab"),
            ("&quot;ab\"] &quot;", "ab"),
            (r#"“a"b”"#, r#"a"b"#),
        ] {
            assert_eq!(value(text), Some(expected), "{text}");
        }
    }
}
