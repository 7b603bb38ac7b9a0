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
    pub(super) alive: Marked,
}

/// Documents of a segment that count, and what they come to.
#[derive(Debug, Clone)]
pub(super) struct Marked {
    /// 1 for each document that counts, 0 for each other one. Shared until one of them dies.
    pub(super) marks: Arc<Vec<u8>>,
    documents: u64,
    characters: u64,
}

impl Marked {
    fn new(segment: &Segment, marks: Arc<Vec<u8>>) -> Self {
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

    fn all(segment: &Segment) -> Self {
        Self::new(segment, Arc::new(vec![1; segment.documents.len()]))
    }

    /// Those of the documents that are in a scope.
    fn within(&self, segment: &Segment, scope: &Scope) -> Self {
        let Scope::Only(sources) = scope else {
            return self.clone();
        };
        let allowed = allowed(sources);
        let seen = |source: &u32| allowed.get(*source as usize).copied().unwrap_or(0);
        let sources = segment.documents.sources.iter();
        let both = self.marks.iter().zip(sources);
        let marks = both.map(|(mark, source)| mark & seen(source)).collect();
        Self::new(segment, Arc::new(marks))
    }

    fn bury(&mut self, segment: &Segment, document: usize) {
        if self.marks.get(document).is_none_or(|mark| *mark == 0) {
            return;
        }
        if let Some(mark) = Arc::make_mut(&mut self.marks).get_mut(document) {
            *mark = 0;
        }
        let length = segment.documents.lengths.get(document).copied();
        self.documents -= 1;
        self.characters -= u64::from(length.unwrap_or(0));
    }
}

/// A scope's documents, counted.
#[derive(Debug, Clone)]
pub(super) struct Scoped {
    /// For each segment: the documents that are alive and in scope.
    segments: Vec<Marked>,
    /// How many there are.
    pub(super) documents: u64,
    /// Their characters.
    pub(super) characters: u64,
}

impl Scoped {
    fn new(segments: Vec<Marked>) -> Self {
        Self {
            documents: segments.iter().map(|marked| marked.documents).sum(),
            characters: segments.iter().map(|marked| marked.characters).sum(),
            segments,
        }
    }

    /// For each segment: 1 for each document that is alive and in scope.
    pub(super) fn marks(&self) -> impl Iterator<Item = &[u8]> {
        self.segments.iter().map(|marked| marked.marks.as_slice())
    }
}

/// What a reader held of the index before, segment by segment, to be taken over.
struct Before {
    held: Vec<Option<Held>>,
    scopes: Vec<(Scope, Vec<Option<Marked>>)>,
}

impl Before {
    fn new(seen: Option<Seen>) -> Self {
        let Some(seen) = seen else {
            return Self {
                held: Vec::new(),
                scopes: Vec::new(),
            };
        };
        let scopes = seen.scopes.into_inner().into_iter();
        let marks = |scoped: Arc<Scoped>| Arc::unwrap_or_clone(scoped).segments;
        Self {
            held: seen.segments.into_iter().map(Some).collect(),
            scopes: scopes
                .map(|(scope, scoped)| (scope, marks(scoped).into_iter().map(Some).collect()))
                .collect(),
        }
    }

    /// Takes a segment out, with the marks of each scope.
    fn take(&mut self, id: i64) -> Option<(Held, Vec<Marked>)> {
        let same = |held: &Option<Held>| {
            let held = held.as_ref();
            held.is_some_and(|held| held.segment.row.id == id)
        };
        let at = self.held.iter().position(same)?;
        let scopes = self.scopes.iter_mut();
        let marks = scopes
            .map(|(_, marks)| marks.get_mut(at)?.take())
            .collect::<Option<_>>()?;
        Some((self.held.get_mut(at)?.take()?, marks))
    }
}

impl Seen {
    /// Brings what was seen up to date; reads only what is new, and counts only what has changed.
    pub(super) fn refreshed(
        before: Option<Self>,
        shelf: &impl Shelf,
        book: Book,
        cache: &Cache,
    ) -> Result<Self> {
        let generation = shelf.counters()?.generation;
        let last = match before {
            Some(before) if before.generation == generation => return Ok(before),
            Some(ref before) => before.generation,
            None => generation,
        };
        let mut before = Before::new(before);
        let mut rows = shelf.segments(book)?;
        rows.retain(|row| row.stage == Stage::Live);
        let mut segments: Vec<(Held, Vec<Marked>)> = Vec::with_capacity(rows.len());
        // What died before a segment was seen first must be read again for it.
        let mut since = last + 1;
        for row in rows {
            if let Some(known) = before.take(row.id) {
                segments.push(known);
                continue;
            }
            since = since.min(row.since);
            let segment = cache.segment(shelf, row)?;
            let alive = Marked::all(&segment);
            let scopes = before.scopes.iter();
            let within = scopes
                .map(|(scope, _)| alive.within(&segment, scope))
                .collect();
            segments.push((Held { segment, alive }, within));
        }
        let graves = shelf.buried_since(since)?;
        for (held, scopes) in &mut segments {
            bury(held, scopes, &graves);
        }
        Ok(Self::counted(generation, segments, before.scopes))
    }

    fn counted(
        generation: i64,
        segments: Vec<(Held, Vec<Marked>)>,
        known: Vec<(Scope, Vec<Option<Marked>>)>,
    ) -> Self {
        let mut scopes: Vec<(Scope, Vec<Marked>)> = Vec::with_capacity(known.len());
        scopes.extend(known.into_iter().map(|(scope, _)| (scope, Vec::new())));
        let mut held = Vec::with_capacity(segments.len());
        for (segment, marks) in segments {
            held.push(segment);
            for ((_, list), marked) in scopes.iter_mut().zip(marks) {
                list.push(marked);
            }
        }
        let scoped = |marks| Arc::new(Scoped::new(marks));
        let scopes = scopes.into_iter();
        Self {
            generation,
            segments: held,
            scopes: RefCell::new(
                scopes
                    .map(|(scope, marks)| (scope, scoped(marks)))
                    .collect(),
            ),
        }
    }

    /// The documents in a scope.
    pub(super) fn scoped(&self, scope: &Scope) -> Arc<Scoped> {
        let mut scopes = self.scopes.borrow_mut();
        if let Some((_, scoped)) = scopes.iter().find(|(known, _)| known == scope) {
            return Arc::clone(scoped);
        }
        let held = self.segments.iter();
        let within = held.map(|held| held.alive.within(&held.segment, scope));
        let scoped = Arc::new(Scoped::new(within.collect()));
        if scopes.len() == SCOPES {
            scopes.remove(0);
        }
        scopes.push((scope.clone(), Arc::clone(&scoped)));
        scoped
    }
}

fn bury(held: &mut Held, scopes: &mut [Marked], graves: &[Grave]) {
    let Held { segment, alive } = held;
    let slots = segment.row.first_slot..=segment.row.last_slot;
    for grave in graves.iter().filter(|grave| slots.contains(&grave.slot)) {
        if let Some(document) = segment.document(grave.slot) {
            alive.bury(segment, document);
            for marked in scopes.iter_mut() {
                marked.bury(segment, document);
            }
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
