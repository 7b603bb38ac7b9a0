//! Searching originals: how they rank, and who may.

use jezero::access::Reader;
use jezero::library::{LibraryError, SearchAnswer, SearchQuery, Settings, TextScope};
use serde_json::json;

use crate::search::{assert_score, shelf};
use crate::support::Shelf;

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
