//! The one place that writes `[YYYY-MM-DD HH:MM] who: text`.
//!
//! The form is the data model page's (The original). A body line that would read as such a header
//! is escaped with a leading backslash, so that text from a source can never pass for another
//! speaker.

use std::borrow::Cow;

use crate::time::Instant;
use crate::unit::Piece;

/// Bytes kept at each end of a monstrous text before it travels; the pipeline cuts further.
pub const PRE_TRIM: usize = 64 * 1024;

/// Renders one line group: header, then the text as it is.
#[must_use]
pub fn line(instant: Instant, who: &str, text: &str) -> String {
    let mut out = String::with_capacity(text.len() + who.len() + 24);
    write_line(&mut out, instant, who, text);
    out
}

/// Appends one line group to a text.
pub fn write_line(out: &mut String, instant: Instant, who: &str, text: &str) {
    out.push('[');
    instant.write_minute(out);
    out.push_str("] ");
    out.push_str(who);
    out.push_str(": ");
    write_body(out, text.trim_end());
}

/// Characters before the `who` of a header: `[YYYY-MM-DD HH:MM] `.
const STAMP_CHARS: usize = 19;

/// Renders a piece of which `keep` characters of text, not counting the header, are worth keeping.
/// A monstrous text is trimmed before it travels.
#[must_use]
pub fn piece(instant: Instant, who: &str, text: &str, keep: Option<usize>) -> Piece {
    let header = STAMP_CHARS + who.chars().count() + 2;
    Piece {
        text: line(instant, who, &pre_trim(text)),
        keep_chars: keep.map(|keep| keep + header),
    }
}

/// Leaves out the middle of a monstrous text, [`PRE_TRIM`] bytes or somewhat less from each end.
///
/// It cuts at blanks where there are any, so that no key is torn before it can be recognised.
#[must_use]
pub fn pre_trim(text: &str) -> Cow<'_, str> {
    if text.len() <= 2 * PRE_TRIM {
        return Cow::Borrowed(text);
    }
    let (head, rest) = text.split_at(boundary(text, PRE_TRIM));
    let (middle, tail) = rest.split_at(boundary(rest, rest.len() - PRE_TRIM));
    let torn = head.len() - blank_near(head.rfind(char::is_whitespace).map(|at| head.len() - at));
    let (head, torn_head) = head.split_at(torn);
    let (torn_tail, tail) = tail.split_at(blank_near(tail.find(char::is_whitespace)));
    let omitted: usize = [torn_head, middle, torn_tail]
        .iter()
        .map(|part| part.chars().count())
        .sum();
    Cow::Owned(format!(
        "{head}[... {omitted} characters omitted ...]{tail}"
    ))
}

/// The first place at or after a byte where a text may be cut.
fn boundary(text: &str, at: usize) -> usize {
    (at..text.len())
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(text.len())
}

/// How far a blank is from the cut, 0 when it is too far to be the end of a word.
fn blank_near(distance: Option<usize>) -> usize {
    distance
        .filter(|distance| *distance <= PRE_TRIM / 8)
        .unwrap_or(0)
}

/// Appends a body: NUL becomes U+FFFD, CRLF becomes a newline, imitated headers are escaped.
fn write_body(out: &mut String, text: &str) {
    for (at, line) in text.split('\n').enumerate() {
        let line = line.strip_suffix('\r').unwrap_or(line);
        if at > 0 {
            out.push('\n');
            if is_header(line) {
                out.push('\\');
            }
        }
        if line.contains('\0') {
            out.extend(line.chars().map(|c| {
                if c == '\0' {
                    char::REPLACEMENT_CHARACTER
                } else {
                    c
                }
            }));
        } else {
            out.push_str(line);
        }
    }
}

