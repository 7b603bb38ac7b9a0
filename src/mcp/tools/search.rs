//! `search`: finds items by words.

use serde_json::{Value, json};

use super::shape::{self, Shape, TRUNCATED};
use super::{Asked, Tool, ToolError, schema, to_json};
use crate::item::{AtomKind, Trust};
use crate::library::{Hit, Library, SearchAnswer, SearchQuery, TextScope};

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
    takes: &[
        "query",
        "project",
        "source",
        "since",
        "limit",
        "until",
        "kind",
        "trust",
        "scope",
        "fields",
        "max_tokens",
        "explain",
    ],
    required: 1,
    input,
    output,
    is_brief: |_| false,
    run,
};

/// Names that `fields` takes besides those of an item.
const MORE: [&str; 4] = ["score", "snippet", "matched", TRUNCATED];

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
        "until": schema::until(),
        "kind": schema::kind(),
        "trust": schema::trust(),
        "scope": {
            "type": "string",
            "enum": TextScope::WORDS,
            "description": "Which text to search: summary (the default) is title, summary, \
                            questions, atoms and project; original is the redacted transcript; all \
                            is both, where the summary counts more. Try all when summary finds \
                            nothing. Only summary for a key that may not read originals.",
        },
        "fields": shape::fields_schema(&MORE),
        "max_tokens": shape::max_tokens_schema(),
        "explain": {
            "type": "boolean",
            "description": "Whether to say how the query was read and how each score came about. \
                            Default: false. Example: true.",
        },
    })
}

fn output() -> Value {
    let of_a_result = json!({
        "score": {
            "type": "number",
            "description": "Relevance and age in one number; compares results of one query only.",
        },
        "snippet": schema::text("With `fields`: a piece of the text that holds most terms."),
        "matched": schema::list(&json!({"type": "string"}), "With `fields`: the terms it holds."),
        "relevance": {"type": "number", "description": "With `explain`: BM25 over the terms."},
        "recency": {"type": "number", "description": "With `explain`: the factor of age."},
    });
    let mut output = json!({
        "count": schema::integer("How many results there are."),
        "results": schema::list(&schema::item(&of_a_result), "Best first."),
        "why_empty": schema::why_empty(),
        "explain": {
            "type": "object",
            "description": "With `explain`: how the query was read and scores are made.",
        },
    });
    if let Value::Object(output) = &mut output {
        output.extend(shape::outputs());
    }
    output
}

fn run(asked: &Asked<'_>) -> Result<Value, ToolError> {
    let arguments = asked.arguments;
    let owned = |name| Ok::<_, ToolError>(arguments.text(name)?.map(str::to_owned));
    let query = SearchQuery {
        query: arguments
            .required_text("query", "the words to look for, such as invoice export")?
            .to_owned(),
        project: owned("project")?,
        source: owned("source")?,
        since: owned("since")?,
        until: owned("until")?,
        kind: arguments.word("kind", &schema::kinds(), |word| {
            word.parse::<AtomKind>().ok()
        })?,
        trust: arguments.word("trust", &schema::TRUSTS, |word| word.parse::<Trust>().ok())?,
        scope: arguments
            .word("scope", &TextScope::WORDS, |word| word.parse().ok())?
            .unwrap_or_default(),
        limit: arguments.integer("limit")?,
    };
    let explain = arguments.flag("explain")?;
    let shape = Shape::read(arguments, &MORE)?;
    let found = asked.library.search(asked.reader, &query)?;
    let mut answer = to_json(&found)?;
    if let Some(Value::Array(results)) = answer.get_mut("results") {
        for (result, hit) in results.iter_mut().zip(&found.results) {
            adorn(result, hit, asked, &query, &shape)?;
        }
    }
    shape.apply(&mut answer, "results");
    if explain {
        if let Some(Value::Array(results)) = answer.get_mut("results") {
            for (result, hit) in results.iter_mut().zip(&found.results) {
                shape::add(result, "relevance", json!(four_decimals(hit.relevance)));
                shape::add(result, "recency", json!(four_decimals(hit.recency)));
            }
        }
        shape::add(
            &mut answer,
            "explain",
            explanation(asked.library, &query, &found),
        );
    }
    if found.count == 0 {
        let why = asked.library.why_no_results(asked.reader, &query, &found)?;
        shape::add(&mut answer, "why_empty", to_json(&why)?);
    }
    Ok(answer)
}

/// Adds the fields that are only there when they are asked for by name.
fn adorn(
    result: &mut Value,
    hit: &Hit,
    asked: &Asked<'_>,
    query: &SearchQuery,
    shape: &Shape,
) -> Result<(), ToolError> {
    if !shape.names("snippet") && !shape.names("matched") {
        return Ok(());
    }
    let excerpt = asked.library.excerpt(asked.reader, &hit.item, query)?;
    shape::add(result, "snippet", json!(excerpt.snippet));
    shape::add(result, "matched", json!(excerpt.matched));
    Ok(())
}

fn explanation(library: &Library, query: &SearchQuery, found: &SearchAnswer) -> Value {
    let settings = library.settings();
    let mut told = json!({
        "items_searched": found.looked.items,
        "terms": found.looked.terms,
        "dropped": found.looked.dropped,
        "score": "relevance × recency",
        "recency": "(1 − recency_weight) + recency_weight × 0.5 ^ (age_days / recency_half_life_days)",
        "recency_weight": settings.recency_weight,
        "recency_half_life_days": settings.recency_half_life_days,
        "candidate_pool": settings.candidate_pool,
    });
    if query.scope.has_originals() {
        shape::add(&mut told, "originals_not_read", json!(found.looked.unread));
    }
    told
}

fn four_decimals(number: f64) -> f64 {
    (number * 10_000.0).round() / 10_000.0
}
