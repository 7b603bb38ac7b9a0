//! Chooses the atoms: errors and commands exact, the rest by the cues of what was said.
//!
//! An atom is a piece of the text as it stands; only white space is collapsed and marks of
//! emphasis are left out of those that are neither error nor command.

use super::commands::Command;
use super::cues;
use super::errors::Failure;
use super::plain::{Substance, head, plain, without_courtesies, words};
use super::turns::Speaker;
use super::{Material, Spoken};
use crate::item::{AtomKind, MAX_ATOMS};

/// Most atoms of each kind, in the order of choosing: a text of many errors must leave room.
const ROOM: [(AtomKind, usize); 7] = [
    (AtomKind::Error, 4),
    (AtomKind::Command, 4),
    (AtomKind::Decision, 3),
    (AtomKind::Fix, 3),
    (AtomKind::Fact, 2),
    (AtomKind::Rationale, 2),
    (AtomKind::Risk, 2),
];
/// Least and longest sentence that makes an atom, in characters.
const LENGTHS: std::ops::RangeInclusive<usize> = 12..=320;
/// From this score a sentence is worth an atom.
const WORTHY: i32 = 50;

/// A sentence with a cue.
#[derive(Debug, Clone)]
pub(super) struct Candidate<'a> {
    kind: AtomKind,
    score: i32,
    text: &'a str,
}

impl Candidate<'_> {
    /// Whether it tells what was wrong, what cured it or what was settled.
    pub(super) fn is_finding(&self) -> bool {
        matches!(
            self.kind,
            AtomKind::Fact | AtomKind::Fix | AtomKind::Decision
        )
    }

    /// The sentence, plain.
    pub(super) fn plain(&self) -> String {
        plain(without_courtesies(self.text))
    }
}

/// The sentences with cues, best first; of equals the later first.
pub(super) fn candidates<'a>(material: &Material<'a>) -> Vec<Candidate<'a>> {
    let mut found: Vec<Candidate<'a>> = material
        .spoken
        .iter()
        .rev()
        .filter_map(|spoken| candidate(spoken, material.turns.len()))
        .collect();
    found.sort_by_key(|candidate| -candidate.score);
    found
}

fn candidate<'a>(spoken: &Spoken<'a>, turns: usize) -> Option<Candidate<'a>> {
    if spoken.sentence.asks() || spoken.sentence.introduces() {
        return None;
    }
    let text = spoken.sentence.text;
    let (kind, weight) = cues::strongest(text)?;
    let by_person = spoken.speaker == Speaker::Person;
    let mut score = weight * 10;
    score += if spoken.closing { 15 } else { 0 };
    // A person settles and warns; what is true and what cured it the agent finds out.
    score += match (by_person, kind) {
        (true, AtomKind::Decision | AtomKind::Risk) => 10,
        (true, AtomKind::Fix) => -20,
        _ => 0,
    };
    if !by_person && spoken.substance == Substance::Filler {
        score -= 45;
    }
    if spoken.speaker == Speaker::Report {
        score -= 15;
    }
    let lower = head(text, 200);
    if [
        " would ", " could ", " might ", "maybe", "perhaps", "I think",
    ]
    .iter()
    .any(|doubt| lower.contains(doubt))
    {
        score -= 10;
    }
    let length = text.chars().count();
    if !LENGTHS.contains(&length) || words(head(text, 200)) < 3 {
        return None;
    }
    if length > 200 {
        score -= 8;
    }
    score += i32::try_from(spoken.turn * 10 / turns.max(1)).unwrap_or(0);
    (score >= WORTHY).then_some(Candidate { kind, score, text })
}

/// Chooses the atoms, in the order of the data model.
pub(super) fn choose(
    failures: &[Failure<'_>],
    commands: &[Command],
    candidates: &[Candidate<'_>],
) -> Vec<(String, String)> {
    let mut chosen: Vec<(AtomKind, String)> = Vec::new();
    for (kind, room) in ROOM {
        let room = room.min(MAX_ATOMS - chosen.len().min(MAX_ATOMS));
        match kind {
            AtomKind::Error => {
                // Slips of the agent's own tools are told only when nothing better failed.
                let real = failures
                    .iter()
                    .filter(|failure| failure.score > 1)
                    .take(room);
                chosen.extend(real.map(|failure| (kind, failure.line.to_owned())));
                if chosen.is_empty() {
                    let slips = failures.iter().take(1);
                    chosen.extend(slips.map(|failure| (kind, failure.line.to_owned())));
                }
            }
            AtomKind::Command => {
                let best = commands.iter().take(room);
                chosen.extend(best.map(|command| (kind, command.line.clone())));
            }
            _ => sentences(kind, room, candidates, &mut chosen),
        }
    }
    chosen.sort_by_key(|(kind, _)| *kind);
    chosen
        .into_iter()
        .map(|(kind, text)| (kind.as_str().to_owned(), text))
        .collect()
}

fn sentences(
    kind: AtomKind,
    room: usize,
    candidates: &[Candidate<'_>],
    chosen: &mut Vec<(AtomKind, String)>,
) {
    let mut left = room;
    for candidate in candidates.iter().filter(|candidate| candidate.kind == kind) {
        if left == 0 {
            break;
        }
        let text = candidate.plain();
        let told = chosen.iter().any(|(kind, known)| {
            !matches!(kind, AtomKind::Error | AtomKind::Command) && alike(known, &text)
        });
        if !told && !text.is_empty() {
            chosen.push((kind, text));
            left -= 1;
        }
    }
}

/// Whether two sentences say the same: most of the shorter one's words stand in the other.
pub(super) fn alike(one: &str, other: &str) -> bool {
    let set = |text: &str| -> Vec<String> {
        text.split(|c: char| !c.is_alphanumeric())
            .filter(|word| word.chars().count() > 2)
            .map(str::to_lowercase)
            .collect()
    };
    let (one, other) = (set(one), set(other));
    let (short, long) = match one.len() <= other.len() {
        true => (one, other),
        false => (other, one),
    };
    let shared = short.iter().filter(|word| long.contains(word)).count();
    if short.is_empty() {
        long.is_empty()
    } else {
        shared * 10 >= short.len() * 7
    }
}
