//! The contract between a source and the pipeline.

use std::path::{Path, PathBuf};

use async_trait::async_trait;

use crate::error::ConnectorError;
use crate::marks::{Memory, Recollection};
use crate::report::Report;
use crate::source::Trust;
use crate::time::Instant;
use crate::unit::Sink;

/// Reads one source.
///
/// # What a connector guarantees
/// - Units come in a stable order. For unchanged input their ids, the order of their blocks and
///   the text of each block are the same at every reading.
/// - Locators strictly increase within a unit. A block's text depends on its record and on
///   earlier records only, so that a grown source keeps what it had.
/// - A unit is delivered whole, or from the locator of its [`Tail`](crate::Tail) on; never partly.
///   After a failure in the middle it sends [`Event::Abandoned`](crate::Event::Abandoned).
/// - It never cuts a text: a [`Piece`](crate::Piece) says how many characters are worth keeping.
///   A monstrous piece may be pre-trimmed to 64 KiB at each end.
/// - Nothing in the source is changed, its modification times included.
/// - One damaged line or record is reported with its place and passed over.
/// - Reading is streamed; memory is bounded by one record and what the [`Sink`] holds.
///
/// # What it may rely on
/// - Marks come back exactly as they were handed out, once the unit they came with is stored.
/// - When the receiver goes away, [`ConnectorError::Stopped`] comes back from the sink; returning
///   it is right and no failure.
///
/// # What it never does
/// It never redacts, segments, stores or prints, and never quotes the source in an error.
#[async_trait]
pub trait Connector: Send {
    /// Reads what is new and sends it.
    ///
    /// # Errors
    /// Only when the source as a whole cannot be read; everything smaller is in the [`Report`].
    async fn poll(&mut self, request: Request, sink: Sink) -> Outcome;

    /// What to keep an eye on between two readings. Without any, the source is read at its
    /// interval alone.
    fn watched(&self) -> Watched {
        Watched::default()
    }

    /// What the source deletes by itself, and when what has not been read of it was last changed.
    /// `None` for a source that deletes nothing, and where it cannot be listed. Opens no unit.
    fn perishable(&self, _memory: &Memory) -> Option<Perishable> {
        None
    }
}

/// Units that their source deletes after some time, read or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Perishable {
    /// Days after the last change of a unit at which it is deleted.
    pub days: u32,
    /// Where that is set: a file and a key.
    pub set_in: String,
    /// When each unit was last changed that has not been read, or not to its end.
    pub unread: Vec<Instant>,
}

/// Where changes of a source show, and how long they settle.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Watched {
    /// Folders in which files change.
    pub folders: Vec<PathBuf>,
    /// Minutes that a unit must have rested before it is read.
    pub settle_minutes: u32,
}

/// What a reading ends with: the counts so far, also when it failed.
pub type Outcome = (Report, Result<(), ConnectorError>);

/// What a reading is told.
#[derive(Debug, Clone)]
pub struct Request {
    /// What was remembered.
    pub memory: Recollection,
    /// The present moment, for the settle time.
    pub now: Instant,
    /// With a number: the newest that many units, changed or not.
    pub sample: Option<usize>,
}

/// Where to look for things when a connector is built.
#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    /// The folder of the configuration file: relative paths start there.
    pub base: PathBuf,
    /// The person's home folder, for `~` and for defaults.
    pub home: Option<PathBuf>,
    /// Variables that kinds ask for by name ([`Kind::variables`]), as far as they are set.
    pub variables: std::collections::BTreeMap<String, String>,
}

impl Surroundings {
    /// Resolves a path of the configuration: `~` is the home folder, a relative path starts at the
    /// configuration file's folder.
    #[must_use]
    pub fn resolve(&self, path: &str) -> PathBuf {
        match (path.strip_prefix('~'), &self.home) {
            (Some(""), Some(home)) => home.clone(),
            (Some(rest), Some(home)) if rest.starts_with('/') => {
                home.join(rest.trim_start_matches('/'))
            }
            _ => self.base.join(Path::new(path)),
        }
    }
}

/// A kind of source: what `type` in a configuration names.
pub trait Kind: Sync {
    /// The word in the configuration, such as `claude_code`.
    fn name(&self) -> &'static str;

    /// Who wrote what this kind reads, unless the configuration lowers it.
    fn default_trust(&self) -> Trust;

    /// The highest trust that a source with these options can have. Units may have a lower one.
    fn highest_trust(&self, _options: &toml::Table) -> Trust {
        self.default_trust()
    }

    /// Names of the environment variables that this kind may read.
    fn variables(&self) -> &'static [&'static str] {
        &[]
    }

    /// Checks the `[connectors.options]` table and makes the connector. Opens nothing.
    ///
    /// # Errors
    /// [`ConnectorError::Option`] naming the key, for unknown keys and bad values alike.
    fn build(
        &self,
        options: &toml::Table,
        surroundings: &Surroundings,
    ) -> Result<Box<dyn Connector>, ConnectorError>;

    /// Looks for this source on this computer: the folder it would read, if there is one.
    fn discover(&self, surroundings: &Surroundings) -> Option<PathBuf>;

    /// Lines for `[connectors.options]` that `init` writes for a discovered source, each commented.
    fn template(&self, found: &Path) -> String;
}
