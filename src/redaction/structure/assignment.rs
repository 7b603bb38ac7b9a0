//! A secret's name, a separator and a value: `"password": "…"`, `TOKEN=…`, `<secret>…</secret>`,
//! `--api-key …`, `my password is …`.

use super::super::alphabet::Alphabet;
use super::super::gate::{self, Setting};
use super::super::name::{RawName, Strength};
use super::super::span::MARKER;
use super::super::text::{
    after_escape_letters, before, byte, line_break, part, skip_blanks, stands,
};
use super::Finder;
use super::around::{
    METHODS, behind_form, is_argument, is_declared, is_property, is_sql, line_before, names_user,
    told,
};
use super::block::{block_end, block_scalar};
use super::distant;
use super::quote;
use super::value::{Value, ends_line, value_at, whole_end};

/// Bytes of a key that are looked at before and behind the word that was found.
const KEY_REACH: (usize, usize) = (64, 32);

/// What the key behind the word that was found is made of, and what the whole path to it.
static IN_NAME: Alphabet = Alphabet::words_and(b"_-");
static IN_PATH: Alphabet = Alphabet::words_and(b"_-.");

/// What the type of a variable is written with.
static IN_TYPE: Alphabet = Alphabet::words_and(b"_.&<>[]|' ");

/// Words of prose between a name and its value that begin with a byte; of two that fit, the longer
/// one comes first.
const fn prose(first: u8) -> &'static [&'static [u8]] {
    match first.to_ascii_lowercase() {
        b'i' => &[b"is: ", b"is set to ", b"is now ", b"is ", b"ist "],
        b'w' => &[
            b"was: ",
            b"was set to ",
            b"was changed to ",
            b"was reset to ",
            b"was ",
            b"will be ",
        ],
        b'h' => &[
            b"has been set to ",
            b"has been changed to ",
            b"has been reset to ",
        ],
        b'c' => &[b"changed to "],
        b's' => &[b"set to "],
        b'r' => &[b"reset to "],
        b'l' => &[b"lautet "],
        b't' => &[b"to "],
        b'a' => &[b"as "],
        b'e' => &[b"es ", b"est "],
        b'b' => &[b"by "],
        0xC3 => &[b"\xC3\xA9 "], // é
        _ => &[],
    }
}

/// The same words of languages without blanks.
const JOINED_PROSE: &[&str] = &["是", "为", "は"];

/// A key and what stands around it.
pub(super) struct Key {
    pub(super) start: usize,
    pub(super) end: usize,
    /// End of the quote behind it; equal to `end` without one.
    pub(super) closed: usize,
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
    /// The argument of a method that sets it.
    Call,
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
        self.looked = key.end;
        match group.strength {
            Strength::Header => self.credentials(key.closed),
            Strength::Cookie => self.cookies(key.closed),
            _ => {
                if let Some((start, end)) = self.assigned(&key, group) {
                    self.hide(start, end, &group.id);
                }
            }
        }
    }

    fn key(&mut self, start: usize, end: usize) -> Option<(Key, &'e RawName)> {
        let text = self.text;
        let mut from = start;
        while from > start.saturating_sub(KEY_REACH.0) && IN_PATH.has(before(text, from)) {
            from -= 1;
        }
        let mut from = after_escape_letters(text, from).min(start);
        let coded = || part(text, from, from + 2).iter().all(u8::is_ascii_hexdigit);
        if before(text, from) == b'%' && from + 2 <= start && coded() {
            from += 2;
        }
        if stands(text, from.saturating_sub(7), b"mot de ") && stands(text, from, b"passe") {
            from -= 7;
        }
        let mut to = end;
        while to < end + KEY_REACH.1 && IN_NAME.has(byte(text, to)) {
            to += 1;
        }
        let group = self.recent.group(self.names, text, (from, to))?;
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
        if let Some(found) = far(text, key, group.strength) {
            return Some(found);
        }
        let mut separator = separator(text, key)?;
        let flag = part(text, key.start, key.start + 1) == b"-";
        let declared = separator.kind == Kind::Blank && is_declared(text, key);
        if separator.kind == Kind::Blank {
            separator.value = behind_form(text, key, separator.value);
            let known = flag || declared || separator.value > skip_blanks(text, key.closed);
            if !known && group.strength != Strength::Password {
                return None;
            }
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
            // A list of names is no list of values, but an argument is one.
            (Kind::Pair, Strength::Password) if !is_argument(text, key, &value) => {
                Strength::Credential
            }
            (_, Strength::Password) if short && !setting.quoted => {
                let shown = part(text, value.start, value.end);
                let (line, _) = line_before(text, key);
                if !gate::random_like(shown, 8) || !names_user(line) {
                    return None;
                }
                Strength::Password
            }
            (_, Strength::Password) if short => Strength::Credential,
            (Kind::Prose, Strength::Credential) => Strength::Likely,
            (_, strength) => strength,
        };
        let shown = part(text, value.start, value.end);
        if kind == Kind::Blank && !declared && !self.blank_is_enough(key, group, &value) {
            return None;
        }
        if kind == Kind::Call && (!setting.quoted || shown.iter().all(u8::is_ascii_alphabetic)) {
            return None;
        }
        // `identified by` is SQL only where a quote follows; `pass as` is an ordinary verb.
        let by = kind == Kind::Prose && stands(text, key.end, b" by ");
        let sign = before(text, value.start);
        let pass = kind == Kind::Prose && key.end - key.start <= 4;
        let sql = by && is_sql(text, key, shown);
        if pass || by && !sql && !matches!(sign, b'\'' | b'"') {
            return None;
        }
        let prose = kind == Kind::Prose && !setting.quoted;
        if prose && METHODS.iter().any(|word| stands(shown, 0, word.as_bytes())) {
            return None;
        }
        let wordy = prose && gate::is_wordy(shown);
        if wordy && !sql && !(group.strength == Strength::Password && told(text, key, &value)) {
            return None;
        }
        let setting = Setting {
            plain: setting.plain || sql,
            ..setting
        };
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
            || gate::random_like(shown, 8) && names_user(line_before(text, key).0)
            || is_property(text, key, value)
    }
}

