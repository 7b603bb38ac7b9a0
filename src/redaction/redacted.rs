//! Text that has been through the redaction engine.
//!
//! Everything done to such a text here (joining, cutting) keeps that true. Nothing turns it back
//! into an unmarked `String` by accident: one asks for `as_str`.

use std::fmt;

use serde::{Serialize, Serializer};

/// Room that a mark of omission may take, in characters.
const OMISSION_ROOM: usize = 40;

/// Text that holds no known secret. Made only by the redaction engine, or read back from the
/// library file, which takes nothing else.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Redacted<T = String>(T);

impl Redacted {
    /// Marks a text as redacted; for the engine alone.
    pub(super) fn seal(text: String) -> Self {
        Self(text)
    }

    /// Takes a text back from the library file. Only `store` may call this (a test looks).
    pub(crate) fn from_library(text: String) -> Self {
        Self(text)
    }

    /// A text of the program itself.
    #[must_use]
    pub fn literal(text: &'static str) -> Self {
        Self(text.to_owned())
    }

    /// Joins redacted texts; what stands between them is the program's own.
    #[must_use]
    pub fn join<'a>(parts: impl IntoIterator<Item = &'a Self>, between: &'static str) -> Self {
        let mut out = String::new();
        for (at, part) in parts.into_iter().enumerate() {
            if at > 0 {
                out.push_str(between);
            }
            out.push_str(&part.0);
        }
        Self(out)
    }

    /// Appends a newline and another redacted text.
    pub fn push_line(&mut self, line: &Self) {
        if !self.0.is_empty() {
            self.0.push('\n');
        }
        self.0.push_str(&line.0);
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Length in Unicode scalar values.
    #[must_use]
    pub fn chars(&self) -> usize {
        bytecount(&self.0)
    }

    /// Keeps the first `limit` characters.
    #[must_use]
    pub fn truncated(mut self, limit: usize) -> Self {
        if let Some((at, _)) = self.0.char_indices().nth(limit) {
            self.0.truncate(at);
        }
        self
    }

    /// Puts single blanks in the place of line breaks and runs of blanks.
    #[must_use]
    pub fn on_one_line(&self) -> Self {
        Self(self.0.split_whitespace().collect::<Vec<_>>().join(" "))
    }

    /// Leaves out the middle of a text over `limit` characters; the result has at most `limit`.
    ///
    /// `[... N characters omitted ...]` stands in its place (data model page, Segments). A marker
    /// `[REDACTED:…]` at a cut is left out whole, never halved.
    #[must_use]
    pub fn cut_middle(self, limit: usize) -> Self {
        let length = self.chars();
        if length <= limit {
            return self;
        }
        let side = limit.saturating_sub(OMISSION_ROOM) / 2;
        let head = head_end(&self.0, side);
        let tail = tail_start(&self.0, side).max(head);
        let (first, last) = (
            self.0.get(..head).unwrap_or(""),
            self.0.get(tail..).unwrap_or(""),
        );
        let omitted = length - bytecount(first) - bytecount(last);
        Self(format!(
            "{first}\n[... {omitted} characters omitted ...]\n{last}"
        ))
    }
}

fn bytecount(text: &str) -> usize {
    // Continuation bytes are those of the form 10xxxxxx: all others begin a character.
    text.as_bytes()
        .iter()
        .filter(|byte| (**byte & 0xC0) != 0x80)
        .count()
}

const MARKER: &str = "[REDACTED:";
/// Longest marker: its opening, an id of up to 64 characters, its end.
const MARKER_LIMIT: usize = MARKER.len() + 64 + 1;

/// End of the first `count` characters, moved left out of a marker.
fn head_end(text: &str, count: usize) -> usize {
    let end = text
        .char_indices()
        .nth(count)
        .map_or(text.len(), |(at, _)| at);
    marker_around(text, end).map_or(end, |(start, _)| start)
}

/// Start of the last `count` characters, moved right out of a marker.
fn tail_start(text: &str, count: usize) -> usize {
    let start = match count {
        0 => text.len(),
        _ => text
            .char_indices()
            .nth_back(count - 1)
            .map_or(0, |(at, _)| at),
    };
    marker_around(text, start).map_or(start, |(_, end)| end)
}

/// The marker that has `at` strictly inside, if there is one.
fn marker_around(text: &str, at: usize) -> Option<(usize, usize)> {
    let mut from = at.saturating_sub(MARKER_LIMIT);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let mut until = (at + MARKER.len()).min(text.len());
    while !text.is_char_boundary(until) {
        until -= 1;
    }
    let start = from + text.get(from..until)?.rfind(MARKER)?;
    let end = start + text.get(start..)?.find(']')? + 1;
    (start < at && at < end && end - start <= MARKER_LIMIT).then_some((start, end))
}

/// Values whose every text is [`Redacted`] or the program's own words, so that their JSON is too.
pub trait Clean: Serialize {}

impl Redacted {
    /// A clean value as JSON. A value that cannot be written as JSON gives an empty text.
    #[must_use]
    pub fn json(value: &impl Clean) -> Self {
        Self(serde_json::to_string(value).unwrap_or_default())
    }
}

impl<T: Serialize> Serialize for Redacted<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<T: fmt::Display> fmt::Display for Redacted<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_loses_its_middle_and_says_how_much() {
        let text = Redacted("ä".repeat(100));
        let cut = text.cut_middle(60);
        assert_eq!(
            cut.as_str(),
            format!("{0}\n[... 80 characters omitted ...]\n{0}", "ä".repeat(10))
        );
        assert!(cut.chars() <= 60);
    }

    #[test]
    fn a_marker_at_the_cut_is_left_out_whole() {
        let text = Redacted(format!("abcde[REDACTED:anthropic_key]{}", "x".repeat(200)));
        let cut = text.cut_middle(60);
        assert!(cut.as_str().starts_with("abcde\n[... "), "{cut}");
    }

    #[test]
    fn a_text_within_the_limit_stays_as_it_is() {
        assert_eq!(Redacted("abc".to_owned()).cut_middle(3).as_str(), "abc");
    }
}
