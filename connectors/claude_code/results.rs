//! Texts of tool calls and of their results.

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::lenient;
use super::prompt;
use super::record::Content;
use crate::render::PRE_TRIM;

/// How the agent words that the person said no.
const REFUSED: &str = "The user doesn't want to proceed with this tool use";
/// What stands before the person's own words in it.
const SAID: &str = "the user said:";

/// A failing result.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Result<'a> {
    /// The tool failed with this text.
    Failed(&'a str),
    /// The person refused the call, perhaps with words.
    Refused(String),
}

/// Whether a tool of this name runs an agent of its own.
pub(super) fn is_sub_agent(name: &str) -> bool {
    matches!(name, "Task" | "Agent")
}

/// The text of a result: a string, or the texts among its blocks; images become `[image]`.
pub(super) fn text(content: &RawValue) -> String {
    match lenient::result_content(content) {
        Content::Nothing => String::new(),
        Content::Text(text) => text.read().into_owned(),
        Content::Blocks(blocks) => {
            let mut out = String::new();
            for block in &blocks {
                let image = block.kind.as_ref().is_some_and(|kind| kind.is("image"));
                let text = match &block.text {
                    Some(text) => text.read(),
                    None if image => Cow::Borrowed("[image]"),
                    None => continue,
                };
                if !out.is_empty() {
                    out.push('\n');
                }
                out.push_str(&text);
            }
            out
        }
    }
}

/// Tells a failure from a refusal, and takes off what the program put around the error.
pub(super) fn failure(text: &str) -> Result<'_> {
    let text = prompt::without_trailing_reminders(text.trim());
    let text = text
        .strip_prefix("<tool_use_error>")
        .and_then(|text| text.strip_suffix("</tool_use_error>"))
        .unwrap_or(text)
        .trim();
    if !text.starts_with(REFUSED) {
        return Result::Failed(text);
    }
    Result::Refused(match text.split_once(SAID) {
        Some((_, said)) => format!("(refused the call) {}", said.trim()),
        None => "(refused the call)".to_owned(),
    })
}

/// Writes a call's arguments on one line with a blank after each colon and comma, the form of the
/// data model page. Strings stay as they are escaped in the source, so the text is JSON again.
pub(super) fn arguments(input: &str) -> Cow<'_, str> {
    if input.len() > 2 * PRE_TRIM {
        // Nobody reads that far in; it is trimmed next.
        return Cow::Borrowed(input);
    }
    let mut out = String::with_capacity(input.len() + input.len() / 8);
    let mut rest = input;
    while let Some(at) = rest.find(['"', ':', ',', ' ', '\n', '\r', '\t']) {
        let (plain, from) = rest.split_at(at);
        out.push_str(plain);
        let (sign, after) = from.split_at(1);
        rest = after;
        match sign {
            "\"" => {
                let end = string_end(after);
                let (string, after) = after.split_at_checked(end).unwrap_or((after, ""));
                out.push('"');
                out.push_str(string);
                rest = after;
            }
            ":" | "," => {
                out.push_str(sign);
                out.push(' ');
            }
            _ => {}
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Length of what is left of a JSON string, its closing quote included.
fn string_end(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(next) = memchr::memchr2(b'"', b'\\', bytes.get(at..).unwrap_or_default()) {
        at += next + 1;
        if bytes.get(at - 1) == Some(&b'"') {
            return at;
        }
        // Past what the backslash escapes; the rest of \u0000 holds neither quote nor backslash.
        at += 1;
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_get_blanks_between_and_never_within_strings() {
        let cases = [
            (
                r#"{"command":"uv run pytest tests/test_export.py -q"}"#,
                r#"{"command": "uv run pytest tests/test_export.py -q"}"#,
            ),
            (
                r#"{"a":[1,2],"b":{"c":"x, y: \"z\\\" "}}"#,
                r#"{"a": [1, 2], "b": {"c": "x, y: \"z\\\" "}}"#,
            ),
            ("{ \"a\" :\n 1 }", r#"{"a": 1}"#),
            ("{}", "{}"),
            (r#""é\ud83d""#, r#""é\ud83d""#),
        ];
        for (input, expected) in cases {
            assert_eq!(arguments(input), expected);
        }
    }

    #[test]
    fn a_failure_loses_its_wrapping_and_a_refusal_keeps_the_words() {
        assert_eq!(
            failure("<tool_use_error>File not found</tool_use_error>\n"),
            Result::Failed("File not found")
        );
        assert_eq!(
            failure(
                "The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how to proceed, the user said:\nkeep the old name"
            ),
            Result::Refused("(refused the call) keep the old name".to_owned())
        );
    }
}
