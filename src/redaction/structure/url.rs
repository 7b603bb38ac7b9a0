//! Addresses with credentials before the `@`, and lines of `.pgpass`.

use super::super::gate::{self, Setting};
use super::super::name::Strength;
use super::super::text::{after_escape_letters, before, byte, escape_ends_at, part};
use super::{Finder, PGPASS, URL_PASSWORD};

/// Longest authority that is looked at, in bytes.
const AUTHORITY: usize = 512;

const PLAIN: Setting = Setting {
    quoted: false,
    plain: true,
    whole_line: false,
    json: false,
};

impl Finder<'_, '_> {
    /// The authority behind `://`.
    pub(super) fn address(&mut self, start: usize, end: usize) {
        if self.is_hidden(start) || !before(self.text, start).is_ascii_alphanumeric() {
            return;
        }
        let limit = (end + AUTHORITY).min(self.text.len());
        let [signs, stops] = &mut self.authority;
        let sign = signs.next(self.text, end, limit, |part| memchr::memchr(b'@', part));
        if sign == limit {
            return;
        }
        let stop = stops.next(self.text, end, limit, |part| {
            part.iter().position(|byte| ends_authority(*byte))
        });
        let window = part(self.text, end, stop);
        let Some(sign) = userinfo_end(window) else {
            return;
        };
        let userinfo = part(window, 0, sign);
        match memchr::memchr(b':', userinfo) {
            Some(colon) => {
                let password = part(userinfo, colon + 1, sign);
                if is_password(password) {
                    self.hide(end + colon + 1, end + sign, URL_PASSWORD);
                } else if password.is_empty() || password == b"x-oauth-basic" {
                    self.token(end, end + colon);
                }
            }
            None => self.token(end, end + sign),
        }
    }

    /// A user name that is a token.
    fn token(&mut self, start: usize, end: usize) {
        if gate::random_like(part(self.text, start, end), 20) {
            self.hide(start, end, URL_PASSWORD);
        }
    }

    /// A line of `.pgpass`: five fields with colons between.
    pub(super) fn ports(&mut self, start: usize, end: usize) {
        let field = |byte: &&u8| byte.is_ascii_alphanumeric() || b"._-*".contains(*byte);
        let host = part(self.text, start.saturating_sub(128), start)
            .iter()
            .rev()
            .take_while(field)
            .count();
        let line = start - host;
        let line_start = after_escape_letters(self.text, line);
        let begins = matches!(
            before(self.text, line_start),
            0 | b'\n' | b'"' | b'\'' | b' ' | b'`'
        ) || escape_ends_at(self.text, line_start);
        if line_start >= start || !begins {
            return;
        }
        let mut at = end;
        for _ in 0..2 {
            let length = part(self.text, at, at + 128)
                .iter()
                .take_while(field)
                .count();
            if length == 0 || byte(self.text, at + length) != b':' {
                return;
            }
            at += length + 1;
        }
        let length = part(self.text, at, at + AUTHORITY)
            .iter()
            .position(|byte| matches!(byte, 0..=32 | b'"' | b'\'' | b'`' | b'\\'))
            .unwrap_or_else(|| part(self.text, at, at + AUTHORITY).len());
        if is_password(part(self.text, at, at + length)) {
            self.hide(at, at + length, PGPASS);
        }
    }
}

fn ends_authority(byte: u8) -> bool {
    matches!(
        byte,
        0..=32 | b'"' | b'\'' | b'`' | b'\\' | b'<' | b'>' | 127
    )
}

/// Where the user's part ends: the last `@` before the path, or the last one that a host follows.
fn userinfo_end(window: &[u8]) -> Option<usize> {
    let path = memchr::memchr3(b'/', b'?', b'#', window).unwrap_or(window.len());
    memchr::memrchr(b'@', part(window, 0, path)).or_else(|| {
        // A password may hold a raw slash; then a host name must follow the sign.
        let colon = memchr::memchr(b':', part(window, 0, path))?;
        let port = part(window, colon + 1, path).iter().all(u8::is_ascii_digit);
        let sign = memchr::memrchr(b'@', window)?;
        let host = part(window, sign + 1, window.len());
        let named = host.first().is_some_and(u8::is_ascii_alphanumeric) && host.contains(&b'.');
        (!port && named && sign < 128).then_some(sign)
    })
}

fn is_password(value: &[u8]) -> bool {
    let words: [&[u8]; 8] = [
        b"password",
        b"pass",
        b"pwd",
        b"passwd",
        b"secret",
        b"token",
        b"pw",
        b"x-oauth-basic",
    ];
    !words.iter().any(|word| value.eq_ignore_ascii_case(word))
        && !value
            .iter()
            .any(|byte| b"{}<>$()[]*".contains(byte) && !value.iter().any(u8::is_ascii_digit))
        && gate::worth_hiding(value, Strength::Password, PLAIN)
}
