//! The five tools, one file each: what it says of itself, its schemas, and what it does.
//!
//! Nothing here knows a transport or a protocol revision: a call is a name, a JSON object and a
//! [`Reader`], and gives an [`Outcome`]. Names, arguments, shapes and error texts are those of the
//! MCP tools page.

mod arguments;
mod get_item;
mod later;
mod list_sources;
mod schema;
mod search;
mod shape;
mod timeline;

use serde_json::{Map, Value, json};

use crate::access::Reader;
use crate::library::{Library, LibraryError};
use arguments::Arguments;

/// A tool: its description and the function behind it.
pub(crate) struct Tool {
    /// The name it is called by.
    pub(crate) name: &'static str,
    title: &'static str,
    description: &'static str,
    /// The names of its arguments, those that are required first.
    takes: &'static [&'static str],
    /// How many of them are required.
    required: usize,
    /// A schema for each argument.
    input: fn() -> Value,
    /// Properties of the output.
    output: fn() -> Value,
    /// Whether a call with these arguments takes no longer than a look into the file.
    pub(crate) is_brief: fn(&Map<String, Value>) -> bool,
    run: fn(&Asked<'_>) -> Result<Value, ToolError>,
}

/// Every tool, in the order of `tools/list`.
pub(crate) const TOOLS: &[Tool] = &[
    search::TOOL,
    get_item::TOOL,
    later::TOOL,
    timeline::TOOL,
    list_sources::TOOL,
];

/// What a tool is given.
struct Asked<'a> {
    library: &'a Library,
    reader: &'a Reader,
    arguments: Arguments<'a>,
}

/// What a call gave.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Outcome {
    /// The result as `tools/call` returns it.
    pub(crate) result: Value,
    /// Whether it is an error of the tool.
    pub(crate) is_error: bool,
}

/// Why a tool gives no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ToolError {
    /// An argument that the caller can mend.
    #[error("{told}")]
    Argument {
        /// Its name.
        name: String,
        /// What is wrong with it, as a program reads it.
        code: &'static str,
        /// What is wrong with it, in words.
        told: String,
    },
    /// The library cannot be read. What SQLite or the system says stays out of the answer: it may
    /// name files of the server.
    #[error("{0}")]
    Library(&'static str),
}

impl ToolError {
    fn argument(name: &str, code: &'static str, told: String) -> Self {
        Self::Argument {
            name: name.to_owned(),
            code,
            told,
        }
    }

    /// An error of the library as callers see it.
    pub(crate) fn of(error: &LibraryError) -> Self {
        match error {
            LibraryError::Date { argument, .. } => {
                Self::argument(argument, "invalid_argument", error.to_string())
            }
            LibraryError::OriginalsHidden => {
                Self::argument("scope", "not_allowed", error.to_string())
            }
            LibraryError::OriginalsOff => Self::argument("scope", "not_indexed", error.to_string()),
            LibraryError::Store(store) => {
                tracing::error!("a question could not be answered: {store}");
                Self::Library(match store {
                    crate::store::StoreError::Missing { .. } => {
                        "there is no library yet; `jezero run` on the computer of the server makes \
                         one"
                    }
                    _ => "the library cannot be read at the moment; the log of the server says why",
                })
            }
        }
    }
}

impl From<LibraryError> for ToolError {
    fn from(error: LibraryError) -> Self {
        Self::of(&error)
    }
}

/// Finds a tool.
pub(crate) fn find(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| tool.name == name)
}

impl Tool {
    /// Calls the tool for a reader.
    pub(crate) fn call(
        &self,
        library: &Library,
        reader: &Reader,
        arguments: &Map<String, Value>,
    ) -> Outcome {
        let answer = Arguments::new(arguments, self.takes).and_then(|arguments| {
            (self.run)(&Asked {
                library,
                reader,
                arguments,
            })
        });
        match answer {
            Ok(answer) => Outcome {
                result: answered(answer),
                is_error: false,
            },
            Err(error) => self.failed(&error),
        }
    }

    /// The result of a call that could not be answered.
    pub(crate) fn failed(&self, error: &ToolError) -> Outcome {
        let mut structured = json!({"code": "library_unavailable"});
        if let ToolError::Argument { name, code, .. } = error {
            structured = json!({"code": code, "argument": name});
        }
        let text = format!("Error executing tool {}: {error}", self.name);
        Outcome {
            result: json!({
                "content": [{"type": "text", "text": text}],
                "isError": true,
                "structuredContent": structured,
            }),
            is_error: true,
        }
    }

    /// The tool as `tools/list` shows it.
    pub(crate) fn described(&self) -> Value {
        let required = self.takes.get(..self.required).unwrap_or_default();
        let mut input = json!({"type": "object", "properties": (self.input)()});
        if let Value::Object(schema) = &mut input {
            if !required.is_empty() {
                schema.insert("required".to_owned(), json!(required));
            }
            schema.insert("additionalProperties".to_owned(), Value::Bool(false));
        }
        json!({
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": input,
            "outputSchema": schema::output(&(self.output)()),
            "annotations": {
                "title": self.title,
                "readOnlyHint": true,
                "destructiveHint": false,
                "idempotentHint": true,
                "openWorldHint": false,
            },
        })
    }
}

/// The result of a call that was answered. The answer is moved into it, since it may be large.
fn answered(answer: Value) -> Value {
    let text = pretty(&answer);
    let block = Map::from_iter([
        ("text".to_owned(), Value::String(text)),
        ("type".to_owned(), Value::from("text")),
    ]);
    Value::Object(Map::from_iter([
        (
            "content".to_owned(),
            Value::Array(vec![Value::Object(block)]),
        ),
        ("isError".to_owned(), Value::Bool(false)),
        ("structuredContent".to_owned(), answer),
    ]))
}

/// The text form of an answer: the same object as JSON with two spaces.
fn pretty(answer: &Value) -> String {
    format!("{answer:#}")
}

/// An answer of the library as JSON.
fn to_json(answer: &impl serde::Serialize) -> Result<Value, ToolError> {
    serde_json::to_value(answer).map_err(|_| ToolError::Library("the answer cannot be written"))
}
