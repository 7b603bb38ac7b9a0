//! What `/metrics` tells of the server: counts of what it did.
//!
//! Nothing of the library, of clients or of keys is in it.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::exposition::{Exposition, Kind};

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

    /// Adds all counts.
    pub(super) fn tell(&self, out: &mut Exposition) {
        let statuses = self.statuses.lock().unwrap_or_else(PoisonError::into_inner);
        let statuses = statuses.clone();
        let name = "jezero_http_responses_total";
        out.metric(Kind::Counter, name, "HTTP responses by status.");
        for (status, number) in &statuses {
            out.sample(name, &[("status", status)], number);
        }
        let name = "jezero_wrong_keys_total";
        out.metric(
            Kind::Counter,
            name,
            "Requests with a key that no client has.",
        );
        out.sample(name, &[], self.wrong_keys.load(Ordering::Relaxed));
        let calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        let calls = calls.clone();
        let name = "jezero_tool_calls_total";
        out.metric(Kind::Counter, name, "Calls of tools by outcome.");
        for ((tool, failed), calls) in &calls {
            out.sample(
                name,
                &[("tool", tool), ("outcome", &outcome(*failed))],
                calls.number,
            );
        }
        let name = "jezero_tool_seconds_total";
        let help = "Time that calls of tools took, by outcome.";
        out.metric(Kind::Counter, name, help);
        for ((tool, failed), calls) in &calls {
            let took = format!("{:.6}", calls.took.as_secs_f64());
            out.sample(
                name,
                &[("tool", tool), ("outcome", &outcome(*failed))],
                took,
            );
        }
    }
}

fn outcome(failed: bool) -> &'static str {
    if failed { "error" } else { "ok" }
}
