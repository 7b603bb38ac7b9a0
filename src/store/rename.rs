//! Units under a new name, and units that have grown together.
//!
//! A task whose identifier changes and a thread whose beginning is found later are the same unit
//! under another name: items keep their numbers and their summaries.

use jezero_connectors::{ExternalId, Locator, OriginalRef, UnitId};
use rusqlite::{Connection, TransactionBehavior, params};

use super::owners::UnitRow;
use super::{Result, Store, forget};

impl Store {
    /// Gives a stored unit its present name, with the ids of its items, and nothing else.
    ///
    /// Returns whether anything changed.
    ///
    /// # Errors
    /// What SQLite says; then the old name stands everywhere.
    pub fn rename_unit(
        &mut self,
        unit: UnitRow,
        id: &UnitId,
        original_ref: &OriginalRef,
    ) -> Result<bool> {
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        let renamed = rename(&transaction, unit, id, original_ref)?;
        transaction.commit()?;
        Ok(renamed)
    }
}

/// As [`Store::rename_unit`], within a transaction.
///
/// An item whose new id is taken by an imported one keeps its old id: both texts stay.
pub(super) fn rename(
    connection: &Connection,
    unit: UnitRow,
    id: &UnitId,
    original_ref: &OriginalRef,
) -> Result<bool> {
    forget::renamed(connection, unit, id)?;
    let sql = "UPDATE units SET unit_id = ?2, original_ref = ?3 WHERE id = ?1 AND unit_id <> ?2";
    let names = params![unit.0, id.as_str(), original_ref.as_str()];
    if connection.prepare_cached(sql)?.execute(names)? == 0 {
        return Ok(false);
    }
    let sql = "SELECT id, record, record_part FROM items WHERE unit = ?1";
    let mut items = connection.prepare_cached(sql)?;
    let items = items.query_map([unit.0], |row| {
        let record = row.get::<_, i64>(1)?.unsigned_abs();
        let part = row.get(2)?;
        Ok((row.get::<_, i64>(0)?, Locator { record, part }))
    })?;
    let items: Vec<_> = items.collect::<std::result::Result<_, _>>()?;
    let sql = "UPDATE OR IGNORE items SET external_id = ?2, original_ref = ?3 WHERE id = ?1";
    let mut update = connection.prepare_cached(sql)?;
    for (item, locator) in items {
        if let Ok(external) = ExternalId::new(format!("{id}#{locator}")) {
            update.execute(params![item, external.as_str(), original_ref.as_str()])?;
        }
    }
    Ok(true)
}

/// Takes units into another one: what they own is its own from now on; their items are removed,
/// since the texts are delivered with the unit that takes them in. Returns the number of items.
pub(super) fn absorb(connection: &Connection, into: UnitRow, units: &[UnitRow]) -> Result<u64> {
    let mut removed = 0;
    for unit in units.iter().filter(|unit| **unit != into) {
        let sql = "UPDATE record_owners SET unit = ?2 WHERE unit = ?1";
        let moved = connection.prepare_cached(sql)?.execute([unit.0, into.0])?;
        let sql = "UPDATE units SET records = records + ?2 WHERE id = ?1";
        let moved = i64::try_from(moved).unwrap_or(i64::MAX);
        connection.prepare_cached(sql)?.execute([into.0, moved])?;
        let sql = "DELETE FROM items WHERE unit = ?1";
        let items = connection.prepare_cached(sql)?.execute([unit.0])?;
        removed += u64::try_from(items).unwrap_or(u64::MAX);
        let sql = "DELETE FROM units WHERE id = ?1";
        connection.prepare_cached(sql)?.execute([unit.0])?;
    }
    Ok(removed)
}
