//! What a person's record really says: the prompt without what the program put around it.
//!
//! Only tags at the very beginning of a text (and a reminder at its very end) count as put there
//! by the program. Prose that mentions a tag further in keeps its text.

/// A text of a `user` record, told apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Said<'a> {
    /// Nothing that a person or an agent said.
    Nothing,
    /// A prompt.
    Prompt(&'a str),
    /// A slash command with its arguments, and what may follow it.
    Command {
        /// `/name`.
        name: &'a str,
        /// Its arguments, perhaps empty.
        arguments: &'a str,
        /// Text after the tags, perhaps empty.
        rest: &'a str,
    },
    /// A line for the person's own shell.
    Shell(&'a str),
    /// A finished task in the background.
    Task {
        /// One line about it.
        summary: &'a str,
        /// What it found, perhaps empty.
        result: &'a str,
    },
    /// The summary that stands for the conversation so far.
    Compaction(&'a str),
}

/// Tags that hold what a program said; they are left out with what they hold.
const DROPPED: &[&str] = &[
    "system-reminder",
    "local-command-stdout",
    "local-command-stderr",
    "local-command-caveat",
    "bash-stdout",
    "bash-stderr",
    "ide_opened_file",
    "ide_selection",
    "ide_diagnostics",
    "teammate-message",
    "user-prompt-submit-hook",
    "post-tool-use-hook",
    "command-message",
    "command-contents",
    "memory-context",
];

/// Beginnings of texts that no person typed.
const MACHINE: &[&str] = &[
    "Caveat: The messages below were generated",
    "Stop hook feedback:",
];

/// How a compaction summary begins in versions that do not flag it.
const COMPACTION: &str = "This session is being continued from a previous conversation";

/// Tells a text of a `user` record apart.
pub(super) fn tell_apart(text: &str) -> Said<'_> {
    let mut rest = text.trim();
    if rest.starts_with(COMPACTION) {
        return Said::Compaction(rest);
    }
    if rest.starts_with("<task-notification>") {
        return task(rest);
    }
    let mut command = None;
    let mut arguments = "";
    while let Some((tag, inner, after)) = leading_tag(rest) {
        match tag {
            "command-name" if !inner.trim().is_empty() => command = Some(inner.trim()),
            "command-args" => arguments = inner.trim(),
            "bash-input" => return Said::Shell(inner.trim()),
            _ if DROPPED.contains(&tag) => {}
            _ => break,
        }
        rest = after.trim_start();
    }
    rest = without_trailing_reminders(rest);
    if MACHINE.iter().any(|beginning| rest.starts_with(beginning)) {
        rest = "";
    }
    match command {
        Some(name) => Said::Command {
            name,
            arguments,
            rest,
        },
        None if rest.is_empty() => Said::Nothing,
        None => Said::Prompt(rest),
    }
}

fn task(text: &str) -> Said<'_> {
    let inner = |tag: &str| between(text, tag).map_or("", str::trim);
    match (inner("summary"), inner("result")) {
        ("", "") => Said::Nothing,
        (summary, result) => Said::Task { summary, result },
    }
}

/// What stands between the first opening of a tag and its last closing.
fn between<'a>(text: &'a str, tag: &str) -> Option<&'a str> {
    let (_, inner) = text.split_once(&format!("<{tag}>"))?;
    let (inner, _) = inner.rsplit_once(&format!("</{tag}>"))?;
    Some(inner)
}

/// Splits a text that begins with a closed tag into its name, what it holds and what follows. The
/// tag may have attributes. A tag that is never closed is prose.
fn leading_tag(text: &str) -> Option<(&str, &str, &str)> {
    let inside = text.strip_prefix('<')?;
    let (head, body) = inside.split_once('>')?;
    let name = head.split(char::is_whitespace).next()?;
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if name.is_empty() || !name.chars().all(plain) {
        return None;
    }
    let (inner, after) = body.split_once(&format!("</{name}>"))?;
    Some((name, inner, after))
}

/// Takes reminders off the end of a text, each beginning on a line of its own.
pub(super) fn without_trailing_reminders(text: &str) -> &str {
    let mut text = text.trim_end();
    while let Some(body) = text.strip_suffix("</system-reminder>") {
        match body.rsplit_once("<system-reminder>") {
            Some((before, _)) if before.is_empty() || before.ends_with('\n') => {
                text = before.trim_end();
            }
            _ => break,
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_loses_what_the_program_put_around_it() {
        let text = "<system-reminder>\nBe brief.\n</system-reminder>\n<ide_opened_file>The user \
                    opened a.rs</ide_opened_file>Mend the export.\n\n<system-reminder>x</system-reminder>\n";
        assert_eq!(tell_apart(text), Said::Prompt("Mend the export."));
    }

    #[test]
    fn prose_that_mentions_a_tag_keeps_its_text() {
        for text in [
            "why does <command-name>/x</command-name> show up here?",
            "<system-reminder> is never closed here",
            "<div>keep</div> this",
            "look at </system-reminder>",
            "quote: <local-command-stdout>a</local-command-stdout>",
        ] {
            assert_eq!(tell_apart(text), Said::Prompt(text), "{text}");
        }
    }

    #[test]
    fn a_command_is_read_in_either_order_of_its_tags() {
        let expected = Said::Command {
            name: "/review",
            arguments: "src/a.rs",
            rest: "",
        };
        let first = "<command-name>/review</command-name>\n<command-message>review</command-message>\n<command-args>src/a.rs</command-args>";
        let second = "<command-message>review</command-message><command-name>/review</command-name><command-args>src/a.rs</command-args>";
        assert_eq!(tell_apart(first), expected);
        assert_eq!(tell_apart(second), expected);
    }

    #[test]
    fn text_after_a_command_is_kept() {
        let text = "<command-name>/x</command-name> and then this";
        assert_eq!(
            tell_apart(text),
            Said::Command {
                name: "/x",
                arguments: "",
                rest: "and then this"
            }
        );
    }

    #[test]
    fn output_and_caveats_say_nothing() {
        for text in [
            "<local-command-stdout>done</local-command-stdout>",
            "<bash-stdout>a</bash-stdout><bash-stderr></bash-stderr>",
            "Caveat: The messages below were generated by the user while running local commands.",
            "Stop hook feedback:\nrun the tests",
            "<teammate-message from=\"b\">hello</teammate-message>",
            "",
        ] {
            assert_eq!(tell_apart(text), Said::Nothing, "{text}");
        }
    }

    #[test]
    fn a_background_task_gives_its_summary_and_result() {
        let text = "<task-notification>\n<task-id>b1</task-id>\n<status>completed</status>\n<summary>Agent \"look\" completed</summary>\n<result>Found it.</result>\n</task-notification>";
        assert_eq!(
            tell_apart(text),
            Said::Task {
                summary: "Agent \"look\" completed",
                result: "Found it."
            }
        );
    }

    #[test]
    fn the_shell_line_is_kept() {
        assert_eq!(
            tell_apart("<bash-input>git status</bash-input>"),
            Said::Shell("git status")
        );
    }
}
