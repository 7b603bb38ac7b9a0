//! Reads rendered text back into turns: who spoke, when, and what.
//!
//! The form is the data-model page's (The original): `[YYYY-MM-DD HH:MM] who: text`, the text over
//! any number of lines. A text of any other form becomes one turn. Speakers are free names; those
//! of agents' sessions are told apart, all others are correspondents of a thread or a task.

use memchr::memmem;

/// Shape of a header up to the speaker; `d` stands for a digit.
const HEADER: &[u8] = b"[dddd-dd-dd dd:dd] ";
/// Longest speaker, in bytes; a name and a mail address fit.
const SPEAKER_BYTES: usize = 200;

/// What kind of turn it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Speaker {
    /// The person.
    Person,
    /// The person, by way of a slash command; the body is the command line.
    SlashCommand,
    /// The person stopped the agent.
    Interrupted,
    /// The agent.
    Assistant,
    /// The agent calls a tool; the body is its name and arguments.
    Call,
    /// The agent runs a command; the body is the command itself.
    Shell,
    /// A tool failed; the body is what it said.
    Failure,
    /// A sub-agent's answer.
    Report,
    /// The program itself: what the session continues, what was compacted.
    Session,
    /// Who opens a thread, or describes a task.
    Opener,
    /// Who writes later in a thread or on a task.
    Writer,
    /// The head of a task: its title and its fields.
    Task,
    /// A card of a task that asks for something.
    Asking,
    /// The outcome of such a card.
    Outcome,
    /// Anything else.
    Other,
}

impl Speaker {
    /// Whether it is somebody who writes in a thread or on a task.
    pub(super) fn corresponds(self) -> bool {
        matches!(self, Self::Opener | Self::Writer | Self::Outcome)
    }
}

/// One line group of the rendered text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Turn<'a> {
    /// Who speaks.
    pub(super) speaker: Speaker,
    /// The header's time, to the minute, as it stands in the text; empty without a header.
    pub(super) minute: &'a str,
    /// The speaker as the text names it; empty without a header.
    pub(super) who: &'a str,
    /// What follows the speaker.
    pub(super) body: &'a str,
}

impl<'a> Turn<'a> {
    /// The speaker's name, without a mail address and without what kind of speaker it is.
    pub(super) fn name(&self) -> &'a str {
        let name = self.who.split(['<', '(']).next().unwrap_or_default().trim();
        let name = if name.is_empty() { self.who } else { name };
        let name = ["agent ", "user "]
            .iter()
            .find_map(|kind| name.strip_prefix(kind))
            .unwrap_or(name);
        name.trim_matches(|c: char| c.is_whitespace() || "\"'<>".contains(c))
    }

    /// Whether it is a mail.
    pub(super) fn is_mail(&self) -> bool {
        self.who.contains('@')
    }
}

/// Reads a text into its turns, in order.
pub(super) fn read(text: &str) -> Vec<Turn<'_>> {
    let mut turns = Vec::with_capacity(text.len() / 256);
    let mut start = 0;
    let breaks = memmem::find_iter(text.as_bytes(), b"\n[").map(|at| at + 1);
    for end in breaks.chain([text.len()]) {
        if end < text.len() && !text.get(end..).is_some_and(is_header) {
            continue;
        }
        let group = text.get(start..end).unwrap_or_default();
        if !group.trim().is_empty() {
            turns.push(turn(group));
        }
        start = end;
    }
    name_correspondents(&mut turns);
    turns
}

fn is_header(line: &str) -> bool {
    let bytes = line.as_bytes();
    bytes.len() >= HEADER.len()
        && HEADER.iter().zip(bytes).all(|(form, byte)| match form {
            b'd' => byte.is_ascii_digit(),
            exact => exact == byte,
        })
}

fn turn(group: &str) -> Turn<'_> {
    let plain = Turn {
        speaker: Speaker::Other,
        minute: "",
        who: "",
        body: group.trim(),
    };
    if !is_header(group) {
        return plain;
    }
    let minute = group.get(1..HEADER.len() - 2).unwrap_or_default();
    let rest = group.get(HEADER.len()..).unwrap_or_default();
    let first = rest.lines().next().unwrap_or_default();
    let (who, body) = match first
        .find(": ")
        .or_else(|| first.strip_suffix(':').map(str::len))
    {
        Some(at) if at <= SPEAKER_BYTES => rest.split_at(at),
        _ => ("", rest),
    };
    let body = body.strip_prefix(':').unwrap_or(body).trim();
    let (speaker, body) = speaker(who, body);
    Turn {
        speaker,
        minute,
        who,
        body,
    }
}

fn speaker<'a>(who: &str, body: &'a str) -> (Speaker, &'a str) {
    let speaker = match who {
        "user" => return person(body),
        "assistant" => Speaker::Assistant,
        "tool call" => Speaker::Call,
        "tool error" => Speaker::Failure,
        "shell" => Speaker::Shell,
        "shell (failed)" | "shell (summary)" | "patch" | "edit" | "write" | "web search" => {
            Speaker::Call
        }
        "session" => Speaker::Session,
        who if who.ends_with(" result") => Speaker::Report,
        _ => return correspondent(body),
    };
    (speaker, body)
}

