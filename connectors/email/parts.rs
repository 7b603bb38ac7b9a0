//! The parts of a mail: which of them are its text, and how the others are named.

use mail_parser::decoders::quoted_printable::quoted_printable_decode;
use mail_parser::{ContentType, Encoding, Message, MessagePart, MimeHeaders, PartType};

use super::calendar;
use super::charset;
use super::fields::{Fields, base64_of, single_blanks};
use super::html;
use super::lines::{self, Flow, Line};
use super::people;
use super::slim::Slim;
use super::tags;

/// How deep parts may lie in each other.
const DEPTH: usize = 24;
/// Parts that are looked at.
const MOST: usize = 500;
/// Attachments that are named.
const NAMED: usize = 50;
/// Bytes of a picture in the text below which it is an ornament.
const ORNAMENT: u64 = 20 * 1024;
/// Longest name of an attachment that is told.
const NAME: usize = 120;

/// What the parts of a mail hold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Body {
    /// The lines of its text.
    pub(super) lines: Vec<Line>,
    /// What else it holds, each in brackets: attachments, invitations, what is encrypted.
    pub(super) notes: Vec<String>,
}

/// Reads the parts of a mail.
pub(super) fn read(message: &Message<'_>, slim: &Slim) -> Body {
    let mut reader = Reader {
        slim,
        body: Body::default(),
        parts: 0,
        named: 0,
    };
    reader.message(message, true, 0);
    if reader.named > NAMED {
        let more = reader.named - NAMED;
        reader.body.notes.push(format!("[{more} more attachments]"));
    }
    reader.body
}

struct Reader<'a> {
    slim: &'a Slim,
    body: Body,
    parts: usize,
    named: usize,
}

/// A part within its message.
#[derive(Clone, Copy)]
struct At<'a> {
    message: &'a Message<'a>,
    part: &'a MessagePart<'a>,
    /// Whether offsets count from the beginning of what was kept of the mail.
    outer: bool,
    depth: usize,
}

impl<'a> At<'a> {
    fn children(self, ids: &'a [u32]) -> impl DoubleEndedIterator<Item = At<'a>> + 'a {
        let inner = move |id: &u32| {
            Some(At {
                part: self.message.part(*id)?,
                depth: self.depth + 1,
                ..self
            })
        };
        ids.iter().filter_map(inner)
    }

    fn kind(self) -> (String, String) {
        let kind = self.part.content_type();
        let lower = |text: &str| text.to_ascii_lowercase();
        let main = kind.map_or_else(|| "text".to_owned(), |kind| lower(kind.ctype()));
        let sub = kind.and_then(ContentType::subtype);
        (main, sub.map_or_else(|| "plain".to_owned(), lower))
    }

    fn is_attached(self) -> bool {
        let disposition = self.part.content_disposition();
        disposition.is_some_and(ContentType::is_attachment)
    }
}

