//! Summaries made anew, side by side, with failures, a day's limit and an end that comes too early.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use jezero::config::Projects;
use jezero::pipeline::{Pipeline, RunReport, Stop, resummarize};
use jezero::project::ProjectRules;
use jezero::store::{Anew, Store};
use jezero::summarizer::{Answer, Reply, Summarizer, SummarizerError, Task};
use jezero_connectors::Instant;
use jezero_connectors::time::FixedClock;

use super::script::{Place, Script};

/// A model that takes a second, fails on one text and never answers another.
#[derive(Debug, Default)]
struct Model {
    running: AtomicUsize,
    most: AtomicUsize,
}

#[async_trait]
impl Summarizer for Model {
    fn name(&self) -> &str {
        "model:test"
    }

    async fn summarize(&self, task: &Task<'_>) -> Result<Answer, SummarizerError> {
        let running = self.running.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(running, Ordering::SeqCst);
        if task.text.as_str().contains("never") {
            std::future::pending::<()>().await;
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
        self.running.fetch_sub(1, Ordering::SeqCst);
        if task.text.as_str().contains("wrong") {
            return Err(SummarizerError::Refused("told to fail"));
        }
        let reply = Reply {
            title: "anew".to_owned(),
            summary: format!("of {} characters", task.text.chars()),
            ..Reply::default()
        };
        Ok(reply.into())
    }
}

/// Summarises anew with all items given; `None` when it does not come to an end within an hour.
fn anew(
    place: &Place,
    model: &Arc<Model>,
    daily: Option<u64>,
    limit: Option<usize>,
) -> Option<RunReport> {
    anew_until(place, model, daily, limit, Stop::never())
}

fn anew_until(
    place: &Place,
    model: &Arc<Model>,
    daily: Option<u64>,
    limit: Option<usize>,
    stop: Stop,
) -> Option<RunReport> {
    let mut store = Store::open(&place.path).unwrap();
    let mut pipeline = Pipeline {
        store: &mut store,
        engine: &place.engine,
        summarizer: model.clone(),
        max_concurrency: 3,
        daily_input_chars: daily,
        projects: &ProjectRules::new(&Projects::default(), None),
        clock: Arc::new(FixedClock(Instant::parse("2026-10-21T00:00:00Z").unwrap())),
        max_input_chars: place.limit,
        stop,
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    runtime.block_on(async {
        let which = Anew {
            provider_not: Some("model"),
            ..Anew::default()
        };
        let mut quiet = |_| {};
        let work = resummarize(&mut pipeline, &which, limit, false, &mut quiet);
        let ended = tokio::time::timeout(Duration::from_secs(3600), work).await;
        ended.ok().map(Result::unwrap)
    })
}

/// A library of nine items of ten characters, the texts of some of them changed.
fn nine(changed: &[(usize, &str)]) -> Place {
    let place = Place::new(10);
    let blocks = (0..9).map(|at| {
        let text = changed.iter().find(|(which, _)| *which == at);
        ("", text.map_or("plain text", |(_, text)| text))
    });
    let blocks: Vec<_> = blocks.collect();
    place.run(&[Script::new("u", &blocks)]);
    assert_eq!(place.items().len(), 9);
    place
}

fn titles(place: &Place) -> Vec<String> {
    place.items().into_iter().map(|item| item.2).collect()
}

#[test]
fn one_failing_item_does_not_stop_the_others() {
    let place = nine(&[(4, "this wrong")]);
    let model = Arc::default();
    let report = anew(&place, &model, None, None).unwrap();
    assert_eq!((report.docs, report.stored, report.failed), (9, 8, 1));
    assert_eq!(
        report.errors[0].as_str(),
        "item 5: the reply was refused: told to fail"
    );
    assert_eq!(model.most.load(Ordering::SeqCst), 3);
    let titles = titles(&place);
    assert_eq!(
        (titles[4].as_str(), titles[8].as_str()),
        ("untitled (part 5/9)", "anew (part 9/9)")
    );
    // The next time only that one is left to do.
    let again = anew(&place, &model, None, None).unwrap();
    assert_eq!((again.docs, again.failed), (1, 1));
}

#[test]
fn an_end_that_comes_too_early_loses_only_the_calls_under_way() {
    let place = nine(&[(0, "never ever")]);
    let model = Arc::default();
    assert_eq!(anew(&place, &model, None, None), None);
    let done = titles(&place)
        .iter()
        .filter(|title| title.starts_with("anew"))
        .count();
    assert_eq!(done, 8);
}

#[test]
fn a_day_has_so_many_characters() {
    let place = nine(&[]);
    let report = anew(&place, &Arc::default(), Some(45), None).unwrap();
    assert_eq!(
        (report.stored, report.postponed, report.input_chars),
        (4, 5, 40)
    );
    assert!(report.note.unwrap().as_str().contains("daily_input_chars"));
    let report = anew(&place, &Arc::default(), None, Some(2)).unwrap();
    assert_eq!((report.stored, report.docs), (2, 2));
}

#[test]
fn told_to_end_it_finishes_the_calls_under_way() {
    let place = nine(&[]);
    let (stopper, stop) = Stop::channel();
    stopper.tell();
    let report = anew_until(&place, &Arc::default(), None, None, stop).unwrap();
    assert_eq!((report.stored, report.postponed), (3, 6));
    assert!(report.note.unwrap().as_str().starts_with("told to end"));
}
