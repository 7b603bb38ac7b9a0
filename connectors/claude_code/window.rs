//! What earlier records tell about a later one: names of tools, texts already seen, the last time.
//!
//! Everything here looks back a fixed number of bytes of the file and no further, also when the file
//! is read whole. So a reading that begins in the middle, that many bytes early, knows exactly what
//! a whole reading knows, and both give the same blocks. It bounds memory as well.

use std::collections::HashMap;

use crate::digest;
use crate::time::Instant;

/// How far back a connector looks, in bytes of the file. A tool's call and its result, or the pieces of one message,
/// lie nearer to each other than this unless a line between them is huge.
pub const REACH: u64 = 1024 * 1024;

/// Entries beyond this many are looked through for those out of reach.
const CROWDED: usize = 8192;

/// Why the result of a tool is of interest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// It is one of `keep_results_of`, by its place there.
    Result(usize),
    /// It is what the person answered to a question.
    Answer,
}

/// How a text of a message stands to those already seen of the same message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Novelty {
    /// New.
    New,
    /// Seen before.
    Repeated,
    /// Begins with a text seen before, that many bytes long.
    Extends(usize),
}

#[derive(Debug, Clone, Copy)]
struct Seen {
    offset: u64,
    length: usize,
    digest: u64,
}

/// The memory of a reading; see the module's own text.
#[derive(Debug)]
pub(super) struct Window {
    reach: u64,
    time: Option<(u64, Instant)>,
    tools: HashMap<u64, (u64, Wanted)>,
    said: HashMap<u64, Vec<Seen>>,
    prompts: HashMap<u64, (u64, bool)>,
    links: HashMap<u64, u64>,
    added: usize,
}

impl Window {
    /// Remembers nothing yet, and never looks back further than `reach` bytes.
    pub(super) fn new(reach: u64) -> Self {
        Self {
            reach,
            time: None,
            tools: HashMap::new(),
            said: HashMap::new(),
            prompts: HashMap::new(),
            links: HashMap::new(),
            added: 0,
        }
    }

    fn in_reach(&self, offset: u64, now: u64) -> bool {
        is_within(self.reach, offset, now)
    }

    /// Remembers a record's own time.
    pub(super) fn saw_time(&mut self, offset: u64, instant: Instant) {
        self.time = Some((offset, instant));
    }

    /// The time of the last record before `now` that has one.
    pub(super) fn last_time(&self, now: u64) -> Option<Instant> {
        self.time
            .filter(|(offset, _)| self.in_reach(*offset, now))
            .map(|(_, instant)| instant)
    }

    /// Remembers that a call's result will be of interest.
    pub(super) fn saw_call(&mut self, now: u64, id: &[u8], wanted: Wanted) {
        self.tools.insert(digest::fast(0, id), (now, wanted));
        self.added(now);
    }

    /// Why the result of a call is of interest, if it is.
    pub(super) fn wanted(&self, now: u64, id: &[u8]) -> Option<Wanted> {
        let (offset, wanted) = self.tools.get(&digest::fast(0, id))?;
        self.in_reach(*offset, now).then_some(*wanted)
    }

    /// Compares a text of a message with those seen of the same message, and remembers it.
    pub(super) fn said(&mut self, now: u64, message: &[u8], text: &[u8]) -> Novelty {
        let (digest, reach) = (digest::fast(1, text), self.reach);
        let seen = self.said.entry(digest::fast(0, message)).or_default();
        seen.retain(|seen| is_within(reach, seen.offset, now));
        let same = |seen: &&mut Seen| (seen.length, seen.digest) == (text.len(), digest);
        if let Some(before) = seen.iter_mut().find(same) {
            before.offset = now;
            return Novelty::Repeated;
        }
        let begins = |seen: &&Seen| {
            let head = text.get(..seen.length);
            seen.length > 0 && head.is_some_and(|head| digest::fast(1, head) == seen.digest)
        };
        let longest = seen.iter().filter(begins).map(|seen| seen.length).max();
        seen.push(Seen {
            offset: now,
            length: text.len(),
            digest,
        });
        self.added(now);
        longest.map_or(Novelty::New, Novelty::Extends)
    }

    /// Whether a prompt was already given: the nearest one before it with the same text was put in
    /// a queue while the agent was busy, so that this is its second appearance.
    pub(super) fn prompted(&mut self, now: u64, text: &str, queued: bool) -> bool {
        let before = self
            .prompts
            .insert(digest::fast(0, text.as_bytes()), (now, queued));
        self.added(now);
        before.is_some_and(|(offset, queued)| queued && self.in_reach(offset, now))
    }

    /// Whether a link was already seen.
    pub(super) fn linked(&mut self, now: u64, link: &str) -> bool {
        let before = self.links.insert(digest::fast(0, link.as_bytes()), now);
        self.added(now);
        before.is_some_and(|offset| self.in_reach(offset, now))
    }

    /// Counts what was added and forgets what is out of reach from time to time.
    fn added(&mut self, now: u64) {
        self.added += 1;
        if self.added < CROWDED {
            return;
        }
        self.added = 0;
        let in_reach = |offset: u64| is_within(self.reach, offset, now);
        self.tools.retain(|_, (offset, _)| in_reach(*offset));
        self.prompts.retain(|_, (offset, _)| in_reach(*offset));
        self.links.retain(|_, offset| in_reach(*offset));
        self.said
            .retain(|_, seen| seen.iter().any(|seen| in_reach(seen.offset)));
    }
}

fn is_within(reach: u64, offset: u64, now: u64) -> bool {
    now.saturating_sub(offset) <= reach
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeated_text_is_known_and_a_longer_one_tells_where_it_goes_on() {
        let mut window = Window::new(REACH);
        assert_eq!(window.said(0, b"m", b"The fix"), Novelty::New);
        assert_eq!(window.said(10, b"m", b"The fix"), Novelty::Repeated);
        assert_eq!(window.said(20, b"m", b"The fix is in"), Novelty::Extends(7));
        assert_eq!(
            window.said(30, b"m", b"The fix is in a.rs"),
            Novelty::Extends(13)
        );
        assert_eq!(window.said(40, b"other", b"The fix"), Novelty::New);
    }

    #[test]
    fn nothing_out_of_reach_counts() {
        let mut window = Window::new(REACH);
        window.saw_call(0, b"t", Wanted::Answer);
        assert_eq!(window.said(0, b"m", b"a"), Novelty::New);
        assert_eq!(window.wanted(REACH, b"t"), Some(Wanted::Answer));
        assert_eq!(window.wanted(REACH + 1, b"t"), None);
        assert_eq!(window.said(REACH + 1, b"m", b"a"), Novelty::New);
    }

    #[test]
    fn a_queued_prompt_counts_once_and_a_typed_one_each_time() {
        let mut window = Window::new(REACH);
        assert!(!window.prompted(0, "go on", true));
        assert!(window.prompted(10, "go on", false));
        assert!(!window.prompted(20, "go on", false));
    }
}
