//! Where the mails of an mbox file begin and end.
//!
//! A line `From ` begins a mail when it looks like a separator, stands behind a blank line and
//! before a header line. A `Content-Length` is believed when it leads to a separator or to the end
//! of the file. Memory is bounded: of a line only its beginning is kept.

use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::ops::Range;

/// Bytes kept of a line.
const PREFIX: usize = 512;
/// Bytes read at once.
const BUFFER: usize = 256 * 1024;
/// Lines of a header section in which a length is looked for.
const HEADER_LINES: usize = 2000;

/// One mail in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    /// Where its separator begins.
    pub(super) start: u64,
    /// Where the next one begins, or the end of the file.
    pub(super) end: u64,
    /// Whether its header section ends within it. The last one of a file in which it does not may
    /// still be being written.
    pub(super) has_headers: bool,
}

/// Finds the mails in a stretch of a file, at whose beginning one begins (0, or the start of a
/// span).
///
/// Nothing behind the stretch counts, though the file may have grown meanwhile. `each` gets the
/// spans in order and says whether to go on.
///
/// # Errors
/// That of the file.
pub(super) fn spans<F: Read + Seek>(
    file: F,
    stretch: Range<u64>,
    mut each: impl FnMut(Span) -> bool,
) -> io::Result<()> {
    let mut lines = Lines::new(file, stretch)?;
    let mut scan = Scan::default();
    loop {
        let at = lines.at;
        if !lines.next()? {
            break;
        }
        if let Some(start) = scan.line(at, &lines.line)
            && let Some(before) = scan.begin(start)
            && !each(Span {
                start: before,
                end: start,
                has_headers: true,
            })
        {
            return Ok(());
        }
        if let Some(end) = scan.ends_headers(&lines.line, lines.at)
            && lines.leads_to_separator(end)?
        {
            lines.seek(end)?;
            scan.jump();
        }
    }
    if let Some(start) = scan.start {
        each(Span {
            start,
            end: lines.at,
            has_headers: scan.header_lines.is_none(),
        });
    }
    Ok(())
}

/// What is known while lines go by.
#[derive(Default)]
struct Scan {
    /// Where the mail in hand begins.
    start: Option<u64>,
    /// A line that may be a separator, if a header line follows.
    candidate: Option<u64>,
    /// Whether something other than a blank line stands before the line in hand.
    after_text: bool,
    /// Lines of the header section so far; `None` behind it.
    header_lines: Option<usize>,
    /// What the header section says of the length.
    length: Option<u64>,
}

impl Scan {
    /// Takes a line; gives the place where a mail begins once that is certain.
    fn line(&mut self, at: u64, line: &[u8]) -> Option<u64> {
        let begun = self.candidate.take().filter(|_| is_header(line));
        let is_separator = match self.after_text {
            false => is_separator(line),
            // Thunderbird leaves the blank line out now and then.
            true => line.starts_with(b"From - ") && is_separator(line),
        };
        if is_separator {
            self.candidate = Some(at);
        }
        self.after_text = !is_blank(line);
        begun
    }

    /// Begins a mail and gives the place where the one before began.
    fn begin(&mut self, start: u64) -> Option<u64> {
        self.header_lines = Some(0);
        self.length = None;
        self.start.replace(start)
    }

    /// Looks for the length in a header line; at the end of the header section, which ends at
    /// `next`, gives the place where the mail should end.
    fn ends_headers(&mut self, line: &[u8], next: u64) -> Option<u64> {
        let lines = self.header_lines?;
        if is_blank(line) || lines > HEADER_LINES {
            self.header_lines = None;
            return next.checked_add(self.length.take()?);
        }
        self.header_lines = Some(lines + 1);
        const NAME: &[u8] = b"content-length:";
        if line
            .get(..NAME.len())
            .is_some_and(|name| name.eq_ignore_ascii_case(NAME))
        {
            let value = line.get(NAME.len()..).map(<[u8]>::trim_ascii);
            let digits = value.and_then(|value| std::str::from_utf8(value).ok());
            self.length = digits.and_then(|digits| digits.parse().ok());
        }
        None
    }

    /// Goes on behind the body whose length was believed.
    fn jump(&mut self) {
        self.after_text = false;
        self.candidate = None;
    }
}

