//! Looking whether the library's file is what was written.

use rusqlite::Connection;

use super::{Result, StoreError, Trouble, View};

/// Faults that are told one by one.
pub(super) const TOLD: usize = 20;

/// What SQLite finds wrong with the pages of a file.
pub(super) fn pages(connection: &Connection) -> Result<Vec<String>> {
    let sql = format!("PRAGMA integrity_check({TOLD})");
    let mut statement = connection.prepare(&sql)?;
    let rows = statement.query_map([], |row| row.get(0))?;
    let mut said: Vec<String> = rows.collect::<rusqlite::Result<_>>()?;
    said.retain(|line| line != "ok");
    Ok(said)
}

impl View {
    /// Has SQLite look at every page of the file; says what is wrong with it, at most twenty things.
    ///
    /// Text that was changed within a page is not noticed here but by
    /// [`check_index`](View::check_index), which compares words.
    ///
    /// # Errors
    /// What SQLite says, unless that is what was looked for.
    pub fn check_file(&self) -> Result<Vec<String>> {
        match pages(&self.connection) {
            Ok(faults) => Ok(faults),
            Err(error) if error.trouble() == Some(Trouble::Damaged) => Ok(vec![match error {
                StoreError::Sqlite(error) => error.to_string(),
                error => error.to_string(),
            }]),
            Err(error) => Err(error),
        }
    }
}
