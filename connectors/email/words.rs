//! What a mail says, as digests of its sequences of words: to recognise a text that is quoted,
//! however it is wrapped.

use std::ops::Range;

use super::lines::Line;
use crate::digest;

/// Words of a sequence.
const SEQUENCE: usize = 4;
/// Sequences of one mail that are remembered.
const MOST: usize = 60_000;
/// Marks the digest of a short line, so that it is no sequence's.
const SHORT: u64 = 0x5eed;

/// The sequences of words in a mail.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Words {
    /// Sorted.
    digests: Box<[u32]>,
    /// Which first bits of a digest occur: most of what a mail does not say is told by one look,
    /// and a mail of a long thread is compared with dozens.
    prefixes: Prefixes,
    /// Who wrote the mail.
    pub(super) sender: u64,
}

impl Words {
    /// Gathers the sequences of all lines, also of quoted ones.
    pub(super) fn of(lines: &[Line], sender: u64) -> Self {
        let mut digests = Vec::new();
        for run in runs(lines) {
            for window in run.words.windows(SEQUENCE) {
                digests.push(sequence(window));
            }
            digests.extend(run.short_lines());
            if digests.len() > MOST {
                break;
            }
        }
        digests.sort_unstable();
        digests.dedup();
        Self {
            prefixes: Prefixes::of(&digests),
            digests: digests.into(),
            sender,
        }
    }

    /// How many are remembered.
    pub(super) fn len(&self) -> usize {
        self.digests.len()
    }

    fn has(&self, digest: u32) -> bool {
        self.prefixes.may_have(digest) && self.digests.binary_search(&digest).is_ok()
    }
}

/// A bit for each value that the first bits of a digest may have.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Prefixes {
    bits: Box<[u64]>,
    /// By how much a digest is shifted to give its place.
    shift: u32,
}

impl Prefixes {
    /// Sixteen bits a digest at least, so one in sixteen of the others passes at most.
    fn of(digests: &[u32]) -> Self {
        let bits = (digests.len() * 16).next_power_of_two().max(64);
        let mut made = Self {
            bits: vec![0; bits / 64].into(),
            shift: u32::BITS.saturating_sub(bits.trailing_zeros()),
        };
        for digest in digests {
            let (word, bit) = made.place(*digest);
            if let Some(word) = made.bits.get_mut(word) {
                *word |= bit;
            }
        }
        made
    }

    fn may_have(&self, digest: u32) -> bool {
        let (word, bit) = self.place(digest);
        self.bits.get(word).is_some_and(|word| word & bit != 0)
    }

    fn place(&self, digest: u32) -> (usize, u64) {
        let prefix = digest >> self.shift;
        let word = usize::try_from(prefix / u64::BITS).unwrap_or(usize::MAX);
        (word, 1 << (prefix % u64::BITS))
    }
}

/// Says of each wanted line whether all its words stand in one of the mails; lines without words,
/// and those far from any wanted one, are `None`.
pub(super) fn repeated(
    lines: &[Line],
    earlier: &[&Words],
    is_wanted: impl Fn(usize) -> bool,
) -> Vec<Option<bool>> {
    let mut out = vec![None; lines.len()];
    let is_known = |digest: u32| earlier.iter().any(|words| words.has(digest));
    for run in runs(lines) {
        let wanted = |(line, _): &(usize, Range<usize>)| is_wanted(*line);
        let (Some(first), Some(last)) = (
            run.lines.iter().position(wanted),
            run.lines.iter().rposition(wanted),
        ) else {
            continue;
        };
        let near = run.lines.get(first..=last).unwrap_or_default();
        let (Some((_, from)), Some((_, to))) = (near.first(), near.last()) else {
            continue;
        };
        // A sequence may begin and end in the lines around.
        let start = (from.start + 1).saturating_sub(SEQUENCE);
        let end = (to.end + SEQUENCE - 1).min(run.words.len());
        let words = run.words.get(start..end).unwrap_or_default();
        let mut covered = vec![false; words.len()];
        for (at, window) in words.windows(SEQUENCE).enumerate() {
            let Some(under) = covered.get_mut(at..at + SEQUENCE) else {
                break;
            };
            if under.iter().any(|word| !*word) && is_known(sequence(window)) {
                under.fill(true);
            }
        }
        for (line, range) in near {
            let words = covered.get(range.start - start..range.end - start);
            let words = words.unwrap_or_default();
            let missing = words.iter().filter(|word| !**word).count();
            // A long line may have lost a word to a tool that broke it.
            let is_covered = missing * 10 < words.len().max(1);
            let short = run.short_line(range).is_some_and(is_known);
            if let Some(place) = out.get_mut(*line) {
                *place = Some(is_covered || short);
            }
        }
    }
    out
}

/// Lines of one depth that follow each other, blank ones passed over.
struct Run {
    /// Digests of the words.
    words: Vec<u64>,
    /// Which line has which of them.
    lines: Vec<(usize, Range<usize>)>,
}

impl Run {
    fn short_lines(&self) -> impl Iterator<Item = u32> + '_ {
        self.lines
            .iter()
            .filter_map(|(_, range)| self.short_line(range))
    }

    /// The digest of a line with too few words for a sequence.
    fn short_line(&self, range: &Range<usize>) -> Option<u32> {
        let words = self.words.get(range.clone())?;
        (!words.is_empty() && words.len() < SEQUENCE).then(|| {
            let state = words.iter().fold(SHORT, |state, word| mix(state, *word));
            narrow(state)
        })
    }
}

