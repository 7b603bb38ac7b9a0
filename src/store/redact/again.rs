//! What `redact-stored` reads and writes: every text of the library beside the index.
//!
//! Rows are read one at a time by number, so that a run can stop anywhere and another can go on.

use jezero_connectors::{ExternalId, OriginalRef};
use rusqlite::{Connection, OptionalExtension, Row, TransactionBehavior, params};

use crate::item::{Draft, ItemId, ProjectName};
use crate::redaction::{Counts, Redacted, Seen};
use crate::store::frame::Frame;
use crate::store::items::{self, COLUMNS, json, read_item};
use crate::store::{Result, Store, StoreError, UnitRow, compress, index};

/// The texts of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemTexts {
    /// Its id inside of the source.
    pub external_id: ExternalId,
    /// Names the original in its source.
    pub original_ref: Option<OriginalRef>,
    /// The account it came from.
    pub account: Option<Redacted>,
    /// Title, summary, questions, atoms, and the project that it belongs to.
    pub draft: Draft,
    /// Hash of the text that was summarised.
    pub content_hash: String,
    /// The text that was summarised, if it is kept.
    pub original: Option<Redacted>,
}

/// An item as newer rules leave it.
#[derive(Debug, Clone)]
pub struct ItemAgain {
    /// The item.
    pub item: ItemId,
    /// Its texts, unless they stay as they are.
    pub texts: Option<ItemTexts>,
    /// What was hidden, added to what the item counts already.
    pub hidden: Counts,
    /// The rules that did it.
    pub rules_version: u32,
}

/// The texts of a unit that do not stand in its items.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnitTexts {
    /// Its row.
    pub row: UnitRow,
    /// Its id inside of the source.
    pub id: String,
    /// Names the original in its source.
    pub original_ref: Option<String>,
    /// Its account.
    pub account: Option<Redacted>,
    /// Its title in the source.
    pub title_hint: Option<Redacted>,
    /// The name that the source gives the place of work.
    pub named: Option<Redacted>,
    /// The folder of work.
    pub cwd: Option<Redacted>,
    /// Digests of the secrets that were found in it.
    pub seen: Option<Seen>,
}

/// Where a text about a run stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunText {
    /// The report of a run, by its row.
    Report(i64),
    /// What is kept of a connector's last run: its error and its report.
    Connector(String),
}

