//! Items that keep the numbers of the library they come from.

use jezero_connectors::{Instant, Locator, OriginalRef, SourceName, UnitId};
use rusqlite::{OptionalExtension, params};

use super::batch::Batch;
use super::items::{self, ItemWrite};
use super::owners::{SourceId, UnitRow};
use super::{Result, forget, owners};
use crate::item::{ItemId, Trust};
use crate::redaction::Redacted;

/// What came of an item with a number of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Numbered {
    /// It is stored now.
    Inserted,
    /// It was there, under this number.
    Known,
    /// It was forgotten, and nothing was written.
    Forgotten,
    /// Its number or its id belongs, or belonged, to another item. Nothing was written.
    Taken,
}

/// The unit that an item belongs to.
#[derive(Debug, Clone, Copy)]
pub struct UnitOf<'a> {
    /// Its id.
    pub id: &'a UnitId,
    /// Names the original.
    pub original_ref: &'a OriginalRef,
    /// Who wrote it.
    pub trust: Trust,
}

/// A connector's state as another library had it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateOf {
    /// The connector.
    pub name: SourceName,
    /// When it last began to read.
    pub last_run_at: Option<Instant>,
    /// When it last read with nothing failing.
    pub last_success_at: Option<Instant>,
    /// When its newest item happened.
    pub last_item_at: Option<Instant>,
    /// What failed.
    pub last_error: Option<Redacted>,
}

impl Batch<'_> {
    /// Stores an item under its number. Numbers must come in increasing order.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn put_numbered(
        &self,
        id: ItemId,
        source: &SourceName,
        unit: Option<UnitOf<'_>>,
        item: &ItemWrite,
        ingested_at: Instant,
    ) -> Result<Numbered> {
        let connection = self.connection();
        let source = owners::source_of(connection, source)?;
        if forget::is_forgotten(connection, source, item)? {
            return Ok(Numbered::Forgotten);
        }
        let find = "SELECT id FROM items WHERE source = ?1 AND external_id = ?2";
        let known: Option<i64> = connection
            .prepare_cached(find)?
            .query_row(params![source.0, item.external_id.as_str()], |row| {
                row.get(0)
            })
            .optional()?;
        if let Some(known) = known {
            return Ok(match known == id.0 {
                true => Numbered::Known,
                false => Numbered::Taken,
            });
        }
        // A number is never given twice, also not that of an item that is gone.
        let last = "SELECT seq FROM sqlite_sequence WHERE name = 'items'";
        let last: Option<i64> = connection
            .prepare_cached(last)?
            .query_row([], |row| row.get(0))
            .optional()?;
        if last.is_some_and(|last| id.0 <= last) {
            return Ok(Numbered::Taken);
        }
        let unit = unit.map(|unit| self.unit_row(source, unit)).transpose()?;
        items::insert_numbered(connection, source, unit, item, ingested_at, id)?;
        Ok(Numbered::Inserted)
    }

    /// A unit by name; one that is not there is made without anything else being known of it.
    fn unit_row(&self, source: SourceId, unit: UnitOf<'_>) -> Result<UnitRow> {
        let connection = self.connection();
        // No layout: no reading of ours cut its segments.
        let sql = "INSERT INTO units (source, unit_id, original_ref, trust, layout)
                   VALUES (?1, ?2, ?3, ?4, 0) ON CONFLICT (source, unit_id) DO NOTHING";
        connection.prepare_cached(sql)?.execute(params![
            source.0,
            unit.id.as_str(),
            unit.original_ref.as_str(),
            unit.trust.as_str()
        ])?;
        let sql = "SELECT id FROM units WHERE source = ?1 AND unit_id = ?2";
        let row = connection
            .prepare_cached(sql)?
            .query_row(params![source.0, unit.id.as_str()], |row| row.get(0))?;
        Ok(UnitRow(row))
    }

    /// Counts the parts of units that were made by [`Batch::put_numbered`].
    ///
    /// # Errors
    /// What SQLite says.
    pub fn count_parts(&self) -> Result<()> {
        self.connection().execute(
            "UPDATE items SET part = counted.part, parts = counted.parts
             FROM (SELECT id,
                       row_number() OVER (PARTITION BY unit ORDER BY record, record_part) AS part,
                       count(*) OVER (PARTITION BY unit) AS parts
                   FROM items WHERE unit IN (SELECT id FROM units WHERE layout = 0)) AS counted
             WHERE items.id = counted.id",
            [],
        )?;
        Ok(())
    }

    /// Takes a connector's state over, unless it has one here.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn put_state(&self, state: &StateOf) -> Result<bool> {
        let sql = "INSERT INTO connector_state
                       (name, last_run_at, last_success_at, last_item_at, last_error)
                   VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (name) DO NOTHING";
        let done = self.connection().execute(
            sql,
            params![
                state.name.as_str(),
                state.last_run_at.map(Instant::unix),
                state.last_success_at.map(Instant::unix),
                state.last_item_at.map(Instant::unix),
                state.last_error.as_ref().map(Redacted::as_str)
            ],
        )?;
        Ok(done > 0)
    }
}

/// Where an item stands in its unit, by its id: `<unit id>#<locator>`.
#[must_use]
pub fn place_in_unit(external_id: &str) -> Option<(UnitId, Locator)> {
    let (unit, locator) = external_id.rsplit_once('#')?;
    Some((UnitId::new(unit).ok()?, locator.parse().ok()?))
}
