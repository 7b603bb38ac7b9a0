//! `later`: what may have changed since an item.

use serde_json::{Value, json};

use super::shape::{self, Shape, TRUNCATED};
use super::{Asked, Tool, ToolError, schema, to_json};
use crate::item::ItemId;

pub(super) const TOOL: Tool = Tool {
    name: "later",
    title: "What changed since",
    description: "Lists newer items of the same project on the same subject as an item: what may \
                  have revised or reversed it. Use it before you rely on a decision, a plan, a \
                  status or a number in an item, with a `query` that names what you are checking; \
                  answer with the newest state. Use search instead to find items in the first \
                  place, and timeline for all that happened in a period. `matched_by` is `subject` \
                  for items on the subject and `project_timeline` when there are none: then the \
                  newest of the project are listed and may be unrelated. An empty `later` means \
                  that nothing newer is known. An id that does not exist or that this key may not \
                  read gives {\"found\": false}.",
    takes: &["item_id", "query", "limit", "fields", "max_tokens"],
    required: 1,
    input,
    output,
    is_brief: |_| false,
    run,
};

fn input() -> Value {
    json!({
        "item_id": {
            "type": "integer",
            "description": "The `id` of the item you are about to rely on, 1 or more, for example \
                            12.",
        },
        "query": {
            "type": "string",
            "description": "What you are checking, in a few distinctive words, for example invoice \
                            CSV encoding. Default: the title of the item.",
        },
        "limit": schema::limit("5"),
        "fields": shape::fields_schema(&[TRUNCATED]),
        "max_tokens": shape::max_tokens_schema(),
    })
}

fn output() -> Value {
    let mut output = json!({
        "found": {"type": "boolean", "description": "Whether there is such an item."},
        "item": {"type": "object", "properties": {
            "id": schema::integer("The item that was asked about."),
            "occurred_at": schema::text("When it happened."),
        }},
        "matched_by": {
            "type": "string",
            "enum": ["subject", "project_timeline"],
            "description": "How the newer items were found.",
        },
        "count": schema::integer("How many newer items there are."),
        "later": schema::list(&schema::item(&json!({})), "Newest first."),
        "why_empty": schema::why_empty(),
    });
    if let Value::Object(output) = &mut output {
        output.extend(shape::outputs());
    }
    output
}

fn run(asked: &Asked<'_>) -> Result<Value, ToolError> {
    let id = ItemId(asked.arguments.item_id("item_id")?);
    let query = asked.arguments.text("query")?;
    let limit = asked.arguments.integer("limit")?;
    let shape = Shape::read(asked.arguments, &[TRUNCATED])?;
    let found = asked.library.later(asked.reader, id, query, limit)?;
    let mut answer = to_json(&found)?;
    shape.apply(&mut answer, "later");
    if found.newer.is_some_and(|newer| newer.count == 0) {
        let reason = "nothing else of its project, or of its source if it has no project, happened \
                      at or after this item";
        shape::add(&mut answer, "why_empty", json!({"reason": reason}));
    }
    Ok(answer)
}