impl Store {
    /// How many items there are, and how many of them these rules have not seen.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn count_items(&self, rules_version: u32) -> Result<(u64, u64)> {
        let sql = "SELECT count(*), count(*) FILTER (WHERE rules_version <> ?1) FROM items";
        Ok(self.connection.query_row(sql, [rules_version], |row| {
            let count = |at: usize| row.get::<_, i64>(at).map(i64::unsigned_abs);
            Ok((count(0)?, count(1)?))
        })?)
    }

    /// The unit with the next higher row, beginning with `None`.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn unit_after(&self, row: Option<UnitRow>) -> Result<Option<UnitTexts>> {
        let sql = "SELECT id, unit_id, original_ref, account, title_hint, named, cwd, seen
                   FROM units WHERE id > ?1 ORDER BY id LIMIT 1";
        let mut statement = self.connection.prepare_cached(sql)?;
        let after = row.map_or(i64::MIN, |row| row.0);
        Ok(statement.query_row([after], read_unit).optional()?)
    }

    /// The items of a unit in order, with the rules that left them.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn items_of(&self, unit: UnitRow) -> Result<Vec<(ItemId, u32)>> {
        let sql = "SELECT id, rules_version FROM items WHERE unit = ?1
                   ORDER BY record, record_part";
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map([unit.0], |row| Ok((ItemId(row.get(0)?), row.get(1)?)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// The next item that belongs to no unit and that these rules have not seen.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn loose_item_after(&self, item: ItemId, rules_version: u32) -> Result<Option<ItemId>> {
        let sql = "SELECT id FROM items WHERE id > ?1 AND unit IS NULL AND rules_version <> ?2
                   ORDER BY id LIMIT 1";
        let mut statement = self.connection.prepare_cached(sql)?;
        let found = statement.query_row(params![item.0, rules_version], |row| row.get(0));
        Ok(found.optional()?.map(ItemId))
    }

    /// All texts of an item.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] when the item is gone or cannot be read.
    pub fn item_texts(&self, id: ItemId) -> Result<ItemTexts> {
        let sql = format!(
            "SELECT {COLUMNS}, items.content_hash
             FROM items JOIN sources ON sources.id = items.source WHERE items.id = ?1"
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let mut rows = statement.query([id.0])?;
        let row = rows.next()?.ok_or_else(|| damaged("item", id.0))?;
        let content_hash = row.get("content_hash")?;
        let item = read_item(&self.connection, row)?;
        Ok(ItemTexts {
            external_id: item.external_id,
            original_ref: item.original_ref,
            account: item.account,
            draft: Draft {
                title: item.title,
                summary: item.summary,
                questions: item.questions,
                atoms: item.atoms,
                project: item.project,
            },
            content_hash,
            original: self.original(id)?,
        })
    }

    /// Writes what newer rules left of some items, all of them or none, and brings the index in step.
    ///
    /// # Errors
    /// What SQLite says; then nothing was written.
    pub fn rewrite_items(&mut self, items: &[ItemAgain]) -> Result<()> {
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        for again in items {
            rewrite_item(&transaction, again)?;
        }
        let indexed = index::settle(&transaction)?;
        transaction.commit()?;
        self.upkeep.share(&mut self.connection, indexed);
        Ok(())
    }

    /// Writes the texts of a unit. Under a new id, its items get external ids of it.
    ///
    /// # Errors
    /// What SQLite says; then nothing was written.
    pub fn rewrite_unit(&mut self, unit: &UnitTexts) -> Result<()> {
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        let sql = "SELECT unit_id FROM units WHERE id = ?1";
        let old: String = transaction.query_row(sql, [unit.row.0], |row| row.get(0))?;
        if old != unit.id {
            // The locator stays: what stands behind the old id, `#` first.
            let sql = "UPDATE items SET external_id = ?2 || substr(external_id, ?3),
                           original_ref = ?4
                       WHERE unit = ?1 AND substr(external_id, 1, ?3) = ?5 || '#'";
            let behind = old.chars().count() + 1;
            let behind = i64::try_from(behind).unwrap_or(i64::MAX);
            let row = params![unit.row.0, unit.id, behind, unit.original_ref, old];
            transaction.execute(sql, row)?;
        }
        let sql = "UPDATE units SET unit_id = ?2, original_ref = ?3, account = ?4, title_hint = ?5,
                       named = ?6, cwd = ?7, seen = ?8
                   WHERE id = ?1";
        let text = |text: &Option<Redacted>| text.as_ref().map(|text| text.as_str().to_owned());
        let seen = unit.seen.as_ref().filter(|seen| !seen.is_empty());
        transaction.execute(
            sql,
            params![
                unit.row.0,
                unit.id,
                unit.original_ref,
                text(&unit.account),
                text(&unit.title_hint),
                text(&unit.named),
                text(&unit.cwd),
                seen.map(Seen::to_bytes),
            ],
        )?;
        index::settle(&transaction)?;
        transaction.commit()?;
        Ok(())
    }

    /// Whether a unit with this id stands in the source of another unit.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn has_sibling(&self, unit: UnitRow, id: &str) -> Result<bool> {
        let sql = "SELECT count(*) FROM units WHERE unit_id = ?2 AND id <> ?1
                   AND source = (SELECT source FROM units WHERE id = ?1)";
        let mut statement = self.connection.prepare_cached(sql)?;
        let count: i64 = statement.query_row(params![unit.0, id], |row| row.get(0))?;
        Ok(count > 0)
    }

    /// Where texts about runs stand.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn run_texts(&self) -> Result<Vec<RunText>> {
        let mut statement = self.connection.prepare("SELECT id FROM runs")?;
        let reports = statement.query_map([], |row| row.get(0).map(RunText::Report))?;
        let mut places: Vec<RunText> = reports.collect::<rusqlite::Result<_>>()?;
        let mut statement = self
            .connection
            .prepare("SELECT name FROM connector_state")?;
        let states = statement.query_map([], |row| row.get(0).map(RunText::Connector))?;
        for state in states {
            places.push(state?);
        }
        Ok(places)
    }

    /// The texts at a place: a report; or an error and a report.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn run_text(&self, place: &RunText) -> Result<Vec<Option<Redacted>>> {
        let text = |row: &Row<'_>, at: usize| {
            row.get::<_, Option<String>>(at)
                .map(|text| text.map(Redacted::from_library))
        };
        Ok(match place {
            RunText::Report(id) => {
                let sql = "SELECT report FROM runs WHERE id = ?1";
                let mut statement = self.connection.prepare_cached(sql)?;
                statement.query_row([id], |row| Ok(vec![text(row, 0)?]))?
            }
            RunText::Connector(name) => {
                let sql = "SELECT last_error, last_report FROM connector_state WHERE name = ?1";
                let mut statement = self.connection.prepare_cached(sql)?;
                statement.query_row([name], |row| Ok(vec![text(row, 0)?, text(row, 1)?]))?
            }
        })
    }

    /// Writes the texts at a place, as many as [`Store::run_text`] gave.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn rewrite_run_text(&self, place: &RunText, texts: &[Option<Redacted>]) -> Result<()> {
        let text = |at: usize| {
            let text = texts.get(at).and_then(Option::as_ref);
            text.map(|text| text.as_str().to_owned())
        };
        match place {
            RunText::Report(id) => {
                let sql = "UPDATE runs SET report = ?2 WHERE id = ?1";
                self.connection.execute(sql, params![id, text(0)])?;
            }
            RunText::Connector(name) => {
                let sql = "UPDATE connector_state SET last_error = ?2, last_report = ?3
                           WHERE name = ?1";
                self.connection
                    .execute(sql, params![name, text(0), text(1)])?;
            }
        }
        Ok(())
    }
}

