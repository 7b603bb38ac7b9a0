//! Chooses the title: the source's own, else what was asked, else what was said or done.

use super::asks::{self, Ask};
use super::commands;
use super::plain::{Substance, capitalised, cut, head, plain, substance, without_courtesies};
use super::sentences::{self, Form};
use super::turns::{Speaker, Turn};
use crate::item::TITLE_CHARS;

/// Aimed at: a title is read at one glance.
const GLANCE_CHARS: usize = 90;
/// Title of a text that says nothing.
const UNTITLED: &str = "Untitled";
/// Marks of answers and forwards before a subject.
const ANSWERS: &[&str] = &[
    "re:", "fwd:", "fw:", "aw:", "wg:", "tr:", "rv:", "res:", "enc:",
];
/// Where a long title may end: before what explains or adds.
const CLAUSES: &[&str] = &[
    " so that ",
    " because ",
    ", which ",
    ", and ",
    ", but ",
    ", so ",
    "; ",
    " so ",
    " in order to ",
    " in case ",
    " — ",
    " – ",
    " - ",
    ": ",
    " (",
    ", ",
    " and ",
    " to ",
    "，",
    "、",
    "；",
];

/// Makes the title of a segment; never empty, up to [`TITLE_CHARS`] characters.
pub(super) fn of(
    hint: Option<&str>,
    part: (usize, usize),
    asks: &[Ask],
    turns: &[Turn<'_>],
) -> String {
    match hint.map(own).filter(|hint| !hint.is_empty()) {
        Some(hint) => with_part(&hint, part),
        None => from_asks(asks, turns),
    }
}

/// The source's own title, without the marks of answers and forwards.
fn own(hint: &str) -> String {
    let mut hint = plain(hint);
    while let Some(rest) = ANSWERS.iter().find_map(|mark| {
        let start = hint.get(..mark.len())?;
        start
            .eq_ignore_ascii_case(mark)
            .then(|| hint.get(mark.len()..))?
    }) {
        hint = rest.trim_start().to_owned();
    }
    hint
}

/// A session's own title stands over all of its parts: the part tells them apart.
fn with_part(hint: &str, (part, parts): (usize, usize)) -> String {
    let mark = match parts {
        0 | 1 => String::new(),
        _ => format!(" (part {part}/{parts})"),
    };
    let room = TITLE_CHARS.saturating_sub(mark.chars().count());
    format!("{}{mark}", cut(hint, room))
}

fn from_asks(asks: &[Ask], turns: &[Turn<'_>]) -> String {
    let best = || {
        asks.iter()
            .rev()
            .max_by_key(|ask| ask.score)
            .filter(|ask| ask.score > 0)
    };
    asks::main(asks)
        .map(|ask| ask.text.clone())
        .or_else(|| said(turns))
        .or_else(|| best().map(|ask| ask.text.clone()))
        .or_else(|| turns.iter().find_map(commands::named))
        .or_else(|| done(turns))
        .map(|text| shown(&text))
        .filter(|text| !text.is_empty())
        .unwrap_or_else(|| UNTITLED.to_owned())
}

/// The first thing that an agent or a report states; a heading counts.
fn said(turns: &[Turn<'_>]) -> Option<String> {
    let speakers = [
        Speaker::Assistant,
        Speaker::Writer,
        Speaker::Report,
        Speaker::Session,
    ];
    speakers.into_iter().find_map(|speaker| {
        turns
            .iter()
            .filter(|turn| turn.speaker == speaker)
            .flat_map(|turn| sentences::of(head(turn.body, 4000)))
            .find(|sentence| {
                sentence.form != Form::Item && substance(sentence) == Substance::Statement
            })
            .map(|sentence| plain(without_courtesies(sentence.text)))
    })
}

/// The first line of anything at all.
fn done(turns: &[Turn<'_>]) -> Option<String> {
    turns
        .iter()
        .flat_map(|turn| head(turn.body, 4000).lines())
        .map(plain)
        .find(|line| line.chars().any(char::is_alphanumeric))
        .or_else(|| {
            turns
                .iter()
                .map(|turn| plain(turn.body))
                .find(|line| !line.is_empty())
        })
}

fn shown(text: &str) -> String {
    let text = text.replace('`', "");
    let text = text.trim_end_matches(['.', ':', ',', ';', '。', '：', ' ']);
    let text = text
        .trim_end_matches(", please")
        .trim_end_matches(" please");
    let text = text.trim_end_matches(|c: char| c.is_whitespace() || ":(-".contains(c));
    capitalised(&shortened(text))
}

/// Cuts a long title before a clause, else at a word.
fn shortened(text: &str) -> String {
    if text.chars().count() <= GLANCE_CHARS {
        return text.to_owned();
    }
    let glance = text
        .char_indices()
        .nth(GLANCE_CHARS)
        .map_or(text.len(), |(at, _)| at);
    let front = text.get(..glance).unwrap_or_default();
    let clause = CLAUSES.iter().find_map(|clause| {
        let at = front.rfind(clause)?;
        let whole = front.get(..at).is_some_and(is_balanced);
        (whole && at * 5 > glance * 2).then_some(at)
    });
    match clause.and_then(|at| front.get(..at)) {
        Some(whole) => whole.trim().to_owned(),
        None => cut(text, GLANCE_CHARS),
    }
}

/// Whether no bracket or quotation is left open.
fn is_balanced(text: &str) -> bool {
    let count = |mark: char| text.chars().filter(|c| *c == mark).count();
    count('(') == count(')') && count('[') == count(']') && count('"') % 2 == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summarizer::extractive::Material;

    fn titled(text: &str) -> String {
        let material = Material::of(text);
        of(None, (1, 1), &material.asks, &material.turns)
    }

    #[test]
    fn the_sources_own_title_wins_and_parts_are_told_apart() {
        assert_eq!(
            of(Some(" Fix\nthe export "), (1, 1), &[], &[]),
            "Fix the export"
        );
        assert_eq!(
            of(Some("Fix the export"), (2, 3), &[], &[]),
            "Fix the export (part 2/3)"
        );
        let long = of(Some(&"word ".repeat(60)), (2, 3), &[], &[]);
        assert!(
            long.ends_with("… (part 2/3)") && long.chars().count() <= TITLE_CHARS,
            "{long}"
        );
    }

    #[test]
    fn a_long_request_is_cut_before_a_clause() {
        assert_eq!(
            titled(
                "[2026-10-19 21:05] user: Please make the uploader retry failed chunks with a growing delay, and write every retry to the log of the job"
            ),
            "Make the uploader retry failed chunks with a growing delay"
        );
    }

    #[test]
    fn without_a_prompt_it_is_what_was_said_or_done() {
        assert_eq!(
            titled(
                "[2026-10-19 21:05] assistant: Let me look.\n[2026-10-19 21:06] assistant: The writer drops the last row."
            ),
            "The writer drops the last row"
        );
        assert_eq!(
            titled("[2026-10-19 21:05] tool call: Bash {\"command\": \"make\"}"),
            "Make"
        );
        assert_eq!(titled(""), "Untitled");
    }
}
