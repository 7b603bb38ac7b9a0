//! What commands work in: the configuration, the rules, the library.

use std::sync::Arc;

use jezero_connectors::time::{Clock, SystemClock};

use super::failure::Failure;
use super::{Exit, Globals};
use crate::config::{Config, Env};
use crate::library::{Library, Settings};
use crate::redaction::Engine;
use crate::store::{Lock, Store, lock};
use crate::summarizer::{Making, Summarizer};

/// A loaded configuration and the clock.
pub(super) struct Setting {
    pub(super) config: Config,
    pub(super) clock: Arc<dyn Clock>,
}

impl Setting {
    /// Finds and loads the configuration.
    pub(super) fn load(globals: &Globals) -> Result<Self, Failure> {
        let path = Config::find(globals.config.as_deref(), &Env::process());
        Ok(Self {
            config: Config::load(&path)?,
            clock: Arc::new(SystemClock),
        })
    }

    /// Makes the redaction rules ready.
    pub(super) fn engine(&self) -> Result<Engine, Failure> {
        Ok(Engine::with(&self.config.redaction)?)
    }

    /// The summariser that the configuration names. Does not look whether it can work:
    /// [`Setting::summarizer_ready`] does.
    pub(super) fn summarizer(&self, engine: &Arc<Engine>) -> Result<Arc<dyn Summarizer>, Failure> {
        let config = &self.config;
        let projects =
            config.projects.paths.values().chain(
                (config.connectors.iter()).filter_map(|connector| connector.project.as_ref()),
            );
        let making = Making {
            projects: projects.cloned().collect(),
            hidden: config.secret_variables(),
            ..Making::new(&config.summarizer, &config.env, Arc::clone(engine))
        };
        (making.make()).map_err(|error| Failure::new(Exit::BadUse, error))
    }

    /// Refuses to begin what would fail at the first call.
    pub(super) fn summarizer_ready(&self) -> Result<(), Failure> {
        let ready = self.config.summarizer.ready(&self.config.env);
        ready.map_err(|error| {
            let hint = error.hint();
            Failure::new(Exit::BadUse, error).hint(hint)
        })
    }

    /// How questions are answered.
    pub(super) fn search_settings(&self) -> Settings {
        let search = &self.config.search;
        Settings {
            default_limit: search.default_limit,
            max_limit: search.max_limit,
            candidate_pool: search.candidate_pool,
            recency_half_life_days: search.recency_half_life_days,
            recency_weight: search.recency_weight,
            whole_words: !self.config.storage.tokenizer.matches_parts(),
            short_terms: search.short_terms,
            originals: search.originals,
        }
    }

    /// Opens the library for questions.
    pub(super) fn library(&self) -> Result<Library, Failure> {
        Ok(Library::open(
            &self.config.storage.path,
            self.search_settings(),
            Arc::clone(&self.clock),
        )?)
    }

    /// Opens the library for writing, under its lock.
    pub(super) fn store(&self, doing: &str) -> Result<(Lock, Store), Failure> {
        let path = &self.config.storage.path;
        Store::check(path)?;
        let lock = Lock::take(path, doing, lock::PATIENCE, self.clock.as_ref())?;
        Ok((lock, Store::open_with(path, self.config.search.originals)?))
    }
}
