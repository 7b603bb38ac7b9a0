//! Writes the summary: what was asked, what was found, how it ended, what was touched.

use super::Material;
use super::asks::{Ask, TELLING};
use super::atoms::{Candidate, alike};
use super::commands::Tally;
use super::plain::{Substance, cut, full_sentence, head, plain, without_courtesies};
use super::sentences::Form;
use super::turns::Speaker;

/// Longest summary, in characters.
const SUMMARY_CHARS: usize = 900;
/// Room of each part, in characters.
const ASK_CHARS: usize = 220;
const FINDING_CHARS: usize = 220;
const OUTCOME_CHARS: usize = 360;
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
    if material
        .turns
        .last()
        .is_some_and(|turn| turn.speaker == Speaker::Interrupted)
    {
        parts.push("It was interrupted.".to_owned());
    }
    if tally.calls >= LONG_CALLS {
        parts.push(counted(tally));
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
    asks.iter().find(|ask| ask.score >= TELLING).or_else(|| {
        asks.iter()
            .rev()
            .max_by_key(|ask| ask.score)
            .filter(|ask| ask.score > 0)
    })
}

/// The last other ask that says something: long work moves on from what began it.
fn later<'a>(asks: &'a [Ask], first: &Ask) -> Option<&'a Ask> {
    asks.iter()
        .rev()
        .find(|ask| ask.score > TELLING)
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
fn outcome(material: &Material<'_>) -> Vec<String> {
    let mut turns: Vec<usize> = Vec::new();
    let mut chosen: Vec<(usize, String)> = Vec::new();
    let mut room = OUTCOME_CHARS;
    let mut at = material.spoken.len();
    while at > 0 && turns.len() < CLOSING_TURNS && chosen.is_empty() {
        // One turn's sentences, first to last.
        let until = at;
        let turn = material.spoken.get(at - 1).map(|spoken| spoken.turn);
        while at > 0 && material.spoken.get(at - 1).map(|spoken| spoken.turn) == turn {
            at -= 1;
        }
        let spoken = material.spoken.get(at..until).unwrap_or_default();
        if !spoken
            .first()
            .is_some_and(|spoken| matches!(spoken.speaker, Speaker::Assistant | Speaker::Report))
        {
            continue;
        }
        turns.push(at);
        for wanted in [Form::Prose, Form::Item] {
            let mut list_room = 3;
            for (order, spoken) in spoken.iter().enumerate() {
                let fits =
                    spoken.sentence.form == wanted && spoken.substance == Substance::Statement;
                if !fits
                    || room < 40
                    || list_room == 0
                    || (wanted == Form::Item && room < OUTCOME_CHARS / 3)
                {
                    continue;
                }
                let text = cut(
                    &plain(without_courtesies(head(spoken.sentence.text, 800))),
                    room.min(240),
                );
                room = room.saturating_sub(text.chars().count());
                list_room -= 1;
                chosen.push((order, text));
            }
        }
    }
    chosen.sort_by_key(|(order, _)| *order);
    chosen
        .into_iter()
        .map(|(_, text)| text)
        .filter(|text| !text.is_empty())
        .collect()
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