/// Reads lines, of which only the beginning is kept.
struct Lines<F: Read + Seek> {
    file: BufReader<F>,
    /// Where the next line begins.
    at: u64,
    /// Where the last one ends.
    to: u64,
    line: Vec<u8>,
}

impl<F: Read + Seek> Lines<F> {
    fn new(mut file: F, stretch: Range<u64>) -> io::Result<Self> {
        file.seek(SeekFrom::Start(stretch.start))?;
        Ok(Self {
            file: BufReader::with_capacity(BUFFER, file),
            at: stretch.start,
            to: stretch.end,
            line: Vec::with_capacity(PREFIX),
        })
    }

    /// Reads one line, without its line feed; says whether there was one.
    fn next(&mut self) -> io::Result<bool> {
        self.line.clear();
        let begun = self.at;
        loop {
            let left = usize::try_from(self.to.saturating_sub(self.at)).unwrap_or(usize::MAX);
            let buffer = self.file.fill_buf()?;
            let buffer = buffer.get(..left).unwrap_or(buffer);
            if buffer.is_empty() {
                return Ok(self.at > begun);
            }
            let end = memchr::memchr(b'\n', buffer);
            let taken = end.unwrap_or(buffer.len());
            let room = PREFIX.saturating_sub(self.line.len()).min(taken);
            self.line.extend(buffer.iter().take(room));
            let used = end.map_or(taken, |end| end + 1);
            self.file.consume(used);
            self.at += u64::try_from(used).unwrap_or(0);
            if end.is_some() {
                return Ok(true);
            }
        }
    }

    fn seek(&mut self, to: u64) -> io::Result<()> {
        let by = i64::try_from(to).unwrap_or(i64::MAX) - i64::try_from(self.at).unwrap_or(0);
        self.file.seek_relative(by)?;
        self.at = to;
        Ok(())
    }

    /// Whether a separator or the end of the stretch stands at a place, perhaps behind blank lines.
    /// The place of reading stays.
    fn leads_to_separator(&mut self, to: u64) -> io::Result<bool> {
        let back = self.at;
        let length = self.file.get_mut().seek(SeekFrom::End(0))?;
        if to > length.min(self.to) {
            self.restart(back)?;
            return Ok(false);
        }
        self.restart(to)?;
        let mut leads = true;
        for _ in 0..4 {
            if !self.next()? {
                break;
            }
            if !is_blank(&self.line) {
                leads = is_separator(&self.line);
                break;
            }
        }
        self.restart(back)?;
        Ok(leads)
    }

    fn restart(&mut self, at: u64) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(at))?;
        self.at = at;
        Ok(())
    }
}

fn is_blank(line: &[u8]) -> bool {
    matches!(line, b"" | b"\r")
}

/// Whether a line begins with a header's name, or is a separator that was quoted.
pub(super) fn is_header(line: &[u8]) -> bool {
    if line.starts_with(b">From ") {
        return true;
    }
    let end = line.iter().position(|byte| *byte == b':').unwrap_or(0);
    let name = line.get(..end).unwrap_or_default().trim_ascii_end();
    !name.is_empty()
        && name
            .iter()
            .all(|byte| matches!(byte, b'!'..=b'9' | b';'..=b'~'))
}

