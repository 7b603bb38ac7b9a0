//! One mail: what threads are made of, and what it renders to.

use std::io;

use mail_parser::MessageParser;
use mail_parser::parsers::fields::thread::thread_name;

use super::bulk::{self, Voice};
use super::dates;
use super::fields::{Fields, single_blanks};
use super::html::guarded;
use super::ids::{self, Ids};
use super::lines::{self, Line};
use super::mailbox::{Opened, Role};
use super::options::Options;
use super::parts;
use super::people::{self, Person};
use super::quotes;
use super::slim::{self, Slim};
use super::trim;
use super::words::Words;
use crate::digest;
use crate::time::Instant;

/// Lines of one mail that are looked at.
const LINES: usize = 50_000;
/// Longest subject that is told.
const SUBJECT: usize = 300;

/// Fields of which a mail has at least one.
const TELLING: &[&str] = &[
    "From",
    "To",
    "Subject",
    "Date",
    "Message-ID",
    "Received",
    "Return-Path",
    "Delivered-To",
    "Content-Type",
    "MIME-Version",
    "Sender",
    "Cc",
    "Bcc",
];

/// What the threading core needs of a mail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Head {
    /// What identifies it.
    pub(super) ids: Ids,
    /// When it was written.
    pub(super) written: Option<Instant>,
    /// What decides whether its thread is wanted.
    pub(super) voice: Voice,
    /// Whether its program has marked it as deleted without taking it out of its file.
    pub(super) is_deleted: bool,
}

impl Head {
    /// Reads a header section; `None` for what is no mail.
    ///
    /// # Errors
    /// That of the store.
    pub(super) fn read(
        opened: Opened<'_>,
        role: Role,
        server_thread: Option<u64>,
        options: &Options,
        now: Instant,
    ) -> io::Result<Option<Self>> {
        let received = opened.received;
        let slim = slim::head(opened)?;
        let fields = Fields::read(&slim.bytes);
        if !is_mail(&fields) {
            return Ok(None);
        }
        let ids = Ids::read(&fields, server_thread);
        let sender = people::sender(&fields);
        let status = fields.word("X-Mozilla-Status");
        let flags = u32::from_str_radix(&status, 16).unwrap_or(0);
        let subject = fields.text("Subject").unwrap_or_default();
        let voice = Voice {
            sender: sender.key(),
            is_own: role == Role::Sent || options.is_own(&sender.address),
            is_bulk: bulk::is_bulk(&fields, &sender),
            is_list: bulk::is_list(&fields),
            is_machine: sender.is_machine(),
            is_answer: !ids.parents.is_empty() || base_subject(&subject) != subject,
        };
        Ok(Some(Self {
            ids,
            written: written(&fields, &slim, received, now),
            voice,
            is_deleted: flags & 0x8 != 0,
        }))
    }
}

/// Makes an id for a mail that has none, of what it says.
///
/// # Errors
/// That of the store.
pub(super) fn synthetic_id(opened: Opened<'_>, cap: u64) -> io::Result<u64> {
    let slim = slim::whole(opened, cap)?;
    let end = header_end(&slim.bytes);
    let body = slim.bytes.get(end..).unwrap_or_default();
    let mut state = 0;
    // Line ends and blanks differ between copies.
    for word in body
        .split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty())
    {
        state = digest::fast(state, word);
    }
    for (_, size) in &slim.left_out {
        state = digest::fast(state, &size.to_le_bytes());
    }
    Ok(ids::synthetic(&Fields::read(&slim.bytes), state))
}

/// A mail whose text was read and is not yet compared with others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mail {
    sender: Person,
    /// When it was written.
    pub(super) written: Option<Instant>,
    subject: String,
    is_list: bool,
    lines: Vec<Line>,
    notes: Vec<String>,
    /// Whether a part of its text was left out because there is too much of it.
    pub(super) cut: bool,
}

impl Mail {
    /// Reads a mail; `None` for one that cannot be taken apart.
    ///
    /// # Errors
    /// That of the store.
    pub(super) fn read(opened: Opened<'_>, cap: u64, now: Instant) -> io::Result<Option<Self>> {
        let received = opened.received;
        let slim = slim::whole(opened, cap)?;
        Ok(guarded(|| Self::of(&slim, received, now)).flatten())
    }

    fn of(slim: &Slim, received: Option<Instant>, now: Instant) -> Option<Self> {
        let fields = Fields::read(&slim.bytes);
        if !is_mail(&fields) {
            return None;
        }
        let body = match MessageParser::default().parse(&slim.bytes) {
            Some(message) => parts::read(&message, slim),
            None => parts::Body::default(),
        };
        let mut lines = body.lines;
        let cut = slim.cut || lines.len() > LINES;
        lines.truncate(LINES);
        let subject = single_blanks(&lines::clean(&fields.text("Subject").unwrap_or_default()));
        Some(Self {
            sender: people::sender(&fields),
            written: written(&fields, slim, received, now),
            subject: subject.chars().take(SUBJECT).collect(),
            is_list: bulk::is_list(&fields),
            lines,
            notes: body.notes,
            cut,
        })
    }

