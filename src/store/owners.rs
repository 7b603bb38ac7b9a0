//! Sources by number, and which unit owns a record that several units carry.
//!
//! Within one source the first unit stored owns a record for good, also after its file is gone
//! (design: Ownership). So a fork stores only what is new in it.

use jezero_connectors::{RecordKey, SourceName, UnitId};
use rusqlite::{Connection, OptionalExtension, params};

use super::{Result, Store, StoreError};

/// The row number of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SourceId(pub(super) i64);

/// The row number of a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct UnitRow(pub(super) i64);

impl UnitRow {
    /// What a record belongs to that was forgotten: the number of its row in `forgotten`.
    #[must_use]
    pub fn forgotten(self) -> Option<i64> {
        (self.0 < 0).then_some(-self.0)
    }
}

/// Who first brought a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Owner {
    /// The unit.
    pub unit: UnitRow,
    /// Line or record inside of that unit.
    pub record: u64,
}

impl Store {
    /// The number of a source, given at first sight.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn source(&self, name: &SourceName) -> Result<SourceId> {
        source_of(&self.connection, name)
    }

    /// The number of a source that the library already knows.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn known_source(&self, name: &SourceName) -> Result<Option<SourceId>> {
        let sql = "SELECT id FROM sources WHERE name = ?1";
        let mut statement = self.connection.prepare_cached(sql)?;
        let id = statement
            .query_row([name.as_str()], |row| row.get(0))
            .optional()?;
        Ok(id.map(SourceId))
    }

    /// Who owns a record.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn owner(&self, source: SourceId, key: RecordKey) -> Result<Option<Owner>> {
        let sql = "SELECT unit, record FROM record_owners WHERE source = ?1 AND key = ?2";
        let mut statement = self.connection.prepare_cached(sql)?;
        let owner = statement.query_row(params![source.0, key.0], |row| {
            Ok(Owner {
                unit: UnitRow(row.get(0)?),
                record: row.get::<_, i64>(1)?.unsigned_abs(),
            })
        });
        Ok(owner.optional()?)
    }

    /// The id of a unit.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] when there is no such unit or its id has lost its shape.
    pub fn unit_id(&self, unit: UnitRow) -> Result<UnitId> {
        let sql = "SELECT unit_id FROM units WHERE id = ?1";
        let id: Option<String> = self
            .connection
            .prepare_cached(sql)?
            .query_row([unit.0], |row| row.get(0))
            .optional()?;
        id.and_then(|id| UnitId::new(id).ok())
            .ok_or(StoreError::Damaged {
                what: "unit id",
                row: unit.0,
            })
    }
}

pub(super) fn source_of(connection: &Connection, name: &SourceName) -> Result<SourceId> {
    let find = "SELECT id FROM sources WHERE name = ?1";
    let found = connection
        .prepare_cached(find)?
        .query_row([name.as_str()], |row| row.get(0));
    if let Some(id) = found.optional()? {
        return Ok(SourceId(id));
    }
    let add = "INSERT INTO sources (name) VALUES (?1)";
    connection.prepare_cached(add)?.execute([name.as_str()])?;
    Ok(SourceId(connection.last_insert_rowid()))
}

/// Notes the records that a unit brought; one that another unit owns stays with that one.
///
/// After a `whole` reading, records that the unit no longer has are given up: their text is no
/// longer stored with it, so that a copy of them elsewhere may be.
pub(super) fn own(
    connection: &Connection,
    source: SourceId,
    unit: UnitRow,
    mut records: Vec<(RecordKey, u64)>,
    whole: bool,
) -> Result<()> {
    // In key order, so that the tree is written page by page.
    records.sort_unstable();
    records.dedup_by_key(|(key, _)| *key);
    let count = "SELECT records FROM units WHERE id = ?1";
    let had: i64 = connection
        .prepare_cached(count)?
        .query_row([unit.0], |row| row.get(0))?;
    let mut has = had;
    if whole && had > 0 {
        has -= give_up(connection, source, unit, &records)?;
    }
    let add = "INSERT INTO record_owners (source, key, unit, record) VALUES (?1, ?2, ?3, ?4)
               ON CONFLICT (source, key) DO NOTHING";
    let place = "UPDATE record_owners SET record = ?4
                 WHERE source = ?1 AND key = ?2 AND unit = ?3 AND record <> ?4";
    let (mut add, mut place) = (
        connection.prepare_cached(add)?,
        connection.prepare_cached(place)?,
    );
    for (key, record) in &records {
        let record = i64::try_from(*record).unwrap_or(i64::MAX);
        let row = params![source.0, key.0, unit.0, record];
        match add.execute(row)? {
            0 => place.execute(row).map(drop)?,
            _ => has += 1,
        }
    }
    let note = "UPDATE units SET records = ?2 WHERE id = ?1";
    connection.prepare_cached(note)?.execute([unit.0, has])?;
    Ok(())
}

/// Gives up what a unit owns and did not bring this time; returns how many records that were.
fn give_up(
    connection: &Connection,
    source: SourceId,
    unit: UnitRow,
    brought: &[(RecordKey, u64)],
) -> Result<i64> {
    let owned = "SELECT count(*) FROM record_owners WHERE source = ?1 AND key = ?2 AND unit = ?3";
    let mut owned = connection.prepare_cached(owned)?;
    let mut kept = 0;
    for (key, _) in brought {
        kept += owned.query_row(params![source.0, key.0, unit.0], |row| row.get::<_, i64>(0))?;
    }
    let count = "SELECT records FROM units WHERE id = ?1";
    let had: i64 = connection
        .prepare_cached(count)?
        .query_row([unit.0], |row| row.get(0))?;
    if kept == had {
        return Ok(0);
    }
    // Rare, so it may read all owners of the source.
    let all = "SELECT key FROM record_owners WHERE source = ?1 AND unit = ?2";
    let mut all = connection.prepare_cached(all)?;
    let keys = all.query_map([source.0, unit.0], |row| row.get::<_, i64>(0))?;
    let keys: Vec<i64> = keys.collect::<std::result::Result<_, _>>()?;
    let remove = "DELETE FROM record_owners WHERE source = ?1 AND key = ?2";
    let mut remove = connection.prepare_cached(remove)?;
    let mut gone = 0;
    for key in keys {
        if brought
            .binary_search_by_key(&key, |(brought, _)| brought.0)
            .is_err()
        {
            remove.execute([source.0, key])?;
            gone += 1;
        }
    }
    Ok(gone)
}
