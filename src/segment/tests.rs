//! Properties of segmentation: boundaries, growth, limits for every script.

use std::sync::LazyLock;

use proptest::prelude::*;

use super::*;
use crate::redaction::Engine;

/// Made once: there are many blocks in these tests.
static ENGINE: LazyLock<Engine> = LazyLock::new(|| Engine::embedded().unwrap());

fn block(record: u64, text: &str) -> RedactedBlock {
    RedactedBlock {
        locator: Locator::record(record),
        position: record * 10,
        instant: Instant::from_unix(1_000 + i64::try_from(record).unwrap()).unwrap(),
        size: text.chars().count(),
        text: ENGINE.redact(text),
    }
}

fn segments(limit: usize, texts: &[String]) -> Vec<Segment> {
    let mut segmenter = Segmenter::new(limit);
    let blocks = (0..).zip(texts).map(|(record, text)| block(record, text));
    let mut out: Vec<Segment> = blocks.filter_map(|block| segmenter.push(block)).collect();
    out.extend(segmenter.finish());
    out
}

fn texts() -> impl Strategy<Value = Vec<String>> {
    // Latin, accents, CJK, emoji; lines inside a block too.
    prop::collection::vec("[a-zé日本語😀 \n]{1,60}", 1..40)
}

#[test]
fn a_text_of_exactly_the_limit_is_one_segment() {
    let parts = ["a".repeat(500), "b".repeat(499)];
    assert_eq!(segments(1000, &parts).len(), 1);
    let parts = ["a".repeat(500), "b".repeat(500)];
    assert_eq!(segments(1000, &parts).len(), 2);
}

#[test]
fn a_block_over_the_limit_is_shortened_and_stands_alone() {
    let parts = ["x".to_owned(), "語".repeat(3000), "y".to_owned()];
    let segments = segments(1000, &parts);
    assert_eq!(segments.len(), 3);
    assert_eq!(
        segments[1].text.as_str(),
        format!(
            "{0}\n[... 2040 characters omitted ...]\n{0}",
            "語".repeat(480)
        )
    );
}

#[test]
fn a_locator_that_does_not_increase_is_left_out() {
    let mut segmenter = Segmenter::new(1000);
    assert_eq!(segmenter.push(block(5, "first")), None);
    assert!(!segmenter.accepts(Locator::record(5)));
    assert_eq!(segmenter.push(block(5, "again")), None);
    assert_eq!(segmenter.push(block(4, "earlier")), None);
    assert_eq!(segmenter.finish().unwrap().text.as_str(), "first");
}

#[test]
fn the_time_of_a_segment_is_the_greatest_of_its_blocks() {
    let mut late = block(0, "late");
    late.instant = Instant::from_unix(9_000).unwrap();
    let mut segmenter = Segmenter::new(1000);
    assert_eq!(segmenter.push(late), None);
    assert_eq!(segmenter.push(block(1, "early")), None);
    assert_eq!(segmenter.finish().unwrap().occurred_at.unix(), 9_000);
}

proptest! {
    #[test]
    fn concatenated_segments_give_back_the_blocks(texts in texts(), limit in 61_usize..300) {
        let joined: Vec<String> =
            segments(limit, &texts).iter().map(|s| s.text.as_str().to_owned()).collect();
        prop_assert_eq!(joined.join("\n"), texts.join("\n"));
    }

    #[test]
    fn no_segment_passes_the_limit(texts in texts(), limit in 50_usize..300) {
        for segment in segments(limit, &texts) {
            prop_assert!(segment.text.chars() <= limit);
        }
    }

    #[test]
    fn a_grown_unit_changes_only_its_last_segment(texts in texts(), more in texts(), limit in 50_usize..300) {
        let before = segments(limit, &texts);
        let grown: Vec<String> = texts.iter().chain(&more).cloned().collect();
        let after = segments(limit, &grown);
        let settled = before.len() - 1;
        prop_assert_eq!(&before[..settled], &after[..settled]);
        prop_assert_eq!(before[settled].locator, after[settled].locator);
    }

    #[test]
    fn segmentation_may_start_again_at_any_first_block(texts in texts(), limit in 50_usize..300) {
        let whole = segments(limit, &texts);
        for (at, first) in whole.iter().enumerate() {
            let mut segmenter = Segmenter::new(limit);
            let from = usize::try_from(first.locator.record).unwrap();
            let blocks = (0..).zip(&texts).skip(from).map(|(record, text)| block(record, text));
            let mut again: Vec<Segment> = blocks.filter_map(|b| segmenter.push(b)).collect();
            again.extend(segmenter.finish());
            prop_assert_eq!(&again[..], &whole[at..]);
        }
    }

    #[test]
    fn redaction_moves_no_boundary(sizes in prop::collection::vec(1_usize..80, 1..30)) {
        let plain: Vec<String> = sizes.iter().map(|n| "x".repeat(*n)).collect();
        let mut hidden = Segmenter::new(100);
        let mut out = Vec::new();
        for (record, size) in (0..).zip(&sizes) {
            out.extend(hidden.push(RedactedBlock { size: *size, ..block(record, "[REDACTED:some_rule]") }));
        }
        out.extend(hidden.finish());
        let boundaries = |segments: &[Segment]| segments.iter().map(|s| s.locator).collect::<Vec<_>>();
        prop_assert_eq!(boundaries(&segments(100, &plain)), boundaries(&out));
    }
}
