//! Migrations, in order. `user_version` says how many have been applied, `application_id` that the
//! file is ours.

use rusqlite::{Connection, TransactionBehavior};

use super::Result;

/// "Jzro" in ASCII: tells our files from other programs' SQLite files.
pub(super) const APPLICATION_ID: i64 = 0x4A7A_726F;

/// One line a migration; the number applied is `user_version`.
const MIGRATIONS: &[&str] = &[
    include_str!("migrations/0001_library.sql"),
    include_str!("migrations/0002_index.sql"),
    include_str!("migrations/0003_originals.sql"),
    include_str!("migrations/0004_forgotten.sql"),
];

/// The newest schema that this program knows.
pub(super) fn newest() -> i64 {
    i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX)
}

/// Applies what is missing, all of it in one transaction: a kill leaves what was there.
///
/// Which version the file has is asked within it: another process, or another connection of this one,
/// may have been faster since it was last looked at.
pub(super) fn migrate(connection: &mut Connection) -> Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let applied: i64 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let applied = usize::try_from(applied).unwrap_or(0);
    for sql in MIGRATIONS.iter().skip(applied) {
        transaction.execute_batch(sql)?;
    }
    if applied < MIGRATIONS.len() {
        transaction.pragma_update(None, "user_version", newest())?;
    }
    transaction.commit()?;
    Ok(())
}
