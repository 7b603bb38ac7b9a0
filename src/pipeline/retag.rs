//! The project rules of today on what is stored: items change their project, nothing else.
//!
//! What the source said of the place of work is stored with each unit, so sources are not read. Where it
//! says nothing, the connector's own project counts, and without one an item keeps its project, under
//! its present alias.

use jezero_connectors::SourceName;
use serde::Serialize;

use super::PipelineError;
use crate::item::{ItemId, ProjectName};
use crate::project::ProjectRules;
use crate::redaction::{Engine, Redacted};
use crate::store::{Evident, Store};

/// Items that change in one transaction.
const BATCH: usize = 500;

/// What a retagging did, in the order of its keys.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Retagged {
    /// The source.
    pub connector: String,
    /// Items looked at.
    pub docs: u64,
    /// Items whose project has changed, or would.
    pub retagged: u64,
    /// Whether nothing was changed.
    pub dry_run: bool,
}

/// An item whose project changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Move {
    /// The item.
    pub item: ItemId,
    /// Its id inside of the source.
    pub external_id: Redacted,
    /// Its project until now.
    pub from: Option<Redacted>,
    /// Its project from now on.
    pub to: ProjectName,
}

/// What the rules are applied with.
#[derive(Debug)]
pub struct Retag<'a> {
    /// The source.
    pub source: &'a SourceName,
    /// The project of what names none itself.
    pub project: Option<ProjectName>,
    /// The rules.
    pub rules: &'a ProjectRules,
    /// The redaction rules.
    pub engine: &'a Engine,
    /// Whether nothing is to be changed.
    pub dry_run: bool,
}

/// Applies the project rules to all items of a source. `told` gets each change before it is made.
///
/// A kill leaves some items changed and the others as they were; to do it again does the rest.
///
/// # Errors
/// When the library cannot be read or written, and what `told` says.
pub fn retag<E: From<PipelineError>>(
    store: &mut Store,
    with: &Retag<'_>,
    mut told: impl FnMut(&Move) -> Result<(), E>,
) -> Result<Retagged, E> {
    let mut done = Retagged {
        connector: with.source.to_string(),
        docs: 0,
        retagged: 0,
        dry_run: with.dry_run,
    };
    let mut moves = Vec::new();
    store.each_evidence(with.source, |evident| {
        done.docs += evident.items.len() as u64;
        with.judge(evident, &mut moves);
        Ok::<_, PipelineError>(())
    })?;
    done.retagged = moves.len() as u64;
    for batch in moves.chunks(BATCH) {
        batch.iter().try_for_each(&mut told)?;
        if !with.dry_run {
            let projects = batch.iter().map(|each| (each.item, each.to.clone()));
            let projects: Vec<_> = projects.collect();
            store.put_projects(&projects).map_err(PipelineError::from)?;
        }
    }
    Ok(done)
}

impl Retag<'_> {
    /// Which items of a unit belong to another project than they say.
    fn judge(&self, evident: Evident, moves: &mut Vec<Move>) {
        let says = self.rules.of(&evident.evidence, self.engine);
        // The project of an imported item was chosen by whoever wrote the file.
        let says = says.or_else(|| self.project.clone().filter(|_| evident.is_unit));
        for item in evident.items {
            let renamed = || {
                let project = item.project.as_ref()?;
                self.rules.named(project.as_str(), self.engine)
            };
            let Some(to) = says.clone().or_else(renamed) else {
                continue;
            };
            if item.project.as_ref().map(Redacted::as_str) != Some(to.as_str()) {
                moves.push(Move {
                    item: item.item,
                    external_id: item.external_id,
                    from: item.project,
                    to,
                });
            }
        }
    }
}
