//! The embedded summariser: picks sentences out of the text, offline, the same every time.
//!
//! The text is read once into turns, the prose of its turns once into sentences; all else works on
//! slices of these. It understands nothing: it knows who speaks, where a sentence stands and
//! which words announce a decision, a cause or a cure. Words: English first; cues also Spanish,
//! German, French, Portuguese, Chinese and Japanese.

mod asks;
mod atoms;
mod commands;
mod cues;
mod errors;
mod language;
mod noise;
mod phrases;
mod plain;
mod questions;
mod sentences;
mod summary;
#[cfg(test)]
mod tests;
mod title;
mod turns;
mod vocabulary;
mod worth;

use async_trait::async_trait;

use self::asks::Ask;
use self::language::Language;
use self::plain::Substance;
use self::sentences::{Form, Sentence};
use self::turns::{Speaker, Turn};
use super::accept::is_visible;
use super::{Answer, Reply, Summarizer, SummarizerError, Task};
use crate::redaction::Redacted;

/// Picks out of the text; needs no key and no network.
#[derive(Debug, Clone, Copy, Default)]
pub struct Extractive;

#[async_trait]
impl Summarizer for Extractive {
    fn name(&self) -> &'static str {
        "extractive"
    }

    fn costs(&self) -> bool {
        false
    }

    async fn summarize(&self, task: &Task<'_>) -> Result<Answer, SummarizerError> {
        Ok(reply(task).into())
    }
}

/// A sentence that someone said.
#[derive(Debug, Clone, Copy)]
struct Spoken<'a> {
    sentence: Sentence<'a>,
    speaker: Speaker,
    /// Which turn it stands in.
    turn: usize,
    /// Whether that turn ends the agent's work on a prompt.
    closing: bool,
    substance: Substance,
}

/// A text, taken apart once.
#[derive(Debug)]
struct Material<'a> {
    turns: Vec<Turn<'a>>,
    asks: Vec<Ask>,
    spoken: Vec<Spoken<'a>>,
    /// The language of what the people wrote.
    language: Language,
}

impl<'a> Material<'a> {
    fn of(text: &'a str) -> Self {
        let mut material = Self {
            turns: turns::read(text),
            asks: Vec::new(),
            spoken: Vec::new(),
            language: Language::English,
        };
        for at in 0..material.turns.len() {
            material.take_in(at);
        }
        let people = material.turns.iter().filter(|turn| {
            turn.speaker.corresponds() || matches!(turn.speaker, Speaker::Person | Speaker::Task)
        });
        let asked = material.asks.iter().map(|ask| ask.text.as_str());
        material.language = language::of(asked.chain(people.map(|turn| turn.body)));
        material
    }

    /// Takes in what a turn asks and says.
    fn take_in(&mut self, at: usize) {
        let Some(turn) = self.turns.get(at).copied() else {
            return;
        };
        match turn.speaker {
            Speaker::SlashCommand => self.asks.extend(asks::of_command(turn.body)),
            Speaker::Task => self.asks.extend(asks::of_task(turn.body)),
            Speaker::Asking => {
                let asked = asks::of_prompt(&sentences::of(turn.body));
                self.asks.extend(asked.filter(|ask| ask.question));
            }
            Speaker::Outcome => self.spoken.push(outcome(turn.body, at)),
            Speaker::Person | Speaker::Opener | Speaker::Writer => {
                let mut sentences = sentences::of(turn.body);
                if turn.is_mail() && turn.speaker.corresponds() {
                    sentences.retain(|sentence| !plain::is_civil(sentence));
                }
                if turn.speaker != Speaker::Writer {
                    self.asks.extend(asks::of_prompt(&sentences));
                }
                if turn.speaker.corresponds() {
                    self.ask_outright(&sentences);
                }
                self.say(&turn, at, sentences);
            }
            Speaker::Assistant | Speaker::Report => self.say(&turn, at, sentences::of(turn.body)),
            _ => {}
        }
    }

    /// Takes in the question that somebody in a thread puts, beside what the mail is about.
    fn ask_outright(&mut self, sentences: &[Sentence<'_>]) {
        let questions: Vec<Sentence<'_>> =
            sentences.iter().copied().filter(Sentence::asks).collect();
        let asked = asks::of_prompt(&questions)
            .filter(|ask| ask.question)
            .map(Ask::beside);
        let new = asked.filter(|ask| self.asks.iter().all(|known| known.text != ask.text));
        self.asks.extend(new);
    }

    fn say(&mut self, turn: &Turn<'a>, at: usize, sentences: Vec<Sentence<'a>>) {
        let next = self.turns.get(at + 1).map(|turn| turn.speaker);
        let closing = match (turn.speaker, next) {
            (Speaker::Assistant, Some(Speaker::Call | Speaker::Shell | Speaker::Assistant)) => {
                false
            }
            (Speaker::Assistant, _) | (Speaker::Writer, None) => true,
            _ => false,
        };
        let spoken = sentences.into_iter().map(|sentence| Spoken {
            sentence,
            speaker: turn.speaker,
            turn: at,
            closing,
            substance: match turn.speaker {
                Speaker::Person => Substance::Statement,
                Speaker::Opener | Speaker::Writer => plain::written(&sentence),
                _ => plain::substance(&sentence),
            },
        });
        self.spoken.extend(spoken);
    }
}

/// Longest outcome of a card that is told whole, in bytes; of a longer one the first line counts.
const OUTCOME_BYTES: usize = 300;

/// What a card of a task ended with, as one sentence.
fn outcome(body: &str, turn: usize) -> Spoken<'_> {
    let text = match body.len() <= OUTCOME_BYTES {
        true => body,
        false => body.lines().next().unwrap_or_default(),
    };
    Spoken {
        sentence: Sentence {
            form: Form::Prose,
            text,
        },
        speaker: Speaker::Outcome,
        turn,
        closing: false,
        substance: Substance::Statement,
    }
}

fn reply(task: &Task<'_>) -> Reply {
    let material = Material::of(task.text.as_str());
    let failures = errors::of(&material.turns);
    let (commands, tally) = commands::of(&material.turns);
    let candidates = atoms::candidates(&material);
    let hint = task.title_hint.map(Redacted::as_str);
    let title = title::of(hint, task.part, &material.asks, &material.turns);
    let summary = summary::of(&title, &material, &candidates, tally);
    // A text of nothing but signs without width has nothing to pick from.
    let shown = |text: String, instead: &str| match is_visible(&text.replace('…', "")) {
        true => text,
        false => instead.to_owned(),
    };
    Reply {
        questions: questions::of(&title, &material.asks, &failures, material.language),
        atoms: atoms::choose(&failures, &commands, &candidates),
        title: shown(title, "Untitled"),
        summary: shown(summary, "There is nothing to read in this text."),
        project: None,
    }
}
