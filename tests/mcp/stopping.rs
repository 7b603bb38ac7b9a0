//! A server that is told to stop, and connections that nobody uses.

use std::net::SocketAddr;

use jezero::config::Env;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::peer::{OPEN, message, server};
use crate::support::Shelf;

/// A server under way, and how it is told to end.
struct Serving {
    address: SocketAddr,
    stop: oneshot::Sender<()>,
    ends: JoinHandle<()>,
}

impl Serving {
    /// Sends the head of a question; the server asks for the body once it has that.
    async fn begin_to_ask(&self, length: usize) -> TcpStream {
        let mut asking = TcpStream::connect(self.address).await.unwrap();
        let head = format!(
            "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
             expect: 100-continue\r\ncontent-length: {length}\r\n\r\n"
        );
        asking.write_all(head.as_bytes()).await.unwrap();
        let mut go_on = [0; 25];
        asking.read_exact(&mut go_on).await.unwrap();
        assert_eq!(&go_on, b"HTTP/1.1 100 Continue\r\n\r\n");
        asking
    }
}

fn within_a_server<F: Future<Output = ()>>(life: impl FnOnce(Serving) -> F) {
    let shelf = Shelf::of_the_pages();
    let server = server(&shelf, OPEN, Env::given([])).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        let ends = tokio::spawn(async move {
            let told = async { stopped.await.unwrap() };
            server.serve(listener, told).await;
        });
        life(Serving {
            address,
            stop,
            ends,
        })
        .await;
    });
}

#[test]
fn a_request_in_flight_finishes() {
    within_a_server(|serving| async move {
        let body = message("tools/call", &json!({"name": "list_sources"})).to_string();
        let (first, second) = body.split_at(10);
        let mut asking = serving.begin_to_ask(body.len()).await;
        asking.write_all(first.as_bytes()).await.unwrap();
        serving.stop.send(()).unwrap();
        tokio::task::yield_now().await;
        asking.write_all(second.as_bytes()).await.unwrap();
        let mut answer = String::new();
        asking.read_to_string(&mut answer).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
        assert!(answer.contains("agent-codex-work-mac"), "{answer}");
        serving.ends.await.unwrap();
    });
}

#[test]
fn a_request_that_never_ends_is_given_up() {
    within_a_server(|serving| async move {
        let _asking = serving.begin_to_ask(9).await;
        // From here on nothing happens but the passing of time, which need not be waited for.
        tokio::time::pause();
        serving.stop.send(()).unwrap();
        serving.ends.await.unwrap();
    });
}

#[test]
fn a_connection_that_asks_for_nothing_is_closed() {
    let shelf = Shelf::of_the_pages();
    let server = server(&shelf, OPEN, Env::given([])).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .build()
        .unwrap();
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move { server.serve(listener, std::future::pending()).await });
        for sent in ["", "POST /mcp HTTP/1.1\r\nhost: "] {
            let mut silent = TcpStream::connect(address).await.unwrap();
            silent.write_all(sent.as_bytes()).await.unwrap();
            // With the clock paused, time passes only when nothing else is left to do.
            let mut answer = Vec::new();
            let hour = std::time::Duration::from_secs(3600);
            let read = silent.read_to_end(&mut answer);
            tokio::time::timeout(hour, read).await.unwrap().unwrap();
        }
    });
}
