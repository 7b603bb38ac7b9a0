//! `[[clients]]`: the keys with which the library is read, and what each may see.

use std::collections::BTreeMap;

use jezero_connectors::SourceName;
use toml::de::DeValue;

use super::env::{Env, Secret};
use super::reading::Section;

/// What the key of a client is compared with.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum ClientKey {
    /// The key is the value of this variable.
    Variable(String),
    /// The SHA-256 of the key, 64 lower-case hexadecimal digits.
    Sha256(String),
}

/// One key's owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Client {
    /// Its name, unique in a configuration, of the shape of a source name.
    pub name: String,
    /// Its key.
    pub key: ClientKey,
    /// Globs over the names of the sources that it may read; each is valid.
    pub sources: Vec<String>,
    /// Whether it may upload to the inbox.
    pub upload: bool,
    /// Whether it may read the redacted originals.
    pub originals: bool,
}

/// Why a client cannot be used as things stand.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unusable {
    /// Its variable is missing or empty.
    #[error("the environment variable {0} is not set: this client is disabled")]
    NotSet(String),
    /// Another client's variable holds the same key.
    #[error("its variable holds the same key as that of client {0}: both are disabled")]
    SameKey(String),
}

impl Client {
    const KEYS: &[&str] = &[
        "name",
        "token_env",
        "token_sha256",
        "sources",
        "upload",
        "originals",
    ];

    /// The value of its variable, for a client that has one that is set.
    #[must_use]
    pub fn variable(&self, env: &Env) -> Option<Secret> {
        match &self.key {
            ClientKey::Variable(name) => env.get(name),
            ClientKey::Sha256(_) => None,
        }
    }
}

/// Says of each client, in order, why it cannot be used, if so.
#[must_use]
pub fn unusable(clients: &[Client], env: &Env) -> Vec<Option<Unusable>> {
    let values: Vec<Option<Secret>> = clients.iter().map(|one| one.variable(env)).collect();
    let judge = |(at, client): (usize, &Client)| {
        let ClientKey::Variable(variable) = &client.key else {
            return None;
        };
        let Some(value) = values.get(at).and_then(Option::as_ref) else {
            return Some(Unusable::NotSet(variable.clone()));
        };
        let twin = (0..)
            .zip(&values)
            .find(|(other, one)| *other != at && one.as_ref() == Some(value));
        let (other, _) = twin?;
        Some(Unusable::SameKey(clients.get::<usize>(other)?.name.clone()))
    };
    clients.iter().enumerate().map(judge).collect()
}

/// Reads all `[[clients]]`.
pub(super) fn read(root: &Section<'_>) -> Vec<Client> {
    let mut names = BTreeMap::new();
    let mut keys = BTreeMap::new();
    let mut clients = Vec::new();
    for section in root.sections("clients") {
        let Some(client) = read_one(&section) else {
            continue;
        };
        if names.insert(client.name.clone(), ()).is_some() {
            let message = format!("{:?} is taken by an earlier client", client.name);
            section.reject("name", message);
        }
        if let Some(earlier) = keys.insert(client.key.clone(), client.name.clone()) {
            let message = format!("is the key of client {earlier:?} already: each needs its own");
            section.reject(key_name(&client.key), message);
        }
        clients.push(client);
    }
    clients
}

fn key_name(key: &ClientKey) -> &'static str {
    match key {
        ClientKey::Variable(_) => "token_env",
        ClientKey::Sha256(_) => "token_sha256",
    }
}

fn read_one(section: &Section<'_>) -> Option<Client> {
    section.only(Client::KEYS);
    section.require("name", super::NAME_RULE);
    let name = section.get("name", super::NAME_RULE, |value| {
        let name = SourceName::new(value.as_str()?).ok()?;
        Some(name.to_string())
    });
    let rule = "a glob over source names such as \"agent-*\"";
    let sources = section.texts("sources", rule, |glob| {
        !glob.is_empty() && globset::Glob::new(glob).is_ok()
    });
    let key = read_key(section);
    let upload = section.flag("upload").unwrap_or(false);
    let originals = section.flag("originals").unwrap_or(true);
    Some(Client {
        name: name?,
        key: key?,
        sources: sources.unwrap_or_else(|| vec!["*".to_owned()]),
        upload,
        originals,
    })
}

fn read_key(section: &Section<'_>) -> Option<ClientKey> {
    let variable = section.variable("token_env");
    let digest = section.get(
        "token_sha256",
        "64 lower-case hexadecimal digits",
        |value| {
            let text = DeValue::as_str(value)?;
            let hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
            (text.len() == 64 && text.bytes().all(hex)).then(|| text.to_owned())
        },
    );
    match (section.has("token_env"), section.has("token_sha256")) {
        (true, true) => {
            section.reject(
                "token_sha256",
                "must not stand beside token_env: one key a client",
            );
            None
        }
        (false, false) => {
            let message = "has no key: needs token_sha256 or token_env";
            section.reject_whole(message);
            None
        }
        _ => variable
            .map(ClientKey::Variable)
            .or_else(|| digest.map(ClientKey::Sha256)),
    }
}
