//! Reads a TOML text key by key, and remembers everything that is wrong with it, with its place.
//!
//! Values of keys that may hold a secret are never repeated in a message.

use std::cell::RefCell;
use std::ops::{Range, RangeInclusive};
use std::path::{Path, PathBuf};

use jezero_connectors::connector::Surroundings;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::problem::Problem;
use super::shown;

/// A configuration file while it is read.
pub(super) struct Document<'t> {
    path: &'t Path,
    text: &'t str,
    paths: &'t Surroundings,
    problems: RefCell<Vec<Problem>>,
}

impl<'t> Document<'t> {
    /// Opens a text; `paths` says where relative paths start.
    pub(super) fn new(path: &'t Path, text: &'t str, paths: &'t Surroundings) -> Self {
        Self {
            path,
            text,
            paths,
            problems: RefCell::default(),
        }
    }

    /// Parses the text; `None` (and a problem) when it is not TOML.
    pub(super) fn parse(&self) -> Option<Spanned<DeTable<'t>>> {
        match DeTable::parse(self.text) {
            Ok(table) => Some(table),
            Err(error) => {
                // The error's `Display` form would quote the line, and with it perhaps a secret.
                let message = format!("the config is not valid TOML: {}", error.message());
                self.add(error.span().unwrap_or_default().start, None, message);
                None
            }
        }
    }

    fn add(&self, at: usize, key: Option<String>, message: String) {
        let before = self.text.as_bytes().get(..at).unwrap_or_default();
        let line = 1 + memchr::memchr_iter(b'\n', before).count();
        self.problems.borrow_mut().push(Problem {
            path: self.path.to_owned(),
            line,
            key,
            message,
        });
    }

    /// What is wrong, in the order of the lines.
    pub(super) fn into_problems(self) -> Vec<Problem> {
        let mut problems = self.problems.into_inner();
        problems.sort_by_key(|problem| problem.line);
        problems
    }
}

/// One table of a document. Every question about a key that is not there, or not right, answers
/// `None` or the default; what is not right is also remembered as a problem.
pub(super) struct Section<'d> {
    document: &'d Document<'d>,
    key: String,
    at: usize,
    table: Option<&'d DeTable<'d>>,
}

impl<'d> Section<'d> {
    /// The document's own table.
    pub(super) fn root(document: &'d Document<'d>, table: &'d DeTable<'d>) -> Self {
        Self {
            document,
            key: String::new(),
            at: 0,
            table: Some(table),
        }
    }

    /// The table below a key; an empty one when the key is absent.
    pub(super) fn section(&self, key: &str) -> Self {
        let found = self.found(key);
        let table = self.get(key, "a table", |value| value.as_table());
        Section {
            document: self.document,
            key: self.dotted(key),
            at: found.map_or(self.at, |(at, _)| at.start),
            table,
        }
    }

    /// The tables of a key written as `[[key]]`.
    pub(super) fn sections(&self, key: &str) -> Vec<Self> {
        let rule = format!("a list of tables, each opened with [[{key}]]");
        let list = self.get(key, &rule, |value| {
            let array = value.as_array()?;
            array
                .iter()
                .map(|one| Some((one.span().start, one.get_ref().as_table()?)))
                .collect::<Option<Vec<_>>>()
        });
        (0..)
            .zip(list.unwrap_or_default())
            .map(|(number, (at, table))| Section {
                document: self.document,
                key: format!("{}[{number}]", self.dotted(key)),
                at,
                table: Some(table),
            })
            .collect()
    }

    /// Refuses every key but these.
    pub(super) fn only(&self, keys: &[&str]) {
        for (key, at) in self.keys() {
            if !keys.contains(&key) {
                self.reject_at(
                    at.start,
                    Some(key),
                    shown::unknown(key, keys.iter().copied()),
                );
            }
        }
    }

    /// The keys that are there, with their places.
    pub(super) fn keys(&self) -> impl Iterator<Item = (&'d str, Range<usize>)> + use<'d> {
        self.table
            .into_iter()
            .flat_map(|table| table.iter())
            .map(|(key, _)| (key.get_ref().as_ref(), key.span()))
    }

    /// The table itself.
    pub(super) fn table(&self) -> Option<&'d DeTable<'d>> {
        self.table
    }

    /// Where relative paths start, and what `~` is.
    pub(super) fn paths(&self) -> &'d Surroundings {
        self.document.paths
    }

    /// Remembers that a key is wrong; at the section's own place when the key is absent.
    pub(super) fn reject(&self, key: &str, message: impl Into<String>) {
        let at = self.found(key).map_or(self.at, |(at, _)| at.start);
        self.reject_at(at, Some(key), message.into());
    }

    /// Remembers that a required key is absent or wrong. What was wrong is known already.
    pub(super) fn require(&self, key: &str, rule: &str) {
        if self.found(key).is_none() {
            self.reject_at(self.at, Some(key), format!("is missing: must be {rule}"));
        }
    }

