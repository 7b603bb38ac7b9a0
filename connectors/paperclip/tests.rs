//! Tests of the connector against recorded answers: what is asked, when, and with which key. What a
//! task renders to is told by `fixtures/paperclip/`.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::*;
use crate::fixtures::{Reading, poll, remember};
use crate::marks::{Memory, Recalled};
use crate::served::Served;
use crate::time::Instant;
use crate::unit::Event;

pub(super) const COMPANY: &str = "0b54a1c2-5d1e-4f0a-9c3e-7a8b9c0d1e2f";

pub(super) fn id(number: usize) -> String {
    format!("10000000-0000-4000-8000-{number:012}")
}

/// A task as list and detail show it.
pub(super) fn task(number: usize) -> Value {
    json!({
        "id": id(number), "companyId": COMPANY, "identifier": format!("LIN-{number}"),
        "title": format!("Job {number}"), "description": "Fold, stitch and trim.",
        "status": "todo", "priority": "medium", "originKind": "manual",
        "createdByUserId": "local-board", "createdAt": "2026-10-02T09:00:00.000Z",
        "updatedAt": "2026-10-02T09:00:00.000Z", "lastActivityAt": "2026-10-02T09:00:00.000Z",
    })
}

pub(super) fn list(more: &str) -> String {
    let start =
        "issues?includeRoutineExecutions=true&view=compact&limit=1000&sortField=id&sortDir=asc";
    format!("/api/companies/{COMPANY}/{start}{more}")
}

pub(super) fn after(number: usize) -> String {
    list(&format!("&afterId={}", id(number)))
}

pub(super) fn error(status: u16, text: &str) -> Value {
    json!({ "status": status, "headers": { "Retry-After": "0" }, "body": { "error": text } })
}

/// A server of the newest version with some tasks, a thousand on each page.
pub(super) fn server(count: usize) -> Map<String, Value> {
    let mut answers = Map::new();
    let mut put = |path: String, answer: Value| drop(answers.insert(path, answer));
    put(
        "/api/health".into(),
        json!({ "status": "ok", "version": "2026.916.1" }),
    );
    put(
        "/api/companies".into(),
        json!([{ "id": COMPANY, "name": "Lindero" }]),
    );
    for route in ["agents", "projects"] {
        put(format!("/api/companies/{COMPANY}/{route}"), json!([]));
    }
    put(
        format!("/api/companies/{COMPANY}/user-directory"),
        json!({ "users": [] }),
    );
    let numbers: Vec<usize> = (1..=count).collect();
    let mut page = list("");
    for numbers in numbers.chunks(1000) {
        let rows: Vec<Value> = numbers.iter().map(|number| task(*number)).collect();
        put(page, rows.into());
        page = after(numbers[numbers.len() - 1]);
    }
    put(page, json!([]));
    for number in numbers {
        put(format!("/api/issues/{}", id(number)), task(number));
        for route in ["comments", "interactions", "documents"] {
            put(format!("/api/issues/{}/{route}", id(number)), json!([]));
        }
    }
    answers
}

pub(super) fn with(mut answers: Map<String, Value>, more: &[(&str, Value)]) -> Served {
    for (path, answer) in more {
        answers.insert((*path).to_owned(), answer.clone());
    }
    Served::new(answers.into())
}

pub(super) fn read(served: &Served, more: &str, marks: HashMap<String, Recalled>) -> Reading {
    let mut table: toml::Table = more.parse().unwrap();
    table.insert("api_url".into(), served.address.clone().into());
    table.entry("settle_minutes").or_insert(0.into());
    poll("paperclip", &table, Memory::new(marks), None)
}

pub(super) fn fresh(served: &Served) -> Reading {
    read(served, "", HashMap::new())
}

pub(super) fn units(reading: &Reading) -> Vec<&str> {
    let starts = reading.events.iter().filter_map(|event| match event {
        Event::Start(start) => Some(start.id.as_str()),
        _ => None,
    });
    starts.collect()
}

pub(super) fn problems(reading: &Reading) -> Vec<String> {
    reading
        .report
        .problems
        .iter()
        .map(ToString::to_string)
        .collect()
}

#[test]
fn a_run_with_nothing_new_reads_only_the_pages_of_the_list() {
    let served = with(server(5000), &[]);
    let first = fresh(&served);
    assert_eq!(units(&first).len(), 5000);
    assert_eq!(units(&first)[..2], ["LIN-1", "LIN-2"]);
    served.asked();
    let again = read(&served, "", remember(&first.events));
    assert_eq!(again.events, Vec::new());
    assert_eq!((again.report.seen, again.report.unchanged), (5000, 5000));
    let pages = [1000, 2000, 3000, 4000, 5000].map(after);
    let mut expected = vec![
        "/api/health".to_owned(),
        "/api/companies".to_owned(),
        list(""),
    ];
    expected.extend(pages);
    assert_eq!(served.asked(), expected);
}

