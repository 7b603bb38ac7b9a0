//! Looking whether the library's file is what was written.

use super::{Result, StoreError, Trouble, View};

/// Faults that are told one by one.
const TOLD: u32 = 20;

impl View {
    /// Has SQLite look at every page of the file; says what is wrong with it, at most twenty things.
    ///
    /// Text that was changed within a page is not noticed here but by
    /// [`check_index`](View::check_index), which compares words.
    ///
    /// # Errors
    /// What SQLite says, unless that is what was looked for.
    pub fn check_file(&self) -> Result<Vec<String>> {
        let looked = || -> Result<Vec<String>> {
            let sql = format!("PRAGMA integrity_check({TOLD})");
            let mut statement = self.connection.prepare(&sql)?;
            let rows = statement.query_map([], |row| row.get(0))?;
            Ok(rows.collect::<Result<_, _>>()?)
        };
        match looked() {
            Ok(said) if said == ["ok"] => Ok(Vec::new()),
            Ok(said) => Ok(said),
            Err(error) if error.trouble() == Some(Trouble::Damaged) => Ok(vec![match error {
                StoreError::Sqlite(error) => error.to_string(),
                error => error.to_string(),
            }]),
            Err(error) => Err(error),
        }
    }
}
