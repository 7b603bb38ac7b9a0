//! Real session files that grow, read in many small steps: the library must be the one that a
//! single reading makes.

use std::fs;
use std::path::Path;

use jezero::pipeline::Options;
use jezero_connectors::connector::Surroundings;
use proptest::prelude::*;
use proptest::test_runner::Config;

use super::script::Place;

/// One line of a session file, as a seed: which record, and how long its text is.
type Seed = (u8, usize);

fn line(at: usize, (kind, words): Seed) -> String {
    let text = format!(
        "line {at} {}",
        "says something worth keeping ".repeat(words)
    );
    let content = match kind {
        0 => serde_json::json!(text),
        1 => serde_json::json!([{"type": "text", "text": text}]),
        2 => {
            serde_json::json!([{"type": "tool_use", "id": format!("t{at}"), "name": "Bash", "input": {"command": text}}])
        }
        3 => {
            serde_json::json!([{"type": "tool_result", "tool_use_id": format!("t{}", at.saturating_sub(1)), "is_error": true, "content": text}])
        }
        4 => serde_json::json!(format!("{text} DB_PASSWORD=quaint-Otter-{at}-parade")),
        5 => serde_json::json!(format!(
            "typed quaint-Otter-{}-parade there",
            at.saturating_sub(3)
        )),
        _ => return "{ not a record".to_owned(),
    };
    let role = if matches!(kind, 1 | 2) {
        "assistant"
    } else {
        "user"
    };
    serde_json::json!({
        "type": role,
        // A record is written twice now and then.
        "uuid": format!("r{}", if at % 11 == 10 { at - 4 } else { at }),
        "timestamp": format!("2026-10-01T{:02}:{:02}:00Z", at / 60 % 24, at % 60),
        "cwd": "/home/me/code/shop",
        "message": {"id": format!("m{}", at / 2), "role": role, "content": content},
    })
    .to_string()
}

fn read(place: &Place, projects: &Path) {
    let mut options = toml::Table::new();
    options.insert(
        "projects_dir".to_owned(),
        projects.display().to_string().into(),
    );
    options.insert("settle_minutes".to_owned(), 0.into());
    options.insert("min_chars".to_owned(), 0.into());
    let kind = jezero_connectors::kind("claude_code").unwrap();
    let connector = kind.build(&options, &Surroundings::default()).unwrap();
    let report = place.run_connector(connector, Options::default());
    assert_eq!(report.failed, 0, "{report:?}");
}

/// External ids and originals.
fn contents(place: &Place) -> Vec<(String, String)> {
    let mut all: Vec<_> = place
        .items()
        .into_iter()
        .map(|item| (item.1, item.3))
        .collect();
    all.sort();
    all
}

fn session(projects: &Path, lines: &[String]) {
    let folder = projects.join("-home-me-code-shop");
    fs::create_dir_all(&folder).unwrap();
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    fs::write(folder.join("s1.jsonl"), text).unwrap();
}

proptest! {
    #![proptest_config(Config::with_cases(24))]

    #[test]
    fn a_session_read_as_it_grows_is_the_session_read_at_once(
        seeds in prop::collection::vec((0_u8..7, 0_usize..12), 2..40),
        steps in prop::collection::vec(1_usize..10, 1..6),
    ) {
        let lines: Vec<String> = seeds.iter().enumerate().map(|(at, seed)| line(at, *seed)).collect();
        let folder = tempfile::tempdir().unwrap();

        let grown = Place::new(1000);
        let mut until = 0;
        for step in steps {
            until = (until + step).min(lines.len());
            session(folder.path(), &lines[..until]);
            read(&grown, folder.path());
        }
        session(folder.path(), &lines);
        read(&grown, folder.path());

        let once = Place::new(1000);
        read(&once, folder.path());
        prop_assert_eq!(contents(&grown), contents(&once));
        for (_, original) in contents(&once) {
            for (at, (kind, _)) in seeds.iter().enumerate() {
                let value = format!("quaint-Otter-{at}-parade");
                prop_assert!(*kind != 4 || at % 11 == 10 || !original.contains(&value), "{}", original);
            }
        }
    }
}
