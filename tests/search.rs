//! How search matches and ranks, and what later picks, on small libraries reckoned by hand.

use jezero::access::Reader;
use jezero::import::ImportOptions;
use jezero::item::ItemId;
use jezero::library::{
    Hit, LibraryError, MatchedBy, SearchAnswer, SearchQuery, Settings, TextScope, TimelineQuery,
};
use serde_json::{Value, json};

use crate::support::{NOW, Shelf, into};

/// A library of records; what a record leaves out is filled in, and its source is `a`.
fn shelf(records: &[Value]) -> Shelf {
    let mut lines = String::new();
    for (at, record) in records.iter().enumerate() {
        let mut whole = json!({
            "external_id": format!("n{at}"), "occurred_at": NOW, "title": "-", "summary": "-",
            "source": "a",
        });
        for (key, value) in record.as_object().unwrap() {
            whole[key] = value.clone();
        }
        lines.push_str(&format!("{whole}\n"));
    }
    let shelf = Shelf::empty();
    let options = ImportOptions {
        source: None,
        ..into("a")
    };
    shelf.import(&lines, &options).unwrap();
    shelf
}

fn hits(shelf: &Shelf, settings: Settings, query: &str) -> Vec<Hit> {
    let query = SearchQuery {
        query: query.to_owned(),
        ..SearchQuery::default()
    };
    let answer = shelf
        .library_with(settings)
        .search(&Reader::everything(), &query);
    answer.unwrap().results
}

fn ids(shelf: &Shelf, query: &str) -> Vec<i64> {
    let hits = hits(shelf, Settings::default(), query);
    hits.iter().map(|hit| hit.item.id.0).collect()
}

fn assert_score(hit: &Hit, expected: f64) {
    assert!(
        (hit.score - expected).abs() < 0.000_051,
        "{} is not {expected}",
        hit.score
    );
}

#[test]
fn scores_are_the_documented_formula() {
    // Fields as folded: lengths 5+1 and 1+20, mean 13.5; two items, one of which holds "abc".
    let shelf = shelf(&[
        json!({"title": "abcde"}),
        json!({"summary": "x".repeat(20)}),
    ]);
    let hits = hits(&shelf, Settings::default(), "abc");
    assert_eq!(hits.len(), 1);
    let idf = (1.0_f64 + 1.5 / 1.5).ln();
    let relevance = idf * 2.0 * 2.2 / (2.0 + 1.2 * (0.25 + 0.75 * 6.0 / 13.5));
    assert_score(&hits[0], relevance);
}

#[test]
fn age_halves_the_boost_every_half_life_and_the_future_is_now() {
    let shelf = shelf(&[
        json!({"title": "alpha", "occurred_at": "2026-07-23T21:23:12Z"}),
        json!({"title": "gamma", "occurred_at": "2027-07-23T21:23:12Z"}),
        json!({"title": "other"}),
    ]);
    let score = |query: &str| hits(&shelf, Settings::default(), query)[0].score;
    // 90 days: 0.7 + 0.3 × 0.5.
    let fresh = score("gamma");
    assert!((score("alpha") - fresh * 0.85).abs() < 0.000_11);
    let unweighted = Settings {
        recency_weight: 0.0,
        ..Settings::default()
    };
    assert_score(&hits(&shelf, unweighted, "alpha")[0], fresh);
}

#[test]
fn the_five_fields_count_by_their_weights_and_others_not_at_all() {
    let shelf = shelf(&[
        json!({"project": "needle"}),
        json!({"summary": "needle"}),
        json!({"title": "needle"}),
        json!({"questions": ["needle"]}),
        json!({"original": "needle", "account": "needle", "original_ref": "needle"}),
        json!({"external_id": "needle"}),
    ]);
    assert_eq!(ids(&shelf, "needle"), [3, 4, 2, 1]);
    let atoms = json!({"atoms": [{"kind": "fact", "text": "needle"}]});
    let both = self::shelf(&[json!({"questions": ["needle"]}), atoms]);
    let hits = hits(&both, Settings::default(), "needle");
    assert_score(&hits[0], hits[1].score);
}

