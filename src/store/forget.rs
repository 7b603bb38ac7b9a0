//! Taking things out of the library for good, and remembering that they are not to come back.
//!
//! What is remembered are digests of ids, places and instants ([`ForgottenUnit`]), never text. Records that
//! were forgotten keep an owner that is no unit (see [`UnitRow::forgotten`]), so that no copy of a
//! session brings them back, whatever its name.

mod lift;
mod remove;

use std::collections::BTreeSet;

use jezero_connectors::{Block, Instant, Locator, SourceName, UnitId, UnitStart};
use rusqlite::{Connection, OptionalExtension, params};
use sha2::{Digest, Sha256};

pub use lift::Lifted;

use super::items::ItemWrite;
use super::owners::{SourceId, UnitRow};
use super::{Result, Store, StoreError, View};
use crate::item::ItemId;
use crate::redaction::Redacted;

/// Key of `meta` that stands there from the removal until its last bytes are gone.
const ERASE_DUE: &str = "erase_due";
/// Titles that [`Forgettable`] shows.
const TITLES: i64 = 10;

/// What is to be forgotten.
#[derive(Debug, Clone, Copy)]
pub enum Forget<'a> {
    /// Items by number, with the copies of them in other sources.
    Items(&'a [ItemId]),
    /// A session, thread or task, by the name of its original or by its id; in every source.
    Unit(&'a str),
    /// Everything of a source.
    Source(&'a SourceName),
}

/// What would be forgotten.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Forgettable {
    /// How many items.
    pub items: u64,
    /// How many units as a whole.
    pub units: u64,
    /// The first items with their titles.
    pub first: Vec<(ItemId, Redacted)>,
    /// Items that were asked for and are not there.
    pub missing: Vec<ItemId>,
    /// Whether the source is one that the library knows.
    pub known_source: bool,
}

/// What was forgotten.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Forgotten {
    /// How many items.
    pub items: u64,
    /// How many units as a whole.
    pub units: u64,
    /// Whether the last bytes are gone from the file and its log; else a reader kept the log.
    pub erased: bool,
}

/// A segment of a unit that was forgotten.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForgottenPart {
    number: i64,
    from: Locator,
    until: Option<Locator>,
    last: Instant,
    all_records: bool,
}

/// What of a unit is not to be stored again.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ForgottenUnit {
    whole: bool,
    parts: Vec<ForgottenPart>,
}

impl ForgottenUnit {
    /// Whether a block is known as forgotten by its place. A block with a record id is known by
    /// that id instead, unless its segment was stored without such ids.
    #[must_use]
    pub fn holds(&self, block: &Block) -> bool {
        self.whole || self.parts.iter().any(|part| part.holds(block))
    }

    /// Whether a forgotten record was forgotten with a segment of this unit.
    #[must_use]
    pub fn has_part(&self, number: i64) -> bool {
        self.parts.iter().any(|part| part.number == number)
    }
}

impl ForgottenPart {
    fn holds(&self, block: &Block) -> bool {
        let at = block.locator;
        let inside = self.from <= at
            && match self.until {
                Some(until) => at < until,
                None => block.instant <= self.last,
            };
        // A line of several objects may belong to two segments, which owners cannot tell apart.
        let shared = self.until.is_some_and(|until| until.record == at.record);
        inside && (block.record_key.is_none() || self.all_records || shared)
    }
}

