//! When each source is read next.
//!
//! Three things make a source due: its interval, a change in what is watched once that has settled,
//! and a clock that shows that the time has passed (a computer that slept reads at once, and once).
//! A source that fails is tried again at longer and longer intervals. Nothing here waits; the caller
//! asks what is due at a given time.

use std::collections::hash_map::Entry::{Occupied, Vacant};
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

use sha2::{Digest, Sha256};

use crate::item::{Instant, SourceName};

/// Longest pause after failures, in seconds, unless the interval is longer.
const LONGEST_PAUSE: i64 = 6 * 3600;
/// Most by which a reading is put off so that not all sources are read at the same second.
const LONGEST_JITTER: i64 = 60;
/// Pause after another program held the library, in seconds.
const BUSY_PAUSE: i64 = 60;
/// Files of one source whose settling is awaited; more are read at the next interval.
const AWAITED: usize = 10_000;

/// How often a source is to be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The source.
    pub source: SourceName,
    /// Seconds between two readings.
    pub interval: i64,
    /// Seconds after a change until what changed is read.
    pub settle: i64,
}

/// How a reading ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// With nothing failing.
    Well,
    /// With something failing.
    Failing,
    /// Not begun, since another program was writing the library.
    Busy,
}

#[derive(Debug)]
struct Entry {
    plan: Plan,
    due: Instant,
    failures: u32,
    is_running: bool,
    /// When each changed file has settled.
    settling: HashMap<PathBuf, Instant>,
}

/// The sources and when they are due.
#[derive(Debug, Default)]
pub struct Schedule {
    entries: BTreeMap<SourceName, Entry>,
}

impl Schedule {
    /// Takes over what is to be read. A source that was known keeps its place; a new one is due an
    /// interval after `last`, its last reading, or at once.
    pub fn plan(
        &mut self,
        plans: Vec<Plan>,
        last: impl Fn(&SourceName) -> Option<Instant>,
        now: Instant,
    ) {
        let mut before = std::mem::take(&mut self.entries);
        for plan in plans {
            let source = plan.source.clone();
            let entry = match before.remove(&source) {
                Some(known) => Entry { plan, ..known },
                None => {
                    let due = last(&source).and_then(|last| after(last, plan.interval));
                    Entry {
                        plan,
                        due: due.unwrap_or(now),
                        failures: 0,
                        is_running: false,
                        settling: HashMap::new(),
                    }
                }
            };
            self.entries.insert(source, entry);
        }
    }

    /// The sources that are to be read now, in the order of their names.
    pub fn due(&mut self, now: Instant) -> Vec<SourceName> {
        let mut due = Vec::new();
        for (source, entry) in &mut self.entries {
            // A clock that was set back must not put a reading off for years.
            let furthest = after(now, entry.pause() + entry.jitter());
            entry.due = furthest.map_or(entry.due, |furthest| entry.due.min(furthest));
            if !entry.is_running && entry.wakes().is_some_and(|wakes| wakes <= now) {
                due.push(source.clone());
            }
        }
        due
    }

    /// The earliest time at which a source will be due, among those that are not being read.
    #[must_use]
    pub fn next(&self) -> Option<Instant> {
        let idle = self.entries.values().filter(|entry| !entry.is_running);
        idle.filter_map(Entry::wakes).min()
    }

    /// When each source will be due that is not being read.
    #[must_use]
    pub fn times(&self) -> BTreeMap<SourceName, Instant> {
        let idle = self.entries.iter().filter(|(_, entry)| !entry.is_running);
        let times = idle.filter_map(|(source, entry)| Some((source.clone(), entry.wakes()?)));
        times.collect()
    }

    /// Notes that a reading begins.
    pub fn begun(&mut self, source: &SourceName, now: Instant) {
        if let Some(entry) = self.entries.get_mut(source) {
            entry.is_running = true;
            entry.settling.retain(|_, settled| *settled > now);
        }
    }

