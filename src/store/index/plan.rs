//! How a term is looked for: in the dictionary alone, or there for candidates and then in the text.

use memchr::memmem::Finder;

use super::chain::Chain;
use super::lookup::Pattern;
use super::words::{Class, Piece, RUN, joiners, pieces};
use crate::store::search::Term;
use crate::store::search::terms::{TERM_CHARS, is_cjk};

/// Most conditions that candidates of one term must meet. More would cost more look-ups than they
/// spare texts.
const CONDITIONS: usize = 6;

/// How a term is found.
#[derive(Debug)]
pub(super) enum Plan<'a> {
    /// The words that hold it have all of its occurrences.
    Counted(Box<Pattern<'a>>),
    /// The words that it is made of nearly always say how often it stands in a document.
    Chained(Chain<'a>),
    /// Documents that meet all conditions may hold it; their texts tell.
    Verified(Vec<Condition<'a>>),
}

/// A document has a word that one of these patterns fits.
pub(super) type Condition<'a> = Vec<Pattern<'a>>;

impl<'a> Plan<'a> {
    /// Plans how to find a term.
    pub(super) fn new(term: &'a Term) -> Self {
        let text = term.folded.as_str();
        let parts: Vec<Piece<'a>> = pieces(text).collect();
        let length = text.chars().count();
        if let [only] = parts.as_slice()
            && only.text.len() == text.len()
            && length <= TERM_CHARS
        {
            match only.class {
                Class::Run if term.whole_word => {}
                Class::Run if length > RUN => {
                    if let Some(chain) = Chain::new(text) {
                        return Self::Chained(chain);
                    }
                }
                _ => return Self::Counted(Box::new(whole(term))),
            }
        }
        let mut conditions = Vec::new();
        for (at, part) in parts.iter().enumerate() {
            match part.class {
                Class::Run => runs(text, part, &mut conditions),
                Class::Mark if undecided(&parts, at) => {}
                _ => conditions.push(word(text, &parts, at, part)),
            }
        }
        // Long words are rare words.
        let length = |condition: &Condition<'_>| {
            condition
                .iter()
                .map(|pattern| pattern.finder.needle().len())
                .min()
        };
        conditions.sort_by_key(|condition| std::cmp::Reverse(length(condition)));
        conditions.truncate(CONDITIONS);
        Self::Verified(conditions)
    }
}

fn whole(term: &Term) -> Pattern<'_> {
    let text = term.folded.as_str();
    let letter = |c: Option<char>| term.whole_word && c.is_some_and(char::is_alphanumeric);
    Pattern {
        finder: Finder::new(text.as_bytes()),
        edges: (
            letter(text.chars().next()),
            letter(text.chars().next_back()),
        ),
        // Words of such text begin at every character, so that each occurrence begins one.
        anchored: (text.chars().all(is_cjk), false),
    }
}

impl<'a> Pattern<'a> {
    /// What stands at the beginning of a word.
    pub(super) fn begins_a_word(text: &'a str) -> Self {
        pattern(text, (true, false))
    }
}

fn pattern(text: &str, anchored: (bool, bool)) -> Pattern<'_> {
    let (text, anchored) = shortened(text, anchored);
    Pattern {
        finder: Finder::new(text.as_bytes()),
        edges: (false, false),
        anchored,
    }
}

/// The part of a text that lies in one window of any word that holds it.
fn shortened(text: &str, (start, end): (bool, bool)) -> (&str, (bool, bool)) {
    let mut places = text.char_indices().map(|(at, _)| at);
    if text.chars().count() <= TERM_CHARS {
        (text, (start, end))
    } else if end && !start {
        let from = places.nth_back(TERM_CHARS - 1);
        (
            from.and_then(|from| text.get(from..)).unwrap_or(text),
            (false, true),
        )
    } else {
        let to = places.nth(TERM_CHARS);
        (
            to.and_then(|to| text.get(..to)).unwrap_or(text),
            (start, false),
        )
    }
}

