//! Tests of what a run says of answers that are not as they should be, and what it does about them.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::tests::{
    COMPANY, after, error, fresh, id, list, problems, read, server, task, units, with,
};
use super::*;
use crate::fixtures::poll;
use crate::marks::Memory;
use crate::time::Instant;

/// What a run ends with when the server answers something with something else.
fn failure(path: &str, answer: Value) -> String {
    let served = with(server(1), &[(path, answer)]);
    let reading = fresh(&served);
    assert_eq!(reading.events, Vec::new(), "{path}");
    let failure = reading.failure.unwrap_or_default();
    failure.replace(&served.address, "http://server")
}

/// What a run says, and which tasks it reads all the same.
fn said(path: &str, answer: Value) -> (Vec<String>, usize, u64) {
    let reading = fresh(&with(server(2), &[(path, answer)]));
    assert_eq!(reading.failure, None);
    (
        problems(&reading),
        units(&reading).len(),
        reading.report.failed,
    )
}

#[test]
fn nobody_at_the_address_is_unreachable() {
    let table = toml::toml! { api_url = "http://127.0.0.1:9/api" };
    let reading = poll("paperclip", &table, Memory::default(), None);
    let failure = reading.failure.unwrap();
    assert!(
        failure.starts_with("http://127.0.0.1:9/api cannot be reached: "),
        "{failure}"
    );
}

#[test]
fn what_answers_and_is_no_paperclip_is_told_with_what_would_be_right() {
    let no_paperclip = "GET /api/health: what answers is no Paperclip: api_url must lead to the \
                        API, such as http://127.0.0.1:3100/api";
    assert_eq!(failure("/api/health", json!({ "hello": 1 })), no_paperclip);
    assert_eq!(failure("/api/health", json!([])), no_paperclip);
    assert_eq!(
        failure("/api/health", json!({ "body": "<html>" })),
        "GET /api/health: the answer is a web page and no data, as from a proxy or a login page; \
         see whether api_url leads to the API"
    );
    assert_eq!(
        failure("/api/health", json!({ "status": 404, "body": "<html>" })),
        "GET /api/health: nothing is there (404), and what answers is no Paperclip: api_url must \
         lead to the API, such as http://127.0.0.1:3100/api"
    );
    assert_eq!(
        failure(
            "/api/health",
            json!({ "status": 302, "headers": { "Location": "/login" }, "body": "" })
        ),
        "GET /api/health: the server sends elsewhere (302): put the address that it leads to into \
         api_url"
    );
    assert_eq!(
        failure(
            "/api/health",
            error(
                403,
                "This hostname is not allowed for this Paperclip instance."
            )
        ),
        "GET /api/health: the server does not answer to the name 127.0.0.1 (403): add it to its \
         PAPERCLIP_ALLOWED_HOSTNAMES, or use a name that it has"
    );
}

#[test]
fn a_server_that_starts_or_hides_behind_a_proxy_is_unreachable_for_now() {
    assert_eq!(
        failure("/api/health", json!({ "body": { "status": "starting" } })),
        "http://server/api cannot be reached: the server is still starting; run again in a minute"
    );
    assert_eq!(
        failure("/api/health", error(502, "Bad gateway")),
        "http://server/api cannot be reached: it answers 502; is it running behind its proxy?"
    );
}

#[test]
fn companies_that_cannot_be_listed_end_the_run() {
    assert_eq!(
        failure("/api/companies", error(500, "Internal server error")),
        "GET /api/companies: the server failed at it (500): see its log if this stays"
    );
    assert_eq!(
        failure("/api/companies", json!({ "body": "[{\"id\"" })),
        "GET /api/companies: the answer is no list or only a part of one"
    );
    assert_eq!(
        failure("/api/companies", error(401, "Unauthorized")),
        "GET /api/companies: the server wants a key (401): make one as docs/connectors/paperclip.md \
         tells and put it into the variable that api_key_env names"
    );
}

#[test]
fn a_busy_server_is_asked_again_and_a_lasting_trouble_costs_its_task_alone() {
    let detail = format!("/api/issues/{}", id(1));
    let busy = json!({ "turns": [error(429, "Too many"), error(503, "Busy"), task(1)] });
    assert_eq!(said(&detail, busy), (vec![], 2, 0));
    let lasting = error(503, "Busy");
    let line = format!(
        "GET {detail}: the server failed at it (503): see its log if this stays. It is asked for again \
         at the next run"
    );
    assert_eq!(said(&detail, lasting), (vec![line], 1, 1));
    // Gone, or no business of this key: no failure, but for the latter a word.
    assert_eq!(said(&detail, error(404, "Issue not found")), (vec![], 1, 0));
    let (lines, read, failed) = said(&detail, error(403, "Forbidden"));
    assert_eq!((lines.len(), read, failed), (1, 1, 0));
}

#[test]
fn an_answer_that_takes_too_long_is_named_with_its_request() {
    let detail = format!("/api/issues/{}", id(1));
    let served = with(server(2), &[(&detail, json!({ "slow": true }))]);
    let reading = read(&served, "timeout_seconds = 1", HashMap::new());
    let line = format!(
        "GET {detail}: the server did not answer within 1 seconds. It is asked for again at the next run"
    );
    assert_eq!(
        (problems(&reading), units(&reading)),
        (vec![line], vec!["LIN-2"])
    );
}

#[test]
fn a_list_that_breaks_off_leaves_what_was_read_before_it() {
    let (lines, read, failed) = said(&after(2), json!({ "body": "[{\"id\":\"1" }));
    let line = format!(
        "GET {}: the list breaks off here: the answer is no list or only a part of one. It is \
         asked for again at the next run",
        after(2)
    );
    assert_eq!((lines, read, failed), (vec![line], 2, 1));
    let (lines, ..) = said(&list(""), error(404, "Company not found"));
    assert_eq!(
        lines,
        [format!(
            "GET {}: the list breaks off here: is not there any more",
            list("")
        )]
    );
}

#[test]
fn a_run_that_is_stopped_does_not_wait_for_the_server() {
    let served = with(server(1), &[("/api/companies", json!({ "slow": true }))]);
    let table: toml::Table = format!("api_url = \"{}\"", served.address).parse().unwrap();
    let mut connector = Paperclip.build(&table, &Surroundings::default()).unwrap();
    let request = Request {
        memory: Memory::default().into(),
        now: Instant::default(),
        sample: None,
    };
    let (sink, receiver) = Sink::channel();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    drop(receiver);
    let (_, result) = runtime.block_on(connector.poll(request, sink));
    assert!(matches!(result, Err(ConnectorError::Stopped)), "{result:?}");
}

#[test]
fn a_task_that_breaks_a_counted_list_is_gone_around() {
    let any = format!("/api/companies/{COMPANY}/issues");
    let counted = |limit: usize, offset: usize| {
        format!(
            "{any}?includeRoutineExecutions=true&limit={limit}&offset={offset}&sortField=updated\
             &sortDir=desc"
        )
    };
    let served = with(
        server(3),
        &[
            (
                "/api/health",
                json!({ "status": "ok", "version": "2026.707.0" }),
            ),
            (&any, error(500, "Internal server error")),
            (&counted(1, 0), json!([task(3)])),
            (&counted(1, 2), json!([task(1)])),
            (&counted(4, 3), json!([])),
        ],
    );
    let reading = fresh(&served);
    assert_eq!(units(&reading), ["LIN-3", "LIN-1"]);
    let line = format!(
        "GET {}: the server fails at showing this task; it was gone around. See the server's log",
        counted(1, 1)
    );
    assert_eq!(problems(&reading), [line]);
}
