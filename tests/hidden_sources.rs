//! A reader who sees some sources gets the answers of a library that holds only those.

use jezero::access::Reader;
use jezero::import::ImportOptions;
use jezero::item::ItemId;
use jezero::library::{Library, SearchQuery, TextScope, TimelineQuery};
use proptest::prelude::*;
use serde::Serialize;
use serde_json::{Value, json};

use crate::support::{Shelf, into};

fn words() -> impl Strategy<Value = String> {
    let word = proptest::sample::select(&["alpha", "beta", "gamma", "alphabet", "東京都"][..]);
    prop::collection::vec(word, 1..6).prop_map(|words| words.join(" "))
}

prop_compose! {
    fn any_record()(
        source in "[abc]",
        title in words(),
        summary in words(),
        atom in prop::option::of(words()),
        project in prop::option::of("[pq]"),
        // Few days and few sessions, so that ties and copies are common.
        day in 1..4_u8,
        session in prop::option::of(0..4_u8),
        original in prop::option::of(words()),
    ) -> Value {
        json!({
            "source": source, "title": title, "summary": summary, "project": project,
            "atoms": atom.map(|text| json!([{"kind": "fact", "text": text}])),
            "occurred_at": format!("2026-10-0{day}T00:00:00Z"),
            "original": original,
            "original_ref": session.map(|session| format!("x:{session}")),
        })
    }
}

fn shelf<'a>(records: impl Iterator<Item = &'a Value>) -> Shelf {
    let lines: Vec<String> = records.map(Value::to_string).collect();
    let shelf = Shelf::empty();
    let options = ImportOptions {
        source: None,
        ..into("a")
    };
    shelf.import(lines.join("\n"), &options).unwrap();
    shelf
}

/// An answer without the numbers of its items.
fn nameless(answer: &impl Serialize) -> Value {
    fn strip(value: &mut Value) {
        match value {
            Value::Object(object) => {
                object.shift_remove("id");
                object.values_mut().for_each(strip);
            }
            Value::Array(list) => list.iter_mut().for_each(strip),
            _ => {}
        }
    }
    let mut value = serde_json::to_value(answer).unwrap();
    strip(&mut value);
    value
}

fn answers(library: &Library, reader: &Reader, query: &str) -> Vec<Value> {
    let search = |scope| {
        let search = SearchQuery {
            query: query.to_owned(),
            scope,
            ..SearchQuery::default()
        };
        let found = library.search(reader, &search).unwrap();
        json!([nameless(&found), format!("{:?}", found.looked)])
    };
    let timeline = library.timeline(reader, &TimelineQuery::default()).unwrap();
    let mut answers = vec![
        search(TextScope::Summary),
        search(TextScope::Original),
        search(TextScope::All),
        nameless(&timeline),
        nameless(&library.list_sources(reader).unwrap()),
        nameless(&library.stats(reader).unwrap()),
    ];
    let mut ids: Vec<ItemId> = timeline.items.iter().map(|item| item.id).collect();
    ids.sort();
    for id in ids {
        answers.push(nameless(&library.get_item(reader, id, true).unwrap()));
        answers.push(nameless(&library.later(reader, id, None, Some(3)).unwrap()));
        answers.push(nameless(
            &library.later(reader, id, Some(query), None).unwrap(),
        ));
    }
    answers
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn hidden_sources_leave_no_trace(
        mut records in prop::collection::vec(any_record(), 1..24),
        seen in prop::sample::subsequence(vec!["a", "b", "c"], 0..=3),
        query in words(),
    ) {
        for (at, record) in records.iter_mut().enumerate() {
            // A session has one item in each source; others have a record of their own.
            let id = match record["original_ref"].as_str() {
                Some(session) => format!("{session}#0"),
                None => format!("n{at}"),
            };
            record["external_id"] = json!(id);
        }
        let mut known = std::collections::HashSet::new();
        records.retain(|record| {
            known.insert((record["source"].to_string(), record["external_id"].to_string()))
        });
        let all = shelf(records.iter());
        let part = shelf(records.iter().filter(|record| {
            seen.contains(&record["source"].as_str().unwrap())
        }));
        let globs: Vec<String> = seen.iter().map(ToString::to_string).collect();
        let reader = Reader::new(&globs, true).unwrap();
        prop_assert_eq!(
            answers(&all.library(), &reader, &query),
            answers(&part.library(), &Reader::everything(), &query)
        );
    }
}