impl Reader<'_> {
    fn message(&mut self, message: &Message<'_>, outer: bool, depth: usize) {
        if let Some(part) = message.part(0) {
            self.part(At {
                message,
                part,
                outer,
                depth,
            });
        }
    }

    fn part(&mut self, at: At<'_>) {
        self.parts += 1;
        if at.depth > DEPTH || self.parts > MOST {
            self.note("[more parts that are not read]");
            return;
        }
        match &at.part.body {
            PartType::Multipart(ids) => self.multipart(at, ids),
            PartType::Message(inner) => self.forwarded(at, inner),
            PartType::Text(_) | PartType::Html(_) if at.is_attached() => self.attachment(at),
            PartType::Text(text) => self.text(at, text),
            PartType::Html(text) => self.html(at, text),
            // Parts that name no boundary are one text.
            PartType::Binary(bytes) | PartType::InlineBinary(bytes)
                if at.kind().0 == "multipart" =>
            {
                let text = lines::clean(&charset::guess(bytes));
                self.lines(lines::read(&text, Flow::Fixed));
            }
            PartType::Binary(_) | PartType::InlineBinary(_) => self.attachment(at),
        }
    }

    fn multipart(&mut self, at: At<'_>, ids: &[u32]) {
        let (_, kind) = at.kind();
        match kind.as_str() {
            "alternative" => self.alternative(at, ids),
            "encrypted" => self.note("[encrypted message]"),
            // What is signed stands first, the signature behind it.
            "signed" => at.children(ids).take(1).for_each(|part| self.part(part)),
            "report" => {
                self.note("[automatic report]");
                at.children(ids).take(1).for_each(|part| self.part(part));
            }
            _ => at.children(ids).for_each(|part| self.part(part)),
        }
    }

    /// Of several forms of the same text the plain one is read, unless it says nothing.
    fn alternative(&mut self, at: At<'_>, ids: &[u32]) {
        let read = |part: At<'_>, reader: &Self| {
            let mut one = Reader {
                slim: reader.slim,
                body: Body::default(),
                parts: reader.parts,
                named: 0,
            };
            one.part(part);
            (one.body, one.parts)
        };
        let is_plain = |part: &At<'_>| at_kind(*part) == "text/plain";
        let (mut chosen, mut has_text): (Option<Body>, bool) = (None, false);
        // The best form stands last.
        let plain = at.children(ids).filter(is_plain);
        let others = at.children(ids).filter(|part| !is_plain(part)).rev();
        for part in plain.chain(others) {
            let is_calendar = at_kind(part) == "text/calendar";
            if has_text && !is_calendar && !matches!(part.part.body, PartType::Multipart(_)) {
                continue;
            }
            let (body, parts) = read(part, self);
            self.parts = parts;
            if is_calendar {
                self.body.notes.extend(body.notes);
            } else if !has_text {
                has_text = !is_stub(&body.lines);
                if has_text || chosen.as_ref().is_none_or(|chosen| chosen.lines.is_empty()) {
                    chosen = Some(body);
                }
            } else {
                // The text was read; pictures and files that came with another form of it remain.
                self.body.notes.extend(body.notes);
            }
        }
        if let Some(body) = chosen {
            self.body.lines.extend(body.lines);
            self.body.notes.extend(body.notes);
        }
    }

    fn forwarded(&mut self, at: At<'_>, inner: &Message<'_>) {
        let start = inner.part(0).map_or(0, |part| part.offset_header);
        let start = usize::try_from(start).unwrap_or(0);
        let head = inner.raw_message.get(start..).unwrap_or_default();
        let fields = Fields::read(head);
        let who = people::sender(&fields).shown();
        let subject = fields.text("Subject").unwrap_or_default();
        let date = fields.text("Date").unwrap_or_default();
        let told = single_blanks(&format!("{who} {date} {subject}"));
        self.body.lines.push(Line::own(format!(
            "[forwarded message: {}]",
            shortened(&told)
        )));
        let outer = at.outer && at.part.encoding == Encoding::None;
        self.message(inner, outer, at.depth + 1);
    }

    fn text(&mut self, at: At<'_>, text: &str) {
        let kind = at_kind(at);
        if kind == "text/calendar" {
            let text = decoded(at, text);
            self.body.notes.push(calendar::told(&text));
            return;
        }
        if matches!(
            kind.as_str(),
            "text/rtf" | "text/vcard" | "text/x-vcard" | "text/directory"
        ) {
            self.attachment(at);
            return;
        }
        let text = lines::clean(&decoded(at, text));
        let text = match kind.as_str() {
            "text/enriched" | "text/richtext" => tags::bare(&text),
            _ => text,
        };
        let is_flowed =
            attribute(at, "format").is_some_and(|value| value.eq_ignore_ascii_case("flowed"));
        let delete_space =
            attribute(at, "delsp").is_some_and(|value| value.eq_ignore_ascii_case("yes"));
        let flow = match is_flowed {
            true => Flow::Flowed { delete_space },
            false => Flow::Fixed,
        };
        self.lines(lines::read(&text, flow));
    }

    fn html(&mut self, at: At<'_>, text: &str) {
        let text = html::text(&decoded(at, text));
        self.lines(lines::read(&lines::clean(&text), Flow::Fixed));
    }

    /// Adds lines, with armour of PGP and encoded files in them named and taken out.
    fn lines(&mut self, lines: Vec<Line>) {
        if self.body.lines.last().is_some_and(|last| !last.is_blank()) {
            self.body.lines.push(Line::default());
        }
        let mut lines = lines.into_iter();
        while let Some(line) = lines.next() {
            let text = line.text.as_str();
            if text == "-----BEGIN PGP MESSAGE-----" {
                self.note("[encrypted message (PGP)]");
                skip_to(&mut lines, |text| text == "-----END PGP MESSAGE-----");
            } else if text == "-----BEGIN PGP SIGNED MESSAGE-----" {
                skip_to(&mut lines, |text| text.trim().is_empty());
            } else if text == "-----BEGIN PGP SIGNATURE-----" {
                skip_to(&mut lines, |text| text == "-----END PGP SIGNATURE-----");
            } else if text == "-----BEGIN PGP PUBLIC KEY BLOCK-----" {
                self.note("[PGP key]");
                skip_to(&mut lines, |text| {
                    text == "-----END PGP PUBLIC KEY BLOCK-----"
                });
            } else if let Some(name) = uuencoded(text) {
                let note = format!("[attachment: {}, uuencoded]", shortened(name));
                self.note(&note);
                skip_to(&mut lines, |text| text == "end");
            } else {
                self.body.lines.push(line);
            }
        }
    }

    fn note(&mut self, note: &str) {
        if !self.body.notes.iter().any(|said| said == note) {
            self.body.notes.push(note.to_owned());
        }
    }

    fn attachment(&mut self, at: At<'_>) {
        let (main, sub) = at.kind();
        let name = at
            .part
            .attachment_name()
            .map(|name| single_blanks(&lines::clean(name)));
        let name = name.filter(|name| !name.is_empty());
        let is_tnef = sub == "ms-tnef"
            || sub == "vnd.ms-tnef"
            || name
                .as_deref()
                .is_some_and(|name| name.eq_ignore_ascii_case("winmail.dat"));
        match (main.as_str(), sub.as_str()) {
            _ if is_tnef => {
                self.note("[attachment: winmail.dat, a container of Outlook (TNEF) that is not read; text and files may be inside]");
                return;
            }
            ("application", "pkcs7-mime" | "x-pkcs7-mime") => {
                let signed =
                    attribute(at, "smime-type").is_some_and(|kind| kind.starts_with("signed"));
                self.note(match signed {
                    true => "[signed message (S/MIME) that is not read]",
                    false => "[encrypted message (S/MIME)]",
                });
                return;
            }
            ("application", "pgp-encrypted") => {
                self.note("[encrypted message (PGP)]");
                return;
            }
            ("application", "pkcs7-signature" | "x-pkcs7-signature" | "pgp-signature") => return,
            _ => {}
        }
        let size = self.size(at);
        if main == "image" && !at.is_attached() && size < ORNAMENT && at.part.content_id().is_some()
        {
            return;
        }
        self.named += 1;
        if self.named <= NAMED {
            let name = name.as_deref().map_or("without a name", shortened);
            let note = format!("[attachment: {name}, {main}/{sub}, {}]", size_told(size));
            self.body.notes.push(note);
        }
    }

    fn size(&self, at: At<'_>) -> u64 {
        let body = usize::try_from(at.part.offset_body).unwrap_or(0);
        let left_out = self.slim.size_at(body).filter(|_| at.outer);
        left_out.unwrap_or_else(|| u64::try_from(at.part.len()).unwrap_or(0))
    }
}

