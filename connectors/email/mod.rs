//! Email: threads of a Maildir, of mbox files, of a folder of `.eml` files or of an IMAP server.
//!
//! A unit is a thread, a block a mail. What is kept and left out, and why, is told to people in
//! `docs/connectors/email.md`.
//!
//! Way of a mail: a store lists it and opens it (`mailbox` is what every store offers, `maildir`,
//! `mbox`, `eml_dir` and `imap` are stores) → `slim` (its bytes without attachments) → `mail` with `fields`,
//! `ids`, `dates`, `people` and `bulk` (its header section) → `gather` (its thread) → `plan` (its
//! ordinal, and what of the thread is sent) → `send` → `mail` with `parts`, `lines`, `html`,
//! `quotes` and `trim` (its text) → the sink. `known` is what earlier readings remember.

mod bulk;
mod calendar;
mod charset;
mod dates;
mod delivery;
mod eml_dir;
mod fields;
mod folders;
mod gather;
mod html;
mod ids;
mod imap;
mod known;
mod lines;
mod mail;
mod mailbox;
mod maildir;
mod mbox;
pub mod options;
mod parts;
mod people;
mod places;
mod plan;
mod quotes;
mod send;
mod slim;
mod tags;
mod trim;
mod words;

use std::path::{Path, PathBuf};

use async_trait::async_trait;

use self::mailbox::Mailbox;
use self::options::{Options, Store};
use crate::connector::{Connector, Kind, Outcome, Request, Surroundings, Watched};
use crate::error::ConnectorError;
use crate::report::Report;
use crate::source::Trust;
use crate::unit::Sink;

/// The kind `email`.
#[derive(Debug, Clone, Copy)]
pub struct Email;

impl Kind for Email {
    fn name(&self) -> &'static str {
        "email"
    }

    fn default_trust(&self) -> Trust {
        Trust::External
    }

    fn highest_trust(&self, options: &toml::Table) -> Trust {
        let notes = options.get("own_notes").and_then(toml::Value::as_bool);
        match notes {
            Some(true) => Trust::Own,
            _ => self.default_trust(),
        }
    }

    fn build(
        &self,
        table: &toml::Table,
        surroundings: &Surroundings,
    ) -> Result<Box<dyn Connector>, ConnectorError> {
        let (options, store) = Options::read(table)?;
        let (store, path) = match store {
            Store::Maildir(ref path) | Store::Mbox(ref path) | Store::EmlDir(ref path) => {
                let path = surroundings.resolve(path);
                (store, path)
            }
            Store::Imap(account) => {
                let account = account.placed(surroundings);
                (Store::Imap(Box::new(account)), PathBuf::new())
            }
        };
        Ok(Box::new(Threads {
            options,
            store,
            path,
        }))
    }

    fn discover(&self, surroundings: &Surroundings) -> Option<PathBuf> {
        places::usual(surroundings)
    }

    fn template(&self, found: &Path) -> String {
        places::template(found)
    }
}

#[derive(Debug, Clone)]
struct Threads {
    options: Options,
    store: Store,
    path: PathBuf,
}

#[async_trait]
impl Connector for Threads {
    async fn poll(&mut self, request: Request, mut sink: Sink) -> Outcome {
        let this = self.clone();
        let read = move || {
            let mut report = Report::default();
            let mut store = this.store();
            let result =
                delivery::run(&this.options, &mut *store, &request, &mut sink, &mut report);
            (report, result)
        };
        tokio::task::spawn_blocking(read)
            .await
            .unwrap_or_else(|_| (Report::default(), Err(ConnectorError::Broken)))
    }

    fn watched(&self) -> Watched {
        let folder = match self.store {
            // A server is asked at the interval.
            Store::Imap(_) => None,
            _ if self.path.is_dir() => Some(self.path.clone()),
            // One mbox file: its folder, since programs put a new file in its place.
            _ => self.path.parent().map(Path::to_path_buf),
        };
        Watched {
            folders: folder
                .into_iter()
                .filter(|folder| folder.is_dir())
                .collect(),
            settle_minutes: self.options.settle_minutes,
        }
    }
}

impl Threads {
    fn store(&self) -> Box<dyn Mailbox> {
        let (path, options) = (self.path.clone(), self.options.clone());
        match self.store {
            Store::Maildir(_) => Box::new(maildir::Maildir::new(path, options)),
            Store::Mbox(_) => Box::new(mbox::Mbox::new(path, options)),
            Store::EmlDir(_) => Box::new(eml_dir::EmlDir::new(path, options)),
            Store::Imap(ref account) => Box::new(imap::Imap::new((**account).clone(), options)),
        }
    }
}

#[cfg(test)]
mod made_store;
#[cfg(test)]
mod soundness;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod torn_tests;
