//! Terms of many Chinese characters against the plain scan: few characters, so that they repeat and
//! overlap in every way.

use proptest::prelude::*;

use super::sample::{Change, Sample};
use super::*;

fn text(most: usize) -> impl Strategy<Value = String> {
    let part = prop_oneof![
        6 => Just("日"),
        6 => Just("本"),
        2 => Just("語"),
        1 => Just(" "),
        1 => Just("a"),
        1 => Just("。"),
    ];
    prop::collection::vec(part, 1..most).prop_map(|parts| parts.concat())
}

fn term() -> impl Strategy<Value = String> {
    let part = prop::sample::select(&["日", "本", "語"][..]);
    prop::collection::vec(part, 4..17).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn terms_of_many_characters_are_counted_as_the_scan_counts_them(
        texts in prop::collection::vec((text(30), text(60)), 1..12),
        gone in 0_u8..12,
        terms in prop::collection::vec(prop_oneof![3 => term(), 1 => text(8)], 1..5),
    ) {
        let sample = Sample::new();
        let view = sample.view();
        let put = |(number, (summary, original)): (u8, &(String, String))| {
            Change::put_with(number, summary, original)
        };
        let changes: Vec<Change> = (0..).zip(&texts).map(put).collect();
        sample.apply(&changes);
        sample.apply(&[Change::Delete(gone)]);
        let query = terms.iter().map(|term| format!("\"{term}\" ")).collect::<String>();
        for rules in [Rules::default(), Rules { whole_words: true, short_terms: false }] {
            let terms = Terms::read(&query, rules).used;
            // The second time, lists are kept.
            for _ in 0..2 {
                compare_all(&view, &terms, 30);
            }
        }
    }
}
