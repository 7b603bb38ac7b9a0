//! Newer redaction rules on what is stored: texts change in place, numbers and summaries stay.

mod again;

pub use again::{ItemAgain, ItemTexts, RunText, UnitTexts};

use rusqlite::{Connection, OptionalExtension, params};

use super::frame::Frame;
use super::items::{self, COLUMNS, json, read_item};
use super::{Result, Store, StoreError};
use crate::item::{Draft, ItemId};

/// A stored item as newer rules leave it.
#[derive(Debug, Clone)]
pub struct RedactedAgain {
    /// The item.
    pub item: ItemId,
    /// Its texts; the project is not touched.
    pub draft: Draft,
    /// Lower-case hex of the SHA-256 of its original.
    pub content_hash: String,
    /// Its original, as a zstd frame; without one, what is stored of it stays.
    pub original: Option<Frame>,
    /// The rules that did it.
    pub rules_version: u32,
}

impl Store {
    /// The texts of a stored item.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] when the item is gone or cannot be read.
    pub fn draft(&self, id: ItemId) -> Result<Draft> {
        let sql = format!(
            "SELECT {COLUMNS} FROM items JOIN sources ON sources.id = items.source
             WHERE items.id = ?1"
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let mut rows = statement.query([id.0])?;
        let row = rows.next()?.ok_or(StoreError::Damaged {
            what: "item",
            row: id.0,
        })?;
        let item = read_item(&self.connection, row)?;
        Ok(Draft {
            title: item.title,
            summary: item.summary,
            questions: item.questions,
            atoms: item.atoms,
            project: item.project,
        })
    }
}

/// Writes what newer rules left of an item.
pub(super) fn rewrite(connection: &Connection, again: &RedactedAgain) -> Result<()> {
    let sql = "UPDATE items SET title = ?2, summary = ?3, questions = ?4, content_hash = ?5,
                   rules_version = ?6
               WHERE id = ?1 RETURNING id";
    let id = again.item.0;
    let found: Option<i64> = connection
        .prepare_cached(sql)?
        .query_row(
            params![
                id,
                again.draft.title.as_str(),
                again.draft.summary.as_str(),
                json(&again.draft.questions),
                again.content_hash,
                again.rules_version
            ],
            |row| row.get(0),
        )
        .optional()?;
    found.ok_or(StoreError::Damaged {
        what: "item",
        row: id,
    })?;
    items::replace_atoms(connection, id, &again.draft.atoms)?;
    match &again.original {
        Some(original) => items::write_original(connection, id, Some(original)),
        None => Ok(()),
    }
}
