//! `timeline`: what happened in a project or source over a period.

use serde_json::{Value, json};

use super::shape::{self, Shape, TRUNCATED};
use super::{Asked, Tool, ToolError, schema, to_json};
use crate::item::{AtomKind, Trust};
use crate::library::TimelineQuery;

pub(super) const TOOL: Tool = Tool {
    name: "timeline",
    title: "What happened when",
    description: "Lists items newest first: what happened in a project or a source over a period. \
                  Use it to catch up on a project, or for questions about a day or a week; use \
                  search when you have a subject, and later to check whether one item still holds. \
                  Every argument is optional; without any, the newest items of all sources come. \
                  An empty answer is no error: `why_empty` says which filter left nothing. Only \
                  sources that this key may read are listed.",
    takes: &[
        "project",
        "source",
        "since",
        "until",
        "limit",
        "kind",
        "trust",
        "fields",
        "max_tokens",
    ],
    required: 0,
    input,
    output,
    is_brief: |_| false,
    run,
};

fn input() -> Value {
    json!({
        "project": schema::project(),
        "source": schema::source(),
        "since": schema::since(),
        "until": schema::until(),
        "limit": schema::limit("20"),
        "kind": schema::kind(),
        "trust": schema::trust(),
        "fields": shape::fields_schema(&[TRUNCATED]),
        "max_tokens": shape::max_tokens_schema(),
    })
}

fn output() -> Value {
    let mut output = json!({
        "count": schema::integer("How many items there are."),
        "items": schema::list(&schema::item(&json!({})), "Newest first."),
        "why_empty": schema::why_empty(),
    });
    if let Value::Object(output) = &mut output {
        output.extend(shape::outputs());
    }
    output
}

fn run(asked: &Asked<'_>) -> Result<Value, ToolError> {
    let arguments = asked.arguments;
    let text = |name| Ok::<_, ToolError>(arguments.text(name)?.map(str::to_owned));
    let query = TimelineQuery {
        project: text("project")?,
        source: text("source")?,
        since: text("since")?,
        until: text("until")?,
        kind: arguments.word("kind", &schema::kinds(), |word| {
            word.parse::<AtomKind>().ok()
        })?,
        trust: arguments.word("trust", &schema::TRUSTS, |word| word.parse::<Trust>().ok())?,
        limit: arguments.integer("limit")?,
    };
    let shape = Shape::read(arguments, &[TRUNCATED])?;
    let found = asked.library.timeline(asked.reader, &query)?;
    let mut answer = to_json(&found)?;
    shape.apply(&mut answer, "items");
    if found.count == 0 {
        let why = asked.library.why_no_items(asked.reader, &query)?;
        shape::add(&mut answer, "why_empty", to_json(&why)?);
    }
    Ok(answer)
}
