//! Message ids, as digests; and what else says that mails belong together.

use base64::Engine;

use super::fields::{Fields, LENIENT, unfolded};
use crate::digest;
use crate::time::Instant;

/// Longest id that is believed, in bytes (the longest line of a mail).
const LONGEST: usize = 998;
/// Ids of References that are looked at: the first, and the last ones.
const MOST: usize = 100;

/// What identifies a mail and leads to others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ids {
    /// Digest of what the mail is: its Message-ID and Date. Copies of a mail share it; mails of a
    /// broken program that share only their Message-ID do not. `None` without a Message-ID.
    pub(super) mail: Option<u64>,
    /// Digests of the Message-ID, of the ids that it refers to, and of the conversation ids that
    /// mail services add. Never empty for a mail with a Message-ID, which comes first.
    pub(super) links: Vec<u64>,
    /// Digests of what it refers to, in the order of the conversation.
    pub(super) parents: Vec<u64>,
}

impl Ids {
    /// Reads them.
    pub(super) fn read(fields: &Fields<'_>, server_thread: Option<u64>) -> Self {
        let own = fields.get("Message-ID").and_then(own_id);
        let mut parents = Vec::new();
        for field in ["References", "In-Reply-To"] {
            let is_answer = field == "In-Reply-To";
            for value in fields.all(field) {
                let value = unfolded(value);
                let tokens = tokens(&value, is_answer);
                let found = tokens.filter(|id| !is_address(id, fields));
                parents.extend(found.map(|id| digest_of(&id)));
            }
        }
        let mut seen = std::collections::HashSet::new();
        parents.retain(|parent| seen.insert(*parent));
        if parents.len() > MOST {
            parents.drain(1..parents.len() - MOST + 1);
        }
        let own_digest = own.as_deref().map(digest_of);
        parents.retain(|parent| Some(*parent) != own_digest);
        let mut links: Vec<u64> = own_digest
            .into_iter()
            .chain(parents.iter().copied())
            .collect();
        links.extend(conversations(fields, server_thread));
        Self {
            mail: own.map(|id| mail_digest(&id, super::dates::header(fields))),
            links,
            parents,
        }
    }
}

/// The digest of a mail without a Message-ID: of who wrote it, when, under which subject, and of
/// its text.
pub(super) fn synthetic(fields: &Fields<'_>, body: u64) -> u64 {
    let mut bytes = b"no id\0".to_vec();
    for field in ["From", "Date", "Subject"] {
        bytes.extend(unfolded(fields.get(field).unwrap_or_default()).trim_ascii());
        bytes.push(0);
    }
    bytes.extend(body.to_be_bytes());
    digest::sha256_first8(&bytes)
}

fn mail_digest(id: &[u8], date: Option<Instant>) -> u64 {
    let mut bytes = id.to_vec();
    bytes.push(0);
    if let Some(date) = date {
        bytes.extend(date.unix().to_be_bytes());
    }
    digest::sha256_first8(&bytes)
}

fn digest_of(id: impl AsRef<[u8]>) -> u64 {
    digest::sha256_first8(id.as_ref())
}

/// The id of a mail: what stands in angle brackets, else the whole value if it is one word.
fn own_id(value: &[u8]) -> Option<Vec<u8>> {
    let value = unfolded(value);
    if let Some(id) = bracketed(&value).next() {
        return Some(id);
    }
    let bare = value.trim_ascii();
    let good =
        !bare.is_empty() && bare.len() <= LONGEST && !bare.iter().any(u8::is_ascii_whitespace);
    (good && !bare.contains(&b'<')).then(|| bare.to_vec())
}

/// The ids of a field. In-Reply-To may hold a sentence with names and addresses around the id:
/// then the last one in brackets is meant. Without brackets, words with an `@` are ids.
fn tokens(value: &[u8], is_answer: bool) -> Box<dyn Iterator<Item = Vec<u8>> + '_> {
    if value.contains(&b'<') {
        let mut found = bracketed(value);
        let is_prose = is_answer && has_prose(value);
        return match is_prose {
            true => Box::new(found.by_ref().last().into_iter()),
            false => Box::new(found),
        };
    }
    if is_answer && value.iter().any(u8::is_ascii_whitespace) {
        return Box::new(std::iter::empty());
    }
    let words = value.split(u8::is_ascii_whitespace);
    let ids = words.filter(|word| word.contains(&b'@') && word.len() <= LONGEST);
    Box::new(ids.map(<[u8]>::to_vec))
}

/// Whether letters stand outside of brackets.
fn has_prose(value: &[u8]) -> bool {
    let mut inside = false;
    value.iter().any(|byte| {
        match byte {
            b'<' => inside = true,
            b'>' => inside = false,
            _ => {}
        }
        !inside && byte.is_ascii_alphabetic()
    })
}

fn bracketed(value: &[u8]) -> impl Iterator<Item = Vec<u8>> + '_ {
    let mut rest = value;
    std::iter::from_fn(move || {
        loop {
            let start = memchr::memchr(b'<', rest)?;
            let after = rest.get(start + 1..)?;
            let length = memchr::memchr2(b'>', b'<', after)?;
            let (inner, next) = after.split_at(length);
            rest = next;
            // Folding may have put blanks into an id.
            let id: Vec<u8> = inner
                .iter()
                .copied()
                .filter(|byte| !byte.is_ascii_whitespace())
                .collect();
            let closed = next.first() == Some(&b'>');
            if closed && (3..=LONGEST).contains(&id.len()) {
                return Some(id);
            }
        }
    })
}

