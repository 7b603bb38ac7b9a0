//! What a mail says, as digests of its sequences of words: to recognise a text that is quoted,
//! however it is wrapped.

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
    digests: Box<[u32]>,
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
            digests: digests.into(),
            sender,
        }
    }

    /// How many are remembered.
    pub(super) fn len(&self) -> usize {
        self.digests.len()
    }

    fn has(&self, digest: u32) -> bool {
        self.digests.binary_search(&digest).is_ok()
    }
}

/// Says of each line whether all its words stand in one of the mails; lines without words are
/// `None`.
pub(super) fn repeated(lines: &[Line], earlier: &[&Words]) -> Vec<Option<bool>> {
    let mut out = vec![None; lines.len()];
    let is_known = |digest: u32| earlier.iter().any(|words| words.has(digest));
    for run in runs(lines) {
        let mut covered = vec![false; run.words.len()];
        for (at, window) in run.words.windows(SEQUENCE).enumerate() {
            if covered.iter().skip(at).take(SEQUENCE).all(|word| *word)
                || !is_known(sequence(window))
            {
                continue;
            }
            covered
                .iter_mut()
                .skip(at)
                .take(SEQUENCE)
                .for_each(|word| *word = true);
        }
        for (line, range) in &run.lines {
            let words = covered.get(range.clone()).unwrap_or_default();
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
    lines: Vec<(usize, std::ops::Range<usize>)>,
}

impl Run {
    fn short_lines(&self) -> impl Iterator<Item = u32> + '_ {
        self.lines
            .iter()
            .filter_map(|(_, range)| self.short_line(range))
    }

    /// The digest of a line with too few words for a sequence.
    fn short_line(&self, range: &std::ops::Range<usize>) -> Option<u32> {
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
        let start = rest.find(char::is_alphanumeric)?;
        rest = rest.get(start..)?;
        let first = rest.chars().next()?;
        let length = match is_alone(first) {
            true => first.len_utf8(),
            false => rest
                .find(|c: char| !c.is_alphanumeric() || is_alone(c))
                .unwrap_or(rest.len()),
        };
        let (word, after) = rest.split_at_checked(length)?;
        rest = after;
        Some(digest::fast(0, word.as_bytes()))
    })
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
        let found = repeated(&lines, &[&words]);
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
        assert_eq!(
            repeated(&lines, &[])
                .iter()
                .filter(|line| **line == Some(true))
                .count(),
            0
        );
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
        );
        assert_eq!(found, [Some(true), Some(true), Some(false)]);
    }
}
