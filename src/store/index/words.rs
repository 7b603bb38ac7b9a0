//! Cutting folded text into words: the entries of the dictionary.
//!
//! Every character but a space stands in a word, so that whatever a term is made of, something of it
//! is in the dictionary. Kinds of word:
//!
//! - letters and digits, with up to three [joiners](Class::Joiner) between them: `src/main.rs`,
//!   `don't`, `std::vec`, `2026-10-09`. A term of that shape stands inside of one word or not at all,
//!   so it is counted in the dictionary without a look at any text;
//! - marks: a run of other characters, `"(` or `===`;
//! - runs: of Chinese, Japanese and Korean text, where no spaces end a word, what begins at each
//!   character and goes on for [`RUN`] characters or to the end. A term of up to so many characters
//!   begins one of these words wherever it stands.
//!
//! A word longer than [`STRIDE`] is entered as windows that overlap by [`OVERLAP`]: an occurrence of
//! a term of at most [`TERM_CHARS`] characters that begins in a window's first [`STRIDE`] characters
//! lies in that window whole. [`CUT`] stands at the ends where the word goes on.

use crate::store::search::terms::{TERM_CHARS, is_cjk};

/// Characters of a window that belong to it alone.
pub(super) const STRIDE: usize = 200;
/// Characters that a window shares with the next.
const OVERLAP: usize = TERM_CHARS - 1;
/// Stands where a window ends and its word does not. No folded text holds it.
pub(super) const CUT: u8 = 1;
/// Stands where a word ends because a run begins: no end for those
/// who look for whole words. No folded text holds it.
pub(super) const GLUE: u8 = 2;
/// Characters of a word of Chinese, Japanese or Korean.
pub(super) const RUN: usize = 3;
/// Most joiners between two letters.
const JOINED: usize = 3;

/// What a character is to the cutting of words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// Ends words.
    Space,
    /// Letters, digits, `_`, and whatever is none of the others.
    Letter,
    /// ASCII punctuation but brackets and quotes: between letters it makes one word of them.
    Joiner,
    /// Brackets, quotes, and signs outside of ASCII.
    Mark,
    /// Chinese, Japanese, Korean.
    Run,
}

impl Class {
    fn is_mark(self) -> bool {
        matches!(self, Self::Joiner | Self::Mark)
    }
}

/// The class of a character of folded text.
pub(super) fn class(c: char) -> Class {
    match c {
        ' ' | '\n' => Class::Space,
        '_' => Class::Letter,
        '"' | '`' | '(' | ')' | '[' | ']' | '{' | '}' | '^' => Class::Mark,
        c if c.is_ascii_alphanumeric() => Class::Letter,
        c if c.is_ascii() => Class::Joiner,
        c if is_cjk(c) => Class::Run,
        c if c.is_alphanumeric() => Class::Letter,
        // Latin-1 signs; general punctuation to arrows and symbols; CJK punctuation; emoji.
        '\u{A1}'..='\u{BF}'
        | '×'
        | '÷'
        | '\u{2010}'..='\u{2BFF}'
        | '\u{3000}'..='\u{303F}'
        | '\u{FE10}'..='\u{FE6F}'
        | '\u{FF00}'..='\u{FFFF}'
        | '\u{1F000}'..='\u{1FAFF}' => Class::Mark,
        // Vowel signs and other parts of words that are no letters of their own.
        _ => Class::Letter,
    }
}

/// A stretch of text that makes one or more words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece<'a> {
    /// The text.
    pub(super) text: &'a str,
    /// What it is made of: [`Class::Letter`] (joiners included), [`Class::Mark`] or [`Class::Run`].
    pub(super) class: Class,
    /// Where it begins, in bytes.
    pub(super) start: usize,
    /// Whether a character of a run touches its beginning, and its end.
    pub(super) glued: (bool, bool),
}

/// The pieces of a text.
pub(super) fn pieces(text: &str) -> Pieces<'_> {
    Pieces {
        text,
        at: 0,
        after_run: false,
    }
}

/// The pieces of a text, in order.
#[derive(Debug)]
pub(super) struct Pieces<'a> {
    text: &'a str,
    at: usize,
    after_run: bool,
}

impl<'a> Iterator for Pieces<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
        loop {
            let rest = self.text.get(self.at..)?;
            let first = class(rest.chars().next()?);
            if first == Class::Space {
                let spaces = run(rest, |class| class == Class::Space);
                self.at += spaces;
                self.after_run = false;
                continue;
            }
            let (length, kind) = match first {
                Class::Run => (run(rest, |class| class == Class::Run), Class::Run),
                Class::Letter => (letters(rest), Class::Letter),
                _ => (run(rest, Class::is_mark), Class::Mark),
            };
            let (text, after) = rest.split_at_checked(length)?;
            let before_run = after.chars().next().is_some_and(is_cjk);
            let piece = Piece {
                text,
                class: kind,
                start: self.at,
                glued: (self.after_run, before_run),
            };
            self.at += length;
            self.after_run = kind == Class::Run;
            return Some(piece);
        }
    }
}

/// Bytes from the beginning whose characters' classes pass.
fn run(text: &str, mut passes: impl FnMut(Class) -> bool) -> usize {
    let end = text.char_indices().find(|(_, c)| !passes(class(*c)));
    end.map_or(text.len(), |(at, _)| at)
}

