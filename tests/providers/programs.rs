//! The provider `command`: a program gets the question, and gives the record.
#![cfg(unix)]

use jezero::config::{Provider, Summarizer as Settings};
use jezero::summarizer::Answer;
use serde_json::json;

use super::tried::{made, record, tried, tried_on};

/// A summariser that runs a script of the system's shell.
struct Script {
    folder: tempfile::TempDir,
    settings: Settings,
}

impl Script {
    fn new(script: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sum");
        std::fs::write(&path, script).unwrap();
        let record = record().to_string();
        std::fs::write(folder.path().join("record"), record).unwrap();
        let there = folder.path().display().to_string();
        let command = ["/bin/sh", &path.display().to_string(), &there];
        let settings = Settings {
            provider: Provider::Command,
            command: command.map(str::to_owned).to_vec(),
            timeout_seconds: 20.0,
            ..Settings::default()
        };
        Self { folder, settings }
    }

    async fn tried(&self) -> Result<Answer, String> {
        let answer = tried(made(&self.settings).as_ref()).await;
        answer.map_err(|error| error.to_string())
    }

    fn left(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.path().join(name)).unwrap()
    }
}

#[tokio::test]
async fn a_program_reads_the_question_and_its_output_is_the_record() {
    let script = Script::new("cat > $1/question; pwd > $1/where; cat $1/record");
    let answer = script.tried().await.unwrap();
    assert_eq!(
        answer.reply.title,
        "Invoice export fails on a byte order mark"
    );
    let question = script.left("question");
    assert!(question.starts_with("You write records for a library"));
    assert!(question.contains("Reply with one JSON object and nothing else"));
    assert!(question.contains("ValueError: bad BOM at byte 0"));
    let temporary = std::env::temp_dir().canonicalize().unwrap();
    assert_eq!(script.left("where").trim(), temporary.display().to_string());
    assert_eq!(made(&script.settings).name(), "command sh");
}

#[tokio::test]
async fn a_program_sees_no_variable_that_holds_a_key() {
    let script = Script::new("env > $1/env; cat $1/record");
    script.tried().await.unwrap();
    let names: Vec<String> = (script.left("env").lines())
        .map(|line| line.split('=').next().unwrap().to_owned())
        .collect();
    assert!(names.contains(&"PATH".to_owned()), "{names:?}");
    // The one that the test hides in the place of a key.
    assert!(!names.contains(&"HOME".to_owned()), "{names:?}");
}

#[tokio::test]
async fn the_envelope_of_an_agent_s_command_line_is_opened_and_its_tokens_counted() {
    let envelope = json!({
        "type": "result",
        "subtype": "success",
        "is_error": false,
        "result": format!("```json\n{}\n```", record()),
        "usage": {"input_tokens": 5, "cache_read_input_tokens": 900, "output_tokens": 210}
    });
    let script = Script::new("cat $1/envelope");
    std::fs::write(script.folder.path().join("envelope"), envelope.to_string()).unwrap();
    let answer = script.tried().await.unwrap();
    assert_eq!(
        (answer.usage.input_tokens, answer.usage.output_tokens),
        (905, 210)
    );
    assert_eq!(answer.reply.project.as_deref(), Some("billing"));

    let failed = json!({"type": "result", "is_error": true, "result": "Credit balance is too low"});
    std::fs::write(script.folder.path().join("envelope"), failed.to_string()).unwrap();
    assert_eq!(
        script.tried().await.unwrap_err(),
        "sh reports an error: Credit balance is too low. Try the command by hand; then run again"
    );
}

#[tokio::test]
async fn a_program_that_fails_is_quoted_redacted_and_cut() {
    let secret = format!("sk-ant-{}", "vQ7mZx2Lk9Rt4Bw8Nc3Hy6Jd");
    let script = Script::new(&format!(
        "echo 'not logged in with {secret}' >&2; \
         i=0; while [ $i -lt 400 ]; do echo more >&2; i=$((i+1)); done; exit 3"
    ));
    let error = script.tried().await.unwrap_err();
    assert!(
        error.starts_with(
            "sh ended with code 3: not logged in with [REDACTED:anthropic-key-untyped] more more"
        ),
        "{error}"
    );
    assert!(
        error.contains(" mor [... 1791 characters omitted ...] more ")
            && error.ends_with(" more. Try the command by hand; then run again"),
        "{error}"
    );
    assert!(error.len() < 420, "{error}");
    let silent = Script::new("exit 1").tried().await;
    assert_eq!(
        silent.unwrap_err(),
        "sh ended with code 1. Try the command by hand; then run again"
    );
}

#[tokio::test]
async fn a_program_that_is_not_there_is_named() {
    let mut script = Script::new("");
    script.settings.command = vec!["/nowhere/summarise".to_owned()];
    assert_eq!(
        script.tried().await.unwrap_err(),
        "summarise cannot be started: No such file or directory (os error 2). Check \
         summarizer.command"
    );
}

#[tokio::test]
async fn a_program_that_neither_reads_nor_holds_back_does_not_block() {
    let script = Script::new(
        "i=0; while [ $i -lt 3000 ]; do echo 'a line of noise on the error output' >&2; \
         i=$((i+1)); done; cat $1/record",
    );
    let long = "[2026-10-19 21:05] user: more and more\n".repeat(10_000);
    let answer = tried_on(made(&script.settings).as_ref(), &long)
        .await
        .unwrap();
    assert_eq!(answer.reply.questions, ["Why did the invoice export fail?"]);
}

#[tokio::test]
async fn a_reply_that_breaks_a_rule_is_asked_for_once_more() {
    let script = Script::new(
        "cat > $1/question; if [ -e $1/again ]; then cat $1/record; else touch $1/again; \
         echo 'Certainly!'; fi",
    );
    let answer = script.tried().await.unwrap();
    assert_eq!(answer.usage.repairs, 1);
    assert!(
        script
            .left("question")
            .contains("A first reply was refused: it holds no JSON object")
    );
}

/// Whether a process is at work: not gone, and not dead and waiting to be noticed.
#[cfg(target_os = "linux")]
fn works(process: &str) -> bool {
    let state = std::fs::read_to_string(format!("/proc/{process}/stat"));
    state.is_ok_and(|state| !state.contains(") Z "))
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_program_that_is_too_slow_is_ended_with_all_that_it_has_started() {
    let mut script = Script::new("sleep 600 & echo $! > $1/child; wait");
    script.settings.timeout_seconds = 0.5;
    assert_eq!(
        script.tried().await.unwrap_err(),
        "sh was ended after 0.5 seconds. Raise summarizer.timeout_seconds, or try the command by \
         hand"
    );
    let child = script.left("child");
    let mut looks = 0;
    while works(child.trim()) && looks < 1_000_000 {
        looks += 1;
        std::thread::yield_now();
    }
    assert!(!works(child.trim()), "the child still works");
}
