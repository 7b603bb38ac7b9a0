//! Finds the line of a failure that tells what failed: exact text, as people search for it.

use super::plain::head;
use super::turns::{Speaker, Turn};

/// Longest error kept, in bytes: what a line says first is what is searched for.
const ERROR_BYTES: usize = 240;
/// Most failures looked at from the end of a text; a text with more repeats itself.
const FAILURES: usize = 60;

/// A failure's telling line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Failure<'a> {
    /// The line, a piece of the text.
    pub(super) line: &'a str,
    /// How telling it is.
    pub(super) score: i32,
}

/// The telling lines of all failures, best first, each once; of equals the later first.
pub(super) fn of<'a>(turns: &[Turn<'a>]) -> Vec<Failure<'a>> {
    let mut found: Vec<Failure<'a>> = Vec::new();
    let failed = turns
        .iter()
        .rev()
        .filter(|turn| matches!(turn.speaker, Speaker::Failure | Speaker::Person));
    for failure in failed.filter_map(telling).take(FAILURES) {
        if !found.iter().any(|known| alike(known.line, failure.line)) {
            found.push(failure);
        }
    }
    found.sort_by_key(|failure| -failure.score);
    found
}

/// What a person tells the agent by way of a failing call; what the agent's own tools mind.
const NO_ERRORS: &[&str] = &[
    "The user doesn't want",
    "User chose",
    "User rejected",
    "[Request interrupted",
    "Request interrupted",
    "The user rejected",
    "Sibling tool call errored",
    "Cancelled:",
    "Permission to use",
];
/// Slips of the agent in handling its tools.
const SLIPS: &[&str] = &[
    "<tool_use_error>",
    "File has not been read",
    "File has been modified",
    "String to replace",
    "InputValidationError",
    "Found ",
    "No changes to make",
    "File does not exist",
    "Unknown skill",
    "Agent type",
    "EISDIR",
    "File content (",
];

fn telling<'a>(turn: &Turn<'a>) -> Option<Failure<'a>> {
    let failed = turn.speaker == Speaker::Failure;
    let body = turn.body;
    if failed && NO_ERRORS.iter().any(|start| body.starts_with(start)) {
        return None;
    }
    let mut best: Option<Failure<'a>> = None;
    for raw in body.lines() {
        let line = bare(raw);
        let Some((score, last_wins)) = judge(line, failed) else {
            continue;
        };
        let better =
            best.is_none_or(|best| score > best.score || (last_wins && score == best.score));
        if better {
            best = Some(Failure { line, score });
        }
    }
    let mut best = best?;
    if SLIPS.iter().any(|slip| body.starts_with(slip)) {
        best.score = 1;
    }
    // A person's prompt holds an error only where it is beyond doubt one.
    if !failed && best.score < STRONG {
        return None;
    }
    best.line = head(best.line, ERROR_BYTES).trim_end();
    (!best.line.is_empty()).then_some(best)
}

fn bare(raw: &str) -> &str {
    let line = raw.trim();
    let line = line.strip_prefix("<tool_use_error>").unwrap_or(line);
    let line = line.strip_suffix("</tool_use_error>").unwrap_or(line);
    // pytest and some compilers put a letter or a bar before every line.
    let line = line
        .strip_prefix("E   ")
        .or_else(|| line.strip_prefix("| "))
        .unwrap_or(line);
    line.trim().trim_start_matches("\u{1b}[31m")
}

/// From this score a line is an error wherever it stands.
const STRONG: i32 = 8;

/// Scores a line; says whether of equals the last one tells (exceptions) or the first (compilers).
fn judge(line: &str, failed: bool) -> Option<(i32, bool)> {
    if line.len() < 5 || line.starts_with("Exit code") || line.starts_with("[...") {
        return None;
    }
    let bytes = head(line, 400);
    if !failed && bytes.len() > 300 {
        return None;
    }
    if is_exception(bytes) {
        return Some((10, true));
    }
    if bytes.starts_with("error[") && bytes.contains("]:") {
        return Some((10, false));
    }
    if [
        "fatal: ",
        "error: ",
        "Error: ",
        "ERROR: ",
        "panic: ",
        "npm error ",
        "npm ERR! ",
        "FATAL: ",
        "Fatal error",
        "Segmentation fault",
        "error TS",
    ]
    .iter()
    .any(|start| bytes.starts_with(start))
    {
        return Some((9, false));
    }
    if !failed {
        return None;
    }
    if bytes.contains("panicked at")
        || bytes.contains(": error TS")
        || bytes.contains(": error: ")
        || bytes.contains(" error: ")
    {
        return Some((9, false));
    }
    if bytes.starts_with("--- FAIL")
        || bytes.starts_with("FAIL")
        || bytes.starts_with("FAILED ")
        || bytes.contains("assertion ")
    {
        return Some((6, false));
    }
    const SIGNS: &[&str] = &[
        "command not found",
        "No such file",
        "ermission denied",
        "not found",
        "cannot ",
        "can't ",
        "Cannot ",
        "Could not",
        "could not",
        "undefined",
        "refused",
        "timed out",
        "imeout",
        "denied",
        "nvalid",
        "unexpected",
        "failed",
        "Failed",
        "missing",
        "not allowed",
        "does not",
        "error",
        "Error",
        "FAIL",
    ];
    let sign = SIGNS.iter().position(|sign| bytes.contains(sign));
    Some(match sign {
        Some(0..=2) => (8, false),
        Some(_) => (5, false),
        None => (2, false),
    })
}

