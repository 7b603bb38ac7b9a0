//! Reading items: by number, by time, by source. Every reading is limited to a [`Scope`].

use jezero_connectors::{Instant, SourceName};
use rusqlite::{Connection, OptionalExtension, params_from_iter, types::Value};

use super::items::{COLUMNS, decompress, read_item};
use super::{Result, StoreError, View};
use crate::item::{Item, ItemId};
use crate::redaction::Redacted;

/// Which sources a reading may touch, by row number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// All of them.
    All,
    /// These alone; an empty list sees nothing.
    Only(Vec<i64>),
}

/// Which items are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Filter<'a> {
    /// Exact project name.
    pub project: Option<&'a str>,
    /// Exact source name.
    pub source: Option<&'a str>,
    /// Happened at or after this.
    pub since: Option<Instant>,
    /// Happened before this.
    pub until: Option<Instant>,
}

/// How much there is of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceCount {
    /// Its name.
    pub name: SourceName,
    /// Its items.
    pub items: u64,
    /// When the latest of them happened.
    pub latest: Instant,
}

impl Scope {
    /// A condition on `items.source`.
    pub(super) fn condition(&self) -> String {
        match self {
            Self::All => "1".to_owned(),
            Self::Only(ids) => {
                let list: Vec<String> = ids.iter().map(ToString::to_string).collect();
                format!("items.source IN ({})", list.join(", "))
            }
        }
    }
}

impl Filter<'_> {
    /// A condition on `items` joined with `sources`, and its values.
    pub(super) fn condition(&self) -> (String, Vec<Value>) {
        let mut sql = String::from("1");
        let mut values = Vec::new();
        let mut add = |condition: &str, value: Value| {
            sql.push_str(" AND ");
            sql.push_str(condition);
            values.push(value);
        };
        if let Some(project) = self.project {
            add("items.project = ?", Value::from(project.to_owned()));
        }
        if let Some(source) = self.source {
            add("sources.name = ?", Value::from(source.to_owned()));
        }
        if let Some(since) = self.since {
            add("items.occurred_at >= ?", Value::from(since.unix()));
        }
        if let Some(until) = self.until {
            add("items.occurred_at < ?", Value::from(until.unix()));
        }
        (sql, values)
    }
}

impl View {
    /// All sources of the library with their row numbers, also those without items.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn sources(&self) -> Result<Vec<(i64, SourceName)>> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT id, name FROM sources")?;
        let mut rows = statement.query([])?;
        let mut sources = Vec::new();
        while let Some(row) = rows.next()? {
            let id = row.get(0)?;
            let name =
                SourceName::new(row.get::<_, String>(1)?).map_err(|_| StoreError::Damaged {
                    what: "source",
                    row: id,
                })?;
            sources.push((id, name));
        }
        Ok(sources)
    }

    /// Sources in scope that have items, by name.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn source_counts(&self, scope: &Scope) -> Result<Vec<SourceCount>> {
        let sql = format!(
            "SELECT sources.name, count(*), max(items.occurred_at), sources.id FROM items
             JOIN sources ON sources.id = items.source WHERE {} GROUP BY items.source ORDER BY 1",
            scope.condition()
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let mut rows = statement.query([])?;
        let mut counts = Vec::new();
        while let Some(row) = rows.next()? {
            let id = row.get(3)?;
            let damaged = |what| StoreError::Damaged { what, row: id };
            counts.push(SourceCount {
                name: SourceName::new(row.get::<_, String>(0)?).map_err(|_| damaged("source"))?,
                items: row.get::<_, i64>(1)?.unsigned_abs(),
                latest: Instant::from_unix(row.get(2)?).ok_or(damaged("date"))?,
            });
        }
        Ok(counts)
    }

    /// One item, if it is there and in scope.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn item(&self, scope: &Scope, id: ItemId) -> Result<Option<Item>> {
        let sql = format!(
            "SELECT {COLUMNS} FROM items JOIN sources ON sources.id = items.source
             WHERE items.id = ?1 AND {}",
            scope.condition()
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let mut rows = statement.query([id.0])?;
        rows.next()?
            .map(|row| read_item(&self.connection, row))
            .transpose()
    }

    /// The original of an item: `None` for an item stored without one.
    ///
    /// # Errors
    /// What SQLite says; [`StoreError::Damaged`] when it cannot be read back.
    pub fn original(&self, id: ItemId) -> Result<Option<Redacted>> {
        original(&self.connection, id)
    }

    /// Items in scope that pass a filter, newest first, ties by greater number.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn newest(&self, scope: &Scope, filter: &Filter<'_>, limit: usize) -> Result<Vec<Item>> {
        let (condition, mut values) = filter.condition();
        values.push(Value::from(i64::try_from(limit).unwrap_or(i64::MAX)));
        let sql = format!(
            "SELECT {COLUMNS} FROM items JOIN sources ON sources.id = items.source
             WHERE {} AND {condition} ORDER BY items.occurred_at DESC, items.id DESC LIMIT ?",
            scope.condition()
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let mut rows = statement.query(params_from_iter(values))?;
        let mut items = Vec::new();
        while let Some(row) = rows.next()? {
            items.push(read_item(&self.connection, row)?);
        }
        Ok(items)
    }

    /// Calls `each` with every item in scope that passes a filter, in no order.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn each_item(
        &self,
        scope: &Scope,
        filter: &Filter<'_>,
        mut each: impl FnMut(Item) -> Result<()>,
    ) -> Result<()> {
        let (condition, values) = filter.condition();
        let sql = format!(
            "SELECT {COLUMNS} FROM items JOIN sources ON sources.id = items.source
             WHERE {} AND {condition} ORDER BY items.id",
            scope.condition()
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let mut rows = statement.query(params_from_iter(values))?;
        while let Some(row) = rows.next()? {
            each(read_item(&self.connection, row)?)?;
        }
        Ok(())
    }
}

pub(super) fn original(connection: &Connection, item: ItemId) -> Result<Option<Redacted>> {
    let sql = "SELECT zstd FROM originals WHERE item = ?1";
    let frame: Option<Vec<u8>> = connection
        .prepare_cached(sql)?
        .query_row([item.0], |row| row.get(0))
        .optional()?;
    frame
        .map(|frame| decompress(&frame))
        .transpose()
        .map_err(|_| StoreError::Damaged {
            what: "original",
            row: item.0,
        })
}
