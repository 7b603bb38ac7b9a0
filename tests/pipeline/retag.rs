//! A model asked for projects alone, where no rule gives one.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use jezero::config::Projects;
use jezero::item::SourceName;
use jezero::pipeline::{Pipeline, PipelineError, Retag, Retagged, Stop, ask_projects, retag};
use jezero::project::ProjectRules;
use jezero::store::Store;
use jezero::summarizer::{Answer, Reply, Summarizer, SummarizerError, Task};
use jezero_connectors::Instant;
use jezero_connectors::time::FixedClock;

use super::script::{Place, Script};

/// Knows one project, says nonsense of another, and fails on a third.
#[derive(Debug, Default)]
struct Model(AtomicUsize);

#[async_trait]
impl Summarizer for Model {
    fn name(&self) -> &str {
        "model"
    }

    async fn summarize(&self, _: &Task<'_>) -> Result<Answer, SummarizerError> {
        Err(SummarizerError::Refused("asked for too much"))
    }

    async fn guess_project(&self, task: &Task<'_>) -> Result<Answer, SummarizerError> {
        self.0.fetch_add(1, Ordering::SeqCst);
        let project = match task.text.as_str() {
            text if text.contains("till") => Some("Old Shop".to_owned()),
            text if text.contains("noise") => Some("?!".to_owned()),
            text if text.contains("wrong") => return Err(SummarizerError::Refused("told to")),
            _ => None,
        };
        let reply = Reply {
            project,
            ..Reply::default()
        };
        Ok(reply.into())
    }
}

/// Retags with a model; gives what was done and the changes it told of.
fn ask(place: &Place, model: &Arc<Model>, dry_run: bool) -> (Retagged, Vec<String>) {
    let mut settings = Projects::default();
    settings.aliases.insert("old-shop".into(), "shop".into());
    let rules = ProjectRules::new(&settings, None);
    let source = SourceName::new("scripted").unwrap();
    let mut store = Store::open(&place.path).unwrap();
    let with = Retag {
        source: &source,
        project: None,
        rules: &rules,
        engine: &place.engine,
        dry_run,
    };
    let mut moves = Vec::new();
    let mut told = |change: &jezero::pipeline::Move| {
        moves.push(format!("{} {}", change.item, change.to));
        Ok::<_, PipelineError>(())
    };
    let mut done = retag(&mut store, &with, &mut told).unwrap();
    let mut pipeline = Pipeline {
        store: &mut store,
        engine: &place.engine,
        summarizer: model.clone(),
        max_concurrency: 2,
        daily_input_chars: None,
        projects: &rules,
        clock: Arc::new(FixedClock(Instant::parse("2026-10-21T00:00:00Z").unwrap())),
        max_input_chars: place.limit,
        stop: Stop::never(),
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    let mut quiet = |_| {};
    let asking = ask_projects(&mut pipeline, &mut done, &mut told, &mut quiet);
    runtime.block_on(asking).unwrap();
    (done, moves)
}

#[test]
fn a_model_is_asked_where_no_rule_answers_and_nothing_else_changes() {
    let place = Place::new(1000);
    let texts = ["the till", "pure noise", "this wrong", "nothing"];
    for (id, text) in ["a", "b", "c", "d"].into_iter().zip(texts) {
        place.run(&[Script::new(id, &[("", text)])]);
    }
    place
        .raw()
        .execute("DELETE FROM originals WHERE item = 4", [])
        .unwrap();
    let model = Arc::default();
    let (dry, moves) = ask(&place, &model, true);
    assert_eq!(
        (dry.asked_model, dry.moved_by_model, dry.retagged),
        (Some(3), Some(0), 0)
    );
    assert_eq!((moves.len(), model.0.load(Ordering::SeqCst)), (0, 0));

    let (done, moves) = ask(&place, &model, false);
    assert_eq!((done.asked_model, done.moved_by_model), (Some(3), Some(1)));
    assert_eq!((done.docs, done.retagged), (4, 1));
    assert_eq!(moves, ["1 shop"]);
    let trouble = done.trouble.unwrap();
    assert_eq!((trouble.failed, trouble.postponed), (1, 0));
    assert!(trouble.errors[0].as_str().starts_with("item 3: "));
    let project: Vec<Option<String>> = place
        .raw()
        .prepare("SELECT project FROM items ORDER BY id")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert_eq!(project, [Some("shop".to_owned()), None, None, None]);
}