/// Whether a line opens with the name of an exception and a colon: `pkg.SomeError: text`.
fn is_exception(line: &str) -> bool {
    let line = line.strip_prefix("Caused by: ").unwrap_or(line);
    let line = line.strip_prefix("Uncaught ").unwrap_or(line);
    let Some((name, rest)) = line.split_once(": ") else {
        return false;
    };
    let last = name.rsplit(['.', ':', '\\']).next().unwrap_or_default();
    !rest.trim().is_empty()
        && name.len() <= 80
        && name.bytes().all(|byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b':' | b'$' | b'\\')
        })
        && last.len() > 5
        && last.starts_with(|c: char| c.is_ascii_uppercase())
        && (last.ends_with("Error") || last.ends_with("Exception"))
}

/// Whether two lines report the same: they differ in digits alone, or one begins the other.
fn alike(one: &str, other: &str) -> bool {
    let letters = |text: &'_ str| -> Vec<u8> {
        text.bytes()
            .filter(|byte| !byte.is_ascii_digit())
            .take(120)
            .collect()
    };
    let (one, other) = (letters(one), letters(other));
    one.starts_with(&other) || other.starts_with(&one)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summarizer::extractive::turns;

    fn lines(text: &str) -> Vec<&str> {
        of(&turns::read(text))
            .iter()
            .map(|failure| failure.line)
            .collect()
    }

    fn line(said: &str) -> String {
        let text = format!("[2026-10-19 21:05] tool error: {said}");
        lines(&text).first().copied().unwrap_or_default().to_owned()
    }

    #[test]
    fn the_last_exception_of_a_traceback_tells() {
        assert_eq!(
            line(
                "Exit code 1\nTraceback (most recent call last):\n  File \"w.py\", line 3, in row\nKeyError: 'a'\n\nDuring handling:\n  File \"w.py\", line 9\nshop.errors.RowError: no column 'a'"
            ),
            "shop.errors.RowError: no column 'a'"
        );
    }

    #[test]
    fn the_first_error_of_a_compiler_tells() {
        assert_eq!(
            line(
                "Exit code 101\n   Compiling shop v0.1.0\nerror[E0308]: mismatched types\n --> src/w.rs:3:5\nerror[E0425]: cannot find value `a`\nerror: could not compile `shop`"
            ),
            "error[E0308]: mismatched types"
        );
        assert_eq!(
            line("Exit code 128\nfatal: not a git repository"),
            "fatal: not a git repository"
        );
        assert_eq!(
            line("bash: line 1: nosuch: command not found"),
            "bash: line 1: nosuch: command not found"
        );
        assert_eq!(
            line("E   AssertionError: 3 != 4\nFAILED tests/test_a.py::test_b"),
            "AssertionError: 3 != 4"
        );
    }

    #[test]
    fn refusals_of_a_person_and_exit_codes_are_no_errors() {
        assert_eq!(
            line("The user doesn't want to proceed with this tool use."),
            ""
        );
        assert_eq!(line("Exit code 1"), "");
    }

    #[test]
    fn the_same_error_is_told_once_and_slips_come_last() {
        let text = "[2026-10-19 21:05] tool error: fatal: bad object 12\n\
            [2026-10-19 21:06] tool error: fatal: bad object 345\n\
            [2026-10-19 21:07] tool error: <tool_use_error>File has not been read yet.</tool_use_error>";
        assert_eq!(
            lines(text),
            ["fatal: bad object 345", "File has not been read yet."]
        );
    }

    #[test]
    fn an_error_that_a_person_pastes_counts_if_it_is_surely_one() {
        let text = "[2026-10-19 21:05] user: it says\nValueError: bad row\nand the error is missing elsewhere";
        assert_eq!(lines(text), ["ValueError: bad row"]);
    }
}
