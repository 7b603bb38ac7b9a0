//! Calls of a summariser side by side: a steady pool, never more than it may hold at once.
//!
//! A call that ends makes room for the next one at once; nothing waits for the slowest of a batch.
//! What waits is a place in a queue; the text of a segment is read when its call begins.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use jezero_connectors::{Instant, SourceName};
use tokio::task::{Id, JoinSet};

use crate::item::ProjectName;
use crate::redaction::Redacted;
use crate::summarizer::{Answer, Summarizer, SummarizerError, Task};

/// Which segment of which unit a call is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    /// Number of the unit in this run.
    pub(super) unit: u64,
    /// Which of its sealed segments.
    pub(super) segment: usize,
}

/// What a call is given, with nothing borrowed.
#[derive(Debug)]
pub(super) struct Given {
    pub(super) text: Redacted,
    pub(super) title_hint: Option<Redacted>,
    pub(super) part: (usize, usize),
    pub(super) source: SourceName,
    pub(super) project: Option<ProjectName>,
    pub(super) occurred_at: Instant,
}

impl Given {
    pub(super) fn task(&self) -> Task<'_> {
        Task {
            text: &self.text,
            title_hint: self.title_hint.as_ref(),
            part: self.part,
            source: &self.source,
            project: self.project.as_ref(),
            occurred_at: self.occurred_at,
        }
    }
}

/// What became of a call.
pub(super) type Outcome = Result<Answer, SummarizerError>;

/// The calls of a run.
#[derive(Debug)]
pub(super) struct Pool {
    limit: usize,
    waiting: VecDeque<Place>,
    running: JoinSet<(Given, Outcome)>,
    places: HashMap<Id, Place>,
}

impl Pool {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit: limit.max(1),
            waiting: VecDeque::new(),
            running: JoinSet::new(),
            places: HashMap::new(),
        }
    }

    /// Puts a call at the end of the queue.
    pub(super) fn queue(&mut self, place: Place) {
        self.waiting.push_back(place);
    }

    /// Whether more should be read: a queue as long as the pool is wide keeps it busy.
    pub(super) fn has_room(&self) -> bool {
        self.waiting.len() < self.limit
    }

    /// Whether calls are under way.
    pub(super) fn is_busy(&self) -> bool {
        !self.running.is_empty()
    }

    /// The next call to begin, if there is room for one.
    pub(super) fn next(&mut self) -> Option<Place> {
        (self.running.len() < self.limit)
            .then(|| self.waiting.pop_front())
            .flatten()
    }

    /// Takes all calls back that have not begun.
    pub(super) fn take_back(&mut self) -> Vec<Place> {
        self.waiting.drain(..).collect()
    }

    /// Begins a call.
    pub(super) fn begin(&mut self, place: Place, given: Given, summarizer: Arc<dyn Summarizer>) {
        let call = self.running.spawn(async move {
            let outcome = summarizer.summarize(&given.task()).await;
            (given, outcome)
        });
        self.places.insert(call.id(), place);
    }

    /// Waits for a call to end. `None` when none is under way.
    ///
    /// A call that panicked ends as a failure of its segment: its text is then not given back.
    pub(super) async fn ended(&mut self) -> Option<(Place, Option<Given>, Outcome)> {
        let (id, given, outcome) = match self.running.join_next_with_id().await? {
            Ok((id, (given, outcome))) => (id, Some(given), outcome),
            Err(broken) => (broken.id(), None, Err(SummarizerError::Broken)),
        };
        let place = self.places.remove(&id)?;
        Some((place, given, outcome))
    }
}
