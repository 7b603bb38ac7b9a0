//! Mail on an IMAP server.
//!
//! A small client of our own: `stream` (TCP and TLS) → `wire` (lines, literals, taking them apart)
//! → `session` (the commands) with `login`; `account` and `secret` say where and as whom, `choice`
//! which folders, `list` what is new in them; `hold` fetches mails in batches. It is written by
//! hand since what makes mail disappear with the libraries at hand is their strictness: a server's
//! one odd answer there costs the mail, or all mails of a command. Here every answer is taken apart
//! as far as it goes.
//!
//! A connection that breaks is made again, with longer and longer pauses, and goes on where it
//! was. Folders are only examined and mails only peeked at, so nothing changes on the server.
//!
//! Numbers of mails (UIDs) hold as long as their folder's UIDVALIDITY does, which is part of the
//! folder's key; after a change all its mails are looked at and recognised by what they are.
//! Gmail's own number of a mail (X-GM-MSGID) is not needed for that and not asked for.

mod account;
mod choice;
#[cfg(test)]
mod fake;
mod fetched;
mod hold;
mod list;
mod login;
mod secret;
mod session;
mod stream;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod trap_tests;
mod trouble;
mod wire;

use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use rustls::ClientConfig;

pub(super) use self::account::Account;
use self::hold::Hold;
use self::session::{Examined, Session};
use self::trouble::Trouble;
use super::known::Known;
use super::mailbox::{Listing, Mailbox, OpenError, Opened, Part, Place, Role, folder_key};
use super::options::Options;
use crate::error::ConnectorError;
use crate::report::Report;

/// How long a server may be silent, and how often it is tried.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patience {
    /// Longest wait for the next bytes.
    pub(super) timeout: Duration,
    /// Tries in a row without any progress.
    pub(super) tries: u32,
    /// Pause before the second try; doubled before each further one.
    pub(super) first_wait: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(90),
            tries: 5,
            first_wait: Duration::from_secs(2),
        }
    }
}

/// Most tries with a server that never answered.
const UNPROVEN: u32 = 3;

/// A mailbox on a server.
pub(super) struct Imap {
    account: Account,
    options: Options,
    patience: Patience,
    /// `None` trusts whom the system trusts.
    config: Option<Arc<ClientConfig>>,
    session: Option<Session>,
    /// Whether there ever was a login.
    is_proven: bool,
    is_gmail: bool,
    folders: Vec<Folder>,
    hold: Hold,
}

/// A folder that is read.
struct Folder {
    raw: Vec<u8>,
    name: String,
    role: Role,
    by_label: bool,
    key: u32,
    validity: u64,
    /// Its numbers have changed since it was listed.
    is_stale: bool,
    /// All UIDs in it that are wanted, in ascending order, if they were listed.
    uids: Option<Vec<u32>>,
    /// UIDs of mails in it that are not known yet, in ascending order.
    fresh: Vec<u32>,
}

/// Why something asked of a server was not had, after all tries.
#[derive(Debug)]
enum Failure {
    /// The connection breaks again and again, or cannot be made.
    Cut(String),
    /// The server says no to this alone.
    No,
    /// The folder's numbers mean other mails now.
    Stale,
    /// No other try will do.
    Fatal(ConnectorError),
}

impl Imap {
    /// Prepares to read; connects when it is first asked.
    pub(super) fn new(account: Account, options: Options) -> Self {
        Self {
            account,
            options,
            patience: Patience::default(),
            config: None,
            session: None,
            is_proven: false,
            is_gmail: false,
            folders: Vec::new(),
            hold: Hold::default(),
        }
    }

    /// The same with other patience and trust.
    #[cfg(test)]
    fn with(mut self, patience: Patience, config: Option<Arc<ClientConfig>>) -> Self {
        self.patience = patience;
        self.config = config;
        self
    }

    /// Does something on a connection, and on a new one when it breaks.
    fn patiently<T>(
        &mut self,
        mut work: impl FnMut(&mut Self, &mut Session) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let mut tried = 0;
        loop {
            let done = self.session().and_then(|mut session| {
                let done = work(self, &mut session);
                if !matches!(done, Err(Failure::Cut(_))) {
                    self.session = Some(session);
                }
                done
            });
            tried += 1;
            match done {
                Err(Failure::Cut(_)) if tried < self.tries() => self.wait(tried),
                done => return done,
            }
        }
    }