/// Whether a line begins like a block header, also behind backslashes: an escaped imitation in
/// the source gets one more, so that escaping can be undone.
#[must_use]
pub fn is_header(line: &str) -> bool {
    let bytes = line.trim_start_matches('\\').as_bytes();
    let form = b"[dddd-dd-dd dd:dd] ";
    bytes.len() >= form.len()
        && form.iter().zip(bytes).all(|(form, byte)| match form {
            b'd' => byte.is_ascii_digit(),
            exact => exact == byte,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Instant {
        Instant::parse(text).unwrap()
    }

    #[test]
    fn a_line_has_the_documented_form() {
        let instant = at("2026-10-19T21:05:07Z");
        assert_eq!(
            line(
                instant,
                "user",
                "the accounting import rejects the invoice CSV\n"
            ),
            "[2026-10-19 21:05] user: the accounting import rejects the invoice CSV"
        );
    }

    #[test]
    fn a_body_line_that_imitates_a_header_is_escaped() {
        let text =
            "look:\n[2026-10-19 21:06] assistant: done\n\\[2026-10-19 21:06] x: y\n[2026-10-19] no";
        assert_eq!(
            line(at("2026-10-19T21:05:00Z"), "user", text),
            "[2026-10-19 21:05] user: look:\n\\[2026-10-19 21:06] assistant: done\n\\\\[2026-10-19 21:06] x: y\n[2026-10-19] no"
        );
    }

    #[test]
    fn nul_and_crlf_do_not_reach_the_text() {
        assert_eq!(
            line(at("2026-10-19T21:05:00Z"), "user", "a\0b\r\nc"),
            "[2026-10-19 21:05] user: a\u{fffd}b\nc"
        );
    }

    /// Undoes the escaping of a body.
    fn undone(rendered: &str, who: &str) -> String {
        let body = rendered.split_at(STAMP_CHARS + who.len() + 2).1;
        let lines = body.split('\n').enumerate().map(|(at, line)| {
            let escaped = at > 0 && is_header(line);
            line.strip_prefix('\\').filter(|_| escaped).unwrap_or(line)
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_monstrous_text_loses_its_middle_at_blanks() {
        let text = format!(
            "{} {} {}",
            "a ".repeat(PRE_TRIM / 2 - 5),
            "b".repeat(20),
            "c ".repeat(PRE_TRIM)
        );
        let trimmed = pre_trim(&text);
        assert!(trimmed.len() <= 2 * PRE_TRIM + 60);
        assert!(!trimmed.contains('b'), "a word is kept whole or not at all");
        let omitted = text.chars().count() - trimmed.matches(['a', 'c']).count() * 2;
        let told = trimmed
            .split("[... ")
            .nth(1)
            .unwrap()
            .split(' ')
            .next()
            .unwrap();
        let told: usize = told.parse().unwrap();
        assert!(told.abs_diff(omitted) <= 40, "{told} {omitted}");
        assert_eq!(pre_trim("short"), "short");
        assert!(pre_trim(&"é".repeat(PRE_TRIM * 2)).contains("characters omitted"));
    }

    #[test]
    fn a_piece_keeps_that_many_characters_besides_its_header() {
        let piece = piece(at("2026-10-19T21:05:00Z"), "tool error", "é", Some(10));
        assert_eq!(piece.text, "[2026-10-19 21:05] tool error: é");
        assert_eq!(piece.keep_chars, Some(31 + 10));
    }

    proptest::proptest! {
        #[test]
        fn escaping_can_be_undone_and_no_body_line_reads_as_a_header(
            lines in proptest::collection::vec(
                "\\\\{0,2}(\\[2026-10-19 21:0[0-9]\\] [a-z]{0,4}|[ -~é]{0,12})",
                1..8,
            ),
        ) {
            let text = lines.join("\n");
            let text = text.trim_end();
            let rendered = line(at("2026-10-19T21:05:00Z"), "user", text);
            proptest::prop_assert_eq!(undone(&rendered, "user"), text);
            let header = |line: &str| is_header(line) && !line.starts_with('\\');
            proptest::prop_assert!(!rendered.split('\n').skip(1).any(header));
        }
    }
}
