//! MCP over standard input and output: a message a line.
//!
//! Whatever a line holds, the next one is read: a server that ends at a message it does not know
//! is lost to its client for the whole session. It ends when its input does, after the answers to
//! what was asked.

use std::io;
use std::sync::Arc;

use serde_json::Value;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::Service;
use super::message::{self, Fault, INVALID_REQUEST, Message};
use super::revision::Era;
use crate::access::Reader;

/// Longest line, in bytes.
const MAX_LINE: usize = 4 * 1024 * 1024;
/// Most requests that are answered at once; further lines wait.
const AT_ONCE: usize = 16;

/// A line of the input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Line {
    /// As it came, without its newline.
    Whole(Vec<u8>),
    /// More than [`MAX_LINE`] bytes, which were thrown away.
    TooLong,
}

/// Serves a library to whoever is at the other end of `input` and `output`, until `input` ends.
///
/// # Errors
/// When the input cannot be read or the output takes no more.
pub async fn serve(
    service: Service,
    reader: Reader,
    input: impl AsyncBufRead + Unpin,
    output: impl AsyncWrite + Unpin + Send + 'static,
) -> io::Result<()> {
    let context = Arc::new((service, reader));
    pump(input, output, move |line| {
        let context = Arc::clone(&context);
        async move { answer(&context.0, &context.1, line).await }
    })
    .await
}

async fn answer(service: &Service, reader: &Reader, line: Line) -> Option<Vec<u8>> {
    let request = match read(&line) {
        Ok(Message::Request(request)) => request,
        Ok(Message::Silent) => return None,
        Err((id, fault)) => return Some(message::answer(&id, Err(fault))),
    };
    let id = request.id.clone();
    let outcome = match Era::of(&request, None) {
        Ok(era) => service.answer(request, era, reader).await.outcome,
        Err(fault) => Err(fault),
    };
    Some(message::answer(&id, outcome))
}

/// Reads the message in a line.
pub(super) fn read(line: &Line) -> Result<Message, (Value, Fault)> {
    match line {
        Line::Whole(bytes) => Message::read(bytes),
        Line::TooLong => {
            let told = format!("Invalid Request: a line has at most {MAX_LINE} bytes");
            Err((Value::Null, Fault::new(INVALID_REQUEST, told)))
        }
    }
}

/// Has each line of the input answered, several at once, and writes the answers as they come.
pub(super) async fn pump<F>(
    mut input: impl AsyncBufRead + Unpin,
    output: impl AsyncWrite + Unpin + Send + 'static,
    answer: impl Fn(Line) -> F,
) -> io::Result<()>
where
    F: Future<Output = Option<Vec<u8>>> + Send + 'static,
{
    let (answers, waiting) = mpsc::channel(AT_ONCE);
    let writer = tokio::spawn(write(output, waiting));
    let mut tasks = JoinSet::new();
    while let Some(line) = next_line(&mut input).await? {
        if line == Line::Whole(Vec::new()) {
            continue;
        }
        while tasks.len() >= AT_ONCE {
            tasks.join_next().await;
        }
        while tasks.try_join_next().is_some() {}
        if answers.is_closed() {
            break;
        }
        let answers = answers.clone();
        let answered = answer(line);
        tasks.spawn(async move {
            if let Some(bytes) = answered.await {
                // When the other end is gone, so is who asked.
                drop(answers.send(bytes).await);
            }
        });
    }
    drop(answers);
    while tasks.join_next().await.is_some() {}
    writer.await.map_err(io::Error::other)?
}

async fn write(
    mut output: impl AsyncWrite + Unpin,
    mut answers: mpsc::Receiver<Vec<u8>>,
) -> io::Result<()> {
    while let Some(mut bytes) = answers.recv().await {
        bytes.push(b'\n');
        output.write_all(&bytes).await?;
        output.flush().await?;
    }
    Ok(())
}

/// The next line, with blanks at its ends taken off; `None` at the end of the input.
async fn next_line(input: &mut (impl AsyncBufRead + Unpin)) -> io::Result<Option<Line>> {
    let mut bytes = Vec::new();
    let mut too_long = false;
    let mut any = false;
    loop {
        let chunk = input.fill_buf().await?;
        if chunk.is_empty() {
            break;
        }
        any = true;
        let newline = memchr::memchr(b'\n', chunk);
        let taken = chunk
            .get(..newline.unwrap_or(chunk.len()))
            .unwrap_or_default();
        too_long |= bytes.len() + taken.len() > MAX_LINE;
        if too_long {
            bytes.clear();
        } else {
            bytes.extend_from_slice(taken);
        }
        let used = taken.len() + usize::from(newline.is_some());
        input.consume(used);
        if newline.is_some() {
            break;
        }
    }
    Ok(match (any, too_long) {
        (false, _) => None,
        (true, true) => Some(Line::TooLong),
        (true, false) => Some(Line::Whole(bytes.trim_ascii().to_vec())),
    })
}
