//! Units: what is stored of one, and storing what a reading made of it, in one transaction.

use jezero_connectors::{
    Evidence, ExternalId, Instant, Locator, Mark, OriginalRef, RecordKey, SourceName, Tail, UnitId,
};
use rusqlite::{Connection, OptionalExtension, Row, TransactionBehavior, params};

use super::items::{self, ItemWrite, Upserted};
use super::owners::{self, SourceId, UnitRow};
use super::redact::{self, RedactedAgain};
use super::{Result, Store, StoreError, index, rename};
use crate::item::{ItemId, Trust};
use crate::redaction::{Redacted, Seen};

/// What is stored of a segment, as far as comparing needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredSegment {
    /// Its item.
    pub item: ItemId,
    /// Locator of its first block.
    pub locator: Locator,
    /// Hash of its redacted text.
    pub content_hash: String,
    /// Part n of N as stored.
    pub part: (usize, usize),
    /// Rules in force when it was redacted.
    pub rules_version: u32,
}

/// What is stored of a unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredUnit {
    /// Its row.
    pub row: UnitRow,
    /// Its title in the source.
    pub title_hint: Option<Redacted>,
    /// What the source said of the place of work.
    pub evidence: Evidence,
    /// Digests of the secrets that were found in it.
    pub seen: Option<Seen>,
    /// Its segments, by locator.
    pub segments: Vec<StoredSegment>,
}

/// One segment of a unit that is being stored.
#[derive(Debug, Clone)]
pub enum SegmentWrite {
    /// A new or changed segment with its summary.
    Item(Box<ItemWrite>),
    /// The text is the same and its summary stays; only `part n of N` may have changed.
    Same {
        /// Its item.
        item: ItemId,
        /// Locator of its first block, for an item that this unit takes over.
        locator: Locator,
        /// Part n of N now.
        part: (usize, usize),
    },
    /// Newer redaction rules explain the difference: text and hash change, the summary stays.
    Redacted {
        /// The item as these rules leave it.
        again: Box<RedactedAgain>,
        /// Part n of N now.
        part: (usize, usize),
    },
}

/// What a reading made of a unit.
#[derive(Debug)]
pub struct UnitWrite<'a> {
    /// Its source.
    pub source: SourceId,
    /// Its id.
    pub id: &'a UnitId,
    /// Its row, if it is stored; under an earlier name perhaps.
    pub row: Option<UnitRow>,
    /// Units that it takes in. Left alone while a segment fails.
    pub absorbed: Vec<UnitRow>,
    /// Names the original.
    pub original_ref: &'a OriginalRef,
    /// Its account.
    pub account: Option<&'a Redacted>,
    /// Its title in the source.
    pub title_hint: Option<&'a Redacted>,
    /// What the source says of the place of work; redacted.
    pub named: Option<&'a Redacted>,
    /// Its working folder; redacted.
    pub cwd: Option<&'a Redacted>,
    /// Digests of the secrets that were found in it.
    pub seen: &'a Seen,
    /// Who wrote it.
    pub trust: Trust,
    /// `max_input_chars` of this cutting.
    pub layout: usize,
    /// Its segments in order, as far as they were read.
    pub segments: Vec<SegmentWrite>,
    /// Items of segments that are no longer produced.
    pub prune: Vec<ItemId>,
    /// Whether a segment failed.
    pub pending: bool,
    /// Whether marks are kept whole; else only the names in them are, and the unit is read again.
    pub remember: bool,
    /// Whether all of it was read: records that it has lost are then no longer its own.
    pub whole: bool,
    /// Records that this unit brought.
    pub owned: Vec<(RecordKey, u64)>,
    /// What the connector wants to remember.
    pub marks: &'a [Mark],
    /// Where the last segment begins.
    pub tail: Option<Tail>,
    /// The present moment.
    pub now: Instant,
}

/// What storing a unit did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Written {
    /// New items.
    pub inserted: u64,
    /// Items with new content.
    pub updated: u64,
    /// Items whose texts newer redaction rules changed.
    pub redacted_again: u64,
    /// Items removed.
    pub pruned: u64,
}

