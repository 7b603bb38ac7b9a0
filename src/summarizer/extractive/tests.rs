//! Golden replies on invented texts, and what must hold for any text.

use std::path::Path;

use proptest::prelude::*;

use super::*;
use crate::item::{Draft, Instant, MAX_ATOMS, MAX_QUESTIONS, SourceName, TITLE_CHARS};
use crate::redaction::Engine;
use crate::summarizer::{Dropped, accept};

fn with_task<T>(text: &str, hint: Option<&str>, then: impl FnOnce(&Task<'_>, &Engine) -> T) -> T {
    let engine = Engine::embedded();
    let text = engine.redact(text);
    let hint = hint.map(|hint| engine.redact(hint));
    let task = Task {
        text: &text,
        title_hint: hint.as_ref(),
        part: (1, 1),
        source: &SourceName::new("notes").unwrap(),
        project: None,
        occurred_at: Instant::parse("2026-10-19T21:09:00Z").unwrap(),
    };
    then(&task, &engine)
}

fn drafted(text: &str) -> (Draft, Dropped) {
    // A text may open with the source's own title.
    let (hint, text) = match text
        .strip_prefix("hint: ")
        .and_then(|rest| rest.split_once('\n'))
    {
        Some((hint, text)) => (Some(hint), text),
        None => (None, text),
    };
    with_task(text, hint, |task, engine| {
        accept(reply(task), task, engine).unwrap()
    })
}

/// A reply as it stands in `fixtures/summaries/*.expected`: a field a line.
fn shown(draft: &Draft) -> String {
    let mut lines = vec![
        format!("title: {}", draft.title),
        format!("summary: {}", draft.summary),
    ];
    lines.extend(
        draft
            .questions
            .iter()
            .map(|text| format!("question: {text}")),
    );
    let atoms = draft.atoms.iter();
    lines.extend(atoms.map(|atom| format!("{}: {}", atom.kind.as_str(), atom.text)));
    lines.join("\n") + "\n"
}

/// Every text of `fixtures/summaries` gives the reply beside it, which a person read and kept.
#[test]
fn the_reviewed_texts_give_the_reviewed_replies() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/summaries");
    let mut texts: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "txt"))
        .collect();
    texts.sort();
    assert!(texts.len() >= 30, "the reviewed texts are there");
    for path in texts {
        let (draft, dropped) = drafted(&std::fs::read_to_string(&path).unwrap());
        assert_eq!(dropped, Dropped::default(), "{}", path.display());
        let expected = path.with_extension("expected");
        let expected = std::fs::read_to_string(expected).unwrap();
        assert_eq!(shown(&draft), expected, "{}", path.display());
    }
}

#[test]
fn the_example_of_the_data_model_page_is_summed_up() {
    let text = "[2026-10-19 21:05] user: the accounting import rejects the invoice CSV\n\
        [2026-10-19 21:06] tool call: Bash {\"command\": \"uv run pytest tests/test_export.py -q\"}\n\
        [2026-10-19 21:09] assistant: The import fails on the BOM. I removed it from the writer.";
    let (draft, _) = drafted(text);
    assert_eq!(
        shown(&draft),
        "title: The accounting import rejects the invoice CSV\n\
        summary: Asked: The accounting import rejects the invoice CSV. The import fails on the BOM. I removed it from the writer.\n\
        question: What was done about “The accounting import rejects the invoice CSV”?\n\
        fix: I removed it from the writer.\n\
        command: uv run pytest tests/test_export.py -q\n\
        fact: The import fails on the BOM.\n"
    );
}

