//! Groups the blocks of a unit into segments of at most `max_input_chars` characters.
//!
//! Greedy and in order; a boundary depends on the blocks before it alone, so that the earlier
//! segments of a grown session stay as they were (data model page, Segments of long sessions).
//! Limits count the characters of a block *before* redaction, so that a new rule never moves a
//! boundary.

use jezero_connectors::{Block, Instant, Locator};

use crate::redaction::Redacted;

/// A block whose text has been redacted and whose long pieces have been cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RedactedBlock {
    /// Where it stands in its source.
    pub locator: Locator,
    /// Where a reader starts again to read it first.
    pub position: u64,
    /// When it was written.
    pub instant: Instant,
    /// Characters before redaction, with long pieces counted as what is kept of them.
    pub size: usize,
    /// Its text.
    pub text: Redacted,
}

/// Characters that a block counts for: its pieces before redaction, each at most what is kept of
/// it, and the newlines between them.
#[must_use]
pub fn size_of(block: &Block) -> usize {
    let pieces = block.pieces.iter().map(|piece| {
        let length = piece.text.chars().count();
        piece.keep_chars.map_or(length, |keep| length.min(keep))
    });
    pieces.sum::<usize>() + block.pieces.len().saturating_sub(1)
}

/// Consecutive blocks that become one item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    /// Locator of the first block: the `N` of `<unit id>#<N>`.
    pub locator: Locator,
    /// Position of the first block.
    pub position: u64,
    /// The greatest instant of its blocks.
    pub occurred_at: Instant,
    /// Its blocks, joined by newlines.
    pub text: Redacted,
    /// Characters before redaction.
    size: usize,
}

/// Takes blocks and gives segments.
#[derive(Debug)]
pub struct Segmenter {
    limit: usize,
    open: Option<Segment>,
    last: Option<Locator>,
}

impl Segmenter {
    /// Starts a unit with segments of at most `limit` characters.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            open: None,
            last: None,
        }
    }

    /// Whether a block may follow: locators strictly increase within a unit.
    #[must_use]
    pub fn accepts(&self, locator: Locator) -> bool {
        self.last.is_none_or(|last| last < locator)
    }

    /// Adds a block; gives the segment that it closes, if it closes one.
    ///
    /// A block alone over the limit is shortened in the middle. A block whose locator does not
    /// increase (see [`Segmenter::accepts`]) is left out.
    pub fn push(&mut self, block: RedactedBlock) -> Option<Segment> {
        if !self.accepts(block.locator) {
            return None;
        }
        self.last = Some(block.locator);
        let (size, text) = match block.size {
            size if size > self.limit => (self.limit, block.text.cut_middle(self.limit)),
            size => (size, block.text),
        };
        if let Some(open) = &mut self.open
            && open.size + 1 + size <= self.limit
        {
            open.size += 1 + size;
            open.occurred_at = open.occurred_at.max(block.instant);
            open.text.push_line(&text);
            return None;
        }
        self.open.replace(Segment {
            locator: block.locator,
            position: block.position,
            occurred_at: block.instant,
            text,
            size,
        })
    }

    /// Ends the open segment: the next block begins another, however much room there is.
    pub fn cut(&mut self) -> Option<Segment> {
        self.open.take()
    }

    /// Ends the unit; gives the segment that was open.
    #[must_use]
    pub fn finish(self) -> Option<Segment> {
        self.open
    }
}

#[cfg(test)]
mod tests;
