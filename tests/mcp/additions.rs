//! What is asked for by optional arguments, and what an empty answer says.

use serde_json::{Value, json};

use super::peer::Peer;

fn keys(value: &Value) -> Vec<&str> {
    value
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect()
}

fn ids(answer: &Value, list: &str) -> Vec<i64> {
    let items = answer[list].as_array().unwrap();
    items
        .iter()
        .map(|item| item["id"].as_i64().unwrap())
        .collect()
}

#[test]
fn fields_keeps_the_named_ones_in_the_documented_order() {
    let peer = Peer::of_the_pages();
    let wanted = json!({"query": "invoice export", "fields": ["score", "title", "occurred_at"]});
    let answer = peer.answer("search", &wanted);
    assert_eq!(keys(&answer), ["count", "results"]);
    assert_eq!(
        keys(&answer["results"][0]),
        ["id", "occurred_at", "title", "score"]
    );
    let answer = peer.answer("timeline", &json!({"fields": ["trust"]}));
    assert_eq!(answer["items"][0], json!({"id": 3, "trust": "own"}));
    let answer = peer.answer("later", &json!({"item_id": 1, "fields": ["title"]}));
    assert_eq!(keys(&answer["later"][0]), ["id", "title"]);
    let answer = peer.answer("get_item", &json!({"item_id": 1, "fields": ["project"]}));
    assert_eq!(answer["item"], json!({"id": 1, "project": "billing"}));
    let whole = peer.answer("timeline", &json!({"fields": []}));
    assert_eq!(whole, peer.answer("timeline", &json!({})));
}

#[test]
fn a_snippet_and_the_terms_that_matched_come_by_name() {
    let peer = Peer::of_the_pages();
    let answer = peer.answer(
        "search",
        &json!({"query": "UnicodeEncodeError zebra invoice", "fields": ["snippet", "matched"], "limit": 1}),
    );
    assert_eq!(
        answer["results"][0],
        json!({
            "id": 1,
            "snippet": "The invoice export opened with broken accents in spreadsheets. The CSV \
                        writer now writes UTF-8 with a BOM; the export test was updated.",
            "matched": ["unicodeencodeerror", "invoice"],
        })
    );
}

#[test]
fn a_budget_ends_the_list_and_says_how_much_is_left_off() {
    let peer = Peer::of_the_pages();
    let answer = peer.answer("timeline", &json!({"max_tokens": 1}));
    assert_eq!(keys(&answer), ["count", "items", "truncated"]);
    assert_eq!(
        (&answer["count"], &answer["truncated"]),
        (&json!(1), &json!(3))
    );
    assert_eq!(ids(&answer, "items"), [3]);
    let answer = peer.answer("timeline", &json!({"max_tokens": 100_000}));
    assert_eq!(
        (&answer["count"], &answer["truncated"]),
        (&json!(4), &json!(0))
    );
    let small = json!({"max_tokens": 45, "fields": ["title"]});
    let answer = peer.answer("timeline", &small);
    assert_eq!(
        (&answer["count"], &answer["truncated"]),
        (&json!(2), &json!(2))
    );
    let answer = peer.answer("search", &json!({"query": "invoice", "max_tokens": 1}));
    assert_eq!(
        (&answer["count"], &answer["truncated"]),
        (&json!(1), &json!(1))
    );
    let named = peer.answer("timeline", &json!({"fields": ["truncated"]}));
    assert_eq!(named["truncated"], json!(0));
}

#[test]
fn a_score_can_be_explained() {
    let peer = Peer::of_the_pages();
    let answer = peer.answer(
        "search",
        &json!({"query": "invoice zebra go", "explain": true}),
    );
    assert_eq!(keys(&answer), ["count", "results", "explain"]);
    let explain = &answer["explain"];
    assert_eq!(explain["items_searched"], json!(4));
    assert_eq!(
        explain["terms"],
        json!([{"term": "invoice", "items": 2}, {"term": "zebra", "items": 0}])
    );
    assert_eq!(explain["dropped"], json!(["go"]));
    for result in answer["results"].as_array().unwrap() {
        let number = |key: &str| result[key].as_f64().unwrap();
        let product = number("relevance") * number("recency");
        assert!((product - number("score")).abs() < 2e-4, "{result}");
    }
}

