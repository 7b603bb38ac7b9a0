//! Which terms of a query an item holds, and the piece of its text that shows most of them.

use crate::item::Item;
use crate::store::search::Term;
use crate::store::search::fold::fold;

/// About how long a snippet is, in characters.
const SNIPPET: usize = 160;

/// What of an item answers a query.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Excerpt {
    /// The terms that it holds, folded, in the order of the query.
    pub matched: Vec<String>,
    /// A piece of one of its texts, cut between words.
    pub snippet: String,
}

impl Excerpt {
    /// Looks at texts, those that say most first, with the terms of a query.
    pub(super) fn of(texts: &[&str], terms: &[Term]) -> Self {
        let folded: Vec<String> = texts.iter().map(|text| fold(text)).collect();
        let matched = terms
            .iter()
            .filter(|term| folded.iter().any(|text| holds(text, term)))
            .map(|term| term.folded.clone())
            .collect();
        let pieces = texts.iter().flat_map(|text| pieces(text));
        let mut best = (0, "");
        for piece in pieces {
            let folded = fold(piece);
            let held = terms.iter().filter(|term| holds(&folded, term)).count();
            if held > best.0 || best.1.is_empty() {
                best = (held, piece);
            }
        }
        Self {
            matched,
            snippet: best.1.to_owned(),
        }
    }
}

/// The texts of an item, those that say most first.
pub(super) fn texts(item: &Item) -> Vec<&str> {
    let mut texts = vec![item.summary.as_str()];
    texts.extend(item.atoms.iter().map(|atom| atom.text.as_str()));
    texts.extend(
        item.questions
            .iter()
            .map(crate::redaction::Redacted::as_str),
    );
    texts.push(item.title.as_str());
    texts.extend(item.project.as_ref().map(|project| project.as_str()));
    texts
}

fn holds(folded: &str, term: &Term) -> bool {
    if !term.whole_word {
        return folded.contains(&term.folded);
    }
    folded.match_indices(&term.folded).any(|(at, found)| {
        let before = folded.get(..at).and_then(|text| text.chars().next_back());
        let after = folded
            .get(at + found.len()..)
            .and_then(|text| text.chars().next());
        !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
    })
}

/// Overlapping pieces of a text, each of about [`SNIPPET`] characters and cut at blanks.
fn pieces(text: &str) -> Vec<&str> {
    let mut starts = vec![0];
    let mut since = 0;
    for (at, c) in text.char_indices() {
        since += 1;
        if c.is_whitespace() && since >= SNIPPET / 2 {
            starts.push(at + c.len_utf8());
            since = 0;
        }
    }
    starts
        .into_iter()
        .filter_map(|start| {
            let rest = text.get(start..)?;
            let end = rest
                .char_indices()
                .nth(SNIPPET)
                .map_or(rest.len(), |(at, _)| {
                    let cut = rest
                        .get(..at)
                        .and_then(|head| head.rfind(char::is_whitespace));
                    cut.unwrap_or(at)
                });
            rest.get(..end).map(str::trim)
        })
        .filter(|piece| !piece.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_overlap_and_end_between_words() {
        let text = "wort ".repeat(100);
        let pieces = pieces(&text);
        assert!(pieces.len() > 4);
        for piece in pieces {
            assert!(piece.chars().count() <= SNIPPET);
            assert!(
                piece.ends_with("wort") && piece.starts_with("wort"),
                "{piece}"
            );
        }
        assert_eq!(super::pieces(&"é".repeat(400))[0].chars().count(), SNIPPET);
    }

    #[test]
    fn a_whole_word_is_not_found_inside_of_another() {
        let term = |whole_word| Term {
            folded: "go".to_owned(),
            whole_word,
        };
        assert!(holds("let it go.", &term(true)));
        assert!(!holds("cargo", &term(true)));
        assert!(holds("cargo", &term(false)));
    }
}
