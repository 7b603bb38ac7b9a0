//! Finds the line of a failure that tells what failed: exact text, as people search for it.

use super::plain::head;
use super::turns::{Speaker, Turn};
use super::vocabulary::SIGNS;

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
    let failed = turns.iter().rev().filter(|turn| {
        matches!(turn.speaker, Speaker::Failure | Speaker::Person) || turn.speaker.corresponds()
    });
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
        let whole = bare(raw);
        // What people write about an error stands in back ticks or quotation marks.
        let (line, judged) = match (failed, quoted(whole)) {
            (false, Some(quoted)) => (
                quoted,
                judge(quoted, true).map(|(score, last)| (score.max(STRONG), last)),
            ),
            _ => (whole, judge(whole, failed)),
        };
        let Some((score, last_wins)) = judged else {
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

/// The first words between back ticks or quotation marks that are an error, if there are any.
pub(super) fn quoted(line: &str) -> Option<&str> {
    if !line.contains("rror") && !line.contains("ailed") {
        return None;
    }
    [
        ('`', '`'),
        ('"', '"'),
        ('“', '”'),
        ('„', '“'),
        ('«', '»'),
        ('「', '」'),
    ]
    .iter()
    .filter_map(|(open, close)| {
        let (_, rest) = line.split_once(*open)?;
        let (inner, _) = rest.split_once(*close)?;
        Some(inner.trim())
    })
    .find(|inner| {
        let named = head(inner, 400).contains("rror") || inner.contains("ailed");
        let least = if inner.contains(": ") { 5 } else { STRONG };
        inner.contains(' ') && named && judge(inner, true).is_some_and(|(score, _)| score >= least)
    })
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

/// What programs put round the output of a failing call.
const WRAPPINGS: &[&str] = &[
    "Exit code",
    "[...",
    "Chunk ID: ",
    "Wall time: ",
    "Process exited with",
    "Original token count",
    "Total output lines",
    "Output:",
    "Command: ",
    "Stdout: ",
];
/// Programs that look around.
const LOOKERS: &[&str] = &[
    "rg: ",
    "sed: ",
    "ls: ",
    "cat: ",
    "grep: ",
    "find: ",
    "head: ",
    "tail: ",
    "wc: ",
    "Path does not exist",
    "nl: ",
];
/// Score of what they say.
const LOOKED: i32 = 1;

/// From this score a line is an error wherever it stands.
const STRONG: i32 = 8;

/// How many of the first [`SIGNS`] say outright that the line is an error,
const SAID_OUTRIGHT: usize = 3;
/// and how many are words of the system for it.
const SYSTEM_SAYS: usize = 6;

/// Whether a line is an error that someone pasted.
pub(super) fn is_pasted(line: &str) -> bool {
    judge(line, false).is_some_and(|(score, _)| score >= STRONG)
}

/// Scores a line; says whether of equals the last one tells (exceptions) or the first (compilers).
fn judge(line: &str, failed: bool) -> Option<(i32, bool)> {
    if line.len() < 5 || WRAPPINGS.iter().any(|start| line.starts_with(start)) {
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
    // What only looked around and found nothing: true, and seldom what failed.
    if LOOKERS.iter().any(|tool| bytes.starts_with(tool)) {
        return Some((LOOKED, false));
    }
    if is_found(bytes) {
        return Some((LOOKED, false));
    }
    let sign = SIGNS.rank(bytes);
    if sign.is_some_and(|sign| sign < SAID_OUTRIGHT) {
        return Some((9, false));
    }
    if bytes.starts_with("--- FAIL") || bytes.starts_with("FAILED ") {
        return Some((6, false));
    }
    // A place in a file before the message: compilers and linters.
    if located(bytes) {
        return Some((8, false));
    }
    // Code that reports errors, and task runners that say no more than that a task failed.
    if bytes.contains("(\"") || bytes.ends_with('{') || bytes.ends_with("task failed") {
        return Some((1, false));
    }
    if bytes.starts_with("FAIL") {
        return Some((4, false));
    }
    Some(match sign {
        Some(..SYSTEM_SAYS) => (8, false),
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

/// Whether a line opens with `file:line:column: `.
fn located(line: &str) -> bool {
    let mut parts = line.splitn(4, ':');
    let (Some(file), Some(row), Some(column), Some(_)) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return false;
    };
    let number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    !file.contains(' ') && file.contains('.') && number(row) && number(column)
}

/// Whether a line is one that a search found: `file:line:text`, no space before the text.
fn is_found(line: &str) -> bool {
    let mut parts = line.splitn(3, ':');
    let (Some(file), Some(row), Some(text)) = (parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    let number = !row.is_empty() && row.bytes().all(|byte| byte.is_ascii_digit());
    let column = text.starts_with(|c: char| c == ' ' || c.is_ascii_digit());
    number && !column && !file.contains(' ') && file.contains('.')
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
    fn what_people_quote_is_an_error_and_what_searches_found_is_none() {
        let text = "[2026-10-19 21:05] Ana <ana@shop.example>: The page says \"Error 413: body too large\" since today.";
        assert_eq!(lines(text), ["Error 413: body too large"]);
        for (said, score) in [
            ("src/w.rs:95:fn row() -> Result<(), RowError>", LOOKED),
            ("rg: src/w.rs: No such file or directory", LOOKED),
            ("main.c:12: error: expected ';'", 9),
        ] {
            let text = format!("[2026-10-19 21:05] tool error: Chunk ID: 1a\n{said}");
            let found = of(&turns::read(&text));
            assert_eq!(
                found.first().map(|failure| failure.score),
                Some(score),
                "{said}"
            );
        }
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
