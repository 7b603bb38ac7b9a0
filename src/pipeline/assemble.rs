//! From blocks to sealed segments: ownership, redaction, cutting, hashing.
//!
//! A sealed segment keeps its text compressed and only when it differs from what is stored, so
//! that memory is bounded by the segment in hand and not by the size of a session.

use std::collections::HashSet;

use jezero_connectors::{
    Block, Evidence, Extent, Instant, Locator, RecordKey, Tail, UnitId, UnitStart, render,
};

use super::{PipelineError, mask};
use crate::item::content_hash;
use crate::redaction::{Counts, Engine, Redacted, Seen};
use crate::segment::{RedactedBlock, Segment, Segmenter, size_of};
use crate::store::{
    ForgottenUnit, Frame, SourceId, Store, StoredSegment, StoredUnit, UnitRow, compress,
};

/// Who speaks in lines that the pipeline itself adds.
const SESSION: &str = "session";

/// A finished segment.
#[derive(Debug)]
pub(super) struct Sealed {
    pub(super) locator: Locator,
    pub(super) occurred_at: Instant,
    /// Lower-case hex of the SHA-256 of the redacted text.
    pub(super) hash: String,
    /// The text, compressed; `None` when the stored segment has the same hash.
    pub(super) frame: Option<Frame>,
    pub(super) chars: usize,
    pub(super) redactions: Counts,
    /// Secrets of the unit that were known when it began.
    pub(super) values: usize,
}

/// A unit while its blocks arrive.
#[derive(Debug)]
pub(super) struct Assembly {
    pub(super) start: UnitStart,
    pub(super) stored: Option<StoredUnit>,
    /// Stored units that have grown together with this one.
    pub(super) absorbed: Vec<StoredUnit>,
    pub(super) sealed: Vec<Sealed>,
    /// Records that this unit brings.
    pub(super) owned: Vec<(RecordKey, u64)>,
    /// Records left out because another unit owns them.
    pub(super) elsewhere: u64,
    /// Records left out because this unit already has them.
    pub(super) repeated: u64,
    /// Blocks left out because their locator does not increase.
    pub(super) disordered: u64,
    /// Characters of all blocks that stay.
    pub(super) chars: usize,
    /// Where the last segment begins, if a later reading may begin there.
    pub(super) tail: Option<Tail>,
    /// Digests of the secrets found in this unit, now and before.
    pub(super) values: Seen,
    /// How many of these were known before this reading.
    values_before: usize,
    pub(super) source: Option<SourceId>,
    segmenter: Segmenter,
    /// Bytes of compressed text held in memory.
    held: usize,
    /// How many may be.
    room: usize,
    /// Whether a segment is in hand.
    begun: bool,
    /// Secrets of the unit that were known when the segment in hand began.
    known: usize,
    seen: HashSet<RecordKey>,
    /// Secrets hidden in the segment in hand.
    counts: Counts,
    /// The unit that owns the records just left out.
    continues: Option<UnitRow>,
    /// What of this unit was forgotten and is not to be stored again.
    forgotten: ForgottenUnit,
}

/// Why a record is left out.
enum LeftOut {
    /// It stands twice in this unit, or was read already.
    Repeated,
    /// Another unit owns it.
    Elsewhere(UnitRow),
    /// It was forgotten, with another unit or, in the second place, with a segment of this one.
    Forgotten(bool),
}

impl Assembly {
    /// Opens a unit: its segments have at most `limit` characters, and `room` bytes of compressed
    /// text are held in memory before the rest is put aside.
    pub(super) fn open(
        start: UnitStart,
        source: Option<SourceId>,
        (limit, room): (usize, usize),
        store: &Store,
    ) -> Result<Self, PipelineError> {
        let (stored, absorbed) = match source {
            Some(source) => known(&start, source, store)?,
            None => (None, Vec::new()),
        };
        let values = stored
            .as_ref()
            .and_then(|unit| unit.seen.clone())
            .unwrap_or_default();
        let forgotten = store.forgotten(source, &start, stored.as_ref().map(|unit| unit.row))?;
        Ok(Self {
            forgotten,
            start,
            stored,
            absorbed,
            values_before: values.len(),
            values,
            sealed: Vec::new(),
            owned: Vec::new(),
            elsewhere: 0,
            repeated: 0,
            disordered: 0,
            chars: 0,
            tail: None,
            source,
            segmenter: Segmenter::new(limit),
            held: 0,
            room,
            begun: false,
            known: 0,
            seen: HashSet::new(),
            counts: Counts::default(),
            continues: None,
        })
    }

    /// The stored segments that this delivery replaces: all of them, or those from a locator on.
    pub(super) fn replaced(&self) -> &[StoredSegment] {
        self.parted().1
    }

    /// The stored segments before the part that was delivered.
    pub(super) fn kept(&self) -> &[StoredSegment] {
        self.parted().0
    }

