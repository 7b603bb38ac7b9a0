//! A small server for tests: it answers with what was recorded in a case of `fixtures/`.
//!
//! `answers.json` holds an object: the path with its query, as asked for, and the answer. An answer
//! is `{"status": 200, "headers": {}, "body": …}`, where a body that is a text is sent as it is; any
//! other value that has no `body` is itself the body of a good answer. `{"turns": [ … ]}` holds
//! answers that are given one after the other, the last one again and again. A path that is recorded
//! without a query answers for every query, as a server does that ignores parameters. With
//! `"cut": true` the connection ends before the body does; `"shut": true` ends it without an answer,
//! and `"slow": true` leaves the question open.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Map, Value, json};

/// A server that runs until the test ends.
pub(crate) struct Served {
    /// Its address, without a path.
    pub(crate) address: String,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    answers: Map<String, Value>,
    given: HashMap<String, usize>,
    asked: Vec<String>,
    keys: Vec<Option<String>>,
}

impl Served {
    /// Serves answers by path.
    pub(crate) fn new(answers: Value) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let state = Arc::new(Mutex::new(State::default()));
        let served = Self { address, state };
        served.learn(answers);
        let state = Arc::clone(&served.state);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let state = Arc::clone(&state);
                std::thread::spawn(move || converse(&stream.unwrap(), &state));
            }
        });
        served
    }

    /// Serves a recorded case.
    pub(crate) fn case(file: &Path) -> Self {
        Self::new(read(file))
    }

    /// Puts answers in the place of earlier ones.
    pub(crate) fn learn(&self, answers: Value) {
        let Value::Object(answers) = answers else {
            panic!("answers are an object");
        };
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.given.clear();
        for (path, answer) in answers {
            state.answers.insert(path, answer);
        }
    }

    /// The requests so far, in the order in which they came; forgets them.
    pub(crate) fn asked(&self) -> Vec<String> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut state.asked)
    }

    /// The `Authorization` of each request so far.
    pub(crate) fn keys(&self) -> Vec<Option<String>> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.keys.clone()
    }
}

/// Reads the answers of a case.
pub(crate) fn read(file: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap()
}

fn converse(stream: &TcpStream, state: &Mutex<State>) {
    let mut reader = BufReader::new(stream);
    loop {
        let (mut first, mut key) = (String::new(), None);
        if reader.read_line(&mut first).unwrap_or(0) == 0 {
            return;
        }
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).unwrap_or(0) == 0 {
                return;
            }
            let line = line.trim_end();
            if let Some(value) = line.strip_prefix("authorization: ") {
                key = Some(value.to_owned());
            }
            if line.is_empty() {
                break;
            }
        }
        let path = first.split(' ').nth(1).unwrap().to_owned();
        assert!(first.starts_with("GET "), "only reading: {first}");
        let answer = state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .answer(&path, key);
        if answer.get("slow").is_some() {
            continue;
        }
        if !send(stream, &answer) {
            return;
        }
    }
}

impl State {
    fn answer(&mut self, path: &str, key: Option<String>) -> Value {
        self.asked.push(path.to_owned());
        self.keys.push(key);
        let plain = path.split('?').next().unwrap_or_default();
        let name = [path, plain]
            .into_iter()
            .find(|name| self.answers.contains_key(*name));
        let Some(name) = name else {
            return json!({ "status": 404, "body": { "error": "API route not found" } });
        };
        match &self.answers[name] {
            // A list of answers, and not an answer that is a list.
            Value::Object(turns) if turns.contains_key("turns") => {
                let turns = turns["turns"].as_array().unwrap();
                let turn = self.given.entry(name.to_owned()).or_default();
                let answer = turns[(*turn).min(turns.len() - 1)].clone();
                *turn += 1;
                answer
            }
            answer => answer.clone(),
        }
    }
}

/// Sends an answer; returns whether the connection goes on.
fn send(mut stream: &TcpStream, answer: &Value) -> bool {
    let flag = |name: &str| answer.get(name).is_some_and(|flag| flag == true);
    if flag("shut") {
        return false;
    }
    let plain = answer.get("body").is_none();
    let status = answer["status"].as_u64().filter(|_| !plain).unwrap_or(200);
    let body = match if plain { answer } else { &answer["body"] } {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    };
    let length = body.len() + if flag("cut") { 10 } else { 0 };
    let mut head = format!("HTTP/1.1 {status} Recorded\r\nContent-Length: {length}\r\n");
    for (name, value) in answer["headers"].as_object().into_iter().flatten() {
        head.push_str(&format!("{name}: {}\r\n", value.as_str().unwrap()));
    }
    head.push_str("\r\n");
    head.push_str(&body);
    stream.write_all(head.as_bytes()).is_ok() && !flag("cut")
}
