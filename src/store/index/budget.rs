//! How much text a question may read.

use super::loaded::Segment;
use super::plan::Plan;

/// How many characters of text may be read for each term that spans words.
#[derive(Debug)]
pub(super) struct Budget {
    /// Of each term.
    left: Vec<u64>,
    /// Texts that were not read, counted once a term.
    pub(super) unread: u64,
}

impl Budget {
    /// So many characters for all terms together.
    pub(super) fn new(plans: &[Plan<'_>], characters: u64) -> Self {
        let reads = |plan: &&Plan<'_>| !matches!(plan, Plan::Counted(_));
        let sharing = plans.iter().filter(reads).count().max(1) as u64;
        Self {
            left: vec![characters / sharing; plans.len()],
            unread: 0,
        }
    }

    /// Whether so many characters may be read for a term.
    pub(super) fn affords(&self, term: usize, characters: u64) -> bool {
        self.left.get(term).is_some_and(|left| *left >= characters)
    }

    /// Takes what the last of some documents cost, as far as it goes: those with a mark count.
    ///
    /// Gives the place of the first that may be read. Documents that the caller cannot see change
    /// nothing, nor does what has been read before: what a question finds must hang on neither.
    pub(super) fn take(
        &mut self,
        term: usize,
        segment: &Segment,
        candidates: &[u32],
        visible: Option<&[u8]>,
    ) -> usize {
        let Some(left) = self.left.get_mut(term) else {
            return candidates.len();
        };
        let counts = |document: &u32| {
            visible.is_none_or(|marks| marks.get(*document as usize).is_some_and(|mark| *mark != 0))
        };
        for (at, document) in candidates.iter().enumerate().rev() {
            if !counts(document) {
                continue;
            }
            match left.checked_sub(characters(segment, *document)) {
                Some(rest) => *left = rest,
                None => {
                    // Nothing is left for older ones: what is read is always the newest.
                    *left = 0;
                    let unread = candidates.iter().take(at + 1).filter(|one| counts(one));
                    self.unread += unread.count() as u64;
                    return at + 1;
                }
            }
        }
        0
    }
}

/// Characters of a document's text.
pub(super) fn characters(segment: &Segment, document: u32) -> u64 {
    let length = segment.documents.lengths.get(document as usize);
    length.copied().map_or(0, u64::from)
}