#[test]
fn a_changed_task_alone_is_asked_for_again() {
    let served = with(server(3), &[]);
    let first = fresh(&served);
    let mut changed = task(2);
    changed["lastActivityAt"] = "2026-10-02T09:00:00.001Z".into();
    served.learn(json!({ list(""): [task(1), changed, task(3)] }));
    served.asked();
    let then = read(&served, "", remember(&first.events));
    assert_eq!(units(&then), ["LIN-2"]);
    let of_tasks = served
        .asked()
        .into_iter()
        .filter(|path| path.starts_with("/api/issues/"));
    assert!(
        of_tasks
            .collect::<Vec<_>>()
            .iter()
            .all(|path| path.contains(&id(2)))
    );
}

#[test]
fn a_server_that_dies_in_the_middle_loses_nothing_and_doubles_nothing() {
    let shut = json!({ "shut": true });
    let detail = format!("/api/issues/{}", id(3));
    let health = json!({ "turns": [{ "status": "ok", "version": "2026.916.1" }, shut] });
    let served = with(server(6), &[(&detail, shut), ("/api/health", health)]);
    let first = read(&served, "max_concurrency = 1", HashMap::new());
    assert_eq!(units(&first), ["LIN-1", "LIN-2"]);
    let failure = first
        .failure
        .unwrap()
        .replace(&served.address, "http://server");
    assert_eq!(
        failure,
        "http://server/api cannot be reached: the connection ended in the middle of an answer; is \
         it running, and is api_url right?"
    );
    let whole = |event: &&Event| matches!(event, Event::Abandoned);
    assert_eq!(first.events.iter().find(whole), None);
    served.learn(server(6).into());
    let then = read(&served, "", remember(&first.events));
    assert_eq!(units(&then), ["LIN-3", "LIN-4", "LIN-5", "LIN-6"]);
    assert_eq!((then.failure, then.report.failed), (None, 0));
}

fn with_key(served: &Served, options: &str, variables: &[(&str, &str)]) -> Reading {
    let mut table: toml::Table = options.parse().unwrap();
    table.insert("api_url".into(), served.address.clone().into());
    let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    let surroundings = Surroundings {
        variables: variables.iter().map(own).collect(),
        ..Surroundings::default()
    };
    let connector = Paperclip.build(&table, &surroundings).unwrap();
    crate::fixtures::poll_built(connector, Memory::default(), None)
}

#[test]
fn the_key_goes_with_every_request_but_the_greeting_and_is_told_nowhere() {
    let key = "pcp_board_marker";
    let served = with(server(1), &[]);
    let reading = with_key(&served, "", &[("PAPERCLIP_API_KEY", key), ("OTHER", "x")]);
    assert_eq!(units(&reading), ["LIN-1"]);
    let keys = served.keys();
    assert_eq!(keys[0], None);
    assert!(
        keys[1..]
            .iter()
            .all(|sent| sent.as_deref() == Some("Bearer pcp_board_marker"))
    );
    served.learn(json!({ "/api/companies": error(401, "Agent token did not verify") }));
    let failure = with_key(&served, "", &[("PAPERCLIP_API_KEY", key)])
        .failure
        .unwrap();
    assert_eq!(
        failure,
        "GET /api/companies: the key in PAPERCLIP_API_KEY is not known to the server or has expired \
         (401): make a new one as docs/connectors/paperclip.md tells; a server in local_trusted mode \
         wants none, so unset the variable for it"
    );
}

#[test]
fn an_empty_variable_is_no_key_and_a_named_one_must_be_set() {
    let served = with(server(1), &[]);
    with_key(&served, "", &[("PAPERCLIP_API_KEY", " ")]);
    assert!(served.keys().iter().all(Option::is_none));
    let failure = with_key(&served, "api_key_env = \"MINE\"", &[("MINE", "")]).failure;
    assert_eq!(
        failure.as_deref(),
        Some("api_key_env: the variable MINE is not set; leave this out for none")
    );
    let failure = with_key(&served, "", &[("PAPERCLIP_API_KEY", "a\nb")]).failure;
    assert_eq!(
        failure.as_deref(),
        Some(
            "GET /api/companies: the key in PAPERCLIP_API_KEY holds signs that no key has: copy it \
             again"
        )
    );
}

#[test]
fn a_server_that_ignores_the_order_is_read_by_counting() {
    let counted = |offset: usize| {
        let start = "issues?includeRoutineExecutions=true&view=compact&limit=1000";
        format!("/api/companies/{COMPANY}/{start}&offset={offset}&sortField=updated&sortDir=desc")
    };
    let served = with(
        server(3),
        &[
            (&list(""), json!([task(2), task(1)])),
            (&counted(0), json!([task(2), task(1)])),
            (&counted(2), json!([task(1), task(3)])),
            (&counted(4), json!([])),
        ],
    );
    let reading = fresh(&served);
    assert_eq!(units(&reading), ["LIN-2", "LIN-1", "LIN-3"]);
    assert_eq!(reading.report.problems.len(), 1);
}

