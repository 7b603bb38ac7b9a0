//! Looking whether the library's file is what was written.

use rusqlite::Connection;

use super::{Result, StoreError, Trouble, View};

/// Faults that are told one by one.
pub(super) const TOLD: usize = 20;

/// What SQLite finds wrong with the pages of a file; with `thorough` also with the indexes of its tables.
pub(super) fn pages(connection: &Connection, thorough: bool) -> Result<Vec<String>> {
    let check = if thorough {
        "integrity_check"
    } else {
        "quick_check"
    };
    let mut statement = connection.prepare(&format!("PRAGMA {check}({TOLD})"))?;
    let rows = statement.query_map([], |row| row.get(0))?;
    let mut said: Vec<String> = rows.collect::<rusqlite::Result<_>>()?;
    said.retain(|line| line != "ok");
    Ok(said)
}

impl View {
    /// Has SQLite look at every page of the file; says what is wrong with it, at most twenty things.
    ///
    /// With `thorough`, each index of a table is compared with the table and each row that points to
    /// another one must find it; without, pages and rows alone are looked at, which is much faster.
    ///
    /// Text that was changed within a page is not noticed here but by
    /// [`check_index`](View::check_index), which compares words.
    ///
    /// # Errors
    /// What SQLite says, unless that is what was looked for.
    pub fn check_file(&self, thorough: bool) -> Result<Vec<String>> {
        let looked = || -> Result<Vec<String>> {
            let mut said = pages(&self.connection, thorough)?;
            let lost = if thorough { self.lost_rows()? } else { 0 };
            if lost > 0 {
                said.push(format!("{lost} rows point to rows that are not there"));
            }
            Ok(said)
        };
        match looked() {
            Ok(said) => Ok(said),
            Err(error) if error.trouble() == Some(Trouble::Damaged) => Ok(vec![match error {
                StoreError::Sqlite(error) => error.to_string(),
                error => error.to_string(),
            }]),
            Err(error) => Err(error),
        }
    }

    /// How many rows point to rows that are not there.
    fn lost_rows(&self) -> Result<u64> {
        let mut statement = self.connection.prepare("PRAGMA foreign_key_check")?;
        let mut rows = statement.query([])?;
        let mut lost = 0;
        while rows.next()?.is_some() {
            lost += 1;
        }
        Ok(lost)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Store;

    #[test]
    fn a_row_that_points_nowhere_is_found_by_a_thorough_look() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("jezero.db");
        let store = Store::open(&path).unwrap();
        let look = |thorough| View::open(&path).unwrap().check_file(thorough).unwrap();
        assert_eq!((look(false), look(true)), (vec![], vec![]));
        let lost =
            "PRAGMA foreign_keys = OFF; INSERT INTO originals (item, zstd) VALUES (8, x'00')";
        store.connection.execute_batch(lost).unwrap();
        assert_eq!(look(false), [""; 0]);
        assert_eq!(look(true), ["1 rows point to rows that are not there"]);
    }
}
