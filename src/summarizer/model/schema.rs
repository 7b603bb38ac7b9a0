//! What a model is to fill in: the shape of a reply, as a JSON schema and in words.

use serde_json::{Value, json};

use crate::item::{AtomKind, MAX_ATOMS, MAX_QUESTIONS};

/// A shape of replies.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Form {
    /// Name of the tool and of the schema.
    pub(super) name: &'static str,
    /// What the tool is said to do.
    pub(super) purpose: &'static str,
    /// The shape in words, for a model that is not held to the schema.
    pub(super) in_words: &'static str,
    /// Keys of which a reply has at least one; an object with none of them is something else.
    pub(super) keys: &'static [&'static str],
}

/// The record of a segment.
pub(super) static SUMMARY: Form = Form {
    name: "record_summary",
    purpose: "Puts the record of the text into the library.",
    in_words: r#"Reply with one JSON object and nothing else, in this shape:
{"title": "…", "summary": "…", "questions": ["…", "…", "…"], "atoms": [{"kind": "decision", "text": "…"}], "project": "…" or null}
All five keys are required; "atoms" may be []. No text before or after the object, no code fence."#,
    keys: &["title", "summary"],
};

/// Its project alone.
pub(super) static PROJECT: Form = Form {
    name: "record_project",
    purpose: "Notes which project the text belongs to.",
    in_words: r#"Reply with one JSON object and nothing else, in this shape:
{"project": "…" or null}
No text before or after the object, no code fence."#,
    keys: &["project"],
};

impl Form {
    /// The schema. It holds only what every server's strict mode takes: no bounds on lengths.
    pub(super) fn schema(&self) -> Value {
        let project = json!({"type": ["string", "null"]});
        if self.name == PROJECT.name {
            return json!({
                "type": "object",
                "additionalProperties": false,
                "required": ["project"],
                "properties": {"project": project}
            });
        }
        let kinds = AtomKind::ALL.map(AtomKind::as_str);
        json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["title", "summary", "questions", "atoms", "project"],
            "properties": {
                "title": {"type": "string", "description": "One line, at most 80 characters"},
                "summary": {"type": "string", "description": "Two to six sentences"},
                "questions": {
                    "type": "array",
                    "description": format!("Three to {MAX_QUESTIONS} questions"),
                    "items": {"type": "string"}
                },
                "atoms": {
                    "type": "array",
                    "description": format!("At most {MAX_ATOMS}, the most useful first"),
                    "items": {
                        "type": "object",
                        "additionalProperties": false,
                        "required": ["kind", "text"],
                        "properties": {
                            "kind": {"type": "string", "enum": kinds},
                            "text": {"type": "string"}
                        }
                    }
                },
                "project": project
            }
        })
    }

    /// Whether an object is meant as a reply in this shape.
    pub(super) fn is_in(&self, object: &serde_json::Map<String, Value>) -> bool {
        self.keys.iter().any(|key| object.contains_key(*key))
    }
}
