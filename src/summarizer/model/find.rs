//! Finds the JSON object in what a model said: between prose, in a code fence, after reasoning.

use serde_json::{Map, Value};

use super::schema::Form;

/// Most places that are tried in one reply.
const PLACES: usize = 2000;

/// The object that looks most like a reply: of those that are in the form the last one,
/// since a model that thinks aloud ends with what it means; else the last object of all.
pub(super) fn object(form: &Form, text: &str) -> Option<Map<String, Value>> {
    let text = text.trim();
    if let Ok(Value::Object(whole)) = serde_json::from_str(text) {
        return Some(whole);
    }
    let spoken = after_reasoning(text);
    last(form, spoken).or_else(|| match spoken.len() == text.len() {
        true => None,
        false => last(form, text),
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

fn last(form: &Form, text: &str) -> Option<Map<String, Value>> {
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
                if form.is_in(&object) || !found.as_ref().is_some_and(|it| form.is_in(it)) {
                    found = Some(object);
                }
                start + stream.byte_offset()
            }
            _ => start + 1,
        };
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::schema::{PROJECT, SUMMARY};
    use super::*;

    fn title(text: &str) -> Option<String> {
        let object = object(&SUMMARY, text)?;
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
    fn an_object_in_the_form_that_was_asked_for_counts() {
        let said = r#"{"title": "a"} {"project": "shop"} {"why": "its folder"}"#;
        let found = |form| object(form, said).and_then(|object| object.keys().next().cloned());
        assert_eq!(found(&PROJECT).as_deref(), Some("project"));
        assert_eq!(found(&SUMMARY).as_deref(), Some("title"));
    }

    #[test]
    fn no_object_is_none() {
        for said in ["", "no", "[1]", "{\"title\": \"cut", "{{{{", "\"{}\""] {
            assert!(
                object(&SUMMARY, said).is_none_or(|object| object.is_empty()),
                "{said}"
            );
        }
    }
}
