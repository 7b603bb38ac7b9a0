//! What a source must remember between two readings, as small key/value marks.
//!
//! A connector hands marks out with a unit; they are kept in the transaction that stores the
//! unit's items and come back through [`Memory`] at the next reading. The connector knows no store.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use crate::unit::Locator;

/// A key and what the connector wants back under it; nobody else reads it.
///
/// Nothing of it has been redacted, and it is stored: it holds numbers, digests and ids that the
/// source made, never text that a person or an agent wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// Names what is remembered, as a digest where its name could be anything (a file's path).
    pub key: String,
    /// What is remembered, in a form that the connector chooses. Forgotten by a reset.
    pub value: String,
    /// Under which name the thing is known. It outlives a reset, and is kept even for a unit that
    /// could not be stored, since a name once given stays. Empty where there is nothing to say.
    pub identity: String,
}

/// Where the last stored segment of a unit begins: a grown unit is read from there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tail {
    /// Locator of the segment's first block.
    pub locator: Locator,
    /// [`Block::position`](crate::Block::position) of that block.
    pub position: u64,
}

/// A mark as it comes back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recalled {
    /// The value as it was handed out; empty after a reset, and for what was never stored.
    pub value: String,
    /// The identity as it was handed out.
    pub identity: String,
    /// The unit's tail; `None` when nothing of it is stored or when the segments' size limit has
    /// changed since, so that a touched unit is to be read whole.
    pub tail: Option<Tail>,
}

/// All marks of one source, as they stood when the reading began.
#[derive(Debug, Clone, Default)]
pub struct Memory {
    marks: HashMap<String, Recalled>,
}

impl Memory {
    /// Gathers marks.
    #[must_use]
    pub fn new(marks: HashMap<String, Recalled>) -> Self {
        Self { marks }
    }

    /// What was remembered under a key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Recalled> {
        self.marks.get(key)
    }

    /// All marks, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Recalled)> {
        self.marks
            .iter()
            .map(|(key, recalled)| (key.as_str(), recalled))
    }
}

/// The memory of a reading, which may still be on its way when the reading begins: a source can
/// be listed in the meantime.
#[derive(Debug, Clone, Default)]
pub struct Recollection(Arc<OnceLock<Memory>>);

impl Recollection {
    /// Hands the memory over; the first time counts.
    pub fn arrive(&self, memory: Memory) {
        self.0.get_or_init(|| memory);
    }

    /// The memory. Waits for it, so it is asked for on a blocking thread only.
    #[must_use]
    pub fn memory(&self) -> &Memory {
        self.0.wait()
    }

    /// What was remembered under a key; waits as [`Recollection::memory`] does.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Recalled> {
        self.memory().get(key)
    }
}

impl From<Memory> for Recollection {
    fn from(memory: Memory) -> Self {
        Self(Arc::new(OnceLock::from(memory)))
    }
}
