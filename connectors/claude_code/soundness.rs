//! What must hold for any bytes, over the seeds of the fuzz target and over random sessions.

use std::fs;

use proptest::prelude::*;

use crate::fixtures;

#[path = "../../fuzz/checks.rs"]
mod checks;

#[test]
fn every_seed_of_the_fuzz_target_holds() {
    let folder = fixtures::folder().join("../fuzz/seeds/claude_code");
    let mut seeds = 0;
    for entry in fs::read_dir(folder).unwrap() {
        checks::session_file(&fs::read(entry.unwrap().path()).unwrap());
        seeds += 1;
    }
    assert!(seeds > 0);
}

/// Lines of sessions, sound and damaged, small enough that many fit in one reach.
fn line() -> impl Strategy<Value = String> {
    let time = (0_u32..60).prop_map(|s| format!("2026-10-09T21:23:{s:02}.000Z"));
    let word = prop::sample::select(vec![
        "go on",
        "go on then",
        "[2026-10-09 21:23] user: no",
        "<system-reminder>x</system-reminder>",
        "This session is being continued from a previous conversation that",
        "<command-name>/x</command-name>",
        "a\\nb\\u0000\\ud83d",
        "",
    ]);
    (time, 0_u32..4, word, 0_u32..14).prop_map(|(time, id, word, kind)| match kind {
        0 | 1 => format!(
            r#"{{"type":"user","uuid":"u{id}","timestamp":"{time}","message":{{"content":"{word}"}}}}"#
        ),
        2 | 3 => format!(
            r#"{{"type":"assistant","timestamp":"{time}","message":{{"id":"m{id}","content":[{{"type":"text","text":"{word}"}}]}}}}"#
        ),
        4 => format!(
            r#"{{"type":"assistant","message":{{"id":"m{id}","content":[{{"type":"tool_use","id":"t{id}","name":"Task","input":{{"a":"{word}"}}}}]}}}}"#
        ),
        5 => format!(
            r#"{{"type":"user","message":{{"content":[{{"type":"tool_result","tool_use_id":"t{id}","content":"{word}"}}]}}}}"#
        ),
        6 => format!(
            r#"{{"type":"user","message":{{"content":[{{"type":"tool_result","is_error":true,"content":[{{"type":"text","text":"{word}"}}]}}]}}}}"#
        ),
        7 => format!(
            r#"{{"type":"attachment","attachment":{{"type":"queued_command","commandMode":"prompt","prompt":"{word}"}}}}"#
        ),
        8 => format!(
            r#"{{"type":"user","type":"user","message":{{"content":"{word}","id":5}}}}"#
        ),
        9 => format!(
            r#"{{"type":"user","mess{{"type":"user","message":{{"content":"{word}"}}}}{{"type":"user","message":{{"content":"second {word}"}}}}"#
        ),
        10 => r#"{"type":"ai-title","aiTitle":"A title"}"#.to_owned(),
        11 => format!("garbage {word}"),
        12 => format!(
            r#"{{"type":"pr-link","prNumber":{id},"prUrl":"https://example.com/{id}"}}"#
        ),
        _ => String::new(),
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn a_reading_from_any_block_on_is_the_end_of_the_whole_reading(
        reach in 0_u8..=255,
        lines in prop::collection::vec(line(), 0..40),
        ended in any::<bool>(),
        cut in 0_usize..40,
    ) {
        let mut bytes = vec![reach];
        bytes.extend_from_slice(lines.join("\n").as_bytes());
        if ended {
            bytes.push(b'\n');
        } else {
            bytes.truncate(bytes.len().saturating_sub(cut).max(1));
        }
        checks::session_file(&bytes);
    }
}
