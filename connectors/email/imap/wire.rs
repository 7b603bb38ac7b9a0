//! Lines and literals of IMAP (RFC 9051, section 4), from a server that nobody vouches for.
//!
//! Taken as they come and taken apart with patience: servers send unclosed lists and atoms of odd
//! characters, and one such answer must not cost the mails behind it.

use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};

use super::stream::Stream;

/// Longest response without its literals: the numbers of two million mails.
const LINES: u64 = 16 * 1024 * 1024;
/// Longest literal; what a server announces beyond it is no mail.
const LITERAL: u64 = 4 * 1024 * 1024 * 1024;
/// How deep lists are taken apart.
const DEPTH: usize = 32;

/// A connection with a buffer.
pub(super) struct Wire(BufReader<Stream>);

/// Bytes that the server announced by their number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Literal {
    pub(super) bytes: Vec<u8>,
    /// Whether there was more than was wanted; the rest is gone.
    pub(super) is_cut: bool,
}

/// A part of a response.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// Text between literals, without line end.
    Line(Vec<u8>),
    /// A literal.
    Literal(Literal),
}

impl Wire {
    pub(super) fn new(stream: Stream) -> Self {
        Self(BufReader::with_capacity(64 * 1024, stream))
    }

    /// The connection itself; refused when the server has already sent more, which would be read
    /// as if it had come under TLS.
    pub(super) fn into_stream(self) -> io::Result<Stream> {
        match self.0.buffer() {
            [] => Ok(self.0.into_inner()),
            _ => Err(ErrorKind::InvalidData.into()),
        }
    }

    pub(super) fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        let stream = self.0.get_mut();
        stream.write_all(bytes)?;
        stream.flush()
    }

    /// Reads one response. Of its literals no more than `budget` bytes are kept, which is lowered
    /// by them.
    pub(super) fn response(&mut self, budget: &mut usize) -> io::Result<Vec<Piece>> {
        let mut pieces = Vec::new();
        let mut left = LINES;
        loop {
            let mut line = Vec::new();
            self.0.by_ref().take(left).read_until(b'\n', &mut line)?;
            left -= u64::try_from(line.len()).unwrap_or(left).min(left);
            if line.pop() != Some(b'\n') {
                let kind = match left {
                    0 => ErrorKind::InvalidData,
                    _ => ErrorKind::UnexpectedEof,
                };
                return Err(kind.into());
            }
            if line.last() == Some(&b'\r') {
                line.pop();
            }
            let announced = match pieces.is_empty() && is_status(&line) {
                true => None,
                false => announced(&line),
            };
            let Some((start, length)) = announced else {
                pieces.push(Piece::Line(line));
                return Ok(pieces);
            };
            line.truncate(start);
            pieces.push(Piece::Line(line));
            pieces.push(Piece::Literal(self.literal(length, budget)?));
        }
    }

    fn literal(&mut self, length: u64, budget: &mut usize) -> io::Result<Literal> {
        if length > LITERAL {
            return Err(ErrorKind::InvalidData.into());
        }
        let kept = length.min(u64::try_from(*budget).unwrap_or(u64::MAX));
        let room = usize::try_from(kept).unwrap_or(0).min(256 * 1024);
        let mut bytes = Vec::with_capacity(room);
        let mut read = self.0.by_ref().take(kept).read_to_end(&mut bytes)?;
        *budget -= read.min(*budget);
        let rest = length - kept;
        let passed = io::copy(&mut self.0.by_ref().take(rest), &mut io::sink())?;
        read += usize::try_from(passed).unwrap_or(0);
        if u64::try_from(read).unwrap_or(0) < length {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        let is_cut = rest > 0;
        Ok(Literal { bytes, is_cut })
    }
}