    fn parted(&self) -> (&[StoredSegment], &[StoredSegment]) {
        let segments = self.stored.as_ref().map_or(&[][..], |unit| &unit.segments);
        match self.start.extent {
            Extent::Whole => (&[], segments),
            Extent::From(from) => {
                let at = segments.partition_point(|segment| segment.locator < from);
                segments.split_at_checked(at).unwrap_or((segments, &[]))
            }
        }
    }

    /// The stored segment that begins at a locator, among those that are replaced.
    pub(super) fn replaced_at(&self, locator: Locator) -> Option<&StoredSegment> {
        let segments = self.replaced();
        let at = segments.binary_search_by_key(&locator, |segment| segment.locator);
        at.ok().and_then(|at| segments.get(at))
    }

    /// Whether this delivery has a segment that begins at a locator.
    pub(super) fn produces(&self, locator: Locator) -> bool {
        let found = self
            .sealed
            .binary_search_by_key(&locator, |sealed| sealed.locator);
        found.is_ok()
    }

    /// Where the work was done: what is told now, else what is stored.
    pub(super) fn evidence(&self, told: Evidence) -> Evidence {
        let stored = self
            .stored
            .as_ref()
            .map(|unit| unit.evidence.clone())
            .unwrap_or_default();
        Evidence {
            named: told.named.or(stored.named),
            cwd: told.cwd.or(stored.cwd),
        }
    }

    /// Adds a block.
    pub(super) fn push(
        &mut self,
        block: &Block,
        engine: &Engine,
        store: &Store,
    ) -> Result<(), PipelineError> {
        if let Some(why) = self.left_out(block, store)? {
            match why {
                LeftOut::Elsewhere(owner) => {
                    self.elsewhere += 1;
                    self.continues = Some(owner);
                }
                LeftOut::Repeated => self.repeated += 1,
                LeftOut::Forgotten(here) => {
                    self.elsewhere += 1;
                    if here {
                        self.cut(store)?;
                    }
                }
            }
            return Ok(());
        }
        if block.pieces.is_empty() {
            return Ok(());
        }
        if !self.segmenter.accepts(block.locator) {
            self.disordered += 1;
            return Ok(());
        }
        self.owned
            .extend(block.record_key.map(|key| (key, block.locator.record)));
        let known = self.values.len();
        let mut counts = Counts::default();
        let mut size = size_of(block);
        let mut pieces = Vec::with_capacity(block.pieces.len() + 1);
        let continues = self.continues.take();
        if let Some(owner) = continues {
            let line = continuation(block.instant, &store.unit_id(owner)?);
            size += line.chars().count() + 1;
            pieces.push(engine.redact(&line));
        }
        for piece in &block.pieces {
            let text = engine.redact_seen(&piece.text, &mut self.values, &mut counts);
            pieces.push(match piece.keep_chars {
                Some(keep) => text.cut_middle(keep),
                None => text,
            });
        }
        self.chars += size;
        let closed = self.segmenter.push(RedactedBlock {
            locator: block.locator,
            position: block.position,
            instant: block.instant,
            size,
            text: Redacted::join(&pieces, "\n"),
        });
        let opens = closed.is_some() || !self.begun;
        if let Some(segment) = closed {
            self.seal(&segment, store)?;
        }
        if opens {
            self.begun = true;
            self.known = known;
            // A reading that begins at a continued block would not see the records before it, so
            // such a unit is read whole.
            let (locator, position) = (block.locator, block.position);
            self.tail = continues.is_none().then_some(Tail { locator, position });
        }
        self.counts.add(&counts);
        Ok(())
    }

    /// Ends the unit: seals the last segment, and hides in all of them what was found in one.
    pub(super) fn finish(&mut self, store: &Store) -> Result<(), PipelineError> {
        let segmenter = std::mem::replace(&mut self.segmenter, Segmenter::new(0));
        if let Some(segment) = segmenter.finish() {
            self.seal(&segment, store)?;
        }
        let values = &self.values;
        self.sealed
            .iter_mut()
            .try_for_each(|segment| mask::sealed(segment, values, store))
    }

    /// Whether this reading found secrets that earlier ones had not.
    pub(super) fn found_new_values(&self) -> bool {
        self.values.len() > self.values_before
    }

    /// Where a forgotten segment stood the next one begins anew, so that no boundary moves.
    fn cut(&mut self, store: &Store) -> Result<(), PipelineError> {
        if let Some(segment) = self.segmenter.cut() {
            self.seal(&segment, store)?;
            self.begun = false;
        }
        Ok(())
    }

