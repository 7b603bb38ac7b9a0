//! Reads rule files: those compiled in, and those of a user's folder.

use std::path::Path;

use regex::Regex;
use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::embedded::{FILES, PERSONAL};
use super::name::{Names, RawName};
use super::rule::{RawRule, Rule, RuleError, Sample, check_id};
use super::{REVISION, Settings};

/// A rule file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RuleFile {
    #[serde(default)]
    pub(super) rule: Vec<RawRule>,
    #[serde(default)]
    pub(super) name: Vec<RawName>,
}

/// What the files say.
pub(super) struct Loaded {
    pub(super) rules: Vec<Rule>,
    pub(super) names: Names,
    /// Number made of all that is in force.
    pub(super) version: u32,
    /// The examples of all rules and names in force.
    pub(super) examples: Vec<Examples>,
}

/// What a rule or a group of names says of itself.
pub(super) struct Examples {
    pub(super) file: String,
    pub(super) id: String,
    pub(super) description: String,
    /// Whether it is a group of names.
    pub(super) names: bool,
    /// Whether something is hidden under its id.
    pub(super) hides: bool,
    /// Whether it is of the user's folder.
    pub(super) own: bool,
    pub(super) matches: Vec<Sample>,
    pub(super) no_match: Vec<Sample>,
}

/// Reads the files; a later rule or group takes the place of an earlier one with its id.
pub(super) fn load(settings: &Settings) -> Result<Loaded, RuleError> {
    let mut rules: Vec<(RawRule, String, bool)> = Vec::new();
    let mut groups: Vec<RawName> = Vec::new();
    let mut known: Vec<String> = super::structure::KINDS
        .iter()
        .map(|(id, _)| *id)
        .chain([super::private_key::PRIVATE_KEY])
        .map(str::to_owned)
        .collect();
    let mut version = Version::new(settings);
    let mut examples = Vec::new();
    let mut take = |text: &str, name: &str, own: bool| -> Result<(), RuleError> {
        let file = parse(name, text)?;
        known.extend(file.rule.iter().map(|rule| rule.id.clone()));
        known.extend(file.name.iter().map(|group| group.id.clone()));
        if name == PERSONAL && !settings.personal {
            return Ok(());
        }
        version.add(name, text);
        for rule in &file.rule {
            examples.retain(|known: &Examples| known.id != rule.id);
            examples.push(Examples {
                file: name.to_owned(),
                id: rule.id.clone(),
                description: rule.description.clone(),
                names: false,
                hides: true,
                own,
                matches: rule.matches.clone(),
                no_match: rule.no_match.clone(),
            });
        }
        for group in &file.name {
            examples.retain(|known: &Examples| known.id != group.id);
            examples.push(Examples {
                file: name.to_owned(),
                id: group.id.clone(),
                description: group.description.clone(),
                names: true,
                hides: group.hides(),
                own,
                matches: group.matches.clone(),
                no_match: group.no_match.clone(),
            });
        }
        for rule in file.rule {
            rules.retain(|(known, ..)| known.id != rule.id);
            rules.push((rule, name.to_owned(), own));
        }
        for group in file.name {
            groups.retain(|known| known.id != group.id);
            groups.push(group);
        }
        Ok(())
    };
    for (name, text) in FILES {
        take(text, name, false)?;
    }
    if let Some(folder) = &settings.rules_dir {
        for (name, text) in folder_files(folder)? {
            take(&text, &name, true)?;
        }
    }
    for id in &settings.disabled_rules {
        check_known(id, &known)?;
    }
    let off = |id: &str| settings.disabled_rules.iter().any(|known| known == id);
    let mut names = Names::default();
    for group in groups.into_iter().filter(|group| !off(&group.id)) {
        names.add(group);
    }
    let rules = rules
        .into_iter()
        .filter(|(rule, ..)| !off(&rule.id))
        .map(|(rule, file, own)| Rule::new(rule, &file, own))
        .collect::<Result<_, _>>()?;
    examples.retain(|known| !off(&known.id));
    Ok(Loaded {
        rules,
        names,
        version: version.finish(),
        examples,
    })
}

/// A hash over the code's revision, the settings and every file in force.
struct Version(Sha256);

