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
use self::plain::Substance;
use self::sentences::Sentence;
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
}

impl<'a> Material<'a> {
    fn of(text: &'a str) -> Self {
        let turns = turns::read(text);
        let (mut asks, mut spoken) = (Vec::new(), Vec::new());
        for (at, turn) in turns.iter().enumerate() {
            let by_person = match turn.speaker {
                Speaker::Person => true,
                Speaker::Assistant | Speaker::Report => false,
                Speaker::SlashCommand => {
                    asks.extend(asks::of_command(turn.body));
                    continue;
                }
                _ => continue,
            };
            let next = turns.get(at + 1).map(|turn| turn.speaker);
            let working = matches!(
                next,
                Some(Speaker::Call | Speaker::Shell | Speaker::Assistant)
            );
            let sentences = sentences::of(turn.body);
            if by_person {
                asks.extend(asks::of_prompt(&sentences));
            }
            spoken.extend(sentences.into_iter().map(|sentence| Spoken {
                sentence,
                speaker: turn.speaker,
                turn: at,
                closing: turn.speaker == Speaker::Assistant && !working,
                substance: match by_person {
                    true => Substance::Statement,
                    false => plain::substance(&sentence),
                },
            }));
        }
        Self {
            turns,
            asks,
            spoken,
        }
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
        questions: questions::of(&title, &material.asks, &failures),
        atoms: atoms::choose(&failures, &commands, &candidates),
        title: shown(title, "Untitled"),
        summary: shown(summary, "There is nothing to read in this text."),
        project: None,
    }
}
