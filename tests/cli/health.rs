//! `jezero health`: what it says of sources, what it ends with, whom it tells.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::mpsc;

use serde_json::{Value, json};

use super::place::{Place, conversation};

/// A server that answers 200 to all and hands out each request as it came.
fn listener() -> (String, mpsc::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/hook", listener.local_addr().unwrap());
    let (heard, requests) = mpsc::channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut request = Vec::new();
            let mut part = [0; 4096];
            while !is_whole(&request) {
                let read = stream.read(&mut part).unwrap();
                request.extend_from_slice(&part[..read]);
            }
            let answer = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
            stream.write_all(answer.as_bytes()).unwrap();
            if heard.send(String::from_utf8(request).unwrap()).is_err() {
                return;
            }
        }
    });
    (address, requests)
}

fn is_whole(request: &[u8]) -> bool {
    let text = String::from_utf8_lossy(request);
    let Some((head, body)) = text.split_once("\r\n\r\n") else {
        return false;
    };
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(": ")?;
        (name.eq_ignore_ascii_case("content-length")).then(|| value.parse::<usize>().unwrap())
    });
    body.len() >= length.unwrap_or(0)
}

#[test]
fn a_source_is_never_then_ok_then_failing_and_the_exit_code_says_so() {
    let place = Place::new();
    let health = || place.jezero(&["health", "--json"]);
    let before = health();
    assert_eq!(
        (before.code, before.json()),
        (
            1,
            json!({"connector": "agent-claude", "status": "never", "last_success_at": null,
                   "hours_since_success": null, "last_error": null})
        )
    );
    place.session("a", &conversation("a", 3));
    place.run();
    let ok = health();
    assert_eq!((ok.code, &ok.json()["status"]), (0, &json!("ok")));
    std::fs::remove_dir_all(place.path("sessions")).unwrap();
    assert_eq!(place.jezero(&["run"]).code, 1);
    let failing = health();
    assert_eq!(failing.code, 1);
    assert_eq!(failing.json()["status"], "failing");
    let error = failing.json()["last_error"].as_str().unwrap().to_owned();
    assert!(error.ends_with("sessions does not exist"), "{error}");
    let shown = place.jezero(&["health"]);
    assert!(
        shown
            .out
            .starts_with("agent-claude: failing, last success 0 hours ago: "),
        "{shown:?}"
    );
}

#[test]
fn failures_are_told_once_and_the_heartbeat_says_down_then_up() {
    let place = Place::new();
    let text = std::fs::read_to_string(place.path("jezero.toml")).unwrap();
    let watchdog = "[watchdog]\nalert_webhook_env = \"HOOK\"\nheartbeat_url_env = \"BEAT\"\n";
    place.write("jezero.toml", format!("{watchdog}{text}"));
    let (hook, told) = listener();
    let (beat, beaten) = listener();
    let health = || -> Vec<Value> {
        let ran = place
            .command(&["health", "--json"])
            .env("HOOK", &hook)
            .env("BEAT", format!("{beat}?key=abc"))
            .output()
            .unwrap();
        let out = String::from_utf8(ran.stdout).unwrap();
        let lines = out.lines().map(|line| serde_json::from_str(line).unwrap());
        lines.collect()
    };
    let first = health();
    assert_eq!(
        first[1..],
        [
            json!({"alerted": ["agent-claude"]}),
            json!({"heartbeat": "down"})
        ]
    );
    let request = told.recv().unwrap();
    let body: Value = serde_json::from_str(request.split_once("\r\n\r\n").unwrap().1).unwrap();
    assert_eq!(
        body,
        json!({"connector": "agent-claude", "status": "never", "last_success_at": null,
               "hours_since_success": null, "last_error": null,
               "text": "agent-claude: never, no success yet"})
    );
    let line = beaten.recv().unwrap().lines().next().unwrap().to_owned();
    assert_eq!(
        line,
        "GET /hook?key=abc&status=down&msg=agent-claude%3A+never%2C+no+success+yet&ping= HTTP/1.1"
    );
    assert_eq!(health()[1..], [json!({"heartbeat": "down"})]);
    beaten.recv().unwrap();
    place.session("a", &conversation("a", 3));
    place.run();
    assert_eq!(health()[1..], [json!({"heartbeat": "up"})]);
    let line = beaten.recv().unwrap().lines().next().unwrap().to_owned();
    assert_eq!(line, "GET /hook?key=abc&status=up&msg=ok&ping= HTTP/1.1");
    assert!(told.try_recv().is_err());
}

#[test]
fn an_address_that_is_none_is_named_by_its_variable_alone() {
    let place = Place::new();
    let text = std::fs::read_to_string(place.path("jezero.toml")).unwrap();
    let watchdog = "[watchdog]\nheartbeat_url_env = \"BEAT\"\n";
    place.write("jezero.toml", format!("{watchdog}{text}"));
    let ran = place
        .command(&["health"])
        .env("BEAT", "quaint-otter")
        .output()
        .unwrap();
    let notes = String::from_utf8(ran.stderr).unwrap();
    assert_eq!(ran.status.code(), Some(1));
    assert!(
        notes.contains("BEAT: not an address such as https://example.com/api"),
        "{notes}"
    );
    assert!(!notes.contains("quaint-otter"), "{notes}");
}
