//! The configuration: `jezero.toml`, the `.env` file beside it and the environment.
//!
//! [`Config::load`] gives a value in which everything that can be judged from the text alone is
//! right, or all that is wrong with it at once, with file, line, key and what would be right.
//! Whether the world fits (folders, variables) is for [`Config::overview`]. A missing file is an
//! error, never a silent default.

mod check;
mod clients;
mod connectors;
mod env;
mod inbox;
mod problem;
mod projects;
mod reading;
mod redaction;
mod search;
mod server;
mod shown;
mod storage;
mod summarizer;
mod template;
mod url;
mod watchdog;

use std::path::{Path, PathBuf};

use jezero_connectors::connector::Surroundings;

pub use check::Overview;
pub use clients::{Client, ClientKey, Unusable, unusable};
pub use connectors::ConnectorConfig;
pub use env::{Env, Secret};
pub use inbox::Inbox;
pub use problem::{ConfigError, Problem};
pub use projects::Projects;
pub(crate) use projects::clean;
pub use search::Search;
pub use server::Server;
pub use storage::{Storage, Tokenizer};
pub use summarizer::{NotReady, Provider, Summarizer};
pub use template::template;
pub use watchdog::Watchdog;

use reading::{Document, Section};

/// What names of sources and clients look like, in words.
const NAME_RULE: &str = "a name of a-z, 0-9, _ and -, 64 at most, a letter or digit first";

/// The sections and lists of a configuration.
const KEYS: &[&str] = &[
    "storage",
    "search",
    "summarizer",
    "server",
    "clients",
    "connectors",
    "redaction",
    "watchdog",
    "inbox",
    "projects",
];

/// A configuration that has been read and checked.
#[derive(Debug, Clone)]
pub struct Config {
    /// The file it came from, absolute.
    pub path: PathBuf,
    /// Its folder: relative paths start there.
    pub base: PathBuf,
    /// Variables, those of the `.env` file included.
    pub env: Env,
    /// `[storage]`
    pub storage: Storage,
    /// `[search]`
    pub search: Search,
    /// `[summarizer]`
    pub summarizer: Summarizer,
    /// `[server]`
    pub server: Server,
    /// `[[clients]]`, in the order of the file.
    pub clients: Vec<Client>,
    /// `[[connectors]]`, in the order of the file.
    pub connectors: Vec<ConnectorConfig>,
    /// `[redaction]`
    pub redaction: crate::redaction::Settings,
    /// `[watchdog]`
    pub watchdog: Watchdog,
    /// `[inbox]`
    pub inbox: Inbox,
    /// `[projects]`
    pub projects: Projects,
    /// Lines of the `.env` file that were passed over.
    pub env_problems: Vec<Problem>,
}

impl Config {
    /// Says which file is the configuration: the one named by `-c`, else by `$JEZERO_CONFIG`, else
    /// `jezero.toml` in the working folder. Does not look whether it is there.
    #[must_use]
    pub fn find(flag: Option<&Path>, env: &Env) -> PathBuf {
        if let Some(path) = flag {
            return path.to_owned();
        }
        let Some(named) = env.get("JEZERO_CONFIG") else {
            return PathBuf::from("jezero.toml");
        };
        surroundings(Path::new(""), env).resolve(named.expose())
    }

    /// Reads a configuration and the `.env` file beside it, over the variables of this process.
    ///
    /// # Errors
    /// [`ConfigError`]: with every problem of the file at once, in the order of its lines.
    pub fn load(path: &Path) -> Result<Self, ConfigError> {
        Self::load_with(path, Env::process())
    }

    /// Reads a configuration as [`Config::load`] does, over other variables.
    ///
    /// # Errors
    /// As [`Config::load`].
    pub fn load_with(path: &Path, mut env: Env) -> Result<Self, ConfigError> {
        let path = std::path::absolute(path).map_err(|cause| ConfigError::reading(path, cause))?;
        let bytes = std::fs::read(&path).map_err(|cause| ConfigError::reading(&path, cause))?;
        let base = path.parent().unwrap_or(Path::new("/")).to_owned();
        let env_problems = env.add_file(&base);
        let text = String::from_utf8(bytes).map_err(|error| {
            let good = error.utf8_error().valid_up_to();
            let before = error.as_bytes().get(..good).unwrap_or_default();
            ConfigError::Invalid(vec![Problem {
                path: path.clone(),
                line: 1 + memchr::memchr_iter(b'\n', before).count(),
                key: None,
                message: "the config is not valid TOML: not UTF-8".to_owned(),
            }])
        })?;
        let config = Self::parse(&text, &path, env)?;
        Ok(Self {
            env_problems,
            ..config
        })
    }

    /// Reads a text as if it stood in the file `path`, which need not exist.
    ///
    /// # Errors
    /// [`ConfigError::Invalid`].
    pub fn parse(text: &str, path: &Path, env: Env) -> Result<Self, ConfigError> {
        let paths = surroundings(path.parent().unwrap_or(Path::new("")), &env);
        let document = Document::new(path, text, &paths);
        let table = document.parse();
        let config = table.as_ref().map(|table| {
            let root = Section::root(&document, table.get_ref());
            Self::read(&root, path, env)
        });
        drop(table);
        let problems = document.into_problems();
        match config {
            Some(config) if problems.is_empty() => Ok(config),
            _ => Err(ConfigError::Invalid(problems)),
        }
    }

    /// Where relative paths start, and what `~` is.
    fn paths(&self) -> Surroundings {
        surroundings(&self.base, &self.env)
    }

    fn read(root: &Section<'_>, path: &Path, env: Env) -> Self {
        root.only(KEYS);
        Self {
            path: path.to_owned(),
            base: root.paths().base.clone(),
            storage: Storage::read(&root.section("storage")),
            search: Search::read(&root.section("search")),
            summarizer: Summarizer::read(&root.section("summarizer")),
            server: Server::read(&root.section("server")),
            clients: clients::read(root),
            connectors: connectors::read(root, &env),
            redaction: redaction::read(&root.section("redaction")),
            watchdog: Watchdog::read(&root.section("watchdog")),
            inbox: Inbox::read(&root.section("inbox")),
            projects: Projects::read(&root.section("projects")),
            env_problems: Vec::new(),
            env,
        }
    }
}

fn surroundings(base: &Path, env: &Env) -> Surroundings {
    Surroundings {
        base: base.to_owned(),
        home: env.home(),
        ..Surroundings::default()
    }
}

#[cfg(test)]
mod tests;
