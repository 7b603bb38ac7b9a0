//! Writing to the terminal: results to standard output, everything else to standard error.
//!
//! A closed pipe (`jezero search … | head -1`) ends the output silently. Control characters of
//! stored text never reach a terminal as they are.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};

use serde::Serialize;

use super::Exit;
use super::failure::Failure;
use super::log::{self, Kept};

/// Both ends that a command writes to.
pub(super) struct Output {
    out: Box<dyn Write>,
    notes: Box<dyn Write>,
    /// Whether standard output is a terminal.
    pub(super) to_terminal: bool,
    /// Whether standard error is a terminal, where progress may be shown.
    pub(super) shows_progress: bool,
    /// Where remarks go instead of standing between the lines of a log.
    log: Option<Kept>,
    broken: Option<io::Error>,
}

impl Output {
    /// Standard output and standard error.
    pub(super) fn terminal() -> Self {
        Self {
            out: Box::new(io::BufWriter::new(io::stdout())),
            notes: Box::new(io::stderr()),
            to_terminal: io::stdout().is_terminal(),
            shows_progress: io::stderr().is_terminal(),
            log: None,
            broken: None,
        }
    }

    /// From here on remarks are lines of the log, and progress would disturb it.
    pub(super) fn keep_log(&mut self, kept: Kept) {
        self.log = Some(kept);
        self.shows_progress = false;
    }

    /// Whether remarks go into the log.
    pub(super) fn is_logged(&self) -> bool {
        self.log.is_some()
    }

    /// Writes a line of the result.
    pub(super) fn line(&mut self, text: impl AsRef<str>) {
        let text = printable(text.as_ref());
        let written = writeln!(self.out, "{text}");
        self.note_fault(written);
    }

    /// Writes text exactly as it is, without a newline of its own; for output that a program reads.
    pub(super) fn raw(&mut self, text: &str) {
        let written = self.out.write_all(text.as_bytes());
        self.note_fault(written);
    }

    /// Writes a value as JSON with two spaces, and a newline.
    pub(super) fn json(&mut self, value: &impl Serialize) {
        let written = serde_json::to_writer_pretty(&mut self.out, value).map_err(io::Error::from);
        self.note_fault(written);
        self.raw("\n");
    }

    /// Writes a value as JSON on one line.
    pub(super) fn json_line(&mut self, value: &impl Serialize) {
        let written = serde_json::to_writer(&mut self.out, value).map_err(io::Error::from);
        self.note_fault(written);
        self.raw("\n");
    }

    /// Writes a remark for the person, beside the result.
    pub(super) fn note(&mut self, text: impl AsRef<str>) {
        // Both ends are often one terminal: what was said first is to stand first.
        let flushed = self.out.flush();
        self.note_fault(flushed);
        if self.is_logged() {
            tracing::info!("{}", text.as_ref());
            return;
        }
        // A remark that cannot be shown has nowhere else to go.
        drop(writeln!(self.notes, "{}", printable(text.as_ref())));
    }

    /// Where exports go.
    pub(super) fn writer(&mut self) -> &mut dyn Write {
        &mut self.out
    }

    /// Ends the output; a full disk behind standard output turns success into failure.
    pub(super) fn finish(mut self, exit: Exit) -> Exit {
        let flushed = self.out.flush();
        self.note_fault(flushed);
        match self.broken.take() {
            Some(error) => {
                self.note(format!("error: the output could not be written: {error}"));
                Exit::Failed
            }
            None => exit,
        }
    }

    /// Says what went wrong and what to do about it.
    pub(super) fn fail(mut self, failure: &Failure) -> Exit {
        let lines = failure.lines();
        if self.is_logged() {
            log::failed(&lines);
        }
        if self.log != Some(Kept::OnStderr) {
            self.log = None;
            for line in lines {
                self.note(line);
            }
        }
        self.finish(failure.exit)
    }

    fn note_fault(&mut self, written: io::Result<()>) {
        match written {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.out = Box::new(io::sink());
            }
            Err(error) => {
                self.broken.get_or_insert(error);
            }
            Ok(()) => {}
        }
    }
}

/// Replaces what steers a terminal or turns text around (but newline and tab), so that no stored
/// text can show as something else than it is.
pub(super) fn printable(text: &str) -> Cow<'_, str> {
    let steers = |c: char| match c {
        '\n' | '\t' => false,
        // Marks, embeddings, overrides and isolates of direction.
        '\u{200e}'
        | '\u{200f}'
        | '\u{061c}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}' => true,
        _ => c.is_control(),
    };
    if text.contains(steers) {
        Cow::Owned(text.replace(steers, "\u{fffd}"))
    } else {
        Cow::Borrowed(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_text_cannot_steer_a_terminal() {
        assert_eq!(printable("a\u{202e}b"), "a\u{fffd}b");
        assert_eq!(
            printable("a\u{1b}[31mb\tc\nd\u{9b}"),
            "a\u{fffd}[31mb\tc\nd\u{fffd}"
        );
    }
}
