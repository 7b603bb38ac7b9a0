//! Hides secrets before anything else sees a text.
//!
//! [`Redacted`] is the type that says so: only [`Engine`] makes one from new text. The store, the
//! summariser, logs and errors take nothing else, so that the compiler refuses a way around.

mod redacted;

pub use redacted::Redacted;

use std::collections::BTreeMap;

/// How often each rule hid something.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize)]
#[serde(transparent)]
pub struct Counts(pub BTreeMap<String, u64>);

impl Counts {
    /// Adds one hit of a rule.
    pub fn hit(&mut self, rule: &str) {
        *self.0.entry(rule.to_owned()).or_default() += 1;
    }

    /// Adds another count to this one.
    pub fn add(&mut self, other: &Self) {
        for (rule, count) in &other.0 {
            *self.0.entry(rule.clone()).or_default() += count;
        }
    }

    /// Hits of all rules.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.0.values().sum()
    }
}

/// The rules, ready to run.
#[derive(Debug)]
pub struct Engine {
    key: regex::Regex,
}

/// Why rules could not be made ready.
#[derive(Debug, thiserror::Error)]
pub enum RuleError {
    /// A rule's expression or shape is wrong: mend the rule file.
    #[error("rule {rule}: {message}")]
    Rule {
        /// The rule's id.
        rule: String,
        /// What is wrong with it.
        message: String,
    },
}

impl Engine {
    /// Makes the rules that are compiled in ready.
    ///
    /// # Errors
    /// Never for a released program: a test makes them ready.
    pub fn embedded() -> Result<Self, RuleError> {
        let key =
            regex::Regex::new(r"sk-ant-[A-Za-z0-9_-]{20,}").map_err(|error| RuleError::Rule {
                rule: "anthropic_key".to_owned(),
                message: error.to_string(),
            })?;
        Ok(Self { key })
    }

    /// Says which rules are in force; stored with what they made.
    #[must_use]
    pub fn version(&self) -> u32 {
        1
    }

    /// Hides secrets in a text.
    #[must_use]
    pub fn redact(&self, text: &str) -> Redacted {
        self.redact_counting(text, &mut Counts::default())
    }

    /// Hides secrets in a text and counts what each rule hid.
    #[must_use]
    pub fn redact_counting(&self, text: &str, counts: &mut Counts) -> Redacted {
        let marked = self.key.replace_all(text, |_: &regex::Captures<'_>| {
            counts.hit("anthropic_key");
            "[REDACTED:anthropic_key]"
        });
        Redacted::seal(marked.into_owned())
    }
}
