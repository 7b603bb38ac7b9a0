//! The loop with a clock of its own.

use std::collections::BTreeMap;
use std::sync::Mutex;

use jezero_connectors::time::Clock;

use super::*;

/// A clock that goes with the runtime's, which passes only while everything waits.
#[derive(Debug)]
struct Paused(tokio::time::Instant);

impl Clock for Paused {
    fn now(&self) -> Instant {
        let passed = i64::try_from(self.0.elapsed().as_secs()).unwrap();
        Instant::from_unix(1_790_000_000 + passed).unwrap()
    }
}

/// A clock that goes with the runtime's and is set anew at times: after so many seconds, by so many
/// from what is true.
#[derive(Debug)]
struct Jumping {
    true_clock: Paused,
    jumps: Vec<(i64, i64)>,
}

impl Clock for Jumping {
    fn now(&self) -> Instant {
        let now = self.true_clock.now().unix();
        let passed = now - 1_790_000_000;
        let last = self.jumps.iter().rfind(|(after, _)| *after <= passed);
        let by = last.map_or(0, |(_, by)| *by);
        Instant::from_unix(now + by).unwrap()
    }
}

#[derive(Default)]
struct Scripted {
    read: Mutex<BTreeMap<SourceName, u32>>,
    together: Mutex<(u32, u32)>,
    panics: Option<SourceName>,
    plans: Mutex<Option<Vec<Plan>>>,
}

impl Scripted {
    fn count(&self, source: &str) -> u32 {
        let source = SourceName::new(source).unwrap();
        self.read.lock().unwrap().get(&source).copied().unwrap_or(0)
    }
}

impl Runner for Scripted {
    async fn read(&self, source: SourceName, mut stop: Stop) -> Ended {
        *self.read.lock().unwrap().entry(source.clone()).or_insert(0) += 1;
        assert!(self.panics.as_ref() != Some(&source), "told to panic");
        {
            let mut together = self.together.lock().unwrap();
            together.0 += 1;
            together.1 = together.1.max(together.0);
        }
        tokio::select! {
            () = stop.told() => {}
            () = tokio::time::sleep(Duration::from_secs(5)) => {}
        }
        self.together.lock().unwrap().0 -= 1;
        Ended::Well
    }

    fn changed_plans(&self, is_told: bool) -> Option<Vec<Plan>> {
        is_told.then(|| self.plans.lock().unwrap().take()).flatten()
    }

    fn last_reading(&self, _: &SourceName) -> Option<Instant> {
        None
    }
}

fn plan(source: &str, interval: i64) -> Plan {
    Plan {
        source: SourceName::new(source).unwrap(),
        interval,
        settle: 60,
    }
}

/// Runs a daemon for so many seconds; `during` gets what tells it of changes and of a new
/// configuration.
fn daemon<F: Future<Output = ()>>(
    runner: Scripted,
    plans: Vec<Plan>,
    seconds: u64,
    during: impl FnOnce(mpsc::Sender<Change>, mpsc::Sender<()>) -> F,
) -> Arc<Scripted> {
    daemon_with(runner, plans, seconds, Vec::new(), during)
}

/// As [`daemon`], with a clock that jumps.
fn daemon_with<F: Future<Output = ()>>(
    runner: Scripted,
    plans: Vec<Plan>,
    seconds: u64,
    jumps: Vec<(i64, i64)>,
    during: impl FnOnce(mpsc::Sender<Change>, mpsc::Sender<()>) -> F,
) -> Arc<Scripted> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    let runner = Arc::new(runner);
    runtime.block_on(async {
        let (stopper, stop) = Stop::channel();
        let (changes, changed) = mpsc::channel(10);
        let (reload, reloaded) = mpsc::channel(10);
        let ears = Ears {
            changes: changed,
            reload: reloaded,
            stop,
        };
        let true_clock = Paused(tokio::time::Instant::now());
        let clock = Arc::new(Jumping { true_clock, jumps });
        let mouth = Mouth::default();
        let running = run(Arc::clone(&runner), plans, ears, clock, &mouth);
        let life = async {
            tokio::time::sleep(Duration::from_secs(seconds)).await;
            stopper.tell();
        };
        tokio::join!(running, life, during(changes, reload));
    });
    runner
}

#[test]
fn sources_are_read_side_by_side_at_their_intervals() {
    let plans = vec![plan("agent-a", 60), plan("agent-b", 600)];
    let runner = daemon(Scripted::default(), plans, 590, async |_, _| {});
    assert!((8..=10).contains(&runner.count("agent-a")));
    assert_eq!(runner.count("agent-b"), 1);
    assert_eq!(runner.together.lock().unwrap().1, 2);
}

#[test]
fn a_change_is_read_once_it_has_settled() {
    let runner = daemon(
        Scripted::default(),
        vec![plan("agent-a", 100_000)],
        100,
        async |changes, _| {
            tokio::time::sleep(Duration::from_secs(10)).await;
            let change = Change {
                source: SourceName::new("agent-a").unwrap(),
                paths: vec!["a".into()],
            };
            changes.send(change).await.unwrap();
        },
    );
    assert_eq!(runner.count("agent-a"), 2);
}

#[test]
fn a_new_configuration_is_taken_over_when_told() {
    let runner = Scripted::default();
    *runner.plans.lock().unwrap() = Some(vec![plan("agent-b", 100_000)]);
    let runner = daemon(runner, vec![plan("agent-a", 60)], 600, async |_, reload| {
        reload.send(()).await.unwrap();
    });
    assert_eq!((runner.count("agent-a"), runner.count("agent-b")), (1, 1));
}

#[test]
fn a_reading_that_panics_counts_as_failing_and_is_tried_again_later() {
    let runner = Scripted {
        panics: SourceName::new("agent-a").ok(),
        ..Scripted::default()
    };
    let plans = vec![plan("agent-a", 60), plan("agent-b", 60)];
    let runner = daemon(runner, plans, 1000, async |_, _| {});
    assert_eq!(runner.count("agent-a"), 4);
    assert!(runner.count("agent-b") >= 14);
}

#[test]
fn readings_under_way_are_told_to_end_and_waited_for() {
    let runner = daemon(
        Scripted::default(),
        vec![plan("agent-a", 60)],
        2,
        async |_, _| {},
    );
    assert_eq!(runner.count("agent-a"), 1);
    assert_eq!(runner.together.lock().unwrap().0, 0);
}

#[test]
fn a_clock_that_jumps_back_and_forth_neither_stalls_nor_spins_the_schedule() {
    const YEARS: i64 = 20 * 365 * 86_400;
    let jumps = vec![
        (600, YEARS),
        (1200, -YEARS),
        (1800, 0),
        (2400, 3000),
        (3000, -3000),
        (3600, 0),
    ];
    let plans = vec![plan("agent-a", 60), plan("agent-b", 600)];
    let change = |changes: mpsc::Sender<Change>, _| async move {
        // What changes just before a jump is read after it.
        for _ in 0..7 {
            tokio::time::sleep(Duration::from_secs(595)).await;
            let change = Change {
                source: SourceName::new("agent-b").unwrap(),
                paths: vec!["a".into()],
            };
            changes.send(change).await.unwrap();
        }
    };
    let runner = daemon_with(Scripted::default(), plans, 4200, jumps, change);
    // Each jump forward is a reading more, each jump back puts one off by an interval at most.
    let a = runner.count("agent-a");
    assert!((50..=75).contains(&a), "{a}");
    let b = runner.count("agent-b");
    assert!((5..=24).contains(&b), "{b}");
}
