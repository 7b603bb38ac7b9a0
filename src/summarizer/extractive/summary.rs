//! Writes the summary: what was asked, what was found, how it ended, what was touched.

use super::asks::{self, Ask, TELLING};
use super::atoms::{Candidate, alike};
use super::commands::Tally;
use super::errors;
use super::plain::{Substance, capitalised, cut, full_sentence, head, plain, without_courtesies};
use super::sentences::Form;
use super::turns::{Speaker, Turn};
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
/// The same of threads, where the last word is understood by the ones before it.
const ENOUGH_OF_THREAD: usize = 160;
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
    let (asks, language) = (&material.asks, material.language);
    let thread = material
        .turns
        .iter()
        .any(|turn| turn.speaker == Speaker::Task || turn.speaker.corresponds());
    let asked = |label: &str, ask: &Ask| {
        let text = full_sentence(&cut(&ask.text, ASK_CHARS));
        format!("{label}{text}")
    };
    let first = first(asks);
    if let Some(first) = first {
        let label = match thread {
            true => opener(material),
            false => language.asked().to_owned(),
        };
        parts.push(asked(&label, first));
        if let Some(later) = later(asks, first).filter(|_| !thread) {
            parts.push(asked(language.later(), later));
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
        let counts = language.counted(tally.files, tally.commands, tally.calls);
        parts.push(full_sentence(&counts));
    }
    parts.extend(end(material));
    if parts.is_empty() {
        parts.push(full_sentence(title));
    }
    cut(&joined(&parts), SUMMARY_CHARS)
}

/// The name of who opens a thread or a task, as the label of what is written first.
fn opener(material: &Material<'_>) -> String {
    let mut opening = material
        .turns
        .iter()
        .filter(|turn| matches!(turn.speaker, Speaker::Task | Speaker::Opener));
    named(opening.next().map_or("", Turn::name))
}

fn named(name: &str) -> String {
    match name.is_empty() {
        true => String::new(),
        false => format!("{name}: "),
    }
}

/// How a text ends, where its last turn or the head of a task says so outright.
fn end(material: &Material<'_>) -> Option<String> {
    let language = material.language;
    let status = material
        .turns
        .iter()
        .find(|turn| turn.speaker == Speaker::Task)
        .and_then(|task| asks::status(task.body));
    if let Some(status) = status.filter(|status| !status.is_empty()) {
        return Some(full_sentence(&format!(
            "{}{}",
            language.status(),
            cut(status, 40)
        )));
    }
    let last = material.turns.last()?;
    match last.speaker {
        Speaker::Interrupted => Some(language.interrupted().to_owned()),
        Speaker::Failure => {
            let failures = errors::of(std::slice::from_ref(last));
            let failure = failures.first().filter(|failure| failure.score > 1)?;
            let line = cut(failure.line, SENTENCE_CHARS);
            Some(full_sentence(&format!("{}{line}", language.failed_last())))
        }
        _ => None,
    }
}

/// Joins sentences; those that end with a mark of a script without spaces take none.
fn joined(parts: &[String]) -> String {
    let mut text = String::new();
    for part in parts {
        if !text.is_empty() && !text.ends_with(['。', '！', '？', '：']) {
            text.push(' ');
        }
        text.push_str(part);
    }
    text
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
    let thread = material.turns.iter().any(|turn| turn.speaker.corresponds());
    let told = |spoken: &&[Spoken<'_>]| {
        spoken.first().is_some_and(|first| match thread {
            true => first.speaker.corresponds(),
            false => matches!(first.speaker, Speaker::Assistant | Speaker::Report),
        })
    };
    let mut chosen: Vec<(&str, Vec<String>)> = Vec::new();
    let mut room = OUTCOME_CHARS;
    let enough = if thread {
        ENOUGH_OF_THREAD
    } else {
        ENOUGH_CHARS
    };
    let turns = material
        .spoken
        .chunk_by(|one, other| one.turn == other.turn);
    for spoken in turns.rev().filter(told).take(CLOSING_TURNS) {
        let turn = spoken
            .first()
            .and_then(|first| material.turns.get(first.turn));
        let name = turn.filter(|_| thread).map_or("", Turn::name);
        chosen.push((name, statements(spoken, &mut room)));
        if room < OUTCOME_CHARS - enough {
            break;
        }
    }
    let mut last = "";
    let mut told = Vec::new();
    for (name, mut statements) in chosen.into_iter().rev() {
        if let Some(first) = statements.first_mut() {
            if name != last {
                *first = format!("{}{}", named(name), capitalised(first));
            }
            last = name;
        }
        told.append(&mut statements);
    }
    told
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
            let text = asks::shorten_paths(&text);
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
