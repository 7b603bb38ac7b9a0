//! Writes the summary: what was asked, what was found, how it ended, what was touched.

use super::asks::{self, Ask, TELLING};
use super::atoms::{Candidate, alike};
use super::commands::Tally;
use super::plain::{Substance, cut, full_sentence, head, plain, without_courtesies};
use super::sentences::Form;
use super::turns::Speaker;
use super::{Material, Spoken};

/// Longest summary, in characters.
const SUMMARY_CHARS: usize = 900;
/// Room of each part, in characters.
const ASK_CHARS: usize = 220;
const FINDING_CHARS: usize = 220;
const OUTCOME_CHARS: usize = 360;
/// Longest sentence of the outcome.
const SENTENCE_CHARS: usize = 240;
/// Characters after which no earlier turn is looked at.
const ENOUGH_CHARS: usize = 80;
/// From this many calls on the counts say how large the work was.
const LONG_CALLS: usize = 12;
/// Turns of the agent looked at from the end for the outcome.
const CLOSING_TURNS: usize = 4;

/// Writes the summary; never empty, up to [`SUMMARY_CHARS`] characters.
pub(super) fn of(
    title: &str,
    material: &Material<'_>,
    candidates: &[Candidate<'_>],
    tally: Tally,
) -> String {
    let mut parts: Vec<String> = Vec::new();
    let asks = &material.asks;
    if let Some(first) = first(asks) {
        parts.push(format!(
            "Asked: {}",
            full_sentence(&cut(&first.text, ASK_CHARS))
        ));
        if let Some(later) = later(asks, first) {
            parts.push(format!(
                "Later: {}",
                full_sentence(&cut(&later.text, ASK_CHARS))
            ));
        }
    }
    let outcome = outcome(material);
    if let Some(finding) = finding(candidates, &outcome) {
        add(&mut parts, full_sentence(&cut(&finding, FINDING_CHARS)));
    }
    for sentence in outcome {
        add(&mut parts, full_sentence(&sentence));
    }
    let wordless = parts.is_empty();
    if tally.calls >= LONG_CALLS || (wordless && tally.calls > 0) {
        parts.push(counted(tally));
    }
    if material
        .turns
        .last()
        .is_some_and(|turn| turn.speaker == Speaker::Interrupted)
    {
        parts.push("It was interrupted.".to_owned());
    }
    if parts.is_empty() {
        parts.push(full_sentence(title));
    }
    cut(&parts.join(" "), SUMMARY_CHARS)
}

fn add(parts: &mut Vec<String>, sentence: String) {
    if !parts.iter().any(|known| alike(known, &sentence)) {
        parts.push(sentence);
    }
}

fn first(asks: &[Ask]) -> Option<&Ask> {
    asks::main(asks).or_else(|| {
        let best = asks.iter().rev().max_by_key(|ask| ask.score);
        best.filter(|ask| ask.score > 0)
    })
}

/// The last other ask that says something: long work moves on from what began it.
fn later<'a>(asks: &'a [Ask], first: &Ask) -> Option<&'a Ask> {
    asks.iter()
        .rev()
        .find(|ask| ask.solid && ask.score > TELLING)
        .filter(|ask| !alike(&ask.text, &first.text))
}

fn finding(candidates: &[Candidate<'_>], outcome: &[String]) -> Option<String> {
    candidates
        .iter()
        .filter(|candidate| candidate.is_finding())
        .map(Candidate::plain)
        .find(|text| !outcome.iter().any(|told| alike(told, text)))
}

/// The closing words: statements of the agent's last turns, in order.
///
/// One turn is enough if it says something; short ones take what stands before them along.
fn outcome(material: &Material<'_>) -> Vec<String> {
    let told = |spoken: &&[Spoken<'_>]| {
        spoken
            .first()
            .is_some_and(|first| matches!(first.speaker, Speaker::Assistant | Speaker::Report))
    };
    let mut chosen: Vec<Vec<String>> = Vec::new();
    let mut room = OUTCOME_CHARS;
    let turns = material
        .spoken
        .chunk_by(|one, other| one.turn == other.turn);
    for spoken in turns.rev().filter(told).take(CLOSING_TURNS) {
        chosen.push(statements(spoken, &mut room));
        if room < OUTCOME_CHARS - ENOUGH_CHARS {
            break;
        }
    }
    chosen.into_iter().rev().flatten().collect()
}

/// The statements of one turn that fit, in order; items of lists where prose leaves room.
fn statements(spoken: &[Spoken<'_>], room: &mut usize) -> Vec<String> {
    let mut chosen: Vec<(usize, String)> = Vec::new();
    for (form, least, most) in [(Form::Prose, 40, 4), (Form::Item, OUTCOME_CHARS / 3, 3)] {
        let fitting = spoken.iter().enumerate().filter(|(_, spoken)| {
            spoken.sentence.form == form && spoken.substance == Substance::Statement
        });
        for (order, spoken) in fitting.take(most) {
            if *room < least {
                break;
            }
            let text = plain(without_courtesies(head(spoken.sentence.text, 800)));
            let text = cut(&text, SENTENCE_CHARS.min(*room));
            *room = room.saturating_sub(text.chars().count());
            if !text.is_empty() {
                chosen.push((order, text));
            }
        }
    }
    chosen.sort_by_key(|(order, _)| *order);
    chosen.into_iter().map(|(_, text)| text).collect()
}

fn counted(tally: Tally) -> String {
    let some = |count: usize, one: &str, more: &str| match count {
        0 => None,
        1 => Some(format!("1 {one}")),
        _ => Some(format!("{count} {more}")),
    };
    let counts: Vec<String> = [
        some(tally.files, "file written", "files written"),
        some(tally.commands, "command run", "commands run"),
        some(tally.calls, "tool call in all", "tool calls in all"),
    ]
    .into_iter()
    .flatten()
    .collect();
    full_sentence(&counts.join(", "))
}
