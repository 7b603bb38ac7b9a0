//! Answers requests: the one place where methods of the protocol meet tools, resources and
//! prompts. No transport is known here.

use serde_json::{Map, Value, json};

use super::instructions::INSTRUCTIONS;
use super::message::{
    Fault, INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND, RESOURCE_NOT_FOUND, Request, shown,
};
use super::prompts;
use super::readers::{AskError, Readers};
use super::resources::{self, Resource};
use super::revision::{self, Era};
use super::tools::{self, TOOLS, ToolError};
use crate::access::Reader;
use crate::library::Library;

/// The library as a protocol server.
#[derive(Debug, Clone)]
pub struct Service {
    readers: Readers,
}

/// What became of a request, for those who count.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Answered {
    /// The result, or why there is none.
    pub(crate) outcome: Result<Value, Fault>,
    /// The tool that was called, and whether that failed.
    pub(crate) tool: Option<(&'static str, bool)>,
}

impl Service {
    /// Serves a library.
    #[must_use]
    pub fn new(readers: Readers) -> Self {
        Self { readers }
    }

    /// The library behind it.
    #[must_use]
    pub fn readers(&self) -> &Readers {
        &self.readers
    }

    /// Answers a request as far as a reader may see.
    pub(crate) async fn answer(&self, request: Request, era: Era, reader: &Reader) -> Answered {
        if request.method == "tools/call" {
            return self.call(request.params, era, reader).await;
        }
        let outcome = if request.method == "resources/read" {
            self.read(&request.params, era, reader).await
        } else {
            standing(&request, era).unwrap_or_else(|| {
                let told = format!("Method not found: {}", shown(&request.method));
                Err(Fault::new(METHOD_NOT_FOUND, told))
            })
        };
        Answered {
            outcome,
            tool: None,
        }
    }

    async fn read(
        &self,
        params: &Map<String, Value>,
        era: Era,
        reader: &Reader,
    ) -> Result<Value, Fault> {
        let uri = params.get("uri").and_then(Value::as_str).unwrap_or("");
        let absent = || {
            let code = match era {
                Era::Legacy => RESOURCE_NOT_FOUND,
                Era::Modern => INVALID_PARAMS,
            };
            Fault::new(code, "Resource not found").with(json!({"uri": shown(uri)}))
        };
        let resource = Resource::at(uri).ok_or_else(absent)?;
        let reader = reader.clone();
        let asked = self
            .readers
            .ask(move |library| resource.read(library, &reader));
        let failed = |told: String| Fault::new(INTERNAL_ERROR, told);
        match asked.await {
            Ok(Ok(Some(contents))) => Ok(era.fleeting(contents)),
            Ok(Ok(None)) => Err(absent()),
            Ok(Err(error)) => Err(failed(error.to_string())),
            Err(AskError::Library(error)) => Err(failed(ToolError::of(&error).to_string())),
            Err(AskError::Lost) => Err(failed("Internal error".to_owned())),
        }
    }

    async fn call(&self, mut params: Map<String, Value>, era: Era, reader: &Reader) -> Answered {
        let (tool, arguments) = match called(&mut params) {
            Ok(called) => called,
            Err(fault) => {
                return Answered {
                    outcome: Err(fault),
                    tool: None,
                };
            }
        };
        let reader = reader.clone();
        let is_brief = (tool.is_brief)(&arguments);
        let question = move |library: &Library| tool.call(library, &reader, &arguments);
        let asked = match is_brief {
            true => self.readers.ask_briefly(question).await,
            false => self.readers.ask(question).await,
        };
        let outcome = match asked {
            Ok(outcome) => outcome,
            Err(AskError::Library(error)) => tool.failed(&ToolError::of(&error)),
            Err(AskError::Lost) => {
                tracing::error!("a call of {} ended without an answer", tool.name);
                return Answered {
                    outcome: Err(Fault::new(INTERNAL_ERROR, "Internal error")),
                    tool: Some((tool.name, true)),
                };
            }
        };
        Answered {
            outcome: Ok(era.marked(outcome.result)),
            tool: Some((tool.name, outcome.is_error)),
        }
    }
}

/// The answer to a request that no library is needed for; `None` for any other.
pub(crate) fn standing(request: &Request, era: Era) -> Option<Result<Value, Fault>> {
    let result = match (request.method.as_str(), era) {
        ("initialize", Era::Legacy) => initialized(&request.params),
        ("ping", Era::Legacy) => json!({}),
        ("server/discover", Era::Modern) => discovered(),
        ("tools/list", _) => era.kept(json!({
            "tools": TOOLS.iter().map(tools::Tool::described).collect::<Vec<_>>(),
        })),
        ("resources/list", _) => era.kept(resources::list()),
        ("resources/templates/list", _) => era.kept(resources::templates()),
        ("prompts/list", _) => era.kept(prompts::list()),
        ("prompts/get", _) => {
            return Some(prompts::get(&request.params).map(|prompt| era.marked(prompt)));
        }
        _ => return None,
    };
    Some(Ok(result))
}

/// Who the server is.
pub(crate) fn identity() -> Value {
    json!({
        "name": "jezero",
        "title": "Jezero",
        "version": env!("CARGO_PKG_VERSION"),
    })
}

fn capabilities() -> Value {
    json!({"tools": {}, "resources": {}, "prompts": {}})
}

fn initialized(params: &Map<String, Value>) -> Value {
    json!({
        "protocolVersion": revision::agreed(params.get("protocolVersion")),
        "capabilities": capabilities(),
        "serverInfo": identity(),
        "instructions": INSTRUCTIONS,
    })
}

fn discovered() -> Value {
    Era::Modern.kept(json!({
        "supportedVersions": revision::supported(),
        "capabilities": capabilities(),
        "instructions": INSTRUCTIONS,
    }))
}

/// The tool that a call names, and its arguments.
fn called(
    params: &mut Map<String, Value>,
) -> Result<(&'static tools::Tool, Map<String, Value>), Fault> {
    let Some(name) = params.get("name").and_then(Value::as_str) else {
        let told = "Invalid params: name must be the name of a tool";
        return Err(Fault::new(INVALID_PARAMS, told));
    };
    let Some(tool) = tools::find(name) else {
        let names: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
        let told = format!(
            "Unknown tool: {}; there are {}",
            shown(name),
            names.join(", ")
        );
        return Err(Fault::new(INVALID_PARAMS, told));
    };
    match params.shift_remove("arguments") {
        None | Some(Value::Null) => Ok((tool, Map::new())),
        Some(Value::Object(arguments)) => Ok((tool, arguments)),
        Some(_) => {
            let told = "Invalid params: arguments must be an object";
            Err(Fault::new(INVALID_PARAMS, told))
        }
    }
}
