//! Which words of a segment's dictionary hold a term.
//!
//! A term may stand anywhere in a word, so the dictionary is searched as the one text that it is in
//! memory. What must begin where a word does is found in the order of the words instead.

use memchr::memmem::Finder;

use super::loaded::{END, Segment};
use super::pack::Bytes;
use super::words::{CUT, GLUE, STRIDE};
use crate::store::search::document::{char_after, char_before};
use crate::store::search::fold::chars;

/// A word that holds a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Found {
    /// Where its postings begin.
    pub(super) from: u32,
    /// Where they end.
    pub(super) to: u32,
    /// How often the term stands in it.
    pub(super) times: u32,
}

/// A word of the dictionary.
#[derive(Debug, Clone, Copy)]
struct Word<'s> {
    start: usize,
    end: usize,
    postings: u32,
    /// Bytes of its postings.
    length: u32,
    /// The lengths of the words after it.
    lengths: Bytes<'s>,
}

/// What is looked for in a dictionary.
#[derive(Debug)]
pub(super) struct Pattern<'a> {
    pub(super) finder: Finder<'a>,
    /// Whether it must begin, and end, where a word does in the text.
    pub(super) edges: (bool, bool),
    /// Whether it must begin where the entry of the dictionary does, and end where it does.
    pub(super) anchored: (bool, bool),
}

impl Segment {
    /// The words that hold a pattern, each once.
    pub(super) fn words(&self, pattern: &Pattern<'_>) -> Vec<Found> {
        if pattern.anchored.0 {
            self.beginning(pattern)
        } else {
            self.holding(pattern)
        }
    }

    /// The words that hold a pattern anywhere, in order.
    fn holding(&self, pattern: &Pattern<'_>) -> Vec<Found> {
        let mut found: Vec<Found> = Vec::new();
        let mut word: Option<Word<'_>> = None;
        // The kept place before it.
        let mut near = 0;
        let mut at = 0;
        while let Some(next) = self
            .text
            .get(at..)
            .and_then(|rest| pattern.finder.find(rest))
        {
            let start = at + next;
            at = start + 1;
            if !self.stands(pattern, start) {
                continue;
            }
            let known = word.filter(|word| start < word.end);
            let Some(here) = known.or_else(|| self.word(start, word, &mut near)) else {
                continue;
            };
            word = Some(here);
            if self.counts_in_the_next(&here, start) {
                continue;
            }
            match found.last_mut().filter(|last| last.from == here.postings) {
                Some(last) => last.times += 1,
                None => found.push(here.found()),
            }
        }
        found
    }

    /// The words that begin with a pattern.
    fn beginning(&self, pattern: &Pattern<'_>) -> Vec<Found> {
        let needle = pattern.finder.needle();
        let glued = [&[GLUE], needle].concat();
        let mut found = Vec::new();
        for (prefix, skipped) in [(glued.as_slice(), 1), (needle, 0)] {
            let mut next = self.not_before(prefix);
            while let Some(word) = next.filter(|word| self.letters(word).starts_with(prefix)) {
                if self.stands(pattern, word.start + skipped) {
                    found.push(word.found());
                }
                next = self.after(word);
            }
        }
        found
    }

