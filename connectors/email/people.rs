//! Who wrote a mail.

use super::fields::{Fields, decode, single_blanks};
use super::lines;
use crate::digest;

/// Longest name and address that are shown.
const LONGEST: usize = 100;

/// The sender of a mail.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Person {
    /// The name as the sender wrote it; may be empty.
    pub(super) name: String,
    /// The address; may be empty.
    pub(super) address: String,
}

impl Person {
    /// `Ana Pérez <ana@example.org>`, or as much of it as there is.
    pub(super) fn shown(&self) -> String {
        match (self.name.is_empty(), self.address.is_empty()) {
            (false, false) => format!("{} <{}>", self.name, self.address),
            (false, true) => self.name.clone(),
            (true, false) => self.address.clone(),
            (true, true) => "unknown sender".to_owned(),
        }
    }

    /// Tells people apart: those who write through one address (a service that relays) by name.
    pub(super) fn key(&self) -> u64 {
        let state = digest::fast(0, self.address.to_lowercase().as_bytes());
        digest::fast(state, self.name.to_lowercase().as_bytes())
    }

    /// Whether nobody reads what is sent to this address.
    pub(super) fn is_machine(&self) -> bool {
        let local = self.address.split('@').next().unwrap_or("").to_lowercase();
        let bare: String = local.chars().filter(|c| c.is_alphanumeric()).collect();
        [
            "noreply",
            "donotreply",
            "nereply",
            "mailerdaemon",
            "postmaster",
            "bounce",
            "nepasrepondre",
            "neresponder",
            "noresponder",
        ]
        .iter()
        .any(|word| bare.starts_with(word) || bare.ends_with(word))
    }
}

/// The first person of From, else of Sender.
pub(super) fn sender(fields: &Fields<'_>) -> Person {
    let of = |name| {
        fields
            .get(name)
            .map(person)
            .filter(|person| *person != Person::default())
    };
    of("From").or_else(|| of("Sender")).unwrap_or_default()
}

/// Reads the first address of a field: `Name <address>`, `address (Name)`, `address`.
fn person(value: &[u8]) -> Person {
    let value = first(value);
    if let Some(open) = memchr::memrchr(b'<', value) {
        let (name, rest) = value.split_at(open);
        let rest = rest.get(1..).unwrap_or_default();
        let end = memchr::memchr(b'>', rest).unwrap_or(rest.len());
        let address = clean(&decode(rest.get(..end).unwrap_or_default()));
        return named(&unquoted(&decode(name)), &address);
    }
    let text = decode(value);
    if let Some((address, comment)) = text.split_once('(') {
        return named(comment.trim_end().trim_end_matches(')'), &clean(address));
    }
    match text.contains('@') {
        true => named("", &clean(&text)),
        false => named(&unquoted(&text), ""),
    }
}

fn named(name: &str, address: &str) -> Person {
    let name = clean(name.trim_matches(['<', '>', ' ', ';', ',']));
    let is_address = name.eq_ignore_ascii_case(address);
    Person {
        name: if is_address { String::new() } else { name },
        address: address.to_owned(),
    }
}

/// The field up to the comma behind its first address.
fn first(value: &[u8]) -> &[u8] {
    let (mut quoted, mut depth, mut escaped) = (false, 0_u32, false);
    for (at, byte) in value.iter().enumerate() {
        if std::mem::take(&mut escaped) {
            continue;
        }
        match byte {
            b'\\' => escaped = true,
            b'"' => quoted = !quoted,
            b'(' if !quoted => depth += 1,
            b')' if !quoted => depth = depth.saturating_sub(1),
            b',' if !quoted && depth == 0 => {
                let before = value.get(..at).unwrap_or_default();
                // `Pérez, Ana <ana@…>` was written without the quotes that it needs.
                if before.contains(&b'@') {
                    return before;
                }
            }
            _ => {}
        }
    }
    value
}

/// A name without its quotes.
fn unquoted(name: &str) -> String {
    let name = name.trim();
    let inner = name
        .strip_prefix('"')
        .and_then(|name| name.strip_suffix('"'));
    let name = inner
        .unwrap_or(name)
        .replace("\\\"", "\"")
        .replace("\\\\", "\\");
    let single = name
        .strip_prefix('\'')
        .and_then(|name| name.strip_suffix('\''));
    single.unwrap_or(&name).to_owned()
}

/// One line without what nobody sees, within the limit.
fn clean(text: &str) -> String {
    let text = single_blanks(&lines::clean(text));
    text.chars().take(LONGEST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(from: &str) -> String {
        sender(&Fields::read(format!("From: {from}\n").as_bytes())).shown()
    }

    #[test]
    fn senders_are_shown_as_they_wrote_themselves() {
        for (from, expected) in [
            ("Ana Pérez <ana@example.org>", "Ana Pérez <ana@example.org>"),
            (
                "=?utf-8?q?Ana_P=C3=A9rez?= <ana@example.org>",
                "Ana Pérez <ana@example.org>",
            ),
            (
                "\"Pérez, Ana\" <ana@example.org>, ben@example.org",
                "Pérez, Ana <ana@example.org>",
            ),
            (
                "Pérez, Ana <ana@example.org>",
                "Pérez, Ana <ana@example.org>",
            ),
            ("ana@example.org (Ana)", "Ana <ana@example.org>"),
            ("<ana@example.org>", "ana@example.org"),
            ("'ana@example.org' <ana@example.org>", "ana@example.org"),
            ("ana@example.org", "ana@example.org"),
            ("Ana\u{202e}\u{200b}", "Ana"),
            ("", "unknown sender"),
            ("\"A \\\"B\\\" C\" <a@x>", "A \"B\" C <a@x>"),
            ("Ana\n <ana@example.org>", "Ana <ana@example.org>"),
        ] {
            assert_eq!(shown(from), expected, "{from}");
        }
    }

    #[test]
    fn machines_are_told_by_their_address() {
        let is_machine = |address: &str| named("", address).is_machine();
        for address in [
            "no-reply@x",
            "NoReply@x",
            "do-not-reply@x",
            "shop-noreply@x",
            "MAILER-DAEMON@x",
        ] {
            assert!(is_machine(address), "{address}");
        }
        assert!(!is_machine("ana@x") && !is_machine("reply@x"));
    }
}
