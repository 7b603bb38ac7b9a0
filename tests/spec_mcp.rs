//! The examples of the MCP tools page that need no server, as golden JSON: keys, their order and
//! their values.
//!
//! Scores differ from the page's (0.5634 and 0.5394): those are of another idf and another
//! library around the same items. What is checked is our formula, and that the order is the page's.

use jezero::access::Reader;
use jezero::item::ItemId;
use jezero::library::{SearchQuery, TimelineQuery};

use crate::support::{Shelf, fixture, json};

fn golden(name: &str) -> String {
    fixture(&format!("library/answers/{name}.json"))
}

fn search_for(query: &str) -> SearchQuery {
    SearchQuery {
        query: query.to_owned(),
        ..SearchQuery::default()
    }
}

#[test]
fn search_answers_as_on_the_page() {
    let query = SearchQuery {
        limit: Some(2),
        ..search_for("invoice export")
    };
    let answer = Shelf::of_the_pages()
        .library()
        .search(&Reader::everything(), &query)
        .unwrap();
    assert_eq!(json(&answer), golden("search"));
}

#[test]
fn no_match_is_no_error() {
    let library = Shelf::of_the_pages().library();
    for query in ["nothing-has-this", "", "a \"b\" !"] {
        let answer = library
            .search(&Reader::everything(), &search_for(query))
            .unwrap();
        assert_eq!(
            serde_json::to_string(&answer).unwrap(),
            r#"{"count":0,"results":[]}"#,
            "{query}"
        );
    }
}

#[test]
fn get_item_answers_as_on_the_page() {
    let library = Shelf::of_the_pages().library();
    let answer = library
        .get_item(&Reader::everything(), ItemId(1), true)
        .unwrap();
    assert_eq!(json(&answer), golden("get_item"));
}

#[test]
fn an_original_stands_there_only_when_asked_for_and_is_null_when_there_is_none() {
    let library = Shelf::of_the_pages().library();
    let everything = Reader::everything();
    let without = json(&library.get_item(&everything, ItemId(3), false).unwrap());
    assert!(!without.contains("\"original\""), "{without}");
    let with = json(&library.get_item(&everything, ItemId(3), true).unwrap());
    assert!(
        with.ends_with("\"trust\": \"own\",\n    \"original\": null\n  }\n}\n"),
        "{with}"
    );
    let no_originals = Reader::new(&["*".to_owned()], false).unwrap();
    let withheld = json(&library.get_item(&no_originals, ItemId(1), true).unwrap());
    assert!(
        withheld.ends_with("\"original\": null\n  }\n}\n"),
        "{withheld}"
    );
}

#[test]
fn a_hidden_item_and_an_absent_one_answer_alike() {
    let library = Shelf::of_the_pages().library();
    let codex = Reader::new(&["agent-codex-*".to_owned()], true).unwrap();
    for id in [1, 99, -1, i64::MAX] {
        let item = library.get_item(&codex, ItemId(id), true).unwrap();
        assert_eq!(serde_json::to_string(&item).unwrap(), r#"{"found":false}"#);
        let later = library.later(&codex, ItemId(id), None, None).unwrap();
        assert_eq!(serde_json::to_string(&later).unwrap(), r#"{"found":false}"#);
    }
}

#[test]
fn later_answers_as_on_the_page() {
    let answer = Shelf::of_the_pages()
        .library()
        .later(
            &Reader::everything(),
            ItemId(1),
            Some("invoice CSV encoding"),
            None,
        )
        .unwrap();
    assert_eq!(json(&answer), golden("later"));
}

#[test]
fn nothing_newer_at_all_is_an_empty_project_timeline() {
    let answer = Shelf::of_the_pages()
        .library()
        .later(&Reader::everything(), ItemId(3), None, None)
        .unwrap();
    assert_eq!(
        serde_json::to_string(&answer).unwrap(),
        r#"{"found":true,"item":{"id":3,"occurred_at":"2026-10-20T21:23:12+00:00"},"matched_by":"project_timeline","count":0,"later":[]}"#
    );
}

#[test]
fn timeline_answers_as_on_the_page() {
    let query = TimelineQuery {
        project: Some("billing".to_owned()),
        since: Some("2026-10-01".to_owned()),
        limit: Some(2),
        ..TimelineQuery::default()
    };
    let answer = Shelf::of_the_pages()
        .library()
        .timeline(&Reader::everything(), &query)
        .unwrap();
    assert_eq!(json(&answer), golden("timeline"));
}

#[test]
fn since_is_inclusive_and_until_exclusive() {
    let library = Shelf::of_the_pages().library();
    let ids = |since: &str, until: &str| -> Vec<i64> {
        let query = TimelineQuery {
            since: Some(since.to_owned()),
            until: Some(until.to_owned()),
            ..TimelineQuery::default()
        };
        let answer = library.timeline(&Reader::everything(), &query).unwrap();
        answer.items.iter().map(|item| item.id.0).collect()
    };
    assert_eq!(ids("2026-10-16T21:23:12", "2026-10-20T21:23:12Z"), [2, 4]);
    assert_eq!(
        ids("2026-10-16T23:23:13+02:00", "2026-10-20T21:23:13"),
        [3, 2]
    );
    assert_eq!(ids("", ""), [3, 2, 4, 1]);
}

#[test]
fn list_sources_answers_as_on_the_page() {
    let library = Shelf::of_the_pages().library();
    let answer = library.list_sources(&Reader::everything()).unwrap();
    assert_eq!(json(&answer), golden("list_sources"));
    let stats = library.stats(&Reader::everything()).unwrap();
    assert_eq!(json(&stats), golden("stats"));
}

#[test]
fn an_empty_library_answers_every_question() {
    let library = Shelf::empty().library();
    let everything = Reader::everything();
    let search = library.search(&everything, &search_for("invoice")).unwrap();
    assert_eq!(search.count, 0);
    let timeline = library
        .timeline(&everything, &TimelineQuery::default())
        .unwrap();
    assert_eq!(
        serde_json::to_string(&timeline).unwrap(),
        r#"{"count":0,"items":[]}"#
    );
    let sources = library.list_sources(&everything).unwrap();
    assert_eq!(
        serde_json::to_string(&sources).unwrap(),
        r#"{"sources":{}}"#
    );
    let stats = library.stats(&everything).unwrap();
    assert_eq!(
        serde_json::to_string(&stats).unwrap(),
        r#"{"items":0,"sources":{}}"#
    );
}

#[test]
fn a_wrong_date_is_repeated_with_what_would_be_right() {
    let library = Shelf::of_the_pages().library();
    let query = TimelineQuery {
        since: Some("yesterday".to_owned()),
        ..TimelineQuery::default()
    };
    let error = library.timeline(&Reader::everything(), &query).unwrap_err();
    assert_eq!(
        error.to_string(),
        "since must be an ISO 8601 date or datetime (2026-01-31 or 2026-01-31T09:00:00+02:00), \
         got 'yesterday'"
    );
    assert_eq!(error.argument(), Some("since"));
}
