//! Words that are looked for all at once, without regard to ASCII case: an automaton whose states are
//! walked here, since a text may hold a word at every byte, and a short value costs more in what a
//! search sets up than in its bytes.

use aho_corasick::automaton::{Automaton, StateID};
use aho_corasick::dfa::DFA;
use aho_corasick::{Anchored, MatchKind, StartKind};

use super::text::{before, part};

/// Words that are found on both sides of a long run of one letter.
const RUN_EDGE: usize = 64;

/// Words and the automaton over them.
#[derive(Debug)]
pub(super) struct Walk {
    automaton: DFA,
    begin: StateID,
    lengths: Vec<usize>,
}

impl Walk {
    /// Builds the automaton.
    ///
    /// # Errors
    /// If the words are too many for one.
    pub(super) fn new<W: AsRef<[u8]>>(words: &[W]) -> Result<Self, String> {
        let automaton = DFA::builder()
            .match_kind(MatchKind::Standard)
            .start_kind(StartKind::Unanchored)
            .ascii_case_insensitive(true)
            .prefilter(false)
            .build(words)
            .map_err(|error| error.to_string())?;
        let begin = automaton
            .start_state(Anchored::No)
            .map_err(|error| error.to_string())?;
        Ok(Self {
            automaton,
            begin,
            lengths: words.iter().map(|word| word.as_ref().len()).collect(),
        })
    }

    /// Whether a word stands in a text.
    pub(super) fn finds(&self, text: &[u8]) -> bool {
        let mut state = self.begin;
        next_hit(&self.automaton, &mut state, text).is_some()
    }

    /// Tells every word between two places of a text, overlapping ones too, in the order of their
    /// ends: its number, its start and its end. Of a long run of one letter that is all words, the
    /// first and the last ones are told.
    pub(super) fn each(
        &self,
        text: &[u8],
        (from, to): (usize, usize),
        mut tell: impl FnMut(usize, usize, usize),
    ) {
        let text = part(text, 0, to);
        let (mut state, mut end) = (self.begin, from);
        while let Some(length) = next_hit(&self.automaton, &mut state, part(text, end, to)) {
            end += length;
            for which in 0..self.automaton.match_len(state) {
                let word = self.automaton.match_pattern(state, which).as_usize();
                let length = self.lengths.get(word).copied().unwrap_or(end);
                tell(word, end - length, end);
            }
            if length == 1 {
                end += self.within_run(text, from, end, state);
            }
        }
    }

    /// Bytes that can be passed over in a long run of one letter, as base64 of zeros is.
    fn within_run(&self, text: &[u8], from: usize, at: usize, state: StateID) -> usize {
        let letter = before(text, at);
        let alike = |start: usize| {
            let edge = part(text, start, start + RUN_EDGE);
            edge.len() == RUN_EDGE && edge.iter().all(|byte| *byte == letter)
        };
        let stays = at >= from + RUN_EDGE
            && self.automaton.next_state(Anchored::No, state, letter) == state
            && alike(at)
            && alike(at - RUN_EDGE);
        if !stays {
            return 0;
        }
        let tail = part(text, at, text.len());
        let run = tail.iter().position(|byte| *byte != letter);
        run.unwrap_or(tail.len()) - RUN_EDGE
    }
}

/// Walks to the next state in which words end; says how many bytes that took. Apart from what is
/// done at a word, so that the loop over the bytes stays small.
#[inline(never)]
fn next_hit(automaton: &DFA, state: &mut StateID, text: &[u8]) -> Option<usize> {
    let mut at = *state;
    for (passed, byte) in text.iter().enumerate() {
        at = automaton.next_state(Anchored::No, at, *byte);
        if automaton.is_special(at) && automaton.is_match(at) {
            *state = at;
            return Some(passed + 1);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(words: &[&str], text: &str, part: (usize, usize)) -> Vec<(usize, usize, usize)> {
        let mut found = Vec::new();
        let walk = Walk::new(words).expect("words");
        walk.each(text.as_bytes(), part, |word, start, end| {
            found.push((word, start, end));
        });
        found
    }

    #[test]
    fn all_words_are_told_in_the_order_of_their_ends() {
        let found = places(&["pass", "password", "word"], "a PASSword", (0, 10));
        assert_eq!(found, [(0, 2, 6), (1, 2, 10), (2, 6, 10)]);
    }

    #[test]
    fn no_word_reaches_beyond_the_places() {
        assert_eq!(places(&["key"], "key key key", (2, 10)), [(0, 4, 7)]);
        assert_eq!(places(&["key"], "key", (0, 99)), [(0, 0, 3)]);
    }

    #[test]
    fn of_a_long_run_of_one_letter_the_first_and_the_last_words_are_told() {
        for length in [3, 127, 128, 130, 131, 132, 1000] {
            for tail in ["", "b"] {
                let text = format!("{}{tail}", "aA".repeat(2) + &"a".repeat(length));
                let run = 4 + length;
                let found: Vec<usize> = places(&["aaaa"], &text, (0, text.len()))
                    .into_iter()
                    .map(|(_, start, _)| start)
                    .collect();
                let all: Vec<usize> = (0..=run - 4).collect();
                if length <= 128 {
                    assert_eq!(found, all, "{length}");
                } else {
                    assert_eq!(found.first(), Some(&0));
                    let edge = all.split_at(all.len() - RUN_EDGE).1;
                    assert!(found.ends_with(edge), "{length}: {found:?}");
                    assert!(found.starts_with(all.split_at(RUN_EDGE - 4).0), "{found:?}");
                }
            }
        }
    }

    #[test]
    fn a_word_is_found_without_regard_to_case() {
        let walk = Walk::new(&["your", "…"]).expect("words");
        assert!(walk.finds(b"a-YouR-key") && walk.finds("ab…".as_bytes()));
        assert!(!walk.finds(b"yo") && !walk.finds(b""));
    }
}