fn damaged(what: &'static str, row: i64) -> StoreError {
    StoreError::Damaged { what, row }
}

fn read_unit(row: &Row<'_>) -> rusqlite::Result<UnitTexts> {
    let text = |at: usize| {
        row.get::<_, Option<String>>(at)
            .map(|text| text.map(Redacted::from_library))
    };
    let seen: Option<Vec<u8>> = row.get(7)?;
    Ok(UnitTexts {
        row: UnitRow(row.get(0)?),
        id: row.get(1)?,
        original_ref: row.get(2)?,
        account: text(3)?,
        title_hint: text(4)?,
        named: text(5)?,
        cwd: text(6)?,
        seen: seen.and_then(|bytes| Seen::from_bytes(&bytes)),
    })
}

fn rewrite_item(connection: &Connection, again: &ItemAgain) -> Result<()> {
    let id = again.item.0;
    let Some(texts) = &again.texts else {
        let sql = "UPDATE items SET rules_version = ?2 WHERE id = ?1";
        let row = params![id, again.rules_version];
        connection.prepare_cached(sql)?.execute(row)?;
        return Ok(());
    };
    let sql = "SELECT redactions FROM items WHERE id = ?1";
    let counted: Option<String> = connection
        .prepare_cached(sql)?
        .query_row([id], |row| row.get(0))
        .optional()?;
    let counted = counted.ok_or_else(|| damaged("item", id))?;
    let mut counts = Counts(serde_json::from_str(&counted).unwrap_or_default());
    counts.add(&again.hidden);
    let sql = "UPDATE items SET external_id = ?2, original_ref = ?3, account = ?4, title = ?5,
                   summary = ?6, questions = ?7, project = ?8, content_hash = ?9,
                   redactions = ?10, rules_version = ?11
               WHERE id = ?1";
    let draft = &texts.draft;
    connection.prepare_cached(sql)?.execute(params![
        id,
        texts.external_id.as_str(),
        texts.original_ref.as_ref().map(OriginalRef::as_str),
        texts.account.as_ref().map(Redacted::as_str),
        draft.title.as_str(),
        draft.summary.as_str(),
        json(&draft.questions),
        draft.project.as_ref().map(ProjectName::as_str),
        texts.content_hash,
        json(&counts),
        again.rules_version,
    ])?;
    items::replace_atoms(connection, id, &draft.atoms)?;
    let original = texts.original.as_ref().map(compress).transpose();
    let original = original.map_err(|_| damaged("original", id))?;
    items::write_original(connection, id, original.map(Frame::Held).as_ref())
}