/// Whether a line looks like a separator: `From ` alone, `From - …`, or with the date that
/// programs write there.
pub(super) fn is_separator(line: &[u8]) -> bool {
    const DAYS: &[&[u8]] = &[b"Mon", b"Tue", b"Wed", b"Thu", b"Fri", b"Sat", b"Sun"];
    let Some(rest) = line.strip_prefix(b"From ") else {
        return line == b"From" || line == b"From\r";
    };
    let rest = rest.trim_ascii();
    if rest.is_empty() {
        return true;
    }
    let words = || rest.split(u8::is_ascii_whitespace);
    let is_time = |word: &[u8]| {
        word.len() >= 4
            && word.contains(&b':')
            && word
                .iter()
                .all(|byte| byte.is_ascii_digit() || *byte == b':')
    };
    let has_day =
        words().any(|word| DAYS.contains(&word.trim_ascii().strip_suffix(b",").unwrap_or(word)));
    let has_time = words().any(is_time);
    has_time && (has_day || rest.starts_with(b"- "))
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn found(text: &str) -> Vec<(u64, u64)> {
        found_before(text.len(), text)
    }

    fn found_before(end: usize, text: &str) -> Vec<(u64, u64)> {
        let mut all = Vec::new();
        let mut take = |span: Span| {
            all.push((span.start, span.end));
            true
        };
        let stretch = 0..u64::try_from(end).unwrap();
        spans(Cursor::new(text.as_bytes()), stretch, &mut take).unwrap();
        all
    }

    #[test]
    fn separators_are_told_from_text() {
        for line in [
            "From ana@example.org Mon Oct 19 21:05:00 2026",
            "From 1234567890@xxx Mon Oct 19 21:05:00 +0000 2026",
            "From - Mon Oct 19 21:05:00 2026",
            "From \"odd name\"@x Mon Oct 19 21:05 2026",
            "From ",
            "From",
            "From MAILER-DAEMON Mon Oct 19 21:05:00 2026\r",
        ] {
            assert!(is_separator(line.as_bytes()), "{line}");
        }
        for line in [
            "From here on it works at 10:30",
            "From: ana@example.org",
            "From Monday on we meet at noon",
            "Frommage Mon 10:00",
        ] {
            assert!(!is_separator(line.as_bytes()), "{line}");
        }
    }

    const A: &str = "From ana@example.org Mon Oct 19 21:05:00 2026\nSubject: a\n\nhello\n\n";
    const B: &str = "From ben@example.org Mon Oct 19 21:06:00 2026\nSubject: b\n\nhi\n";

    #[test]
    fn mails_follow_each_other() {
        let (a, b) = (A.len() as u64, B.len() as u64);
        assert_eq!(found(&format!("{A}{B}")), [(0, a), (a, a + b)]);
        assert_eq!(found(""), []);
        assert_eq!(found("no mail\n"), []);
    }

    #[test]
    fn a_separator_in_a_text_begins_no_mail() {
        let text = format!(
            "{A}From here on:\nNote: that is text\n\nFrom ana@example.org Mon Oct 19 21:05:00 2026\nis what it wrote\n"
        );
        assert_eq!(found(&text), [(0, text.len() as u64)]);
        let unquoted = "From ana@example.org Mon Oct 19 21:05:00 2026\nSubject: a\n\ntext\nFrom ana@example.org Mon Oct 19 21:05:00 2026\nSubject: quoted\n";
        assert_eq!(found(unquoted), [(0, unquoted.len() as u64)]);
    }

    #[test]
    fn a_length_is_believed_when_it_leads_to_a_separator() {
        let body = "x\n\nFrom c@example.org Mon Oct 19 21:05:00 2026\nSubject: quoted\n\n";
        let head = "From ana@example.org Mon Oct 19 21:05:00 2026\nSubject: a\nContent-Length: ";
        let good = format!("{head}{}\n\n{body}\n", body.len());
        let all = format!("{good}{B}");
        let end = good.len() as u64;
        assert_eq!(found(&all), [(0, end), (end, all.len() as u64)]);
        let bad = format!("{head}7\n\n{body}\n{B}");
        assert_eq!(found(&bad).len(), 3);
        let beyond = format!("{head}{}\n\nx\n", u64::MAX);
        assert_eq!(found(&beyond).len(), 1);
    }

    #[test]
    fn what_was_written_behind_the_stretch_is_not_seen() {
        let head = "From ana@example.org Mon Oct 19 21:05:00 2026\nSubject: a\nContent-Length: ";
        for a in [A.to_owned(), format!("{head}6\n\nhello\n\n")] {
            let whole = format!("{a}{B}{A}");
            for end in 1..whole.len() {
                let cut = found(whole.get(..end).unwrap());
                assert_eq!(found_before(end, &whole), cut, "cut at {end}");
            }
        }
    }

    #[test]
    fn thunderbird_without_blank_lines_and_crlf_are_read() {
        let text = "From - Mon Oct 19 21:05:00 2026\r\nX-Mozilla-Status: 0001\r\n\r\na\r\nFrom - Mon Oct 19 21:06:00 2026\r\nX-Mozilla-Status: 0009\r\n\r\nb\r\n";
        assert_eq!(found(text).len(), 2);
    }
}
