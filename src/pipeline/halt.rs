//! Why no more calls of a summariser are begun: somebody told the program to end, the day's
//! characters are used up, or the key is refused again and again.
//!
//! What was begun comes to its end; what was not is postponed and costs nothing.

use super::PipelineError;
use super::pool::Outcome;
use super::run::Pipeline;
use crate::redaction::Redacted;

/// Refusals of the key, with no other outcome between them, after which nobody asks any more. More
/// than one, since a server behind a proxy may refuse a single call.
const REFUSALS: u32 = 3;

/// What the rest is told, by the reason for which it is left.
#[derive(Debug)]
pub(super) struct Words {
    pub(super) told: &'static str,
    pub(super) spent: &'static str,
    pub(super) denied: &'static str,
}

/// The reasons so far.
#[derive(Debug, Default)]
pub(super) struct Halt {
    told: bool,
    spent: bool,
    refusals: u32,
    /// Whether what is answered is known to find room in the library.
    is_ready: bool,
}

impl Halt {
    /// Somebody told the program to end.
    pub(super) fn tell(&mut self) {
        self.told = true;
    }

    /// Whether somebody did.
    pub(super) fn is_told(&self) -> bool {
        self.told
    }

    /// Whether reading more would only find more to postpone.
    pub(super) fn is_out(&self) -> bool {
        self.spent || self.is_denied()
    }

    fn is_denied(&self) -> bool {
        self.refusals >= REFUSALS
    }

    /// Takes notice of how a call ended.
    pub(super) fn hear(&mut self, outcome: &Outcome) {
        let denied = matches!(outcome, Err(error) if error.is_denied());
        self.refusals = match denied {
            true => self.refusals.saturating_add(1),
            // Calls that were under way when the key was given up may still bring something.
            false if self.is_denied() => self.refusals,
            false => 0,
        };
    }

    /// Whether a call of so many characters may begin; they are counted against the day's limit
    /// before they are sent, so that a kill cannot make a run forget what it has spent. Before the first
    /// one the library is asked whether it can take the answer.
    pub(super) fn lets(
        &mut self,
        chars: u64,
        pipeline: &Pipeline<'_>,
    ) -> Result<bool, PipelineError> {
        if self.told || self.is_out() {
            return Ok(false);
        }
        if !self.is_ready && pipeline.summarizer.costs() {
            pipeline.store.make_sure_of_room()?;
            self.is_ready = true;
        }
        let limit = pipeline.daily_input_chars;
        if let Some(limit) = limit.filter(|_| pipeline.summarizer.costs()) {
            let now = pipeline.clock.now();
            self.spent = !pipeline.store.spend(now, chars, limit)?;
        }
        Ok(!self.spent)
    }

    /// What a report says of the rest.
    pub(super) fn note(&self, words: &Words) -> Option<Redacted> {
        let said = match self {
            Self { spent: true, .. } => words.spent,
            _ if self.is_denied() => words.denied,
            Self { told: true, .. } => words.told,
            Self { .. } => return None,
        };
        Some(Redacted::literal(said))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summarizer::{Answer, ModelError, SummarizerError, Usage};

    #[test]
    fn refusals_count_only_while_nothing_else_comes_between() {
        let denied = || {
            Err(SummarizerError::Model {
                cause: ModelError::Denied {
                    place: "api.example".to_owned(),
                    status: 401,
                    said: Redacted::default(),
                    variable: "KEY".to_owned(),
                },
                usage: Usage::default(),
            })
        };
        let mut halt = Halt::default();
        for outcome in [
            denied(),
            denied(),
            Ok(Answer::default()),
            denied(),
            denied(),
        ] {
            halt.hear(&outcome);
        }
        assert!(!halt.is_out());
        halt.hear(&Err(SummarizerError::Refused("empty title")));
        halt.hear(&denied());
        halt.hear(&denied());
        assert!(!halt.is_out());
        halt.hear(&denied());
        assert!(halt.is_out());
        halt.hear(&Ok(Answer::default()));
        assert!(halt.is_out(), "a call that was under way changes nothing");
    }
}
