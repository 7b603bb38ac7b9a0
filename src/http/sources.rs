//! What `/metrics` tells of each source that a key may see.

use std::collections::BTreeMap;

use super::exposition::{Exposition, Kind};
use crate::health::Timetable;
use crate::item::{Instant, SourceName};
use crate::library::Reading;

/// A metric of a source: its kind, name, help, and its value where there is one.
type Metric = (
    Kind,
    &'static str,
    &'static str,
    fn(&Reading) -> Option<i64>,
);

const METRICS: &[Metric] = &[
    (
        Kind::Gauge,
        "jezero_connector_last_run_timestamp_seconds",
        "When the source was last read.",
        |reading| reading.state.last_run_at.map(Instant::unix),
    ),
    (
        Kind::Gauge,
        "jezero_connector_last_success_timestamp_seconds",
        "When the source was last read with nothing failing.",
        |reading| reading.state.last_success_at.map(Instant::unix),
    ),
    (
        Kind::Gauge,
        "jezero_connector_last_item_timestamp_seconds",
        "When the newest item that a run stored happened.",
        |reading| reading.state.last_item_at.map(Instant::unix),
    ),
    (
        Kind::Gauge,
        "jezero_connector_failing",
        "1 when something failed at the last run, else 0.",
        |reading| read(reading, u64::from(reading.state.last_error.is_some())),
    ),
    (
        Kind::Gauge,
        "jezero_connector_items",
        "Items of the source in the library.",
        |reading| Some(whole(reading.items)),
    ),
    (
        Kind::Gauge,
        "jezero_connector_deferred_sessions",
        "Sessions that the last run left to settle.",
        |reading| read(reading, reading.last.deferred_sessions),
    ),
    (
        Kind::Gauge,
        "jezero_connector_failures",
        "Segments, sessions and folders that failed at the last run.",
        |reading| read(reading, reading.last.failed),
    ),
    (
        Kind::Counter,
        "jezero_connector_runs_total",
        "Runs that ended.",
        |reading| read(reading, reading.state.totals.runs),
    ),
    (
        Kind::Counter,
        "jezero_connector_failed_runs_total",
        "Runs in which something failed.",
        |reading| read(reading, reading.state.totals.failed_runs),
    ),
    (
        Kind::Counter,
        "jezero_connector_items_stored_total",
        "Items written by runs, new and changed.",
        |reading| read(reading, reading.state.totals.items_stored),
    ),
    (
        Kind::Counter,
        "jezero_connector_records_skipped_total",
        "Damaged records that were passed over.",
        |reading| read(reading, reading.state.totals.records_skipped),
    ),
    (
        Kind::Counter,
        "jezero_connector_input_tokens_total",
        "Tokens that a model read.",
        |reading| read(reading, reading.state.totals.input_tokens),
    ),
    (
        Kind::Counter,
        "jezero_connector_output_tokens_total",
        "Tokens that a model wrote.",
        |reading| read(reading, reading.state.totals.output_tokens),
    ),
];

/// Adds what there is to tell.
pub(super) fn tell(
    out: &mut Exposition,
    readings: &BTreeMap<SourceName, Reading>,
    timetable: &Timetable,
) {
    for (kind, name, help, value) in METRICS {
        let values = readings
            .iter()
            .filter_map(|(source, reading)| Some((source, value(reading)?)));
        samples(out, *kind, (name, help), values);
    }
    let next = readings.keys();
    let next = next.filter_map(|source| Some((source, timetable.next(source)?.unix())));
    let name = "jezero_connector_next_run_timestamp_seconds";
    let help = "When the daemon of this process reads the source next.";
    samples(out, Kind::Gauge, (name, help), next);
}

/// A metric with its samples; nothing of it when there is none.
fn samples<'a>(
    out: &mut Exposition,
    kind: Kind,
    (name, help): (&str, &str),
    values: impl Iterator<Item = (&'a SourceName, i64)>,
) {
    let mut values = values.peekable();
    if values.peek().is_some() {
        out.metric(kind, name, help);
    }
    for (source, value) in values {
        out.sample(name, &[("connector", source)], value);
    }
}

/// A number of runs, where the source has been read.
fn read(reading: &Reading, number: u64) -> Option<i64> {
    let is_read = reading.state.last_run_at.is_some();
    is_read.then(|| whole(number))
}

fn whole(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
