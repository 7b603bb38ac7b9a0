//! The line groups of one record, gathered in order.

use std::borrow::Cow;

use super::prompt::Said;
use crate::render;
use crate::time::Instant;
use crate::unit::Piece;

/// Gathers the lines of one record; prompts among them become one line group.
#[derive(Debug)]
pub(super) struct Gathered {
    instant: Instant,
    pieces: Vec<Piece>,
    prompts: Option<String>,
}

impl Gathered {
    /// Begins with nothing.
    pub(super) fn new(instant: Instant) -> Self {
        Self {
            instant,
            pieces: Vec::new(),
            prompts: None,
        }
    }

    /// Adds a line group; `keep` as in [`render::piece`].
    pub(super) fn line(&mut self, who: &str, text: &str, keep: Option<usize>) {
        self.pieces
            .push(render::piece(self.instant, who, text, keep));
    }

    /// Adds something that the person said.
    pub(super) fn prompt(&mut self, text: &str) {
        match &mut self.prompts {
            Some(prompts) => {
                prompts.push('\n');
                prompts.push_str(text);
            }
            None => self.prompts = Some(text.to_owned()),
        }
    }

    /// All that the person said in this record.
    pub(super) fn prompts(&self) -> Option<&str> {
        self.prompts.as_deref()
    }

    /// Drops all that the person said in this record.
    pub(super) fn forget_prompts(&mut self) {
        self.prompts = None;
    }

    /// Adds what a text was told apart as, if the person said it.
    pub(super) fn said(&mut self, said: &Said<'_>) {
        match said {
            Said::Nothing | Said::Task { .. } | Said::Compaction(_) => {}
            Said::Prompt(text) => self.prompt(text),
            Said::Shell(text) => self.prompt(&format!("! {text}")),
            Said::Command {
                name,
                arguments,
                rest,
            } => {
                let command: Cow<'_, str> = match *arguments {
                    "" => format!("(command) {name}").into(),
                    arguments => format!("(command) {name} {arguments}").into(),
                };
                self.prompt(&command);
                if !rest.is_empty() {
                    self.prompt(rest);
                }
            }
        }
    }

    /// The pieces, the person's last.
    pub(super) fn finish(mut self) -> Vec<Piece> {
        if let Some(prompts) = self.prompts.take() {
            self.line("user", &prompts, None);
        }
        self.pieces
    }
}
