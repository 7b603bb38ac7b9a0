//! Readers of the places where past work lies.
//!
//! A [`Connector`] reads one source (session files, a mailbox, a task server) and sends
//! [`unit`](mod@unit)s made of [`Block`]s through a [`Sink`]. This crate knows nothing of the library
//! that keeps them: it never redacts, cuts, stores or prints.
//!
//! Way of a unit in here: `files` (guarded listing and opening) → `jsonl` (lines with their
//! places) → the connector's own parser → `render` (the one place that writes
//! `[time] who: text`) → [`Sink`].
//!
//! To add a connector: one folder, its `mod` line, one line in [`ALL`].

pub mod claude_code;
pub mod connector;
pub mod digest;
pub mod email;
pub mod error;
pub mod files;
pub mod http;
pub mod jsonl;
pub mod marks;
pub mod options;
pub mod paperclip;
pub mod render;
pub mod report;
pub mod source;
pub mod time;
pub mod unit;

pub use connector::{Connector, Kind, Request};
pub use error::ConnectorError;
pub use marks::{Mark, Memory, Recollection, Tail};
pub use report::{Problem, ProblemKind, Report};
pub use source::{ExternalId, OriginalRef, SourceName, Trust, UnitId};
pub use time::Instant;
pub use unit::{
    Block, Event, Evidence, Extent, Locator, Piece, RecordKey, Sink, UnitEnd, UnitStart,
};

/// Every kind of connector, in the order in which they are listed to people.
pub const ALL: &[&dyn Kind] = &[
    &claude_code::ClaudeCode,
    &email::Email,
    &paperclip::Paperclip,
];

/// Returns the kind that a configuration names by `type`.
#[must_use]
pub fn kind(name: &str) -> Option<&'static dyn Kind> {
    ALL.iter().copied().find(|kind| kind.name() == name)
}

#[cfg(test)]
mod fixtures;
#[cfg(test)]
mod served;

// The checks that the fuzz targets make are made of seeds and of random files by tests as well.
#[cfg(test)]
extern crate self as jezero_connectors;
