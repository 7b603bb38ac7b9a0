//! What a server says of one mail.

use super::super::dates;
use super::super::folders::decode_name;
use super::wire::{Literal, Value};
use crate::time::Instant;

/// A mail, or a part of it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Fetched {
    pub(super) uid: u32,
    /// When the server received it.
    pub(super) received: Option<Instant>,
    /// Its bytes in all, as the server believes.
    pub(super) size: Option<u64>,
    /// The bytes that were asked for; `None` if the server has none to give.
    pub(super) body: Option<Literal>,
    /// Whether these are a part, as asked, or (by a server that knows no parts) all.
    pub(super) is_part: bool,
    /// Gmail's id of the thread.
    pub(super) thread: Option<u64>,
    /// Gmail's labels: names of folders, or `\Sent` and its kind.
    pub(super) labels: Vec<String>,
}

impl Fetched {
    /// Reads `5 FETCH (UID 7 …)`; `None` for what is none, or says no UID: such a line tells of
    /// flags that somebody else changed.
    pub(super) fn read(values: Vec<Value>) -> Option<Self> {
        let mut values = values.into_iter();
        let (_, word) = (values.next()?, values.next()?);
        if !word.bytes().eq_ignore_ascii_case(b"FETCH") {
            return None;
        }
        let Value::List(items) = values.next()? else {
            return None;
        };
        let mut fetched = Self::default();
        let mut items = items.into_iter();
        while let (Some(name), Some(value)) = (items.next(), items.next()) {
            fetched.take(&name, value);
        }
        (fetched.uid > 0).then_some(fetched)
    }

    fn take(&mut self, name: &Value, value: Value) {
        let name = name.bytes().to_ascii_uppercase();
        match name.as_slice() {
            b"UID" => {
                let uid = value.number().and_then(|uid| u32::try_from(uid).ok());
                self.uid = uid.unwrap_or(0);
            }
            b"INTERNALDATE" => self.received = internal_date(value.bytes()),
            b"RFC822.SIZE" => self.size = value.number(),
            b"X-GM-THRID" => self.thread = value.number(),
            b"X-GM-LABELS" => {
                let labels = value.list().iter();
                self.labels = labels
                    .map(|label| decode_name(&String::from_utf8_lossy(label.bytes())))
                    .collect();
            }
            name if name.starts_with(b"BODY[") => {
                self.is_part = name.ends_with(b">");
                if let Value::Text(literal) = value {
                    self.body = Some(literal);
                }
            }
            _ => {}
        }
    }
}

/// Reads `17-Jul-1996 02:44:25 -0700`, also with a blank in front and in capitals.
fn internal_date(text: &[u8]) -> Option<Instant> {
    let text = String::from_utf8_lossy(text);
    let (date, rest) = text.trim().split_once(' ')?;
    dates::read(&format!("{} {rest}", date.replace('-', " ")))
}

/// Writes numbers as the sets of IMAP: `1:4,7`.
pub(super) fn set(uids: &[u32]) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for uid in uids {
        match runs.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(*uid) => *last = *uid,
            _ => runs.push((*uid, *uid)),
        }
    }
    let runs = runs.iter().map(|(first, last)| match first == last {
        true => first.to_string(),
        false => format!("{first}:{last}"),
    });
    runs.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::super::wire::{Piece, values};
    use super::*;

    #[test]
    fn sets_of_numbers_are_written_short() {
        assert_eq!(set(&[1, 2, 3, 7, 9, 10]), "1:3,7,9:10");
        assert_eq!(set(&[u32::MAX]), "4294967295");
    }

    #[test]
    fn internal_dates_are_read_in_the_forms_that_servers_write() {
        for text in ["17-Jul-2026 02:44:25 -0700", " 17-JUL-2026 09:44:25 +0000"] {
            let expected = Instant::parse("2026-07-17T09:44:25Z");
            assert_eq!(internal_date(text.as_bytes()), expected, "{text}");
        }
        assert_eq!(internal_date(b"yesterday"), None);
    }

    #[test]
    fn what_gmail_adds_is_read() {
        let line = br#"5 FETCH (X-GM-THRID 1266894439832287888 X-GM-LABELS ("\\Sent" "Entw&APw-rfe" plain) UID 7)"#;
        let fetched = Fetched::read(values(vec![Piece::Line(line.to_vec())])).unwrap();
        assert_eq!(fetched.thread, Some(1_266_894_439_832_287_888));
        assert_eq!(fetched.labels, ["\\Sent", "Entwürfe", "plain"]);
    }

    #[test]
    fn a_line_about_changed_flags_is_no_mail() {
        let line = b"5 FETCH (FLAGS (\\Seen))".to_vec();
        assert_eq!(Fetched::read(values(vec![Piece::Line(line)])), None);
    }
}
