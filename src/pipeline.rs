//! The way of a unit: redact, segment, compare, summarise, store.
//!
//! [`run`] takes one connector's delivery from its first event to the last and returns a
//! [`RunReport`]. State is saved after each unit, so that a kill at any instant loses at most the
//! unit in hand, which the next run reads again. No connector is known here by name.

mod assemble;
mod calls;
mod compare;
mod delivery;
mod flight;
mod halt;
mod history;
mod mask;
mod naming;
mod pool;
mod report;
mod resummarize;
mod retag;
mod run;
mod settle;
mod stop;
mod writing;

pub use report::{PassedOver, RunReport};
pub use resummarize::resummarize;
pub use retag::{Move, Retag, Retagged, Trouble, ask_projects, retag};
pub use run::{Job, Options, Pipeline, Progress, run};
pub use stop::{Stop, Stopper};

use crate::store::StoreError;

/// Why a run could not go on. What concerns one unit or segment alone is in the report.
#[derive(Debug, thiserror::Error)]
pub enum PipelineError {
    /// The library could not be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Memory ran out while an original was compressed.
    #[error("an original could not be compressed: {0}")]
    Compress(std::io::Error),
}
