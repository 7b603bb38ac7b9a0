//! What `/metrics` tells: counts of what the server did, in the text form of Prometheus.
//!
//! Nothing of the library, of clients or of keys is in it.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Counts since the start.
#[derive(Debug, Default)]
pub(super) struct Counts {
    wrong_keys: AtomicU64,
    statuses: Mutex<BTreeMap<u16, u64>>,
    calls: Mutex<BTreeMap<(&'static str, bool), Calls>>,
}

#[derive(Debug, Default, Clone, Copy)]
struct Calls {
    number: u64,
    took: Duration,
}

impl Counts {
    pub(super) fn wrong_key(&self) {
        self.wrong_keys.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn answered(&self, status: u16) {
        let mut statuses = self.statuses.lock().unwrap_or_else(PoisonError::into_inner);
        *statuses.entry(status).or_default() += 1;
    }

    pub(super) fn called(&self, tool: &'static str, failed: bool, took: Duration) {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        let calls = calls.entry((tool, failed)).or_default();
        calls.number += 1;
        calls.took += took;
    }

    /// All counts as text.
    pub(super) fn text(&self) -> String {
        let mut out = String::new();
        let statuses = self
            .statuses
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        let calls = self
            .calls
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        head(
            &mut out,
            "jezero_http_responses_total",
            "HTTP responses by status.",
        );
        for (status, number) in &statuses {
            line(
                &mut out,
                &format!("jezero_http_responses_total{{status=\"{status}\"}} {number}"),
            );
        }
        head(
            &mut out,
            "jezero_wrong_keys_total",
            "Requests with a key that no client has.",
        );
        let wrong = self.wrong_keys.load(Ordering::Relaxed);
        line(&mut out, &format!("jezero_wrong_keys_total {wrong}"));
        head(
            &mut out,
            "jezero_tool_calls_total",
            "Calls of tools by outcome.",
        );
        for ((tool, failed), calls) in &calls {
            let outcome = if *failed { "error" } else { "ok" };
            let labels = format!("tool=\"{tool}\",outcome=\"{outcome}\"");
            line(
                &mut out,
                &format!("jezero_tool_calls_total{{{labels}}} {}", calls.number),
            );
        }
        head(
            &mut out,
            "jezero_tool_seconds_total",
            "Time that calls of tools took, by outcome.",
        );
        for ((tool, failed), calls) in &calls {
            let outcome = if *failed { "error" } else { "ok" };
            let labels = format!("tool=\"{tool}\",outcome=\"{outcome}\"");
            let took = calls.took.as_secs_f64();
            line(
                &mut out,
                &format!("jezero_tool_seconds_total{{{labels}}} {took:.6}"),
            );
        }
        out
    }
}

fn head(out: &mut String, name: &str, help: &str) {
    line(out, &format!("# HELP {name} {help}"));
    line(out, &format!("# TYPE {name} counter"));
}

fn line(out: &mut String, text: &str) {
    out.push_str(text);
    out.push('\n');
}
