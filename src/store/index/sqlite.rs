//! The shelf in the library's own file: `0002_index.sql`.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::segment::damaged;
use super::shelf::{Book, Counters, Grave, Kind, Part, SegmentRow, Shelf, Stage};
use crate::store::Result;

/// Speaks to the tables of the index.
#[derive(Debug, Clone, Copy)]
pub(super) struct SqliteShelf<'a>(pub(super) &'a Connection);

/// Bits of a part's key that number parts of one kind.
const NUMBER_BITS: u32 = 22;
/// Bits that say the kind.
const KIND_BITS: u32 = 2;

/// The row number of a part: parts of a segment stand together.
fn key(part: Part) -> i64 {
    let kind = match part.kind {
        Kind::Names => 0,
        Kind::Documents => 1,
        Kind::Dictionary => 2,
        Kind::Postings => 3,
    };
    (((part.segment << KIND_BITS) | kind) << NUMBER_BITS) | i64::from(part.number)
}

const COLUMNS: &str =
    "id, book, stage, first_slot, last_slot, documents, dead, since, words, letters,
    name_parts, document_parts, dictionary_parts, postings, stamp";

fn read_segment(row: &Row<'_>, book: Book) -> rusqlite::Result<Option<SegmentRow>> {
    let Some(stage) = Stage::from_number(row.get(2)?) else {
        return Ok(None);
    };
    Ok(Some(SegmentRow {
        id: row.get(0)?,
        book,
        stage,
        first_slot: row.get(3)?,
        last_slot: row.get(4)?,
        documents: row.get(5)?,
        dead: row.get(6)?,
        since: row.get(7)?,
        words: row.get(8)?,
        letters: row.get::<_, i64>(9)?.unsigned_abs(),
        name_parts: row.get(10)?,
        document_parts: row.get(11)?,
        dictionary_parts: row.get(12)?,
        postings: row.get::<_, i64>(13)?.unsigned_abs(),
        stamp: row.get(14)?,
    }))
}

impl SqliteShelf<'_> {
    /// Whether a slot is dead, which it cannot be from before the generation `since`.
    pub(super) fn is_buried(&self, slot: i64, since: i64) -> Result<bool> {
        let sql = "SELECT 1 FROM index_dead WHERE generation >= ?1 AND slot = ?2";
        let mut statement = self.0.prepare_cached(sql)?;
        Ok(statement.exists([since, slot])?)
    }
}

