//! Upkeep that several writers of one process share.
//!
//! A merge under way is known to one [`Upkeep`] alone, and another would take its half-written
//! segment for something that a kill has left. So all connections of a process that write at the
//! same time go on with the same one. (Between processes the library's lock sees to it.)

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rusqlite::Connection;

use super::upkeep::{Indexing, Upkeep};
use crate::store::Result;

/// The upkeep of all connections that were opened with it.
#[derive(Debug, Clone, Default)]
pub struct Upkeeping(Arc<Mutex<Upkeep>>);

impl Upkeeping {
    fn hand(&self) -> MutexGuard<'_, Upkeep> {
        // One that panicked in the middle of a step has rolled its transaction back.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// As [`Upkeep::share`].
    pub(in crate::store) fn share(&self, connection: &mut Connection, written: u64) {
        self.hand().share(connection, written);
    }

    /// As [`Upkeep::finish`]; others get their turn after each step.
    pub(in crate::store) fn finish(&self, connection: &mut Connection) -> Result<()> {
        while self.hand().step(connection, super::upkeep::STEP)?.is_some() {}
        Ok(())
    }

    /// As [`Upkeep::keep_originals`].
    pub(in crate::store) fn keep_originals(
        &self,
        connection: &mut Connection,
        kept: bool,
    ) -> Result<()> {
        self.hand().keep_originals(connection, kept)
    }

    /// As [`Upkeep::catch_up`].
    pub(in crate::store) fn catch_up(
        &self,
        connection: &mut Connection,
        told: &mut dyn FnMut(Indexing),
    ) -> Result<()> {
        self.hand().catch_up(connection, told)
    }

    /// As [`Upkeep::drop_dead`].
    pub(in crate::store) fn drop_dead(&self, connection: &mut Connection) -> Result<()> {
        self.hand().drop_dead(connection)
    }

    /// Forgets what is in hand, since what it was made of is gone.
    pub(in crate::store) fn forget(&self) {
        *self.hand() = Upkeep::default();
    }

    /// As [`Upkeep::step`].
    #[cfg(test)]
    pub(super) fn step(&self, connection: &mut Connection, budget: usize) -> Result<Option<usize>> {
        self.hand().step(connection, budget)
    }
}
