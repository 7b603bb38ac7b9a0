//! The shape of a reply, as a JSON schema and in words.

use serde_json::{Value, json};

use crate::item::{AtomKind, MAX_ATOMS, MAX_QUESTIONS};

/// Name of the tool and of the schema.
pub(super) const NAME: &str = "record_summary";

/// The schema. It holds only what every server's strict mode takes: no bounds on lengths.
pub(super) fn reply() -> Value {
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
            "project": {"type": ["string", "null"]}
        }
    })
}

/// The shape in words, for a model that is not held to the schema.
pub(super) const IN_WORDS: &str = r#"Reply with one JSON object and nothing else, in this shape:
{"title": "…", "summary": "…", "questions": ["…", "…", "…"], "atoms": [{"kind": "decision", "text": "…"}], "project": "…" or null}
All five keys are required; "atoms" may be []. No text before or after the object, no code fence."#;
