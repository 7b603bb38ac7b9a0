//! The keys and values of one JSON object, taken out one by one and checked by shape.
//!
//! Faults say what would be right. They never quote a value: it has not been redacted.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::Value;

use crate::redaction::{Counts, Engine, Redacted};

/// How much of an unknown key a fault repeats, in characters.
const SHOWN: usize = 60;

/// What is wrong with a record.
pub(super) type Fault = String;

/// The object of one line.
pub(super) struct Fields<'a> {
    engine: &'a Engine,
    pairs: Vec<(String, Value)>,
    /// What redaction hid so far.
    pub(super) counts: Counts,
}

/// An object with all its pairs, so that a key that stands there twice is noticed.
struct Pairs(Vec<(String, Value)>);

impl<'a> Fields<'a> {
    /// Reads a line.
    pub(super) fn read(line: &[u8], engine: &'a Engine, known: &[&str]) -> Result<Self, Fault> {
        let text = std::str::from_utf8(line)
            .map_err(|error| format!("byte {} is no UTF-8", error.valid_up_to() + 1))?;
        let Pairs(pairs) = serde_json::from_str(text).map_err(|error| {
            if error.is_data() {
                return "the line must be one JSON object".to_owned();
            }
            // Such messages name what was expected, never what stood there.
            let (column, message) = (error.column(), error.to_string());
            let what = message.split(" at line ").next().unwrap_or_default();
            format!("the line is no JSON: {what} at column {column}")
        })?;
        for (at, (key, _)) in pairs.iter().enumerate() {
            if !known.contains(&key.as_str()) {
                let key = engine.redact(key).truncated(SHOWN);
                let known = known.join(", ");
                return Err(format!("there is no field {key}; the fields are {known}"));
            }
            if pairs.iter().take(at).any(|(earlier, _)| earlier == key) {
                return Err(format!("{key} stands there twice"));
            }
        }
        Ok(Self {
            engine,
            pairs,
            counts: Counts::default(),
        })
    }

    /// Takes a value out; `null` counts as left out.
    pub(super) fn value(&mut self, field: &str) -> Option<Value> {
        let at = self.pairs.iter().position(|(key, _)| key == field)?;
        let (_, value) = self.pairs.swap_remove(at);
        Some(value).filter(|value| !value.is_null())
    }

    /// A string as it stands, for fields that `read` turns into a checked type.
    pub(super) fn checked<T>(
        &mut self,
        field: &str,
        right: &str,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Result<Option<T>, Fault> {
        let Some(value) = self.value(field) else {
            return Ok(None);
        };
        match value.as_str().and_then(read) {
            Some(read) => Ok(Some(read)),
            None => Err(format!("{field} must be {right}")),
        }
    }

    /// A name by which things are found again. One in which redaction finds something is refused:
    /// hidden, it could be the same as another one.
    pub(super) fn id<T>(
        &mut self,
        field: &str,
        right: &str,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Result<Option<T>, Fault> {
        let engine = self.engine;
        let mut found = Counts::default();
        let id = self.checked(field, right, |text| {
            let _hidden = engine.redact_counting(text, &mut found);
            read(text)
        })?;
        match found.0.keys().next() {
            Some(rule) => Err(format!(
                "{field} holds what looks like a secret ({rule}); it must be an id without one"
            )),
            None => Ok(id),
        }
    }

    /// A text that is not blank, redacted.
    pub(super) fn text(&mut self, field: &str) -> Result<Option<Redacted>, Fault> {
        match self.value(field) {
            Some(value) => Ok(Some(self.redacted(&value, field)?)),
            None => Ok(None),
        }
    }

    /// Redacts a value that must be a text and not blank.
    pub(super) fn redacted(&mut self, value: &Value, field: &str) -> Result<Redacted, Fault> {
        match value.as_str().filter(|text| !text.trim().is_empty()) {
            Some(text) => Ok(self.engine.redact_counting(text, &mut self.counts)),
            None => Err(format!("{field} must be a string that is not empty")),
        }
    }

    /// A list of at most `most` values; empty when left out.
    pub(super) fn list(&mut self, field: &str, most: usize, of: &str) -> Result<Vec<Value>, Fault> {
        match self.value(field) {
            None => Ok(Vec::new()),
            Some(Value::Array(list)) if list.len() <= most => Ok(list),
            Some(_) => Err(format!("{field} must be a list of at most {most} {of}")),
        }
    }
}

/// What must be there.
pub(super) fn required<T>(value: Option<T>, field: &str) -> Result<T, Fault> {
    value.ok_or_else(|| format!("{field} is missing"))
}

impl<'de> Deserialize<'de> for Pairs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;

        impl<'de> Visitor<'de> for Object {
            type Value = Pairs;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pairs, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Pairs(pairs))
            }
        }

        deserializer.deserialize_map(Object)
    }
}
