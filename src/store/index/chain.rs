//! Terms of more Chinese, Japanese or Korean characters than a word of the dictionary has, counted
//! without a look at the text where that leaves no doubt.
//!
//! The term ABCD stands where ABC does and BCD with it. Each time that BC stands in a text, A comes
//! before it or not, D after it or not; so ABCD stands there no more often than ABC or BCD, and at
//! least as often as both together exceed BC. Where the two bounds meet, that is how often. Words of
//! three tell so much of such text that they nearly always meet. The counts are of weights, which
//! add up in the same way.

use super::list::List;
use super::lookup::Pattern;
use super::words::RUN;

/// Most words that a term is made of here. Longer terms stand in few documents, and each word is a
/// list to read.
const LINKS: usize = 12;

/// A term as the words that begin at each of its characters.
#[derive(Debug)]
pub(super) struct Chain<'a> {
    /// Its words, in order; and between each two the characters that they share.
    pub(super) patterns: Vec<Pattern<'a>>,
}

/// What is known of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Known {
    /// The weight of the term in it.
    Weight(u32),
    /// Its text must tell.
    Doubt,
}

impl<'a> Chain<'a> {
    /// Takes a term of such characters alone; nothing if it is too short, or too long.
    pub(super) fn new(term: &'a str) -> Option<Self> {
        let places = term.char_indices().map(|(at, _)| at);
        let places: Vec<usize> = places.chain([term.len()]).collect();
        let links = places.len().checked_sub(RUN + 1)?.checked_add(1)?;
        if !(2..=LINKS).contains(&links) {
            return None;
        }
        let mut patterns = Vec::new();
        for ends in places.windows(RUN + 1) {
            let [first, second, .., end] = ends else {
                return None;
            };
            patterns.push(Pattern::begins_a_word(term.get(*first..*end)?));
            if *end < term.len() {
                patterns.push(Pattern::begins_a_word(term.get(*second..*end)?));
            }
        }
        Some(Self { patterns })
    }
}

/// How much a document holds of a term, whose lists are those of a chain's patterns.
pub(super) fn known(lists: &[List], document: u32) -> Known {
    let mut weights = lists.iter().map(|list| list.weight(document));
    let first = weights.next().unwrap_or(0);
    let (mut least, mut most) = (first, first);
    while let (Some(shared), Some(next)) = (weights.next(), weights.next()) {
        least = (least.saturating_add(next)).saturating_sub(shared);
        most = most.min(next);
        if most == 0 {
            return Known::Weight(0);
        }
    }
    if least == most {
        Known::Weight(most)
    } else {
        Known::Doubt
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(term: &str) -> Vec<String> {
        let shown = |pattern: &Pattern<'_>| {
            assert_eq!(pattern.anchored, (true, false));
            String::from_utf8(pattern.finder.needle().to_vec()).unwrap()
        };
        let chain = Chain::new(term);
        chain.map_or(Vec::new(), |chain| {
            chain.patterns.iter().map(shown).collect()
        })
    }

    fn holding(weights: &[u32]) -> Known {
        let list = |weight: &u32| List::Few(vec![(7, *weight)]);
        known(&weights.iter().map(list).collect::<Vec<_>>(), 7)
    }

    #[test]
    fn a_term_is_its_words_and_what_they_share() {
        assert_eq!(chain("発行済み"), ["発行済", "行済", "行済み"]);
        assert_eq!(
            chain("東京都の設"),
            ["東京都", "京都", "京都の", "都の", "都の設"]
        );
        assert!(chain("日本語").is_empty());
        assert_eq!(chain(&"語".repeat(14)).len(), 23);
        assert!(chain(&"語".repeat(15)).is_empty());
    }

    #[test]
    fn a_document_without_one_of_the_words_does_not_hold_the_term() {
        assert_eq!(holding(&[2, 4, 0]), Known::Weight(0));
        assert_eq!(holding(&[0, 4, 4]), Known::Weight(0));
    }

    #[test]
    fn where_all_that_is_shared_lies_in_one_of_the_words_the_other_is_the_count() {
        // 発行済 twice, 行済 nowhere else, 行済み once.
        assert_eq!(holding(&[4, 4, 2]), Known::Weight(2));
        assert_eq!(holding(&[2, 5, 5, 9, 9]), Known::Weight(2));
    }

    #[test]
    fn where_it_may_lie_in_either_the_text_must_tell() {
        assert_eq!(holding(&[2, 4, 2]), Known::Doubt);
        // More of both than of what they share is certain: 3 + 3 - 4.
        assert_eq!(holding(&[3, 4, 3]), Known::Doubt);
    }
}
