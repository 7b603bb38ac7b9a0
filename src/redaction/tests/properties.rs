//! What holds for every text.

use proptest::prelude::*;
use proptest::sample::select;

use crate::redaction::soundness::PIECES;
use crate::redaction::{Counts, Engine, Seen};

thread_local! {
    static ENGINE: Engine = Engine::embedded();
}

fn redact(text: &str) -> String {
    ENGINE.with(|engine| engine.redact(text).as_str().to_owned())
}

/// Pieces that meet in transcripts: tokens, keys, quotes at all depths, frames, markers.
fn piece() -> impl Strategy<Value = String> {
    let fixed = select(PIECES).prop_map(str::to_owned);
    prop_oneof![6 => fixed, 2 => "[A-Za-z0-9_+/=-]{1,70}", 1 => "\\PC{0,6}"]
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(piece(), 0..24).prop_map(|pieces| pieces.concat())
}

fn json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(serde_json::Value::from),
        any::<i64>().prop_map(serde_json::Value::from),
        text().prop_map(serde_json::Value::from),
    ];
    let key = prop_oneof![
        Just("password".to_owned()),
        Just("token".to_owned()),
        text()
    ];
    leaf.prop_recursive(3, 12, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(serde_json::Value::from),
            prop::collection::vec((key.clone(), inner.clone()), 0..4)
                .prop_map(|members| serde_json::Value::Object(members.into_iter().collect())),
            // A document inside a string.
            inner.prop_map(|value| serde_json::Value::from(value.to_string())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn redacting_twice_changes_nothing(text in text()) {
        let once = redact(&text);
        prop_assert_eq!(redact(&once), once);
    }

    #[test]
    fn json_stays_json(value in json()) {
        let text = value.to_string();
        let hidden = redact(&text);
        let read = serde_json::from_str::<serde_json::Value>(&hidden);
        prop_assert!(read.is_ok(), "{text}\nbecame\n{hidden}");
        let pretty = serde_json::to_string_pretty(&value).unwrap_or_default();
        let hidden = redact(&pretty);
        let read = serde_json::from_str::<serde_json::Value>(&hidden);
        prop_assert!(read.is_ok(), "{pretty}\nbecame\n{hidden}");
    }

    #[test]
    fn the_windows_miss_nothing_that_a_plain_scan_finds(text in text()) {
        ENGINE.with(|engine| {
            let windowed = engine.ready().unwrap().scanner.rule_places(&text);
            let plain = engine.ready().unwrap().scanner.rule_places_plainly(&text);
            prop_assert_eq!(windowed, plain);
            Ok(())
        })?;
    }

    #[test]
    fn a_value_seen_once_is_gone_from_later_texts(before in text(), after in text()) {
        let secret = "q7Wn3xP0zR5tLk8vB2cM";
        ENGINE.with(|engine| {
            let (mut seen, mut counts) = (Seen::new(), Counts::default());
            let first = format!("DB_PASSWORD={secret}");
            let hidden = engine.redact_seen(&first, &mut seen, &mut counts);
            prop_assert_eq!(hidden.as_str(), "DB_PASSWORD=[REDACTED:password]");
            let later = engine.redact_seen(&format!("{before} {secret} {after}"), &mut seen, &mut counts);
            prop_assert!(!later.as_str().contains(secret), "{later}");
            Ok(())
        })?;
    }
}
