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
    /// Scopes asked for lately, as of the same generation.
    scopes: RefCell<Vec<(Scope, Arc<Scoped>)>>,
}

/// A segment, and which of its documents are alive.
#[derive(Debug, Clone)]
pub(super) struct Held {
    pub(super) segment: Arc<Segment>,
    /// 1 for each document that is alive, 0 for each that is dead.
    pub(super) alive: Vec<u8>,
}

/// A scope's documents, segment by segment.
#[derive(Debug, Clone, Default)]
pub(super) struct Scoped {
    segments: Vec<Marked>,
}

/// A scope's documents in one segment, counted.
#[derive(Debug, Clone)]
pub(super) struct Marked {
    /// 1 for each document that is alive and in scope.
    pub(super) marks: Vec<u8>,
    /// How many there are.
    documents: u64,
    /// Their characters.
    characters: u64,
}

impl Marked {
    fn new(scope: &Scope, Held { segment, alive }: &Held) -> Self {
        let marks = match scope {
            Scope::All => alive.clone(),
            Scope::Only(sources) => {
                let allowed = allowed(sources);
                let sources = segment.documents.sources.iter();
                let seen = |source: &u32| allowed.get(*source as usize).copied().unwrap_or(0);
                let both = alive.iter().zip(sources);
                both.map(|(alive, source)| alive & seen(source)).collect()
            }
        };
        let (mut documents, mut characters) = (0, 0);
        for (mark, length) in marks.iter().zip(&segment.documents.lengths) {
            documents += u64::from(*mark);
            characters += u64::from(*mark) * u64::from(*length);
        }
        Self {
            marks,
            documents,
            characters,
        }
    }

    fn bury(&mut self, document: usize, length: u32) {
        if let Some(mark) = self.marks.get_mut(document)
            && std::mem::take(mark) != 0
        {
            self.documents -= 1;
            self.characters -= u64::from(length);
        }
    }
}

impl Scoped {
    /// Each segment's marks.
    pub(super) fn marks(&self) -> impl Iterator<Item = &[u8]> {
        self.segments.iter().map(|segment| segment.marks.as_slice())
    }

    /// How many documents there are.
    pub(super) fn documents(&self) -> u64 {
        self.segments.iter().map(|segment| segment.documents).sum()
    }

    /// Their characters.
    pub(super) fn characters(&self) -> u64 {
        self.segments.iter().map(|segment| segment.characters).sum()
    }

    /// What is known of the segments that are still there, and what is new. `before` says which place
    /// each segment had.
    fn brought_along(self, scope: &Scope, segments: &[Held], before: &[Option<usize>]) -> Self {
        let mut known: Vec<Option<Marked>> = self.segments.into_iter().map(Some).collect();
        let mut kept = |at: &Option<usize>| known.get_mut((*at)?).and_then(Option::take);
        let segments = segments.iter().zip(before);
        Self {
            segments: segments
                .map(|(held, at)| kept(at).unwrap_or_else(|| Marked::new(scope, held)))
                .collect(),
        }
    }
}

impl Seen {
    /// Brings what was seen up to date; reads and counts only what is new.
    pub(super) fn refreshed(
        before: Option<Self>,
        shelf: &impl Shelf,
        book: Book,
        cache: &Cache,
    ) -> Result<Self> {
        let generation = shelf.counters()?.generation;
        let (last, known, scopes) = match before {
            Some(before) if before.generation == generation => return Ok(before),
            Some(before) => (before.generation, before.segments, before.scopes),
            None => (generation, Vec::new(), RefCell::default()),
        };
        let mut known: Vec<Option<Held>> = known.into_iter().map(Some).collect();
        let mut rows = shelf.segments(book)?;
        rows.retain(|row| row.stage == Stage::Live);
        let mut segments = Vec::with_capacity(rows.len());
        let mut places = Vec::with_capacity(rows.len());
        // What died before a segment was seen first must be read again for it.
        let mut since = last + 1;
        for row in rows {
            let same = |held: &Option<Held>| {
                let id = held.as_ref().map(|held| held.segment.row.id);
                id == Some(row.id)
            };
            let place = known.iter().position(same);
            places.push(place);
            if let Some(held) = place.and_then(|at| known.get_mut(at)?.take()) {
                segments.push(held);
            } else {
                since = since.min(row.since);
                let segment = cache.segment(shelf, row)?;
                let alive = vec![1; segment.documents.len()];
                segments.push(Held { segment, alive });
            }
        }
        let mut scopes = scopes.into_inner();
        for (scope, scoped) in &mut scopes {
            // Nobody else holds it between two questions, so that nothing is copied.
            let before = Arc::unwrap_or_clone(std::mem::take(scoped));
            *scoped = Arc::new(before.brought_along(scope, &segments, &places));
        }
        let mut seen = Self {
            generation,
            segments,
            scopes: RefCell::new(scopes),
        };
        for grave in shelf.buried_since(since)? {
            seen.bury(grave);
        }
        Ok(seen)
    }

    fn bury(&mut self, grave: Grave) {
        let starts_before = |held: &Held| held.segment.row.first_slot <= grave.slot;
        let after = self.segments.partition_point(starts_before);
        let Some(place) = after.checked_sub(1) else {
            return;
        };
        let Some(Held { segment, alive }) = self.segments.get_mut(place) else {
            return;
        };
        let Some(document) = segment.document(grave.slot) else {
            return;
        };
        if let Some(cell) = alive.get_mut(document) {
            *cell = 0;
        }
        let length = segment.documents.lengths.get(document).copied();
        for (_, scoped) in self.scopes.get_mut() {
            if let Some(marked) = Arc::make_mut(scoped).segments.get_mut(place) {
                marked.bury(document, length.unwrap_or(0));
            }
        }
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
        let marked = |held| Marked::new(scope, held);
        Scoped {
            segments: self.segments.iter().map(marked).collect(),
        }
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
