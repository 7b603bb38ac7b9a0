//! The index against the plain scan, on random libraries.

mod durable;
mod loading;
mod memory;
mod runs;
mod sample;

use proptest::prelude::*;

use super::*;
use crate::item::AtomKind;
use crate::store::Scope;
use crate::store::search::{Rules, Scan, Term, Terms, TextIndex};
use sample::{Change, Sample};

/// Asks both and compares all of what they say.
fn compare(view: &View, question: &Question<'_>) {
    let plain = Scan::new(view).matches(question).unwrap();
    let found = Index::new(view).matches(question).unwrap();
    let terms: Vec<&str> = question
        .terms
        .iter()
        .map(|term| term.folded.as_str())
        .collect();
    let terms = (terms, question.texts, question.filter);
    assert_eq!(found.searched, plain.searched, "{terms:?}");
    assert_eq!(found.frequencies, plain.frequencies, "{terms:?}");
    let ids =
        |matches: &Matches| -> Vec<i64> { matches.ranked.iter().map(|one| one.id.0).collect() };
    assert_eq!(ids(&found), ids(&plain), "{terms:?}");
    for (found, plain) in found.ranked.iter().zip(&plain.ranked) {
        assert!(
            (found.relevance - plain.relevance).abs() < 1e-6,
            "{terms:?}"
        );
        assert_eq!(found.occurred_at, plain.occurred_at);
    }
}

/// Compares with all scopes and filters that make a difference in a sample.
fn compare_all(view: &View, terms: &[Term], pool: usize) {
    let none = Filter::default();
    let filters = [
        none,
        Filter {
            project: Some("atlas"),
            ..none
        },
        Filter {
            source: Some("agent-1"),
            ..none
        },
        Filter {
            source: Some("unknown"),
            ..none
        },
        Filter {
            since: crate::item::Instant::from_unix(1_000_500),
            ..none
        },
        Filter {
            until: crate::item::Instant::from_unix(1_000_500),
            ..none
        },
        Filter {
            kind: Some(AtomKind::Risk),
            ..none
        },
        Filter {
            trust: Some(Trust::External),
            ..none
        },
        Filter {
            trust: Some(Trust::Own),
            kind: Some(AtomKind::Fact),
            ..none
        },
    ];
    let scopes = [
        Scope::All,
        Scope::Only(vec![1]),
        Scope::Only(vec![1, 3]),
        Scope::Only(vec![]),
    ];
    let pairs = scopes.iter().cycle().zip(&filters);
    let others = scopes.iter().zip(filters.iter().skip(1));
    for (at, (scope, filter)) in pairs.chain(others).enumerate() {
        let question = |texts| Question {
            scope,
            filter,
            terms,
            texts,
            pool,
        };
        compare(view, &question(TextScope::Summary));
        // Each in turn, so that every filter meets every kind of text in some cases.
        let with_originals = [TextScope::Original, TextScope::All];
        compare(view, &question(with_originals[(at + pool) % 2]));
    }
}

/// An eighth of the usual number: a case builds a library.
fn cases() -> ProptestConfig {
    let usual = ProptestConfig::default();
    ProptestConfig {
        cases: usual.cases / 8,
        ..usual
    }
}

fn rules() -> impl Strategy<Value = Rules> {
    (any::<bool>(), any::<bool>()).prop_map(|(whole_words, short_terms)| Rules {
        whole_words,
        short_terms,
    })
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn the_index_ranks_as_the_scan_does(
        steps in prop::collection::vec((prop::collection::vec(sample::change(), 1..12), prop::collection::vec(sample::query(), 3)), 1..6),
        rules in rules(),
        pool in 1_usize..30,
    ) {
        let sample = Sample::new();
        let view = sample.view();
        for (changes, queries) in steps {
            sample.apply(&changes);
            prop_assert_eq!(view.check_index().unwrap().first_faults, []);
            for query in queries {
                compare_all(&view, &Terms::read(&query, rules).used, pool);
            }
        }
    }
}

#[test]
fn readers_of_one_file_share_what_they_load() {
    let (sample, other) = (Sample::new(), Sample::new());
    for sample in [&sample, &other] {
        sample.apply(&[Change::put(1, "a word")]);
    }
    let [first, second] = [sample.view(), sample.view()];
    let other = other.view();
    assert!(Arc::ptr_eq(&first.index.cache, &second.index.cache));
    assert!(!Arc::ptr_eq(&first.index.cache, &other.index.cache));
}

#[test]
fn a_view_may_go_to_another_thread() {
    fn sent<T: Send>() {}
    sent::<View>();
}

#[test]
fn a_new_word_is_seen_at_once_by_another_connection() {
    let sample = Sample::new();
    let view = sample.view();
    let terms = Terms::read("zeppelin", Rules::default()).used;
    let question = Question {
        scope: &Scope::All,
        filter: &Filter::default(),
        terms: &terms,
        texts: TextScope::Summary,
        pool: 10,
    };
    assert_eq!(Index::new(&view).matches(&question).unwrap().searched, 0);
    sample.apply(&[Change::put(1, "a Zeppelin over the lake")]);
    assert_eq!(
        Index::new(&view).matches(&question).unwrap().ranked.len(),
        1
    );
    sample.apply(&[Change::Delete(1)]);
    assert_eq!(Index::new(&view).matches(&question).unwrap().searched, 0);
}
