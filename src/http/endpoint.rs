//! The MCP endpoint: one POST, one message, one answer as JSON.
//!
//! `Accept` is not looked at: answers are always JSON, and clients that ask for less or for more
//! than that can read them. Nothing is streamed and no session is kept.

use std::pin::Pin;
use std::time::{Duration, Instant};

use axum::body::{Body, HttpBody};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::Value;

use super::Shared;
use super::headers::check;
use crate::access::Reader;
use crate::mcp::message::{
    self, Fault, HEADER_MISMATCH, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, Message,
    UNSUPPORTED_VERSION,
};
use crate::mcp::revision::Era;

/// Largest body, in bytes.
const MAX_BODY: usize = 4 * 1024 * 1024;
/// How much of a larger one is read on and thrown away, so that its sender gets to read the answer.
const DRAINED: usize = 8 * MAX_BODY;
/// How long a body may take to arrive.
const PATIENCE: Duration = Duration::from_secs(30);

/// Answers one request that carries a good key.
pub(super) async fn answer(
    shared: &Shared,
    reader: &Reader,
    method: &Method,
    headers: &HeaderMap,
    body: Body,
) -> Response {
    if method != Method::POST {
        let allow = [(header::ALLOW, "POST")];
        return (StatusCode::METHOD_NOT_ALLOWED, allow, "Method Not Allowed").into_response();
    }
    if !is_json(headers) {
        let told = "Invalid Request: Content-Type must be application/json";
        let fault = Fault::new(INVALID_REQUEST, told);
        return refused(StatusCode::BAD_REQUEST, &Value::Null, fault);
    }
    let bytes = match tokio::time::timeout(PATIENCE, read(body)).await {
        Ok(Ok(bytes)) => bytes,
        Ok(Err(status)) => return (status, "Request body too large").into_response(),
        Err(_) => return StatusCode::REQUEST_TIMEOUT.into_response(),
    };
    let request = match Message::read(&bytes) {
        Ok(Message::Request(request)) => request,
        Ok(Message::Silent) => return StatusCode::ACCEPTED.into_response(),
        Err((id, fault)) => return refused(StatusCode::BAD_REQUEST, &id, fault),
    };
    drop(bytes);
    let era = match check(headers, &request) {
        Ok(era) => era,
        Err(fault) => return refused(StatusCode::BAD_REQUEST, &request.id, fault),
    };
    let id = request.id.clone();
    let start = Instant::now();
    let answered = shared.service.answer(request, era, reader).await;
    if let Some((tool, failed)) = answered.tool {
        shared.counts.called(tool, failed, start.elapsed());
    }
    match answered.outcome {
        Err(fault) if era == Era::Modern => refused(status(&fault), &id, fault),
        outcome => json(StatusCode::OK, message::answer(&id, outcome)),
    }
}

/// The status under which the newer era reports a fault; the older one has 200 for all.
fn status(fault: &Fault) -> StatusCode {
    match fault.code {
        METHOD_NOT_FOUND => StatusCode::NOT_FOUND,
        HEADER_MISMATCH | UNSUPPORTED_VERSION | INVALID_REQUEST => StatusCode::BAD_REQUEST,
        INVALID_PARAMS => StatusCode::OK,
        _ => StatusCode::OK,
    }
}

fn refused(status: StatusCode, id: &Value, fault: Fault) -> Response {
    json(status, message::answer(id, Err(fault)))
}

fn json(status: StatusCode, bytes: Vec<u8>) -> Response {
    let kind = [(header::CONTENT_TYPE, "application/json")];
    (status, kind, bytes).into_response()
}

fn is_json(headers: &HeaderMap) -> bool {
    let value = headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok());
    let kind = value.and_then(|value| value.split(';').next());
    kind.is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"))
}

/// Reads a body of at most [`MAX_BODY`].
async fn read(mut body: Body) -> Result<Vec<u8>, StatusCode> {
    let announced = body.size_hint().lower();
    let mut too_large = announced > MAX_BODY as u64;
    let mut bytes = Vec::new();
    let mut length = 0_usize;
    while let Some(frame) = std::future::poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
        // A broken connection has nobody left to answer.
        let Ok(frame) = frame else { break };
        let Ok(data) = frame.into_data() else {
            continue;
        };
        length = length.saturating_add(data.len());
        too_large |= length > MAX_BODY;
        if length > DRAINED {
            break;
        }
        if too_large {
            bytes = Vec::new();
        } else {
            bytes.extend_from_slice(&data);
        }
    }
    if too_large {
        return Err(StatusCode::PAYLOAD_TOO_LARGE);
    }
    Ok(bytes)
}
