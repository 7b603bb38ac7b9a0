//! Places to hide, and the text that results.

use super::Counts;
use super::text::{byte, part};

/// The opening of a marker.
pub(super) const MARKER: &str = "[REDACTED:";
/// Longest marker: opening, an id of 64 characters, closing bracket.
pub(super) const MARKER_LIMIT: usize = MARKER.len() + 65;

/// What found a place; where places overlap, the greater one names the marker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    /// A key and its value.
    Structure,
    /// A rule of a family; the length of its keyword says how special it is.
    Rule(usize),
}

/// A place to hide, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span<'e> {
    pub(super) start: usize,
    pub(super) end: usize,
    /// Id of the rule, without the marker around it.
    pub(super) id: &'e str,
    pub(super) rank: Rank,
    /// Whether other copies of the value are to be hidden, too.
    pub(super) secret: bool,
    /// Whether it is a number or a word of JSON, so that the marker must bring its own quotes.
    pub(super) bare: bool,
}

impl Span<'_> {
    /// Bytes of what stands in its place.
    pub(super) fn marker_length(&self) -> usize {
        MARKER.len() + self.id.len() + 1 + 2 * usize::from(self.bare)
    }
}

/// Sorts places, joins those that overlap and drops what touches a marker.
pub(super) fn settle<'e>(mut spans: Vec<Span<'e>>, markers: &[(usize, usize)]) -> Vec<Span<'e>> {
    spans.retain(|span| span.start < span.end);
    spans.sort_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
    spans.dedup_by(|span, last| {
        let joined = span.start < last.end;
        if joined {
            last.end = last.end.max(span.end);
            if span.rank > last.rank {
                last.id = span.id;
                last.rank = span.rank;
            }
            last.secret |= span.secret;
        }
        joined
    });
    let mut markers = markers.iter().copied().peekable();
    spans.retain(|span| {
        while markers.next_if(|(_, end)| *end <= span.start).is_some() {}
        markers.peek().is_none_or(|(start, _)| *start >= span.end)
    });
    spans
}

/// Markers that stand in a text already.
pub(super) fn markers(text: &str) -> Vec<(usize, usize)> {
    markers_in(text.as_bytes()).collect()
}

/// Whether a whole marker stands in a value.
pub(super) fn holds_marker(value: &[u8]) -> bool {
    memchr::memchr(b'[', value).is_some() && markers_in(value).next().is_some()
}

fn markers_in(text: &[u8]) -> impl Iterator<Item = (usize, usize)> {
    memchr::memmem::find_iter(text, MARKER).filter_map(|start| {
        let body = part(text, start + MARKER.len(), start + MARKER_LIMIT);
        let length = body
            .iter()
            .take_while(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || **byte == b'-')
            .count();
        let end = start + MARKER.len() + length;
        (length > 0 && byte(text, end) == b']').then_some((start, end + 1))
    })
}

/// Puts markers in the place of the spans and counts them.
pub(super) fn hide(text: &str, spans: &[Span<'_>], counts: &mut Counts) -> String {
    let grows = |span: &Span<'_>| span.marker_length().saturating_sub(span.end - span.start);
    let mut out = String::with_capacity(text.len() + spans.iter().map(grows).sum::<usize>());
    let mut from = 0;
    for span in spans {
        let start = floor(text, span.start).max(from);
        let end = ceiling(text, span.end);
        out.push_str(text.get(from..start).unwrap_or_default());
        let quote = if span.bare { "\"" } else { "" };
        for part in [quote, MARKER, span.id, "]", quote] {
            out.push_str(part);
        }
        counts.hit(span.id);
        from = end;
    }
    out.push_str(text.get(from..).unwrap_or_default());
    out
}

/// The character boundary at or before a place.
pub(super) fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The character boundary at or after a place.
pub(super) fn ceiling(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(start: usize, end: usize, id: &'static str, rank: Rank) -> Span<'static> {
        Span {
            start,
            end,
            id,
            rank,
            secret: false,
            bare: false,
        }
    }

    #[test]
    fn overlapping_places_become_one_that_the_rule_names() {
        let spans = vec![
            span(4, 9, "password", Rank::Structure),
            span(6, 13, "npm-access-token", Rank::Rule(4)),
        ];
        let settled = settle(spans, &[]);
        let mut counts = Counts::default();
        assert_eq!(
            hide("key=abcdefghi end", &settled, &mut counts),
            "key=[REDACTED:npm-access-token] end"
        );
        assert_eq!(counts.total(), 1);
    }

    #[test]
    fn a_place_that_touches_a_marker_is_left_alone() {
        let text = "a [REDACTED:x] b";
        let spans = vec![
            span(0, 5, "y", Rank::Rule(4)),
            span(15, 16, "z", Rank::Rule(4)),
        ];
        assert_eq!(settle(spans, &markers(text)).len(), 1);
    }
}
