//! The texts of atoms, read side by side with their items.

use rusqlite::Rows;
use rusqlite::fallible_streaming_iterator::FallibleStreamingIterator;

use super::document::text;
use crate::store::Result;

/// Selects the atoms of the items from one number to another.
pub(in crate::store) const ATOMS: &str =
    "SELECT item, text FROM atoms WHERE item BETWEEN ?1 AND ?2 ORDER BY item, ordinal";

/// The atoms of many items, read along with them.
pub(in crate::store) struct Atoms<'a> {
    rows: Rows<'a>,
    /// The item of the row that the cursor is at.
    item: Option<i64>,
}

impl<'a> Atoms<'a> {
    /// Takes the rows of [`ATOMS`].
    pub(in crate::store) fn new(rows: Rows<'a>) -> Result<Self> {
        let mut atoms = Self { rows, item: None };
        atoms.advance()?;
        Ok(atoms)
    }

    fn advance(&mut self) -> Result<()> {
        self.item = match self.rows.next()? {
            Some(row) => Some(row.get(0)?),
            None => None,
        };
        Ok(())
    }

    /// Calls `each` with the texts of an item's atoms; items come in rising order.
    pub(in crate::store) fn of(&mut self, id: i64, each: &mut dyn FnMut(&str)) -> Result<()> {
        while let Some(item) = self.item.filter(|item| *item <= id) {
            if item == id
                && let Some(row) = self.rows.get()
            {
                each(text(row.get_ref(1)?, id)?);
            }
            self.advance()?;
        }
        Ok(())
    }
}
