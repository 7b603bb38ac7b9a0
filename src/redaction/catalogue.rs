//! What there is that can hide something, also what is switched off, and whether each rule does what
//! its own examples say.

use serde::Serialize;

use super::embedded::PERSONAL;
use super::files::{self, Loaded};
use super::{Ready, RuleError, Settings, private_key, structure};

/// Whether something is applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// It is.
    On,
    /// It is named in `disabled_rules`.
    Disabled,
    /// Its family is off: `personal` switches it on.
    Off,
}

impl State {
    /// The word for people.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::On => "on",
            Self::Disabled => "disabled",
            Self::Off => "off",
        }
    }
}

/// A rule, a group of names, a shape or a pattern of the user's own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Listed {
    /// Id, as the marker shows it.
    pub id: String,
    /// The rule file without `.toml`; `names`, `structure` or `private-key`; `extra_patterns`.
    pub family: String,
    /// Whether it is applied.
    pub state: State,
    /// What it hides.
    pub description: String,
}

/// An example that is not as it says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fault {
    /// The rule file.
    pub file: String,
    /// The rule.
    pub id: String,
    /// `match` or `no_match`.
    pub list: &'static str,
    /// Place in that list, from 1.
    pub example: usize,
    /// What would be right.
    pub expected: &'static str,
}

/// What a test of all examples gave.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Tested {
    /// Rules and groups of names.
    pub rules: u64,
    /// Their examples.
    pub examples: u64,
    /// Examples that are not as they say.
    pub faults: Vec<Fault>,
    /// Rules with fewer than two examples of either kind.
    pub few_examples: Vec<String>,
}

/// Lists everything, in the order of families and ids.
///
/// # Errors
/// As [`Engine::with`](super::Engine::with).
pub fn catalogue(settings: &Settings) -> Result<Vec<Listed>, RuleError> {
    let everything = Settings {
        personal: true,
        disabled_rules: Vec::new(),
        ..settings.clone()
    };
    let all = files::load(&everything)?;
    // The ids that are switched off are checked, too.
    files::load(settings)?;
    let mut listed = Vec::new();
    let mut add = |id: &str, family: &str, description: &str| {
        let state = match () {
            () if settings.disabled_rules.iter().any(|off| off == id) => State::Disabled,
            () if family == stem(PERSONAL) && !settings.personal => State::Off,
            () => State::On,
        };
        listed.push(Listed {
            id: id.to_owned(),
            family: family.to_owned(),
            state,
            description: description.to_owned(),
        });
    };
    for examples in all.examples.iter().filter(|examples| examples.hides) {
        add(&examples.id, stem(&examples.file), &examples.description);
    }
    for (id, description) in structure::KINDS {
        add(id, "structure", description);
    }
    add(
        private_key::PRIVATE_KEY,
        private_key::PRIVATE_KEY,
        private_key::DESCRIPTION,
    );
    for number in 1..=settings.extra_patterns.len() {
        let description = format!("pattern {number} of extra_patterns");
        add(&format!("custom-{number}"), "extra_patterns", &description);
    }
    listed.sort_by(|a, b| (&a.family, &a.id).cmp(&(&b.family, &b.id)));
    Ok(listed)
}

/// Runs the examples of every rule and name, also of those that are switched off.
///
/// # Errors
/// As [`Engine::with`](super::Engine::with), but for examples: what is wrong with them is the answer.
pub fn test_rules(settings: &Settings) -> Result<Tested, RuleError> {
    let everything = Settings {
        enabled: true,
        personal: true,
        disabled_rules: Vec::new(),
        allow_sha256: Vec::new(),
        ..settings.clone()
    };
    let Loaded {
        rules,
        names,
        version,
        examples,
    } = files::load(&everything)?;
    let ready = Ready::unchecked(&everything, rules, names, version)?;
    let mut tested = Tested::default();
    for own in &examples {
        tested.rules += 1;
        tested.examples += (own.matches.len() + own.no_match.len()) as u64;
        if !own.names && (own.matches.len() < 2 || own.no_match.len() < 2) {
            tested.few_examples.push(own.id.clone());
        }
        for (list, example, expected) in ready.scanner.wrong_examples(own) {
            tested.faults.push(Fault {
                file: own.file.clone(),
                id: own.id.clone(),
                list,
                example,
                expected,
            });
        }
    }
    Ok(tested)
}

/// The name of a rule file without folder and `.toml`.
fn stem(file: &str) -> &str {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    name.strip_suffix(".toml").unwrap_or(name)
}
