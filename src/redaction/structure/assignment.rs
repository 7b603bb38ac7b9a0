//! A secret's name, a separator and a value: `"password": "…"`, `TOKEN=…`, `<secret>…</secret>`,
//! `--api-key …`, `my password is …`.

use super::super::gate::{self, Setting};
use super::super::name::{RawName, Strength};
use super::super::span::MARKER;
use super::super::text::{
    after_escape_letters, before, byte, line_break, part, skip_blanks, stands,
};
use super::Finder;
use super::quote;
use super::value::{Value, ends_line, value_at, whole_end};

/// Bytes of a key that are looked at before and behind the word that was found.
const KEY_REACH: (usize, usize) = (64, 32);

/// Longest block scalar that is followed, in bytes.
const BLOCK_LIMIT: usize = 16_384;

/// Words of prose between a name and its value.
const PROSE: &[&[u8]] = &[
    b"is now ",
    b"is ",
    b"was ",
    b"to ",
    b"as ",
    b"es ",
    b"ist ",
    b"est ",
    "é ".as_bytes(),
    b"will be ",
    b"by ",
];

/// The same words of languages without blanks.
const JOINED_PROSE: &[&str] = &["是", "为", "は"];

/// A key and what stands around it.
struct Key {
    start: usize,
    end: usize,
    /// End of the quote behind it; equal to `end` without one.
    closed: usize,
}

/// A separator and where the value may begin.
struct Separator {
    kind: Kind,
    value: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Colon,
    Equals,
    /// `value` of a name and value pair, or a member of a list.
    Pair,
    /// Only blanks, as behind a flag or in `.netrc`.
    Blank,
    Prose,
    Element,
}

impl<'e> Finder<'e, '_> {
    /// Looks at a place where a secret's name may end.
    pub(super) fn name(&mut self, start: usize, end: usize) {
        if self.is_hidden(start) || end <= self.looked {
            return;
        }
        let Some((key, group)) = self.key(start, end) else {
            return;
        };
        match group.strength {
            Strength::Header => self.credentials(key.closed),
            Strength::Cookie => self.cookies(key.closed),
            _ => {
                self.looked = key.end;
                if let Some((start, end)) = self.assigned(&key, group) {
                    self.hide(start, end, &group.id);
                }
            }
        }
    }

    fn key(&self, start: usize, end: usize) -> Option<(Key, &'e RawName)> {
        let text = self.text;
        let named = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
        let mut from = start;
        while from > start.saturating_sub(KEY_REACH.0)
            && (named(before(text, from)) || before(text, from) == b'.')
        {
            from -= 1;
        }
        let mut from = after_escape_letters(text, from).min(start);
        let coded = part(text, from, from + 2).iter().all(u8::is_ascii_hexdigit);
        if before(text, from) == b'%' && coded && from + 2 <= start {
            from += 2;
        }
        if stands(text, from.saturating_sub(7), b"mot de ") && stands(text, from, b"passe") {
            from -= 7;
        }
        let mut to = end;
        while to < end + KEY_REACH.1 && named(byte(text, to)) {
            to += 1;
        }
        let group = self.names.group(part(text, from, to))?;
        let mut closed = to + quote::closing_length(text, to);
        if closed > to && matches!(byte(text, closed), b']' | b')') {
            closed += 1;
        }
        Some((
            Key {
                start: from,
                end: to,
                closed,
            },
            group,
        ))
    }

    fn assigned(&self, key: &Key, group: &RawName) -> Option<(usize, usize)> {
        let text = self.text;
        let separator = separator(text, key)?;
        let flag = part(text, key.start, key.start + 1) == b"-";
        if separator.kind == Kind::Blank && !flag && group.strength != Strength::Password {
            return None;
        }
        if stands(text, separator.value, MARKER.as_bytes()) {
            return None;
        }
        let query = matches!(before(text, key.start), b'?' | b'&')
            || part(text, key.start.saturating_sub(5), key.start).ends_with(b"&amp;");
        let mut at = separator.value;
        let mut kind = separator.kind;
        if kind == Kind::Colon
            && key.closed == key.end
            && let Some(behind) = behind_type(text, at)
        {
            at = behind;
            kind = Kind::Equals;
        }
        let value = if kind == Kind::Element {
            element(text, at)?
        } else {
            value_at(text, at, query)?
        };
        let setting = setting(text, key, kind, at, &value);
        // `PASS:` begins many a line that has nothing to do with passwords.
        let short = key.end - key.start <= 4 && kind == Kind::Colon && !setting.json;
        let strength = match (kind, group.strength) {
            // A list of names is no list of values.
            (Kind::Pair, Strength::Password) => Strength::Credential,
            (_, Strength::Password) if short && !setting.quoted => return None,
            (_, Strength::Password) if short => Strength::Credential,
            (Kind::Prose, Strength::Credential) => Strength::Likely,
            (_, strength) => strength,
        };
        let shown = part(text, value.start, value.end);
        if kind == Kind::Blank && !self.blank_is_enough(key, group, &value) {
            return None;
        }
        // `identified by` is SQL only where a quote follows; `pass as` is an ordinary verb.
        let by = kind == Kind::Prose && stands(text, key.end, b" by ");
        let sign = before(text, value.start);
        let pass = kind == Kind::Prose && key.end - key.start <= 4;
        if pass || by && !matches!(sign, b'\'' | b'"') {
            return None;
        }
        if kind == Kind::Prose && !setting.quoted && gate::is_wordy(shown) {
            return None;
        }
        gate::worth_hiding(shown, strength, setting).then(|| {
            let end = whole_end(text, value, query);
            let sign = skip_blanks(text, key.closed + 1);
            let block =
                kind == Kind::Colon && matches!(byte(text, sign), b'|' | b'>') && at > sign + 1;
            let end = if block { block_end(text, at, end) } else { end };
            (value.start, end)
        })
    }

    /// Whether only blanks between a name and a value make them belong together: behind a flag,
    /// in `.netrc` (`login X password Y`) and in SQL (`USER x PASSWORD 'y'`).
    fn blank_is_enough(&self, key: &Key, group: &RawName, value: &Value) -> bool {
        let text = self.text;
        let shown = part(text, value.start, value.end);
        if part(text, key.start, key.start + 1) == b"-" {
            return !shown.starts_with(b"-")
                && (value.close.is_some() || !shown.iter().all(u8::is_ascii_lowercase));
        }
        if group.strength != Strength::Password || key.end - key.start < 6 {
            return false;
        }
        let name = part(text, key.start, key.end);
        if name == b"requirepass" || name == b"masterauth" {
            return true;
        }
        if name.ends_with(b"SecureString") {
            return value.close.is_some();
        }
        let line = part(text, key.start.saturating_sub(96), key.start);
        let mut words = line
            .rsplit(u8::is_ascii_whitespace)
            .filter(|word| !word.is_empty());
        let (last, second) = (
            words.next().unwrap_or_default(),
            words.next().unwrap_or_default(),
        );
        let has = |word: &[u8]| memchr::memmem::find(&line.to_ascii_lowercase(), word).is_some();
        let quoted = value.close.is_some() && before(text, value.start) == b'\'';
        // `login X account Y password Z`
        let account = second == b"account" && has(b"login ");
        account
            || second.ends_with(b"login")
            || last.ends_with(b"login")
            || quoted
                && [&b"user "[..], b"role ", b"identified"]
                    .iter()
                    .any(|word| has(word))
            || quoted && last.eq_ignore_ascii_case(b"with")
    }
}

