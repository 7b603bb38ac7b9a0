//! What commands work in: the configuration, the rules, the library.

use std::sync::{Arc, OnceLock};

use jezero_connectors::time::{Clock, SystemClock};

use super::failure::Failure;
use super::indexing::Telling;
use super::output::Output;
use super::{Exit, Globals};
use crate::config::{Config, Env};
use crate::library::{Library, Settings};
use crate::pipeline::{Pipeline, Stop};
use crate::project::ProjectRules;
use crate::redaction::Engine;
use crate::store::{Lock, Store, lock};
use crate::summarizer::{Making, Summarizer};

/// A loaded configuration and the clock.
pub(super) struct Setting {
    pub(super) config: Config,
    pub(super) clock: Arc<dyn Clock>,
    made: OnceLock<Arc<dyn Summarizer>>,
}

impl Setting {
    /// Finds and loads the configuration.
    pub(super) fn load(globals: &Globals) -> Result<Self, Failure> {
        let path = Config::find(globals.config.as_deref(), &Env::process());
        Ok(Self {
            config: Config::load(&path)?,
            clock: Arc::new(SystemClock),
            made: OnceLock::new(),
        })
    }

    /// Makes the redaction rules ready.
    pub(super) fn engine(&self) -> Result<Engine, Failure> {
        Ok(Engine::with(&self.config.redaction)?)
    }

    /// The summariser that the configuration names, the same one each time: its connections and
    /// what it has learned of a server are kept. Refuses what would fail at the first call.
    pub(super) fn summarizer(&self) -> Result<Arc<dyn Summarizer>, Failure> {
        self.summarizer_for(false)
    }

    /// As [`Setting::summarizer`]; a dry run asks nobody, so that it needs no key.
    pub(super) fn summarizer_for(&self, dry_run: bool) -> Result<Arc<dyn Summarizer>, Failure> {
        let config = &self.config;
        if !dry_run && let Err(error) = config.summarizer.ready(&config.env) {
            let hint = error.hint();
            return Err(Failure::new(Exit::BadUse, error).hint(hint));
        }
        if let Some(made) = self.made.get() {
            return Ok(Arc::clone(made));
        }
        let projects =
            config.projects.paths.values().chain(
                (config.connectors.iter()).filter_map(|connector| connector.project.as_ref()),
            );
        let engine = Arc::new(self.engine()?);
        let making = Making {
            projects: projects.cloned().collect(),
            hidden: config.secret_variables(),
            ..Making::new(&config.summarizer, &config.env, engine)
        };
        let made = (making.make()).map_err(|error| Failure::new(Exit::BadUse, error))?;
        Ok(Arc::clone(self.made.get_or_init(|| made)))
    }

    /// What runs and all that asks a summariser work with.
    pub(super) fn pipeline<'a>(
        &self,
        store: &'a mut Store,
        (engine, projects): (&'a Engine, &'a ProjectRules),
        summarizer: Arc<dyn Summarizer>,
        stop: Stop,
    ) -> Pipeline<'a> {
        let settings = &self.config.summarizer;
        Pipeline {
            store,
            engine,
            summarizer,
            max_concurrency: settings.max_concurrency,
            daily_input_chars: settings.daily_input_chars,
            projects,
            clock: Arc::clone(&self.clock),
            max_input_chars: settings.max_input_chars,
            stop,
        }
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
    pub(super) fn store(&self, doing: &str, output: &mut Output) -> Result<(Lock, Store), Failure> {
        let path = &self.config.storage.path;
        Store::check(path)?;
        let lock = Lock::take(path, doing, lock::PATIENCE, self.clock.as_ref())?;
        Ok((lock, self.opened(output)?))
    }

    /// Opens the library for writing; the caller has its lock. Shows how far its index is, if that
    /// has to be made first.
    pub(super) fn opened(&self, output: &mut Output) -> Result<Store, Failure> {
        let mut telling = Telling::new(output);
        let originals = self.config.search.originals;
        let mut told = |indexing| telling.told(indexing);
        Ok(Store::open_with(
            &self.config.storage.path,
            originals,
            &mut told,
        )?)
    }
}
