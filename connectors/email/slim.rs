//! Reads a mail of any length and keeps what its text needs: header sections and bodies of text
//! parts, but not the bodies of attachments, of which only the size is counted.
//!
//! So a mail of 100 MB costs no more memory than its text, and nothing decodes what is thrown
//! away. What stays is a mail again, with empty attachments, and goes to the MIME parser.

use std::io::{self, BufRead, BufReader, Read};

use super::fields::Fields;
use super::mailbox::Opened;

/// Bytes that are kept of one mail; its text beyond them is left out.
const KEPT: usize = 4 * 1024 * 1024;
/// Bytes of one header section that are looked at.
const HEADERS: usize = 256 * 1024;
/// Bytes of a line that are handled at once.
const LINE: usize = 64 * 1024;
/// Parts of a mail; what follows is left out.
const PARTS: usize = 2000;
/// Boundaries that are remembered.
const BOUNDARIES: usize = 64;

/// What was kept of a mail.
#[derive(Debug, Default)]
pub(super) struct Slim {
    /// A mail without the bodies of its attachments.
    pub(super) bytes: Vec<u8>,
    /// Of each body that was left out: where it would stand, and how long it is when decoded.
    pub(super) left_out: Vec<(usize, u64)>,
    /// What the separator line of an mbox says, without `From `.
    pub(super) separator: Option<String>,
    /// Whether text was left out because there is too much of it.
    pub(super) cut: bool,
}

impl Slim {
    /// The size of the body that was left out at a place.
    pub(super) fn size_at(&self, body: usize) -> Option<u64> {
        let at = self.left_out.binary_search_by_key(&body, |(at, _)| *at);
        at.ok()
            .and_then(|at| self.left_out.get(at))
            .map(|(_, size)| *size)
    }
}

/// Reads the header section alone.
///
/// # Errors
/// That of the store.
pub(super) fn head(opened: Opened<'_>) -> io::Result<Slim> {
    let from_quoted = opened.from_quoted;
    let mut reader = BufReader::with_capacity(8 * 1024, opened.bytes);
    let mut slimmer = Slimmer::new(from_quoted);
    let mut line = Vec::new();
    while slimmer.state == State::Headers && slimmer.slim.bytes.len() < HEADERS {
        if !read_line(&mut reader, &mut line)? {
            break;
        }
        slimmer.line(&line);
    }
    Ok(slimmer.slim)
}

/// Reads a whole mail, of which at most `cap` bytes.
///
/// # Errors
/// That of the store.
pub(super) fn whole(opened: Opened<'_>, cap: u64) -> io::Result<Slim> {
    let is_longer = opened.size.is_some_and(|size| size > cap);
    let size = opened.size.unwrap_or(64 * 1024).min(64 * 1024);
    let capacity = usize::try_from(size).unwrap_or(0).max(1024);
    let mut reader = BufReader::with_capacity(capacity, opened.bytes.take(cap));
    let mut slimmer = Slimmer::new(opened.from_quoted);
    slimmer.slim.cut = is_longer;
    let mut line = Vec::new();
    while read_line(&mut reader, &mut line)? {
        slimmer.line(&line);
    }
    slimmer.close_body();
    Ok(slimmer.slim)
}

