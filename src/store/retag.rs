//! Projects of stored items, and what sources said of the place of work.

use jezero_connectors::{Evidence, SourceName};
use rusqlite::{TransactionBehavior, params};

use super::{Result, Store, StoreError, index};
use crate::item::{ItemId, ProjectName};
use crate::redaction::Redacted;

/// An item with its project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tagged {
    /// The item.
    pub item: ItemId,
    /// Its id inside of the source.
    pub external_id: Redacted,
    /// Its project.
    pub project: Option<Redacted>,
}

/// Items of one unit, with what its source said of it. Items of no unit come one by one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evident {
    /// Whether a unit has them: a connector read them, and no import brought them.
    pub is_unit: bool,
    /// What the source said.
    pub evidence: Evidence,
    /// The unit's items.
    pub items: Vec<Tagged>,
}

impl Store {
    /// Goes through all items of a source, unit by unit.
    ///
    /// # Errors
    /// What SQLite says, and what `each` says.
    pub fn each_evidence<E: From<StoreError>>(
        &self,
        source: &SourceName,
        mut each: impl FnMut(Evident) -> Result<(), E>,
    ) -> Result<(), E> {
        let sql = "SELECT items.id, items.external_id, items.project, items.unit, units.named,
                       units.cwd, coalesce(units.layout, 0)
                   FROM items LEFT JOIN units ON units.id = items.unit
                   WHERE items.source = (SELECT id FROM sources WHERE name = ?1)
                   ORDER BY items.unit, items.id";
        let mut statement = self
            .connection
            .prepare_cached(sql)
            .map_err(StoreError::from)?;
        let mut rows = statement
            .query([source.as_str()])
            .map_err(StoreError::from)?;
        let mut open: Option<(i64, Evident)> = None;
        while let Some(row) = rows.next().map_err(StoreError::from)? {
            let (unit, evidence, item) = read(row).map_err(StoreError::from)?;
            let is_unit = row.get::<_, i64>(6).map_err(StoreError::from)? > 0;
            match &mut open {
                Some((known, evident)) if Some(*known) == unit => evident.items.push(item),
                _ => {
                    let items = vec![item];
                    let next = Evident {
                        is_unit,
                        evidence,
                        items,
                    };
                    let before = match unit {
                        Some(unit) => open.replace((unit, next)),
                        None => Some((0, next)),
                    };
                    before.map_or(Ok(()), |(_, before)| each(before))?;
                }
            }
        }
        open.map_or(Ok(()), |(_, last)| each(last))
    }

    /// Whether an item is stored with its original.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn has_original(&self, item: ItemId) -> Result<bool> {
        let sql = "SELECT 1 FROM originals WHERE item = ?1";
        Ok(self.connection.prepare_cached(sql)?.exists([item.0])?)
    }

    /// Gives items another project, all of them or none.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn put_projects(&mut self, projects: &[(ItemId, ProjectName)]) -> Result<()> {
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        let sql = "UPDATE items SET project = ?2 WHERE id = ?1";
        for (item, project) in projects {
            transaction
                .prepare_cached(sql)?
                .execute(params![item.0, project.as_str()])?;
        }
        let indexed = index::settle(&transaction)?;
        transaction.commit()?;
        self.upkeep.share(&mut self.connection, indexed);
        Ok(())
    }
}

fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<(Option<i64>, Evidence, Tagged)> {
    let item = Tagged {
        item: ItemId(row.get(0)?),
        external_id: Redacted::from_library(row.get(1)?),
        project: row.get::<_, Option<String>>(2)?.map(Redacted::from_library),
    };
    let evidence = Evidence {
        named: row.get(4)?,
        cwd: row.get(5)?,
    };
    Ok((row.get(3)?, evidence, item))
}
