//! `timeline`: what happened in a project or source over a period.

use serde_json::{Value, json};

use super::{Asked, Tool, ToolError, schema, to_json};
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
    takes: &["project", "source", "since", "until", "limit"],
    required: 0,
    input,
    output,
    run,
};

fn input() -> Value {
    json!({
        "project": schema::project(),
        "source": schema::source(),
        "since": schema::since(),
        "until": schema::until(),
        "limit": schema::limit("20"),
    })
}

fn output() -> Value {
    json!({
        "count": schema::integer("How many items there are."),
        "items": schema::list(&schema::item(&json!({})), "Newest first."),
    })
}

fn run(asked: &Asked<'_>) -> Result<Value, ToolError> {
    let text = |name| Ok::<_, ToolError>(asked.arguments.text(name)?.map(str::to_owned));
    let query = TimelineQuery {
        project: text("project")?,
        source: text("source")?,
        since: text("since")?,
        until: text("until")?,
        limit: asked.arguments.integer("limit")?,
    };
    to_json(&asked.library.timeline(asked.reader, &query)?)
}