/// Reads a line with its line feed, or as much of it as is handled at once.
fn read_line(reader: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    loop {
        let buffer = match reader.fill_buf() {
            Err(cause) if cause.kind() == io::ErrorKind::Interrupted => continue,
            other => other?,
        };
        if buffer.is_empty() {
            return Ok(!line.is_empty());
        }
        let end = memchr::memchr(b'\n', buffer);
        let wanted = end.map_or(buffer.len(), |end| end + 1);
        let taken = wanted.min(LINE - line.len());
        line.extend(buffer.iter().take(taken));
        reader.consume(taken);
        if line.ends_with(b"\n") || line.len() >= LINE {
            return Ok(true);
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Headers,
    /// Text, or what stands around parts: kept.
    Kept,
    /// An attachment: counted.
    Counted {
        base64: bool,
    },
}

struct Slimmer {
    slim: Slim,
    state: State,
    from_quoted: bool,
    /// Whether nothing but blank lines has come so far.
    at_start: bool,
    /// Whether the line in hand goes on a line that was longer than [`LINE`].
    goes_on: bool,
    /// Where the header section in hand begins.
    headers_at: usize,
    /// Lines that end a part, without their dashes.
    boundaries: Vec<Vec<u8>>,
    /// Parts begun so far.
    parts: usize,
    /// Bytes counted of the body in hand, and where it would stand.
    counted: (usize, u64),
}

impl Slimmer {
    fn new(from_quoted: bool) -> Self {
        Self {
            slim: Slim::default(),
            state: State::Headers,
            from_quoted,
            at_start: true,
            goes_on: false,
            headers_at: 0,
            boundaries: Vec::new(),
            parts: 0,
            counted: (0, 0),
        }
    }

    fn line(&mut self, line: &[u8]) {
        let goes_on = std::mem::replace(&mut self.goes_on, !line.ends_with(b"\n"));
        if !goes_on && self.at_start && self.is_before_the_mail(line) {
            return;
        }
        if goes_on {
            self.body(line);
            return;
        }
        if self.parts > PARTS {
            self.slim.cut = true;
            return;
        }
        let line = self.without_mark(line);
        match self.state {
            State::Headers => self.header(line),
            _ if self.is_boundary(line) => {
                self.close_body();
                self.keep(line);
                self.begin_headers();
            }
            _ => self.body(self.unquoted(line)),
        }
    }

    /// Takes away what stands before a mail: blank lines, and the separator of an mbox.
    fn is_before_the_mail(&mut self, line: &[u8]) -> bool {
        if line.trim_ascii().is_empty() {
            return true;
        }
        let bare = line.strip_prefix(b">").unwrap_or(line);
        if let Some(rest) = bare.strip_prefix(b"From ") {
            let rest = String::from_utf8_lossy(rest).trim().to_owned();
            self.slim.separator.get_or_insert(rest);
            return true;
        }
        false
    }

    /// A byte order mark may stand before the first line.
    fn without_mark<'a>(&mut self, line: &'a [u8]) -> &'a [u8] {
        match std::mem::replace(&mut self.at_start, false) {
            true => line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line),
            false => line,
        }
    }

    fn unquoted<'a>(&self, line: &'a [u8]) -> &'a [u8] {
        let quotes = line.iter().take_while(|byte| **byte == b'>').count();
        let is_from = line
            .get(quotes..)
            .is_some_and(|rest| rest.starts_with(b"From "));
        match self.from_quoted && quotes > 0 && is_from {
            true => line.get(1..).unwrap_or(line),
            false => line,
        }
    }

    fn begin_headers(&mut self) {
        self.parts += 1;
        self.state = State::Headers;
        self.headers_at = self.slim.bytes.len();
    }

    fn header(&mut self, line: &[u8]) {
        // Headers beyond the limit are left out; their end is not.
        let is_end = matches!(line, b"\n" | b"\r\n");
        if is_end || self.slim.bytes.len() - self.headers_at < HEADERS {
            self.keep(line);
        }
        if is_end {
            self.state = self.body_of_headers();
            self.counted = (self.slim.bytes.len(), 0);
        } else if self.is_boundary(line) {
            // A part that ends within its headers.
            self.headers_at = self.slim.bytes.len();
        }
    }

    /// What the header section that just ended says of the body behind it.
    fn body_of_headers(&mut self) -> State {
        let bytes = self.slim.bytes.get(self.headers_at..).unwrap_or_default();
        let fields = Fields::read(bytes);
        let kind = fields.word("Content-Type");
        let encoding = fields.word("Content-Transfer-Encoding");
        let is_attached = fields.word("Content-Disposition").starts_with("attachment");
        if kind.starts_with("multipart/") {
            let value = fields.get("Content-Type").unwrap_or_default();
            let boundary = boundary(value);
            if self.boundaries.len() < BOUNDARIES {
                self.boundaries.extend(boundary);
            }
            return State::Kept;
        }
        let is_plain = matches!(encoding.as_str(), "" | "7bit" | "8bit" | "binary");
        if kind.starts_with("message/") && is_plain {
            // The header section of the mail inside follows.
            self.headers_at = self.slim.bytes.len();
            return State::Headers;
        }
        let is_text = kind.is_empty() || !kind.contains('/') || kind.starts_with("text/");
        match is_text && !is_attached {
            true => State::Kept,
            false => State::Counted {
                base64: encoding == "base64",
            },
        }
    }

    fn body(&mut self, line: &[u8]) {
        let State::Counted { base64 } = self.state else {
            self.keep(line);
            return;
        };
        let length = match base64 {
            true => line
                .iter()
                .filter(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'))
                .count(),
            false => line.len(),
        };
        self.counted.1 += u64::try_from(length).unwrap_or(0);
    }

    fn close_body(&mut self) {
        if let State::Counted { base64 } = self.state {
            let (at, counted) = self.counted;
            let size = if base64 { counted * 3 / 4 } else { counted };
            self.slim.left_out.push((at, size));
            self.state = State::Kept;
        }
    }

    fn is_boundary(&self, line: &[u8]) -> bool {
        let Some(rest) = line.strip_prefix(b"--") else {
            return false;
        };
        let rest = rest.trim_ascii_end();
        let bare = rest.strip_suffix(b"--").unwrap_or(rest);
        self.boundaries.iter().any(|own| own == bare || own == rest)
    }

    fn keep(&mut self, line: &[u8]) {
        if self.slim.bytes.len() + line.len() > KEPT && !self.is_boundary(line) {
            self.slim.cut = true;
            return;
        }
        self.slim.bytes.extend(line);
    }
}

