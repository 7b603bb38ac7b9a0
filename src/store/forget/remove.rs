//! Removing rows, noting what they were, and getting their bytes out of the file.

use jezero_connectors::{Instant, SourceName};
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

use super::{ERASE_DUE, Forget, Forgotten, Targets, digest, with_copies};
use crate::item::ItemId;
use crate::store::{Result, Store, StoreError, index, owners};

impl Store {
    /// Forgets items, a unit or a source: takes them out of the library, index and originals too,
    /// remembers that they are not to come back, and overwrites their bytes.
    ///
    /// All of it is forgotten or nothing. What a kill leaves of the bytes goes when the library is next
    /// opened for writing.
    ///
    /// # Errors
    /// What SQLite says; [`StoreError::Damaged`] for an item that is not there.
    pub fn forget(&mut self, what: Forget<'_>, now: Instant) -> Result<Forgotten> {
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut done = Forgotten::default();
        let removal = Removal {
            connection: &transaction,
            now,
        };
        match what {
            Forget::Items(ids) => {
                for id in with_copies(&transaction, ids)? {
                    removal.item(ItemId(id))?;
                    done.items += 1;
                }
            }
            Forget::Unit(name) => removal.named(name, &mut done)?,
            Forget::Source(name) => removal.source(name, &mut done)?,
        }
        let due = "INSERT OR REPLACE INTO meta (key, value) VALUES (?1, '1')";
        transaction.execute(due, [ERASE_DUE])?;
        index::settle(&transaction)?;
        transaction.commit()?;
        done.erased = self.erase_for_good()?;
        Ok(done)
    }

    /// Ends a removal that was interrupted, if there was one.
    pub(in crate::store) fn erase_if_due(&mut self) -> Result<()> {
        let sql = "SELECT 1 FROM meta WHERE key = ?1";
        if self.connection.prepare_cached(sql)?.exists([ERASE_DUE])? {
            self.erase_for_good()?;
        }
        Ok(())
    }

    /// Writes the file anew, so that no page holds what is gone, and empties the log. Says whether
    /// the log could be emptied.
    fn erase_for_good(&mut self) -> Result<bool> {
        // Words of the dead and free pages first: this needs no room, which the next step may lack.
        self.erase()?;
        // Pages in use may still hold copies of rows that were moved and later removed.
        self.connection.execute_batch("VACUUM")?;
        let checkpoint = "PRAGMA wal_checkpoint(TRUNCATE)";
        let busy: i64 = self
            .connection
            .query_row(checkpoint, [], |row| row.get(0))?;
        if busy == 0 {
            let done = "DELETE FROM meta WHERE key = ?1";
            self.connection.execute(done, [ERASE_DUE])?;
        }
        Ok(busy == 0)
    }
}

struct Removal<'a> {
    connection: &'a Connection,
    now: Instant,
}

/// An item's row, as far as remembering it needs.
struct Row {
    source: i64,
    unit: Option<i64>,
    external_id: String,
    original_ref: Option<String>,
    record: i64,
    part: i64,
    occurred_at: i64,
}

