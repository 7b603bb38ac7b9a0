//! Credentials in headers: schemes, bare values and cookies.

use super::super::base64;
use super::super::gate::{self, Setting};
use super::super::name::Strength;
use super::super::text::{before, byte, part, skip_blanks};
use super::value::{bare_end, value_at};
use super::{AUTH_HEADER, COOKIE, Finder, quote};

/// Longest header that is looked at, in bytes.
const HEADER_LIMIT: usize = 16_384;
/// Parts of the names of cookies that open a session.
const SESSION_NAMES: &[&[u8]] = &[
    b"sess",
    b"sid",
    b"token",
    b"auth",
    b"jwt",
    b"csrf",
    b"xsrf",
    b"remember",
    b"login",
    b"secret",
];

impl Finder<'_, '_> {
    /// The value of an Authorization header, whose name (and quote) ends at `at`.
    pub(super) fn credentials(&mut self, at: usize) {
        let Some(start) = behind_separator(self.text, at) else {
            return;
        };
        let Some(value) = value_at(self.text, start, false) else {
            return;
        };
        let first = value.start;
        let word = part(self.text, first, first + 24)
            .iter()
            .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'-')
            .count();
        let scheme = word > 1
            && byte(self.text, first + word) == b' '
            && byte(self.text, first).is_ascii_alphabetic();
        if !scheme {
            self.bare_credentials(first);
            return;
        }
        let secret = skip_blanks(self.text, first + word);
        self.scheme_value(secret, 6);
        self.parameters(secret);
    }

    /// The value behind `Bearer` or `Basic` outside of a header.
    pub(super) fn scheme(&mut self, end: usize) {
        let start = skip_blanks(self.text, end);
        let basic = before(self.text, end) == b' ';
        if self.is_hidden(start) || !basic && start == end {
            return;
        }
        let stop = bare_end(self.text, start, start + HEADER_LIMIT, true);
        let value = part(self.text, start, stop);
        let fits = if basic {
            is_basic(value)
        } else {
            gate::random_like(value, 14)
        };
        if fits && gate::worth_hiding(value, Strength::Credential, QUOTED) {
            self.hide(start, stop, AUTH_HEADER);
        }
    }

    fn bare_credentials(&mut self, start: usize) {
        let end = bare_end(self.text, start, start + HEADER_LIMIT, false);
        let value = part(self.text, start, end);
        if gate::worth_hiding(value, Strength::Credential, QUOTED) {
            self.hide(start, end, AUTH_HEADER);
        }
    }

    fn scheme_value(&mut self, start: usize, shortest: usize) {
        let end = bare_end(self.text, start, start + HEADER_LIMIT, false);
        let value = part(self.text, start, end);
        let parameter = value.contains(&b'=')
            && value
                .iter()
                .take_while(|byte| byte.is_ascii_alphabetic())
                .count()
                > 1
            && byte(
                value,
                value
                    .iter()
                    .take_while(|byte| byte.is_ascii_alphanumeric())
                    .count(),
            ) == b'='
            && !value.ends_with(b"=");
        let word = gate::is_wordy(value) && value.iter().all(|byte| !byte.is_ascii_digit());
        let fits = value.len() >= shortest && !word && !parameter;
        if fits && gate::worth_hiding(value, Strength::Password, QUOTED) {
            self.hide(start, end, AUTH_HEADER);
        }
    }

    /// Signatures and responses of schemes with parameters (Digest, AWS4, OAuth).
    fn parameters(&mut self, start: usize) {
        if start < self.headers {
            return;
        }
        let header = part(self.text, start, start + 1024);
        let line = header
            .iter()
            .position(|byte| matches!(byte, b'\n' | b'\r'))
            .unwrap_or(header.len());
        let line = part(header, 0, line);
        self.headers = start + line.len();
        for name in [
            &b"response="[..],
            b"ignature=",
            b"token=",
            b"oauth_token=",
            b"key=",
        ] {
            let Some(found) = memchr::memmem::find(line, name) else {
                continue;
            };
            let Some(value) = value_at(self.text, start + found + name.len(), true) else {
                continue;
            };
            let shown = part(self.text, value.start, value.end);
            if gate::worth_hiding(shown, Strength::Credential, QUOTED) {
                self.hide(value.start, value.end, AUTH_HEADER);
            }
        }
    }

    /// The pairs of a Cookie or Set-Cookie header, whose name (and quote) ends at `at`.
    pub(super) fn cookies(&mut self, at: usize) {
        let Some(start) = behind_separator(self.text, at) else {
            return;
        };
        let place = start + quote::opening(self.text, start).map_or(0, |(length, _)| length);
        self.cookie_list(place, place + HEADER_LIMIT);
    }

    /// Cookies one after the other, from a place on.
    pub(super) fn cookie_list(&mut self, start: usize, limit: usize) {
        let mut place = start;
        while place < limit {
            place = skip_blanks(self.text, place);
            let name = part(self.text, place, place + 128)
                .iter()
                .take_while(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(byte))
                .count();
            if name == 0 || byte(self.text, place + name) != b'=' {
                return;
            }
            let from = place + name + 1;
            let end = bare_end(self.text, from, limit, false);
            let (key, value) = (
                part(self.text, place, place + name),
                part(self.text, from, end),
            );
            if is_session(key, value) {
                self.hide(from, end, COOKIE);
            }
            place = end;
            if byte(self.text, place) != b';' {
                return;
            }
            place += 1;
        }
    }
}

const QUOTED: Setting = Setting {
    quoted: true,
    plain: false,
    whole_line: false,
    json: false,
};

fn is_session(key: &[u8], value: &[u8]) -> bool {
    let key = key.to_ascii_lowercase();
    let named = SESSION_NAMES
        .iter()
        .any(|word| memchr::memmem::find(&key, word).is_some());
    let shortest = if named { 6 } else { 16 };
    value.len() >= shortest
        && !gate::is_reference(value)
        && !gate::is_placeholder_token(value)
        && !super::super::span::holds_marker(value)
        && (named || gate::random_like(value, 16))
}

/// Start of the value behind `:` or `=`, after a closing quote of the name.
fn behind_separator(text: &[u8], at: usize) -> Option<usize> {
    let at = skip_blanks(text, at);
    let length = match (byte(text, at), byte(text, at + 1)) {
        (b'=', b'>') | (b':', b'=') => 2,
        (b':' | b'=' | b',', _) => 1,
        _ => return None,
    };
    Some(skip_blanks(text, at + length))
}

/// Whether a value is base64 of `user:password` in printable characters.
fn is_basic(value: &[u8]) -> bool {
    value.len() >= 8 && base64::decode_text(value).is_some_and(|text| text.contains(':'))
}
