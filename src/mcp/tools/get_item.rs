//! `get_item`: reads one item in full.

use serde_json::{Value, json};

use super::{Asked, Tool, ToolError, schema, to_json};
use crate::item::ItemId;

pub(super) const TOOL: Tool = Tool {
    name: "get_item",
    title: "Read one item",
    description: "Reads one item in full by its id. Use it after search, timeline or later, when \
                  one of their results matters; use search when you have words and no id. The \
                  summary and atoms are usually enough: ask for the original (the redacted \
                  transcript, which may be long) only when they are not. An id that does not exist \
                  or that this key may not read gives {\"found\": false}.",
    takes: &["item_id", "include_original"],
    required: 1,
    input,
    output,
    run,
};

fn input() -> Value {
    json!({
        "item_id": {
            "type": "integer",
            "description": "The `id` of an item, 1 or more, as search, timeline and later return \
                            it, for example 12.",
        },
        "include_original": {
            "type": "boolean",
            "description": "Whether to add `original`, the redacted text that the item summarises. \
                            Default: false. Example: true.",
        },
    })
}

fn output() -> Value {
    let original = json!({"original": {
        "type": ["string", "null"],
        "description": "Only when asked for: the redacted original, or null for an item stored \
                        without one.",
    }});
    json!({
        "found": {"type": "boolean", "description": "Whether there is such an item."},
        "item": schema::item(&original),
    })
}

fn run(asked: &Asked<'_>) -> Result<Value, ToolError> {
    let id = ItemId(asked.arguments.item_id("item_id")?);
    let original = asked.arguments.flag("include_original")?;
    to_json(&asked.library.get_item(asked.reader, id, original)?)
}
