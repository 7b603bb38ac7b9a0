//! Units: what is stored of one, and storing what a reading made of it, in one transaction.

use std::collections::HashMap;

use jezero_connectors::{
    Evidence, Instant, Locator, Mark, Memory, OriginalRef, RecordKey, SourceName, Tail, UnitId,
    marks::Recalled,
};
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

use super::items::{self, ItemWrite, Upserted};
use super::owners::{self, SourceId, UnitRow};
use super::redact::{self, RedactedAgain};
use super::{Result, Store, StoreError, index};
use crate::item::{ItemId, Trust};
use crate::redaction::Redacted;

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
    /// Who wrote it.
    pub trust: Trust,
    /// `max_input_chars` of this cutting.
    pub layout: usize,
    /// Its segments in order, as far as they were read.
    pub segments: Vec<SegmentWrite>,
    /// Items of segments that are no longer produced.
    pub prune: Vec<ItemId>,
    /// Whether a segment failed: marks stay as they were and nothing is pruned.
    pub pending: bool,
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
    /// All marks of a source, as its connector gets them back.
    ///
    /// A tail made under another `layout` is left out: a touched unit is then read whole.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn memory(&self, source: &SourceName, layout: usize) -> Result<Memory> {
        let layout = i64::try_from(layout).unwrap_or(i64::MAX);
        let sql = "SELECT key, value, layout, tail_record, tail_part, tail_position FROM marks
                   WHERE source = (SELECT id FROM sources WHERE name = ?1)";
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query([source.as_str()])?;
        let mut marks = HashMap::new();
        while let Some(row) = rows.next()? {
            let tail = match row.get::<_, Option<i64>>(3)? {
                Some(record) if row.get::<_, i64>(2)? == layout => Some(Tail {
                    locator: Locator {
                        record: record.unsigned_abs(),
                        part: row.get(4)?,
                    },
                    position: row.get::<_, i64>(5)?.unsigned_abs(),
                }),
                _ => None,
            };
            marks.insert(
                row.get(0)?,
                Recalled {
                    value: row.get(1)?,
                    tail,
                },
            );
        }
        Ok(Memory::new(marks))
    }

    /// Keeps marks that belong to no stored text.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn keep_marks(&mut self, source: SourceId, marks: &[Mark], layout: usize) -> Result<()> {
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        write_marks(&transaction, source, marks, layout, None, true)?;
        transaction.commit()?;
        Ok(())
    }

    /// Forgets all marks of a source: the next run reads everything again. Items and owners stay.
    ///
    /// Returns the number of marks forgotten.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn forget_marks(&mut self, source: &SourceName) -> Result<usize> {
        let sql = "DELETE FROM marks WHERE source = (SELECT id FROM sources WHERE name = ?1)";
        Ok(self.connection.execute(sql, [source.as_str()])?)
    }

    /// What is stored of a unit.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn unit(&self, source: SourceId, id: &UnitId) -> Result<Option<StoredUnit>> {
        let sql = "SELECT id, title_hint, named, cwd FROM units WHERE source = ?1 AND unit_id = ?2";
        let found =
            self.connection
                .prepare_cached(sql)?
                .query_row(params![source.0, id.as_str()], |row| {
                    Ok((
                        row.get(0)?,
                        row.get::<_, Option<String>>(1)?,
                        row.get(2)?,
                        row.get(3)?,
                    ))
                });
        let Some((row, title, named, cwd)) = found.optional()? else {
            return Ok(None);
        };
        Ok(Some(StoredUnit {
            row: UnitRow(row),
            title_hint: title.map(Redacted::from_library),
            evidence: Evidence { named, cwd },
            segments: self.segments(row)?,
        }))
    }

    fn segments(&self, unit: i64) -> Result<Vec<StoredSegment>> {
        let sql = "SELECT id, record, record_part, content_hash, part, parts, rules_version
                   FROM items WHERE unit = ?1 ORDER BY record, record_part";
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map([unit], |row| {
            let count = |at: usize| {
                row.get::<_, i64>(at)
                    .map(|n| usize::try_from(n).unwrap_or(1))
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
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
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
        let unit = upsert_unit(&transaction, &write)?;
        let mut written = Written::default();
        for segment in &write.segments {
            match segment {
                SegmentWrite::Item(item) => {
                    match items::upsert(&transaction, write.source, Some(unit), item, write.now)? {
                        Upserted::Inserted(_) => written.inserted += 1,
                        Upserted::Updated(_) => written.updated += 1,
                        Upserted::Unchanged(_) => {}
                    }
                }
                SegmentWrite::Same { item, part } => set_part(&transaction, *item, *part)?,
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
        let mut owned = write.owned;
        owners::own(&transaction, write.source, unit, &mut owned)?;
        if !write.pending {
            write_marks(
                &transaction,
                write.source,
                write.marks,
                write.layout,
                write.tail,
                false,
            )?;
        }
        let indexed = index::settle(&transaction)?;
        transaction.commit()?;
        self.upkeep.share(&mut self.connection, indexed);
        Ok(written)
    }
}

fn upsert_unit(connection: &Connection, write: &UnitWrite<'_>) -> Result<UnitRow> {
    let sql = "
        INSERT INTO units (source, unit_id, original_ref, account, title_hint, named, cwd, trust,
            layout, pending)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
        ON CONFLICT (source, unit_id) DO UPDATE SET
            original_ref = excluded.original_ref,
            account = coalesce(excluded.account, account),
            title_hint = coalesce(excluded.title_hint, title_hint),
            named = coalesce(excluded.named, named),
            cwd = coalesce(excluded.cwd, cwd),
            trust = excluded.trust, layout = excluded.layout, pending = excluded.pending
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
        ],
        |row| row.get(0),
    )?;
    Ok(UnitRow(row))
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

fn write_marks(
    connection: &Connection,
    source: SourceId,
    marks: &[Mark],
    layout: usize,
    tail: Option<Tail>,
    keep_tail: bool,
) -> Result<()> {
    let sql = if keep_tail {
        "INSERT INTO marks (source, key, value, layout, tail_record, tail_part, tail_position)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
         ON CONFLICT (source, key) DO UPDATE SET value = excluded.value"
    } else {
        "INSERT OR REPLACE INTO marks
            (source, key, value, layout, tail_record, tail_part, tail_position)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"
    };
    let number = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let mut statement = connection.prepare_cached(sql)?;
    for mark in marks {
        statement.execute(params![
            source.0,
            mark.key,
            mark.value,
            i64::try_from(layout).unwrap_or(i64::MAX),
            tail.map(|tail| number(tail.locator.record)),
            tail.map(|tail| tail.locator.part),
            tail.map(|tail| number(tail.position)),
        ])?;
    }
    Ok(())
}