/// Whether a line holds text for people, in which braces mean nothing.
fn is_status(line: &[u8]) -> bool {
    let Some(rest) = line.strip_prefix(b"* ") else {
        // A continuation, or the end of a command.
        return true;
    };
    let word = rest.split(|byte| *byte == b' ').next().unwrap_or_default();
    ["OK", "NO", "BAD", "BYE", "PREAUTH"]
        .iter()
        .any(|status| word.eq_ignore_ascii_case(status.as_bytes()))
}

/// Where at the end of a line a literal is announced (`{5}`, `{5+}`, `~{5}`), and its length.
fn announced(line: &[u8]) -> Option<(usize, u64)> {
    let inside = line.strip_suffix(b"}")?;
    let inside = inside.strip_suffix(b"+").unwrap_or(inside);
    let open = inside.iter().rposition(|byte| *byte == b'{')?;
    let digits = std::str::from_utf8(inside.get(open + 1..)?).ok()?;
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let before = line.get(..open)?;
    let start = match before.last() {
        Some(b'~') => open - 1,
        _ => open,
    };
    // A number too long to be one is read as one too long to be taken.
    Some((start, digits.parse().unwrap_or(u64::MAX)))
}

/// A part of a response that was taken apart.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// A word, a number or NIL.
    Atom(Vec<u8>),
    /// A quoted text or a literal.
    Text(Literal),
    /// A list in parentheses.
    List(Vec<Self>),
}

impl Value {
    /// A word or text as it stands; empty for a list.
    pub(super) fn bytes(&self) -> &[u8] {
        match self {
            Self::Atom(bytes) => bytes,
            Self::Text(text) => &text.bytes,
            Self::List(_) => &[],
        }
    }

    /// The number that a word is.
    pub(super) fn number(&self) -> Option<u64> {
        std::str::from_utf8(self.bytes()).ok()?.parse().ok()
    }

    /// The parts of a list.
    pub(super) fn list(&self) -> &[Self] {
        match self {
            Self::List(values) => values,
            Self::Atom(_) | Self::Text(_) => &[],
        }
    }
}

/// Takes a response apart; lists that nobody closes end with it.
pub(super) fn values(pieces: Vec<Piece>) -> Vec<Value> {
    let mut open = Open::default();
    for piece in pieces {
        match piece {
            Piece::Line(line) => open.line(&line),
            Piece::Literal(literal) => open.push(Value::Text(literal)),
        }
    }
    while !open.above.is_empty() {
        open.close();
    }
    open.here
}

/// The list that is being read, and those that it stands in.
#[derive(Default)]
struct Open {
    here: Vec<Value>,
    above: Vec<Vec<Value>>,
}

impl Open {
    fn push(&mut self, value: Value) {
        self.here.push(value);
    }

    fn close(&mut self) {
        if let Some(above) = self.above.pop() {
            let list = std::mem::replace(&mut self.here, above);
            self.push(Value::List(list));
        }
    }

    fn line(&mut self, mut rest: &[u8]) {
        while let Some((first, after)) = rest.split_first() {
            rest = after;
            match first {
                b' ' => {}
                b'(' if self.above.len() < DEPTH => {
                    let above = std::mem::take(&mut self.here);
                    self.above.push(above);
                }
                b'(' => {}
                b')' => self.close(),
                b'"' => {
                    let (bytes, after) = quoted(rest);
                    let is_cut = false;
                    self.push(Value::Text(Literal { bytes, is_cut }));
                    rest = after;
                }
                first => {
                    let length = atom(rest);
                    let (more, after) = rest.split_at_checked(length).unwrap_or((rest, &[]));
                    let mut word = vec![*first];
                    word.extend_from_slice(more);
                    self.push(Value::Atom(word));
                    rest = after;
                }
            }
        }
    }
}

/// A quoted text without its first quote, and what follows it.
fn quoted(text: &[u8]) -> (Vec<u8>, &[u8]) {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        match (first, rest.split_first()) {
            (b'"', _) => break,
            (b'\\', Some((escaped, after))) => {
                bytes.push(*escaped);
                rest = after;
            }
            _ => bytes.push(*first),
        }
    }
    (bytes, rest)
}

