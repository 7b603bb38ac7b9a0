//! Stores items that are already summarised, from JSON Lines (data model page, JSON Lines import).
//!
//! One object a line; [`FIELDS`] are the keys. Every text is redacted on the way in. A line that is
//! not right stops the import with its place, and then nothing of the file was stored. One line is
//! held in memory at a time.

mod earlier;
mod fields;
mod record;

pub use earlier::{RowProblem, TakeOverError, TakenOver, import_db};
pub use record::FIELDS;

use std::collections::HashMap;
use std::io::{self, BufRead, Read};

use jezero_connectors::RecordKey;
use serde::Serialize;

use crate::item::{Instant, ProjectName, SourceName, Trust};
use crate::redaction::Engine;
use crate::store::{Batch, Store, StoreError, Upserted};

/// Longest line, in bytes.
const LINE_LIMIT: usize = 64 * 1024 * 1024;
/// What some editors write at the beginning of a file.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// What holds for all records of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportOptions {
    /// The source of every record. Without it each record must name its own, as an export does.
    pub source: Option<SourceName>,
    /// The project of records that name none.
    pub project: Option<ProjectName>,
    /// Trust of the records; one may say `external` for itself, none can rise above this.
    pub trust: Trust,
}

/// What an import did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Imported {
    /// New items.
    pub inserted: u64,
    /// Items with new content.
    pub updated: u64,
    /// Items that were there with the same content hash.
    pub unchanged: u64,
    /// Records left out because what they hold was forgotten.
    #[serde(skip_serializing_if = "is_zero")]
    pub forgotten: u64,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the form that serde asks for"
)]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Why nothing was imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// A line is not right: mend it.
    #[error("{place}:{line}: invalid record: {fault}")]
    Record {
        /// The file as the caller named it.
        place: String,
        /// Line number, from 1.
        line: u64,
        /// The field and what would be right; never the value of a text.
        fault: String,
    },
    /// The file cannot be read.
    #[error("{place}: {cause}")]
    Read {
        /// The file as the caller named it.
        place: String,
        /// The system's word for it.
        cause: io::Error,
    },
    /// The library cannot be written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Imports all records of `input`, or none.
///
/// `place` names the input in errors. Blank lines and a byte order mark are passed over.
///
/// # Errors
/// [`ImportError::Record`] for the first line that is not right. Nothing was stored then.
pub fn import_jsonl(
    store: &mut Store,
    engine: &Engine,
    mut input: impl BufRead,
    place: &str,
    options: &ImportOptions,
    now: Instant,
) -> Result<Imported, ImportError> {
    let imported = store.batch(|batch| {
        let mut import = Import {
            batch,
            engine,
            options,
            now,
            seen: HashMap::new(),
            done: Imported::default(),
        };
        let mut line = Vec::new();
        let mut number = 0;
        while read_line(&mut input, &mut line).map_err(|cause| ImportError::Read {
            place: place.to_owned(),
            cause,
        })? {
            number += 1;
            import.line(number, &line).map_err(|stop| match stop {
                Stop::Fault(fault) => ImportError::Record {
                    place: place.to_owned(),
                    line: number,
                    fault,
                },
                Stop::Store(error) => ImportError::Store(error),
            })?;
        }
        Ok::<_, ImportError>(import.done)
    })?;
    store.finish()?;
    Ok(imported)
}

/// Why a line stops the import.
enum Stop {
    /// The line is not right.
    Fault(String),
    /// The library cannot be written.
    Store(StoreError),
}

struct Import<'a> {
    batch: &'a Batch<'a>,
    engine: &'a Engine,
    options: &'a ImportOptions,
    now: Instant,
    /// On which line each (source, external id) stood.
    seen: HashMap<RecordKey, u64>,
    done: Imported,
}

impl Import<'_> {
    fn line(&mut self, number: u64, line: &[u8]) -> Result<(), Stop> {
        let line = match number {
            1 => line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line),
            _ => line,
        };
        if line.len() > LINE_LIMIT {
            return Err(Stop::Fault("the line is longer than 64 MiB".to_owned()));
        }
        if line.trim_ascii().is_empty() {
            return Ok(());
        }
        let record = record::read(line, self.engine, self.options).map_err(Stop::Fault)?;
        let key = format!("{}\n{}", record.source, record.item.external_id);
        if let Some(earlier) = self.seen.insert(RecordKey::of(key.as_bytes()), number) {
            return Err(Stop::Fault(format!(
                "external_id is that of line {earlier}; each record needs its own"
            )));
        }
        let ingested_at = record.ingested_at.unwrap_or(self.now);
        let put = self.batch.put(&record.source, &record.item, ingested_at);
        match put.map_err(Stop::Store)? {
            Some(Upserted::Inserted(_)) => self.done.inserted += 1,
            Some(Upserted::Updated(_)) => self.done.updated += 1,
            Some(Upserted::Unchanged(_)) => self.done.unchanged += 1,
            None => self.done.forgotten += 1,
        }
        Ok(())
    }
}

/// Reads the next line, at most a little more than [`LINE_LIMIT`]; `false` at the end.
fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    let most = LINE_LIMIT as u64 + 2;
    Ok(input.by_ref().take(most).read_until(b'\n', line)? > 0)
}