    /// The connection, made if there is none.
    fn session(&mut self) -> Result<Session, Failure> {
        if let Some(session) = self.session.take() {
            return Ok(session);
        }
        let timeout = self.patience.timeout;
        let mut session = Session::connect(&self.account, timeout, self.config.as_ref())?;
        login::login(&mut session, &self.account)?;
        self.is_proven = true;
        self.is_gmail = session.has("X-GM-EXT-1");
        Ok(session)
    }

    /// A server that never answered is more likely misspelt than away.
    fn tries(&self) -> u32 {
        match self.is_proven {
            true => self.patience.tries,
            false => self.patience.tries.min(UNPROVEN),
        }
    }

    /// Exponential, with up to a half more by chance.
    fn wait(&self, tried: u32) {
        let wait = self.patience.first_wait * 2_u32.saturating_pow(tried.saturating_sub(1).min(8));
        let chance = std::hash::RandomState::new().build_hasher().finish() % 512;
        let chance = u32::try_from(chance).unwrap_or(0);
        thread::sleep(wait + wait * chance / 1024);
    }

    /// Opens a folder that was listed, unless it is open.
    fn enter(&mut self, session: &mut Session, at: usize) -> Result<(), Failure> {
        let Some(folder) = self.folders.get_mut(at) else {
            return Err(Failure::Stale);
        };
        if folder.is_stale {
            return Err(Failure::Stale);
        }
        if session.open == Some(at) {
            return Ok(());
        }
        let Examined { validity, .. } = session.examine(at, &folder.raw)?;
        if validity != folder.validity {
            folder.is_stale = true;
            return Err(Failure::Stale);
        }
        Ok(())
    }

    fn folder(&self, place: Place) -> Option<usize> {
        let mut folders = self.folders.iter();
        folders.position(|folder| folder.key == place.folder)
    }

    /// What ends a reading.
    fn lost(&self, failure: Failure) -> ConnectorError {
        match failure {
            Failure::Fatal(error) => error,
            Failure::Cut(cause) => ConnectorError::Unreachable {
                place: self.account.place(),
                cause,
            },
            Failure::No | Failure::Stale => {
                refused(&self.account, "does not answer as an IMAP server does")
            }
        }
    }
}

impl Drop for Imap {
    fn drop(&mut self) {
        if let Some(session) = self.session.take() {
            session.leave();
        }
    }
}

impl From<Trouble> for Failure {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::Cut(cause) => Self::Cut(cause),
            Trouble::No => Self::No,
            Trouble::Fatal(error) => Self::Fatal(error),
        }
    }
}

impl Mailbox for Imap {
    fn list(&mut self, known: &Known, report: &mut Report) -> Result<Listing, ConnectorError> {
        self.folders.clear();
        self.hold = Hold::default();
        list::list(self, known, report).map_err(|failure| self.lost(failure))
    }

    fn announce(&mut self, part: Part, places: &[Place]) {
        self.hold.announce(part, places);
    }

    fn open(&mut self, place: Place, part: Part) -> Result<Opened<'_>, OpenError> {
        self.fetch(place, part)
    }

    fn has(&self, place: Place) -> bool {
        let folder = self.folder(place).and_then(|at| self.folders.get(at));
        let Some(folder) = folder.filter(|folder| !folder.is_stale) else {
            return false;
        };
        let uid = u32::try_from(place.number).unwrap_or(0);
        match &folder.uids {
            Some(uids) => uids.binary_search(&uid).is_ok(),
            None => true,
        }
    }

    fn told(&self, place: Place) -> String {
        let folder = self.folder(place).and_then(|at| self.folders.get(at));
        match folder {
            Some(folder) => format!("{}, UID {}", folder.name, place.number),
            None => "a mail that went away".to_owned(),
        }
    }

    fn account(&self) -> Option<&str> {
        Some(self.account.user.as_str()).filter(|user| user.contains('@'))
    }
}

/// The key of a folder with the generation of its numbers.
fn key(account: &Account, raw: &[u8], validity: u64) -> u32 {
    let (host, user) = (account.host.as_bytes(), account.user.as_bytes());
    folder_key(&[b"imap", host, user, raw, &validity.to_le_bytes()])
}

fn refused(account: &Account, message: &str) -> ConnectorError {
    ConnectorError::Refused {
        place: account.place(),
        message: message.to_owned(),
    }
}
