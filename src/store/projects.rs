//! The projects that items belong to.

use jezero_connectors::Instant;

use super::{Result, Scope, StoreError, View};
use crate::item::ProjectName;
use crate::redaction::Redacted;

/// How much there is of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectCount {
    /// Its name.
    pub name: ProjectName,
    /// Its items.
    pub items: u64,
    /// When the latest of them happened.
    pub latest: Instant,
}

impl View {
    /// Projects of items in scope, by name.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn project_counts(&self, scope: &Scope) -> Result<Vec<ProjectCount>> {
        let sql = format!(
            "SELECT items.project, count(*), max(items.occurred_at), max(items.id) FROM items
             WHERE items.project IS NOT NULL AND {} GROUP BY items.project ORDER BY 1",
            scope.condition()
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let mut rows = statement.query([])?;
        let mut counts = Vec::new();
        while let Some(row) = rows.next()? {
            let id = row.get(3)?;
            let damaged = |what| StoreError::Damaged { what, row: id };
            let name = ProjectName::new(Redacted::from_library(row.get(0)?));
            counts.push(ProjectCount {
                name: name.ok_or(damaged("project"))?,
                items: row.get::<_, i64>(1)?.unsigned_abs(),
                latest: Instant::from_unix(row.get(2)?).ok_or(damaged("date"))?,
            });
        }
        Ok(counts)
    }
}
