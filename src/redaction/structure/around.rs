//! What stands around a secret's name and says whether a value belongs to it.

use super::super::text::{before, byte, part, skip_blanks, stands};
use super::assignment::Key;
use super::value::{Value, ends_line};

/// The text of the line before a key, as far as it is looked at, and whether the key begins it.
pub(super) fn line_before<'t>(text: &'t [u8], key: &Key) -> (&'t [u8], bool) {
    let from = key.start.saturating_sub(96);
    let head = part(text, from, key.start);
    let line = memchr::memrchr(b'\n', head).map_or(0, |at| at + 1);
    let escaped = memchr::memrchr_iter(b'\\', head)
        .find(|at| byte(head, at + 1) == b'n')
        .map_or(0, |at| at + 2);
    let line = part(head, line.max(escaped), head.len());
    (
        line,
        line.is_empty() && (from < key.start || key.start == 0),
    )
}

/// Whether a line speaks of a user, so that a word behind `password` is one.
pub(super) fn names_user(line: &[u8]) -> bool {
    let line = line.to_ascii_lowercase();
    [&b"user"[..], b"login ", b"nmcli "]
        .iter()
        .any(|word| memchr::memmem::find(&line, word).is_some())
}

/// Whether a name is set by a word before it: `ENV NAME value`, `setx NAME value`.
pub(super) fn is_declared(text: &[u8], key: &Key) -> bool {
    let head = part(text, key.start.saturating_sub(5), key.start);
    let last = before(text, key.start.saturating_sub(1));
    last == b'x' && head == b"setx "
        || last == b'V' && head.ends_with(b"ENV ") && line_before(text, key).0 == b"ENV "
}

/// Whether a line is one of a file of properties whose separator is a blank: `a.b.password value`.
pub(super) fn is_property(text: &[u8], key: &Key, value: &Value) -> bool {
    let shown = part(text, value.start, value.end);
    line_before(text, key).1
        && part(text, key.start, key.end).contains(&b'.')
        && ends_line(text, value.end)
        && shown.iter().any(u8::is_ascii_digit)
}

/// Start of the value behind what says in which form it is: `password 0 …` of routers,
/// `ConvertTo-SecureString -String …`.
pub(super) fn behind_form(text: &[u8], key: &Key, at: usize) -> usize {
    let name = part(text, key.start, key.end);
    if name.ends_with(b"SecureString") && stands(text, at, b"-String ") {
        return skip_blanks(text, at + b"-String ".len());
    }
    let form = matches!(byte(text, at), b'0' | b'5' | b'7' | b'8' | b'9');
    if !form || byte(text, at + 1) != b' ' {
        return at;
    }
    let (line, _) = line_before(text, key);
    let router = [&b"enable "[..], b"username "];
    let router = router
        .iter()
        .any(|word| memchr::memmem::find(line, word).is_some());
    if router {
        skip_blanks(text, at + 2)
    } else {
        at
    }
}

/// Whether a name and a value are arguments: `getenv('DB_PASSWORD', 'value')`.
pub(super) fn is_argument(text: &[u8], key: &Key, value: &Value) -> bool {
    let quotes = part(text, key.start.saturating_sub(8), key.start);
    let quotes = quotes
        .iter()
        .rev()
        .take_while(|sign| b"\"'\\".contains(sign));
    let opens = before(text, key.start - quotes.count()) == b'(';
    opens
        && part(text, value.start, value.end)
            .iter()
            .any(u8::is_ascii_digit)
}

/// Whether `identified by` is SQL, where a value needs no quotes.
pub(super) fn is_sql(text: &[u8], key: &Key, value: &[u8]) -> bool {
    let words = [&b"externally"[..], b"globally", b"values", b"random"];
    let line = part(text, key.start.saturating_sub(96), key.start).to_ascii_lowercase();
    let opens = [
        &b"create user "[..],
        b"alter user ",
        b"create role ",
        b"grant ",
        b"database link",
    ];
    opens
        .iter()
        .any(|word| memchr::memmem::find(&line, word).is_some())
        && !words.iter().any(|word| value.eq_ignore_ascii_case(word))
}

/// Names of methods, in which a word with digits is no password.
pub(super) const METHODS: &[&str] = &[
    "base64", "base32", "sha1", "sha2", "sha3", "sha5", "md5", "utf", "argon2", "bcrypt", "pbkdf2",
    "oauth", "http", "x509", "ed25519", "ascii", "totp", "ipv", "version",
];

/// Whether prose tells a value: letters with digits behind `is`, and not the name of a method.
pub(super) fn told(text: &[u8], key: &Key, value: &Value) -> bool {
    let shown = part(text, value.start, value.end).to_ascii_lowercase();
    let between = part(text, key.closed, value.start);
    let vague = [&b" to "[..], b" as ", b" by ", b" will be "];
    let letters = shown
        .iter()
        .filter(|sign| sign.is_ascii_alphabetic())
        .count();
    key.end - key.start >= 5
        && shown.len() >= 8
        && letters >= 4
        && shown.iter().any(u8::is_ascii_digit)
        && !vague.contains(&between)
        && !METHODS
            .iter()
            .any(|word| memchr::memmem::find(&shown, word.as_bytes()).is_some())
}
