//! Whether the library's file is sound.

use super::{Result, View};

/// Faults that SQLite is asked to name.
const TOLD: u32 = 5;

/// How index and items differ, as far as numbers tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Gaps {
    /// Items and originals that wait to be indexed; until then searches read every text.
    pub waiting: u64,
    /// Items that are neither in the index nor waiting.
    pub missing: u64,
    /// Entries of the index without an item.
    pub left: u64,
}

impl View {
    /// What SQLite finds wrong with the file, in its words: page and table numbers, never contents.
    /// `thorough` compares every index of a table with the table as well, and looks whether rows
    /// point to rows that are there.
    ///
    /// # Errors
    /// What SQLite says of a file that is so damaged that it cannot be looked through.
    pub fn integrity(&self, thorough: bool) -> Result<Vec<String>> {
        let _held = self.snapshot()?;
        let check = if thorough {
            "integrity_check"
        } else {
            "quick_check"
        };
        let mut statement = self
            .connection
            .prepare(&format!("PRAGMA {check}({TOLD})"))?;
        let told = statement.query_map([], |row| row.get::<_, String>(0))?;
        let told: rusqlite::Result<Vec<String>> = told.collect();
        let mut told: Vec<String> = told?.into_iter().filter(|line| line != "ok").collect();
        if thorough {
            let mut statement = self.connection.prepare("PRAGMA foreign_key_check")?;
            let mut rows = statement.query([])?;
            let mut orphans: u64 = 0;
            while rows.next()?.is_some() {
                orphans += 1;
            }
            if orphans > 0 {
                told.push(format!("{orphans} rows point to rows that are not there"));
            }
        }
        Ok(told)
    }

    /// Compares the numbers of items and of what is indexed; [`View::check_index`] compares every word.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn index_gaps(&self) -> Result<Gaps> {
        let _held = self.snapshot()?;
        let count = |sql: &str| -> Result<u64> {
            let count: i64 = self.connection.query_row(sql, [], |row| row.get(0))?;
            Ok(count.unsigned_abs())
        };
        Ok(Gaps {
            waiting: count("SELECT count(*) FROM index_pending")?,
            missing: count(
                "SELECT count(*) FROM items
                 WHERE NOT EXISTS (SELECT 1 FROM index_slots WHERE book = 0 AND item = items.id)
                   AND NOT EXISTS (SELECT 1 FROM index_pending WHERE book = 0 AND item = items.id)",
            )?,
            left: count(
                "SELECT count(*) FROM index_slots
                 WHERE NOT EXISTS (SELECT 1 FROM items WHERE items.id = index_slots.item)
                   AND NOT EXISTS (SELECT 1 FROM index_pending WHERE item = index_slots.item)",
            )?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Store;

    #[test]
    fn a_new_library_is_sound() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("jezero.db");
        drop(Store::open(&path).unwrap());
        let view = View::open(&path).unwrap();
        assert_eq!(view.integrity(false).unwrap(), [""; 0]);
        assert_eq!(view.integrity(true).unwrap(), [""; 0]);
        assert_eq!(view.index_gaps().unwrap(), Gaps::default());
    }

    #[test]
    fn an_entry_without_an_item_and_a_row_that_points_nowhere_are_counted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("jezero.db");
        let store = Store::open(&path).unwrap();
        store
            .connection
            .execute_batch(
                "PRAGMA foreign_keys = OFF;
                 INSERT INTO index_slots (book, item, slot) VALUES (0, 7, 1);
                 INSERT INTO originals (item, zstd) VALUES (8, x'00');",
            )
            .unwrap();
        let view = View::open(&path).unwrap();
        assert_eq!(view.index_gaps().unwrap().left, 1);
        assert_eq!(view.integrity(false).unwrap(), [""; 0]);
        assert_eq!(
            view.integrity(true).unwrap(),
            ["1 rows point to rows that are not there"]
        );
    }
}