/// Finds the separator behind a key.
fn separator(text: &[u8], key: &Key) -> Option<Separator> {
    let quoted = key.closed > key.end;
    let mut at = skip_blanks(text, key.closed);
    if matches!(byte(text, at), b'?' | b'!') && byte(text, at + 1) == b':' {
        at += 1;
    }
    let found = |kind, length: usize| {
        let value = skip_blanks(text, at + length);
        Some(Separator {
            kind,
            value: block_scalar(text, value, kind),
        })
    };
    match (byte(text, at), byte(text, at + 1)) {
        (b':', b'=') | (b'=', b'>') | (b'=' | b'!', b'=') => {
            found(Kind::Equals, 2 + usize::from(byte(text, at + 2) == b'='))
        }
        (b':', b':') => None,
        (b':', _) => found(Kind::Colon, 1),
        (b'=', _) => found(Kind::Equals, 1),
        (b'%', b'3') if stands(text, at, b"%3d") => found(Kind::Equals, 3),
        (0xEF, 0xBC) if byte(text, at + 2) == 0x9A => found(Kind::Colon, 3),
        (b'>', _) if before(text, key.start) == b'<' || names_entry(text, key) => {
            found(Kind::Element, 1)
        }
        (b'(', b'\'') if !quoted && part(text, key.start, key.end) == b"PASSWORD" => {
            found(Kind::Equals, 1)
        }
        (b' ', _) if before(text, key.start) == b'<' => None,
        (b'|', b' ') => found(Kind::Prose, 1),
        _ => pair(text, key, quoted).or_else(|| {
            let letter = matches!(
                byte(text, at) | 0x20,
                b'i' | b'w' | b't' | b'a' | b'e' | b'b' | 0xE3
            );
            let value = PROSE
                .iter()
                .find(|word| letter && at > key.end && stands(text, at, word))
                .map(|word| skip_blanks(text, at + word.len()));
            let joined = JOINED_PROSE
                .iter()
                .find(|word| byte(text, at) >= 0xE0 && stands(text, at, word.as_bytes()))
                .map(|word| skip_blanks(text, at + word.len()));
            match value.or(joined) {
                Some(value) => Some(Separator {
                    kind: Kind::Prose,
                    value,
                }),
                None if quoted && byte(text, at) == b',' => found(Kind::Pair, 1),
                None if at > key.end && stands(text, at, b"string = ") => {
                    found(Kind::Equals, b"string =".len())
                }
                None if !quoted && at > key.end => Some(Separator {
                    kind: Kind::Blank,
                    value: at,
                }),
                None => None,
            }
        }),
    }
}

