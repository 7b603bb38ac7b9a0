//! Lines of a JSON Lines file with their numbers and places, and the objects on a damaged line.
//!
//! Reading is streamed: the buffer grows to the longest line up to a cap; a longer line is passed
//! over in constant memory. Nothing is parsed here beyond where an object ends.

use std::borrow::Cow;
use std::io::{self, Read};

use serde_json::value::RawValue;

/// First size of the buffer, and the size it goes back to after a long line.
const BUFFER: usize = 256 * 1024;
/// How many places on a damaged line are tried as the beginning of an object.
const TRIES: usize = 64;

/// One line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'a> {
    /// Zero-based number, counted from where the reading began.
    pub number: u64,
    /// Byte offset of its beginning.
    pub offset: u64,
    /// Byte offset after it, its line feed included.
    pub end: u64,
    /// What stands on it.
    pub content: Content<'a>,
    /// Whether it ends with a line feed; the last line of a file that is being written may not.
    pub terminated: bool,
}

/// What stands on a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content<'a> {
    /// Its bytes without line feed, carriage return and byte order mark.
    Bytes(&'a [u8]),
    /// It is longer than the cap and was passed over.
    TooLong,
}

/// Reads lines one by one.
#[derive(Debug)]
pub struct Lines<R> {
    input: R,
    buffer: Vec<u8>,
    /// The part of the buffer that is read and not yet handed out.
    start: usize,
    filled: usize,
    /// Offset in the file of `buffer[start]`.
    offset: u64,
    number: u64,
    cap: usize,
    ended: bool,
}

impl<R: Read> Lines<R> {
    /// Reads lines from an input that stands at byte `offset` of its file, the beginning of a
    /// line. A line of more than `cap` bytes is passed over.
    pub fn new(input: R, offset: u64, cap: usize) -> Self {
        Self {
            input,
            buffer: Vec::new(),
            start: 0,
            filled: 0,
            offset,
            number: 0,
            cap,
            ended: false,
        }
    }

    /// Gives the next line the number `number`, for readings that begin in the middle.
    pub fn renumber(&mut self, number: u64) {
        self.number = number;
    }

    /// Byte offset of the next line.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The next line, or `None` at the end.
    ///
    /// # Errors
    /// That of the input.
    #[expect(
        clippy::should_implement_trait,
        reason = "a line borrows from its reader"
    )]
    pub fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        let mut searched = 0;
        loop {
            let waiting = self.buffer.get(self.start..self.filled).unwrap_or_default();
            let fresh = waiting.get(searched..).unwrap_or_default();
            if let Some(at) = memchr::memchr(b'\n', fresh) {
                return Ok(Some(self.take(searched + at, true)));
            }
            searched = waiting.len();
            if self.ended {
                return Ok((searched > 0).then(|| self.take(searched, false)));
            }
            if searched > self.cap {
                return self.pass_over().map(Some);
            }
            self.fill()?;
        }
    }

    /// Hands out a line of `length` bytes that stands whole in the buffer.
    fn take(&mut self, length: usize, terminated: bool) -> Line<'_> {
        let whole = length + usize::from(terminated);
        let (offset, number, from) = (self.offset, self.number, self.start);
        self.start += whole;
        self.advance(whole);
        let bytes = self.buffer.get(from..from + length).unwrap_or_default();
        let bytes = match bytes.strip_prefix(b"\xef\xbb\xbf") {
            Some(rest) if offset == 0 => rest,
            _ => bytes,
        };
        Line {
            number,
            offset,
            end: self.offset,
            content: if length > self.cap {
                Content::TooLong
            } else {
                Content::Bytes(bytes.strip_suffix(b"\r").unwrap_or(bytes))
            },
            terminated,
        }
    }

    fn advance(&mut self, bytes: usize) {
        self.offset += u64::try_from(bytes).unwrap_or(0);
        self.number += 1;
    }

    fn fill(&mut self) -> io::Result<()> {
        self.buffer.copy_within(self.start..self.filled, 0);
        self.filled -= self.start;
        self.start = 0;
        if self.buffer.len() > BUFFER && self.filled < BUFFER / 2 {
            self.buffer.truncate(BUFFER);
            self.buffer.shrink_to_fit();
        }
        if self.buffer.len() - self.filled < BUFFER / 4 {
            let larger = (self.buffer.len() * 2).clamp(BUFFER, self.cap.saturating_add(BUFFER));
            self.buffer.resize(larger.max(self.filled + BUFFER / 4), 0);
        }
        self.read_more()
    }

    fn read_more(&mut self) -> io::Result<()> {
        let free = self.buffer.get_mut(self.filled..).unwrap_or_default();
        let read = loop {
            match self.input.read(free) {
                Err(cause) if cause.kind() == io::ErrorKind::Interrupted => {}
                other => break other?,
            }
        };
        self.filled += read;
        self.ended = read == 0;
        Ok(())
    }

    /// Reads on to the end of a line that is longer than the cap, keeping nothing of it.
    fn pass_over(&mut self) -> io::Result<Line<'static>> {
        let (offset, number) = (self.offset, self.number);
        let mut length = 0;
        let terminated = loop {
            let waiting = self.buffer.get(self.start..self.filled).unwrap_or_default();
            if let Some(at) = memchr::memchr(b'\n', waiting) {
                length += at + 1;
                self.start += at + 1;
                break true;
            }
            length += waiting.len();
            (self.start, self.filled) = (0, 0);
            self.read_more()?;
            if self.ended {
                break false;
            }
        };
        self.advance(length);
        Ok(Line {
            number,
            offset,
            end: self.offset,
            content: Content::TooLong,
            terminated,
        })
    }
}

