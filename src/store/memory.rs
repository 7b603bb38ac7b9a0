//! What connectors remember of their sources.

use std::collections::HashMap;

use jezero_connectors::{Locator, Memory, SourceName, Tail, marks::Recalled};
use rusqlite::Connection;

use super::{Result, Store, View};

impl Store {
    /// All marks of a source, as its connector gets them back.
    ///
    /// A tail made under another `layout` is left out: a touched unit is then read whole.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn memory(&self, source: &SourceName, layout: usize) -> Result<Memory> {
        memory(&self.connection, source, layout)
    }
}

impl View {
    /// All marks of a source, as its connector gets them back.
    ///
    /// A tail made under another `layout` is left out: a touched unit is then read whole.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn memory(&self, source: &SourceName, layout: usize) -> Result<Memory> {
        memory(&self.connection, source, layout)
    }
}

fn memory(connection: &Connection, source: &SourceName, layout: usize) -> Result<Memory> {
    let layout = i64::try_from(layout).unwrap_or(i64::MAX);
    let sql = "SELECT key, value, layout, tail_record, tail_part, tail_position, identity
               FROM marks
               WHERE source = (SELECT id FROM sources WHERE name = ?1)";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([source.as_str()])?;
    let mut marks = HashMap::new();
    while let Some(row) = rows.next()? {
        let tail = match row.get::<_, Option<i64>>(3)? {
            Some(record) if row.get::<_, i64>(2)? == layout => Some(Tail {
                locator: Locator {
                    record: record.unsigned_abs(),
                    part: row.get(4)?,
                },
                position: row.get::<_, i64>(5)?.unsigned_abs(),
            }),
            _ => None,
        };
        marks.insert(
            row.get(0)?,
            Recalled {
                value: row.get(1)?,
                identity: row.get(6)?,
                tail,
            },
        );
    }
    Ok(Memory::new(marks))
}
