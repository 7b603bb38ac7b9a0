//! `[[connectors]]`: the sources, each checked by its own kind.

use std::collections::BTreeSet;
use std::fmt;

use jezero_connectors::connector::Surroundings;
use jezero_connectors::{Connector, ConnectorError, Kind, SourceName, Trust};
use toml::de::{DeTable, DeValue};

use super::env::Env;
use super::reading::Section;
use super::shown;

/// Kinds that a configuration may name but that are no connectors.
const IMPORT_ONLY: &str = "jsonl";

/// One source: how it is called, what reads it, how often.
#[derive(Clone)]
pub struct ConnectorConfig {
    /// The name of the source, unique in a configuration.
    pub name: SourceName,
    /// What reads it.
    pub kind: &'static dyn Kind,
    /// Whether it takes part in a run.
    pub enabled: bool,
    /// How often it is due, in minutes.
    pub interval_minutes: u64,
    /// The project of what has none of its own, in the form of a project name.
    pub project: Option<String>,
    /// Who wrote it: what the kind says, lowered by the setting.
    pub trust: Trust,
    /// The kind's own options; they have been checked.
    pub options: toml::Table,
}

impl fmt::Debug for ConnectorConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConnectorConfig")
            .field("name", &self.name)
            .field("kind", &self.kind.name())
            .field("enabled", &self.enabled)
            .field("interval_minutes", &self.interval_minutes)
            .field("project", &self.project)
            .field("trust", &self.trust)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

impl ConnectorConfig {
    const KEYS: &[&str] = &[
        "name",
        "type",
        "enabled",
        "interval_minutes",
        "project",
        "trust",
        "options",
    ];

    /// Makes the connector that reads this source. Opens nothing.
    ///
    /// # Errors
    /// What the kind says of its options. They were checked when the configuration was loaded, so
    /// that only a changed environment can lead to one.
    pub fn build(&self, config: &super::Config) -> Result<Box<dyn Connector>, ConnectorError> {
        self.kind.build(&self.options, &self.surroundings(config))
    }

    /// Where its kind looks for things.
    #[must_use]
    pub fn surroundings(&self, config: &super::Config) -> Surroundings {
        surroundings(self.kind, &self.options, &config.paths(), &config.env)
    }

    /// Names of the variables that its options ask for (`…_env`).
    #[must_use]
    pub fn variables(&self) -> Vec<&str> {
        named_variables(&self.options)
    }
}

fn named_variables(options: &toml::Table) -> Vec<&str> {
    let named = options.iter().filter(|(key, _)| key.ends_with("_env"));
    named.filter_map(|(_, value)| value.as_str()).collect()
}

/// What a kind may look at: the paths of `paths`, and the variables that it or its options name.
fn surroundings(
    kind: &dyn Kind,
    options: &toml::Table,
    paths: &Surroundings,
    env: &Env,
) -> Surroundings {
    let names = named_variables(options);
    let names = names.into_iter().chain(kind.variables().iter().copied());
    Surroundings {
        base: paths.base.clone(),
        home: paths.home.clone(),
        variables: names
            .filter_map(|name| Some((name.to_owned(), env.get(name)?.expose().to_owned())))
            .collect(),
    }
}

/// Reads all `[[connectors]]`. One that is wrong is left out; the problem is remembered.
pub(super) fn read(root: &Section<'_>, env: &Env) -> Vec<ConnectorConfig> {
    let mut names = BTreeSet::new();
    let mut connectors = Vec::new();
    for section in root.sections("connectors") {
        let connector = read_one(&section, env);
        if let Some(ConnectorConfig { name, .. }) = &connector
            && !names.insert(name.clone())
        {
            let message = format!("\"{name}\" is taken by an earlier connector");
            section.reject("name", message);
        }
        connectors.extend(connector);
    }
    connectors
}

fn read_one(section: &Section<'_>, env: &Env) -> Option<ConnectorConfig> {
    section.only(ConnectorConfig::KEYS);
    section.require("name", super::NAME_RULE);
    section.require("type", &kinds());
    let name = section.get("name", super::NAME_RULE, |value| {
        SourceName::new(value.as_str()?).ok()
    });
    let kind = read_kind(section);
    let ceiling = section.get("trust", "\"own\" or \"external\"", |value| {
        value.as_str()?.parse::<Trust>().ok()
    });
    let project = section.get("project", super::projects::NAME_RULE, |value| {
        super::projects::clean(value.as_str()?)
    });
    let enabled = section.flag("enabled").unwrap_or(true);
    let interval_minutes = section.integer("interval_minutes", 1..=u64::MAX);
    let options = read_options(&section.section("options"), kind, env);
    let (name, kind) = (name?, kind?);
    Some(ConnectorConfig {
        name,
        kind,
        enabled,
        interval_minutes: interval_minutes.unwrap_or(15),
        project,
        trust: kind
            .highest_trust(&options)
            .capped(ceiling.unwrap_or(Trust::Own)),
        options,
    })
}

