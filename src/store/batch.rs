//! Many items in one transaction, without units: what an import writes.

use jezero_connectors::{Instant, SourceName};
use rusqlite::{Transaction, TransactionBehavior};

use super::items::{self, ItemWrite, Upserted};
use super::{Result, Store, StoreError, forget, index, owners};

/// Items on their way into the library; all of them are stored or none.
#[derive(Debug)]
pub struct Batch<'a> {
    transaction: Transaction<'a>,
}

impl Store {
    /// Stores what `write` puts into a batch, if it ends well.
    ///
    /// # Errors
    /// What `write` says, and what SQLite says; then nothing was stored.
    pub fn batch<T, E: From<StoreError>>(
        &mut self,
        write: impl FnOnce(&Batch<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let (written, indexed) = self.batch_alone(write)?;
        self.upkeep.share(&mut self.connection, indexed);
        Ok(written)
    }

    /// The batch without the index's upkeep; gives what was written to the index, in bytes.
    fn batch_alone<T, E: From<StoreError>>(
        &mut self,
        write: impl FnOnce(&Batch<'_>) -> Result<T, E>,
    ) -> Result<(T, u64), E> {
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(StoreError::from)?;
        let batch = Batch { transaction };
        let written = write(&batch)?;
        let Batch { transaction } = batch;
        let indexed = index::settle(&transaction)?;
        transaction.commit().map_err(StoreError::from)?;
        Ok((written, indexed))
    }
}

impl Batch<'_> {
    /// The transaction itself.
    pub(super) fn connection(&self) -> &rusqlite::Connection {
        &self.transaction
    }

    /// Inserts an item, or updates the one with its source and external id if the hash differs.
    ///
    /// `now` becomes its `ingested_at`. `None` for what was forgotten: nothing was written.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn put(
        &self,
        source: &SourceName,
        item: &ItemWrite,
        now: Instant,
    ) -> Result<Option<Upserted>> {
        let source = owners::source_of(&self.transaction, source)?;
        if forget::is_forgotten(&self.transaction, source, item)? {
            return Ok(None);
        }
        items::upsert(&self.transaction, source, None, item, now).map(Some)
    }
}
