//! Private keys in armour: whole, cut at either end, escaped, quoted or with line prefixes.
//!
//! A key is a frame and a body of base64 lines. Agents print keys with line numbers, as diffs, as
//! JSON strings and only in part, so that the body is followed run by run and what may stand
//! between two runs is passed over. A frame without a body is left.

use super::span::{Rank, Span};
use super::text::{after_escape_letters, before, byte, line_break, part, stands};

/// What it hides.
pub(super) const DESCRIPTION: &str = "a private key in armour, whole or cut";

/// Id of what is hidden here.
pub(super) const PRIVATE_KEY: &str = "private-key";
/// Longest key, in bytes; the rest of a longer one is left to the second pass.
const KEY_LIMIT: usize = 65_536;
/// Shortest run of base64 that is a line of a key by itself.
const LINE: usize = 16;

/// Words that a key begins or ends with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Frame {
    /// `-----BEGIN`
    Begin,
    /// `-----END`
    End,
    /// `Private-Lines:`
    Putty,
}

/// The words and their frames.
pub(super) const FRAMES: &[(&str, Frame)] = &[
    ("-----BEGIN", Frame::Begin),
    ("-----END", Frame::End),
    ("Private-Lines:", Frame::Putty),
];

/// Looks at a frame; adds the places to hide.
pub(super) fn look<'e>(
    text: &[u8],
    frame: Frame,
    start: usize,
    end: usize,
    from: usize,
    spans: &mut Vec<Span<'e>>,
) {
    match frame {
        Frame::Begin => {
            if let Some(body) = frame_end(text, end) {
                forward(text, start, body, spans);
            }
        }
        Frame::Putty => {
            // The number of lines stands before them.
            let number = part(text, end, end + 12)
                .iter()
                .take_while(|byte| **byte == b' ' || byte.is_ascii_digit())
                .count();
            let body = skip_gap(text, end + number, end + number + 32);
            forward(text, body, body, spans);
        }
        Frame::End => {
            if let Some(close) = frame_end(text, end) {
                backward(text, start, close, from, spans);
            }
        }
    }
}

/// End of the line `-----BEGIN … PRIVATE KEY…-----` whose first word ends at `at`.
fn frame_end(text: &[u8], at: usize) -> Option<usize> {
    let line = part(text, at, at + 80);
    let dashes = memchr::memmem::find(line, b"-----")?;
    let name = line.get(..dashes)?;
    let plain = name
        .iter()
        .all(|byte| byte.is_ascii_alphanumeric() || b" .".contains(byte));
    let private = memchr::memmem::find(name, b"PRIVATE KEY").is_some();
    (plain && private).then_some(at + dashes + 5)
}

/// Hides a key from its frame on.
fn forward<'e>(text: &[u8], start: usize, body: usize, spans: &mut Vec<Span<'e>>) {
    let limit = (start + KEY_LIMIT).min(text.len());
    let mut pieces = Pieces {
        from: start,
        end: start,
        spans,
    };
    let mut at = body;
    let mut lines = 0usize;
    while at < limit {
        let place = gap_end(text, at, limit, &mut pieces);
        if part(text, place, place + 8) == b"-----END" {
            if lines > 0 {
                pieces.end = frame_end(text, place + 8).unwrap_or(place + 8);
            }
            break;
        }
        let run = run_end(text, place, limit);
        if run == place {
            break;
        }
        let header = header_end(text, place, run);
        if header > run {
            at = header;
            continue;
        }
        if is_number_of_line(text, place, run) {
            at = run;
            continue;
        }
        let next = skip_gap(text, run, limit);
        let last = part(text, next, next + 8) == b"-----END" || part(text, run - 1, run) == b"=";
        if !(is_body(part(text, place, run))
            || lines > 0 && (last || part(text, place, place + 1) == b"="))
        {
            break;
        }
        lines += 1;
        pieces.end = run;
        at = run;
    }
    if lines > 0 {
        pieces.close();
    }
}

/// Hides the lines before the end of a key whose beginning is missing.
fn backward<'e>(text: &[u8], end: usize, close: usize, from: usize, spans: &mut Vec<Span<'e>>) {
    let floor = from.max(end.saturating_sub(KEY_LIMIT));
    let mut at = end;
    let mut first = end;
    let mut lines = 0usize;
    while at > floor {
        let run_end = back_over_gap(text, at, floor);
        if run_end == at {
            break;
        }
        let mut start = run_end;
        while start > floor && is_base64(before(text, start)) {
            start -= 1;
        }
        start = after_escape_letters(text, start).min(run_end);
        let run = part(text, start, run_end);
        if is_number_of_line(text, start, run_end) && lines > 0 && !run.is_empty() {
            at = start;
            continue;
        }
        if run.is_empty() || !(is_body(run) || lines == 0) {
            break;
        }
        lines += 1;
        first = start;
        at = start;
    }
    let long = part(text, first, end).len() >= LINE;
    if lines > 0 && long && !part(text, first, end).contains(&b'"') {
        spans.push(Span {
            start: first,
            end: close,
            id: PRIVATE_KEY,
            rank: Rank::Rule(usize::MAX),
            secret: false,
            bare: false,
        });
    }
}

