//! One SQLite file that holds everything.
//!
//! [`Store`] writes (one process at a time, under [`Lock`]); [`View`] only reads and may be open
//! in any number of processes. Every text that comes in is [`Redacted`](crate::redaction::Redacted).
//! No other module holds SQL.

mod backup;
mod batch;
mod condition;
mod earlier;
mod forget;
mod frame;
mod index;
mod integrity;
pub mod items;
mod keep;
pub mod lock;
mod memory;
mod numbered;
mod open;
mod owners;
mod projects;
mod read;
mod redact;
mod rename;
mod restore;
mod resummarize;
mod retag;
mod room;
mod runs;
mod schema;
pub mod search;
mod state;
mod trouble;
mod units;
mod version;

pub use backup::{Copied, Verified, copy, verify};
pub use batch::Batch;
pub use condition::Gaps;
pub use earlier::{Earlier, EarlierItem, EarlierState};
pub use forget::{Forget, Forgettable, Forgotten, ForgottenPart, ForgottenUnit, Lifted};
pub use frame::{Frame, compress, decompress};
pub use index::{Checked, Fault, Index, Upkeeping};
pub use items::{ItemWrite, Upserted};
pub use keep::RemovedOriginals;
pub use lock::Lock;
pub use numbered::{Numbered, StateOf, UnitOf, place_in_unit};
pub use open::{Store, View};
pub use owners::{Owner, SourceId, UnitRow};
pub use projects::ProjectCount;
pub use read::{Filter, Scope, Snapshot, SourceCount, Stored, Wanted};
pub use redact::{ItemAgain, ItemTexts, RedactedAgain, RunText, UnitTexts};
pub use restore::restore;
pub(crate) use restore::sync_folder;
pub use resummarize::{Anew, Candidate, Kept};
pub use retag::{Evident, Tagged};
pub use runs::{Outcome, PastRun, RunCounts, RunId, RunRow};
pub use state::{ConnectorState, Totals};
pub use trouble::Trouble;
pub use units::{Keep, SegmentWrite, StoredSegment, StoredUnit, UnitWrite, Written};

use std::path::PathBuf;

/// Why the library file could not be used, by what can be done about it.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// There is no library yet: run `jezero run` or `jezero init`.
    #[error("there is no library at {}", path.display())]
    Missing {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// The file is not a library of this program: it is left untouched.
    #[error("{} is not a Jezero library of this program ({what}); it was left untouched", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What it looks like.
        what: &'static str,
    },
    /// The file is a library of the Python package, which can be taken over: it is left untouched.
    #[error("{} is a library of the Python package; it was left untouched", path.display())]
    Earlier {
        /// The file.
        path: PathBuf,
    },
    /// The file was written by an older version of this program: the next writer, such as `jezero
    /// run`, brings it up to date.
    #[error("{} was written by an older version", path.display())]
    Older {
        /// The file.
        path: PathBuf,
    },
    /// The file was written by a newer program.
    #[error("{} was written by a newer version (schema {found}, this version knows {known})", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its schema.
        found: i64,
        /// The newest schema known here.
        known: i64,
    },
    /// Another program holds the writer's lock.
    #[error("the library is being written by {holder}")]
    Locked {
        /// Who holds it, as far as the lock file says.
        holder: String,
    },
    /// The folder or file cannot be used: mend permissions or space.
    #[error("{}: {cause}", path.display())]
    File {
        /// What was opened.
        path: PathBuf,
        /// The system's word for it.
        cause: std::io::Error,
    },
    /// SQLite refused something.
    #[error("the library file: {0}")]
    Sqlite(#[from] rusqlite::Error),
    /// A stored value has not the shape it was written with: the file was changed or damaged.
    #[error("the library file holds a damaged {what} (row {row})")]
    Damaged {
        /// Which value.
        what: &'static str,
        /// Row number.
        row: i64,
    },
}

/// Short for a store result.
pub type Result<T, E = StoreError> = std::result::Result<T, E>;
