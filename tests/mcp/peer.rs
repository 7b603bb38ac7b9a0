//! A server in this process, spoken to without a network.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::{Method, Request, Response};
use jezero::config::{Config, Env};
use jezero::http::{ServeError, Server};
use jezero::library::Settings;
use jezero::mcp::{Readers, Service};
use jezero_connectors::time::FixedClock;
use serde_json::{Value, json};
use tower::ServiceExt;

use crate::support::{NOW, Shelf, instant};

/// A configuration in which no key is needed.
pub(super) const OPEN: &str = "[server]\nrequire_auth = false\n";

/// A server over a library.
pub(super) struct Peer {
    pub(super) shelf: Shelf,
    router: Router,
    runtime: tokio::runtime::Runtime,
}

/// What it answered.
#[derive(Debug)]
pub(super) struct Got {
    pub(super) status: u16,
    pub(super) headers: axum::http::HeaderMap,
    pub(super) body: String,
}

impl Got {
    pub(super) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    pub(super) fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .map_or("", |value| value.to_str().unwrap())
    }
}

/// The library of a shelf as a service, at the moment at which all tests take place.
pub(super) fn service(shelf: &Shelf) -> Service {
    let clock = Arc::new(FixedClock(instant(NOW)));
    Service::new(Readers::new(shelf.path(), Settings::default(), clock))
}

/// Loads the configuration `text`, written to a file beside the library.
pub(super) fn server(shelf: &Shelf, text: &str, env: Env) -> Result<Server, ServeError> {
    let path = shelf.path().with_file_name("jezero.toml");
    std::fs::write(&path, text).unwrap();
    let config = Config::load_with(&path, env.clone()).unwrap();
    Server::new(&config, env, service(shelf))
}

impl Peer {
    /// The library of the specification's pages, open to all.
    pub(super) fn of_the_pages() -> Self {
        Self::new(Shelf::of_the_pages(), OPEN, Env::given([]))
    }

    pub(super) fn new(shelf: Shelf, text: &str, env: Env) -> Self {
        let server = server(&shelf, text, env).unwrap();
        Self::of(shelf, &server)
    }

    /// A server that is ready, over the library that it serves.
    pub(super) fn of(shelf: Shelf, server: &Server) -> Self {
        Self {
            shelf,
            router: server.router(),
            // Time passes only when nothing else is left to do: nobody waits for a throttle.
            runtime: tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .start_paused(true)
                .build()
                .unwrap(),
        }
    }

    /// Sends a request as it is, a `Host` apart if there is none.
    pub(super) fn send(&self, mut request: Request<Body>) -> Got {
        let host = "127.0.0.1:8765".parse().unwrap();
        request.headers_mut().entry("host").or_insert(host);
        self.send_bare(request)
    }

    /// Sends a request exactly as it is.
    pub(super) fn send_bare(&self, request: Request<Body>) -> Got {
        let router = self.router.clone();
        self.runtime.block_on(async {
            let response: Response<Body> = router.oneshot(request).await.unwrap();
            let (parts, body) = response.into_parts();
            let bytes = axum::body::to_bytes(body, usize::MAX).await.unwrap();
            Got {
                status: parts.status.as_u16(),
                headers: parts.headers,
                body: String::from_utf8(bytes.to_vec()).unwrap(),
            }
        })
    }

    /// Posts a body to the endpoint, with more headers than those of a plain client.
    pub(super) fn post_with(&self, headers: &[(&str, &str)], body: impl Into<Body>) -> Got {
        let mut request = Request::builder().method(Method::POST).uri("/mcp");
        if !headers.iter().any(|(name, _)| *name == "content-type") {
            request = request.header("content-type", "application/json");
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        self.send(request.body(body.into()).unwrap())
    }

    /// Posts a body to the endpoint.
    pub(super) fn post(&self, body: impl Into<Body>) -> Got {
        self.post_with(&[], body)
    }

    /// Asks a method of the older era for its result.
    pub(super) fn ask(&self, method: &str, params: &Value) -> Value {
        let got = self.post(message(method, params).to_string());
        assert_eq!(got.status, 200, "{got:?}");
        got.json()["result"].clone()
    }

    /// Calls a tool: the whole result.
    pub(super) fn call(&self, tool: &str, arguments: &Value) -> Value {
        self.ask("tools/call", &json!({"name": tool, "arguments": arguments}))
    }

    /// Calls a tool: its answer, which must be the same in both forms.
    pub(super) fn answer(&self, tool: &str, arguments: &Value) -> Value {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], json!(false), "{result}");
        let text = result["content"][0]["text"].as_str().unwrap();
        let answer = &result["structuredContent"];
        assert_eq!(text, serde_json::to_string_pretty(answer).unwrap());
        answer.clone()
    }

    /// Calls a tool that must refuse: its words, and code and argument.
    pub(super) fn error(&self, tool: &str, arguments: &Value) -> (String, Value) {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], json!(true), "{result}");
        let text = result["content"][0]["text"].as_str().unwrap();
        (text.to_owned(), result["structuredContent"].clone())
    }
}

/// A message of the older era.
pub(super) fn message(method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}
