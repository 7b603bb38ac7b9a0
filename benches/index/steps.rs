//! How long each transaction of the index's upkeep holds the file.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use crate::measure::cpu;

/// The name of the span that each of them is.
const NAME: &str = "index_step";

/// What was seen since the last look.
#[derive(Default)]
struct Seen {
    /// When one began: on the wall, and in CPU time of the thread.
    entered: Option<(Instant, f64)>,
    longest: Duration,
    dearest: f64,
    count: usize,
}

static SEEN: Mutex<Seen> = Mutex::new(Seen {
    entered: None,
    longest: Duration::ZERO,
    dearest: 0.0,
    count: 0,
});

/// Notes when steps begin and end. There is one writer, so they do not overlap.
struct Watch;

impl Subscriber for Watch {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.name() == NAME
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {}

    fn enter(&self, _: &Id) {
        SEEN.lock().unwrap().entered = Some((Instant::now(), cpu()));
    }

    fn exit(&self, _: &Id) {
        let mut seen = SEEN.lock().unwrap();
        if let Some((entered, before)) = seen.entered.take() {
            seen.longest = seen.longest.max(entered.elapsed());
            seen.dearest = seen.dearest.max(cpu() - before);
            seen.count += 1;
        }
    }
}

/// Begins to watch.
pub(crate) fn watch() {
    tracing::subscriber::set_global_default(Watch).unwrap();
}

/// Says what was seen since the last time.
pub(crate) fn tell(during: &str) {
    let seen = std::mem::take(&mut *SEEN.lock().unwrap());
    println!(
        "  upkeep while {during}: {} transactions, the longest {:.1} ms on the wall, {:.1} ms of CPU",
        seen.count,
        seen.longest.as_secs_f64() * 1e3,
        seen.dearest * 1e3
    );
}