/// A value that belongs to a name and does not stand behind it.
fn far(text: &[u8], key: &Key, strength: Strength) -> Option<(usize, usize)> {
    let quoted = key.closed > key.end;
    let name = part(text, key.start, key.end);
    let value = if let Some(at) = distant::next_element(text, key.end) {
        element(text, at)?
    } else if quoted && let Some(at) = distant::block_default(text, key.start, key.closed) {
        value_at(text, at, false).filter(|value| value.close.is_some())?
    } else if name.len() >= 4 && stands(name, name.len() - 4, b"auth") {
        let at = key.end + usize::from(byte(text, key.end) == b'=');
        let value = distant::second_of_two(text, skip_blanks(text, at))?;
        return judged(text, value, Strength::Password);
    } else if strength == Strength::Password && name.len() >= 6 {
        distant::answer(text, key.end)?
    } else {
        return None;
    };
    judged(text, value, strength)
}

fn judged(text: &[u8], value: Value, strength: Strength) -> Option<(usize, usize)> {
    let setting = Setting {
        quoted: true,
        ..Setting::default()
    };
    let shown = part(text, value.start, value.end);
    gate::worth_hiding(shown, strength, setting).then_some((value.start, value.end))
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
            value: match kind {
                Kind::Colon => block_scalar(text, value),
                _ => value,
            },
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
        (b'|', b'|') | (b'?', b'?' | b':') => {
            let assigns = usize::from(byte(text, at + 2) == b'=');
            let value = skip_blanks(text, at + 2 + assigns);
            let text_follows = matches!(byte(text, value), b'"' | b'\'' | b'`' | b'\\');
            text_follows.then_some(Separator {
                kind: Kind::Equals,
                value,
            })
        }
        (b'(', b'"' | b'\'' | b'\\') if !quoted && sets(text, key) => found(Kind::Call, 1),
        (b'(', b'\'') if !quoted && part(text, key.start, key.end) == b"PASSWORD" => {
            found(Kind::Equals, 1)
        }
        (b' ', _) if before(text, key.start) == b'<' => None,
        (b'|', b' ') => found(Kind::Prose, 1),
        _ => pair(text, key, quoted).or_else(|| {
            let value = prose(byte(text, at))
                .iter()
                .find(|word| at > key.end && stands(text, at, word))
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

/// Whether a name is that of a method that sets a password: `.password(…)`, `setPassword(…)`.
fn sets(text: &[u8], key: &Key) -> bool {
    let name = part(text, key.start, key.end);
    let name = name.rsplit(|sign| *sign == b'.').next().unwrap_or(name);
    let method = name.len() < key.end - key.start || before(text, key.start) == b'.';
    let setter = [&b"set"[..], b"with"]
        .iter()
        .any(|word| stands(name, 0, word));
    method && (setter || [&b"password"[..], b"passwd"].contains(&name))
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
    let opens = byte(text, at);
    if !matches!(
        opens,
        b'v' | b'V' | b'"' | b'\'' | b'`' | b'\\' | b'&' | b'%' | 128..
    ) {
        return None;
    }
    let head = part(text, key.start.saturating_sub(6), key.start);
    if !broken && !head.ends_with(b"name: ") && !head.ends_with(b"key: ") {
        return None;
    }
    let start = at + quote::closing_length(text, at);
    if !stands(text, start, b"value") {
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
    let length = window.iter().take_while(|byte| IN_TYPE.has(**byte)).count();
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
