//! `get_item`: reads one item in full.

use serde_json::{Value, json};

use super::shape::{self, Shape};
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
    takes: &[
        "item_id",
        "include_original",
        "original_offset",
        "original_chars",
        "fields",
    ],
    required: 1,
    input,
    output,
    is_brief: |arguments| arguments.keys().all(|name| name == "item_id"),
    run,
};

/// Names that `fields` takes besides those of an item.
const MORE: [&str; 2] = ["original", SLICE];
/// The key that says which part of an original is there.
const SLICE: &str = "original_slice";

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
        "original_offset": {
            "type": "integer",
            "description": "Reads only a part of the original: how many characters to leave out at \
                            its beginning, 0 or more, for example 4000. Default: 0. Asks for the \
                            original by itself.",
        },
        "original_chars": {
            "type": "integer",
            "description": "Reads only a part of the original: how many characters at most, 1 or \
                            more, for example 4000; `original_slice` says how many there are. \
                            Default: all. Asks for the original by itself.",
        },
        "fields": shape::fields_schema(&MORE),
    })
}

fn output() -> Value {
    let original = json!({"original": {
        "type": ["string", "null"],
        "description": "Only when asked for: the redacted original, or null for an item stored \
                        without one.",
    }, SLICE: {
        "type": "object",
        "description": "Only with original_offset or original_chars: which part it is.",
        "properties": {
            "offset": schema::integer("Characters before it."),
            "chars": schema::integer("Characters in it."),
            "total": schema::integer("Characters of the whole original."),
        },
    }});
    json!({
        "found": {"type": "boolean", "description": "Whether there is such an item."},
        "item": schema::item(&original),
    })
}

fn run(asked: &Asked<'_>) -> Result<Value, ToolError> {
    let id = ItemId(asked.arguments.item_id("item_id")?);
    let whole = asked.arguments.flag("include_original")?;
    let offset = asked.arguments.integer("original_offset")?;
    let chars = asked.arguments.integer("original_chars")?;
    let sliced = offset.is_some() || chars.is_some();
    let shape = Shape::read(asked.arguments, &MORE)?;
    let found = asked.library.get_item(asked.reader, id, whole || sliced)?;
    let mut answer = to_json(&found)?;
    if let Some(item) = answer.get_mut("item") {
        if sliced {
            slice(item, offset.unwrap_or(0), chars.unwrap_or(0));
        }
        shape.keep(item);
    }
    Ok(answer)
}

/// Cuts the original of an item down to a part of it, by characters.
fn slice(item: &mut Value, offset: i64, chars: i64) {
    let Some(Value::String(original)) = item.get_mut("original") else {
        return;
    };
    let total = original.chars().count();
    let offset = usize::try_from(offset).unwrap_or(0).min(total);
    let most = match usize::try_from(chars) {
        Ok(chars) if chars > 0 => chars,
        _ => total,
    };
    let part: String = original.chars().skip(offset).take(most).collect();
    let chars = part.chars().count();
    *original = part;
    let told = json!({"offset": offset, "chars": chars, "total": total});
    shape::add(item, SLICE, told);
}
