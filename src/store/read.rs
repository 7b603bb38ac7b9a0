//! Reading items: by number, by time, by source. Every reading is limited to a [`Scope`].

use jezero_connectors::{Instant, SourceName};
use rusqlite::{Connection, OptionalExtension, Transaction, params_from_iter, types::Value};

use super::frame::decompress;
use super::items::{COLUMNS, read_item};
use super::{Result, StoreError, View};
use crate::access::Reader;
use crate::item::{AtomKind, Item, ItemId, Trust};
use crate::redaction::{Counts, Redacted};

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
    /// Has an atom of this kind.
    pub kind: Option<AtomKind>,
    /// Is of this trust.
    pub trust: Option<Trust>,
}

/// Whether another item is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// Go on.
    More,
    /// Stop here.
    Enough,
}

impl Wanted {
    /// Goes on until something is so.
    #[must_use]
    pub fn until(so: bool) -> Self {
        if so { Self::Enough } else { Self::More }
    }
}

/// Everything stored of an item besides what readers see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// When it was stored or last updated.
    pub ingested_at: Instant,
    /// Hash of its redacted text.
    pub content_hash: String,
    /// Which provider and model wrote its summary.
    pub summary_by: String,
    /// What redaction hid, by rule.
    pub redactions: Counts,
    /// Its original, if it was stored with one.
    pub original: Option<Redacted>,
}

/// The library as it stood when this was made, until it is dropped.
#[derive(Debug)]
pub struct Snapshot<'a>(#[expect(dead_code, reason = "held, not used")] Transaction<'a>);

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
            Self::Only(ids) if ids.len() == 1 => format!("items.source = {}", list(ids)),
            // The plus keeps SQLite from walking source by source and sorting everything: the
            // indices that give the wanted order are walked instead.
            Self::Only(ids) => format!("+items.source IN ({})", list(ids)),
        }
    }
}

fn list(ids: &[i64]) -> String {
    let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
    ids.join(", ")
}

/// Items with their source names, items first: the join must never decide the order of reading.
const FROM: &str = "items CROSS JOIN sources ON sources.id = items.source";

impl Filter<'_> {
    /// A condition on `items`, and its values.
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
            let known = "items.source = (SELECT id FROM sources WHERE name = ?)";
            add(known, Value::from(source.to_owned()));
        }
        if let Some(since) = self.since {
            add("items.occurred_at >= ?", Value::from(since.unix()));
        }
        if let Some(until) = self.until {
            add("items.occurred_at < ?", Value::from(until.unix()));
        }
        if let Some(kind) = self.kind {
            let has = "EXISTS (SELECT 1 FROM atoms WHERE atoms.item = items.id AND atoms.kind = ?)";
            add(has, Value::from(kind.as_str().to_owned()));
        }
        if let Some(trust) = self.trust {
            add("items.trust = ?", Value::from(trust.as_str().to_owned()));
        }
        (sql, values)
    }
}

impl View {
    /// Holds the library still: what is read while the snapshot lives belongs together.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn snapshot(&self) -> Result<Snapshot<'_>> {
        Ok(Snapshot(self.connection.unchecked_transaction()?))
    }

    /// The sources that a reader may see.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn scope(&self, reader: &Reader) -> Result<Scope> {
        if reader.sees_all_sources() {
            return Ok(Scope::All);
        }
        let sources = self.sources()?.into_iter();
        let seen = sources.filter(|(_, name)| reader.may_see(name));
        Ok(Scope::Only(seen.map(|(id, _)| id).collect()))
    }

    /// What is stored of an item besides what readers see.
    ///
    /// # Errors
    /// What SQLite says; [`StoreError::Damaged`] when there is no such item.
    pub fn stored(&self, id: ItemId) -> Result<Stored> {
        let damaged = |what| StoreError::Damaged { what, row: id.0 };
        let sql =
            "SELECT ingested_at, content_hash, summary_by, redactions FROM items WHERE id = ?1";
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query([id.0])?;
        let row = rows.next()?.ok_or(damaged("item"))?;
        Ok(Stored {
            ingested_at: Instant::from_unix(row.get(0)?).ok_or(damaged("date"))?,
            content_hash: row.get(1)?,
            summary_by: row.get(2)?,
            redactions: row
                .get_ref(3)?
                .as_str()
                .ok()
                .and_then(|json| serde_json::from_str(json).ok())
                .map(Counts)
                .ok_or(damaged("redaction counts"))?,
            original: self.original(id)?,
        })
    }

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
            "SELECT {COLUMNS} FROM {FROM} WHERE items.id = ?1 AND {}",
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
    /// They are read one by one: `take` says whether it wants another.
    ///
    /// # Errors
    /// What SQLite says, and what `take` says.
    pub fn newest<E: From<StoreError>>(
        &self,
        scope: &Scope,
        filter: &Filter<'_>,
        take: impl FnMut(Item) -> Result<Wanted, E>,
    ) -> Result<(), E> {
        self.read_items(scope, filter, "occurred_at DESC, items.id DESC", take)
    }

    /// Items in scope that pass a filter, by number, as [`View::newest`].
    ///
    /// # Errors
    /// What SQLite says, and what `take` says.
    pub fn by_number<E: From<StoreError>>(
        &self,
        scope: &Scope,
        filter: &Filter<'_>,
        take: impl FnMut(Item) -> Result<Wanted, E>,
    ) -> Result<(), E> {
        self.read_items(scope, filter, "id", take)
    }

    fn read_items<E: From<StoreError>>(
        &self,
        scope: &Scope,
        filter: &Filter<'_>,
        order: &str,
        mut take: impl FnMut(Item) -> Result<Wanted, E>,
    ) -> Result<(), E> {
        let (condition, values) = filter.condition();
        let sql = format!(
            "SELECT {COLUMNS} FROM {FROM} WHERE {} AND {condition} ORDER BY items.{order}",
            scope.condition()
        );
        let mut statement = self
            .connection
            .prepare_cached(&sql)
            .map_err(StoreError::from)?;
        let mut rows = statement
            .query(params_from_iter(values))
            .map_err(StoreError::from)?;
        while let Some(row) = rows.next().map_err(StoreError::from)? {
            if take(read_item(&self.connection, row)?)? == Wanted::Enough {
                break;
            }
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
