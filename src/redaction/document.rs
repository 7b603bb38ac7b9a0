//! A text that is JSON as a whole stays JSON, whatever was found in it.
//!
//! Shapes and rules read quotes and escapes as they come and parse nothing, so that half a document
//! is as good as a whole one. Where a text is one whole document and what they found would break it
//! (a place that runs out of its string, begins inside of an escape, or is a number), the places are
//! cut to the values that they touch: a string loses what was found in whole signs, and for a number
//! stands a marker with quotes. Of documents with other text around them nothing is promised here,
//! and a number alone is text.

use serde::de::IgnoredAny;

use super::Counts;
use super::span::{Span, hide, markers, settle};
use super::text::{byte, part};

/// A string without its quotes, or a number or word.
#[derive(Debug, Clone, Copy)]
struct Value {
    start: usize,
    end: usize,
    bare: bool,
}

/// The places, cut to values if hiding them as they are would break a document.
pub(super) fn kept_whole<'e>(text: &str, spans: Vec<Span<'e>>) -> Vec<Span<'e>> {
    let is_document = || text.trim_start().starts_with(['{', '[', '"']) && reads(text);
    if spans.is_empty() || !is_document() || reads(&hide(text, &spans, &mut Counts::default())) {
        return spans;
    }
    let bytes = text.as_bytes();
    let values = values(bytes);
    let cut = spans.iter().flat_map(|span| pieces(bytes, *span, &values));
    settle(cut.collect(), &markers(text))
}

fn reads(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

/// The values and names of a document, in order.
fn values(text: &[u8]) -> Vec<Value> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let bare = |sign: &u8| sign.is_ascii_alphanumeric() || b"+-.".contains(sign);
        let length = part(text, at, text.len())
            .iter()
            .take_while(|sign| bare(sign))
            .count();
        let string = byte(text, at) == b'"';
        let start = at + usize::from(string);
        let end = if string {
            string_end(text, start)
        } else {
            at + length
        };
        if string || length > 0 {
            found.push(Value {
                start,
                end,
                bare: !string,
            });
        }
        at = end.max(start) + usize::from(string || length == 0);
    }
    found
}

/// Where the quote stands that ends a string.
fn string_end(text: &[u8], start: usize) -> usize {
    let mut end = start;
    while let Some(sign) = memchr::memchr2(b'"', b'\\', part(text, end, text.len())) {
        end += sign;
        if byte(text, end) == b'"' {
            return end;
        }
        end += 2;
    }
    text.len()
}

/// What of a place lies in values: numbers as a whole, strings in whole signs.
fn pieces<'e>(text: &[u8], span: Span<'e>, values: &[Value]) -> Vec<Span<'e>> {
    let first = values.partition_point(|value| value.end <= span.start);
    let touched = values
        .iter()
        .skip(first)
        .take_while(|value| value.start < span.end);
    let piece = |value: &Value| match value.bare {
        true => (value.start, value.end),
        false => (
            sign_start(text, value.start, span.start.max(value.start)),
            sign_end(text, value.start, span.end.min(value.end)),
        ),
    };
    touched
        .map(|value| {
            let (start, end) = piece(value);
            Span {
                start,
                end,
                bare: value.bare,
                ..span
            }
        })
        .collect()
}

/// The start of the sign of a string that a place lies in: the backslash of an escape, or the place.
fn sign_start(text: &[u8], string: usize, at: usize) -> usize {
    let escaped = |at: usize| {
        let slashes = part(text, string, at).iter().rev();
        slashes.take_while(|sign| **sign == b'\\').count() % 2 == 1
    };
    // Behind `\u` four digits belong to the escape.
    (at.saturating_sub(4).max(string)..=at)
        .find(|letter| escaped(*letter) && (*letter == at || byte(text, *letter) == b'u'))
        .map_or(at, |letter| letter - 1)
}

/// The end of the sign that ends at a place or around it.
fn sign_end(text: &[u8], string: usize, at: usize) -> usize {
    let start = sign_start(text, string, at);
    match byte(text, start + 1) {
        _ if start == at => at,
        b'u' => start + 6,
        _ => start + 2,
    }
}

#[cfg(test)]
mod tests {
    use super::super::span::Rank;
    use super::*;

    /// Hides what stands between `‹` and `›` in a text.
    fn hidden(marked: &str) -> String {
        let mut text = String::new();
        let mut spans = Vec::new();
        for part in marked.split('‹') {
            let inner = part.split_once('›');
            let start = text.len();
            text.push_str(inner.map_or(part, |(inner, _)| inner));
            if inner.is_some() {
                spans.push(Span {
                    start,
                    end: text.len(),
                    id: "x",
                    rank: Rank::Structure,
                    secret: true,
                    bare: false,
                });
            }
            text.push_str(inner.map_or("", |(_, rest)| rest));
        }
        hide(&text, &kept_whole(&text, spans), &mut Counts::default())
    }

    #[test]
    fn a_place_is_cut_to_values_only_where_a_document_would_break() {
        for (marked, expected) in [
            (
                r#"{"a":"b ‹cd",› "e":1}"#,
                r#"{"a":"b [REDACTED:x]", "e":1}"#,
            ),
            (r#"["a‹b", "c›d"]"#, r#"["a[REDACTED:x]d"]"#),
            (
                r#"{"‹a": "bc", "d"›: 1}"#,
                r#"{"[REDACTED:x]": "[REDACTED:x]", "[REDACTED:x]": 1}"#,
            ),
            (r#"["a\‹nb›"]"#, r#"["a[REDACTED:x]"]"#),
            (r#"["a\‹\nb›"]"#, r#"["a[REDACTED:x]"]"#),
            (r#"["‹a\›"b"]"#, r#"["[REDACTED:x]b"]"#),
            (r#"["a\u00‹e4b›"]"#, r#"["a[REDACTED:x]"]"#),
            (r#"["‹a\u0›0e4b"]"#, r#"["[REDACTED:x]0e4b"]"#),
            (
                r#"{"password": ‹12.5e3›}"#,
                r#"{"password": "[REDACTED:x]"}"#,
            ),
            (r#"[1, -4‹111 ›, true]"#, r#"[1, "[REDACTED:x]" , true]"#),
            (
                r#"["‹›", {‹› }, "‹a›", ‹1›]"#,
                r#"["", { }, "[REDACTED:x]", "[REDACTED:x]"]"#,
            ),
        ] {
            let hidden = hidden(marked);
            assert_eq!(hidden, expected, "{marked}");
            assert!(reads(&hidden), "{marked}");
        }
    }

    #[test]
    fn what_is_no_document_is_hidden_as_it_was_found() {
        for (marked, expected) in [
            (
                r#"x {"a":"b ‹cd",› "e":1}"#,
                r#"x {"a":"b [REDACTED:x] "e":1}"#,
            ),
            ("a = ‹12345678›", "a = [REDACTED:x]"),
            ("‹12345678›", "[REDACTED:x]"),
        ] {
            assert_eq!(hidden(marked), expected, "{marked}");
        }
    }
}
