//! What readers of one library share: loaded segments, and the lists of terms asked for lately.
//!
//! Segments never change, so a list stays true until its segment is gone.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::list::List;
use super::loaded::Segment;
use super::shelf::{SegmentRow, Shelf};
use crate::store::Result;
use crate::store::search::Term;

/// Most bytes of lists.
const LIMIT: usize = 64 * 1024 * 1024;
/// Bytes that a list takes besides its documents, about.
const OVERHEAD: usize = 200;

/// Names a segment beyond doubt: another file in the place of ours may use the same numbers.
type Name = (i64, i64);

fn name(row: &SegmentRow) -> Name {
    (row.id, row.stamp)
}

/// Shared by readers; each call holds its lock for a look-up only.
#[derive(Debug, Default)]
pub(in crate::store) struct Cache {
    segments: Mutex<HashMap<Name, Weak<Segment>>>,
    lists: Mutex<Lists>,
}

#[derive(Debug, Default)]
struct Lists {
    lists: HashMap<(Name, Term), Kept>,
    /// By last use, the oldest first.
    used: BTreeMap<u64, (Name, Term)>,
    clock: u64,
    bytes: usize,
}

#[derive(Debug)]
struct Kept {
    used: u64,
    list: Verified,
}

/// A term's list, and the documents whose texts were read for it, which rise: none for a term that is
/// counted in the dictionary.
#[derive(Debug, Clone)]
pub(super) struct Verified {
    pub(super) list: Arc<List>,
    pub(super) read: Arc<[u32]>,
}

impl Verified {
    /// The list without what was found in the first so many of the documents that were read.
    pub(super) fn from(&self, place: usize) -> Arc<List> {
        match self.read.get(..place).unwrap_or(&self.read) {
            [] => Arc::clone(&self.list),
            unread => Arc::new(self.list.without(unread)),
        }
    }

    fn memory(&self) -> usize {
        self.list.memory() + 4 * self.read.len() + OVERHEAD
    }
}

/// Tells a file from every other one that is open, whatever its name is.
type FileId = (u64, u64);

/// The caches of the libraries that this process has open.
static OPEN: Mutex<Vec<(FileId, Weak<Cache>)>> = Mutex::new(Vec::new());

#[cfg(unix)]
fn file_id(path: &Path) -> Option<FileId> {
    use std::os::unix::fs::MetadataExt;
    let data = std::fs::metadata(path).ok()?;
    Some((data.dev(), data.ino()))
}

#[cfg(not(unix))]
fn file_id(_: &Path) -> Option<FileId> {
    None
}

/// Opens a file with `open`, and gives the cache that all its readers in this process share: a
/// dictionary is then in memory once, however many readers there are.
pub(in crate::store) fn shared<T, E>(
    path: &Path,
    open: impl FnOnce() -> Result<T, E>,
) -> Result<(T, Arc<Cache>), E> {
    let before = file_id(path);
    let opened = open()?;
    // Another file may have been put in its place meanwhile: then nobody knows which one is open.
    let id = file_id(path).filter(|id| before == Some(*id));
    Ok((opened, id.map_or_else(Arc::default, cache_of)))
}

fn cache_of(id: FileId) -> Arc<Cache> {
    let mut open = hold(&OPEN);
    // A number is given again only when its file is closed, and then its cache is gone.
    open.retain(|(_, cache)| cache.strong_count() > 0);
    let known = open.iter().find(|(known, _)| *known == id);
    if let Some(cache) = known.and_then(|(_, cache)| cache.upgrade()) {
        return cache;
    }
    let cache = Arc::new(Cache::default());
    open.push((id, Arc::downgrade(&cache)));
    cache
}

fn hold<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What a panicking thread left is whole: entries are put in and taken out in one go.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Cache {
    /// A segment, loaded now if no reader holds it.
    pub(super) fn segment(&self, shelf: &impl Shelf, row: SegmentRow) -> Result<Arc<Segment>> {
        let known = hold(&self.segments)
            .get(&name(&row))
            .and_then(Weak::upgrade);
        if let Some(segment) = known {
            return Ok(segment);
        }
        let segment = Segment::load(shelf, row)?;
        let mut segments = hold(&self.segments);
        segments.retain(|_, segment| segment.strong_count() > 0);
        segments.insert(name(&row), Arc::downgrade(&segment));
        Ok(segment)
    }

    /// The list of a term in a segment, if it is kept.
    pub(super) fn list(&self, segment: &Segment, term: &Term) -> Option<Verified> {
        hold(&self.lists).find((name(&segment.row), term.clone()))
    }

    /// Keeps a list.
    pub(super) fn keep(&self, segment: &Segment, term: &Term, list: &Verified) {
        hold(&self.lists).keep((name(&segment.row), term.clone()), list);
    }
}

impl Lists {
    fn find(&mut self, key: (Name, Term)) -> Option<Verified> {
        let kept = self.lists.get_mut(&key)?;
        self.clock += 1;
        self.used.remove(&kept.used);
        kept.used = self.clock;
        self.used.insert(self.clock, key);
        Some(kept.list.clone())
    }

    fn keep(&mut self, key: (Name, Term), list: &Verified) {
        let bytes = list.memory();
        if bytes > LIMIT / 2 || self.lists.contains_key(&key) {
            return;
        }
        self.bytes += bytes;
        while self.bytes > LIMIT {
            let Some((_, oldest)) = self.used.pop_first() else {
                break;
            };
            if let Some(gone) = self.lists.remove(&oldest) {
                self.bytes = self.bytes.saturating_sub(gone.list.memory());
            }
        }
        self.clock += 1;
        self.used.insert(self.clock, key.clone());
        let kept = Kept {
            used: self.clock,
            list: list.clone(),
        };
        self.lists.insert(key, kept);
    }
}
