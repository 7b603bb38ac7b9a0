//! Migrations, in order. `user_version` says how many have been applied, `application_id` that the
//! file is ours.

use rusqlite::Connection;

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

/// Applies what is missing, each migration in one transaction.
pub(super) fn migrate(connection: &mut Connection, from: i64) -> Result<()> {
    let applied = usize::try_from(from).unwrap_or(0);
    for (number, sql) in (1_i64..).zip(MIGRATIONS).skip(applied) {
        let transaction = connection.transaction()?;
        transaction.execute_batch(sql)?;
        transaction.pragma_update(None, "user_version", number)?;
        transaction.commit()?;
    }
    Ok(())
}