#[test]
fn occurrences_that_overlap_are_counted_and_none_reaches_over_two_texts() {
    let shelf = shelf(&[
        json!({"summary": "nanana"}),
        json!({"summary": "nana__"}),
        json!({"questions": ["na", "na"], "title": "na", "summary": "na"}),
    ]);
    let hits = hits(&shelf, Settings::default(), "nana");
    assert_eq!(hits.len(), 2);
    assert_eq!(hits[0].item.id, ItemId(1));
}

#[test]
fn parts_of_words_match_without_regard_to_case_and_accents() {
    let shelf = shelf(&[
        json!({"title": "Facturación de Invoices"}),
        json!({"summary": "first line\nsecond line"}),
        json!({"title": "請求書の発行"}),
    ]);
    assert_eq!(ids(&shelf, "invoice"), [1]);
    assert_eq!(ids(&shelf, "FACTURACION"), [1]);
    assert_eq!(ids(&shelf, "\"line second\""), [2]);
    assert_eq!(ids(&shelf, "\"second first\""), [] as [i64; 0]);
    assert_eq!(ids(&shelf, "請求書"), [3]);
}

#[test]
fn more_terms_rank_higher_and_equals_by_date_then_number() {
    let shelf = shelf(&[
        json!({"title": "alpha"}),
        json!({"title": "alpha"}),
        json!({"title": "alpha", "occurred_at": "2026-10-22T00:00:00Z"}),
        json!({"title": "alpha gamma"}),
    ]);
    assert_eq!(ids(&shelf, "alpha gamma"), [4, 3, 2, 1]);
}

#[test]
fn filters_choose_among_results_and_leave_scores_alone() {
    let shelf = shelf(&[
        json!({"title": "alpha", "project": "shop", "source": "b"}),
        json!({"title": "alpha", "project": "shop2", "occurred_at": "2026-10-01T00:00:00Z"}),
        json!({"title": "alpha"}),
    ]);
    let library = shelf.library();
    let search = |change: &dyn Fn(&mut SearchQuery)| {
        let mut query = SearchQuery {
            query: "alpha".to_owned(),
            ..SearchQuery::default()
        };
        change(&mut query);
        let answer = library.search(&Reader::everything(), &query).unwrap();
        answer.results
    };
    let all = search(&|_| {});
    let only = |id: i64| {
        all.iter()
            .filter(|hit| hit.item.id.0 == id)
            .cloned()
            .collect::<Vec<_>>()
    };
    assert_eq!(all.len(), 3);
    assert_eq!(
        search(&|query| query.project = Some("shop".into())),
        only(1)
    );
    assert_eq!(search(&|query| query.source = Some("b".into())), only(1));
    assert_eq!(search(&|query| query.project = Some("Shop".into())), []);
    let since = search(&|query| query.since = Some("2026-10-01T00:00:01Z".into()));
    assert_eq!(since.len(), 2);
    assert_eq!(
        search(&|query| query.since = Some("2026-10-01".into())).len(),
        3
    );
    assert_eq!(search(&|query| query.limit = Some(1)).len(), 1);
    assert_eq!(search(&|query| query.project = Some(String::new())), all);
}

#[test]
fn limits_have_a_default_and_a_maximum() {
    let records: Vec<Value> = (0..60).map(|_| json!({"title": "alpha"})).collect();
    let shelf = shelf(&records);
    let library = shelf.library();
    let count = |limit: Option<i64>| {
        let query = SearchQuery {
            query: "alpha".to_owned(),
            limit,
            ..SearchQuery::default()
        };
        library.search(&Reader::everything(), &query).unwrap().count
    };
    assert_eq!(
        [
            count(None),
            count(Some(0)),
            count(Some(11)),
            count(Some(1000))
        ],
        [10, 10, 11, 50]
    );
    let items = |limit: Option<i64>| {
        let query = TimelineQuery {
            limit,
            ..TimelineQuery::default()
        };
        library
            .timeline(&Reader::everything(), &query)
            .unwrap()
            .count
    };
    assert_eq!(
        [items(None), items(Some(-1)), items(Some(1000))],
        [20, 20, 50]
    );
    let later = library
        .later(&Reader::everything(), ItemId(1), None, None)
        .unwrap();
    assert_eq!(later.newer.unwrap().count, 5);
}