#[test]
fn kind_trust_and_until_narrow_a_search_and_a_timeline() {
    let peer = Peer::of_the_pages();
    let search = |extra: Value| {
        let mut arguments = json!({"query": "invoice"});
        arguments
            .as_object_mut()
            .unwrap()
            .extend(extra.as_object().unwrap().clone());
        ids(&peer.answer("search", &arguments), "results")
    };
    assert_eq!(search(json!({})), [2, 1]);
    assert_eq!(search(json!({"kind": "error"})), [1]);
    assert_eq!(search(json!({"trust": "own"})), [2, 1]);
    assert_eq!(search(json!({"trust": "external"})), [0; 0]);
    assert_eq!(search(json!({"until": "2026-10-19T21:23:12Z"})), [1]);
    assert_eq!(search(json!({"scope": "summary"})), [2, 1]);
    assert_eq!(search(json!({"scope": "original"})), [1, 2]);
    assert_eq!(search(json!({"scope": "all", "kind": "error"})), [1]);
    let timeline = |extra: Value| ids(&peer.answer("timeline", &extra), "items");
    assert_eq!(timeline(json!({"kind": "command"})), [1]);
    assert_eq!(timeline(json!({"kind": "decision"})), [3, 2, 1]);
    assert_eq!(timeline(json!({"kind": "error"})), [1]);
    assert_eq!(timeline(json!({"trust": "external"})), [0; 0]);
}

#[test]
fn an_original_is_read_in_parts() {
    let peer = Peer::of_the_pages();
    let whole = peer.answer("get_item", &json!({"item_id": 1, "include_original": true}));
    let original = whole["item"]["original"].as_str().unwrap().to_owned();
    let total = original.chars().count();
    let part = |offset: i64, chars: i64| {
        let arguments = json!({"item_id": 1, "original_offset": offset, "original_chars": chars});
        let item = peer.answer("get_item", &arguments)["item"].clone();
        let text = item["original"].as_str().unwrap().to_owned();
        (text, item["original_slice"].clone())
    };
    let (text, told) = part(1, 16);
    assert_eq!(text, "2026-10-09 21:05");
    assert_eq!(told, json!({"offset": 1, "chars": 16, "total": total}));
    let (text, told) = part(-5, 0);
    assert_eq!((text, told["chars"].clone()), (original, json!(total)));
    let (text, told) = part(i64::MAX, 5);
    assert_eq!(
        (text.as_str(), told),
        ("", json!({"offset": total, "chars": 0, "total": total}))
    );
    let none = peer.answer("get_item", &json!({"item_id": 3, "original_chars": 5}));
    assert!(none["item"]["original"].is_null());
    assert_eq!(none["item"].get("original_slice"), None);
}

#[test]
fn an_empty_search_says_which_words_and_filters_found_nothing() {
    let peer = Peer::of_the_pages();
    let why = |arguments: Value| peer.answer("search", &arguments)["why_empty"].clone();
    assert_eq!(
        why(json!({"query": "zebra go"})),
        json!({
            "reason": "no item holds any of these terms; matching is literal",
            "items_searched": 4,
            "terms": [{"term": "zebra", "items": 0}],
            "dropped": ["go"],
        })
    );
    assert_eq!(
        why(json!({"query": "go"})),
        json!({
            "reason": "the query has no term that is long enough to be looked for",
            "items_searched": 4,
            "dropped": ["go"],
        })
    );
    assert_eq!(
        why(json!({"query": "invoice", "project": "biling"})),
        json!({
            "reason": "there would be something without project",
            "items_searched": 4,
            "terms": [{"term": "invoice", "items": 2}],
            "removed_by": ["project"],
            "near_projects": ["billing"],
        })
    );
    assert_eq!(
        why(
            json!({"query": "invoice", "project": "billing", "since": "2030-01-01", "kind": "risk"})
        )["removed_by"],
        json!(["project", "since", "kind"])
    );
}

#[test]
fn an_empty_timeline_says_which_filter_left_nothing() {
    let peer = Peer::of_the_pages();
    let answer = peer.answer(
        "timeline",
        &json!({"project": "billing", "since": "2030-01-01"}),
    );
    assert_eq!(
        answer,
        json!({
            "count": 0,
            "items": [],
            "why_empty": {
                "reason": "there would be something without since",
                "items_searched": 4,
                "removed_by": ["since"],
            },
        })
    );
}

#[test]
fn an_original_is_searched_when_it_is_asked_for() {
    let peer = Peer::of_the_pages();
    let ask = |scope: &str| {
        let fields = ["matched", "snippet"];
        let query = "spreadsheet";
        let asked = json!({"query": query, "scope": scope, "fields": fields, "explain": true});
        peer.answer("search", &asked)
    };
    let answer = ask("original");
    assert_eq!(ids(&answer, "results"), [1]);
    let result = &answer["results"][0];
    assert_eq!(result["matched"], json!(["spreadsheet"]));
    let snippet = result["snippet"].as_str().unwrap();
    assert!(
        snippet.contains("when I open it in a spreadsheet"),
        "{snippet}"
    );
    assert_eq!(answer["explain"]["originals_not_read"], json!(0));
    assert_eq!(ask("summary")["explain"].get("originals_not_read"), None);
    let none = peer.answer("search", &json!({"query": "zebra", "scope": "original"}));
    assert_eq!(none["why_empty"]["items_searched"], json!(2));
}