/// Decodes a line, putting U+FFFD in place of what is no UTF-8.
#[must_use]
pub fn decode(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

/// The objects on a line, and whether anything else stands there.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Objects<'a> {
    /// Each object's own text, in order.
    pub texts: Vec<&'a str>,
    /// Whether something between, before or after them had to be passed over.
    pub damaged: bool,
}

/// Finds the objects on a line that does not parse as one: writers that ran at once leave several,
/// or the beginning of one with another behind it.
///
/// An object behind damage counts only if the line or another object follows it, so that a part of
/// the torn one is not taken for a record.
#[must_use]
pub fn objects(line: &str) -> Objects<'_> {
    let mut found = Objects::default();
    let mut rest = line;
    let mut tries = 0;
    loop {
        let Some(at) = memchr::memchr(b'{', rest.as_bytes()) else {
            found.damaged |= !rest.trim().is_empty();
            return found;
        };
        let (before, from) = rest.split_at(at);
        let torn = !before.trim().is_empty();
        let mut values = serde_json::Deserializer::from_str(from).into_iter::<&RawValue>();
        let object = matches!(values.next(), Some(Ok(_)));
        let (text, after) = from
            .split_at_checked(values.byte_offset())
            .unwrap_or((from, ""));
        let next = after.trim_start();
        if object && ((!torn && !found.damaged) || next.is_empty() || next.starts_with('{')) {
            found.texts.push(text);
            found.damaged |= torn;
            rest = after;
            continue;
        }
        found.damaged = true;
        tries += 1;
        if tries > TRIES {
            return found;
        }
        // Behind a torn beginning, the next place where an object can start with a key.
        rest = from.split_at(1).1;
        match memchr::memmem::find(rest.as_bytes(), b"{\"") {
            Some(next) => rest = rest.split_at(next).1,
            None => return found,
        }
    }
}

