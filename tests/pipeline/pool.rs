//! Summaries side by side: steady, in the order of ownership, nothing paid twice.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use jezero::item::Instant;
use jezero::pipeline::{Options, RunReport, Stop};
use jezero::summarizer::{Answer, Reply, Summarizer, SummarizerError, Task, Usage};
use tokio::sync::Barrier;

use super::script::{Place, Script, Scripted};

/// A summariser that costs: it waits until so many calls are under way, and counts.
struct Costly {
    together: Barrier,
    running: AtomicUsize,
    most: AtomicUsize,
    calls: AtomicUsize,
    panics_on: &'static str,
    hangs_on: Mutex<&'static str>,
}

impl Costly {
    fn new(together: usize) -> Arc<Self> {
        Arc::new(Self {
            together: Barrier::new(together),
            running: AtomicUsize::new(0),
            most: AtomicUsize::new(0),
            calls: AtomicUsize::new(0),
            panics_on: "\0",
            hangs_on: Mutex::new("\0"),
        })
    }
}

#[async_trait]
impl Summarizer for Costly {
    fn name(&self) -> &'static str {
        "costly"
    }

    async fn summarize(&self, task: &Task<'_>) -> Result<Answer, SummarizerError> {
        let running = self.running.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(running, Ordering::SeqCst);
        self.calls.fetch_add(1, Ordering::SeqCst);
        let text = task.text.as_str();
        assert!(!text.contains(self.panics_on), "told to panic");
        let hangs = text.contains(*self.hangs_on.lock().unwrap());
        if hangs {
            std::future::pending::<()>().await;
        }
        self.together.wait().await;
        self.running.fetch_sub(1, Ordering::SeqCst);
        let reply = Reply {
            title: "a title".to_owned(),
            summary: "a summary".to_owned(),
            ..Reply::default()
        };
        let usage = Usage {
            input_tokens: 100,
            output_tokens: 10,
            retries: 1,
            repairs: 0,
        };
        Ok(Answer { reply, usage })
    }
}

/// Runs scripts with a summariser that costs; `None` when it never ends by itself.
fn run(
    place: &Place,
    scripts: &[Script],
    summarizer: &Arc<Costly>,
    (max_concurrency, daily_input_chars): (usize, Option<u64>),
) -> Option<RunReport> {
    place.with_pipeline(Options::default(), |pipeline| {
        pipeline.summarizer = Arc::clone(summarizer) as Arc<dyn Summarizer>;
        pipeline.max_concurrency = max_concurrency;
        pipeline.daily_input_chars = daily_input_chars;
    })(Box::new(Scripted::new(scripts)))
}

fn units(count: usize) -> Vec<Script> {
    const IDS: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];
    let script = |id: &&'static str| Script::new(id, &[("", "some text of a session")]);
    IDS.iter().take(count).map(script).collect()
}

#[test]
fn as_many_calls_are_under_way_as_are_allowed_and_never_more() {
    let place = Place::new(1000);
    let summarizer = Costly::new(4);
    let report = run(&place, &units(8), &summarizer, (4, None)).unwrap();
    assert_eq!((report.stored, report.failed), (8, 0));
    assert_eq!(summarizer.most.load(Ordering::SeqCst), 4);
    let usage = (report.input_tokens, report.output_tokens, report.retries);
    assert_eq!(usage, (800, 80, 8));
}

#[test]
fn a_fork_waits_for_the_session_that_it_continues() {
    let scripts = [
        Script::new("origin", &[("1", "how to begin"), ("2", "like this")]),
        Script::new("fork", &[("1", "how to begin"), ("3", "another way")]),
    ];
    let place = Place::new(1000);
    run(&place, &scripts, &Costly::new(1), (4, None)).unwrap();
    let texts: Vec<_> = place.items().into_iter().map(|item| item.3).collect();
    assert_eq!(
        texts,
        [
            "how to begin\nlike this",
            "[2026-09-21 14:14] session: continues origin\nanother way"
        ]
    );
}

#[test]
fn the_same_unit_twice_in_a_run_is_stored_once() {
    let place = Place::new(1000);
    let twice = [units(1), units(1)].concat();
    let summarizer = Costly::new(1);
    let report = run(&place, &twice, &summarizer, (4, None)).unwrap();
    assert_eq!((report.stored, report.unchanged), (1, 1));
    assert_eq!(summarizer.calls.load(Ordering::SeqCst), 1);
}

