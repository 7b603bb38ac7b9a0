//! What a connector sends: units made of blocks, through a bounded channel.
//!
//! A unit travels as a stream (start, blocks, end), so that memory is bounded by what the channel
//! holds and not by the size of a session. Nothing of a unit counts before its [`UnitEnd`]: a
//! reader that fails in the middle sends [`Event::Abandoned`] and the unit is as if never read.

use std::fmt;

use sha2::{Digest, Sha256};
use tokio::sync::mpsc;

use crate::error::ConnectorError;
use crate::marks::Mark;
use crate::source::{OriginalRef, Trust, UnitId};
use crate::time::Instant;

/// Where a block stands in its source: a zero-based line or record, which never moves when the
/// source grows. A second object on one line is part 1 of that record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Locator {
    /// Line or record, from zero.
    pub record: u64,
    /// Object inside of the record, from zero.
    pub part: u32,
}

impl Locator {
    /// The first object of a record.
    #[must_use]
    pub fn record(record: u64) -> Self {
        Self { record, part: 0 }
    }
}

/// Writes `812`, or `812.1` for a second object on line 812.
impl fmt::Display for Locator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.part {
            0 => write!(f, "{}", self.record),
            part => write!(f, "{}.{part}", self.record),
        }
    }
}

impl std::str::FromStr for Locator {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (record, part) = text.split_once('.').unwrap_or((text, "0"));
        Ok(Self {
            record: record.parse()?,
            part: part.parse()?,
        })
    }
}

/// An 8-byte hash of a source's own record id (a uuid, a Message-ID); says which unit owns a
/// record that several units carry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecordKey(pub i64);

impl RecordKey {
    /// Hashes a record id.
    #[must_use]
    pub fn of(id: &[u8]) -> Self {
        let digest = Sha256::digest(id);
        let mut first = [0; 8];
        first.copy_from_slice(digest.get(..8).unwrap_or(&[0; 8]));
        Self(i64::from_le_bytes(first))
    }
}

/// One rendered line group of a block, with the number of characters worth keeping.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Rendered text, header included.
    pub text: String,
    /// Characters to keep after redaction; the middle of a longer text is left out.
    pub keep_chars: Option<usize>,
}

/// Everything that one record of the source renders to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Where it stands; strictly increasing within a unit.
    pub locator: Locator,
    /// Where a reader starts again to read this block first (a byte offset for files).
    pub position: u64,
    /// When it was written.
    pub instant: Instant,
    /// Hash of the record's own id, if it has one.
    pub record_key: Option<RecordKey>,
    /// Its texts, in order; joined by a newline.
    pub pieces: Vec<Piece>,
}

impl Block {
    /// Bytes of text, used to bound what travels at once.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.pieces.iter().map(|piece| piece.text.len()).sum()
    }
}

/// What a source says of where the work was done; the project rules turn it into a project.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Evidence {
    /// A project that the source names outright (a sidecar, a task's project).
    pub named: Option<String>,
    /// The working folder, absolute, as the source wrote it.
    pub cwd: Option<String>,
}

/// Which part of a unit is delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// All of it: what is no longer produced may be pruned.
    Whole,
    /// From a locator on; everything before it is as it was.
    From(Locator),
}

/// Opens a unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnitStart {
    /// Its id, stable for as long as the source has it.
    pub id: UnitId,
    /// Units whose items belong to this one from now on: its own earlier names, and units that have
    /// grown together with it. If nothing is stored under [`id`](Self::id), the first of these that
    /// is stored is renamed and keeps its items; all others are taken in: what they own is this
    /// unit's, and their items are removed once this unit is stored. Delivered [`Extent::Whole`].
    pub formerly: Vec<UnitId>,
    /// Names the original.
    pub original_ref: OriginalRef,
    /// The mailbox or account it belongs to, for sources that have one.
    pub account: Option<String>,
    /// Which part follows.
    pub extent: Extent,
    /// A unit with fewer rendered characters is not worth an item.
    pub min_chars: usize,
}