#[test]
fn a_server_that_refuses_the_question_is_asked_in_an_older_way() {
    let all = format!("/api/companies/{COMPANY}/issues?includeRoutineExecutions=true");
    let any = format!("/api/companies/{COMPANY}/issues");
    let served = with(
        server(2),
        &[
            (&list(""), error(422, "afterId requires a UUID")),
            (&any, error(400, "Validation error")),
            (&all, json!([task(1), task(2)])),
        ],
    );
    assert_eq!(units(&fresh(&served)), ["LIN-1", "LIN-2"]);
}

#[test]
fn comments_come_in_pages_and_one_that_went_meanwhile_is_noticed() {
    let route = format!("/api/issues/{}/comments", id(1));
    let comment = |number: usize| {
        json!({
            "id": format!("c-{number:04}"), "body": format!("Remark {number}"),
            "authorUserId": "local-board", "createdAt": "2026-10-03T09:00:00.000Z",
        })
    };
    let page = |from: usize, to: usize| Value::from((from..to).map(comment).collect::<Vec<_>>());
    let first = format!("{route}?order=asc&limit=200");
    let second = format!("{first}&after=c-0199");
    let newest = format!("{route}?order=desc&limit=1");
    let served = with(
        server(1),
        &[
            (&first, page(0, 200)),
            (&second, page(200, 230)),
            (&newest, page(229, 230)),
        ],
    );
    let blocks = |reading: &Reading| -> usize {
        let blocks = reading.events.iter().map(|event| match event {
            Event::Blocks(blocks) => blocks.len(),
            _ => 0,
        });
        blocks.sum()
    };
    let reading = fresh(&served);
    assert_eq!((blocks(&reading), problems(&reading)), (231, vec![]));
    served.learn(json!({ second: [] }));
    let reading = fresh(&served);
    assert_eq!(units(&reading), Vec::<&str>::new());
    assert_eq!(
        problems(&reading),
        [format!(
            "GET {newest}: the answer does not fit: comments went while they were read. It is \
             asked for again at the next run"
        )]
    );
}

#[test]
fn a_task_touched_lately_waits() {
    // The present moment of `poll`.
    assert_eq!(
        Instant::parse("2026-11-30T00:00:00Z").map(Instant::unix),
        Some(1_795_996_800)
    );
    let mut active = task(1);
    active["lastActivityAt"] = "2026-11-29T23:30:01.000Z".into();
    let mut rested = task(2);
    rested["lastActivityAt"] = "2026-11-29T23:30:00.000Z".into();
    let served = with(server(2), &[(&list(""), json!([active, rested]))]);
    let reading = read(&served, "settle_minutes = 30", HashMap::new());
    assert_eq!(
        (units(&reading), reading.report.deferred),
        (vec!["LIN-2"], 1)
    );
}

#[test]
fn a_sample_is_the_newest_tasks_whatever_is_remembered() {
    let mut newest = task(1);
    newest["updatedAt"] = "2026-10-05T09:00:00.000Z".into();
    let served = with(server(3), &[(&list(""), json!([newest, task(2), task(3)]))]);
    let marks = remember(&fresh(&served).events);
    let table: toml::Table = format!("api_url = \"{}\"", served.address).parse().unwrap();
    let reading = poll("paperclip", &table, Memory::new(marks), Some(2));
    assert_eq!(units(&reading), ["LIN-3", "LIN-1"]);
}

#[test]
fn a_reset_keeps_names_and_numbers() {
    let served = with(server(1), &[]);
    let mut marks = remember(&fresh(&served).events);
    for recalled in marks.values_mut() {
        recalled.value.clear();
    }
    let identities: Vec<String> = marks.values().map(|mark| mark.identity.clone()).collect();
    let again = read(&served, "", marks);
    assert_eq!(units(&again), ["LIN-1"]);
    let kept: Vec<String> = remember(&again.events)
        .values()
        .map(|m| m.identity.clone())
        .collect();
    assert_eq!(kept, identities);
}

#[test]
fn a_server_on_this_computer_is_found_with_its_port() {
    let home = tempfile::tempdir().unwrap();
    let surroundings = Surroundings {
        home: Some(home.path().to_owned()),
        ..Surroundings::default()
    };
    assert_eq!(Paperclip.discover(&surroundings), None);
    let instance = home.path().join(".paperclip/instances/default");
    std::fs::create_dir_all(&instance).unwrap();
    std::fs::write(instance.join("config.json"), r#"{"server":{"port":3111}}"#).unwrap();
    assert_eq!(Paperclip.discover(&surroundings), Some(instance.clone()));
    let template: toml::Table = Paperclip.template(&instance).parse().unwrap();
    assert_eq!(
        template["api_url"].as_str(),
        Some("http://127.0.0.1:3111/api")
    );
    assert!(Options::read(&template).is_ok());
}