    /// Whether a record is to be left out, and why.
    fn left_out(&mut self, block: &Block, store: &Store) -> Result<Option<LeftOut>, PipelineError> {
        if self.forgotten.holds(block) {
            return Ok(Some(LeftOut::Forgotten(true)));
        }
        let Some(key) = block.record_key else {
            return Ok(None);
        };
        if !self.seen.insert(key) {
            return Ok(Some(LeftOut::Repeated));
        }
        let Some(source) = self.source else {
            return Ok(None);
        };
        let Some(owner) = store.owner(source, key)? else {
            return Ok(None);
        };
        if let Some(number) = owner.unit.forgotten() {
            return Ok(Some(LeftOut::Forgotten(self.forgotten.has_part(number))));
        }
        let mut own = self.stored.iter().chain(&self.absorbed);
        let own = own.any(|unit| unit.row == owner.unit);
        Ok(match self.start.extent {
            _ if !own => Some(LeftOut::Elsewhere(owner.unit)),
            // Read already, in the part before this delivery.
            Extent::From(from) if owner.record < from.record => Some(LeftOut::Repeated),
            _ => None,
        })
    }

    /// Bytes of compressed text held in memory.
    pub(super) fn held(&self) -> usize {
        self.held.min(self.room)
    }

    /// Ends the unit for good: forgets what was put aside for it.
    pub(super) fn put_back(&self, store: &Store) -> Result<(), PipelineError> {
        for sealed in &self.sealed {
            if let Some(frame) = &sealed.frame {
                store.forget_aside(frame)?;
            }
        }
        Ok(())
    }

    /// Compresses a text; beyond what may be held in memory it is put aside.
    fn keep(&mut self, text: &Redacted, store: &Store) -> Result<Frame, PipelineError> {
        let frame = compress(text).map_err(PipelineError::Compress)?;
        self.held += frame.len();
        if self.held > self.room {
            return Ok(store.put_aside(&frame)?);
        }
        Ok(Frame::Held(frame))
    }

    fn seal(&mut self, segment: &Segment, store: &Store) -> Result<(), PipelineError> {
        let hash = content_hash(&segment.text);
        let same = self
            .replaced_at(segment.locator)
            .is_some_and(|stored| stored.content_hash == hash);
        let frame = match same {
            true => None,
            false => Some(self.keep(&segment.text, store)?),
        };
        self.sealed.push(Sealed {
            locator: segment.locator,
            occurred_at: segment.occurred_at,
            hash,
            frame,
            chars: segment.text.chars(),
            redactions: std::mem::take(&mut self.counts),
            values: self.known,
        });
        Ok(())
    }
}

/// What is stored under a unit's name or, if nothing is, under an earlier name of it; and the
/// stored units that it takes in.
fn known(
    start: &UnitStart,
    source: SourceId,
    store: &Store,
) -> Result<(Option<StoredUnit>, Vec<StoredUnit>), PipelineError> {
    let mut found = Vec::new();
    for id in std::iter::once(&start.id).chain(&start.formerly) {
        let unit = store.unit(source, id)?;
        // A name may be told twice.
        found.extend(unit.filter(|unit| found.iter().all(|f: &StoredUnit| f.row != unit.row)));
    }
    let mut found = found.into_iter();
    Ok((found.next(), found.collect()))
}

/// Bytes of compressed text that are held in memory, of all units in hand.
pub(super) const HELD: usize = 16 * 1024 * 1024;

fn continuation(instant: Instant, unit: &UnitId) -> String {
    render::line(instant, SESSION, &format!("continues {unit}"))
}

#[cfg(test)]
mod tests {
    use jezero_connectors::{OriginalRef, Piece};

    use super::*;

    #[test]
    fn what_memory_has_no_room_for_is_put_aside_and_reads_back() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("jezero.db")).unwrap();
        let engine = Engine::embedded();
        let start = UnitStart {
            formerly: Vec::new(),
            id: UnitId::new("u").unwrap(),
            original_ref: OriginalRef::new("scripted:u").unwrap(),
            account: None,
            extent: Extent::Whole,
            min_chars: 0,
        };
        let mut unit = Assembly::open(start, None, (1000, 0), &store).unwrap();
        let named = "DB_PASSWORD=quaint-Otter-77-parade";
        for (record, text) in ["typed quaint-Otter-77-parade there", named]
            .iter()
            .enumerate()
        {
            let block = Block {
                locator: Locator::record(record as u64),
                position: 0,
                instant: Instant::from_unix(0).unwrap(),
                record_key: None,
                pieces: vec![Piece {
                    text: format!("{text}{}", " padded".repeat(140)),
                    keep_chars: None,
                }],
            };
            unit.push(&block, &engine, &store).unwrap();
        }
        unit.finish(&store).unwrap();
        let starts = unit.sealed.iter().map(|sealed| {
            let frame = sealed.frame.as_ref().unwrap();
            assert!(matches!(frame, Frame::Aside(_)), "{frame:?}");
            let text = store.text_of(frame).unwrap();
            assert_eq!(sealed.hash, content_hash(&text));
            text.truncated(27).to_string()
        });
        let starts: Vec<String> = starts.collect();
        assert_eq!(
            starts,
            ["typed [REDACTED:seen] there", "DB_PASSWORD=[REDACTED:passw"]
        );
        unit.put_back(&store).unwrap();
        assert!(
            store
                .text_of(unit.sealed[0].frame.as_ref().unwrap())
                .is_err()
        );
    }
}