fn at_kind(at: At<'_>) -> String {
    let (main, sub) = at.kind();
    match at.part.body {
        PartType::Html(_) => "text/html".to_owned(),
        _ => format!("{main}/{sub}"),
    }
}

fn attribute<'a>(at: At<'a>, name: &str) -> Option<&'a str> {
    at.part.content_type().and_then(|kind| kind.attribute(name))
}

/// The text of a part: as the parser read it where that is beyond doubt, else by our own rules for
/// charsets.
fn decoded(at: At<'_>, text: &str) -> String {
    // The parser gives up where signs stand in base64 that are none.
    let is_damaged = at.part.encoding == Encoding::None
        && at
            .part
            .content_transfer_encoding()
            .is_some_and(|encoding| encoding.eq_ignore_ascii_case("base64"));
    if text.is_ascii() && !text.contains('\u{1b}') && !is_damaged {
        return text.to_owned();
    }
    let range = |offset: u32| usize::try_from(offset).unwrap_or(0);
    let range = range(at.part.offset_body)..range(at.part.offset_end);
    let Some(raw) = at.message.raw_message.get(range) else {
        return text.to_owned();
    };
    let bytes = match at.part.encoding {
        Encoding::None if is_damaged => base64_of(raw),
        Encoding::None => raw.to_vec(),
        Encoding::Base64 => base64_of(raw),
        Encoding::QuotedPrintable => match quoted_printable_decode(raw) {
            Some(bytes) => bytes,
            None => return text.to_owned(),
        },
    };
    charset::decode(&bytes, attribute(at, "charset").map(str::as_bytes))
}

/// Whether a text says nothing but that it is to be read elsewhere.
fn is_stub(lines: &[Line]) -> bool {
    let text: Vec<&str> = lines
        .iter()
        .map(|line| line.text.trim())
        .filter(|text| !text.is_empty())
        .collect();
    let text = text.join(" ").to_lowercase();
    if text.is_empty() {
        return true;
    }
    let phrases = [
        "view this email in",
        "view in browser",
        "view this message in",
        "view it in your browser",
        "does not support html",
        "doesn't support html",
        "html-enabled",
        "html enabled",
        "html-capable",
        "im browser",
        "dans votre navigateur",
        "en tu navegador",
        "en su navegador",
        "this is an html",
        "this message is in html",
        "please enable html",
    ];
    text.chars().count() < 250 && phrases.iter().any(|phrase| text.contains(phrase))
}

fn skip_to(lines: &mut impl Iterator<Item = Line>, is_end: impl Fn(&str) -> bool) {
    for line in lines {
        if is_end(&line.text) {
            return;
        }
    }
}

/// The name of a file that is encoded within a text: `begin 644 name`.
fn uuencoded(line: &str) -> Option<&str> {
    let (mode, name) = line.strip_prefix("begin ")?.split_once(' ')?;
    let is_mode =
        matches!(mode.len(), 3 | 4) && mode.bytes().all(|byte| matches!(byte, b'0'..=b'7'));
    let is_name = !name.is_empty() && !name.contains(' ') && name.contains('.');
    (is_mode && is_name).then_some(name)
}

/// A name within its limit.
fn shortened(name: &str) -> &str {
    let end = name
        .char_indices()
        .nth(NAME)
        .map_or(name.len(), |(at, _)| at);
    name.get(..end).unwrap_or(name)
}

fn size_told(bytes: u64) -> String {
    const KB: u64 = 1024;
    match bytes {
        0..1024 => format!("{bytes} bytes"),
        _ if bytes < 10 * KB * KB => format!("{} KB", bytes.div_ceil(KB)),
        _ => format!("{} MB", bytes.div_ceil(KB * KB)),
    }
}
