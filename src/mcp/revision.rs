//! The revisions of the protocol that are spoken here, and which one a request speaks.
//!
//! Up to 2025-11-25 a client may open with `initialize`; nothing is remembered of it, so that
//! `tools/call` may as well come first. From 2026-07-28 on there is no handshake: each request says
//! in `_meta` which revision it speaks, and results say of what kind they are.

use serde_json::{Map, Value, json};

use super::message::{Fault, INVALID_PARAMS, Request, UNSUPPORTED_VERSION};

/// The revision without a handshake.
pub(crate) const MODERN: &str = "2026-07-28";
/// Revisions with a handshake, oldest first.
pub(crate) const LEGACY: [&str; 3] = ["2025-03-26", "2025-06-18", "2025-11-25"];

/// Where a request of the newer era says which revision it speaks.
pub(crate) const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
/// Where it says what its client can do.
const CAPABILITIES_KEY: &str = "io.modelcontextprotocol/clientCapabilities";
/// Where an answer of the newer era says who the server is.
const SERVER_KEY: &str = "io.modelcontextprotocol/serverInfo";

/// How long a list may be kept by a client, in milliseconds.
const LIST_TTL_MS: u64 = 300_000;

/// The era of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Era {
    /// With a handshake.
    Legacy,
    /// Without.
    Modern,
}

/// Everything that is spoken, newest first.
pub(crate) fn supported() -> Vec<&'static str> {
    let legacy = LEGACY.into_iter().rev();
    std::iter::once(MODERN).chain(legacy).collect()
}

/// The revision that a handshake agrees on: the one asked for, else the newest that has one.
pub(crate) fn agreed(asked: Option<&Value>) -> &'static str {
    let asked = asked.and_then(Value::as_str);
    LEGACY
        .into_iter()
        .find(|known| Some(*known) == asked)
        .unwrap_or("2025-11-25")
}

/// The revision that a request names in its `_meta`.
pub(crate) fn named(request: &Request) -> Option<&str> {
    request.params.get("_meta")?.get(VERSION_KEY)?.as_str()
}

/// What a request is about, as its `Mcp-Name` header repeats it.
pub(crate) fn name_of(request: &Request) -> Option<&str> {
    let name = match request.method.as_str() {
        "tools/call" | "prompts/get" => request.params.get("name"),
        "resources/read" => request.params.get("uri"),
        _ => None,
    };
    name.and_then(Value::as_str)
}

impl Era {
    /// The era of a request, from its body and from the revision that its headers name, if any.
    ///
    /// # Errors
    /// A fault that HTTP answers with 400: parts missing from `_meta`, or an unknown revision.
    pub(crate) fn of(request: &Request, header: Option<&str>) -> Result<Self, Fault> {
        let by_header = header.is_some_and(|version| version >= MODERN);
        let meta = request.params.get("_meta").and_then(Value::as_object);
        let by_body = meta.is_some_and(|meta| meta.contains_key(VERSION_KEY));
        if request.method == "initialize" && !by_body {
            return Ok(Self::Legacy);
        }
        if !by_body && !by_header && request.method != "server/discover" {
            return Ok(Self::Legacy);
        }
        let missing = missing(meta);
        if !missing.is_empty() {
            let told = format!(
                "Invalid params: request _meta lacks or has malformed {}",
                missing.join(", ")
            );
            return Err(Fault::new(INVALID_PARAMS, told));
        }
        match named(request) {
            Some(MODERN) => Ok(Self::Modern),
            other => {
                let data = json!({"requested": other, "supported": supported()});
                Err(Fault::new(UNSUPPORTED_VERSION, "Unsupported protocol version").with(data))
            }
        }
    }

    /// Marks a result as this era wants it.
    pub(crate) fn marked(self, mut result: Value) -> Value {
        if let (Self::Modern, Value::Object(result)) = (self, &mut result) {
            result.insert("resultType".to_owned(), json!("complete"));
            let meta = result.entry("_meta").or_insert_with(|| json!({}));
            if let Value::Object(meta) = meta {
                meta.insert(SERVER_KEY.to_owned(), super::identity());
            }
        }
        result
    }

    /// Marks a result that a client may keep for a while, for itself alone.
    pub(crate) fn kept(self, mut result: Value) -> Value {
        if let (Self::Modern, Value::Object(result)) = (self, &mut result) {
            result.insert("ttlMs".to_owned(), json!(LIST_TTL_MS));
            result.insert("cacheScope".to_owned(), json!("private"));
        }
        self.marked(result)
    }

    /// Marks a result of the moment that a client may not keep.
    pub(crate) fn fleeting(self, mut result: Value) -> Value {
        if let (Self::Modern, Value::Object(result)) = (self, &mut result) {
            result.insert("ttlMs".to_owned(), json!(0));
            result.insert("cacheScope".to_owned(), json!("private"));
        }
        self.marked(result)
    }
}

fn missing(meta: Option<&Map<String, Value>>) -> Vec<&'static str> {
    let has =
        |key: &str, right: fn(&Value) -> bool| meta.and_then(|m| m.get(key)).is_some_and(right);
    let mut missing = Vec::new();
    if !has(VERSION_KEY, Value::is_string) {
        missing.push(VERSION_KEY);
    }
    if !has(CAPABILITIES_KEY, Value::is_object) {
        missing.push(CAPABILITIES_KEY);
    }
    missing
}