/// How far a word goes on; between brackets it holds anything (`BODY[HEADER.FIELDS (DATE)]`).
fn atom(rest: &[u8]) -> usize {
    let mut inside = false;
    let end = rest.iter().position(|byte| {
        match byte {
            b'[' => inside = true,
            b']' => inside = false,
            _ => {}
        }
        !inside && matches!(byte, b' ' | b'(' | b')')
    });
    end.unwrap_or(rest.len())
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn taken(line: &[u8]) -> String {
        fn write(values: &[Value]) -> String {
            let words = values.iter().map(|value| match value {
                Value::List(inner) => format!("({})", write(inner)),
                Value::Text(text) => format!("'{}'", String::from_utf8_lossy(&text.bytes)),
                Value::Atom(word) => String::from_utf8_lossy(word).into_owned(),
            });
            words.collect::<Vec<_>>().join(" ")
        }
        write(&values(vec![Piece::Line(line.to_vec())]))
    }

    #[test]
    fn responses_are_taken_apart_also_when_they_are_not_whole() {
        for (line, expected) in [
            (
                &br#"* 1 FETCH (UID 5 FLAGS (\Seen) BODY[HEADER.FIELDS (A B)]<0> "x\"y")"#[..],
                r#"* 1 FETCH (UID 5 FLAGS (\Seen) BODY[HEADER.FIELDS (A B)]<0> 'x"y')"#,
            ),
            (b"* 1 FETCH (UID 5 (a", "* 1 FETCH (UID 5 (a))"),
            (b") a) b", "a b"),
            (b"\"open", "'open'"),
            (b"a(b)c", "a (b) c"),
            (b"\"\\", "'\\'"),
        ] {
            assert_eq!(taken(line), expected);
        }
        let deep = taken(&b"(".repeat(100_000));
        assert_eq!(deep, format!("{}{}", "(".repeat(DEPTH), ")".repeat(DEPTH)));
    }

    #[test]
    fn literals_are_announced_at_the_end_of_a_line_and_not_in_texts_for_people() {
        for (line, expected) in [
            (&b"* 1 FETCH (BODY[] {12}"[..], Some((18, 12))),
            (b"x {5+}", Some((2, 5))),
            (b"x ~{5}", Some((2, 5))),
            (b"x {99999999999999999999}", Some((2, u64::MAX))),
            (b"x {}", None),
            (b"x {-1}", None),
            (b"x 5}", None),
        ] {
            assert_eq!(announced(line), expected);
        }
        assert!(is_status(b"* ok see {5}") && is_status(b"j1 NO {5}") && is_status(b"+ {5}"));
        assert!(!is_status(b"* 1 FETCH (BODY[] {12}"));
    }

    proptest! {
        #[test]
        fn any_bytes_are_taken_apart(lines in vec(vec(any::<u8>(), 0..60), 0..6)) {
            let pieces = |lines: &[Vec<u8>]| -> Vec<Piece> {
                lines.iter().map(|line| Piece::Line(line.clone())).collect()
            };
            for line in &lines {
                let (start, _) = announced(line).unwrap_or_default();
                prop_assert!(start <= line.len());
                is_status(line);
            }
            drop(super::super::fetched::Fetched::read(values(pieces(&lines))));
        }

        #[test]
        fn what_looks_like_a_response_is_taken_apart(
            text in "(FETCH |UID |[0-9]{1,12} |BODY\\[[A-Z]*\\](<[0-9]+>)? |\\(|\\)|\"|NIL|\\\\|INTERNALDATE \"[0-9A-Za-z: +-]{0,26}\" ){0,30}",
        ) {
            let line = format!("1 FETCH ({text}");
            let values = values(vec![Piece::Line(line.into_bytes())]);
            drop(super::super::fetched::Fetched::read(values));
        }
    }
}