/// What somebody writes in a thread or on a task; marks in brackets say what it is.
fn correspondent(body: &str) -> (Speaker, &str) {
    let Some((mark, rest)) = body
        .strip_prefix('(')
        .and_then(|inner| inner.split_once(')'))
    else {
        return (Speaker::Other, body);
    };
    let settled = ["accepted", "rejected", "answered"];
    match mark.split([' ', ':']).next() {
        Some("task") if mark == "task" => (Speaker::Task, rest.trim_start()),
        // A subject may hold brackets itself: it fills its line.
        Some("subject") => (
            Speaker::Other,
            body.split_once('\n')
                .map_or("", |(_, rest)| rest)
                .trim_start(),
        ),
        Some("document") => (Speaker::Report, rest.trim_start()),
        Some("asks") if mark.starts_with("asks for ") => (Speaker::Asking, rest.trim_start()),
        _ if settled.iter().any(|end| mark.ends_with(end)) => (Speaker::Outcome, body),
        _ => (Speaker::Other, body),
    }
}

fn person(body: &str) -> (Speaker, &str) {
    if let Some(line) = body.strip_prefix("(command)") {
        (Speaker::SlashCommand, line.trim_start())
    } else if body.starts_with("(interrupted)") {
        (Speaker::Interrupted, body)
    } else if body.starts_with("(output)") {
        (Speaker::Other, body)
    } else {
        (Speaker::Person, body)
    }
}

/// Without a person and an agent it is a thread or a task: the first to write opens it.
fn name_correspondents(turns: &mut [Turn<'_>]) {
    let session = turns.iter().any(|turn| {
        matches!(
            turn.speaker,
            Speaker::Person | Speaker::Assistant | Speaker::SlashCommand
        )
    });
    if session {
        return;
    }
    let others = turns
        .iter_mut()
        .filter(|turn| turn.speaker == Speaker::Other);
    for (at, turn) in others.enumerate() {
        turn.speaker = match at {
            0 => Speaker::Opener,
            _ => Speaker::Writer,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spoken(text: &str) -> Vec<(Speaker, &str)> {
        read(text)
            .into_iter()
            .map(|turn| (turn.speaker, turn.body))
            .collect()
    }

    #[test]
    fn a_session_is_read_back_into_its_turns() {
        let text = "[2026-10-19 21:05] user: the import fails\nsecond line: yes\n\
            [2026-10-19 21:06] tool call: Bash {\"command\": \"make\"}\n\
            [2026-10-19 21:06] tool error: Exit code 2\n[not a header] x: y\n\
            \\[2026-10-19 21:06] assistant: imitated\n\
            [2026-10-19 21:07] user: (interrupted)\n\
            [2026-10-19 21:07] user: (command) /plan the export\n\
            [2026-10-19 21:08] Agent result: found it\n\
            [2026-10-19 21:09] assistant: Done.";
        assert_eq!(
            spoken(text),
            [
                (Speaker::Person, "the import fails\nsecond line: yes"),
                (Speaker::Call, "Bash {\"command\": \"make\"}"),
                (
                    Speaker::Failure,
                    "Exit code 2\n[not a header] x: y\n\\[2026-10-19 21:06] assistant: imitated"
                ),
                (Speaker::Interrupted, "(interrupted)"),
                (Speaker::SlashCommand, "/plan the export"),
                (Speaker::Report, "found it"),
                (Speaker::Assistant, "Done."),
            ]
        );
        assert_eq!(read(text).first().unwrap().minute, "2026-10-19 21:05");
    }

    #[test]
    fn who_opens_a_thread_asks_and_the_others_answer() {
        let text = "[2026-10-19 21:05] Ana Pérez <ana@shop.example>: Where is the invoice?\n\
            [2026-10-19 22:05] Billing: It was sent today.";
        assert_eq!(
            spoken(text),
            [
                (Speaker::Opener, "Where is the invoice?"),
                (Speaker::Writer, "It was sent today."),
            ]
        );
        let names: Vec<_> = read(text).iter().map(Turn::name).collect();
        assert_eq!(names, ["Ana Pérez", "Billing"]);
    }

    #[test]
    fn a_task_has_a_head_a_description_and_cards() {
        let text = "[2026-10-19 21:05] board: (task) Move the shop\nstatus: done\n\
            [2026-10-19 21:05] board: The old host is too small.\n\
            [2026-10-19 21:06] agent Builder: (asks for confirmation) Switch on Friday?\n\
            [2026-10-19 21:07] board: (confirmation accepted) Switch on Friday?\n\
            [2026-10-19 21:08] agent Builder: (document plan, revision 2) Plan\nFirst the copy.\n\
            [2026-10-19 21:09] agent Builder: Moved.";
        assert_eq!(
            spoken(text),
            [
                (Speaker::Task, "Move the shop\nstatus: done"),
                (Speaker::Opener, "The old host is too small."),
                (Speaker::Asking, "Switch on Friday?"),
                (
                    Speaker::Outcome,
                    "(confirmation accepted) Switch on Friday?"
                ),
                (Speaker::Report, "Plan\nFirst the copy."),
                (Speaker::Writer, "Moved."),
            ]
        );
    }

    #[test]
    fn a_text_without_headers_is_one_turn() {
        assert_eq!(
            spoken("no headers\nat all"),
            [(Speaker::Opener, "no headers\nat all")]
        );
        assert_eq!(spoken(" \n"), []);
    }
}