impl Store {
    /// What of a unit was forgotten. `stored` is what is stored of it under any of its names: a unit
    /// that is not stored was forgotten also if it was so under an earlier name.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn forgotten(
        &self,
        source: Option<SourceId>,
        start: &UnitStart,
        stored: Option<UnitRow>,
    ) -> Result<ForgottenUnit> {
        let source = source.map_or(-1, |source| source.0);
        let unit = digest(start.id.as_str());
        let mut whole = self.is_forgotten_unit(source, &unit, Some(start))?;
        for earlier in start.formerly.iter().filter(|_| !whole && stored.is_none()) {
            if self.is_forgotten_unit(source, &digest(earlier.as_str()), None)? {
                whole = true;
                // The earlier name may not be told again.
                self.forget_name(source, &unit)?;
                break;
            }
        }
        // What is stored has its earlier name until this reading is stored.
        let before = match stored {
            Some(row) => digest(self.unit_id(row)?.as_str()),
            None => unit.clone(),
        };
        // A copy in another source has the same lines; whose records they are is not known there.
        let sql = "SELECT id, from_record, from_part, until_record, until_part, last_instant,
                       all_records OR source <> ?1
                   FROM forgotten WHERE what = 'item' AND unit IN (?2, ?3)
                       AND (source = ?1 OR original_ref = ?4)";
        let mut statement = self.connection.prepare_cached(sql)?;
        let original_ref = digest(start.original_ref.as_str());
        let mut rows = statement.query(params![source, unit, before, original_ref])?;
        let mut parts = Vec::new();
        while let Some(row) = rows.next()? {
            let number = row.get(0)?;
            let record = |record: i64| record.unsigned_abs();
            let until: Option<i64> = row.get(3)?;
            let last = Instant::from_unix(row.get(5)?).ok_or(StoreError::Damaged {
                what: "forgotten instant",
                row: number,
            })?;
            parts.push(ForgottenPart {
                number,
                from: Locator {
                    record: record(row.get(1)?),
                    part: row.get(2)?,
                },
                until: match until {
                    Some(until) => Some(Locator {
                        record: record(until),
                        part: row.get(4)?,
                    }),
                    None => None,
                },
                last,
                all_records: row.get(6)?,
            });
        }
        Ok(ForgottenUnit { whole, parts })
    }

    fn is_forgotten_unit(
        &self,
        source: i64,
        unit: &[u8],
        start: Option<&UnitStart>,
    ) -> Result<bool> {
        let original_ref = start.map(|start| digest(start.original_ref.as_str()));
        let sql = "SELECT EXISTS (SELECT 1 FROM forgotten WHERE what = 'unit'
                                  AND name = ?2 AND source = ?1)
                       OR EXISTS (SELECT 1 FROM forgotten WHERE what = 'unit'
                                  AND original_ref = ?3)
                       OR EXISTS (SELECT 1 FROM forgotten WHERE what = 'source' AND source = ?1)";
        let mut statement = self.connection.prepare_cached(sql)?;
        Ok(statement.query_row(params![source, unit, original_ref], |row| row.get(0))?)
    }

    /// Remembers another name of a forgotten unit, unless the library is only looked at.
    fn forget_name(&self, source: i64, unit: &[u8]) -> Result<()> {
        if self.connection.is_readonly(rusqlite::MAIN_DB)? {
            return Ok(());
        }
        let sql = "INSERT INTO forgotten (what, source, name, original_ref, forgotten_at)
                   SELECT 'unit', ?1, ?2, NULL, max(forgotten_at) FROM forgotten";
        self.connection.execute(sql, params![source, unit])?;
        Ok(())
    }

    /// Whether a source as a whole was forgotten.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn is_forgotten_source(&self, source: &SourceName) -> Result<bool> {
        let sql = "SELECT EXISTS (SELECT 1 FROM forgotten WHERE what = 'source'
                       AND source = (SELECT id FROM sources WHERE name = ?1))";
        let mut statement = self.connection.prepare_cached(sql)?;
        Ok(statement.query_row([source.as_str()], |row| row.get(0))?)
    }
}

impl View {
    /// What forgetting would take away.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn forgettable(&self, what: Forget<'_>) -> Result<Forgettable> {
        let _held = self.snapshot()?;
        let connection = &self.connection;
        let mut found = Forgettable::default();
        let mut first = |sql: &str, value: i64| -> Result<()> {
            let sql = format!("SELECT id, title FROM items WHERE {sql} ORDER BY id LIMIT {TITLES}");
            let mut statement = connection.prepare_cached(&sql)?;
            let mut rows = statement.query([value])?;
            while let Some(row) = rows.next()? {
                let title = Redacted::from_library(row.get(1)?);
                found.first.push((ItemId(row.get(0)?), title));
            }
            Ok(())
        };
        match what {
            Forget::Items(ids) => {
                let wanted = with_copies(connection, ids)?;
                let missing = ids.iter().filter(|id| !wanted.contains(&id.0));
                found.missing = missing.copied().collect();
                for id in wanted.iter().take(usize::try_from(TITLES).unwrap_or(0)) {
                    first("id = ?1", *id)?;
                }
                found.items = wanted.len() as u64;
            }
            Forget::Unit(name) => {
                let targets = Targets::of(connection, name)?;
                for unit in &targets.units {
                    first("unit = ?1", *unit)?;
                    found.items += count(connection, "unit = ?1", *unit)?;
                }
                for item in &targets.loose {
                    first("id = ?1", *item)?;
                }
                found.items += targets.loose.len() as u64;
                found.units = targets.units.len() as u64;
            }
            Forget::Source(name) => {
                let sql = "SELECT id FROM sources WHERE name = ?1";
                let source: Option<i64> = connection
                    .prepare_cached(sql)?
                    .query_row([name.as_str()], |row| row.get(0))
                    .optional()?;
                if let Some(source) = source {
                    found.known_source = true;
                    first("source = ?1", source)?;
                    found.items = count(connection, "source = ?1", source)?;
                    let sql = "SELECT count(*) FROM units WHERE source = ?1";
                    let units: i64 = connection.query_row(sql, [source], |row| row.get(0))?;
                    found.units = units.unsigned_abs();
                }
            }
        }
        found
            .first
            .truncate(usize::try_from(TITLES).unwrap_or_default());
        Ok(found)
    }
}