#[test]
fn only_the_candidate_pool_is_ranked_by_age() {
    let shelf = shelf(&[
        json!({"title": "alpha alpha", "occurred_at": "2020-01-01T00:00:00Z"}),
        json!({"title": "alpha beta!"}),
    ]);
    assert_eq!(ids(&shelf, "alpha"), [2, 1]);
    let narrow = Settings {
        candidate_pool: 1,
        ..Settings::default()
    };
    let hits = hits(&shelf, narrow, "alpha");
    assert_eq!(hits.len(), 1);
    assert_eq!(hits[0].item.id, ItemId(1));
}

#[test]
fn whole_words_match_whole_words_alone() {
    let shelf = shelf(&[
        json!({"title": "invoices"}),
        json!({"title": "The invoice: done"}),
        json!({"title": "préinvoice"}),
        json!({"title": "x"}),
    ]);
    let whole = Settings {
        whole_words: true,
        ..Settings::default()
    };
    let found = |query: &str| -> Vec<i64> {
        let hits = hits(&shelf, whole.clone(), query);
        hits.iter().map(|hit| hit.item.id.0).collect()
    };
    assert_eq!(found("invoice"), [2]);
    assert_eq!(found("\"the invoice\""), [2]);
    assert_eq!(found("x"), [4]);
}

#[test]
fn short_terms_count_as_whole_words_when_they_are_asked_for() {
    let shelf = shelf(&[
        json!({"title": "Google going"}),
        json!({"title": "Rewrite in Go"}),
        json!({"title": "東京都庁"}),
    ]);
    assert_eq!(ids(&shelf, "go"), [] as [i64; 0]);
    let short = Settings {
        short_terms: true,
        ..Settings::default()
    };
    let found = |query: &str| -> Vec<i64> {
        let hits = hits(&shelf, short.clone(), query);
        hits.iter().map(|hit| hit.item.id.0).collect()
    };
    assert_eq!(found("Go"), [2]);
    assert_eq!(found("京都"), [3]);
}

#[test]
fn an_answer_says_how_the_query_was_read() {
    let shelf = shelf(&[json!({"title": "alpha"}), json!({"title": "alpha gamma"})]);
    let query = SearchQuery {
        query: "Alpha GAMMA delta Go".to_owned(),
        ..SearchQuery::default()
    };
    let looked = shelf
        .library()
        .search(&Reader::everything(), &query)
        .unwrap()
        .looked;
    let terms: Vec<_> = looked
        .terms
        .iter()
        .map(|term| (term.term.as_str(), term.items))
        .collect();
    assert_eq!(terms, [("alpha", 2), ("gamma", 1), ("delta", 0)]);
    assert_eq!((looked.items, looked.dropped), (2, vec!["go".to_owned()]));
}

#[test]
fn copies_of_one_session_in_two_sources_are_shown_once() {
    let session = json!({"title": "alpha", "external_id": "s#0", "original_ref": "x:s"});
    let mut copy = session.clone();
    copy["source"] = json!("b");
    let other_part = json!({"title": "alpha", "external_id": "s#1", "original_ref": "x:s"});
    let newer = json!({"title": "alpha", "occurred_at": "2026-10-22T00:00:00Z"});
    let shelf = shelf(&[session, copy, other_part, newer]);
    assert_eq!(ids(&shelf, "alpha"), [4, 3, 2]);
    let library = shelf.library();
    let timeline = |reader: &Reader| -> Vec<i64> {
        let answer = library.timeline(reader, &TimelineQuery::default()).unwrap();
        answer.items.iter().map(|item| item.id.0).collect()
    };
    assert_eq!(timeline(&Reader::everything()), [4, 3, 2]);
    assert_eq!(
        timeline(&Reader::new(&["a".to_owned()], true).unwrap()),
        [4, 3, 1]
    );
    // The copy of the item itself is not newer than it.
    let later = library
        .later(&Reader::everything(), ItemId(1), None, None)
        .unwrap();
    let later: Vec<i64> = later
        .newer
        .unwrap()
        .later
        .iter()
        .map(|item| item.id.0)
        .collect();
    assert_eq!(later, [4, 3]);
}

