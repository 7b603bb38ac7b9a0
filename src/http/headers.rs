//! The headers that repeat what a message says of itself, so that what stands between client and
//! server can route by them: they must agree with the body (MCP 2026-07-28, Streamable HTTP).

use axum::http::HeaderMap;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::json;

use crate::mcp::message::{Fault, HEADER_MISMATCH, INVALID_REQUEST, Request, shown};
use crate::mcp::revision::{self, Era};

const VERSION: &str = "mcp-protocol-version";
const METHOD: &str = "mcp-method";
const NAME: &str = "mcp-name";

/// A revision before those that are offered, whose requests read the same.
const BEFORE: &str = "2024-11-05";

/// The era of a request, if its headers go with it.
///
/// # Errors
/// A fault to be answered with 400.
pub(super) fn check(headers: &HeaderMap, request: &Request) -> Result<Era, Fault> {
    let version = single(headers, VERSION)?;
    if let Some(named) = revision::named(request) {
        agree("MCP-Protocol-Version", version, Some(named))?;
    }
    let era = Era::of(request, version)?;
    match era {
        Era::Legacy => legacy(version, request)?,
        Era::Modern => modern(headers, request)?,
    }
    Ok(era)
}

/// No header means 2025-03-26; an unknown revision is refused, but in a handshake, where another
/// one is offered.
fn legacy(version: Option<&str>, request: &Request) -> Result<(), Fault> {
    let known = |version: &str| version == BEFORE || revision::LEGACY.contains(&version);
    match version {
        Some(version) if request.method != "initialize" && !known(version) => {
            let data = json!({"requested": shown(version), "supported": revision::supported()});
            let told = "Invalid Request: unsupported MCP-Protocol-Version";
            Err(Fault::new(INVALID_REQUEST, told).with(data))
        }
        _ => Ok(()),
    }
}

fn modern(headers: &HeaderMap, request: &Request) -> Result<(), Fault> {
    agree(
        "Mcp-Method",
        single(headers, METHOD)?,
        Some(&request.method),
    )?;
    let Some(expected) = revision::name_of(request) else {
        return Ok(());
    };
    let value = single(headers, NAME)?.map(decoded).transpose()?;
    agree("Mcp-Name", value.as_deref(), Some(expected))
}

fn agree(header: &str, value: Option<&str>, body: Option<&str>) -> Result<(), Fault> {
    let told = match (value, body) {
        (Some(value), Some(body)) if value == body => return Ok(()),
        (None, _) => format!("the {header} header is missing"),
        (Some(value), body) => format!(
            "the {header} header '{}' is not what the body says: '{}'",
            shown(value),
            shown(body.unwrap_or_default())
        ),
    };
    Err(Fault::new(
        HEADER_MISMATCH,
        format!("Header mismatch: {told}"),
    ))
}

/// The one value of a header; two would let others between here and there read the other one.
fn single<'a>(headers: &'a HeaderMap, name: &str) -> Result<Option<&'a str>, Fault> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else {
        return Ok(None);
    };
    let text = value.to_str().ok().map(str::trim);
    match (text, values.next()) {
        (Some(text), None) => Ok(Some(text)),
        _ => {
            let told = format!("Header mismatch: {name} must stand there once, in ASCII");
            Err(Fault::new(HEADER_MISMATCH, told))
        }
    }
}

/// A value as it is, or out of `=?base64?…?=`.
fn decoded(value: &str) -> Result<String, Fault> {
    let inner = value
        .strip_prefix("=?base64?")
        .and_then(|rest| rest.strip_suffix("?="));
    let Some(inner) = inner else {
        return Ok(value.to_owned());
    };
    BASE64_STANDARD
        .decode(inner)
        .ok()
        .and_then(|bytes| String::from_utf8(bytes).ok())
        .ok_or_else(|| {
            let told = "Header mismatch: the Mcp-Name header is not valid Base64";
            Fault::new(HEADER_MISMATCH, told)
        })
}
