//! Hides secrets before anything else sees a text.
//!
//! [`Redacted`] is the type that says so: only [`Engine`] makes one from new text. The store, the
//! summariser, logs and errors take nothing else, so that the compiler refuses a way around.
//!
//! Rules are data (`redaction-rules/`); `docs/redaction.md` tells how they work and what they do
//! not find. The engine hides too much rather than too little where a value has the form of a
//! vendor's token, and leaves what only might be a secret.

mod alphabet;
mod base64;
mod capitals;
mod catalogue;
mod checksum;
mod crowd;
mod document;
mod embedded;
mod explain;
mod files;
mod gate;
mod least;
mod name;
mod private_key;
mod redacted;
mod rule;
mod scan;
mod seen;
#[cfg(any(test, fuzzing))]
pub mod soundness;
mod span;
mod structure;
mod text;
mod walk;

#[cfg(test)]
mod tests;

pub use catalogue::{Fault, Listed, State, Tested, catalogue, test_rules};
pub use explain::Finding;
pub use redacted::{Clean, Redacted};
pub use rule::RuleError;
pub use seen::Seen;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::OnceLock;

use regex::Regex;

use scan::Scanner;
use span::{Rank, Span, markers, settle};

/// Revision of what is written in code: raised with every change of it that hides more or less.
const REVISION: u32 = 5;
/// Most passes over one text: a marker in the place of a secret may let a shape appear beside it.
const PASSES: usize = 8;

/// How often each rule hid something.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize)]
#[serde(transparent)]
pub struct Counts(pub BTreeMap<String, u64>);

impl Counts {
    /// Adds one hit of a rule.
    pub fn hit(&mut self, rule: &str) {
        match self.0.get_mut(rule) {
            Some(count) => *count += 1,
            None => {
                self.0.insert(rule.to_owned(), 1);
            }
        }
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

/// What a user decides about redaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Whether anything is hidden at all.
    pub enabled: bool,
    /// Regular expressions of the user's own; a group named `secret` says what is hidden, else
    /// the whole match is.
    pub extra_patterns: Vec<String>,
    /// A folder of rule files that add to the rules or take the place of those with the same id.
    pub rules_dir: Option<PathBuf>,
    /// Ids of rules, names and shapes that are switched off.
    pub disabled_rules: Vec<String>,
    /// Whether email addresses, phone numbers, accounts, cards and the like are hidden, too.
    pub personal: bool,
    /// SHA-256 of values that are left, whichever rule finds them.
    pub allow_sha256: Vec<[u8; 32]>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            enabled: true,
            extra_patterns: Vec::new(),
            rules_dir: None,
            disabled_rules: Vec::new(),
            personal: false,
            allow_sha256: Vec::new(),
        }
    }
}

/// What can hide something, for people to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleInfo<'e> {
    /// Id, as the marker shows it.
    pub id: &'e str,
    /// What it hides.
    pub description: &'e str,
}

/// The rules. Shared by reference between threads.
///
/// The rules that are compiled in are made ready at the first text, so that a program that has
/// nothing to redact does not wait for them; a user's own are made ready at once, so that a mistake
/// in them is told at once.
#[derive(Debug)]
pub struct Engine {
    settings: Settings,
    ready: OnceLock<Option<Ready>>,
}

/// Rules that can run.
#[derive(Debug)]
struct Ready {
    scanner: Scanner,
    custom: Vec<(String, Regex)>,
    /// Sorted.
    allowed: Vec<[u8; 32]>,
    version: u32,
}

impl Engine {
    /// Takes the rules that are compiled in.
    #[must_use]
    pub fn embedded() -> Self {
        Self {
            settings: Settings::default(),
            ready: OnceLock::new(),
        }
    }

    /// Takes the rules as a user wants them.
    ///
    /// # Errors
    /// If a folder or file of rules cannot be read, or a rule, pattern or id in it is wrong, or
    /// nothing has an id that is to be switched off; the message names file, rule and field and
    /// says what would be right.
    pub fn with(settings: &Settings) -> Result<Self, RuleError> {
        let engine = Self {
            settings: settings.clone(),
            ready: OnceLock::new(),
        };
        let own = settings.rules_dir.is_some() || !settings.extra_patterns.is_empty();
        if own || !settings.disabled_rules.is_empty() {
            let ready = Ready::new(settings)?;
            engine.ready.get_or_init(|| Some(ready));
        }
        Ok(engine)
    }

    /// `None` only if the rules that are compiled in cannot run, which a test excludes.
    fn ready(&self) -> Option<&Ready> {
        let ready = self.ready.get_or_init(|| Ready::new(&self.settings).ok());
        ready.as_ref()
    }