/// Whether marks at an end of the term may be, in a text, joiners inside of a word.
fn undecided(parts: &[Piece<'_>], at: usize) -> bool {
    let neighbour = match at {
        0 => parts.get(1),
        at if at + 1 == parts.len() => parts.get(at - 1),
        _ => None,
    };
    let (Some(part), Some(neighbour)) = (parts.get(at), neighbour) else {
        return false;
    };
    let touches = touch(part, neighbour) || touch(neighbour, part);
    touches
        && part.class == Class::Mark
        && neighbour.class == Class::Letter
        && joiners(part.text) == part.text.len()
}

fn touch(first: &Piece<'_>, second: &Piece<'_>) -> bool {
    first.start + first.text.len() == second.start
}

/// The condition of a piece of letters or marks: that a word is it, or begins or ends with it at the
/// ends of the term.
fn word<'a>(text: &'a str, parts: &[Piece<'a>], at: usize, part: &Piece<'a>) -> Condition<'a> {
    let end = part.start + part.text.len();
    let before = at.checked_sub(1).filter(|before| undecided(parts, *before));
    let after = Some(at + 1).filter(|after| undecided(parts, *after));
    let before = before
        .and_then(|at| parts.get(at))
        .filter(|before| touch(before, part));
    let after = after
        .and_then(|at| parts.get(at))
        .filter(|after| touch(part, after));
    let mut starts = vec![(part.start, part.start > 0)];
    starts.extend(before.map(|before| (before.start, false)));
    let mut ends = vec![(end, end < text.len())];
    ends.extend(after.map(|after| (after.start + after.text.len(), false)));
    let mut condition = Vec::new();
    for (start, at_start) in &starts {
        for (end, at_end) in &ends {
            let text = text.get(*start..*end).unwrap_or(part.text);
            condition.push(pattern(text, (*at_start, *at_end)));
        }
    }
    condition
}

/// The conditions of a piece of Chinese, Japanese or Korean.
fn runs<'a>(text: &'a str, part: &Piece<'a>, conditions: &mut Vec<Condition<'a>>) {
    let end = part.start + part.text.len();
    let places = part.text.char_indices().map(|(at, _)| at);
    let places: Vec<usize> = places.chain([part.text.len()]).collect();
    if places.len() <= RUN {
        // It is shorter than a word: the word is it where the run ends with it.
        conditions.push(vec![pattern(part.text, (true, end < text.len()))]);
    }
    for ends in places.windows(RUN + 1).take(CONDITIONS) {
        if let [from, .., to] = ends
            && let Some(word) = part.text.get(*from..*to)
        {
            conditions.push(vec![Pattern::begins_a_word(word)]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The conditions as text: `^` and `$` where a word must begin or end, `|` between choices.
    fn plan(text: &str) -> Vec<String> {
        let term = Term {
            folded: text.to_owned(),
            whole_word: false,
        };
        let shown = |pattern: &Pattern<'_>| {
            let (start, end) = pattern.anchored;
            let needle = String::from_utf8_lossy(pattern.finder.needle()).into_owned();
            format!(
                "{}{needle}{}",
                if start { "^" } else { "" },
                if end { "$" } else { "" }
            )
        };
        match Plan::new(&term) {
            Plan::Counted(pattern) => vec![format!("={}", shown(&pattern))],
            Plan::Chained(chain) => {
                let links = chain.patterns.iter().map(shown).collect::<Vec<_>>();
                vec![links.join("~")]
            }
            Plan::Verified(conditions) => conditions
                .iter()
                .map(|condition| condition.iter().map(shown).collect::<Vec<_>>().join("|"))
                .collect(),
        }
    }

    #[test]
    fn what_stands_in_one_word_is_counted_in_the_dictionary() {
        assert_eq!(plan("src/main.rs"), ["=src/main.rs"]);
        assert_eq!(plan("==="), ["===="]);
        assert_eq!(plan("日本"), ["=^日本"]);
        assert_eq!(plan("日本語"), ["=^日本語"]);
    }

    #[test]
    fn a_phrase_names_its_first_and_last_words_by_their_inner_ends() {
        assert_eq!(plan("borrow the value"), ["borrow$", "^value", "^the$"]);
        assert_eq!(plan("call(x)"), ["call$", "^($", "^x$", "^)"]);
    }

    #[test]
    fn joiners_at_an_end_may_be_part_of_a_word_or_not() {
        assert_eq!(plan("-foo"), ["^foo|-foo"]);
        assert_eq!(plan("foo. bar"), ["foo$", "^bar", "^.$"]);
        assert_eq!(plan("foo::"), ["foo$|foo::"]);
        assert_eq!(plan("(foo"), ["^foo", "($"]);
    }

    #[test]
    fn a_text_without_spaces_names_its_words() {
        assert_eq!(plan("日本語x"), ["^日本語", "^x"]);
        assert_eq!(plan("発行済み"), ["^発行済~^行済~^行済み"]);
        assert_eq!(plan("発行済み。"), ["^発行済", "^行済み", "^。"]);
        assert_eq!(plan("本語x"), ["^本語$", "^x"]);
        assert_eq!(plan("x語"), ["^語", "x$"]);
    }
}
