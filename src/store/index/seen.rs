//! What a reader holds of the index: the segments as of one generation, and who is alive in them.

use std::cell::RefCell;
use std::sync::Arc;

use super::cache::Cache;
use super::loaded::Segment;
use super::shelf::{Book, Grave, Shelf, Stage};
use crate::store::{Result, Scope};

/// Scopes whose statistics are kept.
const SCOPES: usize = 4;

/// The index as a reader saw it last.
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) generation: i64,
    pub(super) segments: Vec<Held>,
    scopes: RefCell<Vec<(Scope, Arc<Scoped>)>>,
}

/// A segment, and which of its documents are alive.
#[derive(Debug, Clone)]
pub(super) struct Held {
    pub(super) segment: Arc<Segment>,
    /// 1 for each document that is alive, 0 for each that is dead.
    pub(super) alive: Vec<u8>,
}

/// A scope's documents, counted.
#[derive(Debug)]
pub(super) struct Scoped {
    /// For each segment: 1 for each document that is alive and in scope.
    pub(super) marks: Vec<Vec<u8>>,
    /// How many there are.
    pub(super) documents: u64,
    /// Their characters.
    pub(super) characters: u64,
}

impl Held {
    fn bury(&mut self, graves: &[Grave]) {
        let (first, last) = (self.segment.row.first_slot, self.segment.row.last_slot);
        for grave in graves {
            if !(first..=last).contains(&grave.slot) {
                continue;
            }
            let document = self.segment.document(grave.slot);
            if let Some(cell) = document.and_then(|at| self.alive.get_mut(at)) {
                *cell = 0;
            }
        }
    }
}

impl Seen {
    /// Brings what was seen up to date; reads only what is new.
    pub(super) fn refreshed(
        before: Option<Self>,
        shelf: &impl Shelf,
        book: Book,
        cache: &Cache,
    ) -> Result<Self> {
        let generation = shelf.counters()?.generation;
        let (last, mut known) = match before {
            Some(before) if before.generation == generation => return Ok(before),
            Some(before) => (before.generation, before.segments),
            None => (generation, Vec::new()),
        };
        let mut rows = shelf.segments(book)?;
        rows.retain(|row| row.stage == Stage::Live);
        let mut segments = Vec::new();
        // What died before a segment was seen first must be read again for it.
        let mut since = last + 1;
        for row in rows {
            let same = |held: &Held| held.segment.row.id == row.id;
            if let Some(at) = known.iter().position(same) {
                segments.push(known.swap_remove(at));
            } else {
                since = since.min(row.since);
                let segment = cache.segment(shelf, row)?;
                let alive = vec![1; segment.documents.len()];
                segments.push(Held { segment, alive });
            }
        }
        let graves = shelf.buried_since(since)?;
        segments.iter_mut().for_each(|held| held.bury(&graves));
        Ok(Self {
            generation,
            segments,
            scopes: RefCell::default(),
        })
    }

    /// The documents in a scope.
    pub(super) fn scoped(&self, scope: &Scope) -> Arc<Scoped> {
        let mut scopes = self.scopes.borrow_mut();
        if let Some((_, scoped)) = scopes.iter().find(|(known, _)| known == scope) {
            return Arc::clone(scoped);
        }
        let scoped = Arc::new(self.count(scope));
        if scopes.len() == SCOPES {
            scopes.remove(0);
        }
        scopes.push((scope.clone(), Arc::clone(&scoped)));
        scoped
    }

    fn count(&self, scope: &Scope) -> Scoped {
        let mut scoped = Scoped {
            marks: Vec::new(),
            documents: 0,
            characters: 0,
        };
        for Held { segment, alive } in &self.segments {
            let marks = match scope {
                Scope::All => alive.clone(),
                Scope::Only(sources) => {
                    let allowed = allowed(sources);
                    let sources = segment.documents.sources.iter();
                    let seen = |source: &u32| allowed.get(*source as usize).copied().unwrap_or(0);
                    alive
                        .iter()
                        .zip(sources)
                        .map(|(alive, source)| alive & seen(source))
                        .collect()
                }
            };
            for (mark, length) in marks.iter().zip(&segment.documents.lengths) {
                scoped.documents += u64::from(*mark);
                scoped.characters += u64::from(*mark) * u64::from(*length);
            }
            scoped.marks.push(marks);
        }
        scoped
    }
}

/// 1 at the number of every source in the list. Sources are few and numbered from 1.
fn allowed(sources: &[i64]) -> Vec<u8> {
    const MOST: usize = 1 << 20;
    let numbers = || {
        sources
            .iter()
            .filter_map(|source| usize::try_from(*source).ok())
    };
    let numbers = || numbers().filter(|number| *number < MOST);
    let mut allowed = vec![0; numbers().max().map_or(0, |last| last + 1)];
    for number in numbers() {
        if let Some(cell) = allowed.get_mut(number) {
            *cell = 1;
        }
    }
    allowed
}
