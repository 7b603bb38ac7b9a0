//! Letting in again what was forgotten: the next run or import may bring it.

use jezero_connectors::SourceName;
use rusqlite::{Connection, TransactionBehavior, params};

use super::digest;
use crate::store::{Result, Store};

/// What is let in again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Lifted {
    /// How many notes of forgotten things were taken away.
    pub notes: u64,
    /// How many marks: what these stand for is read again by the next run.
    pub marks: u64,
}

impl Store {
    /// Lets a source in again. What was forgotten of it by itself stays forgotten.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn let_in_source(&mut self, name: &SourceName) -> Result<Lifted> {
        let sql = "DELETE FROM forgotten WHERE what = 'source'
                   AND source = (SELECT id FROM sources WHERE name = ?1)";
        let notes = self.connection.execute(sql, [name.as_str()])? as u64;
        let marks = if notes > 0 {
            self.forget_marks(name)? as u64
        } else {
            0
        };
        Ok(Lifted { notes, marks })
    }

    /// Lets a unit in again, by the name of its original or by its id, with all items that were
    /// forgotten of it. Their sources are read anew.
    ///
    /// # Errors
    /// What SQLite says; then nothing has changed.
    pub fn let_in_unit(&mut self, name: &str) -> Result<Lifted> {
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut lifted = Lifted::default();
        for (number, source) in notes_of(&transaction, name)? {
            let sql = "DELETE FROM record_owners WHERE source = ?1 AND unit = ?2";
            transaction.execute(sql, params![source, -number])?;
            let sql = "UPDATE marks
                       SET value = '', tail_record = NULL, tail_part = NULL, tail_position = NULL
                       WHERE value <> '' AND source = ?1";
            lifted.marks += transaction.execute(sql, [source])? as u64;
            let sql = "DELETE FROM forgotten WHERE id = ?1";
            lifted.notes += transaction.execute(sql, [number])? as u64;
        }
        transaction.commit()?;
        Ok(lifted)
    }
}

/// Notes of units and items that belong to a name, with their sources. A unit's id leads to the
/// name of its original and from there to notes that hold for every source.
fn notes_of(connection: &Connection, name: &str) -> Result<Vec<(i64, Option<i64>)>> {
    let name = digest(name);
    let sql = "SELECT id, source FROM forgotten
               WHERE what <> 'source' AND (name = ?1 OR unit = ?1 OR original_ref = ?1
                   OR original_ref IN (SELECT original_ref FROM forgotten
                                       WHERE what <> 'source' AND (name = ?1 OR unit = ?1)))";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map([name], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}
