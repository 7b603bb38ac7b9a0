//! The library that fills itself: sources read at their intervals and when they change.
//!
//! [`run`] is a loop over four things: what is due ([`Schedule`]), what has changed on disk
//! ([`Watching`]), readings that end, and being told to read the configuration again or to end. How
//! a source is read is the caller's ([`Runner`]), so that the loop can be tried with a clock of its
//! own.

mod ear;
mod notice;
mod polling;
mod remote;
mod schedule;
mod watching;

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use jezero_connectors::time::Clock;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

pub use notice::Notice;
pub use schedule::{Ended, Plan, Schedule};
pub use watching::{Because, Change, WatchError, Watching};

use crate::health::Timetable;
use crate::item::{Instant, SourceName};
use crate::pipeline::Stop;

/// Longest sleep: a clock that jumps or a computer that slept is noticed within this time.
const LONGEST_SLEEP: Duration = Duration::from_secs(30);

/// Reads sources for the daemon.
pub trait Runner: Send + Sync + 'static {
    /// Reads one source to its end, or until `stop` is told. Must not panic; one that does counts
    /// as failing.
    fn read(&self, source: SourceName, stop: Stop) -> impl Future<Output = Ended> + Send;

    /// What is to be read now, if that has changed: called when the daemon is told to look, and
    /// each time it wakes.
    fn changed_plans(&self, is_told: bool) -> Option<Vec<Plan>>;

    /// When a source was last read, for a daemon that starts.
    fn last_reading(&self, source: &SourceName) -> Option<Instant>;
}

/// What the daemon hears.
#[derive(Debug)]
pub struct Ears {
    /// Files that have changed.
    pub changes: mpsc::Receiver<Change>,
    /// Told to read the configuration again.
    pub reload: mpsc::Receiver<()>,
    /// Told to end.
    pub stop: Stop,
}

/// Whom the daemon tells how it is.
#[derive(Debug, Default)]
pub struct Mouth {
    /// The service manager.
    pub notice: Notice,
    /// When each source is read next, for those who ask in this process.
    pub timetable: Timetable,
}

/// Reads what is due until told to end; readings under way are then told too and waited for.
pub async fn run<R: Runner>(
    runner: Arc<R>,
    plans: Vec<Plan>,
    mut ears: Ears,
    clock: Arc<dyn Clock>,
    mouth: &Mouth,
) {
    let mut schedule = Schedule::default();
    schedule.plan(plans, |source| runner.last_reading(source), clock.now());
    let mut readings: JoinSet<(SourceName, Ended)> = JoinSet::new();
    let mut names = std::collections::HashMap::new();
    while !ears.stop.is_told() {
        let now = clock.now();
        for source in schedule.due(now) {
            schedule.begun(&source, now);
            let (runner, stop) = (Arc::clone(&runner), ears.stop.clone());
            let name = source.clone();
            let reading = readings.spawn(async move {
                let ended = runner.read(name.clone(), stop).await;
                (name, ended)
            });
            names.insert(reading.id(), source);
        }
        mouth.timetable.set(schedule.times());
        mouth.notice.alive();
        tokio::select! {
            biased;
            () = ears.stop.told() => break,
            Some(ended) = readings.join_next_with_id(), if !readings.is_empty() => {
                let (id, source, how) = match ended {
                    Ok((id, (source, how))) => (id, Some(source), how),
                    Err(error) => (error.id(), None, Ended::Failing),
                };
                let known = names.remove(&id);
                if let Some(source) = source.or(known) {
                    schedule.ended(&source, how, clock.now());
                }
            }
            Some(change) = ears.changes.recv() => {
                schedule.touched(&change.source, change.paths, clock.now());
            }
            Some(()) = ears.reload.recv() => replan(&mut schedule, runner.as_ref(), true, &*clock),
            () = tokio::time::sleep(until(schedule.next(), clock.now())) => {
                replan(&mut schedule, runner.as_ref(), false, &*clock);
            }
        }
    }
    mouth.notice.stopping();
    while readings.join_next().await.is_some() {}
}

fn replan<R: Runner>(schedule: &mut Schedule, runner: &R, is_told: bool, clock: &dyn Clock) {
    if let Some(plans) = runner.changed_plans(is_told) {
        schedule.plan(plans, |source| runner.last_reading(source), clock.now());
    }
}

/// How long to sleep until an instant, which is not longer than [`LONGEST_SLEEP`].
fn until(next: Option<Instant>, now: Instant) -> Duration {
    let Some(next) = next else {
        return LONGEST_SLEEP;
    };
    let seconds = next.unix().saturating_sub(now.unix());
    u64::try_from(seconds).map_or(Duration::ZERO, |seconds| {
        Duration::from_secs(seconds).min(LONGEST_SLEEP)
    })
}

#[cfg(test)]
mod tests;
