//! Index and items in step, whatever happens: kills, older libraries, erasure.

use std::fs;

use jezero_connectors::Instant;

use super::sample::{Change, Sample};
use super::*;
use crate::store::Store;
use crate::store::index::shelf::{Book, SegmentRow, Shelf};

fn words(number: u8, round: u32) -> String {
    format!("shared words{number} round{round} alpha beta gamma/{number}")
}

/// Applies changes that make merges: each a transaction of its own.
fn busy(sample: &Sample, rounds: std::ops::Range<u32>) {
    for round in rounds {
        for number in 0..12 {
            sample.apply(&[Change::put(number, &words(number, round))]);
        }
    }
}

/// What the file would hold after a kill at this moment, and nothing of the program's memory.
fn after_a_kill(sample: &Sample) -> (tempfile::TempDir, View) {
    let folder = tempfile::tempdir().unwrap();
    for name in ["library.db", "library.db-wal"] {
        let from = sample.path().with_file_name(name);
        fs::copy(from, folder.path().join(name)).unwrap();
    }
    // The next program that writes opens it first.
    drop(Store::open(&folder.path().join("library.db")).unwrap());
    let view = View::open(&folder.path().join("library.db")).unwrap();
    (folder, view)
}

fn matching(view: &View, query: &str) -> Vec<i64> {
    matching_in(view, query, TextScope::Summary)
}

fn matching_in(view: &View, query: &str, texts: TextScope) -> Vec<i64> {
    let terms = Terms::read(query, Rules::default()).used;
    let (scope, filter) = (Scope::All, Filter::default());
    let question = Question {
        scope: &scope,
        filter: &filter,
        terms: &terms,
        texts,
        pool: 50,
    };
    compare(view, &question);
    let found = Index::new(view).matches(&question).unwrap();
    found.ranked.iter().map(|ranked| ranked.id.0).collect()
}

#[test]
fn a_kill_at_any_step_leaves_index_and_items_in_step() {
    let sample = Sample::new();
    busy(&sample, 0..3);
    for step in 0..30_u8 {
        let word = format!("round{}", 100 + u32::from(step));
        sample.apply_without_upkeep(&[Change::put(12 + step, &format!("shared {word}"))]);
        for _ in 0..3 {
            let mut store = sample.store.borrow_mut();
            let Store { connection, upkeep } = &mut *store;
            // Steps of few bytes, so that merges are cut in many places.
            upkeep.step(connection, 64).unwrap();
            drop(store);
            let (_folder, view) = after_a_kill(&sample);
            assert_eq!(view.check_index().unwrap().first_faults, [], "{word}");
            assert_eq!(matching(&view, &word).len(), 1);
            assert_eq!(matching(&view, "shared").len(), 13 + usize::from(step));
        }
    }
    let shelf = SqliteShelf(&sample.store.borrow().connection);
    let segments = shelf.segments(Book::Summaries).unwrap();
    assert!(segments.iter().any(|row| row.documents > 7));
}

#[test]
fn a_kill_within_a_transaction_leaves_what_was() {
    let sample = Sample::new();
    busy(&sample, 0..2);
    let mut store = sample.store.borrow_mut();
    let outcome = store.batch(|batch| {
        batch
            .connection()
            .execute("UPDATE items SET summary = 'never stored'", [])?;
        settle(batch.connection())?;
        let (_folder, view) = after_a_kill(&sample);
        assert_eq!(view.check_index().unwrap().first_faults, []);
        assert_eq!(matching(&view, "never stored").len(), 0);
        Err::<(), _>(crate::store::StoreError::Damaged {
            what: "test",
            row: 0,
        })
    });
    assert!(outcome.is_err());
    drop(store);
    assert_eq!(sample.view().check_index().unwrap().first_faults, []);
}

