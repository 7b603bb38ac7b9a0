//! How long each transaction of the index's upkeep holds the file.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// The name of the span that each of them is.
const NAME: &str = "index_step";

/// What was seen since the last look.
#[derive(Default)]
struct Seen {
    entered: Option<Instant>,
    longest: Duration,
    count: usize,
}

static SEEN: Mutex<Seen> = Mutex::new(Seen {
    entered: None,
    longest: Duration::ZERO,
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
        SEEN.lock().unwrap().entered = Some(Instant::now());
    }

    fn exit(&self, _: &Id) {
        let mut seen = SEEN.lock().unwrap();
        if let Some(entered) = seen.entered.take() {
            seen.longest = seen.longest.max(entered.elapsed());
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
        "  upkeep while {during}: {} transactions, the longest {:.1} ms on the wall",
        seen.count,
        seen.longest.as_secs_f64() * 1e3
    );
}
