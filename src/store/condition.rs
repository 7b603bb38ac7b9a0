//! Whether the index has the items that there are, as far as numbers tell.

use super::{Result, View};

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
    fn a_new_library_has_no_gaps() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("jezero.db");
        drop(Store::open(&path).unwrap());
        let view = View::open(&path).unwrap();
        assert_eq!(view.index_gaps().unwrap(), Gaps::default());
    }

    #[test]
    fn an_entry_without_an_item_is_counted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("jezero.db");
        let store = Store::open(&path).unwrap();
        let left = "INSERT INTO index_slots (book, item, slot) VALUES (0, 7, 1)";
        store.connection.execute(left, []).unwrap();
        let view = View::open(&path).unwrap();
        assert_eq!(view.index_gaps().unwrap().left, 1);
    }
}