fn kinds() -> String {
    let names: Vec<&str> = jezero_connectors::ALL
        .iter()
        .map(|kind| kind.name())
        .collect();
    format!("one of {}", names.join(", "))
}

fn read_kind(section: &Section<'_>) -> Option<&'static dyn Kind> {
    let word = section.get("type", &kinds(), DeValue::as_str)?;
    if word == IMPORT_ONLY {
        let message = "\"jsonl\" is no connector: use `jezero import-jsonl PATH --source NAME`";
        section.reject("type", message);
        return None;
    }
    section.get("type", &kinds(), |_| jezero_connectors::kind(word))
}

/// Reads `[connectors.options]` and lets the kind check them: again without each key that it
/// refuses, so that every wrong key is told at once.
fn read_options(section: &Section<'_>, kind: Option<&dyn Kind>, env: &Env) -> toml::Table {
    let mut options = section.table().map_or_else(toml::Table::new, plain_table);
    let secrets: Vec<String> = (options.keys())
        .filter(|key| shown::is_secret_key(key))
        .cloned()
        .collect();
    for key in secrets {
        let message = format!(
            "a secret does not belong in this file: put it into an environment variable or the \
             .env file, and name that variable in {key}_env"
        );
        section.reject(&key, message);
        options.remove(&key);
    }
    if let Some(kind) = kind {
        check_options(section, kind, options.clone(), env);
    }
    options
}

fn check_options(section: &Section<'_>, kind: &dyn Kind, mut left: toml::Table, env: &Env) {
    let refusal = |options: &toml::Table| {
        let surroundings = surroundings(kind, options, section.paths(), env);
        match kind.build(options, &surroundings).err()? {
            ConnectorError::Option { key, message } => Some((key, message)),
            other => Some((String::new(), other.to_string())),
        }
    };
    while let Some((named, message)) = refusal(&left) {
        let without = |key: &str| {
            let mut fewer = left.clone();
            fewer.remove(key);
            fewer
        };
        // A kind does not always know which key was wrong: the one without which it says
        // something else.
        let culprit = left.keys().find(|key| **key == named).or_else(|| {
            left.keys()
                .find(|key| refusal(&without(key)).is_none_or(|(_, other)| other != message))
        });
        let Some(key) = culprit.cloned() else {
            match named.as_str() {
                "" | "options" => section.reject_whole(message),
                absent => section.reject(absent, told(absent, &message)),
            }
            return;
        };
        section.reject(&key, told(&key, &message));
        left = without(&key);
    }
}

/// What a kind says of a key, in the words of this module where they are known.
fn told(key: &str, message: &str) -> String {
    let mut names = message.split('`').skip(1).step_by(2);
    if message.starts_with("unknown field") && names.next() == Some(key) {
        let valid: Vec<&str> = names.collect();
        return shown::unknown(key, valid.into_iter());
    }
    if shown::is_private(key) {
        return "is not valid (its value is not shown)".to_owned();
    }
    let types = message.strip_prefix("invalid type: ");
    match types.and_then(|rest| rest.rsplit_once(", expected ")) {
        Some((got, wanted)) => {
            let wanted = match wanted {
                "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number of at least 0",
                "a boolean" => "true or false",
                "a string" => "a text",
                "a sequence" => "a list",
                other => other,
            };
            let got = got.strip_prefix("string ").unwrap_or(got).replace('`', "");
            format!("must be {wanted}, got {got}")
        }
        None => message.to_owned(),
    }
}

fn plain_table(table: &DeTable<'_>) -> toml::Table {
    let pairs = table.iter();
    pairs
        .filter_map(|(key, value)| Some((key.get_ref().to_string(), plain(value.get_ref())?)))
        .collect()
}

/// The value without its places. `None` for a number that no one could store; such a key counts as
/// absent.
fn plain(value: &DeValue<'_>) -> Option<toml::Value> {
    Some(match value {
        DeValue::String(text) => toml::Value::String(text.to_string()),
        DeValue::Integer(integer) => {
            toml::Value::Integer(i64::from_str_radix(integer.as_str(), integer.radix()).ok()?)
        }
        DeValue::Float(float) => toml::Value::Float(float.as_str().parse().ok()?),
        DeValue::Boolean(flag) => toml::Value::Boolean(*flag),
        DeValue::Datetime(datetime) => toml::Value::Datetime(*datetime),
        DeValue::Array(array) => toml::Value::Array(
            array
                .iter()
                .filter_map(|one| plain(one.get_ref()))
                .collect(),
        ),
        DeValue::Table(table) => toml::Value::Table(plain_table(table)),
    })
}
