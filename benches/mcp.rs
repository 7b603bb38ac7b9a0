//! How many questions a second a served library of 10,000 items answers, over real connections.
//!
//! `cargo bench --bench mcp` serves in this process and drives it from threads that block, each on
//! a connection of its own. Beside each figure stands that of a bare POST whose answer has the same
//! size, from the same server stack in the same run: ratios can be compared between machines. The
//! time of the whole process (both sides) is told for each.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a bench that cannot be set up should stop, and it prints"
)]

mod library_generator;

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

use jezero::config::{Config, Env};
use jezero::http::Server;
use jezero::import::{ImportOptions, import_jsonl};
use jezero::item::{Instant as Moment, Trust};
use jezero::library::Settings;
use jezero::mcp::{Readers, Service};
use jezero::redaction::Engine;
use jezero::store::Store;
use jezero_connectors::time::FixedClock;
use library_generator::{lines, word};
use serde_json::{Value, json};

const ITEMS: usize = 10_000;
/// How long each figure is measured.
const SPAN: Duration = Duration::from_secs(3);

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let library = folder.path().join("jezero.db");
    let now = Moment::parse("2026-10-21").unwrap();
    let mut store = Store::open(&library).unwrap();
    let options = ImportOptions {
        source: None,
        project: None,
        trust: Trust::Own,
    };
    let engine = Engine::embedded();
    let lines = lines(ITEMS, 7);
    import_jsonl(
        &mut store,
        &engine,
        lines.as_bytes(),
        "generated",
        &options,
        now,
    )
    .unwrap();
    drop((store, engine, lines));

    let runtime = tokio::runtime::Runtime::new().unwrap();
    let config = "[[clients]]\nname = \"all\"\ntoken_env = \"ALL\"\n\
                  [[clients]]\nname = \"some\"\ntoken_env = \"SOME\"\nsources = [\"agent-*\"]\n";
    let file = folder.path().join("jezero.toml");
    std::fs::write(&file, config).unwrap();
    let env = Env::given([("ALL", "all"), ("SOME", "some")]);
    let config = Config::load_with(&file, env.clone()).unwrap();
    let clock = Arc::new(FixedClock(now));
    let service = Service::new(Readers::new(library, Settings::default(), clock));
    let server = Server::new(&config, env, service).unwrap();
    let address = runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move { server.serve(listener, std::future::pending()).await });
        address
    });
    let echo = runtime.block_on(echo());

    let search = |at: usize| {
        let terms = [
            word(20 + at % 50),
            word(300 + at % 500),
            word(3000 + at % 5000),
        ];
        call("search", &json!({"query": terms[..1 + at % 3].join(" ")}))
    };
    println!("what, connections, calls/s, median ms, 95 % ms, cpu ms/call, of a bare POST");
    for (name, clients, key, path) in [
        (
            "search",
            8,
            "all",
            &search as &(dyn Fn(usize) -> Value + Sync),
        ),
        ("search, key limited to agent-*", 8, "some", &search),
        ("list_sources", 16, "all", &|_| {
            call("list_sources", &json!({}))
        }),
        ("get_item", 16, "all", &|at| {
            call("get_item", &json!({"item_id": 1 + at * 7919 % ITEMS}))
        }),
        ("timeline", 8, "all", &|at| {
            call("timeline", &json!({"project": word(at % 50)}))
        }),
        ("later", 8, "all", &|at| {
            call("later", &json!({"item_id": 1 + at * 7919 % ITEMS}))
        }),
    ] {
        let told = drive(address, clients, key, path);
        let size = told.answer;
        let bare = drive(echo, clients, key, &|_| json!({"size": size}));
        println!(
            "{name}, {clients}, {:.0}, {:.2}, {:.2}, {:.3}, {:.0} %",
            told.rate,
            told.median * 1e3,
            told.late * 1e3,
            told.cpu * 1e3,
            100.0 * bare.cpu / told.cpu,
        );
    }
    println!("memory at the end: {}", memory());
}

fn call(tool: &str, arguments: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": tool, "arguments": arguments}})
}

/// A server that answers a POST of `{"size": n}` with n bytes.
async fn echo() -> SocketAddr {
    let answer = |body: String| async move {
        let asked: Value = serde_json::from_str(&body).unwrap();
        "x".repeat(asked["size"].as_u64().unwrap() as usize)
    };
    let router = axum::Router::new().route("/mcp", axum::routing::post(answer));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await });
    address
}

struct Told {
    rate: f64,
    median: f64,
    late: f64,
    /// Seconds of the process a call, both sides.
    cpu: f64,
    /// Bytes of the last answer.
    answer: usize,
}

fn drive(
    address: SocketAddr,
    clients: usize,
    key: &str,
    body: &(dyn Fn(usize) -> Value + Sync),
) -> Told {
    let (start, cpu) = (Instant::now(), cpu());
    let all: Vec<(Vec<f64>, usize)> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..clients)
            .map(|client| scope.spawn(move || one(address, client * 1000, key, body)))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    let (spent, cpu) = (start.elapsed().as_secs_f64(), self::cpu() - cpu);
    let answer = all.iter().map(|(_, size)| *size).max().unwrap();
    let mut took: Vec<f64> = all.into_iter().flat_map(|(took, _)| took).collect();
    took.sort_by(f64::total_cmp);
    let calls = took.len();
    Told {
        rate: calls as f64 / spent,
        median: took[calls / 2],
        late: took[calls * 95 / 100],
        cpu: cpu / calls as f64,
        answer,
    }
}

/// Asks one question after the other on one connection; how long each took, and the last size.
fn one(
    address: SocketAddr,
    from: usize,
    key: &str,
    body: &(dyn Fn(usize) -> Value + Sync),
) -> (Vec<f64>, usize) {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_nodelay(true).unwrap();
    let mut answers = BufReader::new(stream.try_clone().unwrap());
    let (start, mut took, mut size) = (Instant::now(), Vec::new(), 0);
    for at in from.. {
        if start.elapsed() > SPAN {
            break;
        }
        let body = body(at).to_string();
        let asked = Instant::now();
        let request = format!(
            "POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer {key}\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).unwrap();
        size = answer(&mut answers);
        took.push(asked.elapsed().as_secs_f64());
    }
    (took, size)
}

/// Reads an answer and gives the size of its body.
fn answer(answers: &mut impl BufRead) -> usize {
    let (mut line, mut length) = (String::new(), 0);
    loop {
        line.clear();
        answers.read_line(&mut line).unwrap();
        let plain = line.trim().to_ascii_lowercase();
        assert!(
            !plain.starts_with("http/1.1") || plain.contains(" 200 "),
            "{plain}"
        );
        if let Some(value) = plain.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if plain.is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    answers.read_exact(&mut body).unwrap();
    length
}

/// Seconds of processor time that this process has used, as Linux tells it.
fn cpu() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat
        .rsplit(')')
        .next()
        .unwrap_or("")
        .split_whitespace()
        .collect();
    let ticks = |at: usize| {
        fields
            .get(at)
            .and_then(|n| n.parse::<f64>().ok())
            .unwrap_or(0.0)
    };
    (ticks(11) + ticks(12)) / 100.0
}

/// The memory of this process, as Linux tells it.
fn memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS"));
    line.unwrap_or("unknown here")
        .replace("VmRSS:", "")
        .trim()
        .to_owned()
}