impl Removal<'_> {
    fn item(&self, id: ItemId) -> Result<()> {
        let row = self.row(id)?;
        let number = match row.unit {
            Some(unit) => self.note_segment(id, &row, unit)?,
            None => self.note_loose(&row)?,
        };
        self.execute("DELETE FROM items WHERE id = ?1", id.0)?;
        if let Some(unit) = row.unit {
            self.scrub_reports(row.source, unit)?;
            self.disown(&row, unit, number)?;
        }
        Ok(())
    }

    fn row(&self, id: ItemId) -> Result<Row> {
        let sql = "SELECT source, unit, external_id, original_ref, record, record_part, occurred_at
                   FROM items WHERE id = ?1";
        let row = self
            .connection
            .prepare_cached(sql)?
            .query_row([id.0], |row| {
                Ok(Row {
                    source: row.get(0)?,
                    unit: row.get(1)?,
                    external_id: row.get(2)?,
                    original_ref: row.get(3)?,
                    record: row.get(4)?,
                    part: row.get(5)?,
                    occurred_at: row.get(6)?,
                })
            });
        row.optional()?.ok_or(StoreError::Damaged {
            what: "item: it is not there",
            row: id.0,
        })
    }

    /// Remembers a segment of a unit: its place up to the next stored segment.
    fn note_segment(&self, id: ItemId, row: &Row, unit: i64) -> Result<i64> {
        let unit_id: String = self
            .connection
            .prepare_cached("SELECT unit_id FROM units WHERE id = ?1")?
            .query_row([unit], |row| row.get(0))?;
        let next = "SELECT record, record_part FROM items
                    WHERE unit = ?1 AND id <> ?2 AND (record, record_part) > (?3, ?4)
                    ORDER BY record, record_part LIMIT 1";
        let until: Option<(i64, i64)> = self
            .connection
            .prepare_cached(next)?
            .query_row(params![unit, id.0, row.record, row.part], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })
            .optional()?;
        self.note(row, &unit_id, (row.record, row.part), until, false)
    }

    /// Remembers an item that no unit has; a connector may bring its text later.
    fn note_loose(&self, row: &Row) -> Result<i64> {
        let (unit, at) = row
            .external_id
            .rsplit_once('#')
            .unwrap_or((&row.external_id, ""));
        let at: Option<jezero_connectors::Locator> = at.parse().ok();
        let at = at.unwrap_or_default();
        let from = (
            i64::try_from(at.record).unwrap_or(i64::MAX),
            i64::from(at.part),
        );
        self.note(row, unit, from, None, true)
    }

    fn note(
        &self,
        row: &Row,
        unit_id: &str,
        from: (i64, i64),
        until: Option<(i64, i64)>,
        all_records: bool,
    ) -> Result<i64> {
        let sql = "INSERT INTO forgotten (what, source, name, unit, original_ref, from_record,
                       from_part, until_record, until_part, last_instant, all_records,
                       forgotten_at)
                   VALUES ('item', ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";
        self.connection.prepare_cached(sql)?.execute(params![
            row.source,
            digest(&row.external_id),
            digest(unit_id),
            row.original_ref.as_deref().map(digest),
            from.0,
            from.1,
            until.map(|until| until.0),
            until.map(|until| until.1),
            row.occurred_at,
            all_records,
            self.now.unix()
        ])?;
        Ok(self.connection.last_insert_rowid())
    }

    /// Gives the records of a removed segment to what was forgotten. A unit with nothing left goes.
    fn disown(&self, row: &Row, unit: i64, number: i64) -> Result<()> {
        let sql = "UPDATE record_owners SET unit = -f.id
                   FROM (SELECT * FROM forgotten WHERE id = ?1) AS f
                   WHERE record_owners.source = ?2 AND record_owners.unit = ?3
                     AND (record > f.from_record OR record = f.from_record AND f.from_part = 0)
                     AND (f.until_record IS NULL OR record < f.until_record)";
        let gone = self
            .connection
            .prepare_cached(sql)?
            .execute(params![number, row.source, unit])?;
        let sql = "UPDATE units SET records = max(0, records - ?2) WHERE id = ?1";
        let gone = i64::try_from(gone).unwrap_or(i64::MAX);
        self.connection.prepare_cached(sql)?.execute([unit, gone])?;
        self.execute(
            "DELETE FROM units WHERE id = ?1 AND records = 0 AND pending = 0
                 AND NOT EXISTS (SELECT 1 FROM items WHERE items.unit = ?1)",
            unit,
        )
    }

    /// Forgets every unit and loose item of a name.
    fn named(&self, name: &str, done: &mut Forgotten) -> Result<()> {
        let targets = Targets::of(self.connection, name)?;
        for unit in &targets.units {
            done.items += self.unit(*unit)?;
            done.units += 1;
        }
        for item in &targets.loose {
            self.item(ItemId(*item))?;
            done.items += 1;
        }
        // Also where a copy of it may come from another source one day.
        let sql = "INSERT INTO forgotten (what, name, original_ref, forgotten_at)
                   VALUES ('unit', ?1, ?1, ?2)";
        for name in &targets.refs {
            let values = params![digest(name), self.now.unix()];
            self.connection.prepare_cached(sql)?.execute(values)?;
        }
        Ok(())
    }

    fn unit(&self, unit: i64) -> Result<u64> {
        let sql = "SELECT source, unit_id, original_ref FROM units WHERE id = ?1";
        let (source, id, original_ref): (i64, String, Option<String>) = self
            .connection
            .prepare_cached(sql)?
            .query_row([unit], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        self.scrub_reports(source, unit)?;
        let sql = "INSERT INTO forgotten (what, source, name, original_ref, forgotten_at)
                   VALUES ('unit', ?1, ?2, ?3, ?4)";
        let original_ref = original_ref.as_deref().map(digest);
        self.connection.prepare_cached(sql)?.execute(params![
            source,
            digest(&id),
            original_ref,
            self.now.unix()
        ])?;
        let number = self.connection.last_insert_rowid();
        let sql = "UPDATE record_owners SET unit = ?3 WHERE source = ?1 AND unit = ?2";
        self.connection
            .prepare_cached(sql)?
            .execute(params![source, unit, -number])?;
        let sql = "DELETE FROM items WHERE unit = ?1";
        let items = self.connection.prepare_cached(sql)?.execute([unit])?;
        self.execute("DELETE FROM units WHERE id = ?1", unit)?;
        Ok(items as u64)
    }

    fn source(&self, name: &SourceName, done: &mut Forgotten) -> Result<()> {
        // Known from here on, so that what comes later is recognised.
        let source = owners::source_of(self.connection, name)?.0;
        let sql = "DELETE FROM forgotten WHERE what = 'source' AND source = ?1";
        self.execute(sql, source)?;
        let sql = "INSERT INTO forgotten (what, source, name, forgotten_at)
                   VALUES ('source', ?1, ?2, ?3)";
        let values = params![source, digest(name.as_str()), self.now.unix()];
        self.connection.execute(sql, values)?;
        let items = "DELETE FROM items WHERE source = ?1";
        done.items += self.connection.execute(items, [source])? as u64;
        let units = "DELETE FROM units WHERE source = ?1";
        done.units += self.connection.execute(units, [source])? as u64;
        self.execute("DELETE FROM marks WHERE source = ?1", source)?;
        // What was forgotten of it before stays so when the source comes back.
        let owned = "DELETE FROM record_owners WHERE source = ?1 AND unit > 0";
        self.execute(owned, source)?;
        for table in ["connector_state WHERE name", "runs WHERE connector"] {
            let sql = format!("DELETE FROM {table} = ?1");
            self.connection.execute(&sql, [name.as_str()])?;
        }
        Ok(())
    }

    /// Takes reports away that name a unit.
    fn scrub_reports(&self, source: i64, unit: i64) -> Result<()> {
        let named = "(SELECT name FROM sources WHERE id = ?1)";
        let id = "(SELECT unit_id FROM units WHERE id = ?2)";
        for sql in [
            format!("DELETE FROM runs WHERE connector = {named} AND instr(report, {id}) > 0"),
            format!(
                "UPDATE connector_state SET last_report = NULL
                 WHERE name = {named} AND instr(last_report, {id}) > 0"
            ),
            format!(
                "UPDATE connector_state SET last_error = 'something failed'
                 WHERE name = {named} AND instr(last_error, {id}) > 0"
            ),
        ] {
            self.connection
                .prepare_cached(&sql)?
                .execute([source, unit])?;
        }
        Ok(())
    }

    fn execute(&self, sql: &str, value: i64) -> Result<()> {
        self.connection.prepare_cached(sql)?.execute([value])?;
        Ok(())
    }
}