    /// Notes that a reading ended.
    pub fn ended(&mut self, source: &SourceName, how: Ended, now: Instant) {
        let Some(entry) = self.entries.get_mut(source) else {
            return;
        };
        entry.is_running = false;
        let pause = match how {
            Ended::Well => {
                entry.failures = 0;
                entry.pause() + entry.jitter()
            }
            Ended::Failing => {
                entry.failures = entry.failures.saturating_add(1);
                entry.pause() + entry.jitter()
            }
            Ended::Busy => BUSY_PAUSE,
        };
        entry.due = after(now, pause).unwrap_or(now);
    }

    /// Notes that files of a source have changed.
    pub fn touched(
        &mut self,
        source: &SourceName,
        paths: impl IntoIterator<Item = PathBuf>,
        now: Instant,
    ) {
        let Some(entry) = self.entries.get_mut(source) else {
            return;
        };
        // Instants are whole seconds: one more, so that the file has settled by then.
        let Some(settled) = after(now, entry.plan.settle + 1) else {
            return;
        };
        let awaited = entry.settling.len();
        for path in paths {
            match entry.settling.entry(path) {
                // Without a settle time, one that never rests is read all the same.
                Occupied(_) if entry.plan.settle == 0 => {}
                Occupied(mut known) => drop(known.insert(settled)),
                Vacant(_) if awaited >= AWAITED => {}
                Vacant(new) => drop(new.insert(settled)),
            }
        }
    }
}

impl Entry {
    fn wakes(&self) -> Option<Instant> {
        let settled = self.settling.values().min();
        Some(settled.map_or(self.due, |settled| self.due.min(*settled)))
    }

    /// Seconds until the next reading: the interval, doubled with each failure in a row.
    fn pause(&self) -> i64 {
        let doubled = self
            .plan
            .interval
            .saturating_mul(1 << i64::from(self.failures.min(10)));
        doubled.min(LONGEST_PAUSE.max(self.plan.interval))
    }

    /// A part of the interval that differs from source to source and is always the same for one.
    fn jitter(&self) -> i64 {
        let most = (self.plan.interval / 10).clamp(0, LONGEST_JITTER);
        let digest = Sha256::digest(self.plan.source.as_str().as_bytes());
        let first = digest.first().copied().unwrap_or(0);
        most * i64::from(first) / 255
    }
}