/// Item 1 asks; 2 and 3 are closest, 4 to 6 match less and are newer and newer.
fn subject() -> Shelf {
    let item = |title: &str, day: u32| json!({"title": title, "project": "p", "occurred_at": format!("2026-10-{day:02}T00:00:00Z")});
    shelf(&[
        item("first thing", 2),
        item("colour colour colour colour", 3),
        item("colour colour colour of it", 4),
        item("colour", 5),
        item("colour", 6),
        item("colour", 7),
        item("nothing of the kind", 8),
        json!({"title": "colour", "occurred_at": "2026-10-09T00:00:00Z"}),
        item("colour", 1),
    ])
}

#[test]
fn later_gives_the_two_closest_and_the_newest_of_the_rest_newest_first() {
    let shelf = subject();
    let later = |limit: Option<i64>| -> Vec<i64> {
        let answer = shelf
            .library()
            .later(&Reader::everything(), ItemId(1), Some("colour"), limit)
            .unwrap();
        let newer = answer.newer.unwrap();
        assert_eq!(newer.matched_by, MatchedBy::Subject);
        newer.later.iter().map(|item| item.id.0).collect()
    };
    assert_eq!(later(None), [6, 5, 4, 3, 2]);
    assert_eq!(later(Some(3)), [6, 3, 2]);
    assert_eq!(later(Some(2)), [3, 2]);
    assert_eq!(later(Some(1)), [3]);
}

#[test]
fn later_leaves_out_what_reaches_less_than_a_third_of_the_best() {
    let mut records: Vec<Value> = (0..8)
        .map(|_| json!({"title": "common", "project": "p"}))
        .collect();
    records.push(json!({"title": "rare rare common", "project": "p"}));
    let shelf = shelf(&records);
    let answer = shelf
        .library()
        .later(
            &Reader::everything(),
            ItemId(1),
            Some("rare common"),
            Some(50),
        )
        .unwrap();
    let later: Vec<i64> = answer
        .newer
        .unwrap()
        .later
        .iter()
        .map(|item| item.id.0)
        .collect();
    assert_eq!(later, [9]);
}

#[test]
fn later_without_a_match_is_the_timeline_of_the_project_or_of_the_source() {
    let shelf = shelf(&[
        json!({"title": "one", "project": "p", "occurred_at": "2026-10-01T00:00:00Z"}),
        json!({"title": "two", "project": "p", "source": "b"}),
        json!({"title": "three"}),
        json!({"title": "four", "occurred_at": "2026-10-01T00:00:00Z"}),
        json!({"title": "five", "source": "b"}),
    ]);
    let later = |id: i64| {
        let answer = shelf
            .library()
            .later(&Reader::everything(), ItemId(id), Some("?"), None);
        let newer = answer.unwrap().newer.unwrap();
        let ids: Vec<i64> = newer.later.iter().map(|item| item.id.0).collect();
        (newer.matched_by, ids)
    };
    assert_eq!(later(1), (MatchedBy::ProjectTimeline, vec![2]));
    // Item 2 is in the same source as item 4 but of a project: source alone decides for item 4.
    assert_eq!(later(4), (MatchedBy::ProjectTimeline, vec![3, 1]));
}