impl Version {
    fn new(settings: &Settings) -> Self {
        let mut version = Self(Sha256::new());
        version.add("revision", &REVISION.to_string());
        version.add("enabled", &settings.enabled.to_string());
        for pattern in &settings.extra_patterns {
            version.add("extra_patterns", pattern);
        }
        let mut off = settings.disabled_rules.clone();
        off.sort();
        off.dedup();
        for id in &off {
            version.add("disabled_rules", id);
        }
        let mut allowed = settings.allow_sha256.clone();
        allowed.sort_unstable();
        for digest in allowed {
            version.add("allow_sha256", &format!("{digest:?}"));
        }
        version
    }

    /// Adds a named text; lengths keep one from running into the next.
    fn add(&mut self, name: &str, text: &str) {
        for part in [name, text] {
            self.0.update((part.len() as u64).to_le_bytes());
            self.0.update(part);
        }
    }

    /// The first 32 bits, but never 0, which no rules have.
    fn finish(self) -> u32 {
        let hash = self.0.finalize();
        hash.first_chunk()
            .map_or(1, |first| u32::from_le_bytes(*first).max(1))
    }
}

/// Refuses an id that nothing has.
fn check_known(id: &str, known: &[String]) -> Result<(), RuleError> {
    if known.iter().any(|other| other == id) {
        return Ok(());
    }
    let nearest = known.iter().min_by_key(|other| distance(id, other));
    Err(RuleError::Unknown {
        id: id.to_owned(),
        nearest: nearest.cloned().unwrap_or_default(),
    })
}

/// How many bytes must be put in, taken out or changed to make one text of the other.
fn distance(one: &str, other: &str) -> usize {
    let mut row: Vec<usize> = (1..=other.len()).collect();
    for (line, left) in one.bytes().enumerate() {
        let (mut diagonal, mut before) = (line, line + 1);
        for (cell, right) in row.iter_mut().zip(other.bytes()) {
            let changed = diagonal + usize::from(left != right);
            diagonal = *cell;
            before = changed.min(diagonal + 1).min(before + 1);
            *cell = before;
        }
    }
    row.last().copied().unwrap_or(one.len())
}

/// Reads one file.
pub(super) fn parse(name: &str, text: &str) -> Result<RuleFile, RuleError> {
    let file: RuleFile = toml::from_str(text).map_err(|error| RuleError::Form {
        file: name.to_owned(),
        message: error.to_string(),
    })?;
    for group in &file.name {
        let wrong = |field, expected| RuleError::Field {
            file: name.to_owned(),
            rule: group.id.clone(),
            field,
            expected,
        };
        check_id(&group.id).map_err(|expected| wrong("id", expected))?;
        let plain = |word: &String| {
            !word.is_empty()
                && !word
                    .chars()
                    .any(|sign| sign.is_ascii_uppercase() || sign.is_whitespace())
        };
        if group.words.is_empty() || !group.words.iter().all(plain) {
            let expected = "words in small letters with `_` between parts".to_owned();
            return Err(wrong("words", expected));
        }
    }
    Ok(file)
}

/// The rule files of a folder, by name.
fn folder_files(folder: &Path) -> Result<Vec<(String, String)>, RuleError> {
    let unread = |path: &Path, source| RuleError::Read {
        file: path.display().to_string(),
        source,
    };
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(|error| unread(folder, error))? {
        let path = entry.map_err(|error| unread(folder, error))?.path();
        if path
            .extension()
            .is_some_and(|extension| extension == "toml")
        {
            paths.push(path);
        }
    }
    paths.sort();
    paths
        .into_iter()
        .map(|path| match std::fs::read_to_string(&path) {
            Ok(text) => Ok((path.display().to_string(), text)),
            Err(error) => Err(unread(&path, error)),
        })
        .collect()
}

/// Makes a user's own patterns ready; their ids are `custom-1`, `custom-2` and so on.
pub(super) fn custom(patterns: &[String]) -> Result<Vec<(String, Regex)>, RuleError> {
    let wrong = |id: &str, expected: String| RuleError::Field {
        file: "configuration".to_owned(),
        rule: id.to_owned(),
        field: "extra_patterns",
        expected,
    };
    patterns
        .iter()
        .enumerate()
        .map(|(at, pattern)| {
            let id = format!("custom-{}", at + 1);
            let regex = Regex::new(pattern)
                .map_err(|error| wrong(&id, format!("a regular expression ({error})")))?;
            if regex.is_match("") {
                return Err(wrong(
                    &id,
                    "an expression that does not match an empty text".to_owned(),
                ));
            }
            Ok((id, regex))
        })
        .collect()
}
