//! What a line of the log looks like.

use std::io;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::*;

/// What is logged, as text.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl io::Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Kept {
    fn writer(&self) -> impl Fn() -> Self + use<> {
        let kept = self.clone();
        move || kept.clone()
    }

    fn lines(&self) -> Vec<String> {
        let text = String::from_utf8(self.0.lock().unwrap().clone()).unwrap();
        text.lines().map(str::to_owned).collect()
    }
}

fn log_three() {
    tracing::info!(connector = %"agent-a", stored = 2_u64, ok = true, "agent-a: stored 2");
    tracing::warn!(time = "never", "two\nlines \u{1b}[31m");
    tracing::debug!("not told");
    failed(&["error: it is gone".to_owned(), "hint: look".to_owned()]);
}

#[test]
fn a_json_line_has_time_level_message_and_fields() {
    let kept = Kept::default();
    let layer = Layer::default()
        .event_format(Json)
        .with_writer(kept.writer());
    let log = registry().with(level()).with(layer);
    tracing::subscriber::with_default(log, log_three);
    let mut lines: Vec<Value> = (kept.lines().iter())
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    for line in &mut lines {
        let time = line.as_object_mut().unwrap().shift_remove("time").unwrap();
        let time = time.as_str().unwrap();
        assert!(jezero_connectors::Instant::parse(time).is_some(), "{time}");
    }
    assert_eq!(
        lines,
        [
            json!({"level": "info", "message": "agent-a: stored 2", "connector": "agent-a",
                   "stored": 2, "ok": true}),
            json!({"level": "warn", "message": "two\nlines \u{1b}[31m"}),
            json!({"level": "error", "message": "it is gone; hint: look"}),
        ]
    );
}

#[test]
fn a_text_line_is_time_level_and_message_and_steers_no_terminal() {
    let kept = Kept::default();
    let log = registry().with(level()).with(text(kept.writer()));
    tracing::subscriber::with_default(log, log_three);
    let lines = kept.lines();
    let told: Vec<&str> = (lines.iter())
        .map(|line| line.split_once(' ').unwrap().1.trim_start())
        .collect();
    assert_eq!(
        told,
        [
            "INFO agent-a: stored 2",
            "WARN two lines \u{fffd}[31m",
            "ERROR it is gone; hint: look",
        ]
    );
}
