//! Reading the bytes of a text without a panic, and what an escape before a place hides.
//!
//! Transcripts are text inside JSON inside text. The byte before a token is often the letter of
//! an escape (`\n`, `\u0022`, the `m` of a colour code) and not a part of the token.

use std::sync::LazyLock;

/// The byte at a place; 0 outside of the text.
pub(super) fn byte(text: &[u8], at: usize) -> u8 {
    text.get(at).copied().unwrap_or(0)
}

/// The byte before a place; 0 at the beginning.
pub(super) fn before(text: &[u8], at: usize) -> u8 {
    at.checked_sub(1).map_or(0, |at| byte(text, at))
}

/// The bytes between two places, as far as they exist.
pub(super) fn part(text: &[u8], start: usize, end: usize) -> &[u8] {
    text.get(start..end.min(text.len())).unwrap_or_default()
}

/// Whether a word stands at a place, without regard to ASCII case.
pub(super) fn stands(text: &[u8], at: usize, word: &[u8]) -> bool {
    let (first, of_word) = (byte(text, at), byte(word, 0));
    // Most places differ in their first byte from what is looked for.
    first.eq_ignore_ascii_case(&of_word)
        && part(text, at, at + word.len()).eq_ignore_ascii_case(word)
}

/// First place from `at` on that holds no space and no tab; at most 40 bytes are passed.
pub(super) fn skip_blanks(text: &[u8], at: usize) -> usize {
    let mut place = at;
    while matches!(byte(text, place), b' ' | b'\t') && place < at + 40 {
        place += 1;
    }
    place
}

/// Most bytes of an escape or a colour code that are looked at.
pub(super) const ESCAPE: usize = 24;

/// Whether the byte before `at` is the last one of an escape or of a colour code.
pub(super) fn escape_ends_at(text: &[u8], at: usize) -> bool {
    let last = before(text, at);
    let head = part(text, at.saturating_sub(ESCAPE), at);
    if !last.is_ascii_alphanumeric() || memchr::memrchr3(b'\\', b'[', b'%', head).is_none() {
        return false;
    }
    let from_end = |back: usize| head.len().checked_sub(back).map_or(0, |i| byte(head, i));
    if matches!(
        last,
        b'n' | b't' | b'r' | b'b' | b'f' | b'v' | b'a' | b'e' | b'0'
    ) && from_end(2) == b'\\'
    {
        return true;
    }
    let hex = |count: usize| (1..=count).all(|back| from_end(back).is_ascii_hexdigit());
    if hex(4) && from_end(5) == b'u' && from_end(6) == b'\\'
        || hex(2) && from_end(3) == b'x' && from_end(4) == b'\\'
        || hex(2) && from_end(3) == b'%'
    {
        return true;
    }
    last.is_ascii_alphabetic() && colour_code(head)
}

/// Whether the text ends with `[`, digits or semicolons and a letter, as colour codes do.
fn colour_code(head: &[u8]) -> bool {
    let body = part(head, 0, head.len().saturating_sub(1));
    let digits = body
        .iter()
        .rev()
        .take_while(|byte| byte.is_ascii_digit() || **byte == b';')
        .count();
    let opening = body.len() - digits;
    if before(body, opening) != b'[' {
        return false;
    }
    let escape = part(body, 0, opening - 1);
    let escaped = [
        &b"\x1b"[..],
        b"\\u001b",
        b"\\u001B",
        b"\\x1b",
        b"\\x1B",
        b"\\033",
        b"\\e",
    ];
    escaped.iter().any(|form| escape.ends_with(form))
        || (digits > 0 && before(head, head.len()) == b'm')
}

/// Moves a place right by the letters of an escape whose backslash stands before it.
pub(super) fn after_escape_letters(text: &[u8], at: usize) -> usize {
    if before(text, at) != b'\\' {
        return at;
    }
    match byte(text, at) {
        b'n' | b't' | b'r' | b'b' | b'f' | b'v' => at + 1,
        b'u' if part(text, at + 1, at + 5).iter().all(u8::is_ascii_hexdigit) => at + 5,
        b'x' if part(text, at + 1, at + 3).iter().all(u8::is_ascii_hexdigit) => at + 3,
        _ => at,
    }
}

/// Bytes of a line break at a place: raw, or escaped at any depth; 0 if there is none.
pub(super) fn line_break(text: &[u8], at: usize) -> usize {
    match byte(text, at) {
        b'\n' => 1,
        b'\r' => 1 + usize::from(byte(text, at + 1) == b'\n'),
        b'\\' => {
            let slashes = part(text, at, at + 16)
                .iter()
                .take_while(|byte| **byte == b'\\')
                .count();
            match byte(text, at + slashes) {
                b'n' => slashes + 1,
                b'r' => slashes + 1 + line_break(text, at + slashes + 1),
                _ => 0,
            }
        }
        _ => 0,
    }
}

/// `n log2 n` of small numbers: entropy is asked for often, and of short texts.
static WEIGHTS: LazyLock<[f64; 64]> =
    LazyLock::new(|| std::array::from_fn(|count| weight(count as f64)));

fn weight(count: f64) -> f64 {
    if count > 1.0 {
        count * count.log2()
    } else {
        0.0
    }
}

/// Bits of information a byte, by Shannon's formula; between 0 and 8.
pub(super) fn entropy(text: &[u8]) -> f64 {
    let mut seen = [0u32; 256];
    for byte in text {
        if let Some(count) = seen.get_mut(usize::from(*byte)) {
            *count += 1;
        }
    }
    let of = |count: u32| match WEIGHTS.get(count as usize) {
        Some(known) => *known,
        None => weight(f64::from(count)),
    };
    let length = text.len().max(1) as f64;
    let weights: f64 = seen
        .iter()
        .filter(|count| **count > 1)
        .map(|count| of(*count))
        .sum();
    length.log2() - weights / length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_and_colour_codes_end_where_they_end() {
        for text in [
            "a\\n",
            "\\\\t",
            "x\\u0022",
            "\\x22",
            "=%3D",
            "\x1b[31m",
            "\\u001b[1;32m",
            "[0m",
        ] {
            assert!(escape_ends_at(text.as_bytes(), text.len()), "{text}");
        }
        for text in ["n", "main", "00022", "am", "", "arr[m"] {
            assert!(!escape_ends_at(text.as_bytes(), text.len()), "{text}");
        }
    }

    #[test]
    fn line_breaks_are_known_at_any_depth() {
        assert_eq!(line_break(b"\r\n", 0), 2);
        assert_eq!(line_break(b"\\\\n", 0), 3);
        assert_eq!(line_break(b"\\r\\n", 0), 4);
        assert_eq!(line_break(b"\\d", 0), 0);
    }

    #[test]
    fn entropy_is_that_of_the_shares_of_the_bytes() {
        let plain = |text: &[u8]| -> f64 {
            let counts = (0..=255u8).map(|byte| text.iter().filter(|it| **it == byte).count());
            let shares = counts
                .filter(|count| *count > 0)
                .map(|count| count as f64 / text.len() as f64);
            shares.map(|share| -share * share.log2()).sum()
        };
        let long = "abc".repeat(500);
        for text in ["", "a", "aaaa", "abab", "q7Wn3xP0zR5tLk8vB2", &long] {
            let (fast, slow) = (entropy(text.as_bytes()), plain(text.as_bytes()));
            assert!((fast - slow).abs() < 1e-9, "{text}: {fast} {slow}");
        }
    }
}