/// Pieces of a key: a quote between two of them stays where it is.
struct Pieces<'a, 'e> {
    from: usize,
    end: usize,
    spans: &'a mut Vec<Span<'e>>,
}

impl Pieces<'_, '_> {
    fn close(&mut self) {
        if self.end > self.from {
            self.spans.push(Span {
                start: self.from,
                end: self.end,
                id: PRIVATE_KEY,
                rank: Rank::Rule(usize::MAX),
                secret: false,
                bare: false,
            });
        }
    }
}

/// First place behind what may stand between two lines of a key; a quote ends the piece.
fn gap_end(text: &[u8], at: usize, limit: usize, pieces: &mut Pieces<'_, '_>) -> usize {
    let end = skip_gap(text, at, limit);
    let gap = part(text, at, end);
    if let Some(last) = memchr::memrchr3(b'"', b'\'', b'`', gap) {
        pieces.close();
        pieces.from = at + last + 1;
        pieces.end = pieces.from;
    }
    end
}

fn skip_gap(text: &[u8], at: usize, limit: usize) -> usize {
    let mut place = at;
    while place < limit {
        let break_length = line_break(text, place);
        match byte(text, place) {
            _ if break_length > 0 => {
                place += break_length;
                // A `+` or `-` in the first column is the sign of a diff.
                if matches!(byte(text, place), b'+' | b'-' | b'>') && byte(text, place + 1) != b'-'
                {
                    place += 1;
                }
            }
            b'\\' if byte(text, place + 1) == b't' => place += 2,
            b'\\' if matches!(byte(text, place + 1), b'"' | b'\\') => place += 1,
            b' ' | b'\t' | b'"' | b'\'' | b'`' | b',' | b'|' | b'>' | b':' => place += 1,
            b'+' if byte(text, place + 1) == b' ' => place += 1,
            0xE2 if part(text, place, place + 3) == "→".as_bytes() => place += 3,
            0xE2 if part(text, place, place + 3) == "│".as_bytes() => place += 3,
            _ => break,
        }
    }
    place
}

fn back_over_gap(text: &[u8], at: usize, floor: usize) -> usize {
    let mut place = at;
    while place > floor {
        match before(text, place) {
            b'\n' | b'\r' | b' ' | b'\t' | b'|' | b':' => place -= 1,
            b'n' | b'r' | b't' if place - floor >= 2 && byte(text, place - 2) == b'\\' => {
                place -= 2;
                while place > floor && before(text, place) == b'\\' {
                    place -= 1;
                }
            }
            b'+' | b'-' if place - floor >= 2 && byte(text, place - 2) == b'\n' => place -= 1,
            0x92 if part(text, place.saturating_sub(3), place) == "→".as_bytes() => place -= 3,
            _ => break,
        }
    }
    place
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+/=_".contains(&byte)
}

fn run_end(text: &[u8], at: usize, limit: usize) -> usize {
    let window = part(text, at, limit);
    at + window
        .iter()
        .position(|byte| !is_base64(*byte))
        .unwrap_or(window.len())
}

/// A run that prose and code do not have.
fn is_body(run: &[u8]) -> bool {
    let mixed = run
        .iter()
        .any(|byte| byte.is_ascii_digit() || b"+/=".contains(byte))
        && run.iter().any(u8::is_ascii_alphabetic);
    run.len() >= 40 || run.len() >= LINE && mixed
}

/// Digits that a tab, an arrow, a colon or a bar follows.
fn is_number_of_line(text: &[u8], start: usize, end: usize) -> bool {
    let digits = part(text, start, end);
    digits.len() <= 6
        && digits.iter().all(u8::is_ascii_digit)
        && (matches!(byte(text, end), b'\t' | b':' | b'|' | b' ' | 0xE2)
            || stands(text, end, b"\\t"))
}

/// End of a header line like `Proc-Type: 4,ENCRYPTED`, whose first word ends at `run`.
fn header_end(text: &[u8], start: usize, run: usize) -> usize {
    let known = [
        &b"Proc"[..],
        b"DEK",
        b"Comment",
        b"Version",
        b"Hash",
        b"Charset",
    ];
    if !known.contains(&part(text, start, run)) {
        return run;
    }
    let window = part(text, run, run + 120);
    let length = (0..window.len())
        .find(|at| line_break(window, *at) > 0)
        .unwrap_or(window.len());
    run + length
}