fn after(instant: Instant, seconds: i64) -> Option<Instant> {
    Instant::from_unix(instant.unix().saturating_add(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Instant {
        Instant::from_unix(1_790_000_000 + seconds).unwrap()
    }

    fn name() -> SourceName {
        SourceName::new("agent-a").unwrap()
    }

    /// One source, every 100 seconds, which settles within 30.
    fn schedule(last: Option<i64>) -> Schedule {
        let mut schedule = Schedule::default();
        let plan = Plan {
            source: name(),
            interval: 100,
            settle: 30,
        };
        schedule.plan(vec![plan], |_| last.map(at), at(0));
        schedule
    }

    /// Reads what is due; says whether anything was.
    fn reads(schedule: &mut Schedule, seconds: i64, how: Ended) -> bool {
        let due = schedule.due(at(seconds));
        for source in &due {
            schedule.begun(source, at(seconds));
            schedule.ended(source, how, at(seconds));
        }
        !due.is_empty()
    }

    #[test]
    fn a_source_is_read_at_once_then_at_its_interval_with_a_little_jitter() {
        let mut schedule = schedule(None);
        assert!(reads(&mut schedule, 0, Ended::Well));
        assert!(!reads(&mut schedule, 99, Ended::Well));
        let next = schedule.next().unwrap().unix() - at(0).unix();
        assert!((100..=110).contains(&next), "{next}");
        assert_eq!(schedule.times(), [(name(), at(next))].into());
        schedule.begun(&name(), at(99));
        assert_eq!(schedule.times(), BTreeMap::new());
        schedule.ended(&name(), Ended::Well, at(0));
        assert!(reads(&mut schedule, 110, Ended::Well));
    }

    #[test]
    fn after_a_restart_the_interval_goes_on_and_after_a_long_sleep_it_is_read_once() {
        let mut schedule = schedule(Some(-40));
        assert!(!reads(&mut schedule, 59, Ended::Well));
        assert!(reads(&mut schedule, 60, Ended::Well));
        assert!(reads(&mut schedule, 100_000, Ended::Well));
        assert!(!reads(&mut schedule, 100_001, Ended::Well));
    }

    #[test]
    fn failures_in_a_row_are_tried_again_less_and_less_often() {
        let mut schedule = schedule(None);
        let mut now = 0;
        let mut pauses = Vec::new();
        for _ in 0..10 {
            assert!(reads(&mut schedule, now, Ended::Failing));
            let next = schedule.next().unwrap().unix() - at(0).unix();
            pauses.push((next - now) / 100);
            now = next;
        }
        assert_eq!(pauses[..4], [2, 4, 8, 16]);
        assert_eq!(pauses[9], 216);
        assert!(reads(&mut schedule, now, Ended::Well));
        let next = schedule.next().unwrap().unix() - at(now).unix();
        assert!((100..=110).contains(&next), "{next}");
    }

    #[test]
    fn a_library_in_use_is_tried_again_after_a_minute() {
        let mut schedule = schedule(None);
        assert!(reads(&mut schedule, 0, Ended::Busy));
        assert_eq!(schedule.next(), Some(at(60)));
    }

    #[test]
    fn each_changed_file_is_read_once_it_has_settled() {
        let mut schedule = schedule(Some(0));
        let touch = |schedule: &mut Schedule, file: &str, seconds| {
            schedule.touched(&name(), [PathBuf::from(file)], at(seconds));
        };
        touch(&mut schedule, "done", 10);
        for second in 10..40 {
            touch(&mut schedule, "busy", second);
        }
        assert!(!reads(&mut schedule, 40, Ended::Well));
        assert!(reads(&mut schedule, 41, Ended::Well));
        assert!(!reads(&mut schedule, 69, Ended::Well));
        assert!(reads(&mut schedule, 70, Ended::Well));
        assert!(!reads(&mut schedule, 71, Ended::Well));
    }

    #[test]
    fn without_a_settle_time_a_file_that_never_rests_is_read() {
        let mut schedule = Schedule::default();
        let plan = Plan {
            source: name(),
            interval: 100,
            settle: 0,
        };
        schedule.plan(vec![plan], |_| Some(at(0)), at(0));
        let mut read = Vec::new();
        for second in 10..16 {
            schedule.touched(&name(), [PathBuf::from("busy")], at(second));
            if reads(&mut schedule, second, Ended::Well) {
                read.push(second);
            }
        }
        assert_eq!(read, [11, 13, 15]);
    }

    #[test]
    fn what_changes_during_a_reading_is_read_after_it() {
        let mut schedule = schedule(None);
        assert_eq!(schedule.due(at(0)), [name()]);
        schedule.begun(&name(), at(0));
        schedule.touched(&name(), [PathBuf::from("a")], at(1));
        assert_eq!(schedule.due(at(50)), []);
        schedule.ended(&name(), Ended::Well, at(50));
        assert_eq!(schedule.due(at(50)), [name()]);
    }

    #[test]
    fn a_clock_set_back_puts_nothing_off_for_longer_than_the_interval() {
        let mut schedule = schedule(None);
        assert!(reads(&mut schedule, 1_000_000, Ended::Well));
        assert!(!reads(&mut schedule, 0, Ended::Well));
        assert!(reads(&mut schedule, 111, Ended::Well));
    }

    #[test]
    fn a_changed_plan_keeps_what_is_known() {
        let mut schedule = schedule(None);
        assert!(reads(&mut schedule, 0, Ended::Failing));
        let plan = Plan {
            source: name(),
            interval: 10,
            settle: 0,
        };
        schedule.plan(vec![plan], |_| None, at(5));
        assert!(!reads(&mut schedule, 5, Ended::Well));
        assert!(reads(&mut schedule, 26, Ended::Well));
    }
}
