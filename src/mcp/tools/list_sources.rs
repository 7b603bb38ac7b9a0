//! `list_sources`: what a key can read.

use serde_json::{Value, json};

use super::shape::add;
use super::{Asked, Tool, ToolError, schema, to_json};

pub(super) const TOOL: Tool = Tool {
    name: "list_sources",
    title: "List sources",
    description: "Lists the sources that this key can read, each with its number of items and the \
                  date of the latest. Use it to see what the library covers, or for the exact name \
                  that the `source` argument of search and timeline takes. Takes no argument. \
                  Sources without an item yet are not listed; an empty list means that this key \
                  can read nothing yet.",
    takes: &[],
    required: 0,
    input: || json!({}),
    output,
    is_brief: |_| true,
    run,
};

fn output() -> Value {
    json!({
        "sources": {
            "type": "object",
            "description": "By name.",
            "additionalProperties": {"type": "object", "properties": {
                "items": schema::integer("How many items it has."),
                "latest": schema::text("When the latest of them happened: ISO 8601, UTC."),
            }},
        },
        "why_empty": schema::why_empty(),
    })
}

fn run(asked: &Asked<'_>) -> Result<Value, ToolError> {
    let found = asked.library.list_sources(asked.reader)?;
    let mut answer = to_json(&found)?;
    if found.sources.is_empty() {
        let reason = "no source that this key may read has an item yet";
        add(&mut answer, "why_empty", json!({"reason": reason}));
    }
    Ok(answer)
}