#[test]
fn later_reads_an_empty_query_as_the_title() {
    let shelf = shelf(&[
        json!({"title": "palette", "occurred_at": "2026-10-01T00:00:00Z"}),
        json!({"title": "the palette"}),
        json!({"title": "else"}),
    ]);
    for query in [None, Some(""), Some("  ")] {
        let answer = shelf
            .library()
            .later(&Reader::everything(), ItemId(1), query, None);
        let newer = answer.unwrap().newer.unwrap();
        assert_eq!(newer.matched_by, MatchedBy::Subject);
        assert_eq!((newer.count, newer.later[0].id), (1, ItemId(2)));
    }
}

#[test]
fn counts_of_sources_follow_what_another_program_stores() {
    let shelf = Shelf::of_the_pages();
    let library = shelf.library();
    let codex = Reader::new(&["agent-codex-*".to_owned()], true).unwrap();
    let items = |reader: &Reader| library.stats(reader).unwrap().items;
    let everything = Reader::everything();
    assert_eq!((items(&everything), items(&codex)), (4, 1));
    assert_eq!((items(&everything), items(&codex)), (4, 1));
    let line =
        r#"{"external_id":"n1","occurred_at":"2026-10-01T00:00:00Z","title":"t","summary":"s"}"#;
    shelf.import(line, &into("agent-codex-work-mac")).unwrap();
    assert_eq!((items(&everything), items(&codex)), (5, 2));
}

fn in_scope(shelf: &Shelf, query: &str, scope: TextScope) -> SearchAnswer {
    let query = SearchQuery {
        query: query.to_owned(),
        scope,
        ..SearchQuery::default()
    };
    let answer = shelf.library().search(&Reader::everything(), &query);
    answer.unwrap()
}

#[test]
fn an_original_is_a_text_of_its_own_that_counts_half() {
    let shelf = shelf(&[
        json!({"title": "alpha", "original": "alpha and beta"}),
        json!({"title": "other", "original": "y".repeat(26)}),
        json!({"title": "third"}),
    ]);
    let ids = |query, scope| -> Vec<i64> {
        let found = in_scope(&shelf, query, scope).results;
        found.iter().map(|hit| hit.item.id.0).collect()
    };
    assert_eq!(ids("beta", TextScope::Summary), [0; 0]);
    assert_eq!(ids("beta", TextScope::Original), [1]);
    assert_eq!(ids("third beta", TextScope::All), [3, 1]);
    // Two originals, of 14 and 26 characters, mean 20; three items of 6 characters.
    let share = |items: f64, weight: f64, norm: f64| {
        let idf = (1.0 + (items - 1.0 + 0.5) / 1.5).ln();
        idf * weight * 2.2 / (weight + 1.2 * (0.25 + 0.75 * norm))
    };
    let original = 0.5 * share(2.0, 1.0, 14.0 / 20.0);
    let found = in_scope(&shelf, "alpha", TextScope::Original);
    assert_score(&found.results[0], original);
    assert_eq!((found.looked.items, found.looked.terms[0].items), (2, 1));
    let found = in_scope(&shelf, "alpha", TextScope::All);
    assert_score(&found.results[0], original + share(3.0, 2.0, 1.0));
    assert_eq!((found.looked.items, found.looked.terms[0].items), (3, 1));
}

#[test]
fn originals_are_refused_to_readers_without_them_and_while_they_are_not_indexed() {
    let shelf = shelf(&[json!({"original": "needle"})]);
    let query = |scope| SearchQuery {
        query: "needle".to_owned(),
        scope,
        ..SearchQuery::default()
    };
    let without = Reader::new(&["*".to_owned()], false).unwrap();
    let off = shelf.library_with(Settings {
        originals: false,
        ..Settings::default()
    });
    for scope in [TextScope::Original, TextScope::All] {
        let hidden = shelf.library().search(&without, &query(scope)).unwrap_err();
        assert!(matches!(hidden, LibraryError::OriginalsHidden), "{hidden}");
        assert_eq!(hidden.argument(), Some("scope"));
        let off = off
            .search(&Reader::everything(), &query(scope))
            .unwrap_err();
        assert!(matches!(off, LibraryError::OriginalsOff), "{off}");
    }
    let found = shelf.library().search(&without, &query(TextScope::Summary));
    assert_eq!(found.unwrap().count, 0);
}
