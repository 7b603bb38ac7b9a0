//! Hashes of passwords in files of users, and private members of JSON Web Keys.

use super::super::text::{before, byte, part, skip_blanks};
use super::{Finder, HASH, JWK, quote};

/// Bytes around the type of a key in which its members are looked for.
const KEY_SIZE: usize = 8192;
/// Members of a JSON Web Key that only its owner has.
const PRIVATE: &[&[u8]] = &[b"d", b"p", b"q", b"dp", b"dq", b"qi", b"k"];

impl Finder<'_, '_> {
    /// A hash in a field of `shadow` or `htpasswd`, whose colon stands at `start`.
    pub(super) fn hash(&mut self, start: usize) {
        let user = before(self.text, start);
        if !user.is_ascii_alphanumeric() && !b"_-".contains(&user) {
            return;
        }
        let window = part(self.text, start + 1, start + 256);
        let length = window
            .iter()
            .take_while(|byte| byte.is_ascii_alphanumeric() || b"$./=,+".contains(byte))
            .count();
        if length >= 24 {
            self.hide(start + 1, start + 1 + length, HASH);
        }
    }

    /// The private members around the type member of a JSON Web Key.
    pub(super) fn jwk(&mut self, start: usize, end: usize) {
        if start < self.keys {
            return;
        }
        let from = start.saturating_sub(KEY_SIZE);
        let from = from + memchr::memrchr(b'{', part(self.text, from, start)).unwrap_or(0);
        let window = part(self.text, end, end + KEY_SIZE);
        let to = end + memchr::memchr(b'}', window).unwrap_or(window.len());
        let mut at = from;
        while let Some(sign) = memchr::memchr(b'"', part(self.text, at, to)) {
            at += sign + 1;
            let length = PRIVATE
                .iter()
                .filter(|name| part(self.text, at, at + name.len()) == **name)
                .filter(|name| quote::closing_length(self.text, at + name.len()) > 0)
                .map(|name| name.len())
                .max();
            if let Some(length) = length {
                self.member(at + length);
            }
        }
        self.keys = to;
    }

    fn member(&mut self, at: usize) {
        let colon = skip_blanks(self.text, at + quote::closing_length(self.text, at));
        let value = skip_blanks(self.text, colon + 1);
        let Some((length, _)) = quote::opening(self.text, value) else {
            return;
        };
        let start = value + length;
        let body = part(self.text, start, start + KEY_SIZE)
            .iter()
            .take_while(|byte| byte.is_ascii_alphanumeric() || b"_-=".contains(byte))
            .count();
        if byte(self.text, colon) == b':' && body >= 16 {
            self.hide(start, start + body, JWK);
        }
    }
}
