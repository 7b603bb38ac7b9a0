//! The program itself: `serve`, `mcp`, `new-token`.
#![cfg(unix)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use serde_json::{Value, json};

use super::peer::message;
use crate::cli::place::Place;
use crate::support::fixture;

/// A running server.
struct Running {
    child: Child,
    log: BufReader<std::process::ChildStderr>,
    address: String,
}

/// A place with the library of the pages, a key for it and a configuration.
fn place() -> (Place, String) {
    let place = Place::new();
    let made = place.jezero(&["new-token"]);
    assert_eq!(made.code, 0, "{made:?}");
    let (key, line) = made.out.trim_end().split_once('\n').unwrap();
    assert_eq!(key.len(), 43);
    place.write(
        "jezero.toml",
        format!("[[clients]]\nname = \"laptop\"\n{line}\n"),
    );
    for name in ["agent-claude-code-laptop", "agent-codex-work-mac"] {
        place.write("notes.jsonl", fixture(&format!("library/{name}.jsonl")));
        let imported = place.jezero(&["import-jsonl", "notes.jsonl", "--source", name]);
        assert_eq!(imported.code, 0, "{imported:?}");
    }
    (place, key.to_owned())
}

fn serve(place: &Place) -> Running {
    let mut child = place
        .command(&["serve", "--port", "0"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut log = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    let address = loop {
        line.clear();
        assert!(log.read_line(&mut line).unwrap() > 0, "the server ended");
        if let Some((_, rest)) = line.split_once("serving MCP on http://") {
            break rest.trim_end().trim_end_matches("/mcp").to_owned();
        }
    };
    Running {
        child,
        log,
        address,
    }
}

impl Running {
    fn post(&self, key: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        write!(
            stream,
            "POST /mcp HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {key}\r\nconnection: close\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    /// Tells it to end and gives its exit code and the rest of its log.
    fn stop(mut self) -> (Option<i32>, String) {
        let kill = std::process::Command::new("kill")
            .arg(self.child.id().to_string())
            .status()
            .unwrap();
        assert!(kill.success());
        let mut rest = String::new();
        self.log.read_to_string(&mut rest).unwrap();
        (self.child.wait().unwrap().code(), rest)
    }
}

fn call() -> String {
    message(
        "tools/call",
        &json!({"name": "list_sources", "arguments": {}}),
    )
    .to_string()
}

/// Lines to `jezero mcp` and what it answers.
fn mcp(place: &Place, variables: &[(&str, &str)], lines: &str) -> Vec<Value> {
    let mut child = place
        .command(&["mcp"])
        .envs(variables.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(lines.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn a_served_library_answers_its_key_and_ends_when_told() {
    let (place, key) = place();
    let server = serve(&place);
    let answer = server.post(&key, &call());
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    assert!(
        answer.contains(r#""agent-claude-code-laptop":{"items":3,"#),
        "{answer}"
    );
    let refused = server.post("not-the-key-at-all", &call());
    assert!(refused.starts_with("HTTP/1.1 401 "), "{refused}");
    // A connection that is open and says nothing does not keep the server.
    let idle = TcpStream::connect(&server.address).unwrap();
    let (code, log) = server.stop();
    drop(idle);
    assert_eq!(code, Some(0));
    assert!(
        !log.contains("not-the-key-at-all") && !log.contains(&key),
        "{log}"
    );
}

#[test]
fn the_bridge_gives_what_the_server_gives() {
    let (place, key) = place();
    let server = serve(&place);
    let address = format!("http://{}", server.address);
    let modern = json!({"name": "list_sources", "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }});
    let bridge = |key: &str, lines: &str| {
        mcp(
            &place,
            &[("JEZERO_URL", &address), ("JEZERO_TOKEN", key)],
            lines,
        )
    };
    let direct = server.post(&key, &call());
    let direct: Value = serde_json::from_str(direct.split_once("\r\n\r\n").unwrap().1).unwrap();
    assert_eq!(bridge(&key, &call()), [direct]);
    let answers = bridge(&key, &message("tools/call", &modern).to_string());
    assert_eq!(answers[0]["result"]["resultType"], json!("complete"));
    assert_eq!(bridge(&key, "{broken\n")[0]["error"]["code"], json!(-32700));
    let refused = bridge("wrong", &call());
    assert_eq!(
        refused[0]["error"]["message"],
        json!("the server does not know the key (HTTP 401): set JEZERO_TOKEN")
    );
    assert_eq!(server.stop().0, Some(0));
    // Without its server the bridge still starts an agent, and says what is wrong with a call.
    let dead = bridge(&key, &message("initialize", &json!({})).to_string());
    assert_eq!(dead[0]["result"]["serverInfo"]["name"], json!("jezero"));
    let dead = bridge(&key, &call());
    assert_eq!(dead[0]["error"]["code"], json!(-32000));
    let told = dead[0]["error"]["message"].as_str().unwrap();
    assert!(told.starts_with("the server cannot be reached"), "{told}");
}

#[test]
fn the_local_library_is_served_over_pipes() {
    let (place, _) = place();
    let answers = mcp(&place, &[], &call());
    let golden: Value =
        serde_json::from_str(&fixture("library/answers/list_sources.json")).unwrap();
    assert_eq!(answers[0]["result"]["structuredContent"], golden);
}

#[test]
fn a_server_without_a_usable_key_does_not_start() {
    let place = Place::new();
    place.write(
        "jezero.toml",
        "[[clients]]\nname = \"laptop\"\ntoken_env = \"MISSING\"\n",
    );
    assert_eq!(place.jezero(&["init"]).code, 0);
    let ran = place.jezero(&["serve", "--port", "0"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.notes
            .contains("WARN client laptop: the environment variable MISSING is not set"),
        "{ran:?}"
    );
    assert!(
        ran.notes
            .contains("error: no client has a usable key\nhint: `jezero new-token`"),
        "{ran:?}"
    );
}

#[test]
fn a_server_without_a_library_says_so() {
    let place = Place::new();
    let ran = place.jezero(&["serve", "--port", "0"]);
    assert_eq!(ran.code, 2);
    assert!(ran.notes.contains("there is no library at "), "{ran:?}");
}