    /// What it says, to recognise quotations of it.
    pub(super) fn words(&self) -> Words {
        Words::of(&self.lines, self.sender.key())
    }

    /// Its subject without the prefixes of answers; empty without one.
    pub(super) fn title(&self) -> &str {
        base_subject(&self.subject)
    }

    /// Who wrote it, as blocks show it.
    pub(super) fn who(&self) -> String {
        self.sender.shown()
    }

    /// Whether the owner of the box wrote it.
    pub(super) fn is_own(&self, options: &Options) -> bool {
        options.is_own(&self.sender.address)
    }

    /// Its text without what `earlier` mails of the thread have, nearest first.
    pub(super) fn text(self, is_first: bool, earlier: &[&Words]) -> String {
        let key = self.sender.key();
        let is_new_subject = !is_first && !self.subject.is_empty() && self.title() == self.subject;
        let lines = trim::signed_off(self.lines, self.is_list);
        let lines = quotes::without_repeated(lines, earlier);
        let lines = trim::trimmed(lines, key, earlier);
        let mut out = String::new();
        if is_new_subject {
            out.push_str(&format!("(subject: {})\n", self.subject));
        }
        for line in &lines {
            line.write(&mut out);
            out.push('\n');
        }
        for note in &self.notes {
            out.push_str(note);
            out.push('\n');
        }
        out.truncate(out.trim_end().len());
        if out.is_empty() {
            out.push_str("(no text)");
        }
        out
    }
}

fn is_mail(fields: &Fields<'_>) -> bool {
    TELLING.iter().any(|name| fields.has(name))
}

fn written(
    fields: &Fields<'_>,
    slim: &Slim,
    received: Option<Instant>,
    now: Instant,
) -> Option<Instant> {
    let separator = || {
        let line = slim.separator.as_deref()?;
        // The sender may stand before the date, and may hold blanks.
        let mut rest = line;
        loop {
            if let Some(date) = dates::read(rest) {
                return Some(date);
            }
            rest = rest.split_once(' ')?.1.trim_start();
        }
    };
    dates::written(fields, separator().or(received), now)
}

fn header_end(bytes: &[u8]) -> usize {
    let lf = memchr::memmem::find(bytes, b"\n\n").map(|at| at + 2);
    let crlf = memchr::memmem::find(bytes, b"\r\n\r\n").map(|at| at + 4);
    match (lf, crlf) {
        (Some(a), Some(b)) => a.min(b),
        (a, b) => a.or(b).unwrap_or(bytes.len()),
    }
}

/// A subject without the prefixes of answers and forwards, in whatever language, and without the
/// tags of lists.
fn base_subject(subject: &str) -> &str {
    let base = guarded(|| thread_name(subject).trim()).unwrap_or("");
    if base.is_empty() {
        subject.trim()
    } else {
        base
    }
}

#[cfg(test)]
mod tests {
    use super::super::mailbox::Opened;
    use super::*;

    fn mail(text: &str) -> Mail {
        let opened = Opened {
            bytes: Box::new(text.as_bytes()),
            received: None,
            from_quoted: false,
            size: None,
        };
        let now = Instant::parse("2026-11-30T00:00:00Z").unwrap();
        Mail::read(opened, 1 << 20, now).unwrap().unwrap()
    }

    #[test]
    fn prefixes_of_many_languages_are_no_subject() {
        for subject in [
            "Re: import",
            "AW: import",
            "Antw: Re: import",
            "SV: import",
            "Odp: import",
            "RE[2]: import",
            "Fwd: import",
            "WG: import",
            "TR: import",
            "回复: import",
            "[dev] Re: import",
            "Re: [dev] import",
        ] {
            assert_eq!(base_subject(subject), "import", "{subject}");
        }
        assert_eq!(base_subject("import: done"), "import: done");
        assert_eq!(base_subject("Re:"), "Re:");
    }

    #[test]
    fn a_mail_without_text_says_so() {
        let mail = mail("From: Ana <ana@example.org>\nSubject: x\n\n");
        assert_eq!(mail.who(), "Ana <ana@example.org>");
        assert_eq!(mail.clone().text(true, &[]), "(no text)");
        assert_eq!(mail.text(false, &[]), "(subject: x)");
    }

    #[test]
    fn a_forwarded_mail_is_told_with_its_sender() {
        let mail = mail(
            "From: a@x\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: message/rfc822\n\nFrom: Carl <c@x>\nSubject: numbers\n\ntext\n--b--\n",
        );
        assert_eq!(
            mail.text(true, &[]),
            "[forwarded message: Carl <c@x> numbers]\n\ntext"
        );
    }

    #[test]
    fn text_and_attachments_are_told() {
        let mail = mail(
            "From: a@x\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain\n\nhello\n--b\nContent-Type: application/pdf; name=\"r.pdf\"\nContent-Disposition: attachment\nContent-Transfer-Encoding: base64\n\nQUJD\n--b--\n",
        );
        assert_eq!(
            mail.text(true, &[]),
            "hello\n[attachment: r.pdf, application/pdf, 3 bytes]"
        );
    }
}