impl Store {
    /// Keeps marks that come without a unit's text, as far as `keep` says.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn keep_marks(
        &mut self,
        source: SourceId,
        marks: &[Mark],
        layout: usize,
        keep: Keep,
    ) -> Result<()> {
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        write_marks(&transaction, source, marks, layout, keep)?;
        transaction.commit()?;
        Ok(())
    }

    /// Forgets what a source remembers, but for the names that it gave: the next run reads
    /// everything again. Items and owners stay.
    ///
    /// Returns the number of marks forgotten.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn forget_marks(&mut self, source: &SourceName) -> Result<usize> {
        let sql = "UPDATE marks
                   SET value = '', tail_record = NULL, tail_part = NULL, tail_position = NULL
                   WHERE value <> '' AND source = (SELECT id FROM sources WHERE name = ?1)";
        Ok(self.connection.execute(sql, [source.as_str()])?)
    }

    /// What is stored of a unit.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn unit(&self, source: SourceId, id: &UnitId) -> Result<Option<StoredUnit>> {
        let sql = "SELECT id, title_hint, named, cwd, seen FROM units
                   WHERE source = ?1 AND unit_id = ?2";
        let mut statement = self.connection.prepare_cached(sql)?;
        let found = statement.query_row(params![source.0, id.as_str()], |row| {
            Ok(StoredUnit {
                row: UnitRow(row.get(0)?),
                title_hint: row.get::<_, Option<String>>(1)?.map(Redacted::from_library),
                evidence: Evidence {
                    named: row.get(2)?,
                    cwd: row.get(3)?,
                },
                seen: row
                    .get::<_, Option<Vec<u8>>>(4)?
                    .and_then(|bytes| Seen::from_bytes(&bytes)),
                segments: Vec::new(),
            })
        });
        let Some(mut unit) = found.optional()? else {
            return Ok(None);
        };
        unit.segments = self.segments(unit.row.0)?;
        Ok(Some(unit))
    }

    fn segments(&self, unit: i64) -> Result<Vec<StoredSegment>> {
        let sql = format!("{SEGMENT} WHERE unit = ?1 ORDER BY record, record_part");
        let mut statement = self.connection.prepare_cached(&sql)?;
        let rows = statement.query_map([unit], read_segment)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// An item under this id that belongs to no unit: one that was imported.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn loose_segment(
        &self,
        source: SourceId,
        id: &ExternalId,
    ) -> Result<Option<StoredSegment>> {
        let sql = format!("{SEGMENT} WHERE source = ?1 AND external_id = ?2 AND unit IS NULL");
        let mut statement = self.connection.prepare_cached(&sql)?;
        let found = statement.query_row(params![source.0, id.as_str()], read_segment);
        Ok(found.optional()?)
    }

    /// The stored original of an item.
    ///
    /// # Errors
    /// What SQLite says; [`StoreError::Damaged`] when it cannot be read back.
    pub fn original(&self, item: ItemId) -> Result<Option<Redacted>> {
        super::read::original(&self.connection, item)
    }

    /// Stores what a reading made of a unit, all of it or nothing.
    ///
    /// # Errors
    /// What SQLite says; then nothing was stored.
    pub fn write_unit(&mut self, write: UnitWrite<'_>) -> Result<Written> {
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        if let Some(row) = write.row {
            rename::rename(&transaction, row, write.id, write.original_ref)?;
        }
        let unit = upsert_unit(&transaction, &write)?;
        let mut written = Written::default();
        if !write.pending {
            written.pruned += rename::absorb(&transaction, unit, &write.absorbed)?;
        }
        for segment in &write.segments {
            match segment {
                SegmentWrite::Item(item) => {
                    match items::upsert(&transaction, write.source, Some(unit), item, write.now)? {
                        Upserted::Inserted(_) => written.inserted += 1,
                        Upserted::Updated(_) => written.updated += 1,
                        Upserted::Unchanged(_) => {}
                    }
                }
                SegmentWrite::Same {
                    item,
                    locator,
                    part,
                } => {
                    take_over(&transaction, *item, unit, *locator)?;
                    set_part(&transaction, *item, *part)?;
                }
                SegmentWrite::Redacted { again, part } => {
                    redact::rewrite(&transaction, again)?;
                    set_part(&transaction, again.item, *part)?;
                    written.redacted_again += 1;
                }
            }
        }
        for item in &write.prune {
            let sql = "DELETE FROM items WHERE id = ?1";
            written.pruned += u64::from(transaction.prepare_cached(sql)?.execute([item.0])? > 0);
        }
        owners::own(&transaction, write.source, unit, write.owned, write.whole)?;
        let keep = match write.remember {
            true => Keep::All(write.tail),
            false => Keep::Identity,
        };
        write_marks(&transaction, write.source, write.marks, write.layout, keep)?;
        let indexed = index::settle(&transaction)?;
        transaction.commit()?;
        self.upkeep.share(&mut self.connection, indexed);
        Ok(written)
    }
}

/// What [`read_segment`] reads.
const SEGMENT: &str =
    "SELECT id, record, record_part, content_hash, part, parts, rules_version FROM items";

fn read_segment(row: &Row<'_>) -> rusqlite::Result<StoredSegment> {
    let count = |at: usize| {
        row.get::<_, i64>(at)
            .map(|number| usize::try_from(number).unwrap_or(1))
    };
    Ok(StoredSegment {
        item: ItemId(row.get(0)?),
        locator: Locator {
            record: row.get::<_, i64>(1)?.unsigned_abs(),
            part: row.get(2)?,
        },
        content_hash: row.get(3)?,
        part: (count(4)?, count(5)?),
        rules_version: row.get(6)?,
    })
}

