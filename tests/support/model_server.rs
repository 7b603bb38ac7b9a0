//! A model's server as a test scripts it: answers, refuses, stalls, cuts off. It speaks as much
//! HTTP/1.1 as a client needs, on a thread of its own, so that programs and libraries can ask it.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// A question as it came.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    /// Method and path.
    pub(crate) line: String,
    /// Headers, names in lower case, in the order of their names.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Value,
}

impl Asked {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// What the server does with a question.
#[derive(Debug, Clone)]
pub(crate) enum Turn {
    /// Answers.
    Answer {
        status: u16,
        headers: Vec<(&'static str, String)>,
        body: String,
    },
    /// Announces the body and closes the connection after so many bytes of it.
    Truncate { body: String, after: usize },
    /// Closes the connection without a word.
    Cut,
    /// Takes the question and never answers.
    Stall,
    /// Waits, then does something else.
    Delay(Duration, Box<Self>),
}

impl Turn {
    pub(crate) fn json(body: &Value) -> Self {
        Self::status(200, &body.to_string())
    }

    pub(crate) fn status(status: u16, body: &str) -> Self {
        Self::Answer {
            status,
            headers: vec![("content-type", "application/json".to_owned())],
            body: body.to_owned(),
        }
    }

    pub(crate) fn header(mut self, name: &'static str, value: &str) -> Self {
        if let Self::Answer { headers, .. } = &mut self {
            headers.retain(|(known, _)| *known != name);
            headers.push((name, value.to_owned()));
        }
        self
    }
}

type Script = dyn FnMut(usize, &Asked) -> Turn + Send;

/// A running server; it ends with the test.
pub(crate) struct ModelServer {
    /// Its address, such as `http://127.0.0.1:40001`.
    pub(crate) base: String,
    asked: Arc<Mutex<Vec<Asked>>>,
    stop: Option<tokio::sync::oneshot::Sender<()>>,
}

impl ModelServer {
    /// Starts a server; `script` is given the number of each question from 0, and the question.
    pub(crate) fn start(script: impl FnMut(usize, &Asked) -> Turn + Send + 'static) -> Self {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (stop, stopped) = tokio::sync::oneshot::channel();
        let script: Arc<Mutex<Script>> = Arc::new(Mutex::new(script));
        let log = Arc::clone(&asked);
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap();
            runtime.block_on(async move {
                let listener = TcpListener::from_std(listener).unwrap();
                tokio::select! {
                    () = accept(listener, script, log) => {}
                    _ = stopped => {}
                }
            });
        });
        Self {
            base,
            asked,
            stop: Some(stop),
        }
    }

    /// A server that takes its turns in order, and the last one for ever.
    pub(crate) fn turns(turns: Vec<Turn>) -> Self {
        Self::start(move |number, _| turns[number.min(turns.len() - 1)].clone())
    }

    /// All questions so far.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            // The thread may have ended on its own.
            let _told = stop.send(());
        }
    }
}

async fn accept(listener: TcpListener, script: Arc<Mutex<Script>>, log: Arc<Mutex<Vec<Asked>>>) {
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        let (script, log) = (Arc::clone(&script), Arc::clone(&log));
        tokio::spawn(async move {
            // A client that goes away ends its connection alone.
            let _done = serve(stream, &script, &log).await;
        });
    }
}

async fn serve(
    mut stream: TcpStream,
    script: &Mutex<Script>,
    log: &Mutex<Vec<Asked>>,
) -> std::io::Result<()> {
    let mut buffer = Vec::new();
    while let Some(asked) = read(&mut stream, &mut buffer).await? {
        let mut turn = {
            let mut log = log.lock().unwrap();
            log.push(asked.clone());
            let number = log.len() - 1;
            (script.lock().unwrap())(number, &asked)
        };
        while let Turn::Delay(time, then) = turn {
            tokio::time::sleep(time).await;
            turn = *then;
        }
        match turn {
            Turn::Answer {
                status,
                headers,
                body,
            } => {
                let mut head = format!(
                    "HTTP/1.1 {status} Told\r\ncontent-length: {}\r\n",
                    body.len()
                );
                for (name, value) in headers {
                    head.push_str(&format!("{name}: {value}\r\n"));
                }
                stream
                    .write_all(format!("{head}\r\n{body}").as_bytes())
                    .await?;
            }
            Turn::Truncate { body, after } => {
                let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", body.len());
                stream.write_all(head.as_bytes()).await?;
                stream.write_all(&body.as_bytes()[..after]).await?;
                return stream.shutdown().await;
            }
            Turn::Cut => return Ok(()),
            Turn::Stall => std::future::pending::<()>().await,
            Turn::Delay(..) => {}
        }
    }
    Ok(())
}

/// Reads one question. `None` when the client has closed.
async fn read(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> std::io::Result<Option<Asked>> {
    let head_end = loop {
        if let Some(at) = buffer.windows(4).position(|four| four == b"\r\n\r\n") {
            break at;
        }
        if stream.read_buf(buffer).await? == 0 {
            return Ok(None);
        }
    };
    let head = String::from_utf8(buffer[..head_end].to_vec()).unwrap();
    let mut lines = head.split("\r\n");
    let line = lines
        .next()
        .unwrap()
        .trim_end_matches(" HTTP/1.1")
        .to_owned();
    let mut headers: Vec<_> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        .collect();
    headers.sort();
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length: usize = length.map_or(0, |(_, value)| value.parse().unwrap());
    let end = head_end + 4 + length;
    while buffer.len() < end {
        if stream.read_buf(buffer).await? == 0 {
            return Ok(None);
        }
    }
    let body = serde_json::from_slice(&buffer[head_end + 4..end]).unwrap_or_default();
    buffer.drain(..end);
    Ok(Some(Asked {
        line,
        headers,
        body,
    }))
}
