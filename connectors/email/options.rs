//! `[connectors.options]` of the kind `email`.

use serde::Deserialize;

use super::imap::Account;
use crate::digest;
use crate::error::ConnectorError;
use crate::files;
use crate::options;
use crate::time::Instant;

/// Changes whenever the rendering of unchanged mail changes, so that a touched thread is read
/// whole instead of from its end.
const RENDERING: u64 = 1;

/// The options; see `docs/connectors/email.md` for what each does.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// A Maildir, or a folder of Maildirs.
    pub maildir: Option<String>,
    /// An mbox file, or a folder that holds some.
    pub mbox: Option<String>,
    /// A folder with one file a mail.
    pub eml_dir: Option<String>,
    /// An IMAP server: its name, with a port if it is not the usual one.
    pub imap: Option<String>,
    /// The name to log in with there.
    pub user: Option<String>,
    /// How the connection is kept private: `implicit`, `starttls`, or `none` on this computer.
    pub tls: Option<String>,
    /// The variable that holds the password.
    pub password_env: Option<String>,
    /// A program and its arguments that prints the password.
    pub password_command: Option<Vec<String>>,
    /// The variable that holds an OAuth access token.
    pub token_env: Option<String>,
    /// A program and its arguments that prints an OAuth access token.
    pub token_command: Option<Vec<String>>,
    /// Minutes that a thread must have rested before it is read; 0 reads at once.
    pub settle_minutes: u32,
    /// Rendered characters below which a thread is not worth an item.
    pub min_chars: usize,
    /// Mail dated before this is not read.
    pub since: Option<String>,
    /// Patterns of folders to read; empty reads all.
    pub folders: Vec<String>,
    /// Patterns of folders not to read.
    pub exclude_folders: Vec<String>,
    /// Addresses of the owner of the box; the first one names the box.
    pub own_addresses: Vec<String>,
    /// Whether the box holds one's own notes: threads that `own_addresses` alone wrote are one's own.
    pub own_notes: bool,
    /// Whether newsletters, notifications and automatic mail are left out.
    pub skip_bulk: bool,
    /// Megabytes (of 1024 × 1024 bytes) of one mail that are read.
    pub max_message_mb: u64,
}

impl Default for Options {
    fn default() -> Self {
        let common = options::Common::default();
        Self {
            maildir: None,
            mbox: None,
            eml_dir: None,
            imap: None,
            user: None,
            tls: None,
            password_env: None,
            password_command: None,
            token_env: None,
            token_command: None,
            settle_minutes: common.settle_minutes,
            min_chars: common.min_chars,
            since: None,
            folders: Vec::new(),
            exclude_folders: Vec::new(),
            own_addresses: Vec::new(),
            own_notes: false,
            skip_bulk: true,
            max_message_mb: 128,
        }
    }
}

/// Keys with the least and greatest value that makes sense.
const BOUNDS: &[(&str, u64, u64)] = &[
    ("settle_minutes", 0, 525_600),
    ("min_chars", 0, 1_000_000),
    ("max_message_mb", 1, 1024),
];

/// The stores, of which exactly one is named.
const STORES: &[&str] = &["maildir", "mbox", "eml_dir", "imap"];

/// Where the mail is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Store {
    /// `maildir`.
    Maildir(String),
    /// `mbox`.
    Mbox(String),
    /// `eml_dir`.
    EmlDir(String),
    /// `imap`.
    Imap(Box<Account>),
}

impl Options {
    /// Reads and checks an options table.
    ///
    /// # Errors
    /// [`ConnectorError::Option`] with the key and what would be right.
    pub(super) fn read(table: &toml::Table) -> Result<(Self, Store), ConnectorError> {
        for (key, least, most) in BOUNDS {
            let Some(value) = table.get(*key).and_then(toml::Value::as_integer) else {
                continue;
            };
            if !u64::try_from(value).is_ok_and(|value| (*least..=*most).contains(&value)) {
                let message = format!("{value} is not within {least} and {most}");
                return Err(refuse(key, message));
            }
        }
        let options: Self = options::parse(table)?;
        for (key, list) in [
            ("folders", &options.folders),
            ("exclude_folders", &options.exclude_folders),
            ("own_addresses", &options.own_addresses),
        ] {
            if list.iter().any(|entry| entry.trim().is_empty()) {
                return Err(refuse(key, "has an empty entry".to_owned()));
            }
        }
        if let Some(odd) = options.own_addresses.iter().find(|own| !own.contains('@')) {
            let message = format!("\"{odd}\" is no address such as ana@example.org");
            return Err(refuse("own_addresses", message));
        }
        if options.own_notes && options.own_addresses.is_empty() {
            let message = "needs own_addresses, which say whose notes these are".to_owned();
            return Err(refuse("own_notes", message));
        }
        if let Some(since) = &options.since
            && Instant::parse(since).is_none()
        {
            let message = format!("\"{since}\" is no date such as 2026-01-31");
            return Err(refuse("since", message));
        }
        let store = options.store()?;
        Ok((options, store))
    }