/// Whether a quoted key is the name of an element: `<entry key="db.password">`.
fn names_entry(text: &[u8], key: &Key) -> bool {
    let head = part(text, key.start.saturating_sub(8), key.start);
    let signs = head
        .iter()
        .rev()
        .take_while(|byte| matches!(byte, b'"' | b'\'' | b'\\'))
        .count();
    let head = part(head, 0, head.len() - signs);
    signs > 0 && (head.ends_with(b"key=") || head.ends_with(b"name="))
}

/// Start of the value of a YAML block scalar, or the place itself.
fn block_scalar(text: &[u8], at: usize, kind: Kind) -> usize {
    if kind != Kind::Colon || !matches!(byte(text, at), b'|' | b'>') {
        return at;
    }
    let mut sign = at + 1;
    while sign < at + 3 && matches!(byte(text, sign), b'-' | b'+' | b'1'..=b'9') {
        sign += 1;
    }
    match line_break(text, sign) {
        0 => at,
        gap => skip_blanks(text, sign + gap),
    }
}

/// End of the lines of a block scalar whose first line begins at `start` and ends at `end`: those
/// that are indented as far.
fn block_end(text: &[u8], start: usize, end: usize) -> usize {
    let indent = |at: usize| {
        let head = part(text, at.saturating_sub(40), at);
        head.iter().rev().take_while(|byte| **byte == b' ').count()
    };
    let first = indent(start);
    let mut end = end;
    while first > 0 && end < start + BLOCK_LIMIT {
        let gap = line_break(text, end);
        let line = skip_blanks(text, end + gap);
        let length = part(text, line, line + BLOCK_LIMIT)
            .iter()
            .take_while(|byte| !matches!(byte, 0..=31 | b'"' | b'\\'))
            .count();
        if gap == 0 || length == 0 || indent(line) < first {
            break;
        }
        end = line + length;
    }
    end
}

/// `name: X` followed by `value: …`: the value belongs to the name.
fn pair(text: &[u8], key: &Key, quoted: bool) -> Option<Separator> {
    let mut at = key.closed;
    let mut broken = quoted;
    while at < key.closed + 48 {
        let gap = line_break(text, at);
        match byte(text, at) {
            _ if gap > 0 => {
                broken = true;
                at += gap;
            }
            b' ' | b'\t' | b',' | b';' => at += 1,
            _ => break,
        }
    }
    let start = at + quote::closing_length(text, at);
    if !broken || !stands(text, start, b"value") {
        return None;
    }
    let end = start + 5;
    let sign = skip_blanks(text, end + quote::closing_length(text, end));
    matches!(byte(text, sign), b':' | b'=').then(|| Separator {
        kind: Kind::Equals,
        value: skip_blanks(text, sign + 1),
    })
}

/// Start of the value in `name: Type = value`.
fn behind_type(text: &[u8], at: usize) -> Option<usize> {
    let window = part(text, at, at + 40);
    let length = window
        .iter()
        .take_while(|byte| byte.is_ascii_alphanumeric() || b"_.&<>[]|' ".contains(byte))
        .count();
    let named = window
        .first()
        .is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'&');
    (named && byte(text, at + length) == b'=' && byte(text, at + length - 1) == b' ')
        .then(|| skip_blanks(text, at + length + 1))
}

/// The text of an XML element.
fn element(text: &[u8], at: usize) -> Option<Value> {
    const DATA: &[u8] = b"<![CDATA[";
    let data = stands(text, at, DATA);
    let at = if data { at + DATA.len() } else { at };
    let close = if data { b']' } else { b'<' };
    let window = part(text, at, at + super::value::LOOK);
    let length = memchr::memchr2(close, b'\n', window)?;
    let clean = !window
        .get(..length)?
        .iter()
        .any(|byte| matches!(byte, b'"' | b'\\'));
    (clean && length > 0).then_some(Value {
        start: at,
        end: at + length,
        close: None,
    })
}

fn setting(text: &[u8], key: &Key, kind: Kind, at: usize, value: &Value) -> Setting {
    let name = part(text, key.start, key.end);
    let capitals = !name.iter().any(u8::is_ascii_lowercase);
    let flag = name.starts_with(b"--");
    let tight = kind == Kind::Equals && at == key.end + 1;
    let head = part(text, key.start.saturating_sub(64), key.start);
    let begins = head
        .iter()
        .rev()
        .take_while(|byte| !matches!(byte, b'\n'))
        .all(|byte| matches!(byte, b' ' | b'\t' | b'-' | b'#'))
        || head.ends_with(b"\\n");
    let connection = tight && matches!(before(text, key.start), b';' | b'?' | b'&');
    let statement = tight && begins && ends_line(text, value.end);
    Setting {
        quoted: value.close.is_some() || kind == Kind::Element,
        plain: tight && (capitals || flag || connection || statement)
            || kind == Kind::Blank && value.close.is_none(),
        whole_line: kind == Kind::Colon && begins && ends_line(text, value.end),
        json: key.closed > key.end && kind == Kind::Colon,
    }
}
