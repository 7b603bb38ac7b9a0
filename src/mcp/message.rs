//! JSON-RPC 2.0 messages: reading one, and writing what answers it.

use serde::Serialize;
use serde_json::{Map, Value, json};

/// Not JSON.
pub(crate) const PARSE_ERROR: i64 = -32700;
/// JSON, but no message.
pub(crate) const INVALID_REQUEST: i64 = -32600;
/// No such method.
pub(crate) const METHOD_NOT_FOUND: i64 = -32601;
/// Parameters of another shape.
pub(crate) const INVALID_PARAMS: i64 = -32602;
/// Headers and body of a request disagree (MCP 2026-07-28).
pub(crate) const HEADER_MISMATCH: i64 = -32020;
/// A protocol revision that is not spoken here (MCP 2026-07-28).
pub(crate) const UNSUPPORTED_VERSION: i64 = -32022;
/// No such resource (MCP up to 2025-11-25).
pub(crate) const RESOURCE_NOT_FOUND: i64 = -32002;
/// The server itself failed.
pub(crate) const INTERNAL_ERROR: i64 = -32603;

/// Longest text of the other side that an error repeats, in characters.
const SHOWN: usize = 60;

/// A question that wants an answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Request {
    /// What the answer is to be marked with: a text or a number.
    pub(crate) id: Value,
    /// What is asked.
    pub(crate) method: String,
    /// With what.
    pub(crate) params: Map<String, Value>,
}

/// What came in.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Message {
    /// Wants an answer.
    Request(Request),
    /// A notification, or an answer to a question that was never asked: nothing is answered.
    Silent,
}

/// Why a request has no result.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Fault {
    /// One of the codes above.
    pub(crate) code: i64,
    /// In words.
    pub(crate) message: String,
    /// More, for a program to read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) data: Option<Box<Value>>,
}

impl Fault {
    pub(crate) fn new(code: i64, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            data: None,
        }
    }

    pub(crate) fn with(mut self, data: Value) -> Self {
        self.data = Some(Box::new(data));
        self
    }
}

impl Message {
    /// Reads one message.
    ///
    /// # Errors
    /// The fault and the id to answer it under: null when none can be read.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, (Value, Fault)> {
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        let value: Value = serde_json::from_slice(bytes).map_err(|error| {
            // The place alone: the parser's own words may repeat what was sent.
            let told = format!(
                "Parse error: not valid JSON at line {} column {}",
                error.line(),
                error.column()
            );
            (Value::Null, Fault::new(PARSE_ERROR, told))
        })?;
        let mut object = match value {
            Value::Object(object) => object,
            Value::Array(_) => return Err(invalid("batches are not accepted: send one message")),
            _ => return Err(invalid("a message is a JSON object")),
        };
        if object.get("jsonrpc") != Some(&json!("2.0")) {
            return Err(invalid("jsonrpc must be \"2.0\""));
        }
        let id = object.shift_remove("id");
        let method = match object.shift_remove("method") {
            Some(Value::String(method)) => method,
            // A result or an error: nobody here asks anything.
            None if object.contains_key("result") || object.contains_key("error") => {
                return Ok(Self::Silent);
            }
            _ => return Err(invalid("method must be a string")),
        };
        let id = match id {
            None => return Ok(Self::Silent),
            Some(id @ (Value::String(_) | Value::Number(_))) => id,
            Some(_) => return Err(invalid("id must be a string or a number")),
        };
        let params = match object.shift_remove("params") {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(params)) => params,
            Some(_) => {
                let fault = Fault::new(INVALID_PARAMS, "Invalid params: must be an object");
                return Err((id, fault));
            }
        };
        Ok(Self::Request(Request { id, method, params }))
    }
}

fn invalid(what: &str) -> (Value, Fault) {
    let fault = Fault::new(INVALID_REQUEST, format!("Invalid Request: {what}"));
    (Value::Null, fault)
}

/// An answer, in the order of its keys.
#[derive(Serialize)]
struct Answer<'a> {
    jsonrpc: &'static str,
    id: &'a Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Fault>,
}

/// The answer to a request, on one line.
pub(crate) fn answer(id: &Value, outcome: Result<Value, Fault>) -> Vec<u8> {
    let (result, error) = match outcome {
        Ok(result) => (Some(result), None),
        Err(fault) => (None, Some(fault)),
    };
    let answer = Answer {
        jsonrpc: "2.0",
        id,
        result,
        error,
    };
    // Values and texts can always be written.
    serde_json::to_vec(&answer).unwrap_or_default()
}

/// A text of the other side as errors repeat it.
pub(crate) fn shown(text: &str) -> String {
    text.chars()
        .take(SHOWN)
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(bytes: &[u8]) -> (Value, i64, String) {
        let (id, fault) = Message::read(bytes).unwrap_err();
        (id, fault.code, fault.message)
    }

    #[test]
    fn a_request_is_read_with_and_without_a_byte_order_mark() {
        let expected = Message::Request(Request {
            id: json!("a"),
            method: "ping".to_owned(),
            params: Map::new(),
        });
        let line = r#"{"jsonrpc":"2.0","id":"a","method":"ping","params":null}"#;
        assert_eq!(Message::read(line.as_bytes()), Ok(expected.clone()));
        let marked = format!("\u{feff}{line}");
        assert_eq!(Message::read(marked.as_bytes()), Ok(expected));
    }

    #[test]
    fn notifications_and_answers_are_silent() {
        for line in [
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}"#,
        ] {
            assert_eq!(
                Message::read(line.as_bytes()),
                Ok(Message::Silent),
                "{line}"
            );
        }
    }

    #[test]
    fn each_fault_has_its_code_and_repeats_nothing_that_was_sent() {
        let place = "Parse error: not valid JSON at line 1 column 2".to_owned();
        assert_eq!(fault(b"{s"), (Value::Null, -32700, place));
        assert_eq!(fault(b"[]").1, -32600);
        assert_eq!(fault(b"3").1, -32600);
        assert_eq!(fault(br#"{"id":1,"method":"ping"}"#).1, -32600);
        assert_eq!(fault(br#"{"jsonrpc":"2.0","id":1}"#).1, -32600);
        assert_eq!(
            fault(br#"{"jsonrpc":"2.0","id":[],"method":"a"}"#).1,
            -32600
        );
        let (id, code, _) = fault(br#"{"jsonrpc":"2.0","id":7,"method":"a","params":[]}"#);
        assert_eq!((id, code), (json!(7), -32602));
    }

    #[test]
    fn an_answer_is_one_line_and_keeps_the_order_of_its_keys() {
        let line = answer(&json!(1), Ok(json!({"b": "x\ny", "a": 1})));
        assert_eq!(
            String::from_utf8(line).unwrap(),
            r#"{"jsonrpc":"2.0","id":1,"result":{"b":"x\ny","a":1}}"#
        );
        let fault = Fault::new(-1, "no").with(json!([2]));
        assert_eq!(
            String::from_utf8(answer(&Value::Null, Err(fault))).unwrap(),
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"no","data":[2]}}"#
        );
    }
}
