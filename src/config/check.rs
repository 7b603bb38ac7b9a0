//! What `check-config` tells: how the configuration reads, and what loads but will not work.
//!
//! Looks at the disk and at the environment; changes nothing, apart from an empty file that it makes
//! and removes to learn whether the folder of the library can be written.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::clients::{self, ClientKey};
use super::connectors::ConnectorConfig;
use super::{Config, Provider};

/// A configuration as `check-config` shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Overview {
    /// The configuration file.
    pub config: PathBuf,
    /// The library's file.
    pub database: PathBuf,
    /// How words are matched.
    pub tokenizer: String,
    /// For how many days originals are kept; `None` for ever.
    pub keep_originals_days: Option<u32>,
    /// Address of the MCP endpoint on this computer.
    pub server: String,
    /// Whether a request needs a key.
    pub require_auth: bool,
    /// Who writes the summaries, and the model if one is named.
    pub summarizer: String,
    /// Name of each client, and whether its key can be used.
    pub clients: Vec<(String, bool)>,
    /// Name and kind of each source, and whether it is enabled.
    pub connectors: Vec<(String, String, bool)>,
    /// Each variable that the configuration names, and whether it is set.
    pub variables: BTreeMap<String, bool>,
    /// What will not work, a sentence each.
    pub problems: Vec<String>,
}

impl Config {
    /// Reads the configuration out, and looks whether it can work here and now.
    ///
    /// Not for a process that has the library open: it opens the library's file once more, and
    /// closing that would drop the locks that SQLite holds on it.
    #[must_use]
    pub fn overview(&self) -> Overview {
        let server = &self.server;
        let host = if server.host.contains(':') && !server.host.starts_with('[') {
            format!("[{}]", server.host)
        } else {
            server.host.clone()
        };
        let unusable = clients::unusable(&self.clients, &self.env);
        let usable = self.clients.iter().zip(&unusable);
        let connectors = self.connectors.iter();
        Overview {
            config: self.path.clone(),
            database: self.storage.path.clone(),
            tokenizer: self.storage.tokenizer.to_string(),
            keep_originals_days: self.storage.keep_originals_days,
            server: format!("http://{host}:{}{}", server.port, server.path),
            require_auth: server.require_auth,
            summarizer: match (&self.summarizer.model, self.summarizer.provider) {
                (Some(model), Provider::Anthropic | Provider::OpenaiCompatible) => {
                    format!("{} {model}", self.summarizer.provider)
                }
                (_, provider) => provider.to_string(),
            },
            clients: usable
                .map(|(client, reason)| (client.name.clone(), reason.is_none()))
                .collect(),
            connectors: connectors
                .map(|one| {
                    (
                        one.name.to_string(),
                        one.kind.name().to_owned(),
                        one.enabled,
                    )
                })
                .collect(),
            variables: self.variables(),
            problems: self.problems(),
        }
    }

    /// Names of the variables that hold this program's secrets: a program that it starts need not
    /// see them.
    #[must_use]
    pub fn secret_variables(&self) -> Vec<String> {
        let mut names: Vec<String> = self.variables().into_keys().collect();
        names.push(self.summarizer.api_key_env.clone());
        names.sort();
        names.dedup();
        names
    }

    /// Every variable that the configuration names and that would be read, and whether it is set.
    fn variables(&self) -> BTreeMap<String, bool> {
        let model = &self.summarizer;
        let model = model.needs_key().then_some(&model.api_key_env);
        let watchdog = [
            &self.watchdog.alert_webhook_env,
            &self.watchdog.heartbeat_url_env,
        ];
        let clients = self.clients.iter().filter_map(|client| match &client.key {
            ClientKey::Variable(name) => Some(name),
            ClientKey::Sha256(_) => None,
        });
        let connectors = self.connectors.iter().filter(|one| one.enabled);
        let named = model
            .into_iter()
            .chain(watchdog.into_iter().flatten())
            .chain(clients)
            .map(String::as_str)
            .chain(connectors.flat_map(ConnectorConfig::variables));
        named
            .map(|name| (name.to_owned(), self.env.get(name).is_some()))
            .collect()
    }

