//! Summaries made anew from what is stored: choosing items, reading what a summariser needs, writing
//! what it made.

use jezero_connectors::{Instant, SourceName};
use rusqlite::{OptionalExtension, TransactionBehavior, params, params_from_iter, types::Value};

use super::items::{self, json};
use super::{Filter, Result, Store, StoreError, index};
use crate::item::{Draft, ItemId, ProjectName};
use crate::redaction::{Redacted, Seen};

/// Which items are to be summarised anew.
#[derive(Debug, Clone, Copy, Default)]
pub struct Anew<'a> {
    /// These items alone; they are taken in this order.
    pub ids: Option<&'a [ItemId]>,
    /// Project, source and dates.
    pub filter: Filter<'a>,
    /// Not those that this provider wrote, whatever its model.
    pub provider_not: Option<&'a str>,
}

/// An item that may be summarised anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidate {
    /// The item.
    pub item: ItemId,
    /// Whether it is stored with the original that this takes.
    pub has_original: bool,
}

/// What is stored of an item for a summariser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// Its source.
    pub source: SourceName,
    /// Its project.
    pub project: Option<ProjectName>,
    /// The time of its last message.
    pub occurred_at: Instant,
    /// Part n of N.
    pub part: (usize, usize),
    /// Rules in force when its text was redacted.
    pub rules_version: u32,
    /// Its unit's title in the source.
    pub title_hint: Option<Redacted>,
    /// Digests of the secrets that were found in its unit.
    pub seen: Seen,
    /// Its original.
    pub original: Option<Redacted>,
}

impl Store {
    /// Items to be summarised anew: newest first, or in the order of `ids`, where those that are not
    /// there or do not pass the filter are left out.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn to_summarise_anew(&self, which: &Anew<'_>) -> Result<Vec<Candidate>> {
        let (mut condition, mut values) = which.filter.condition();
        if let Some(provider) = which.provider_not {
            // The word of the provider stands alone or before a sign that leads to its model.
            condition.push_str(
                " AND NOT (substr(summary_by, 1, length(?)) = ?
                      AND substr(summary_by, length(?) + 1, 1) NOT GLOB '[a-zA-Z0-9_-]')",
            );
            values.extend(std::iter::repeat_n(Value::from(provider.to_owned()), 3));
        }
        let columns = "items.id, EXISTS (SELECT 1 FROM originals WHERE item = items.id)";
        let read = |row: &rusqlite::Row<'_>| {
            Ok(Candidate {
                item: ItemId(row.get(0)?),
                has_original: row.get(1)?,
            })
        };
        let Some(ids) = which.ids else {
            let sql = format!(
                "SELECT {columns} FROM items WHERE {condition} ORDER BY occurred_at DESC, id DESC"
            );
            let mut statement = self.connection.prepare_cached(&sql)?;
            let rows = statement.query_map(params_from_iter(values), read)?;
            return Ok(rows.collect::<Result<_, _>>()?);
        };
        let sql = format!("SELECT {columns} FROM items WHERE {condition} AND items.id = ?");
        let mut statement = self.connection.prepare_cached(&sql)?;
        let mut found = Vec::new();
        for id in ids {
            let values = values.iter().cloned().chain([Value::from(id.0)]);
            found.extend(
                statement
                    .query_row(params_from_iter(values), read)
                    .optional()?,
            );
        }
        Ok(found)
    }

    /// What is stored of an item for a summariser.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] when the item is gone or cannot be read.
    pub fn kept(&self, id: ItemId) -> Result<Kept> {
        let damaged = |what| StoreError::Damaged { what, row: id.0 };
        let sql = "SELECT sources.name, items.project, items.occurred_at, items.part, items.parts,
                       items.rules_version, units.title_hint, units.seen
                   FROM items JOIN sources ON sources.id = items.source
                       LEFT JOIN units ON units.id = items.unit
                   WHERE items.id = ?1";
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query([id.0])?;
        let row = rows.next()?.ok_or(damaged("item"))?;
        let count = |at: usize| {
            let number = row.get::<_, i64>(at)?;
            Ok::<_, StoreError>(usize::try_from(number).unwrap_or(1))
        };
        let text = |at: usize| {
            row.get::<_, Option<String>>(at)
                .map(|text| text.map(Redacted::from_library))
        };
        Ok(Kept {
            source: SourceName::new(row.get::<_, String>(0)?).map_err(|_| damaged("source"))?,
            project: text(1)?
                .map(|name| ProjectName::new(name).ok_or(damaged("project")))
                .transpose()?,
            occurred_at: Instant::from_unix(row.get(2)?).ok_or(damaged("date"))?,
            part: (count(3)?, count(4)?),
            rules_version: row.get(5)?,
            title_hint: text(6)?,
            seen: row
                .get::<_, Option<Vec<u8>>>(7)?
                .and_then(|bytes| Seen::from_bytes(&bytes))
                .unwrap_or_default(),
            original: self.original(id)?,
        })
    }

    /// Gives an item another title, summary, questions and atoms. Its number, ids, dates, project,
    /// text and hash stay.
    ///
    /// # Errors
    /// What SQLite says; [`StoreError::Damaged`] when there is no such item.
    pub fn put_summary(&mut self, id: ItemId, draft: &Draft, summary_by: &str) -> Result<()> {
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        let sql = "UPDATE items SET title = ?2, summary = ?3, questions = ?4, summary_by = ?5
                   WHERE id = ?1";
        let changed = transaction.prepare_cached(sql)?.execute(params![
            id.0,
            draft.title.as_str(),
            draft.summary.as_str(),
            json(&draft.questions),
            summary_by,
        ])?;
        if changed == 0 {
            return Err(StoreError::Damaged {
                what: "item",
                row: id.0,
            });
        }
        items::replace_atoms(&transaction, id.0, &draft.atoms)?;
        let indexed = index::settle(&transaction)?;
        transaction.commit()?;
        self.upkeep.share(&mut self.connection, indexed);
        Ok(())
    }
}
