//! Reading a tool's arguments from raw JSON: every mistake names the argument, repeats the value
//! and says what would be right.
//!
//! Null counts as left out. A whole number may also come as `3.0` or `"3"`, a flag as `"true"`:
//! some clients send every argument as text, and the meaning is beyond doubt.

use serde_json::{Map, Value};

use super::ToolError;

/// How much of a wrong value an error repeats, in characters (MCP tools page, Errors).
const SHOWN: usize = 60;

/// The arguments of one call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Arguments<'a> {
    values: &'a Map<String, Value>,
}

impl<'a> Arguments<'a> {
    /// Takes the arguments of a call, if `known` names all of them.
    ///
    /// # Errors
    /// [`ToolError`] for one that the tool does not have.
    pub(crate) fn new(values: &'a Map<String, Value>, known: &[&str]) -> Result<Self, ToolError> {
        for (name, value) in values {
            if known.contains(&name.as_str()) {
                continue;
            }
            let takes = match known {
                [] => "no argument".to_owned(),
                _ => known.join(", "),
            };
            let told = format!(
                "'{}' is no argument of this tool, which takes {takes}; got '{}'",
                shown(name),
                repeated(value)
            );
            return Err(ToolError::argument(&shown(name), "unknown_argument", told));
        }
        Ok(Self { values })
    }

    /// A text.
    pub(crate) fn text(self, name: &str) -> Result<Option<&'a str>, ToolError> {
        match self.value(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(wrong(name, "a string", other)),
        }
    }

    /// A whole number; one beyond the range of ids is the nearest that is in it.
    pub(crate) fn integer(self, name: &str) -> Result<Option<i64>, ToolError> {
        let Some(value) = self.value(name) else {
            return Ok(None);
        };
        match whole(value) {
            Some(Ok(number)) => Ok(Some(number)),
            Some(Err(over)) => Ok(Some(over)),
            None => Err(wrong(name, "an integer", value)),
        }
    }

    /// The number of an item, which must be there and in range.
    pub(crate) fn item_id(self, name: &str) -> Result<i64, ToolError> {
        let value = self.required(name, "the id of an item, such as 1, as search returns it")?;
        match whole(value) {
            Some(Ok(number)) => Ok(number),
            Some(Err(_)) => Err(ToolError::argument(
                name,
                "out_of_range",
                format!(
                    "{name} is out of range: item ids are integers up to {}, got '{}'",
                    i64::MAX,
                    repeated(value)
                ),
            )),
            None => Err(wrong(name, "an integer", value)),
        }
    }

    /// A text that must be there.
    pub(crate) fn required_text(self, name: &str, what: &str) -> Result<&'a str, ToolError> {
        match self.required(name, what)? {
            Value::String(text) => Ok(text),
            other => Err(wrong(name, "a string", other)),
        }
    }

    /// A flag; what is left out is false.
    pub(crate) fn flag(self, name: &str) -> Result<bool, ToolError> {
        match self.value(name) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(Value::String(text)) if text == "true" => Ok(true),
            Some(Value::String(text)) if text == "false" => Ok(false),
            Some(other) => Err(wrong(name, "true or false", other)),
        }
    }

    /// One of some words.
    pub(crate) fn word<T>(
        self,
        name: &str,
        words: &[&str],
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Result<Option<T>, ToolError> {
        let Some(text) = self.text(name)?.filter(|text| !text.trim().is_empty()) else {
            return Ok(None);
        };
        match read(text.trim()) {
            Some(word) => Ok(Some(word)),
            None => {
                let expected = format!("one of {}", words.join(", "));
                Err(wrong(name, &expected, &Value::from(text)))
            }
        }
    }

    /// A list of words, each one of `words`.
    pub(crate) fn words(
        self,
        name: &str,
        words: &[&'static str],
    ) -> Result<Option<Vec<&'static str>>, ToolError> {
        let list = match self.value(name) {
            None => return Ok(None),
            Some(Value::Array(list)) => list,
            Some(other) => return Err(wrong(name, "a list of strings", other)),
        };
        let one = |value: &Value| {
            let known = value
                .as_str()
                .and_then(|text| words.iter().find(|word| **word == text.trim()));
            known.copied().ok_or_else(|| {
                let expected = format!("a list of names out of {}", words.join(", "));
                wrong(name, &expected, value)
            })
        };
        list.iter()
            .map(one)
            .collect::<Result<Vec<_>, _>>()
            .map(Some)
    }

    fn value(self, name: &str) -> Option<&'a Value> {
        self.values.get(name).filter(|value| !value.is_null())
    }

    fn required(self, name: &str, what: &str) -> Result<&'a Value, ToolError> {
        self.value(name).ok_or_else(|| {
            let got = match self.values.get(name) {
                Some(_) => "null",
                None => "nothing",
            };
            let told = format!("{name} is required: {what}; got '{got}'");
            ToolError::argument(name, "missing_argument", told)
        })
    }
}

/// A whole number in range, or the nearest one in range; `None` for anything else.
fn whole(value: &Value) -> Option<Result<i64, i64>> {
    let nearest = |negative: bool| if negative { i64::MIN } else { i64::MAX };
    match value {
        Value::Number(number) => {
            if let Some(exact) = number.as_i64() {
                return Some(Ok(exact));
            }
            let float = number.as_f64()?;
            if float.fract() != 0.0 {
                return None;
            }
            // Beyond 2^53 neighbours are missing, so that only what is smaller is exact.
            if float.abs() < 9_007_199_254_740_992.0 {
                return format!("{float:.0}").parse().ok().map(Ok);
            }
            Some(Err(nearest(float < 0.0)))
        }
        Value::String(text) => {
            let digits = text.strip_prefix('-').unwrap_or(text);
            if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
                return None;
            }
            Some(text.parse().map_err(|_| nearest(text.starts_with('-'))))
        }
        _ => None,
    }
}

fn wrong(name: &str, expected: &str, value: &Value) -> ToolError {
    let told = format!("{name} must be {expected}, got '{}'", repeated(value));
    ToolError::argument(name, "invalid_argument", told)
}

/// A value as an error repeats it: a text as it is, anything else as JSON, cut.
fn repeated(value: &Value) -> String {
    match value {
        Value::String(text) => shown(text),
        other => shown(&other.to_string()),
    }
}

fn shown(text: &str) -> String {
    text.chars()
        .take(SHOWN)
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}