/// Puts blanks in place of control bytes, which JSON forbids inside of strings and which a crash
/// leaves behind; `None` when there are none.
#[must_use]
pub fn without_controls(line: &str) -> Option<String> {
    let is_control = |c: char| c.is_ascii_control();
    line.contains(is_control)
        .then(|| line.replace(is_control, " "))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Gives at most a few bytes at once, so that lines lie across the edges of readings.
    struct Slowly<'a>(&'a [u8], usize);

    impl Read for Slowly<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let many = self.1.min(buffer.len());
            (&mut self.0).take(many as u64).read(buffer)
        }
    }

    type Owned = (u64, u64, Option<Vec<u8>>, bool);

    fn all(bytes: &[u8], cap: usize, at_once: usize) -> Vec<Owned> {
        let mut lines = Lines::new(Slowly(bytes, at_once), 0, cap);
        let mut found = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            let content = match line.content {
                Content::Bytes(bytes) => Some(bytes.to_vec()),
                Content::TooLong => None,
            };
            found.push((line.number, line.offset, content, line.terminated));
        }
        found
    }

    #[test]
    fn lines_have_numbers_and_offsets_and_lose_their_ends() {
        let some = |text: &str| Some(text.as_bytes().to_vec());
        assert_eq!(
            all(b"\xef\xbb\xbf{}\r\n\n\xef\xbb\xbfx\nlast", 100, 3),
            [
                (0, 0, some("{}"), true),
                (1, 7, some(""), true),
                (2, 8, some("\u{feff}x"), true),
                (3, 13, some("last"), false),
            ]
        );
        assert_eq!(all(b"", 100, 3), []);
    }

    #[test]
    fn a_line_over_the_cap_is_passed_over_in_constant_memory() {
        let mut bytes = b"one\n".to_vec();
        bytes.extend(std::iter::repeat_n(b'x', 8 * BUFFER));
        bytes.extend(b"\ntwo\n");
        let mut lines = Lines::new(bytes.as_slice(), 0, 1000);
        assert!(lines.next().unwrap().is_some());
        let long = lines.next().unwrap().unwrap();
        assert_eq!(
            (long.number, long.content, long.end),
            (1, Content::TooLong, 4 + 8 * 262_144 + 1)
        );
        assert!(lines.buffer.len() <= 2 * BUFFER);
        assert_eq!(
            lines.next().unwrap().unwrap().content,
            Content::Bytes(b"two")
        );
        assert_eq!(lines.next().unwrap(), None);
    }

    #[test]
    fn objects_on_one_line_are_told_apart_from_what_is_torn() {
        let found = |line| {
            let Objects { texts, damaged } = objects(line);
            (texts, damaged)
        };
        assert_eq!(
            found(r#"{"a":1}{"b":2}"#),
            (vec![r#"{"a":1}"#, r#"{"b":2}"#], false)
        );
        assert_eq!(
            found(r#"{"a":1} , {"b":2}"#),
            (vec![r#"{"a":1}"#, r#"{"b":2}"#], true)
        );
        assert_eq!(found(r#"{"a":"x{"b":2}"#), (vec![r#"{"b":2}"#], true));
        assert_eq!(found(r#"{"a":{"b":2},"c":"#), (vec![], true));
        assert_eq!(found("[1]"), (vec![], true));
        assert_eq!(found("  "), (vec![], false));
    }

    proptest! {
        #[test]
        fn lines_are_what_stands_between_line_feeds_however_they_are_read(
            lines in prop::collection::vec("[ -~é]{0,30}", 0..20),
            ended in any::<bool>(),
            at_once in 1_usize..50,
            cap in 0_usize..40,
        ) {
            let mut text = lines.join("\n");
            if ended {
                text.push('\n');
            }
            let mut offset = 0;
            let mut expected = Vec::new();
            for (number, line) in (0..).zip(text.split_inclusive('\n')) {
                let bare = line.strip_suffix('\n').unwrap_or(line);
                let content = (bare.len() <= cap).then(|| bare.as_bytes().to_vec());
                expected.push((number, offset, content, line.ends_with('\n')));
                offset += line.len() as u64;
            }
            prop_assert_eq!(all(text.as_bytes(), cap, at_once), expected);
        }

        #[test]
        fn objects_put_on_one_line_come_apart_again(values in prop::collection::vec("[a-z\"{}\\\\ ]{0,12}", 1..5)) {
            let objects: Vec<String> = values
                .iter()
                .map(|value| serde_json::json!({ "a": value }).to_string())
                .collect();
            let line = objects.concat();
            let found = super::objects(&line);
            prop_assert_eq!(found.texts, objects);
            prop_assert!(!found.damaged);
        }
    }
}
