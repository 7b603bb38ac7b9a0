//! A server for one reading: it answers `GET` with what a tree's JSON file recorded.
//!
//! The file is that of a case in `fixtures/paperclip`: paths, perhaps with their queries, and
//! answers. It runs until
//! it is dropped, and each connection has one answer.
//! One that is recorded as cut is sent whole, and of answers by turns the last: asking again takes seconds. A marker
//! in the path of a question is overlooked, so that what is asked for by a planted id is there.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{JoinHandle, spawn};

use serde_json::{Map, Value, json};

pub(crate) struct Served {
    pub(crate) address: SocketAddr,
    ended: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// The recorded answers of a tree, whatever their file is called.
pub(crate) fn answers(tree: &Path) -> Map<String, Value> {
    let file = fs::read_dir(tree).unwrap().next().unwrap().unwrap().path();
    serde_json::from_slice(&fs::read(file).unwrap()).unwrap()
}

impl Served {
    pub(crate) fn new(answers: Map<String, Value>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let ended = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&ended);
        let thread = spawn(move || {
            let answers = Arc::new(answers);
            for stream in listener.incoming() {
                if seen.load(Ordering::SeqCst) {
                    return;
                }
                let answers = Arc::clone(&answers);
                // A client that goes away in the middle is the client's matter.
                spawn(move || drop(converse(&stream.unwrap(), &answers)));
            }
        });
        Self {
            address,
            ended,
            thread: Some(thread),
        }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::SeqCst);
        if TcpStream::connect(self.address).is_ok() {
            self.thread.take().map(JoinHandle::join);
        }
    }
}

fn converse(mut stream: &TcpStream, answers: &Map<String, Value>) -> std::io::Result<()> {
    let mut head = String::new();
    let mut reader = BufReader::new(stream);
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head)? == 0 {
            return Ok(());
        }
    }
    let path = head.split(' ').nth(1).unwrap_or_default();
    assert!(head.starts_with("GET "), "only reading: {head}");
    let whole = without_marker(path);
    let plain = whole.split('?').next().unwrap_or_default();
    let mut answer = [path, &whole, plain]
        .into_iter()
        .find_map(|path| answers.get(path))
        .cloned()
        .unwrap_or_else(|| json!({ "status": 404, "body": { "error": "no such route" } }));
    if let Some(turns) = answer.get("turns").and_then(Value::as_array) {
        answer = turns.last().cloned().unwrap_or_default();
    }
    let body = answer.get("body").unwrap_or(&answer);
    let text = match body {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    };
    let status = match answer.get("body") {
        // Above it are those after which the client waits for seconds and asks again.
        Some(_) => answer["status"].as_u64().unwrap_or(200).min(428),
        None => 200,
    };
    let length = text.len();
    let mut said = format!("HTTP/1.1 {status} Recorded\r\nContent-Length: {length}\r\n");
    for (name, value) in answer["headers"].as_object().into_iter().flatten() {
        said.push_str(&format!(
            "{name}: {}\r\n",
            value.as_str().unwrap_or_default()
        ));
    }
    write!(stream, "{said}Connection: close\r\n\r\n{text}")
}

/// A path without ` ghp_…`, as it stands in one.
fn without_marker(path: &str) -> String {
    let mut parts = path.split("ghp_");
    let mut whole = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        for space in ["%20", "+"] {
            whole.truncate(whole.trim_end_matches(space).len());
        }
        whole.push_str(part.trim_start_matches(|sign: char| sign.is_ascii_alphanumeric()));
    }
    whole
}
