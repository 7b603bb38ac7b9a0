//! What a query asks for: its terms.
//!
//! Words are what stands between blanks; a phrase stands between double quotes. No operator is
//! known, so nothing in a query can mean anything but itself.

use super::fold::fold;

/// Longest query that is read, in characters.
pub const QUERY_CHARS: usize = 4096;
/// Most distinct terms.
pub const MAX_TERMS: usize = 64;
/// Longest term, in characters; what is longer is cut.
pub const TERM_CHARS: usize = 100;
/// With substring matching, shorter terms are dropped: they stand in nearly every text.
const SHORTEST: usize = 3;

/// How terms match (`[storage].tokenizer`, `[search].short_terms`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rules {
    /// Whole words alone match, instead of any part of one; terms of one character count too.
    pub whole_words: bool,
    /// With substring matching, keep terms of two characters: they match whole words, or inside of
    /// words where Chinese, Japanese or Korean is written.
    pub short_terms: bool,
}

/// One thing that is looked for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Term {
    /// The text, folded.
    pub folded: String,
    /// Whether it must begin and end where a word does.
    pub whole_word: bool,
}

/// A query, read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Terms {
    /// What is looked for: distinct, in the order of the query.
    pub used: Vec<Term>,
    /// Terms too short to be looked for, folded.
    pub dropped: Vec<String>,
}

impl Terms {
    /// Reads a query.
    #[must_use]
    pub fn read(query: &str, rules: Rules) -> Self {
        let text = plain(query);
        let mut terms = Self::default();
        for raw in split(&text) {
            if terms.used.len() == MAX_TERMS {
                break;
            }
            let cut: String = raw.chars().take(TERM_CHARS).collect();
            terms.add(fold(&cut).trim().to_owned(), rules);
        }
        terms
    }

    fn add(&mut self, folded: String, rules: Rules) {
        let length = folded.chars().count();
        let known = self.used.iter().any(|term| term.folded == folded);
        if length == 0 || known || self.dropped.contains(&folded) {
            return;
        }
        let whole_word = if rules.whole_words {
            true
        } else if length >= SHORTEST {
            false
        } else if rules.short_terms && length + 1 == SHORTEST {
            !folded.chars().any(is_cjk)
        } else {
            if self.dropped.len() < MAX_TERMS {
                self.dropped.push(folded);
            }
            return;
        };
        self.used.push(Term { folded, whole_word });
    }
}

/// The query without control characters, curly quotes straightened, cut at a term's end.
fn plain(query: &str) -> String {
    let mut text: String = query
        .chars()
        .take(QUERY_CHARS)
        .map(|c| match c {
            '“' | '”' | '„' => '"',
            c if c.is_control() => ' ',
            c => c,
        })
        .collect();
    let next = query.chars().nth(QUERY_CHARS);
    if next.is_some_and(|c| !c.is_whitespace() && !c.is_control())
        && let Some(end) = text.rfind(char::is_whitespace)
    {
        text.truncate(end);
    }
    // A quote without a partner is only a character in the way.
    if text.matches('"').count() % 2 == 1
        && let Some(stray) = text.rfind('"')
    {
        text.remove(stray);
    }
    text
}

/// Words outside of quotes and phrases inside of them, in order.
fn split(text: &str) -> impl Iterator<Item = &str> {
    text.split('"').enumerate().flat_map(|(at, part)| {
        let (phrase, words) = if at % 2 == 1 {
            (Some(part), "")
        } else {
            (None, part)
        };
        phrase.into_iter().chain(words.split_whitespace())
    })
}

/// Scripts that write words without blanks between them.
#[must_use]
pub fn is_cjk(c: char) -> bool {
    matches!(c,
        '\u{1100}'..='\u{11FF}' | '\u{2E80}'..='\u{2FDF}' | '\u{3005}'..='\u{3007}'
        | '\u{3040}'..='\u{30FF}' | '\u{3100}'..='\u{31BF}' | '\u{31F0}'..='\u{31FF}'
        | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7AF}'
        | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{323AF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    const SUBSTRING: Rules = Rules {
        whole_words: false,
        short_terms: false,
    };
    const SHORT: Rules = Rules {
        whole_words: false,
        short_terms: true,
    };

    fn used(query: &str, rules: Rules) -> Vec<String> {
        let terms = Terms::read(query, rules).used;
        terms.into_iter().map(|term| term.folded).collect()
    }

    #[test]
    fn words_and_phrases_are_terms_once_each() {
        assert_eq!(
            used("Invoice \"CSV writer\" invoice INVOICE tax", SUBSTRING),
            ["invoice", "csv writer", "tax"]
        );
    }

    #[test]
    fn stray_quotes_and_operators_mean_nothing() {
        assert_eq!(used("a\"bc invoice", SUBSTRING), ["abc", "invoice"]);
        assert_eq!(used("\"one two\" thr\"ee", SUBSTRING), ["one two", "three"]);
        assert_eq!(
            used("tax* NEAR(x) title:abc \"\"", SUBSTRING),
            ["tax*", "near(x)", "title:abc"]
        );
        assert_eq!(used("“curly quotes”", SUBSTRING), ["curly quotes"]);
    }

    #[test]
    fn control_characters_part_words() {
        assert_eq!(
            used("abc\u{0}def\u{1b}ghi", SUBSTRING),
            ["abc", "def", "ghi"]
        );
    }

    #[test]
    fn short_terms_are_dropped_and_named() {
        let terms = Terms::read("Go S3 日本 é invoice go", SUBSTRING);
        assert_eq!(terms.used.len(), 1);
        assert_eq!(terms.dropped, ["go", "s3", "日本", "e"]);
    }

    #[test]
    fn kept_short_terms_are_whole_words_or_pairs() {
        let terms = Terms::read("Go 日本 é", SHORT);
        let read: Vec<_> = terms
            .used
            .iter()
            .map(|term| (term.folded.as_str(), term.whole_word))
            .collect();
        assert_eq!(read, [("go", true), ("日本", false)]);
        assert_eq!(terms.dropped, ["e"]);
    }

    #[test]
    fn with_whole_words_a_single_letter_counts() {
        let rules = Rules {
            whole_words: true,
            short_terms: false,
        };
        let terms = Terms::read("x invoice", rules);
        assert!(terms.used.iter().all(|term| term.whole_word));
        assert_eq!(terms.used.len(), 2);
    }

    #[test]
    fn a_long_query_is_cut_between_terms() {
        let query = format!("{} tail", "word ".repeat(819));
        // 819 × 5 = 4,095 characters: the 4,096th is the first of "tail".
        assert_eq!(used(&query, SUBSTRING), ["word"]);
        let query = format!("{} {}", "x".repeat(4092), "abc d");
        assert_eq!(used(&query, SUBSTRING), ["x".repeat(100), "abc".to_owned()]);
    }

    #[test]
    fn terms_are_bounded_in_length_and_number() {
        let query: Vec<String> = (0..100).map(|n| format!("term{n:03}")).collect();
        let terms = used(&query.join(" "), SUBSTRING);
        assert_eq!(terms.len(), 64);
        assert_eq!(terms.last().unwrap(), "term063");
        assert_eq!(used(&"é".repeat(300), SUBSTRING), ["e".repeat(100)]);
    }
}