impl Shelf for SqliteShelf<'_> {
    fn counters(&self) -> Result<Counters> {
        let sql = "SELECT next_slot, next_segment, generation FROM index_counters";
        let mut statement = self.0.prepare_cached(sql)?;
        Ok(statement.query_row([], |row| {
            Ok(Counters {
                next_slot: row.get(0)?,
                next_segment: row.get(1)?,
                generation: row.get(2)?,
            })
        })?)
    }

    fn set_counters(&self, counters: Counters) -> Result<()> {
        let sql = "UPDATE index_counters SET next_slot = ?1, next_segment = ?2, generation = ?3";
        let mut statement = self.0.prepare_cached(sql)?;
        let Counters {
            next_slot,
            next_segment,
            generation,
        } = counters;
        statement.execute([next_slot, next_segment, generation])?;
        Ok(())
    }

    fn segments(&self, book: Book) -> Result<Vec<SegmentRow>> {
        let sql =
            format!("SELECT {COLUMNS} FROM index_segments WHERE book = ?1 ORDER BY first_slot, id");
        let mut statement = self.0.prepare_cached(&sql)?;
        let mut rows = statement.query([book.number()])?;
        let mut segments = Vec::new();
        while let Some(row) = rows.next()? {
            let id = row.get(0)?;
            segments.push(read_segment(row, book)?.ok_or_else(|| damaged(id))?);
        }
        Ok(segments)
    }

    fn put_segment(&self, row: &SegmentRow) -> Result<()> {
        let sql = format!(
            "INSERT OR REPLACE INTO index_segments ({COLUMNS})
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)"
        );
        self.0.prepare_cached(&sql)?.execute(params![
            row.id,
            row.book.number(),
            row.stage.number(),
            row.first_slot,
            row.last_slot,
            row.documents,
            row.dead,
            row.since,
            row.words,
            i64::try_from(row.letters).unwrap_or(i64::MAX),
            row.name_parts,
            row.document_parts,
            row.dictionary_parts,
            i64::try_from(row.postings).unwrap_or(i64::MAX),
            row.stamp,
        ])?;
        Ok(())
    }

    fn remove_segment(&self, id: i64) -> Result<()> {
        let sql = "DELETE FROM index_segments WHERE id = ?1";
        self.0.prepare_cached(sql)?.execute([id])?;
        Ok(())
    }

    fn read(&self, part: Part, into: &mut Vec<u8>) -> Result<()> {
        let sql = "SELECT bytes FROM index_parts WHERE id = ?1";
        let mut statement = self.0.prepare_cached(sql)?;
        let mut rows = statement.query([key(part)])?;
        let row = rows.next()?.ok_or_else(|| damaged(part.segment))?;
        let bytes = row
            .get_ref(0)?
            .as_blob()
            .map_err(|_| damaged(part.segment))?;
        into.extend_from_slice(bytes);
        Ok(())
    }

    fn read_parts(
        &self,
        segment: i64,
        kind: Kind,
        numbers: &[u32],
        mut each: impl FnMut(u32, &[u8]) -> Result<()>,
    ) -> Result<()> {
        let sql = "SELECT bytes, id FROM index_parts WHERE id BETWEEN ?1 AND ?2 ORDER BY id";
        let mut statement = self.0.prepare_cached(sql)?;
        // To step to the part behind is a fraction of finding it.
        for run in numbers.chunk_by(|a, b| a.checked_add(1) == Some(*b)) {
            let (Some(first), Some(last)) = (run.first(), run.last()) else {
                continue;
            };
            let id = |number: &u32| {
                key(Part {
                    segment,
                    kind,
                    number: *number,
                })
            };
            let mut rows = statement.query([id(first), id(last)])?;
            for number in run {
                let row = rows.next()?.ok_or_else(|| damaged(segment))?;
                if row.get::<_, i64>(1)? != id(number) {
                    return Err(damaged(segment));
                }
                let bytes = row.get_ref(0)?.as_blob().map_err(|_| damaged(segment))?;
                each(*number, bytes)?;
            }
        }
        Ok(())
    }

    fn write(&self, part: Part, bytes: &[u8]) -> Result<()> {
        if part.number >> NUMBER_BITS != 0 {
            return Err(damaged(part.segment));
        }
        let sql = "INSERT INTO index_parts (id, bytes) VALUES (?1, ?2)";
        self.0
            .prepare_cached(sql)?
            .execute(params![key(part), bytes])?;
        Ok(())
    }

    fn remove_parts(&self, segment: i64, limit: usize) -> Result<usize> {
        let sql = "DELETE FROM index_parts WHERE id IN
                   (SELECT id FROM index_parts WHERE id >= ?1 AND id < ?2 LIMIT ?3)";
        let first = |segment| {
            key(Part {
                segment,
                kind: Kind::Names,
                number: 0,
            })
        };
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let mut statement = self.0.prepare_cached(sql)?;
        Ok(statement.execute([first(segment), first(segment + 1), limit])?)
    }

    fn slot(&self, book: Book, item: i64) -> Result<Option<i64>> {
        let sql = "SELECT slot FROM index_slots WHERE book = ?1 AND item = ?2";
        let mut statement = self.0.prepare_cached(sql)?;
        Ok(statement
            .query_row([book.number(), item], |row| row.get(0))
            .optional()?)
    }

    fn set_slot(&self, book: Book, item: i64, slot: Option<i64>) -> Result<()> {
        let book = book.number();
        match slot {
            Some(slot) => {
                let sql =
                    "INSERT OR REPLACE INTO index_slots (book, item, slot) VALUES (?1, ?2, ?3)";
                self.0.prepare_cached(sql)?.execute([book, item, slot])?;
            }
            None => {
                let sql = "DELETE FROM index_slots WHERE book = ?1 AND item = ?2";
                self.0.prepare_cached(sql)?.execute([book, item])?;
            }
        }
        Ok(())
    }

    fn bury(&self, grave: Grave) -> Result<()> {
        let sql = "INSERT OR REPLACE INTO index_dead (generation, slot) VALUES (?1, ?2)";
        let mut statement = self.0.prepare_cached(sql)?;
        statement.execute([grave.generation, grave.slot])?;
        Ok(())
    }

    fn unbury(&self, grave: Grave) -> Result<()> {
        let sql = "DELETE FROM index_dead WHERE generation = ?1 AND slot = ?2";
        let mut statement = self.0.prepare_cached(sql)?;
        statement.execute([grave.generation, grave.slot])?;
        Ok(())
    }

    fn buried_since(&self, generation: i64) -> Result<Vec<Grave>> {
        let sql = "SELECT generation, slot FROM index_dead WHERE generation >= ?1";
        let mut statement = self.0.prepare_cached(sql)?;
        let rows = statement.query_map([generation], |row| {
            Ok(Grave {
                generation: row.get(0)?,
                slot: row.get(1)?,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}