    /// What loads but will not work as things stand, a sentence each. Nothing in it is a secret.
    #[must_use]
    pub fn problems(&self) -> Vec<String> {
        let mut problems: Vec<String> = self.env_problems.iter().map(ToString::to_string).collect();
        problems.extend(self.storage_problem());
        if let Err(error) = self.summarizer.ready(&self.env) {
            problems.push(error.to_string());
        }
        if let Some(folder) = self
            .redaction
            .rules_dir
            .as_deref()
            .filter(|path| !path.is_dir())
        {
            problems.push(format!(
                "redaction.rules_dir: {} is no folder",
                folder.display()
            ));
        }
        problems.extend(self.client_problems());
        for connector in self.connectors.iter().filter(|one| one.enabled) {
            let name = &connector.name;
            let missing = self.missing_folder(connector);
            problems.extend(missing.map(|missing| format!("connector {name}: {missing}")));
            for variable in connector.variables() {
                if self.env.get(variable).is_none() {
                    let text = "the environment variable is not set:";
                    problems.push(format!("connector {name}: {text} {variable}"));
                }
            }
        }
        for (key, variable) in [
            ("alert_webhook_env", &self.watchdog.alert_webhook_env),
            ("heartbeat_url_env", &self.watchdog.heartbeat_url_env),
        ] {
            let unset = variable
                .as_ref()
                .filter(|name| self.env.get(name).is_none());
            let told = |name| format!("watchdog.{key}: the environment variable {name} is not set");
            problems.extend(unset.map(told));
        }
        problems
    }

    /// Why the library's file cannot be written. One is made on first use, with its folder; the
    /// nearest folder that is there decides.
    #[must_use]
    pub fn storage_problem(&self) -> Option<String> {
        let path = &self.storage.path;
        if path.is_dir() {
            return Some(format!("storage.path: {} is a folder", path.display()));
        }
        let folder = path.ancestors().skip(1).find(|folder| folder.exists())?;
        let file = std::fs::OpenOptions::new().append(true).open(path);
        let locked = path.exists() && file.is_err();
        if locked {
            return Some(format!("storage.path: {} is not writable", path.display()));
        }
        let writable = folder.is_dir() && is_writable(folder);
        (!writable).then(|| format!("storage.path: {} is not writable", folder.display()))
    }

    /// Clients whose keys cannot be used, and why.
    #[must_use]
    pub fn client_problems(&self) -> Vec<String> {
        let reasons = clients::unusable(&self.clients, &self.env);
        let mut problems: Vec<String> = (self.clients.iter().zip(&reasons))
            .filter_map(|(client, reason)| {
                Some(format!("client {}: {}", client.name, reason.as_ref()?))
            })
            .collect();
        // Without any client nobody means to serve others yet.
        let none = !self.clients.is_empty() && reasons.iter().all(Option::is_some);
        if self.server.require_auth && none {
            problems.push("no client has a usable key: a server would refuse to start".to_owned());
        }
        problems
    }

    /// What the options of a source point to and is not there.
    #[must_use]
    pub fn missing_folder(&self, connector: &ConnectorConfig) -> Option<String> {
        let surroundings = connector.surroundings(self);
        // A server is somewhere else.
        let mut named = connector.options.keys().any(|key| key.ends_with("_url"));
        for (key, value) in &connector.options {
            let place = PLACES.iter().any(|ending| key.ends_with(ending));
            let Some(text) = value.as_str().filter(|_| place) else {
                continue;
            };
            named = true;
            let path = surroundings.resolve(text);
            if !text.contains(['*', '?', '[']) && !path.exists() {
                return Some(format!("options.{key}: {} does not exist", path.display()));
            }
        }
        let lost = !named && connector.kind.discover(&surroundings).is_none();
        lost.then(|| {
            let kind = connector.kind.name();
            format!("nothing of {kind} is found at its usual place; name it in its options")
        })
    }
}

/// Endings of options that name a folder or a file.
const PLACES: [&str; 4] = ["_dir", "_path", "maildir", "mbox"];

/// Whether a file can be made in a folder: makes an empty one and removes it, since permission bits
/// alone do not tell (another owner, a read-only medium).
fn is_writable(folder: &Path) -> bool {
    let probe = folder.join(format!(".jezero-check-{}", std::process::id()));
    let made = std::fs::File::create_new(&probe).is_ok();
    made && std::fs::remove_file(&probe).is_ok()
}
