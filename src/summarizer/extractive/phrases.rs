//! Looks for any of many phrases at once: anywhere in a text, or at its beginning.
//!
//! Lists are given as lines of phrases parted by bars. A straight apostrophe in a phrase also stands
//! for a curly one in the text.

use std::borrow::Cow;

use aho_corasick::AhoCorasick;

fn parted(lines: &[&'static str]) -> impl Iterator<Item = &'static str> {
    lines.iter().flat_map(|line| line.split('|'))
}

/// A phrase, and its form with curly apostrophes if it has any.
pub(super) fn spelled(phrase: &'static str) -> impl Iterator<Item = Cow<'static, str>> {
    let curly = phrase
        .contains('\'')
        .then(|| phrase.replace('\'', "’").into());
    std::iter::once(phrase.into()).chain(curly)
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
                .build(parted(lines).flat_map(spelled).map(Cow::into_owned))
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

/// How far into a text an apostrophe of its opening stands, in bytes.
const CURLY_BYTES: usize = 20;

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

    /// The length of the longest phrase that a text begins with, at a word's end, in bytes of the
    /// text.
    pub(super) fn opening(&self, text: &str) -> Option<usize> {
        let first = text.bytes().next()?.to_ascii_lowercase();
        let phrases = self.by_first.get(usize::from(first))?;
        let second = second(text);
        let straight = phrases
            .iter()
            .filter(|phrase| phrase.len() < 2 || self::second(phrase) == second)
            .find_map(|phrase| begins(text, phrase));
        // The first byte of a curly apostrophe; few texts open with one.
        let near = text.as_bytes().iter().take(CURLY_BYTES);
        match near.copied().any(|byte| byte == 0xE2) {
            true => straight.max(phrases.iter().find_map(|phrase| begins_curly(text, phrase))),
            false => straight,
        }
    }

    /// Whether a text begins with one of them.
    pub(super) fn open(&self, text: &str) -> bool {
        self.opening(text).is_some()
    }
}

/// The second byte of a text, in lower case: it rules most phrases out at once.
fn second(text: &str) -> Option<u8> {
    text.as_bytes().get(1).map(u8::to_ascii_lowercase)
}

/// How much of a text a phrase takes up at its beginning, whatever the case of its ASCII letters, if
/// it ends at a word's end.
fn begins(text: &str, phrase: &str) -> Option<usize> {
    let same = text
        .as_bytes()
        .get(..phrase.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(phrase.as_bytes()));
    (same && ends_a_word(text, phrase, phrase.len())).then_some(phrase.len())
}

/// Whether a phrase that takes up `length` bytes of a text does not end within a word.
fn ends_a_word(text: &str, phrase: &str, length: usize) -> bool {
    let within = phrase.ends_with(|c: char| c.is_ascii_alphanumeric())
        && text
            .as_bytes()
            .get(length)
            .is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    !within
}

/// The same for a text with curly apostrophes.
fn begins_curly(text: &str, phrase: &str) -> Option<usize> {
    if !phrase.contains('\'') {
        return None;
    }
    let mut rest = text;
    for part in phrase.split_inclusive('\'') {
        let letters = part.trim_end_matches('\'');
        let start = rest.get(..letters.len())?;
        if !start.eq_ignore_ascii_case(letters) {
            return None;
        }
        rest = rest.get(letters.len()..)?;
        if letters.len() < part.len() {
            rest = rest.strip_prefix(['’', '\''])?;
        }
    }
    let length = text.len() - rest.len();
    ends_a_word(text, phrase, length).then_some(length)
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
        assert_eq!(openings.opening("Can you see"), Some("can you".len()));
        assert_eq!(openings.opening("can yours"), Some("can".len()));
        assert_eq!(openings.opening("canned"), None);
        assert_eq!(openings.opening(""), None);
    }

    #[test]
    fn curly_apostrophes_are_apostrophes() {
        let openings = Openings::of(&["i'm going to|don't"]);
        assert_eq!(
            openings.opening("I’m going to look"),
            Some("I’m going to".len())
        );
        assert_eq!(openings.opening("I’m going"), None);
        assert_eq!(openings.opening("Don’t"), Some("Don’t".len()));
        assert!(Phrases::any_case(&["doesn't"]).are_in("it doesn’t work"));
    }
}