/// Closes a unit: what is known only at its end.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UnitEnd {
    /// A title that the source gives; `None` keeps a stored one.
    pub title_hint: Option<String>,
    /// Where the work was done; empty keeps what is stored when only the end was read.
    pub evidence: Evidence,
    /// Lowers the source's trust for this unit.
    pub trust: Option<Trust>,
    /// What to remember once the unit is stored.
    pub marks: Vec<Mark>,
}

/// One step of a delivery, in this order for each unit: start, blocks (any number), end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A unit begins.
    Start(UnitStart),
    /// Some of its blocks, in order.
    Blocks(Vec<Block>),
    /// It is complete.
    End(UnitEnd),
    /// It could not be read to its end; nothing of it counts.
    Abandoned,
    /// Marks that belong to no unit's text: units too small to deliver, files passed over.
    Marks(Vec<Mark>),
}

/// How much text travels in one [`Event::Blocks`].
const BATCH_BYTES: usize = 64 * 1024;
/// How many events may wait; times [`BATCH_BYTES`] bounds what is in flight.
const WAITING: usize = 16;

/// The sending end of a delivery. A connector that reads files uses [`Sink::send_blocking`] from a
/// blocking thread, one that talks to a server [`Sink::send`].
#[derive(Debug)]
pub struct Sink {
    sender: mpsc::Sender<Event>,
    batch: Vec<Block>,
    bytes: usize,
}

impl Sink {
    /// Makes a delivery: the connector's end and the pipeline's end.
    #[must_use]
    pub fn channel() -> (Self, mpsc::Receiver<Event>) {
        let (sender, receiver) = mpsc::channel(WAITING);
        (
            Self {
                sender,
                batch: Vec::new(),
                bytes: 0,
            },
            receiver,
        )
    }

    /// Sends one event from async code. Blocks are gathered and sent with the next full batch.
    ///
    /// # Errors
    /// [`ConnectorError::Stopped`] when the receiver wants no more (a limit is reached, a stop was
    /// asked for): return at once, with what was reported so far.
    pub async fn send(&mut self, event: Event) -> Result<(), ConnectorError> {
        for event in self.due(event) {
            self.sender
                .send(event)
                .await
                .map_err(|_| ConnectorError::Stopped)?;
        }
        Ok(())
    }

    /// Sends one event from a blocking thread.
    ///
    /// # Errors
    /// As [`Sink::send`].
    pub fn send_blocking(&mut self, event: Event) -> Result<(), ConnectorError> {
        for event in self.due(event) {
            self.sender
                .blocking_send(event)
                .map_err(|_| ConnectorError::Stopped)?;
        }
        Ok(())
    }

    /// Ends when the receiver wants no more, also while nothing is being sent: one that waits for a
    /// server need not wait for its answer then.
    pub fn closed(&self) -> impl Future<Output = ()> + Send + use<> {
        let sender = self.sender.clone();
        async move { sender.closed().await }
    }

    fn due(&mut self, event: Event) -> Vec<Event> {
        match event {
            Event::Blocks(blocks) => {
                self.bytes += blocks.iter().map(Block::bytes).sum::<usize>();
                self.batch.extend(blocks);
                if self.bytes < BATCH_BYTES {
                    return Vec::new();
                }
                self.bytes = 0;
                vec![Event::Blocks(std::mem::take(&mut self.batch))]
            }
            other => {
                self.bytes = 0;
                let mut due = Vec::with_capacity(2);
                if !self.batch.is_empty() {
                    due.push(Event::Blocks(std::mem::take(&mut self.batch)));
                }
                due.push(other);
                due
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locators_order_by_line_then_object_and_read_back_as_written() {
        let second = Locator {
            record: 812,
            part: 1,
        };
        assert!(Locator::record(812) < second && second < Locator::record(813));
        assert_eq!(second.to_string(), "812.1");
        assert_eq!("812.1".parse(), Ok(second));
        assert_eq!("812".parse(), Ok(Locator::record(812)));
    }
}
