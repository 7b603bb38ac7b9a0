//! The records on one line, and what else is to be said of it.

use super::lenient;
use super::record::Record;
use crate::jsonl::{self, Content, Line};

/// What stood on a line in place of a record, or the record.
pub(super) enum Parsed<'a> {
    /// A record, and how many of its fields had to be left out.
    Record(Box<Record<'a>>, u64),
    /// Parsed, and no object.
    Other,
}

impl<'a> Parsed<'a> {
    /// The record, if it is one.
    pub(super) fn known(&self) -> Option<&Record<'a>> {
        match self {
            Self::Record(record, _) => Some(record),
            Self::Other => None,
        }
    }
}

/// What else is to be said of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Condition {
    /// All of it was records, or blanks.
    Sound,
    /// It was read with its control bytes as blanks, all of it.
    Controls,
    /// All of it was records, more than one.
    Several,
    /// Nothing on it is an object.
    Garbage,
    /// It holds objects and something else.
    Mixed,
    /// It is the end of a file that is being written.
    Waiting,
    /// It is longer than the cap.
    TooLong,
}

/// Parses the records of a line one after the other.
pub(super) fn each_record(line: &Line<'_>, mut each: impl FnMut(u32, &Parsed<'_>)) -> Condition {
    let Content::Bytes(bytes) = line.content else {
        return Condition::TooLong;
    };
    let text = jsonl::decode(bytes);
    if text.trim().is_empty() {
        return Condition::Sound;
    }
    if text.starts_with('{')
        && let Ok(record) = serde_json::from_str::<Record<'_>>(&text)
    {
        each(0, &Parsed::Record(Box::new(record), 0));
        return Condition::Sound;
    }
    let clean = jsonl::without_controls(&text);
    let text = clean.as_deref().unwrap_or(&text);
    let objects = jsonl::objects(text);
    if objects.damaged && !line.terminated {
        return Condition::Waiting;
    }
    for (part, text) in (0..).zip(&objects.texts) {
        each(part, &parse(text));
    }
    match (objects.texts.is_empty(), objects.damaged, clean.is_some()) {
        (true, _, _) => Condition::Garbage,
        (false, true, _) => Condition::Mixed,
        (false, false, true) => Condition::Controls,
        (false, false, false) if objects.texts.len() > 1 => Condition::Several,
        (false, false, false) => Condition::Sound,
    }
}

fn parse(text: &str) -> Parsed<'_> {
    if let Ok(record) = serde_json::from_str(text) {
        return Parsed::Record(Box::new(record), 0);
    }
    lenient::record(text).map_or(Parsed::Other, |(record, odd)| {
        Parsed::Record(Box::new(record), odd)
    })
}