#[test]
fn a_library_without_an_index_is_scanned_by_readers_and_indexed_by_the_next_writer() {
    let sample = Sample::new();
    busy(&sample, 0..1);
    let store = sample.store.borrow();
    erase::begin_anew(&store.connection).unwrap();
    let view = sample.view();
    assert_eq!(matching(&view, "words7").len(), 1);
    assert_eq!(view.check_index().unwrap().waiting, 12);
    drop(store);
    drop(Store::open(&sample.path()).unwrap());
    assert_eq!(matching(&view, "words7").len(), 1);
    let checked = view.check_index().unwrap();
    assert_eq!((checked.waiting, checked.items, checked.faults), (0, 12, 0));
}

#[test]
fn indexing_what_waits_tells_how_far_it_is_and_goes_on_after_a_kill() {
    let sample = Sample::new();
    // Each original is as long as one transaction may be.
    let long = "word and other ".repeat(70_000);
    let put = |number| Change::put_with(number, &words(number, 0), &format!("{long} {number}"));
    sample.apply(&(0..2).map(put).collect::<Vec<_>>());
    let mut store = sample.store.borrow_mut();
    let mut told = Vec::new();
    store
        .rebuild_index(&mut |progress| {
            // What a kill at this moment leaves is finished by the next writer.
            let (_folder, view) = after_a_kill(&sample);
            let checked = view.check_index().unwrap();
            assert_eq!((checked.waiting, checked.faults), (0, 0));
            assert_eq!((checked.items, checked.originals), (2, 2));
            told.push((progress.done, progress.of));
        })
        .unwrap();
    assert_eq!(told, [(0, 4), (2, 4), (3, 4), (4, 4)]);
    // Nothing is told where nothing waits.
    drop(store);
    let mut told = false;
    drop(Store::open_with(&sample.path(), true, &mut |_| told = true).unwrap());
    assert!(!told);
}

#[test]
fn what_was_indexed_in_many_steps_becomes_one_segment_and_a_few_more_texts_do_not() {
    let sample = Sample::new();
    let long = "word and other ".repeat(70_000);
    let put = |number| Change::put_with(number, &words(number, 0), &format!("{long} {number}"));
    sample.apply(&(0..3).map(put).collect::<Vec<_>>());
    let segments = |store: &Store| {
        let shelf = SqliteShelf(&store.connection);
        let rows = shelf.segments(Book::Originals).unwrap();
        let documents = |row: &SegmentRow| row.documents;
        rows.iter().map(documents).collect::<Vec<_>>()
    };
    let mut store = sample.store.borrow_mut();
    store.rebuild_index(&mut |_| {}).unwrap();
    assert_eq!(segments(&store), [3]);
    assert_eq!(
        matching_in(&sample.view(), "other", TextScope::Original).len(),
        3
    );
    drop(store);
    sample.apply(&[put(3)]);
    let waits = "INSERT INTO index_pending SELECT 1, max(item) FROM originals";
    sample
        .store
        .borrow()
        .connection
        .execute_batch(waits)
        .unwrap();
    let store = Store::open(&sample.path()).unwrap();
    assert_eq!(segments(&store), [3, 1]);
}

#[test]
fn a_damaged_segment_is_found_and_rebuilding_mends_it() {
    let sample = Sample::new();
    busy(&sample, 0..1);
    let mut store = sample.store.borrow_mut();
    let spoil = "UPDATE index_parts SET bytes = zeroblob(length(bytes)) WHERE id = (SELECT max(id) FROM index_parts)";
    store.connection.execute(spoil, []).unwrap();
    let view = sample.view();
    assert!(matches!(
        view.check_index().unwrap().first_faults[..],
        [Fault::Segment { .. }, ..]
    ));
    store.rebuild_index(&mut |_| {}).unwrap();
    assert_eq!(view.check_index().unwrap().first_faults, []);
    assert_eq!(matching(&view, "shared").len(), 12);
}

#[test]
fn an_item_that_differs_from_its_words_is_found() {
    let sample = Sample::new();
    busy(&sample, 0..1);
    let store = sample.store.borrow();
    store
        .connection
        .execute_batch(
            "UPDATE items SET summary = 'changed' WHERE id = 3; DELETE FROM index_pending",
        )
        .unwrap();
    let checked = sample.view().check_index().unwrap();
    assert_eq!(checked.first_faults, [Fault::Differs { item: 3 }]);
}

