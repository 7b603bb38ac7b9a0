//! `search`: finds items by words.

use serde_json::{Value, json};

use super::{Asked, Tool, ToolError, schema, to_json};
use crate::library::SearchQuery;

pub(super) const TOOL: Tool = Tool {
    name: "search",
    title: "Search past work",
    description: "Finds items of past work (agent sessions, mail threads, tasks) by the words in \
                  their title, summary, questions, atoms and project. Use it to find out what is \
                  known about an error, a name, a decision or a project. Give a few distinctive \
                  words; an item that holds more of them ranks higher, and recent ones are boosted. \
                  Matching is literal: parts of words count, synonyms do not. Use timeline instead \
                  for a period without a subject, and get_item for one whole item whose id you \
                  have. An empty answer is no error: `why_empty` says which words or filters found \
                  nothing; try a synonym, the singular or fewer filters. Only sources that this key \
                  may read are searched.",
    takes: &["query", "project", "source", "since", "limit"],
    required: 1,
    input,
    output,
    run,
};

fn input() -> Value {
    json!({
        "query": {
            "type": "string",
            "description": "Words or \"quoted phrases\", joined with OR, ignoring case and accents; \
                            up to 4,096 characters and 64 terms. Terms of less than 3 characters \
                            are dropped. Example: invoice \"broken accents\" csv",
        },
        "project": schema::project(),
        "source": schema::source(),
        "since": schema::since(),
        "limit": schema::limit("10"),
    })
}

fn output() -> Value {
    let score = json!({"score": {
        "type": "number",
        "description": "Relevance and age in one number; compares results of one query only.",
    }});
    json!({
        "count": schema::integer("How many results there are."),
        "results": schema::list(&schema::item(&score), "Best first."),
    })
}

fn run(asked: &Asked<'_>) -> Result<Value, ToolError> {
    let arguments = asked.arguments;
    let owned = |text: Option<&str>| text.map(str::to_owned);
    let query = SearchQuery {
        query: arguments
            .required_text("query", "the words to look for, such as invoice export")?
            .to_owned(),
        project: owned(arguments.text("project")?),
        source: owned(arguments.text("source")?),
        since: owned(arguments.text("since")?),
        limit: arguments.integer("limit")?,
    };
    to_json(&asked.library.search(asked.reader, &query)?)
}