    fn store(&self) -> Result<Store, ConnectorError> {
        let named = [&self.maildir, &self.mbox, &self.eml_dir, &self.imap];
        let mut stores = STORES
            .iter()
            .zip(named)
            .filter_map(|(key, value)| Some((*key, value.as_ref()?)));
        let list = STORES.join(", ");
        let Some((key, path)) = stores.next() else {
            let message = format!("name the place of the mail: exactly one of {list}");
            return Err(refuse("options", message));
        };
        if let Some((other, _)) = stores.next() {
            let message = format!("stands beside {key}; name exactly one of {list}");
            return Err(refuse(other, message));
        }
        if path.trim().is_empty() {
            return Err(refuse(
                key,
                "is empty; name a file, a folder or a server".to_owned(),
            ));
        }
        if key != "imap" {
            Account::refuse_without(self)?;
        }
        Ok(match key {
            "imap" => Store::Imap(Box::new(Account::read(path, self)?)),
            "maildir" => Store::Maildir(path.clone()),
            "mbox" => Store::Mbox(path.clone()),
            _ => Store::EmlDir(path.clone()),
        })
    }

    /// Most bytes of one mail that are read.
    pub(super) fn message_cap(&self) -> u64 {
        self.max_message_mb * 1024 * 1024
    }

    /// The moment before which mail is not read.
    pub(super) fn since(&self) -> Option<Instant> {
        Instant::parse(self.since.as_deref()?)
    }

    /// Whether an address is one of the owner's; a sub-address (`ana+shop@…`) is too.
    pub(super) fn is_own(&self, address: &str) -> bool {
        let plain = |address: &str| {
            let address = address.trim().to_lowercase();
            match address.split_once('@') {
                Some((local, domain)) => {
                    let local = local.split('+').next().unwrap_or(local);
                    format!("{local}@{domain}")
                }
                None => address,
            }
        };
        let address = plain(address);
        self.own_addresses.iter().any(|own| plain(own) == address)
    }

    /// Digests what decides how a mail renders.
    pub(super) fn rendering(&self) -> u64 {
        digest::fast(RENDERING, &self.max_message_mb.to_le_bytes())
    }

    /// Digests what decides which mail is wanted: mail that was left out is looked at again when
    /// this changes.
    pub(super) fn selection(&self) -> u64 {
        let mut state = digest::fast(RENDERING, &[u8::from(self.skip_bulk)]);
        state = digest::fast(state, self.since.as_deref().unwrap_or("").as_bytes());
        for own in &self.own_addresses {
            state = digest::fast(state, own.as_bytes());
        }
        state
    }
}

fn refuse(key: &str, message: String) -> ConnectorError {
    ConnectorError::Option {
        key: key.to_owned(),
        message,
    }
}

/// Whether a folder's name matches one of the patterns, ignoring case; `*` spans `/` too.
pub(super) fn names_folder(patterns: &[String], name: &str) -> bool {
    let name = name.to_lowercase();
    patterns
        .iter()
        .any(|pattern| files::matches(&pattern.to_lowercase(), &name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        let table: toml::Table = text.parse().unwrap();
        Options::read(&table).unwrap_err().to_string()
    }

    #[test]
    fn exactly_one_store_is_named() {
        let message = refused("");
        assert_eq!(
            message,
            "options: name the place of the mail: exactly one of maildir, mbox, eml_dir, imap"
        );
        assert_eq!(
            refused("maildir = 'a'\nmbox = 'b'"),
            "mbox: stands beside maildir; name exactly one of maildir, mbox, eml_dir, imap"
        );
        assert_eq!(
            refused("mbox = ''"),
            "mbox: is empty; name a file, a folder or a server"
        );
    }

    #[test]
    fn what_is_wrong_is_refused_with_what_would_be_right() {
        for (text, expected) in [
            (
                "maildir = 'a'\nsince = 'soon'",
                "since: \"soon\" is no date such as 2026-01-31",
            ),
            (
                "maildir = 'a'\nown_notes = true",
                "own_notes: needs own_addresses, which say whose notes these are",
            ),
            (
                "maildir = 'a'\nown_addresses = ['ana']",
                "own_addresses: \"ana\" is no address such as ana@example.org",
            ),
            (
                "maildir = 'a'\nmax_message_mb = 0",
                "max_message_mb: 0 is not within 1 and 1024",
            ),
            (
                "maildir = 'a'\nfolders = ['']",
                "folders: has an empty entry",
            ),
        ] {
            assert_eq!(refused(text), expected);
        }
        assert!(refused("maildirs = 'a'").starts_with("maildirs: unknown field"));
    }

    #[test]
    fn a_sub_address_is_the_owners_too() {
        let table = "maildir = 'a'\nown_addresses = ['Ana@Example.org']";
        let (options, _) = Options::read(&table.parse().unwrap()).unwrap();
        assert!(options.is_own("ana+shop@example.org"));
        assert!(!options.is_own("ana@example.com"));
    }
}
