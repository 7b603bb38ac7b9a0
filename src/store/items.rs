//! Items: writing one, and reading rows back into [`Item`].

use jezero_connectors::{ExternalId, Instant, Locator, OriginalRef, SourceName};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::frame::{self, Frame};
use super::owners::{SourceId, UnitRow};
use super::{Result, StoreError};
use crate::item::{Atom, Draft, Item, ItemId, ProjectName, Trust};
use crate::redaction::{Counts, Redacted};

/// An item as it is to be stored.
#[derive(Debug, Clone)]
pub struct ItemWrite {
    /// Its id inside of the source.
    pub external_id: ExternalId,
    /// When the work happened.
    pub occurred_at: Instant,
    /// Title, summary, questions, atoms. Its `project` is a guess; [`Self::project`] counts.
    pub draft: Draft,
    /// The project it belongs to.
    pub project: Option<ProjectName>,
    /// The account it came from.
    pub account: Option<Redacted>,
    /// Names the original in its source.
    pub original_ref: Option<OriginalRef>,
    /// Who wrote it.
    pub trust: Trust,
    /// Lower-case hex of the SHA-256 of the redacted text.
    pub content_hash: String,
    /// The original, as a zstd frame of the redacted text.
    pub original: Option<Frame>,
    /// Locator of the first block.
    pub locator: Locator,
    /// Part n of N, from 1.
    pub part: (usize, usize),
    /// Rules in force when the text was redacted.
    pub rules_version: u32,
    /// Which provider and model wrote the summary.
    pub summary_by: String,
    /// What redaction hid, by rule.
    pub redactions: Counts,
}

/// What an upsert did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Upserted {
    /// A new item.
    Inserted(ItemId),
    /// An item that was there has new content and the same number.
    Updated(ItemId),
    /// The item that is there has the same content hash; nothing was written.
    Unchanged(ItemId),
}

/// Inserts an item or, for a known (source, external id) with another hash, updates it in place.
pub(super) fn upsert(
    connection: &Connection,
    source: SourceId,
    unit: Option<UnitRow>,
    item: &ItemWrite,
    now: Instant,
) -> Result<Upserted> {
    let find = "SELECT id, content_hash FROM items WHERE source = ?1 AND external_id = ?2";
    let known: Option<(i64, String)> = connection
        .prepare_cached(find)?
        .query_row(params![source.0, item.external_id.as_str()], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .optional()?;
    match known {
        Some((id, hash)) if hash == item.content_hash => Ok(Upserted::Unchanged(ItemId(id))),
        Some((id, _)) => {
            write(connection, source, unit, item, now, Number::Known(id))?;
            Ok(Upserted::Updated(ItemId(id)))
        }
        None => {
            let number = Number::Given(None);
            write(connection, source, unit, item, now, number).map(Upserted::Inserted)
        }
    }
}

/// Inserts an item that is not there under a number that was never given.
pub(super) fn insert_numbered(
    connection: &Connection,
    source: SourceId,
    unit: Option<UnitRow>,
    item: &ItemWrite,
    now: Instant,
    id: ItemId,
) -> Result<()> {
    write(
        connection,
        source,
        unit,
        item,
        now,
        Number::Given(Some(id.0)),
    )
    .map(drop)
}

/// Under which number an item is written.
#[derive(Clone, Copy)]
enum Number {
    /// One that has an item.
    Known(i64),
    /// One that has none, or the next.
    Given(Option<i64>),
}

const INSERT: &str = "
    INSERT INTO items (source, unit, external_id, occurred_at, ingested_at, title, summary,
        questions, project, account, original_ref, trust, content_hash, record, record_part, part,
        parts, rules_version, summary_by, redactions, id)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20,
        ?21)";
/// An import knows no unit: it leaves an item where a connector put it.
const UPDATE: &str = "
    UPDATE items SET unit = coalesce(?2, unit), occurred_at = ?4, ingested_at = ?5,
        title = ?6, summary = ?7, questions = ?8, project = ?9, account = ?10, original_ref = ?11,
        trust = ?12, content_hash = ?13, record = iif(?2 IS NULL, record, ?14),
        record_part = iif(?2 IS NULL, record_part, ?15), part = iif(?2 IS NULL, part, ?16),
        parts = iif(?2 IS NULL, parts, ?17),
        rules_version = ?18, summary_by = ?19, redactions = ?20
    WHERE id = ?21 AND source = ?1 AND external_id = ?3";

