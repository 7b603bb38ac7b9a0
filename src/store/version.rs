//! Noticing that the library has changed.

use super::{Result, View};

impl View {
    /// A number that is another one after another connection has committed something.
    ///
    /// Inside of a snapshot it belongs to what the snapshot shows. Only numbers of one view can be
    /// compared.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn version(&self) -> Result<i64> {
        let mut statement = self.connection.prepare_cached("PRAGMA data_version")?;
        Ok(statement.query_row([], |row| row.get(0))?)
    }
}
