//! Chooses the atoms: errors and commands exact, the rest by the cues of what was said.
//!
//! An atom is a piece of the text as it stands; only white space is collapsed and marks of
//! emphasis are left out of those that are neither error nor command.

use super::commands::Command;
use super::cues;
use super::errors::{self, Failure};
use super::plain::{Substance, plain, without_courtesies, words_to};
use super::sentences::Form;
use super::turns::Speaker;
use super::vocabulary::{
    CHANGES, COULD, DEICTIC, DOUBTS, GOALS, GRAVITY, ORDERS, SETTLES, TROUBLES,
};
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
    let settled = spoken.speaker == Speaker::Outcome;
    if (spoken.sentence.asks() || spoken.sentence.introduces()) && !settled {
        return None;
    }
    if spoken.sentence.form == Form::Heading {
        return None;
    }
    let (kind, weight, text) = match cues::labelled(spoken.sentence.text) {
        _ if settled => (AtomKind::Decision, 9, spoken.sentence.text),
        Some((kind, text)) => (kind, 9, text),
        None => {
            let (kind, weight) = cues::strongest(spoken.sentence.text)?;
            (kind, weight, spoken.sentence.text)
        }
    };
    let by_person = spoken.speaker == Speaker::Person || spoken.speaker.corresponds();
    let kind = match kind {
        AtomKind::Decision if !settled => held(spoken, weight, by_person)?,
        // A person's order with its reason is an order; a reason within an error is none.
        AtomKind::Rationale if by_person && ORDERS.open(text) => AtomKind::Decision,
        AtomKind::Rationale if by_person && errors::quoted(text).is_some() => AtomKind::Fact,
        kind => kind,
    };
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
    if DOUBTS.are_in(text) {
        score -= 10;
    }
    let length = text.chars().count();
    if !LENGTHS.contains(&length) || words_to(text, 3) < 3 {
        return None;
    }
    if length > 200 {
        score -= 8;
    }
    score -= match spoken.sentence.form {
        Form::Item => 5,
        _ => 0,
    };
    if text.starts_with("If ") || text.ends_with(" AND") {
        score -= 15;
    }
    // What one would do is not what was done.
    if text.starts_with("I'd ") || text.starts_with("I would ") {
        score -= 25;
    }
    if !is_specific(text) {
        score -= 8;
    }
    if matches!(kind, AtomKind::Rationale | AtomKind::Fact) && DEICTIC.open(text) {
        score -= 15;
    }
    if by_person && COULD.open(text) {
        score -= 30;
    }
    score += i32::try_from(spoken.turn * 10 / turns.max(1)).unwrap_or(0);
    (score >= WORTHY).then_some(Candidate { kind, score, text })
}

/// What a sentence with a cue of a decision holds: one, a risk that a review found, or nothing.
fn held(spoken: &Spoken<'_>, weight: i32, by_person: bool) -> Option<AtomKind> {
    let text = spoken.sentence.text.trim_start_matches(['*', '_', ' ']);
    let listed = spoken.sentence.form == Form::Item;
    if !by_person && weight <= cues::STRONG {
        if is_graded(text) {
            return Some(AtomKind::Risk);
        }
        if listed && !CHANGES.open(text) {
            return None;
        }
    }
    let holds = match weight {
        cues::WANTS => by_person && !GOALS.open(text),
        cues::COMPARES => {
            let ordered = by_person && ORDERS.open(text);
            let change = ordered || CHANGES.open(text) || SETTLES.are_in(text) || is_foreign(text);
            change && !TROUBLES.are_in(text)
        }
        _ => true,
    };
    holds.then_some(AtomKind::Decision)
}

/// Whether a text has letters that English has not.
fn is_foreign(text: &str) -> bool {
    !text.is_ascii() && text.chars().any(|c| !c.is_ascii() && c.is_alphabetic())
}

/// Whether a sentence opens with how grave a finding is: `High: …`, `[P2] …`.
fn is_graded(text: &str) -> bool {
    GRAVITY.opening(text).is_some_and(|length| {
        let rest = text.get(length..).unwrap_or_default();
        text.starts_with('[')
            || rest
                .trim_start()
                .starts_with([':', '-', '–', '—', '*', ')', ']'])
    })
}

/// Whether a sentence names a thing: code, a number, a path, a name.
fn is_specific(text: &str) -> bool {
    words_to(text, 9) >= 9
        || text.contains(['`', '_', '/'])
        || text.bytes().any(|byte| byte.is_ascii_digit())
        || text
            .split(' ')
            .skip(1)
            .any(|word| word.starts_with(char::is_uppercase))
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
                // What tells little is told only when nothing better failed.
                let real = failures
                    .iter()
                    .filter(|failure| failure.score >= 4)
                    .take(room);
                chosen.extend(real.map(|failure| (kind, failure.line.to_owned())));
                if chosen.is_empty() {
                    // A slip of the agent with its own tools is nobody's search.
                    let least = failures.iter().take(1).filter(|failure| failure.score > 1);
                    chosen.extend(least.map(|failure| (kind, failure.line.to_owned())));
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

/// Whether two texts count differently: both hold numbers, and none of them is in both.
fn count_apart(one: &str, other: &str) -> bool {
    let numbers = |text| -> Vec<&str> {
        str::split(text, |c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit()))
            .collect()
    };
    let (one, other) = (numbers(one), numbers(other));
    !one.is_empty() && !other.is_empty() && !one.iter().any(|number| other.contains(number))
}

/// Whether two sentences say the same: most of the shorter one's words stand in the other.
pub(super) fn alike(one: &str, other: &str) -> bool {
    let set = |text: &str| -> Vec<String> {
        text.split(|c: char| !c.is_alphanumeric())
            .filter(|word| word.chars().count() > 2)
            .map(str::to_lowercase)
            .collect()
    };
    let (first, second) = (set(one), set(other));
    let (short, long) = match first.len() <= second.len() {
        true => (first, second),
        false => (second, first),
    };
    let shared = short.iter().filter(|word| long.contains(word)).count();
    // Of a few words every one counts: "live in the south" is not "the south goes first".
    let tenths = if short.len() < 6 { 8 } else { 7 };
    if short.is_empty() {
        long.is_empty()
    } else {
        // Whoever counts says something new with every number.
        shared * 10 >= short.len() * tenths && !count_apart(one, other)
    }
}
