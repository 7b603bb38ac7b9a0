//! What `/metrics` tells of sources, and to whom.

use axum::body::Body;
use axum::http::Request;
use jezero::config::{Config, Env};
use jezero::health::Timetable;
use jezero::http::Server;
use jezero::redaction::Redacted;
use jezero::store::{RunRow, Totals};

use super::keys::client;
use super::peer::{OPEN, Peer, service};
use crate::support::{Shelf, instant, source};

/// A library whose first source was read twice, the second time with a failure.
fn read_twice() -> Shelf {
    let shelf = Shelf::of_the_pages();
    let mut store = shelf.store();
    let name = source("agent-claude-code-laptop");
    for (day, error) in [(20, None), (21, Some("the folder is gone"))] {
        let started_at = instant(&format!("2026-10-{day}T08:00:00Z"));
        let id = store.begin_run(&name, started_at).unwrap();
        let counts = "{\"deferred_sessions\":3,\"failed\":1,\"records_passed_over\":2}";
        let run = RunRow {
            connector: &name,
            started_at,
            ended_at: instant(&format!("2026-10-{day}T08:00:30Z")),
            last_item_at: Some(instant("2026-10-19T08:00:00Z")),
            error: error.map(Redacted::literal),
            report: Redacted::literal(counts),
            counts: Redacted::literal(counts),
            sums: Totals {
                items_stored: 5,
                records_skipped: 2,
                input_tokens: 100,
                output_tokens: 10,
                ..Totals::default()
            },
        };
        store.finish_run(id, &run).unwrap();
    }
    shelf
}

fn metrics(peer: &Peer, key: &str) -> Vec<String> {
    let request = Request::builder()
        .uri("/metrics")
        .header("authorization", format!("Bearer {key}"));
    let got = peer.send(request.body(Body::empty()).unwrap());
    assert_eq!(got.status, 200, "{got:?}");
    got.body.lines().map(str::to_owned).collect()
}

fn of_connectors(lines: &[String]) -> Vec<&str> {
    let lines = lines.iter().map(String::as_str);
    let ours = lines.filter(|line| line.starts_with("jezero_connector_"));
    ours.map(|line| line.trim_start_matches("jezero_connector_"))
        .collect()
}

#[test]
fn each_source_is_told_in_numbers() {
    let peer = Peer::new(read_twice(), OPEN, Env::given([]));
    let told = metrics(&peer, "");
    let claude = "{connector=\"agent-claude-code-laptop\"}";
    let codex = "{connector=\"agent-codex-work-mac\"}";
    let last = instant("2026-10-21T08:00:00Z").unix();
    let success = instant("2026-10-20T08:00:30Z").unix();
    let item = instant("2026-10-19T08:00:00Z").unix();
    assert_eq!(
        of_connectors(&told),
        [
            format!("last_run_timestamp_seconds{claude} {last}"),
            format!("last_success_timestamp_seconds{claude} {success}"),
            format!("last_item_timestamp_seconds{claude} {item}"),
            format!("failing{claude} 1"),
            format!("items{claude} 3"),
            format!("items{codex} 1"),
            format!("deferred_sessions{claude} 3"),
            format!("failures{claude} 1"),
            format!("runs_total{claude} 2"),
            format!("failed_runs_total{claude} 1"),
            format!("items_stored_total{claude} 10"),
            format!("records_skipped_total{claude} 4"),
            format!("input_tokens_total{claude} 200"),
            format!("output_tokens_total{claude} 20"),
        ]
    );
    assert!(
        told.contains(&"jezero_library_readable 1".to_owned()),
        "{told:?}"
    );
    let named = |line: &String| line.split(['{', ' ']).next().unwrap().to_owned();
    for line in told.iter().filter(|line| !line.starts_with('#')) {
        let kind = format!("# TYPE {} ", named(line));
        assert!(told.iter().any(|other| other.starts_with(&kind)), "{line}");
    }
}

#[test]
fn a_key_is_told_of_the_sources_that_it_may_see() {
    let text = client("all", "k1", "") + &client("codex", "k2", "sources = [\"agent-codex-*\"]");
    let peer = Peer::new(read_twice(), &text, Env::given([]));
    let told = metrics(&peer, "k2");
    assert_eq!(
        of_connectors(&told),
        ["items{connector=\"agent-codex-work-mac\"} 1"]
    );
    assert!(!told.join("\n").contains("laptop"), "{told:?}");
    assert_eq!(of_connectors(&metrics(&peer, "k1")).len(), 14);
}

#[test]
fn beside_a_daemon_the_next_reading_is_told() {
    let shelf = read_twice();
    let path = shelf.path().with_file_name("jezero.toml");
    std::fs::write(&path, OPEN).unwrap();
    let env = Env::given([]);
    let config = Config::load_with(&path, env.clone()).unwrap();
    let timetable = Timetable::default();
    let server = Server::beside(&config, env, service(&shelf), timetable.clone()).unwrap();
    let next = instant("2026-10-21T09:00:00Z");
    let planned = ["agent-claude-code-laptop", "agent-hidden"];
    timetable.set(planned.map(|name| (source(name), next)).into());
    let told = metrics(&Peer::of(shelf, &server), "");
    let expected = format!(
        "next_run_timestamp_seconds{{connector=\"agent-claude-code-laptop\"}} {}",
        next.unix()
    );
    assert_eq!(of_connectors(&told).last(), Some(&expected.as_str()));
}

#[test]
fn without_a_library_there_are_counts_and_no_sources() {
    let shelf = Shelf::empty();
    std::fs::remove_file(shelf.path()).unwrap();
    let told = metrics(&Peer::new(shelf, OPEN, Env::given([])), "");
    assert_eq!(of_connectors(&told), [""; 0]);
    assert!(
        told.contains(&"jezero_library_readable 0".to_owned()),
        "{told:?}"
    );
}