/// Whether what looks like an id is an address of this mail: it would join all mail of a person.
fn is_address(id: &[u8], fields: &Fields<'_>) -> bool {
    ["From", "To", "Cc", "Reply-To", "Sender"]
        .iter()
        .any(|name| {
            fields.all(name).any(|value| {
                let at = memchr::memmem::find_iter(value, id);
                let boundary =
                    |byte: Option<&u8>| byte.is_none_or(|byte| !byte.is_ascii_alphanumeric());
                at.into_iter().any(|at| {
                    let before = at.checked_sub(1).and_then(|before| value.get(before));
                    boundary(before) && boundary(value.get(at + id.len()))
                })
            })
        })
}

/// Conversation ids: of Gmail, from the server or as an export carries it; of Outlook, whose first
/// 22 bytes stay the same within a conversation.
fn conversations(fields: &Fields<'_>, server_thread: Option<u64>) -> Vec<u64> {
    let exported = fields.word("X-GM-THRID").parse().ok();
    let gmail = server_thread
        .or(exported)
        .map(|id: u64| digest_of(format!("gm-thrid {id}")));
    let index = fields.get("Thread-Index").and_then(|value| {
        let mut text = unfolded(value).into_owned();
        text.retain(|byte| !byte.is_ascii_whitespace());
        // 32 signs are 24 bytes; what follows may be damaged.
        let bytes = LENIENT.decode(text.get(..32)?).ok()?;
        let start = bytes.get(..22)?;
        Some(digest_of([b"thread-index ", start].concat()))
    });
    gmail.into_iter().chain(index).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(head: &str) -> Ids {
        Ids::read(&Fields::read(head.as_bytes()), None)
    }

    fn id(text: &str) -> u64 {
        digest_of(text)
    }

    #[test]
    fn ids_are_compared_as_their_bytes_without_folds() {
        let found =
            ids("Message-ID: <A@x>\nReferences: <r1@x>\n <r2@\n x> <r3@x\nIn-Reply-To: <r2@x>\n");
        assert_eq!(found.links, [id("A@x"), id("r1@x"), id("r2@x")]);
        assert_ne!(id("A@x"), id("a@x"));
        let odd = ids("Message-ID: <!&!AAAA\u{e9}=@x>\n");
        assert_eq!(odd.links, [id("!&!AAAA\u{e9}=@x")]);
        assert_eq!(ids("Message-ID: bare@x\n").links, [id("bare@x")]);
        assert_eq!(ids("Message-ID: <>\n").mail, None);
        assert_eq!(ids("Message-ID: \n").mail, None);
    }

    #[test]
    fn names_and_addresses_around_an_id_join_nothing() {
        let head =
            "Message-ID: <b@x>\nFrom: Ben <ben@example.org>\nTo: ana@example.org\nIn-Reply-To: ";
        for value in [
            "Your message of \"Mon, 1 Jan\" <a@x>",
            "Ana <ana@example.org>'s message of Monday <a@x>",
            "<a@x>",
            "<a@x> <ana@example.org>",
        ] {
            let found = ids(&format!("{head}{value}\n"));
            assert_eq!(found.parents, [id("a@x")], "{value}");
        }
        for value in [
            "<ana@example.org>",
            "ana on Monday",
            "Ana <ana@example.org>",
        ] {
            assert_eq!(ids(&format!("{head}{value}\n")).parents, [0; 0], "{value}");
        }
    }

    #[test]
    fn a_mail_that_refers_to_itself_or_to_thousands_ends() {
        let many: String = (0..5000).map(|n| format!(" <r{n}@x>\n")).collect();
        let found = ids(&format!("Message-ID: <a@x>\nReferences:{many} <a@x>\n"));
        assert_eq!(found.parents.len(), MOST - 1);
        assert_eq!(found.parents.first(), Some(&id("r0@x")));
        assert_eq!(found.parents.last(), Some(&id("r4999@x")));
    }

    #[test]
    fn copies_share_a_digest_and_mails_that_share_only_an_id_do_not() {
        let one = ids("Message-ID: <a@x>\nDate: Mon, 19 Oct 2026 21:05:07 +0200\n");
        let copy = ids("Message-ID: <a@x>\nDate: Mon, 19 Oct 2026 19:05:07 +0000\nList-Id: x\n");
        let other = ids("Message-ID: <a@x>\nDate: Mon, 19 Oct 2026 19:05:08 +0000\n");
        assert_eq!(one.mail, copy.mail);
        assert_ne!(one.mail, other.mail);
        assert_eq!(one.links, other.links);
    }

    #[test]
    fn conversation_ids_of_services_join() {
        let index = "AQHb0123456789abcdefghijklmnopqrstuv";
        let one = ids(&format!("Thread-Index: {index}\n"));
        let answer = ids(&format!("Thread-Index: {index}\n AAAAB\n"));
        assert_eq!(one.links.len(), 1);
        assert_eq!(one.links, answer.links);
        assert_eq!(ids("Thread-Index: short\n").links, [0; 0]);
        let exported = ids("X-GM-THRID: 1779\n");
        let served = Ids::read(&Fields::read(b"\n"), Some(1779));
        assert_eq!(exported.links, served.links);
    }
}