/// The boundary that a Content-Type names.
fn boundary(value: &[u8]) -> Option<Vec<u8>> {
    let lower = value.to_ascii_lowercase();
    let at = memchr::memmem::find(&lower, b"boundary")? + b"boundary".len();
    let rest = value
        .get(at..)?
        .trim_ascii_start()
        .strip_prefix(b"=")?
        .trim_ascii_start();
    let boundary = match rest.strip_prefix(b"\"") {
        Some(quoted) => quoted.split(|byte| *byte == b'"').next()?,
        None => rest
            .split(|byte| *byte == b';' || byte.is_ascii_whitespace())
            .next()?,
    };
    let boundary: Vec<u8> = boundary
        .iter()
        .copied()
        .filter(|byte| !matches!(byte, b'\r' | b'\n'))
        .collect();
    (!boundary.is_empty() && boundary.len() <= 500).then_some(boundary)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opened(text: &[u8], from_quoted: bool) -> Opened<'_> {
        Opened {
            bytes: Box::new(text),
            received: None,
            from_quoted,
            size: u64::try_from(text.len()).ok(),
        }
    }

    fn read(text: &str) -> Slim {
        whole(opened(text.as_bytes(), true), 1 << 20).unwrap()
    }

    const MIXED: &str = "Content-Type: multipart/mixed;\n boundary=\"b 1\"\n\n--b 1\nContent-Type: text/plain\n\nhello\n--b 1\nContent-Type: image/png; name=a.png\nContent-Transfer-Encoding: base64\n\nQUJD\nREVG\n--b 1--\n";

    #[test]
    fn text_stays_and_attachments_are_counted() {
        let slim = read(MIXED);
        let expected = MIXED.replace("QUJD\nREVG\n", "");
        assert_eq!(String::from_utf8(slim.bytes.clone()).unwrap(), expected);
        let body = expected.find("--b 1--").unwrap();
        assert_eq!(slim.left_out, [(body, 6)]);
        assert_eq!(slim.size_at(body), Some(6));
        assert!(!slim.cut);
    }

    #[test]
    fn what_stands_before_a_mail_goes_and_quoted_separators_are_restored() {
        let slim = read(
            "From ana@example.org Mon Oct 19 21:05:07 2026\n\u{feff}Subject: a\n\n>From here\n>>From there\n> From\n",
        );
        assert_eq!(
            slim.bytes,
            b"\xef\xbb\xbfSubject: a\n\nFrom here\n>From there\n> From\n"[3..]
        );
        assert_eq!(
            slim.separator.as_deref(),
            Some("ana@example.org Mon Oct 19 21:05:07 2026")
        );
        let slim = whole(
            opened(b"\xef\xbb\xbfSubject: a\n\n>From here\n", false),
            100,
        )
        .unwrap();
        assert_eq!(slim.bytes, b"Subject: a\n\n>From here\n");
    }

    #[test]
    fn a_huge_attachment_and_a_huge_text_are_not_held() {
        let line = "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5\n";
        let text = MIXED.replace("QUJD\n", &line.repeat(200_000));
        let slim = whole(opened(text.as_bytes(), false), 1 << 30).unwrap();
        assert!(slim.bytes.len() < 1000, "{}", slim.bytes.len());
        assert_eq!(slim.left_out.len(), 1);
        let one_line = format!("Subject: x\n\n{}\nend", "y".repeat(6 * 1024 * 1024));
        let slim = whole(opened(one_line.as_bytes(), false), 1 << 30).unwrap();
        assert!(slim.cut && slim.bytes.len() <= KEPT);
    }

    #[test]
    fn a_mail_beyond_the_cap_is_read_up_to_it() {
        let slim = whole(opened(b"Subject: x\n\n0123456789", false), 17).unwrap();
        assert_eq!(slim.bytes, b"Subject: x\n\n01234");
        assert!(slim.cut);
    }

    #[test]
    fn the_head_ends_at_the_blank_line() {
        let slim = head(opened(MIXED.as_bytes(), false)).unwrap();
        assert_eq!(
            slim.bytes,
            b"Content-Type: multipart/mixed;\n boundary=\"b 1\"\n\n"
        );
    }
}