    /// Remembers that the section as a whole is wrong.
    pub(super) fn reject_whole(&self, message: impl Into<String>) {
        self.reject_at(self.at, None, message.into());
    }

    fn reject_at(&self, at: usize, key: Option<&str>, message: String) {
        let key = key.map_or_else(|| self.key.clone(), |key| self.dotted(key));
        self.document.add(at, Some(key), message);
    }

    fn dotted(&self, key: &str) -> String {
        if self.key.is_empty() {
            key.to_owned()
        } else {
            format!("{}.{key}", self.key)
        }
    }

    fn found(&self, key: &str) -> Option<(Range<usize>, &'d Spanned<DeValue<'d>>)> {
        let (name, value) = self.table?.get_key_value(key)?;
        Some((name.span(), value))
    }

    /// Whether a key is there, right or wrong.
    pub(super) fn has(&self, key: &str) -> bool {
        self.found(key).is_some()
    }

    /// Reads a key; a value that `read` refuses gives `must be <rule>, got <value>`.
    pub(super) fn get<T>(
        &self,
        key: &str,
        rule: &str,
        read: impl FnOnce(&'d DeValue<'d>) -> Option<T>,
    ) -> Option<T> {
        let (at, value) = self.found(key)?;
        let result = read(value.get_ref());
        if result.is_none() {
            let got = shown::value(key, value.get_ref());
            self.reject_at(at.start, Some(key), format!("must be {rule}, got {got}"));
        }
        result
    }

    /// A text of a form that `good` knows.
    pub(super) fn text(&self, key: &str, rule: &str, good: fn(&str) -> bool) -> Option<String> {
        let read =
            |value: &DeValue<'_>| value.as_str().filter(|text| good(text)).map(str::to_owned);
        self.get(key, rule, read)
    }

    /// Any text that is not empty.
    pub(super) fn any_text(&self, key: &str) -> Option<String> {
        self.text(key, "a text that is not empty", |text| {
            !text.trim().is_empty()
        })
    }

    /// A whole number within bounds.
    pub(super) fn integer(&self, key: &str, bounds: RangeInclusive<u64>) -> Option<u64> {
        let rule = match *bounds.end() {
            u64::MAX => format!("a whole number of at least {}", bounds.start()),
            end => format!("a whole number from {} to {end}", bounds.start()),
        };
        self.get(key, &rule, |value| {
            let integer = value.as_integer()?;
            let number = u64::from_str_radix(integer.as_str(), integer.radix()).ok()?;
            bounds.contains(&number).then_some(number)
        })
    }

    /// A number of a range that `good` knows.
    pub(super) fn number(&self, key: &str, rule: &str, good: fn(f64) -> bool) -> Option<f64> {
        self.get(key, rule, |value| {
            let number: f64 = match value {
                DeValue::Integer(integer) if integer.radix() == 10 => {
                    integer.as_str().parse().ok()?
                }
                DeValue::Float(float) => float.as_str().parse().ok()?,
                _ => return None,
            };
            Some(number).filter(|number| number.is_finite() && good(*number))
        })
    }

    /// A number above 0.
    pub(super) fn positive(&self, key: &str) -> Option<f64> {
        self.number(key, "a number above 0", |number| number > 0.0)
    }

    /// `true` or `false`.
    pub(super) fn flag(&self, key: &str) -> Option<bool> {
        self.get(key, "true or false", DeValue::as_bool)
    }

    /// A path, resolved.
    pub(super) fn path(&self, key: &str) -> Option<PathBuf> {
        let text = self.text(key, "a path", |text| !text.trim().is_empty())?;
        Some(self.document.paths.resolve(&text))
    }

    /// The name of an environment variable. What stands there instead may be the secret itself,
    /// so it is not repeated.
    pub(super) fn variable(&self, key: &str) -> Option<String> {
        let rule = "the name of an environment variable (letters, digits and _)";
        self.text(key, rule, super::env::is_name)
    }

    /// A list of texts of a form that `good` knows.
    pub(super) fn texts(
        &self,
        key: &str,
        rule: &str,
        good: impl Fn(&str) -> bool,
    ) -> Option<Vec<String>> {
        let list = self.get(key, &format!("a list, each {rule}"), DeValue::as_array)?;
        let mut texts = Vec::with_capacity(list.len());
        for (number, one) in (0..).zip(list.iter()) {
            match one.get_ref().as_str() {
                Some(text) if good(text) => texts.push(text.to_owned()),
                _ => {
                    let got = shown::value(key, one.get_ref());
                    let message = format!("must be {rule}, got {got}");
                    let at = one.span().start;
                    self.reject_at(at, Some(&format!("{key}[{number}]")), message);
                }
            }
        }
        Some(texts)
    }
}
