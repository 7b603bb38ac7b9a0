//! What readers load and count, and how the best of many documents are found.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use proptest::prelude::*;

use super::super::ask::Wanted;
use super::super::cache::Cache;
use super::super::loaded::{END, Segment};
use super::super::pack::put;
use super::super::seen::{Scoped, Seen};
use super::super::segment::Writer;
use super::super::shelf::{Book, Kind, Part, SegmentRow, Shelf, Stage};
use super::memory::Maps;
use crate::store::Scope;

/// Writes a segment of these words with postings of these lengths.
fn written(shelf: &Maps, words: &BTreeMap<String, usize>) -> SegmentRow {
    let mut writer = Writer::begin(shelf, 1, Book::Summaries, 0, &[]).unwrap();
    for (word, length) in words {
        let postings = vec![0; *length];
        writer.word(shelf, word.as_bytes(), &postings).unwrap();
    }
    writer.finish(shelf, Stage::Live).unwrap()
}

/// The dictionary in memory as it should be, with the lengths of the postings.
fn expected(words: &BTreeMap<String, usize>) -> (Vec<u8>, Vec<u8>) {
    let (mut text, mut lengths) = (vec![END], Vec::new());
    for (word, length) in words {
        text.extend(word.as_bytes());
        text.push(END);
        put(&mut lengths, *length as u64);
    }
    (text, lengths)
}

fn same_as_written(words: &BTreeMap<String, usize>) {
    let shelf = Maps::default();
    let row = written(&shelf, words);
    let segment = Segment::load(&shelf, row).unwrap();
    let (text, lengths) = expected(words);
    assert!(segment.text == text, "{words:?}");
    assert_eq!(segment.lengths, lengths);
}

proptest! {
    #[test]
    fn a_dictionary_is_loaded_as_it_was_written(
        // Two letters, so that words share much, of lengths about those that are moved at once.
        words in prop::collection::btree_map("[ab]{1,40}|[a-z]{1,12}|a{28,36}[bc]{0,40}", 1_usize..400, 1..60)
    ) {
        same_as_written(&words);
    }

    #[test]
    fn any_bytes_of_a_dictionary_are_loaded_or_refused(
        bytes in prop::collection::vec(prop_oneof![0_u8..4, any::<u8>()], 0..300),
        letters in 0_u64..600,
    ) {
        let shelf = Maps::default();
        let row = SegmentRow {
            dictionary_parts: 1,
            letters,
            ..written(&shelf, &BTreeMap::new())
        };
        let part = Part {
            segment: row.id,
            kind: Kind::Dictionary,
            number: 0,
        };
        shelf.write(part, &bytes).unwrap();
        if let Ok(segment) = Segment::load(&shelf, row) {
            prop_assert_eq!(segment.text.last(), Some(&END));
        }
    }
}

#[test]
fn a_dictionary_of_several_parts_is_loaded_as_it_was_written() {
    let word = |number: usize| (format!("{:>40}/{number}", number * 7919 % 20_000), 1);
    let words: BTreeMap<String, usize> = (0..9_000).map(word).collect();
    let shelf = Maps::default();
    assert_eq!(written(&shelf, &words).dictionary_parts, 2);
    same_as_written(&words);
}

/// Where the marks of each segment stand in memory.
fn places(scoped: &Scoped) -> Vec<*const u8> {
    scoped.marks().map(<[u8]>::as_ptr).collect()
}

#[test]
fn after_a_change_only_new_segments_are_loaded_and_counted() {
    let maps = Maps::default();
    maps.put_all((0..30).map(|item| (item, format!("text {item}"))));
    maps.put(30, "one more");
    let refreshed = |before| {
        // Nothing comes from a cache.
        Seen::refreshed(before, &maps, Book::Summaries, &Cache::default()).unwrap()
    };
    let scopes = [Scope::All, Scope::Only(vec![1]), Scope::Only(vec![2])];
    let seen = refreshed(None);
    let counted = |seen: &Seen| scopes.each_ref().map(|scope| places(&seen.scoped(scope)));
    let marks = counted(&seen);
    let segments: Vec<_> = (seen.segments.iter())
        .map(|held| std::sync::Arc::clone(&held.segment))
        .collect();
    assert_eq!(segments.len(), 2);

    maps.put(7, "changed");
    let seen = refreshed(Some(seen));
    assert_eq!(seen.segments.len(), 3);
    for (held, before) in seen.segments.iter().zip(&segments) {
        assert!(std::sync::Arc::ptr_eq(&held.segment, before));
    }
    for (now, before) in counted(&seen).iter().zip(&marks) {
        assert_eq!(now.get(..2), Some(before.as_slice()));
    }
    let anew = refreshed(None);
    for (scope, documents) in scopes.iter().zip([31, 31, 0]) {
        let (kept, anew) = (seen.scoped(scope), anew.scoped(scope));
        assert_eq!(kept.documents(), documents);
        assert_eq!(kept.documents(), anew.documents());
        assert_eq!(kept.characters(), anew.characters());
        assert!(kept.marks().eq(anew.marks()));
    }
}

#[test]
fn the_best_of_more_documents_than_a_block_holds_are_found() {
    let maps = Maps::default();
    let length = |item: i64| 1 + item * 7919 % 1009;
    let text = |item| {
        format!(
            "common{}",
            " x".repeat(usize::try_from(length(item)).unwrap())
        )
    };
    maps.put_all((0..9_001).map(|item| (item, text(item))));
    for since in [None, Some(4_500)] {
        // The shortest first, of equal ones the newest.
        let mut best: Vec<i64> = (since.unwrap_or(0)..9_001).collect();
        best.sort_by_key(|item| (length(*item), Reverse(*item)));
        best.truncate(100);
        let wanted = Wanted {
            since,
            ..Wanted::default()
        };
        assert_eq!(maps.found_of("common", &wanted), best);
    }
}

#[test]
fn a_damaged_row_that_asks_for_too_many_parts_is_refused() {
    let shelf = Maps::default();
    let row = written(&shelf, &BTreeMap::from([("word".to_owned(), 1)]));
    for (document_parts, dictionary_parts) in [(u32::MAX, 1), (row.document_parts, u32::MAX)] {
        let wrong = SegmentRow {
            document_parts,
            dictionary_parts,
            ..row
        };
        assert!(Segment::load(&shelf, wrong).is_err());
    }
}