fn runs(lines: &[Line]) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    let mut depth = None;
    for (at, line) in lines.iter().enumerate() {
        let mut words = words(&line.text).peekable();
        if words.peek().is_none() {
            continue;
        }
        if depth.replace(line.depth) != Some(line.depth) {
            runs.push(Run {
                words: Vec::new(),
                lines: Vec::new(),
            });
        }
        if let Some(run) = runs.last_mut() {
            let start = run.words.len();
            run.words.extend(words);
            run.lines.push((at, start..run.words.len()));
        }
    }
    runs
}

/// Digests of the words of a text: letters and digits between other signs. In scripts without
/// blanks each sign is a word.
fn words(text: &str) -> impl Iterator<Item = u64> + '_ {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.get(first(rest, |kind| kind != Sign::Between)..)?;
        let alone = rest.chars().next().filter(|sign| is_alone(*sign));
        let length = match alone {
            Some(sign) => sign.len_utf8(),
            None => first(rest, |kind| kind != Sign::Within),
        };
        let (word, after) = rest.split_at_checked(length)?;
        rest = after;
        (!word.is_empty()).then(|| digest::fast(0, word.as_bytes()))
    })
}

/// What a sign is to words.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    Within,
    Between,
    Alone,
}

/// Where the first sign of a wanted kind stands, or the end. Most signs are ASCII and told apart as
/// bytes.
fn first(text: &str, is_wanted: impl Fn(Sign) -> bool) -> usize {
    let mut at = 0;
    while let Some(byte) = text.as_bytes().get(at) {
        let (kind, length) = match byte.is_ascii() {
            true if byte.is_ascii_alphanumeric() => (Sign::Within, 1),
            true => (Sign::Between, 1),
            false => match text.get(at..).and_then(|rest| rest.chars().next()) {
                Some(sign) if !sign.is_alphanumeric() => (Sign::Between, sign.len_utf8()),
                Some(sign) if is_alone(sign) => (Sign::Alone, sign.len_utf8()),
                sign => (Sign::Within, sign.map_or(1, char::len_utf8)),
            },
        };
        if is_wanted(kind) {
            return at;
        }
        at += length;
    }
    at
}

fn is_alone(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

fn sequence(words: &[u64]) -> u32 {
    narrow(words.iter().fold(0, |state, word| mix(state, *word)))
}

fn mix(state: u64, word: u64) -> u64 {
    (state.rotate_left(21) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

fn narrow(state: u64) -> u32 {
    let [a, b, c, d, ..] = state.to_be_bytes();
    u32::from_be_bytes([a, b, c, d])
}

#[cfg(test)]
mod tests {
    use super::super::lines::{Flow, read};
    use super::*;

    #[test]
    fn a_text_is_recognised_however_it_is_wrapped_and_quoted() {
        let parent = "The import fails on the second line of the file,\nbecause the date has no zone.\n\nShall we fix that?\nYes.\nAna";
        let words = Words::of(&read(parent, Flow::Fixed), 1);
        let answer = "> The import fails on the\n> second line of the file, because the date\n> has no zone.\n>\n> Shall we fix that? Yes.\n> Ana\n> Not said before this line.\n> No.";
        let lines = read(answer, Flow::Fixed);
        let found = repeated(&lines, &[&words], |_| true);
        let expected = [
            Some(true),
            Some(true),
            Some(true),
            None,
            Some(true),
            Some(true),
            Some(false),
            Some(false),
        ];
        assert_eq!(found, expected);
        // Asked for fewer lines, it says the same of them.
        for line in 0..lines.len() {
            let some = repeated(&lines, &[&words], |at| at == line);
            assert_eq!(some[line], expected[line], "line {line}");
        }
        assert_eq!(
            repeated(&lines, &[], |_| true)
                .iter()
                .filter(|line| **line == Some(true))
                .count(),
            0
        );
    }

    #[test]
    fn words_are_letters_and_digits_between_other_signs() {
        let told = |text: &str| words(text).collect::<Vec<_>>();
        let of = |words: &[&str]| -> Vec<u64> {
            let digests = words.iter().map(|word| digest::fast(0, word.as_bytes()));
            digests.collect()
        };
        assert_eq!(
            told("  The 2nd, né—e\u{301}!"),
            of(&["The", "2nd", "né", "e"])
        );
        assert_eq!(told("v2版本、é…x"), of(&["v2", "版", "本", "é", "x"]));
        assert_eq!(told("日"), of(&["日"]));
        assert_eq!(told("… -\u{a0}"), Vec::<u64>::new());
    }

    #[test]
    fn a_mail_has_its_sequences_and_no_others() {
        for count in [0, 1, 3, 4, 5, 1000, 70_000] {
            let text: String = (0..count).map(|word| format!("w{word} ")).collect();
            let words = Words::of(&read(&text, Flow::Fixed), 1);
            let has = |digest: &u32| words.has(*digest);
            assert_eq!(
                words.digests.iter().filter(|digest| has(digest)).count(),
                words.len()
            );
            let others = (0..1000_u32).map(|other| narrow(mix(7, u64::from(other))));
            let hidden = others.filter(|other| !words.digests.contains(other));
            assert_eq!(hidden.filter(has).count(), 0, "{count} words");
        }
    }

    #[test]
    fn a_script_without_blanks_is_recognised_too() {
        let words = Words::of(&read("我们决定在下周一发布新版本。", Flow::Fixed), 1);
        let found = repeated(
            &read(
                "> 我们决定在下周一\n> 发布新版本。\n> 不同的内容在这里",
                Flow::Fixed,
            ),
            &[&words],
            |_| true,
        );
        assert_eq!(found, [Some(true), Some(true), Some(false)]);
    }
}