/// A hundred words that stand in one item alone.
fn own_words(number: u8) -> Vec<String> {
    let word = |at: u64| {
        let mixed = (u64::from(number) * 1000 + at + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        format!("{mixed:016x}")
    };
    (0..100).map(word).collect()
}

#[test]
fn nothing_of_a_deleted_item_is_left_in_the_file_after_erasing() {
    let sample = Sample::new();
    // One segment of many pages, of which so few die that it would stay.
    let put = |number| {
        let words = own_words(number);
        let (summary, original) = words.split_at(50);
        Change::put_with(number, &summary.join(" "), &original.join(" "))
    };
    sample.apply(&(0..40).map(put).collect::<Vec<_>>());
    sample.apply(&[Change::Delete(3), Change::Delete(17)]);
    let left = || {
        let mut left = 0;
        for name in ["library.db", "library.db-wal"] {
            let bytes = fs::read(sample.path().with_file_name(name)).unwrap();
            for word in [own_words(3), own_words(17)].concat() {
                // The dictionary leaves out what a word shares with the one before.
                let end = word.get(6..).unwrap().as_bytes();
                left += usize::from(memchr::memmem::find(&bytes, end).is_some());
            }
        }
        left
    };
    assert!(left() > 0);
    assert!(sample.store.borrow_mut().erase().unwrap());
    assert_eq!(left(), 0);
    let view = sample.view();
    assert_eq!(view.check_index().unwrap().first_faults, []);
    for texts in [TextScope::Summary, TextScope::Original, TextScope::All] {
        let words = own_words(5)[45..55].join(" ");
        assert_eq!(matching_in(&view, &words, texts).len(), 1);
    }
}

#[test]
fn originals_are_indexed_or_not_as_they_are_asked_to_be() {
    let sample = Sample::new();
    sample.apply(&[
        Change::put_with(1, "short", "a long story of a zeppelin over the lake"),
        Change::put_with(2, "a zeppelin", "of something else"),
        Change::put(3, "no original"),
    ]);
    let counts = || {
        let view = sample.view();
        assert_eq!(matching_in(&view, "zeppelin", TextScope::Original), [1]);
        assert_eq!(matching_in(&view, "zeppelin", TextScope::All), [2, 1]);
        let checked = view.check_index().unwrap();
        assert_eq!((checked.items, checked.waiting, checked.faults), (3, 0, 0));
        let sql = "SELECT count(*) FROM index_segments WHERE book = 1";
        let segments: i64 = view
            .connection
            .query_row(sql, [], |row| row.get(0))
            .unwrap();
        (checked.originals, segments)
    };
    assert_eq!(counts(), (2, 1));
    drop(Store::open_with(&sample.path(), false, &mut |_| {}).unwrap());
    assert_eq!(counts(), (0, 0));
    // Nobody notes what changes meanwhile, and a rebuilding does not bring it back.
    sample
        .store
        .borrow_mut()
        .rebuild_index(&mut |_| {})
        .unwrap();
    sample.apply(&[Change::Original(2, Some("still something else".to_owned()))]);
    assert_eq!(counts(), (0, 0));
    drop(Store::open_with(&sample.path(), true, &mut |_| {}).unwrap());
    assert_eq!(counts(), (2, 1));
    drop(Store::open_with(&sample.path(), true, &mut |_| {}).unwrap());
    assert_eq!(counts(), (2, 1));
}

#[test]
fn an_original_that_cannot_be_read_hides_no_other() {
    let sample = Sample::new();
    sample.apply(&[
        Change::put_with(1, "one", "a zeppelin"),
        Change::put_with(2, "two", "a zeppelin too"),
    ]);
    let spoil = "UPDATE originals SET zstd = x'00' WHERE item = 1";
    let mut store = sample.store.borrow_mut();
    store
        .batch(|batch| {
            batch.connection().execute(spoil, [])?;
            Ok::<_, crate::store::StoreError>(())
        })
        .unwrap();
    store.rebuild_index(&mut |_| {}).unwrap();
    let view = sample.view();
    assert_eq!(matching_in(&view, "zeppelin", TextScope::Original), [2]);
    let faults = view.check_index().unwrap().first_faults;
    assert_eq!(faults, [Fault::Unreadable { item: 1 }]);
}

#[test]
fn originals_that_may_hold_a_phrase_are_read_newest_first_as_far_as_is_allowed() {
    let sample = Sample::new();
    let put = |number| Change::put_with(number, "s", "one two, and two three");
    for number in 1..9 {
        sample.apply(&[put(number)]);
    }
    let view = sample.view();
    let shelf = SqliteShelf(&view.connection);
    let cache = Cache::default();
    let terms = Terms::read("\"one two\"", Rules::default()).used;
    let question = Question {
        scope: &Scope::All,
        filter: &Filter::default(),
        terms: &terms,
        texts: TextScope::Original,
        pool: 50,
    };
    let [summaries, originals] =
        Book::ALL.map(|book| Seen::refreshed(None, &shelf, book, &cache).unwrap());
    let rows = Rows::new(&summaries, &originals);
    let asked = |seen, book| ask::Asked {
        shelf: &shelf,
        texts: Box::leak(Box::new(SqliteTexts {
            connection: &view.connection,
            book,
        })),
        cache: &cache,
        seen,
    };
    let found = |characters, scope| {
        let question = Question { scope, ..question };
        let matches = Both {
            summaries: &asked(&summaries, Book::Summaries),
            originals: &asked(&originals, Book::Originals),
            rows: &rows,
            characters,
        }
        .matches(&question, &ask::Wanted::default())
        .unwrap();
        let mut ids: Vec<i64> = matches.ranked.iter().map(|one| one.id.0).collect();
        ids.sort_unstable();
        (ids, matches.unread)
    };
    let length = "one two, and two three".len() as u64;
    // Sources go by number: items 1, 4 and 7 are of the second.
    let one = Scope::Only(vec![2]);
    for _ in 0..2 {
        assert_eq!(found(3 * length, &Scope::All), (vec![6, 7, 8], 5));
        // What a key cannot see takes nothing of what is read for it.
        assert_eq!(found(2 * length + 1, &one), (vec![4, 7], 1));
        assert_eq!(found(0, &one), (vec![], 3));
        // The second time, all lists are kept.
        assert_eq!(found(u64::MAX, &Scope::All), ((1..9).collect(), 0));
        assert_eq!(found(u64::MAX, &one), (vec![1, 4, 7], 0));
    }
}

#[test]
fn a_key_limited_to_sources_gets_the_answers_of_a_library_of_these_alone() {
    let all = Sample::new();
    let alone = Sample::new();
    for number in 0..12_u8 {
        let words = "word ".repeat(usize::from(number));
        let original = format!("an original, shared {}", words.repeat(3));
        let change = Change::put_with(number, &format!("shared {words}"), &original);
        all.apply(std::slice::from_ref(&change));
        // Sources go by number: 0, 1, 2, 0, 1, 2 …
        if number % 3 == 1 {
            alone.apply(&[change]);
        }
    }
    let terms = Terms::read("word shared", Rules::default()).used;
    let filter = Filter::default();
    let ask = |sample: &Sample, scope: &Scope, texts: TextScope| {
        let view = sample.view();
        let question = Question {
            scope,
            filter: &filter,
            terms: &terms,
            texts,
            pool: 50,
        };
        let matches = Index::new(&view).matches(&question).unwrap();
        let ranked: Vec<(Instant, f64)> = matches
            .ranked
            .iter()
            .map(|ranked| (ranked.occurred_at, ranked.relevance))
            .collect();
        (matches.searched, matches.frequencies, ranked)
    };
    // "agent-1" is the second source in either library.
    for texts in [TextScope::Summary, TextScope::Original, TextScope::All] {
        let alone = ask(&alone, &Scope::All, texts);
        assert_eq!(ask(&all, &Scope::Only(vec![2]), texts), alone);
        assert!(!alone.2.is_empty());
    }
}
