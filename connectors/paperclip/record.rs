//! Reading what a server sends, however it has changed: every field is optional, one of another
//! type than expected is left out and counted, unknown ones are passed over.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::time::Instant;

/// One object of an answer.
#[derive(Debug, Clone)]
pub(super) struct Record<'a> {
    fields: Vec<(Text, &'a RawValue)>,
    /// Names of fields that were asked for and have another type.
    odd: Vec<&'static str>,
}

/// A text as JSON holds it; what no text can hold (a lone half of a surrogate pair) becomes U+FFFD.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Text(String);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bytes;
        impl Visitor<'_> for Bytes {
            type Value = Text;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text")
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Text, E> {
                Ok(Text(String::from_utf8_lossy(bytes).into_owned()))
            }
        }
        deserializer.deserialize_bytes(Bytes)
    }
}

/// A moment to the millisecond, for putting things in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct Moment {
    /// Milliseconds since 1970.
    pub(super) millis: i64,
    /// The same at second precision.
    pub(super) instant: Instant,
}

impl Moment {
    /// Reads ISO 8601; `None` for what is none or lies outside of the years 2000 to 2099.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let instant = Instant::parse(text).filter(|instant| instant.is_plausible())?;
        let precise = chrono::DateTime::parse_from_rfc3339(text.trim());
        let millis = precise.map_or(instant.unix() * 1000, |time| time.timestamp_millis());
        Some(Self { millis, instant })
    }
}

impl<'a> Record<'a> {
    /// Reads an object; `None` for anything else.
    pub(super) fn parse(json: &'a str) -> Option<Self> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Vec<(Text, &'de RawValue)>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(fields)
            }
        }
        let mut reader = serde_json::Deserializer::from_str(json);
        let fields = reader.deserialize_map(Object).ok()?;
        reader.end().ok()?;
        Some(Self {
            fields,
            odd: Vec::new(),
        })
    }

    /// Reads a list; `None` for anything else.
    pub(super) fn list_of(json: &'a str) -> Option<Vec<&'a str>> {
        let values: Vec<&RawValue> = serde_json::from_str(json).ok()?;
        Some(values.into_iter().map(RawValue::get).collect())
    }

    fn raw(&self, name: &str) -> Option<&'a str> {
        let field = self.fields.iter().rev().find(|(key, _)| key.0 == name);
        let raw = field.map(|(_, raw)| raw.get());
        raw.filter(|raw| *raw != "null")
    }

    /// Whether something stands under a name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.raw(name).is_some()
    }

    fn note<T>(&mut self, name: &'static str, value: Option<T>) -> Option<T> {
        if value.is_none() {
            self.odd.push(name);
        }
        value
    }

    /// A text.
    pub(super) fn text(&mut self, name: &'static str) -> Option<String> {
        let value = serde_json::from_str::<Text>(self.raw(name)?).ok();
        self.note(name, value.map(|text| text.0))
    }

    /// A text that says something, without blanks around it.
    pub(super) fn word(&mut self, name: &'static str) -> Option<String> {
        let text = self.text(name)?;
        let text = text.trim();
        (!text.is_empty()).then(|| text.to_owned())
    }

    /// An id of the server's, which can stand in an address and in a name.
    pub(super) fn id(&mut self, name: &'static str) -> Option<String> {
        let text = self.text(name)?;
        let sign = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        let plain = (1..=64).contains(&text.len()) && text.chars().all(sign);
        self.note(name, plain.then_some(text))
    }

    /// A moment.
    pub(super) fn moment(&mut self, name: &'static str) -> Option<Moment> {
        let text = self.text(name)?;
        self.note(name, Moment::parse(&text))
    }

    /// A number that counts something.
    pub(super) fn count(&mut self, name: &'static str) -> Option<u64> {
        let value = serde_json::from_str(self.raw(name)?).ok();
        self.note(name, value)
    }

    /// An object inside of this one.
    pub(super) fn object(&mut self, name: &'static str) -> Option<Self> {
        let value = Self::parse(self.raw(name)?);
        self.note(name, value)
    }

    /// The objects of a list inside of this one.
    pub(super) fn objects(&mut self, name: &'static str) -> Vec<Self> {
        let Some(raw) = self.raw(name) else {
            return Vec::new();
        };
        let list = Self::list_of(raw);
        let list = self.note(name, list).unwrap_or_default();
        let found: Vec<_> = list.iter().filter_map(|raw| Self::parse(raw)).collect();
        if found.len() < list.len() {
            self.odd.push(name);
        }
        found
    }

    /// The texts of a list inside of this one.
    pub(super) fn texts(&mut self, name: &'static str) -> Vec<String> {
        let Some(raw) = self.raw(name) else {
            return Vec::new();
        };
        let value = serde_json::from_str::<Vec<Text>>(raw).ok();
        let texts = self.note(name, value).unwrap_or_default();
        texts.into_iter().map(|text| text.0).collect()
    }

    /// Fields that were left out because of their type.
    pub(super) fn odd(&self) -> &[&'static str] {
        &self.odd
    }
}

