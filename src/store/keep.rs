//! Originals that are kept for a time only.
//!
//! What is removed is the text of a segment and its words in the index; the item, its summary and all
//! that connectors remember stay.

use jezero_connectors::Instant;
use rusqlite::{OptionalExtension, TransactionBehavior, params};

use super::{Result, Store, index};

/// Originals removed in one transaction.
const BATCH: usize = 200;
/// Seconds in which a library is looked through once: a look reads a page of every item.
const PAUSE: i64 = 12 * 3600;
const DAY: i64 = 24 * 3600;
/// Key of `meta`: for how many days originals are kept, and when that was last looked after.
const NOTE: &str = "originals_kept";

/// What was removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RemovedOriginals {
    /// How many originals.
    pub count: u64,
    /// Their bytes in the file. The file keeps its size; what is stored next takes their place.
    pub bytes: u64,
}

impl Store {
    /// Removes originals of items that were stored, or last changed, more than `days` ago. The
    /// caller holds the lock.
    ///
    /// Looks at most twice a day, and takes only what was old enough at the look before as well, so
    /// that a clock which is wrong between two looks removes nothing. The first look, and the first with
    /// another number of days, trusts the clock and takes what is old enough now.
    ///
    /// # Errors
    /// What SQLite says; what was removed until then stays removed.
    pub fn remove_old_originals(&mut self, days: u32, now: Instant) -> Result<RemovedOriginals> {
        let mut removed = RemovedOriginals::default();
        let now = now.unix();
        let seen_at = match self.noted(days)? {
            Some(before) if (0..PAUSE).contains(&(now - before)) => return Ok(removed),
            Some(before) => before.min(now),
            None => now,
        };
        let stored_before = seen_at.saturating_sub(i64::from(days) * DAY);
        let mut last = i64::MIN;
        while let Some(done) = self.remove_some(stored_before, last, &mut removed)? {
            last = done;
        }
        let sql = "INSERT OR REPLACE INTO meta (key, value) VALUES (?1, ?2)";
        self.connection
            .execute(sql, params![NOTE, format!("{days} {now}")])?;
        Ok(removed)
    }

    /// When originals that are kept for so many days were last looked after.
    fn noted(&self, days: u32) -> Result<Option<i64>> {
        let sql = "SELECT value FROM meta WHERE key = ?1";
        let mut statement = self.connection.prepare_cached(sql)?;
        let note: Option<String> = statement.query_row([NOTE], |row| row.get(0)).optional()?;
        Ok(note.and_then(|note| {
            let (noted, at) = note.split_once(' ')?;
            (noted.parse() == Ok(days)).then(|| at.parse().ok())?
        }))
    }

    /// Removes the next originals in one transaction; gives the last item that lost its own.
    fn remove_some(
        &mut self,
        stored_before: i64,
        after: i64,
        removed: &mut RemovedOriginals,
    ) -> Result<Option<i64>> {
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        let sql = format!(
            "SELECT item, length(zstd) FROM originals CROSS JOIN items ON items.id = item
             WHERE item > ?1 AND ingested_at < ?2 ORDER BY item LIMIT {BATCH}"
        );
        let old: Vec<(i64, i64)> = transaction
            .prepare_cached(&sql)?
            .query_map([after, stored_before], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect::<rusqlite::Result<_>>()?;
        let Some((last, _)) = old.last().copied() else {
            return Ok(None);
        };
        for (item, bytes) in &old {
            let sql = "DELETE FROM originals WHERE item = ?1";
            transaction.prepare_cached(sql)?.execute([item])?;
            removed.count += 1;
            removed.bytes += bytes.unsigned_abs();
        }
        let indexed = index::settle(&transaction)?;
        transaction.commit()?;
        self.upkeep.share(&mut self.connection, indexed);
        Ok(Some(last))
    }
}
