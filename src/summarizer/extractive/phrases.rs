//! Looks for any of many phrases at once: anywhere in a text, or at its beginning.
//!
//! Lists are given as lines of phrases parted by bars.

use aho_corasick::AhoCorasick;

fn parted(lines: &[&'static str]) -> impl Iterator<Item = &'static str> {
    lines.iter().flat_map(|line| line.split('|'))
}

/// A set of phrases, in order of rank; letters of ASCII match in either case if asked for.
#[derive(Debug)]
pub(super) struct Phrases {
    /// `None` only if the phrases were too many to number, which their tests rule out.
    machine: Option<AhoCorasick>,
}

impl Phrases {
    /// Phrases that match as they are written.
    pub(super) fn exact(lines: &[&'static str]) -> Self {
        Self {
            machine: AhoCorasick::builder().build(parted(lines)).ok(),
        }
    }

    /// Phrases whose ASCII letters match in either case.
    pub(super) fn any_case(lines: &[&'static str]) -> Self {
        Self {
            machine: AhoCorasick::builder()
                .ascii_case_insensitive(true)
                .build(parted(lines))
                .ok(),
        }
    }

    /// Whether a text holds one of them.
    pub(super) fn are_in(&self, text: &str) -> bool {
        self.machine
            .as_ref()
            .is_some_and(|machine| machine.is_match(text))
    }

    /// What follows the first of them in a text.
    pub(super) fn after<'a>(&self, text: &'a str) -> Option<&'a str> {
        let found = self.machine.as_ref()?.find(text)?;
        text.get(found.end()..)
    }

    /// The rank, from zero, of the first phrase in the list that a text holds.
    pub(super) fn rank(&self, text: &str) -> Option<usize> {
        let machine = self.machine.as_ref()?;
        machine
            .find_overlapping_iter(text)
            .map(|found| found.pattern().as_usize())
            .min()
    }
}

/// Phrases that a text may begin with, whatever the case of their ASCII letters.
#[derive(Debug)]
pub(super) struct Openings {
    /// By their first byte, in lower case: a text is compared with a few of them only.
    by_first: Vec<Vec<&'static str>>,
}

impl Openings {
    /// Takes a list in.
    pub(super) fn of(lines: &[&'static str]) -> Self {
        let mut by_first = vec![Vec::new(); 256];
        for phrase in parted(lines) {
            let first = phrase
                .bytes()
                .next()
                .map(|first| first.to_ascii_lowercase());
            if let Some(phrases) = first.and_then(|first| by_first.get_mut(usize::from(first))) {
                phrases.push(phrase);
            }
        }
        // The longest first, so that "can you help me" is taken off whole.
        for phrases in &mut by_first {
            phrases.sort_by_key(|phrase: &&str| std::cmp::Reverse(phrase.len()));
        }
        Self { by_first }
    }

    /// The longest phrase that a text begins with, at a word's end.
    pub(super) fn opening(&self, text: &str) -> Option<&'static str> {
        let first = text.bytes().next()?.to_ascii_lowercase();
        let phrases = self.by_first.get(usize::from(first))?;
        phrases.iter().copied().find(|phrase| begins(text, phrase))
    }

    /// Whether a text begins with one of them.
    pub(super) fn open(&self, text: &str) -> bool {
        self.opening(text).is_some()
    }
}

/// Whether a text begins with a phrase, whatever the case of its ASCII letters, at a word's end.
fn begins(text: &str, phrase: &str) -> bool {
    let bytes = text.as_bytes();
    bytes
        .get(..phrase.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(phrase.as_bytes()))
        && (!phrase.ends_with(|c: char| c.is_ascii_alphanumeric())
            || !bytes
                .get(phrase.len())
                .is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_phrase_of_the_list_wins_wherever_it_stands() {
        let phrases = Phrases::exact(&["denied|not found", "not"]);
        assert_eq!(phrases.rank("not found: access denied"), Some(0));
        assert_eq!(phrases.rank("it is not found"), Some(1));
        assert_eq!(phrases.rank("Denied"), None);
        assert_eq!(phrases.after("it is not found"), Some(" found"));
        assert!(Phrases::any_case(&["denied"]).are_in("Denied"));
    }

    #[test]
    fn the_longest_opening_is_found_at_a_words_end() {
        let openings = Openings::of(&["can|can you", "más"]);
        assert_eq!(openings.opening("Can you see"), Some("can you"));
        assert_eq!(openings.opening("can yours"), Some("can"));
        assert_eq!(openings.opening("canned"), None);
        assert_eq!(openings.opening(""), None);
    }
}