    /// Says which rules are in force; stored with what they made.
    ///
    /// Two engines have the same number if they hide the same: it is made of the code's revision,
    /// the text of every rule file in force and the settings. Only equality means something. 0 is
    /// never the number of an engine that works.
    #[must_use]
    pub fn version(&self) -> u32 {
        self.ready().map_or(0, |ready| ready.version)
    }

    /// Everything that can hide something: rules, names and shapes.
    #[must_use]
    pub fn rules(&self) -> Vec<RuleInfo<'_>> {
        self.ready()
            .map(|ready| ready.scanner.describe())
            .unwrap_or_default()
    }

    /// Hides secrets in a text.
    #[must_use]
    pub fn redact(&self, text: &str) -> Redacted {
        self.redact_counting(text, &mut Counts::default())
    }

    /// Hides secrets in a text and counts what each rule hid.
    #[must_use]
    pub fn redact_counting(&self, text: &str, counts: &mut Counts) -> Redacted {
        self.run(text, counts, &mut |_| {})
    }

    /// Hides secrets, remembers their values, and hides every copy of a remembered one.
    ///
    /// Copies are hidden in this text and in the later ones that are given the same memory; what
    /// was redacted before is masked by [`Seen::mask`]. The marker of a copy is
    /// `[REDACTED:seen]`.
    #[must_use]
    pub fn redact_seen(&self, text: &str, seen: &mut Seen, counts: &mut Counts) -> Redacted {
        let mut redacted = self.run(text, counts, &mut |value| seen.remember(value));
        if !self.settings.enabled {
            return redacted;
        }
        for _ in 0..PASSES {
            let (Some(masked), hits) = seen.masked(redacted.as_str()) else {
                break;
            };
            for _ in 0..hits {
                counts.hit(seen::ID);
            }
            // The marker of a copy may let a shape appear beside it, as any other may.
            redacted = self.run(&masked, counts, &mut |value| seen.remember(value));
        }
        redacted
    }

    fn run(&self, text: &str, counts: &mut Counts, found: &mut dyn FnMut(&str)) -> Redacted {
        if !self.settings.enabled {
            return Redacted::seal(text.to_owned());
        }
        let Some(ready) = self.ready() else {
            // Without rules nothing can be vouched for, so nothing is let through.
            return Redacted::literal("[REDACTED:no-rules]");
        };
        let mut current: Option<String> = None;
        for _ in 0..PASSES {
            let read = current.as_deref().unwrap_or(text);
            let spans = ready.spans(read);
            if spans.is_empty() {
                break;
            }
            for span in spans.iter().filter(|span| span.secret) {
                found(read.get(span.start..span.end).unwrap_or_default());
            }
            current = Some(span::hide(read, &spans, counts));
        }
        Redacted::seal(current.unwrap_or_else(|| text.to_owned()))
    }
}

impl Ready {
    fn new(settings: &Settings) -> Result<Self, RuleError> {
        let loaded = files::load(settings)?;
        let ready = Self::unchecked(settings, loaded.rules, loaded.names, loaded.version)?;
        let mut own = loaded.examples.iter().filter(|examples| examples.own);
        own.try_for_each(|own| ready.scanner.check_examples(own))?;
        Ok(ready)
    }

    /// Rules that can run, whatever their examples say.
    fn unchecked(
        settings: &Settings,
        rules: Vec<rule::Rule>,
        names: name::Names,
        version: u32,
    ) -> Result<Self, RuleError> {
        let mut allowed = settings.allow_sha256.clone();
        allowed.sort_unstable();
        Ok(Self {
            custom: files::custom(&settings.extra_patterns)?,
            allowed,
            version,
            scanner: Scanner::new(rules, names, settings.disabled_rules.clone())?,
        })
    }

    fn spans(&self, text: &str) -> Vec<Span<'_>> {
        let mut spans = self.found(text);
        if !self.allowed.is_empty() {
            spans.retain(|span| {
                let value = text.get(span.start..span.end).unwrap_or_default();
                self.allowed.binary_search(&explain::digest(value)).is_err()
            });
        }
        document::kept_whole(text, spans)
    }

    fn found(&self, text: &str) -> Vec<Span<'_>> {
        let mut spans = self.scanner.spans(text);
        if self.custom.is_empty() {
            return spans;
        }
        for (id, regex) in &self.custom {
            for found in regex.captures_iter(text) {
                let Some(secret) = found.name("secret").or_else(|| found.get(0)) else {
                    continue;
                };
                let (start, end) = (secret.start(), secret.end());
                spans.push(Span {
                    start,
                    end,
                    id,
                    rank: Rank::Rule(0),
                    secret: true,
                    bare: false,
                });
            }
        }
        settle(spans, &markers(text))
    }
}