fn upsert_unit(connection: &Connection, write: &UnitWrite<'_>) -> Result<UnitRow> {
    let sql = "
        INSERT INTO units (source, unit_id, original_ref, account, title_hint, named, cwd, trust,
            layout, pending, seen)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
        ON CONFLICT (source, unit_id) DO UPDATE SET
            original_ref = excluded.original_ref,
            account = coalesce(excluded.account, account),
            title_hint = coalesce(excluded.title_hint, title_hint),
            named = coalesce(excluded.named, named),
            cwd = coalesce(excluded.cwd, cwd),
            trust = excluded.trust, layout = excluded.layout, pending = excluded.pending,
            seen = excluded.seen
        RETURNING id";
    let text = |text: Option<&Redacted>| text.map(|text| text.as_str().to_owned());
    let row = connection.prepare_cached(sql)?.query_row(
        params![
            write.source.0,
            write.id.as_str(),
            write.original_ref.as_str(),
            text(write.account),
            text(write.title_hint),
            text(write.named),
            text(write.cwd),
            write.trust.as_str(),
            i64::try_from(write.layout).unwrap_or(i64::MAX),
            write.pending,
            (!write.seen.is_empty()).then(|| write.seen.to_bytes()),
        ],
        |row| row.get(0),
    )?;
    Ok(UnitRow(row))
}

/// Makes an item that belongs to no unit a segment of this one.
fn take_over(connection: &Connection, item: ItemId, unit: UnitRow, at: Locator) -> Result<()> {
    let sql = "UPDATE items SET unit = ?2, record = ?3, record_part = ?4
               WHERE id = ?1 AND unit IS NULL";
    let record = i64::try_from(at.record).unwrap_or(i64::MAX);
    connection
        .prepare_cached(sql)?
        .execute(params![item.0, unit.0, record, at.part])?;
    Ok(())
}

/// Notes a new `part n of N` and rewrites the suffix of the title that says it, without a call.
fn set_part(connection: &Connection, item: ItemId, part: (usize, usize)) -> Result<()> {
    let find = "SELECT title, part, parts FROM items WHERE id = ?1";
    let (title, old): (String, (i64, i64)) = connection
        .prepare_cached(find)?
        .query_row([item.0], |row| {
            Ok((row.get(0)?, (row.get(1)?, row.get(2)?)))
        })
        .optional()?
        .ok_or(StoreError::Damaged {
            what: "item",
            row: item.0,
        })?;
    let count = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
    let new = (count(part.0), count(part.1));
    if old == new {
        return Ok(());
    }
    let bare = title
        .strip_suffix(&format!(" (part {}/{})", old.0, old.1))
        .unwrap_or(&title);
    let title = crate::item::titled(bare, part);
    let sql = "UPDATE items SET title = ?2, part = ?3, parts = ?4 WHERE id = ?1";
    connection
        .prepare_cached(sql)?
        .execute(params![item.0, title, new.0, new.1])?;
    Ok(())
}

/// How much of a mark is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// All of it, and where the unit's last segment begins.
    All(Option<Tail>),
    /// All of it; the last segment begins where it did.
    Value,
    /// The name alone: what was read of the unit is to be read again.
    Identity,
}

fn write_marks(
    connection: &Connection,
    source: SourceId,
    marks: &[Mark],
    layout: usize,
    keep: Keep,
) -> Result<()> {
    let update = match keep {
        Keep::All(_) => {
            "value = excluded.value, identity = excluded.identity, layout = excluded.layout,
             tail_record = excluded.tail_record, tail_part = excluded.tail_part,
             tail_position = excluded.tail_position"
        }
        Keep::Value => "value = excluded.value, identity = excluded.identity",
        Keep::Identity => "identity = excluded.identity",
    };
    let sql = format!(
        "INSERT INTO marks
            (source, key, value, identity, layout, tail_record, tail_part, tail_position)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
         ON CONFLICT (source, key) DO UPDATE SET {update}"
    );
    let number = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let tail = match keep {
        Keep::All(tail) => tail,
        Keep::Value | Keep::Identity => None,
    };
    let mut statement = connection.prepare_cached(&sql)?;
    for mark in marks
        .iter()
        .filter(|mark| keep != Keep::Identity || !mark.identity.is_empty())
    {
        statement.execute(params![
            source.0,
            mark.key,
            if keep == Keep::Identity {
                ""
            } else {
                &mark.value
            },
            mark.identity,
            i64::try_from(layout).unwrap_or(i64::MAX),
            tail.map(|tail| number(tail.locator.record)),
            tail.map(|tail| tail.locator.part),
            tail.map(|tail| number(tail.position)),
        ])?;
    }
    Ok(())
}