/// Length of the word of letters and joiners that a text begins with.
fn letters(text: &str) -> usize {
    let mut end = 0;
    loop {
        let rest = text.get(end..).unwrap_or_default();
        end += run(rest, |class| class == Class::Letter);
        let rest = text.get(end..).unwrap_or_default();
        let marks = joiners(rest);
        let next = rest.get(marks..).and_then(|after| after.chars().next());
        if marks == 0 || next.is_none_or(|c| class(c) != Class::Letter) {
            return end;
        }
        end += marks;
    }
}

/// Bytes of the marks that a text begins with, if they can join; otherwise 0.
pub(super) fn joiners(text: &str) -> usize {
    let marks = run(text, Class::is_mark);
    let all_join = text
        .chars()
        .take_while(|c| class(*c).is_mark())
        .enumerate()
        .all(|(at, c)| at < JOINED && class(c) == Class::Joiner);
    if all_join { marks } else { 0 }
}

/// Calls `each` with every word of a text as it is entered in the dictionary.
pub(super) fn cut(text: &str, mut each: impl FnMut(&[u8])) {
    let mut entry = Vec::new();
    for piece in pieces(text) {
        match piece.class {
            Class::Run => runs(piece.text, &mut each),
            _ if piece.text.len() <= STRIDE => {
                if piece.class == Class::Letter && (piece.glued.0 || piece.glued.1) {
                    marked(
                        &mut entry,
                        piece.glued.0.then_some(GLUE),
                        piece.text,
                        piece.glued.1.then_some(GLUE),
                    );
                    each(&entry);
                } else {
                    each(piece.text.as_bytes());
                }
            }
            _ => windows(&piece, &mut entry, &mut each),
        }
    }
}

fn marked(entry: &mut Vec<u8>, before: Option<u8>, text: &str, after: Option<u8>) {
    entry.clear();
    entry.extend(before);
    entry.extend_from_slice(text.as_bytes());
    entry.extend(after);
}

fn runs(text: &str, each: &mut impl FnMut(&[u8])) {
    let ends = text.char_indices().map(|(at, _)| at).skip(RUN);
    let ends = ends.chain(std::iter::repeat(text.len()));
    for ((start, _), end) in text.char_indices().zip(ends) {
        each(text.as_bytes().get(start..end).unwrap_or_default());
    }
}

fn windows(piece: &Piece<'_>, entry: &mut Vec<u8>, each: &mut impl FnMut(&[u8])) {
    let glue = |glued: bool| (glued && piece.class == Class::Letter).then_some(GLUE);
    let mut rest = piece.text;
    let mut before = glue(piece.glued.0);
    loop {
        let after = |count: usize| rest.char_indices().nth(count).map(|(at, _)| at);
        let window = after(STRIDE + OVERLAP).and_then(|end| rest.get(..end));
        let following = after(STRIDE).and_then(|start| rest.get(start..));
        match (window, following) {
            (Some(window), Some(following)) => {
                marked(entry, before, window, Some(CUT));
                each(entry);
                rest = following;
                before = Some(CUT);
            }
            _ => {
                marked(entry, before, rest, glue(piece.glued.1));
                each(entry);
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let mut words = Vec::new();
        cut(text, |word| {
            words.push(String::from_utf8(word.to_vec()).unwrap());
        });
        words
    }

    #[test]
    fn letters_with_joiners_between_are_one_word() {
        assert_eq!(
            words("see src/main.rs:10, don't std::vec a_b 1.2.3 --no-verify x...y x....y"),
            [
                "see",
                "src/main.rs:10",
                ",",
                "don't",
                "std::vec",
                "a_b",
                "1.2.3",
                "--",
                "no-verify",
                "x...y",
                "x",
                "....",
                "y"
            ]
        );
    }

    #[test]
    fn brackets_and_quotes_part_words_and_are_words() {
        assert_eq!(
            words("f(x)-g \"q\""),
            ["f", "(", "x", ")-", "g", "\"", "q", "\""]
        );
    }

    #[test]
    fn chinese_is_cut_at_every_character_and_what_touches_it_says_so() {
        assert_eq!(
            words("日本語 語 rust言"),
            ["日本語", "本語", "語", "語", "rust\u{2}", "言"]
        );
        assert_eq!(words("発行済み"), ["発行済", "行済み", "済み", "み"]);
        assert_eq!(words("語ab-c語"), ["語", "\u{2}ab-c\u{2}", "語"]);
    }

    #[test]
    fn signs_outside_of_ascii_are_marks() {
        assert_eq!(words("a—b 🎉🎉 नमस्ते"), ["a", "—", "b", "🎉🎉", "नमस्ते"]);
    }

    #[test]
    fn a_long_word_is_entered_as_windows_that_overlap() {
        let long: String = ('a'..='z').cycle().take(420).collect();
        let entries = words(&long);
        assert_eq!(entries.len(), 2);
        assert_eq!(entries[0], format!("{}\u{1}", long.get(..299).unwrap()));
        assert_eq!(entries[1], format!("\u{1}{}", long.get(200..).unwrap()));
    }
}