/// The rows that belong to a name.
#[derive(Debug, Default)]
struct Targets {
    units: Vec<i64>,
    /// Items of no unit.
    loose: Vec<i64>,
    /// Names of originals.
    refs: BTreeSet<String>,
}

impl Targets {
    /// Finds units and loose items by the name of an original or the id of a unit.
    fn of(connection: &Connection, name: &str) -> Result<Self> {
        let mut refs = BTreeSet::from([name.to_owned()]);
        let sql = "SELECT original_ref FROM units
                   WHERE unit_id = ?1 AND original_ref IS NOT NULL";
        let mut statement = connection.prepare_cached(sql)?;
        for found in statement.query_map([name], |row| row.get::<_, String>(0))? {
            refs.insert(found?);
        }
        let mut targets = Self::default();
        let units = "SELECT id FROM units WHERE original_ref = ?1 OR unit_id = ?1";
        let loose = "SELECT id FROM items WHERE unit IS NULL AND (original_ref = ?1
                         OR substr(external_id, 1, length(?1) + 1) = ?1 || '#')";
        for name in &refs {
            targets.units.extend(numbers(connection, units, name)?);
            targets.loose.extend(numbers(connection, loose, name)?);
        }
        for list in [&mut targets.units, &mut targets.loose] {
            list.sort_unstable();
            list.dedup();
        }
        targets.refs = refs;
        Ok(targets)
    }
}

fn numbers(connection: &Connection, sql: &str, value: &str) -> Result<Vec<i64>> {
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map([value], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The items that are there, and those that searches show as the same: with the same id and original
/// in another source. Left behind, they would be shown in the place of what was forgotten.
fn with_copies(connection: &Connection, ids: &[ItemId]) -> Result<BTreeSet<i64>> {
    let sql = "SELECT id FROM items WHERE id = ?1
               UNION SELECT copy.id FROM items JOIN sources
                   JOIN items AS copy ON copy.source = sources.id
                       AND copy.external_id = items.external_id
                       AND copy.original_ref = items.original_ref
               WHERE items.id = ?1";
    let mut statement = connection.prepare_cached(sql)?;
    let mut found = BTreeSet::new();
    for id in ids {
        for each in statement.query_map([id.0], |row| row.get(0))? {
            found.insert(each?);
        }
    }
    Ok(found)
}

fn count(connection: &Connection, condition: &str, value: i64) -> Result<u64> {
    let sql = format!("SELECT count(*) FROM items WHERE {condition}");
    let count: i64 = connection
        .prepare_cached(&sql)?
        .query_row([value], |row| row.get(0))?;
    Ok(count.unsigned_abs())
}

/// Follows a unit to its new name, so that the segments that were forgotten of it stay so.
pub(super) fn renamed(connection: &Connection, unit: UnitRow, id: &UnitId) -> Result<()> {
    let sql = "SELECT source, unit_id FROM units WHERE id = ?1 AND unit_id <> ?2";
    let named: Option<(i64, String)> = connection
        .prepare_cached(sql)?
        .query_row(params![unit.0, id.as_str()], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .optional()?;
    if let Some((source, before)) = named {
        let sql = "UPDATE forgotten SET unit = ?3
                   WHERE what = 'item' AND source = ?1 AND unit = ?2";
        let names = params![source, digest(&before), digest(id.as_str())];
        connection.prepare_cached(sql)?.execute(names)?;
    }
    Ok(())
}

/// Whether an item that is about to be imported was forgotten, by itself, with its unit or with
/// its source.
pub(super) fn is_forgotten(
    connection: &Connection,
    source: SourceId,
    item: &ItemWrite,
) -> Result<bool> {
    let id = item.external_id.as_str();
    let unit = id.rsplit_once('#').map_or(id, |(unit, _)| unit);
    let original_ref = item.original_ref.as_ref().map(|name| digest(name.as_str()));
    let sql = "SELECT EXISTS (SELECT 1 FROM forgotten WHERE what = 'item'
                              AND name = ?2 AND (source = ?1 OR original_ref = ?4))
                   OR EXISTS (SELECT 1 FROM forgotten WHERE what = 'unit'
                              AND name = ?3 AND source = ?1)
                   OR EXISTS (SELECT 1 FROM forgotten WHERE what = 'unit' AND original_ref = ?4)
                   OR EXISTS (SELECT 1 FROM forgotten WHERE what = 'source' AND source = ?1)";
    let mut statement = connection.prepare_cached(sql)?;
    let values = params![source.0, digest(id), digest(unit), original_ref];
    Ok(statement.query_row(values, |row| row.get(0))?)
}

/// How names are remembered.
fn digest(name: &str) -> Vec<u8> {
    Sha256::digest(name.as_bytes()).to_vec()
}