#[test]
fn texts_that_say_nothing_still_have_a_reply() {
    let titles: Vec<String> = [
        "",
        "[2026-10-19 21:05] user: ",
        "[2026-10-19 21:05] user: 4b1c2d9e-0000-4000-8000-000000000001",
        "[2026-10-19 21:05] user: (command) /clear",
        "[2026-10-19 21:05] tool call: Edit {\"file_path\": \"/srv/shop/a.rs\"}",
        "[2026-10-19 21:05] user: 输入发票导入失败，请修复编码问题",
        "[2026-10-19 21:05] user: 🎉🎉🎉",
        "[2026-10-19 21:05] user: لماذا يفشل استيراد الفواتير؟",
    ]
    .into_iter()
    .map(|text| drafted(text).0.title.as_str().to_owned())
    .collect();
    assert_eq!(
        titles,
        [
            "Untitled",
            "Untitled",
            "4b1c2d9e-0000-4000-8000-000000000001",
            "/clear",
            "Edit a.rs",
            "输入发票导入失败，请修复编码问题",
            "Untitled",
            "لماذا يفشل استيراد الفواتير؟",
        ]
    );
}

#[test]
fn a_giant_line_without_spaces_is_no_trouble() {
    for unit in [
        "a", "字", ".", "<a", "**", "[", "a.", "? ", "x: ", "🎉", "\\", "(",
    ] {
        let (draft, _) = drafted(&format!("[2026-10-19 21:05] user: {}", unit.repeat(60_000)));
        assert!(draft.title.chars() <= 91, "{unit}: {}", draft.title);
        assert!(draft.summary.chars() <= 900, "{unit}");
    }
}

/// Pieces that texts are made of: anything at all, and what sessions hold.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        any::<String>(),
        Just("\n[2026-10-19 21:05] user: ".to_owned()),
        Just("\n[2026-10-19 21:05] assistant: ".to_owned()),
        Just("\n[2026-10-19 21:06] tool call: Bash {\"command\": \"make test\\n".to_owned()),
        Just(
            "\n[2026-10-19 21:06] tool call: Bash {\"command\": \"cargo build --release\"}"
                .to_owned()
        ),
        Just("\n[2026-10-19 21:06] tool error: ".to_owned()),
        Just("\n[2026-10-19 21:06] Ana <ana@shop.example>: ".to_owned()),
        Just("error: no such file\n".to_owned()),
        Just("```\n".to_owned()),
        "[ -~]{0,60}",
        "[a-z]{1,8}( [a-z]{1,8}){0,12}[.?!:]? ",
        "(we decided to|because|fixed by|careful:|决定|la causa era) [a-z `*]{5,80}[.]",
    ];
    proptest::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_text_gives_a_reply_within_the_limits_and_the_same_one_twice(text in text()) {
        let text = text.trim_start().to_owned();
        with_task(&text, None, |task, engine| {
            let reply = reply(task);
            prop_assert_eq!(&reply, &super::reply(task));
            prop_assert!(!reply.title.trim().is_empty());
            prop_assert!(reply.title.chars().count() <= TITLE_CHARS);
            prop_assert!(!reply.summary.trim().is_empty());
            prop_assert!(reply.summary.chars().count() <= 900);
            prop_assert!((1..=MAX_QUESTIONS).contains(&reply.questions.len()));
            prop_assert!(reply.atoms.len() <= MAX_ATOMS);
            // Errors and commands stand in the text, nothing is empty or told twice.
            let (_, dropped) = accept(reply, task, engine).map_err(|error| TestCaseError::fail(error.to_string()))?;
            prop_assert_eq!(dropped, Dropped::default());
            Ok(())
        })?;
    }

    #[test]
    fn a_hint_of_any_kind_gives_a_title_within_the_limits(hint in any::<String>()) {
        with_task("[2026-10-19 21:05] user: fix the export", Some(&hint), |task, _| {
            let title = reply(task).title;
            prop_assert!(!title.trim().is_empty() && title.chars().count() <= TITLE_CHARS);
            Ok(())
        })?;
    }
}

#[test]
fn a_text_of_signs_without_width_has_a_title_and_a_summary_that_show() {
    let text = format!(
        "[2026-10-19 21:05] user: {}",
        "\u{200b}\u{2060}\u{ad} ".repeat(200)
    );
    let (draft, _) = drafted(&text);
    assert_eq!(draft.title.as_str(), "Untitled");
    assert_eq!(
        draft.summary.as_str(),
        "There is nothing to read in this text."
    );
}