#[test]
fn a_run_that_is_killed_has_stored_every_reply_and_the_next_pays_for_the_rest_alone() {
    let place = Place::new(30);
    let blocks = [
        ("1", "the first segment's text"),
        ("2", "the second segment's text"),
        ("3", "the third segment's text"),
    ];
    let scripts = [Script::new("long", &blocks)];
    let summarizer = Costly::new(1);
    *summarizer.hangs_on.lock().unwrap() = "second";
    assert_eq!(run(&place, &scripts, &summarizer, (2, None)), None);
    let ids = || -> Vec<String> { place.items().into_iter().map(|item| item.1).collect() };
    assert_eq!(ids(), ["long#0", "long#2"]);

    let second = Costly::new(1);
    let report = run(&place, &scripts, &second, (2, None)).unwrap();
    assert_eq!((report.stored, report.unchanged), (1, 2));
    assert_eq!(second.calls.load(Ordering::SeqCst), 1);
    assert_eq!(ids(), ["long#0", "long#2", "long#1"]);
    let third = Costly::new(1);
    assert_eq!(run(&place, &scripts, &third, (2, None)).unwrap().docs, 0);
}

#[test]
fn a_call_that_panics_costs_its_own_segment_alone() {
    let place = Place::new(1000);
    let mut scripts = units(2);
    scripts.push(Script::new("bad", &[("", "boom")]));
    let mut summarizer = Costly::new(1);
    Arc::get_mut(&mut summarizer).unwrap().panics_on = "boom";
    let report = run(&place, &scripts, &summarizer, (2, None)).unwrap();
    assert_eq!((report.stored, report.failed), (2, 1));
    assert_eq!(
        report.errors[0].as_str(),
        "bad#0: the summariser broke off; please report it with the run's output"
    );
}

#[test]
fn when_the_day_s_characters_are_used_up_the_rest_waits_without_failing() {
    let place = Place::new(1000);
    let text = "some text of a session".len() as u64;
    let summarizer = Costly::new(1);
    let report = run(&place, &units(4), &summarizer, (1, Some(2 * text))).unwrap();
    assert_eq!((report.stored, report.failed), (2, 0));
    assert_eq!(report.input_chars, 2 * text);
    assert!(report.postponed >= 1, "{report:?}");
    assert_eq!(
        report.note.unwrap().as_str(),
        "daily_input_chars is used up; the rest waits for tomorrow's run"
    );
    let again = run(&place, &units(4), &summarizer, (1, Some(2 * text))).unwrap();
    assert_eq!((again.stored, again.failed), (0, 0));
    place.set_clock(Instant::parse("2026-10-22T00:00:00Z").unwrap());
    let tomorrow = run(&place, &units(4), &summarizer, (1, Some(2 * text))).unwrap();
    assert_eq!(tomorrow.stored, 2);
    assert_eq!(summarizer.calls.load(Ordering::SeqCst), 4);
}

#[test]
fn a_dry_run_estimates_what_a_model_would_read_and_write() {
    let place = Place::new(1000);
    let options = Options {
        dry_run: true,
        ..Options::default()
    };
    let report = place.run_with(&units(2), options);
    assert_eq!((report.would_store, report.input_chars), (Some(2), 44));
    assert_eq!(report.estimated_input_tokens, Some(2 * (22 / 4 + 1200)));
    assert_eq!(report.estimated_output_tokens, Some(2 * 600));
}

#[test]
fn a_run_that_is_told_to_end_waits_for_calls_under_way_and_begins_no_more() {
    let place = Place::new(1000);
    let summarizer = Costly::new(1);
    *summarizer.hangs_on.lock().unwrap() = "hangs";
    let (stopper, stop) = Stop::channel();
    let scripts = [
        Script::new("a", &[("1", "the first text of all")]),
        Script::new("b", &[("2", "one that hangs")]),
        Script::new("c", &[("3", "one that never begins")]),
    ];
    stopper.tell();
    let report = place.with_pipeline(Options::default(), |pipeline| {
        pipeline.summarizer = Arc::clone(&summarizer) as Arc<dyn Summarizer>;
        pipeline.stop = stop;
    })(Box::new(Scripted::new(&scripts)))
    .unwrap();
    assert_eq!((report.stored, report.failed), (0, 0));
    assert_eq!(
        report.note.unwrap().as_str(),
        "told to end; the next run goes on from here"
    );
    *summarizer.hangs_on.lock().unwrap() = "\0";
    let next = run(&place, &scripts, &summarizer, (1, None)).unwrap();
    assert_eq!(next.stored, 3);
}