fn write(
    connection: &Connection,
    source: SourceId,
    unit: Option<UnitRow>,
    item: &ItemWrite,
    now: Instant,
    number: Number,
) -> Result<ItemId> {
    let count = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
    let (sql, id) = match number {
        Number::Known(id) => (UPDATE, Some(id)),
        Number::Given(id) => (INSERT, id),
    };
    let mut statement = connection.prepare_cached(sql)?;
    let fields = params![
        source.0,
        unit.map(|unit| unit.0),
        item.external_id.as_str(),
        item.occurred_at.unix(),
        now.unix(),
        item.draft.title.as_str(),
        item.draft.summary.as_str(),
        json(&item.draft.questions),
        item.project.as_ref().map(ProjectName::as_str),
        item.account.as_ref().map(Redacted::as_str),
        item.original_ref.as_ref().map(OriginalRef::as_str),
        item.trust.as_str(),
        item.content_hash,
        i64::try_from(item.locator.record).unwrap_or(i64::MAX),
        item.locator.part,
        count(item.part.0),
        count(item.part.1),
        item.rules_version,
        item.summary_by,
        json(&item.redactions),
        id,
    ];
    statement.execute(fields)?;
    let id = match number {
        Number::Known(id) => id,
        Number::Given(_) => connection.last_insert_rowid(),
    };
    replace_atoms(connection, id, &item.draft.atoms)?;
    write_original(connection, id, item.original.as_ref())?;
    Ok(ItemId(id))
}

pub(super) fn replace_atoms(connection: &Connection, item: i64, atoms: &[Atom]) -> Result<()> {
    connection
        .prepare_cached("DELETE FROM atoms WHERE item = ?1")?
        .execute([item])?;
    let sql = "INSERT INTO atoms (item, ordinal, kind, text) VALUES (?1, ?2, ?3, ?4)";
    let mut statement = connection.prepare_cached(sql)?;
    for (ordinal, atom) in (0_i64..).zip(atoms) {
        statement.execute(params![
            item,
            ordinal,
            atom.kind.as_str(),
            atom.text.as_str()
        ])?;
    }
    Ok(())
}

pub(super) fn write_original(
    connection: &Connection,
    item: i64,
    frame: Option<&Frame>,
) -> Result<()> {
    match frame {
        Some(frame) => {
            let sql = "INSERT OR REPLACE INTO originals (item, zstd) VALUES (?1, ?2)";
            connection
                .prepare_cached(sql)?
                .execute(params![item, frame::bytes_of(connection, frame)?])?;
        }
        None => {
            connection
                .prepare_cached("DELETE FROM originals WHERE item = ?1")?
                .execute([item])?;
        }
    }
    Ok(())
}

/// Texts as JSON. Serialising strings cannot fail.
pub(super) fn json<T: serde::Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// The columns that [`read_item`] wants, of `items` joined with `sources`.
pub(super) const COLUMNS: &str = "items.id, sources.name, items.external_id, items.occurred_at, \
    items.title, items.summary, items.questions, items.project, items.account, \
    items.original_ref, items.trust";

/// Reads an item from a row of [`COLUMNS`]; its atoms are read apart.
pub(super) fn read_item(connection: &Connection, row: &Row<'_>) -> Result<Item> {
    let id: i64 = row.get(0)?;
    let damaged = |what| StoreError::Damaged { what, row: id };
    let text = |at: usize| row.get::<_, String>(at).map(Redacted::from_library);
    let optional = |at: usize| row.get::<_, Option<String>>(at);
    let questions: Vec<String> =
        serde_json::from_str(row.get_ref(6)?.as_str().map_err(|_| damaged("questions"))?)
            .map_err(|_| damaged("questions"))?;
    let project = optional(7)?
        .map(|name| ProjectName::new(Redacted::from_library(name)).ok_or(damaged("project")))
        .transpose()?;
    Ok(Item {
        id: ItemId(id),
        source: SourceName::new(row.get::<_, String>(1)?).map_err(|_| damaged("source"))?,
        external_id: ExternalId::new(row.get::<_, String>(2)?)
            .map_err(|_| damaged("external id"))?,
        occurred_at: Instant::from_unix(row.get(3)?).ok_or(damaged("date"))?,
        title: text(4)?,
        summary: text(5)?,
        questions: questions.into_iter().map(Redacted::from_library).collect(),
        atoms: read_atoms(connection, id)?,
        project,
        account: optional(8)?.map(Redacted::from_library),
        original_ref: optional(9)?
            .map(|name| OriginalRef::new(name).map_err(|_| damaged("original ref")))
            .transpose()?,
        trust: row
            .get::<_, String>(10)?
            .parse()
            .map_err(|_| damaged("trust"))?,
    })
}

fn read_atoms(connection: &Connection, item: i64) -> Result<Vec<Atom>> {
    let sql = "SELECT kind, text FROM atoms WHERE item = ?1 ORDER BY ordinal";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([item])?;
    let mut atoms = Vec::new();
    while let Some(row) = rows.next()? {
        let kind = row
            .get_ref(0)?
            .as_str()
            .ok()
            .and_then(|word| word.parse().ok());
        atoms.push(Atom {
            kind: kind.ok_or(StoreError::Damaged {
                what: "atom",
                row: item,
            })?,
            text: Redacted::from_library(row.get(1)?),
        });
    }
    Ok(atoms)
}