/// A word of the server's own (`in_progress`) as people write it. What has another shape stays as it
/// is: taken apart, a secret would be known to no rule any more.
pub(super) fn spaced(word: &str) -> String {
    let is_word = word.len() <= 40 && word.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
    match is_word {
        true => word.replace('_', " "),
        false => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_words_of_the_server_are_taken_apart() {
        assert_eq!(spaced("in_progress"), "in progress");
        for whole in ["ghp_0123456789abcdef", "A_b", &"a_".repeat(21)] {
            assert_eq!(spaced(whole), whole);
        }
    }

    #[test]
    fn a_field_of_another_type_is_left_out_and_named() {
        let json =
            r#"{"id":"a","title":7,"labels":[{"name":"x"},3],"at":"soon","n":-1,"gone":null}"#;
        let mut record = Record::parse(json).unwrap();
        assert_eq!(record.text("id").as_deref(), Some("a"));
        assert_eq!(record.text("title"), None);
        assert_eq!(record.objects("labels").len(), 1);
        assert_eq!(record.moment("at"), None);
        assert_eq!(record.count("n"), None);
        assert_eq!(record.text("gone"), None);
        assert_eq!(record.text("absent"), None);
        assert_eq!(record.odd(), ["title", "labels", "at", "n"]);
    }

    #[test]
    fn an_id_can_stand_in_an_address() {
        let mut record = Record::parse(r#"{"id":"a-1_Z","b":"../x","c":"","d":"a b"}"#).unwrap();
        assert_eq!(record.id("id").as_deref(), Some("a-1_Z"));
        assert_eq!(
            (record.id("b"), record.id("c"), record.id("d")),
            (None, None, None)
        );
    }

    #[test]
    fn half_a_surrogate_pair_costs_one_sign() {
        let mut record = Record::parse(r#"{"body":"a\ud83dz"}"#).unwrap();
        let body = record.text("body").unwrap();
        assert!(body.starts_with('a') && body.ends_with('z'), "{body}");
        assert_eq!(record.odd(), [""; 0]);
    }

    #[test]
    fn what_is_no_object_or_list_is_refused() {
        for bad in ["", "[]", "7", "{\"a\":1", "<html>", "{} x"] {
            assert!(Record::parse(bad).is_none(), "{bad}");
        }
        for bad in ["", "{}", "[1", "\"x\""] {
            assert!(Record::list_of(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn moments_keep_their_milliseconds() {
        let moment = Moment::parse("2026-10-09T21:23:12.345Z").unwrap();
        assert_eq!(moment.millis % 1000, 345);
        assert_eq!(Moment::parse("1999-12-31T23:59:59.000Z"), None);
    }
}