    /// The first word that does not come before a text.
    fn not_before(&self, text: &[u8]) -> Option<Word<'_>> {
        let after = self.places.partition_point(|place| {
            let letters = self.text.get(place.text as usize..).unwrap_or_default();
            let end = memchr::memchr(END, letters);
            end.and_then(|end| letters.get(..end)).unwrap_or_default() < text
        });
        let mut word = self.after(self.before_kept(after.saturating_sub(1))?)?;
        while self.letters(&word) < text {
            word = self.after(word)?;
        }
        Some(word)
    }

    fn letters(&self, word: &Word<'_>) -> &[u8] {
        self.text.get(word.start..word.end).unwrap_or_default()
    }

    /// Whether an occurrence begins and ends as it must.
    fn stands(&self, pattern: &Pattern<'_>, start: usize) -> bool {
        let end = start + pattern.finder.needle().len();
        let before = self.text.get(..start).unwrap_or_default();
        let after = self.text.get(end..).unwrap_or_default();
        let is_edge = |byte: Option<&u8>| matches!(byte, Some(&END | &GLUE));
        let missed_start = pattern.anchored.0 && !is_edge(before.last());
        let missed_end = pattern.anchored.1 && !is_edge(after.first());
        let cut_in = pattern.edges.0 && goes_on_before(before);
        let cut_off = pattern.edges.1 && goes_on_after(after);
        !(missed_start || missed_end || cut_in || cut_off)
    }

    /// Whether a word goes on in another window and an occurrence lies in that one too: what begins
    /// where the next window does is counted there.
    fn counts_in_the_next(&self, word: &Word<'_>, start: usize) -> bool {
        let text = self.letters(word);
        let skipped = usize::from(matches!(text.first(), Some(&CUT | &GLUE)));
        let ahead = text.get(skipped..start - word.start);
        text.last() == Some(&CUT) && ahead.is_some_and(|ahead| chars(ahead) >= STRIDE)
    }

    /// The word that holds a place of the text, which does not lie before the word `last`. `near` is
    /// the kept place before that, and is moved on.
    fn word<'s>(
        &'s self,
        place: usize,
        last: Option<Word<'s>>,
        near: &mut usize,
    ) -> Option<Word<'s>> {
        let wanted = u32::try_from(place).ok()?;
        // Mostly it is not far, so that steps of rising length find it.
        let rest = self.places.get(*near..)?;
        let mut step = 1;
        while rest.get(step).is_some_and(|place| place.text <= wanted) {
            step *= 2;
        }
        let stretch = rest.get(step / 2..rest.len().min(step + 1))?;
        let after = step / 2 + stretch.partition_point(|place| place.text <= wanted);
        *near += after.checked_sub(1)?;
        let kept = self.before_kept(*near)?;
        let mut word = last.filter(|last| last.start > kept.end).unwrap_or(kept);
        let passed = self.text.get(word.end..place)?;
        let mut words = passed.iter().filter(|byte| **byte == END).count();
        while words > 0 {
            word.postings += word.length;
            word.length = word.lengths.small()?;
            words -= 1;
        }
        word.start = word.end + 1 + memchr::memrchr(END, passed)?;
        word.end = place + memchr::memchr(END, self.text.get(place..)?)?;
        Some(word)
    }

    /// What stands before the word of a kept place: a word of no length.
    fn before_kept(&self, at: usize) -> Option<Word<'_>> {
        let place = self.places.get(at)?;
        let end = (place.text as usize).checked_sub(1)?;
        Some(Word {
            start: end,
            end,
            postings: place.postings,
            length: 0,
            lengths: Bytes::new(self.lengths.get(place.length as usize..)?),
        })
    }

    /// The word after one.
    fn after<'s>(&'s self, mut word: Word<'s>) -> Option<Word<'s>> {
        word.start = word.end + 1;
        word.end = word.start + memchr::memchr(END, self.text.get(word.start..)?)?;
        word.postings += word.length;
        word.length = word.lengths.small()?;
        Some(word)
    }
}

impl Word<'_> {
    /// One that holds a term once.
    fn found(&self) -> Found {
        Found {
            from: self.postings,
            to: self.postings + self.length,
            times: 1,
        }
    }
}

/// Whether the word goes on before a place: a letter or digit, or the sign that says so.
fn goes_on_before(text: &[u8]) -> bool {
    match text.last() {
        Some(byte) if byte.is_ascii() => byte.is_ascii_alphanumeric() || [CUT, GLUE].contains(byte),
        _ => char_before(text, text.len()).is_some_and(char::is_alphanumeric),
    }
}

/// Whether the word goes on after a place.
fn goes_on_after(text: &[u8]) -> bool {
    match text.first() {
        Some(byte) if byte.is_ascii() => byte.is_ascii_alphanumeric() || [CUT, GLUE].contains(byte),
        _ => char_after(text, 0).is_some_and(char::is_alphanumeric),
    }
}
