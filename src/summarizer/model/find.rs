//! Finds the JSON object in what a model said: between prose, in a code fence, after reasoning.

use serde_json::{Map, Value};

/// Most places that are tried in one reply.
const PLACES: usize = 2000;

/// The object that looks most like a record: of those that hold a title or a summary the last one,
/// since a model that thinks aloud ends with what it means; else the last object of all.
pub(super) fn object(text: &str) -> Option<Map<String, Value>> {
    let text = text.trim();
    if let Ok(Value::Object(whole)) = serde_json::from_str(text) {
        return Some(whole);
    }
    let spoken = after_reasoning(text);
    last(spoken).or_else(|| match spoken.len() == text.len() {
        true => None,
        false => last(text),
    })
}

/// What follows the last end of a reasoning block.
fn after_reasoning(text: &str) -> &str {
    const ENDS: [&str; 4] = ["</think>", "</thinking>", "</reasoning>", "[/THINK]"];
    let ends = ENDS
        .into_iter()
        .filter_map(|end| Some(text.rfind(end)? + end.len()));
    ends.max().and_then(|at| text.get(at..)).unwrap_or(text)
}

fn last(text: &str) -> Option<Map<String, Value>> {
    let mut found: Option<Map<String, Value>> = None;
    let mut at = 0;
    for _ in 0..PLACES {
        let Some(open) = text.get(at..).and_then(|rest| rest.find('{')) else {
            break;
        };
        let start = at + open;
        let rest = text.get(start..).unwrap_or_default();
        let mut stream = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        at = match stream.next() {
            Some(Ok(Value::Object(object))) => {
                if is_record(&object) || !found.as_ref().is_some_and(is_record) {
                    found = Some(object);
                }
                start + stream.byte_offset()
            }
            _ => start + 1,
        };
    }
    found
}

fn is_record(object: &Map<String, Value>) -> bool {
    object.contains_key("title") || object.contains_key("summary")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn title(text: &str) -> Option<String> {
        let object = object(text)?;
        Some(object.get("title")?.as_str()?.to_owned())
    }

    #[test]
    fn an_object_is_found_in_every_wrapping() {
        for (said, what) in [
            (r#"{"title":"a"}"#, "bare"),
            ("\n\n{\"title\":\"a\"}\n", "blank lines"),
            (
                "Here it is:\n```json\n{\"title\":\"a\"}\n```\nAnything else?",
                "a fence",
            ),
            (
                "<think>{\"title\":\"draft\"} no</think>{\"title\":\"a\"}",
                "reasoning",
            ),
            (
                "{\"title\":\"draft\"}</think>\n{\"title\":\"a\"}",
                "an opening that was cut",
            ),
            (
                "Draft: {\"title\":\"draft\"} Final: {\"title\":\"a\"}",
                "a draft before",
            ),
            (
                "{\"title\":\"a\"} as in {\"kind\":\"fact\"}",
                "another object after",
            ),
            ("use {braces} as {\"title\":\"a\"}", "braces in prose"),
            (
                "{\"title\":\"a\",\"summary\":\"</think>\"}",
                "an end of reasoning inside",
            ),
        ] {
            assert_eq!(title(said).as_deref(), Some("a"), "{what}");
        }
    }

    #[test]
    fn an_end_of_reasoning_with_nothing_after_it_hides_nothing() {
        assert_eq!(
            title("{\"title\":\"a\"}</think> done").as_deref(),
            Some("a")
        );
    }

    #[test]
    fn no_object_is_none() {
        for said in ["", "no", "[1]", "{\"title\": \"cut", "{{{{", "\"{}\""] {
            assert!(
                object(said).is_none_or(|object| object.is_empty()),
                "{said}"
            );
        }
    }
}
