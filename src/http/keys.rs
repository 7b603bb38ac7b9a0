//! Keys and who they belong to.
//!
//! A key is never kept: its SHA-256 is compared with that of every client, each in constant time,
//! so that neither a match nor its place in the list can be told from how long it took.

use sha2::{Digest, Sha256};
use subtle::{ConditionallySelectable, ConstantTimeEq};

use crate::access::Reader;
use crate::config::{Client, ClientKey, Config, unusable};

/// A client whose key can be used.
#[derive(Debug, Clone)]
pub(super) struct Holder {
    /// What it may see.
    pub(super) reader: Reader,
    digest: [u8; 32],
    /// Its name in the configuration.
    name: String,
}

/// The clients of a configuration that can be used.
#[derive(Debug, Clone, Default)]
pub(super) struct Keys {
    holders: Vec<Holder>,
}

/// What a list of clients gives the person at the server to know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Notice {
    /// A client is left out, which may be meant.
    Warning(String),
    /// A client is left out because of a mistake.
    Error(String),
}

impl Keys {
    /// Takes over the clients whose keys can be used, and says why others cannot.
    pub(super) fn of(config: &Config) -> (Self, Vec<Notice>) {
        let mut notices = Vec::new();
        let mut holders = Vec::new();
        let reasons = unusable(&config.clients, &config.env);
        for (client, reason) in config.clients.iter().zip(reasons) {
            match reason {
                None => match holder(client, config) {
                    Some(holder) => holders.push(holder),
                    None => notices.push(Notice::Error(format!(
                        "client {} cannot be used and is disabled",
                        client.name
                    ))),
                },
                Some(reason) => {
                    let told = format!("client {}: {reason}", client.name);
                    let meant = matches!(reason, crate::config::Unusable::NotSet(_));
                    notices.push(if meant {
                        Notice::Warning(told)
                    } else {
                        Notice::Error(told)
                    });
                }
            }
        }
        let holders = without_twins(holders, &mut notices);
        (Self { holders }, notices)
    }

    /// How many clients can be used.
    pub(super) fn len(&self) -> usize {
        self.holders.len()
    }

    /// The client that a key belongs to.
    pub(super) fn holder(&self, key: &str) -> Option<&Holder> {
        let digest: [u8; 32] = Sha256::digest(key.as_bytes()).into();
        let mut found = u64::MAX;
        for (at, holder) in (0_u64..).zip(&self.holders) {
            found.conditional_assign(&at, holder.digest.ct_eq(&digest));
        }
        self.holders.get(usize::try_from(found).ok()?)
    }
}

fn holder(client: &Client, config: &Config) -> Option<Holder> {
    let digest = match &client.key {
        ClientKey::Sha256(hex) => unhex(hex)?,
        ClientKey::Variable(_) => {
            Sha256::digest(client.variable(&config.env)?.expose().as_bytes()).into()
        }
    };
    Some(Holder {
        reader: Reader::new(&client.sources, client.originals).ok()?,
        digest,
        name: client.name.clone(),
    })
}

/// Leaves out clients with one key: which of their rights would hold is anyone's guess.
fn without_twins(holders: Vec<Holder>, notices: &mut Vec<Notice>) -> Vec<Holder> {
    let twin = |one: &Holder| {
        let same = |other: &&Holder| other.digest == one.digest && other.name != one.name;
        holders.iter().find(same).map(|other| other.name.clone())
    };
    let twins: Vec<Option<String>> = holders.iter().map(twin).collect();
    let mut left = Vec::new();
    for (holder, twin) in holders.into_iter().zip(twins) {
        match twin {
            None => left.push(holder),
            Some(other) => notices.push(Notice::Error(format!(
                "client {}: its key is also that of client {other}: both are disabled",
                holder.name
            ))),
        }
    }
    left
}

fn unhex(hex: &str) -> Option<[u8; 32]> {
    let mut digest = [0_u8; 32];
    if hex.len() != 64 {
        return None;
    }
    for (byte, at) in digest.iter_mut().zip((0..).step_by(2)) {
        *byte = u8::from_str_radix(hex.get(at..at + 2)?, 16).ok()?;
    }
    Some(digest)
}

/// The key that a request carries: `Authorization: Bearer <key>`, once.
pub(super) fn bearer(headers: &axum::http::HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(axum::http::header::AUTHORIZATION).iter();
    let value = values.next()?.to_str().ok()?;
    if values.next().is_some() {
        return None;
    }
    let (scheme, key) = value.split_once(' ')?;
    let key = key.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !key.is_empty()).then_some(key)
}
