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
    include_str!("migrations/0005_runs.sql"),
];

/// The newest schema that this program knows.
pub(super) fn newest() -> i64 {
    i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX)
}

/// Applies what is missing, all of it in one transaction: a kill leaves what was there.
pub(super) fn migrate(connection: &mut Connection) -> Result<()> {
    apply(connection, MIGRATIONS.len())
}

/// Applies what is missing up to a number of migrations.
///
/// Which version the file has is asked within the transaction: another process, or another connection
/// of this one, may have been faster since it was last looked at.
fn apply(connection: &mut Connection, wanted: usize) -> Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let applied: i64 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let applied = usize::try_from(applied).unwrap_or(0);
    for sql in MIGRATIONS.iter().take(wanted).skip(applied) {
        transaction.execute_batch(sql)?;
    }
    if applied < wanted {
        transaction.pragma_update(
            None,
            "user_version",
            i64::try_from(wanted).unwrap_or(i64::MAX),
        )?;
    }
    transaction.commit()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::params;

    #[test]
    fn the_runs_of_an_older_library_keep_their_counts_and_lose_their_places() {
        let mut connection = Connection::open_in_memory().unwrap();
        apply(&mut connection, 4).unwrap();
        let reports = [
            r#"{"stored":2,"failed":0,"passed_over":[{"place":"a:1"}]}"#,
            r#"{"stored":0,"failed":1}"#,
            "no JSON",
        ];
        for report in reports {
            let insert = "INSERT INTO runs (connector, started_at, ended_at, report)
                          VALUES ('a', 10, 20, ?1)";
            connection.execute(insert, params![report]).unwrap();
        }
        migrate(&mut connection).unwrap();
        let mut all = connection
            .prepare("SELECT id, started_at, ended_at, outcome, report FROM runs ORDER BY id")
            .unwrap();
        let row = |row: &rusqlite::Row<'_>| {
            Ok((
                row.get(0)?,
                row.get(1)?,
                row.get(2)?,
                row.get(3)?,
                row.get(4)?,
            ))
        };
        let rows: Vec<(i64, i64, i64, String, String)> = all
            .query_map([], row)
            .unwrap()
            .map(Result::unwrap)
            .collect();
        let expected =
            |id, outcome: &str, report: &str| (id, 10, 20, outcome.to_owned(), report.to_owned());
        assert_eq!(
            rows,
            [
                expected(1, "ok", r#"{"stored":2,"failed":0}"#),
                expected(2, "failed", r#"{"stored":0,"failed":1}"#),
                expected(3, "ok", "no JSON"),
            ]
        );
    }
}
