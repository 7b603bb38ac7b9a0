//! The HTTP server: routes, guards, keys; MCP behind them.
//!
//! Every request passes the guards (host, origin), then a route. What stays behind a key is not
//! even read before the key is known. Answers to requests that fail say what is wrong with the
//! request and nothing of the library.

mod counts;
mod endpoint;
mod exposition;
mod gate;
mod guards;
mod headers;
mod keys;
mod listen;
mod sources;
mod throttle;

use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get};
use serde_json::json;
use tokio::net::TcpListener;

use crate::access::Reader;
use crate::config::{Config, Env};
use crate::health::Timetable;
use crate::mcp::Service;
use counts::Counts;
use exposition::{Exposition, Kind};
use gate::Gate;
use guards::Guards;
use throttle::Throttle;

/// Where the metadata of the protected resource stands, before the path of the endpoint.
const METADATA: &str = "/.well-known/oauth-protected-resource";

/// What a request without a good key gets (MCP tools page, Authentication), to the letter.
const UNAUTHORISED: &str =
    r#"{"error": "invalid_token", "error_description": "Authentication required"}"#;

/// Why there is no server.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// Keys are required and no client has one that can be used: add a client.
    #[error("no client has a usable key")]
    NoKey,
    /// The address cannot be listened on: free it or choose another.
    #[error("cannot listen on {address}: {cause}")]
    Listen {
        /// Host and port.
        address: String,
        /// The system's word for it.
        cause: std::io::Error,
    },
    /// The system does not tell what a server needs to know: its address, its signals.
    #[error("the server stopped: {0}")]
    Stopped(std::io::Error),
}

/// A library ready to be served over HTTP.
#[derive(Debug)]
pub struct Server {
    shared: Arc<Shared>,
    address: String,
}

#[derive(Debug)]
struct Shared {
    service: Service,
    guards: Guards,
    /// `None` when no key is required.
    gate: Option<Gate>,
    throttle: Throttle,
    counts: Counts,
    timetable: Timetable,
    path: String,
}

impl Server {
    /// Makes a server of a configuration; `env` are the variables outside of its `.env` file, with
    /// which it is loaded again when it changes.
    ///
    /// # Errors
    /// [`ServeError::NoKey`].
    pub fn new(config: &Config, env: Env, service: Service) -> Result<Self, ServeError> {
        Self::beside(config, env, service, Timetable::default())
    }

    /// As [`Server::new`], beside a daemon that plans the readings in `timetable`.
    ///
    /// # Errors
    /// [`ServeError::NoKey`].
    pub fn beside(
        config: &Config,
        env: Env,
        service: Service,
        timetable: Timetable,
    ) -> Result<Self, ServeError> {
        let server = &config.server;
        let now = Instant::now();
        let gate = server.require_auth.then(|| Gate::new(config, env, now));
        if gate.as_ref().is_some_and(|gate| gate.keys(now).len() == 0) {
            return Err(ServeError::NoKey);
        }
        Ok(Self {
            shared: Arc::new(Shared {
                service,
                guards: Guards::new(server),
                gate,
                throttle: Throttle::default(),
                counts: Counts::default(),
                timetable,
                path: server.path.clone(),
            }),
            address: format!("{}:{}", guards::bracketed(&server.host), server.port),
        })
    }

    /// The routes with everything around them.
    pub fn router(&self) -> Router {
        let shared = Arc::clone(&self.shared);
        let metadata_path = format!("{METADATA}{}", shared.path.trim_end_matches('/'));
        Router::new()
            .route(&shared.path, any(mcp))
            .route(&metadata_path, get(metadata).options(metadata_methods))
            .route("/healthz", get(healthz))
            .route("/metrics", get(metrics))
            .fallback(not_found)
            .layer(middleware::from_fn_with_state(Arc::clone(&shared), guarded))
            .with_state(shared)
    }

    /// Listens on the configured address.
    ///
    /// # Errors
    /// [`ServeError::Listen`].
    pub async fn listen(&self) -> Result<TcpListener, ServeError> {
        let address = self.address.clone();
        TcpListener::bind(&address)
            .await
            .map_err(|cause| ServeError::Listen { address, cause })
    }

    /// Serves until `stop` is done; then requests in flight have a few seconds to finish.
    pub async fn serve(
        &self,
        listener: TcpListener,
        stop: impl Future<Output = ()> + Send + 'static,
    ) {
        listen::serve(listener, self.router(), listen::HEAD, stop).await;
    }
}

impl Shared {
    /// What the caller may see, or the answer that refuses it.
    async fn caller(&self, headers: &HeaderMap) -> Result<Reader, Response> {
        let Some(gate) = &self.gate else {
            return Ok(Reader::everything());
        };
        let given = keys::bearer(headers);
        let now = Instant::now();
        let keys = gate.keys(now);
        if let Some(holder) = given.and_then(|key| keys.holder(key)) {
            return Ok(holder.reader.clone());
        }
        if headers.contains_key(header::AUTHORIZATION) {
            self.counts.wrong_key();
            tokio::time::sleep(self.throttle.wrong_key(now)).await;
        }
        Err(self.unauthorised(headers))
    }

    fn unauthorised(&self, headers: &HeaderMap) -> Response {
        let url = format!(
            "{}{METADATA}{}",
            self.address(headers),
            self.path.trim_end_matches('/')
        );
        let challenge = format!(
            "Bearer error=\"invalid_token\", error_description=\"Authentication required\", \
             resource_metadata=\"{url}\""
        );
        let kind = [(header::CONTENT_TYPE, "application/json")];
        let mut response = (StatusCode::UNAUTHORIZED, kind, UNAUTHORISED).into_response();
        if let Ok(challenge) = HeaderValue::from_str(&challenge) {
            response
                .headers_mut()
                .insert(header::WWW_AUTHENTICATE, challenge);
        }
        response
    }

    fn address(&self, headers: &HeaderMap) -> String {
        self.guards.address(host(headers).unwrap_or_default())
    }
}

/// The one `Host` that a request names.
fn host(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(header::HOST).iter();
    let host = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(host)
}

async fn guarded(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let response = match refusal(&shared.guards, &request) {
        Some(refusal) => refusal,
        None => next.run(request).await,
    };
    shared.counts.answered(response.status().as_u16());
    response
}

fn refusal(guards: &Guards, request: &Request) -> Option<Response> {
    let headers = request.headers();
    let known = host(headers).is_some_and(|host| guards.accepts_host(host));
    let target = request.uri().authority();
    if !known || target.is_some_and(|target| !guards.accepts_host(target.as_str())) {
        let told = "Invalid Host header";
        return Some((StatusCode::MISDIRECTED_REQUEST, told).into_response());
    }
    let strange = |origin: &HeaderValue| {
        let text = origin.to_str().ok();
        text.is_none_or(|origin| !guards.accepts_origin(origin))
    };
    if headers.get_all(header::ORIGIN).iter().any(strange) {
        return Some((StatusCode::FORBIDDEN, "Invalid Origin header").into_response());
    }
    None
}

async fn mcp(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    match shared.caller(&parts.headers).await {
        Ok(reader) => endpoint::answer(&shared, &reader, &parts.method, &parts.headers, body).await,
        Err(refusal) => refusal,
    }
}

/// Tells a client that keys come in a header. It names no authorisation server, since there is
/// none: a client that finds one named goes there instead of using the key it has.
async fn metadata(State(shared): State<Arc<Shared>>, headers: HeaderMap) -> Response {
    let resource = format!(
        "{}{}",
        shared.address(&headers),
        shared.path.trim_end_matches('/')
    );
    let body = json!({"resource": resource, "bearer_methods_supported": ["header"]});
    json_response(StatusCode::OK, &body)
}

/// What may be asked of the metadata; no other origin may, so no header says that one might.
async fn metadata_methods() -> Response {
    let allow = [(header::ALLOW, "GET, HEAD, OPTIONS")];
    (StatusCode::NO_CONTENT, allow).into_response()
}

/// Whether the library can be asked.
async fn healthz(State(shared): State<Arc<Shared>>) -> Response {
    let asked = shared.service.readers().ask(|_| ()).await;
    match asked {
        Ok(()) => json_response(StatusCode::OK, &json!({"status": "ok"})),
        Err(error) => {
            tracing::warn!("not healthy: {error}");
            let body = json!({"status": "the library cannot be read"});
            json_response(StatusCode::SERVICE_UNAVAILABLE, &body)
        }
    }
}

/// What the server did, and how the readings of the sources that the key may see go.
async fn metrics(State(shared): State<Arc<Shared>>, headers: HeaderMap) -> Response {
    let reader = match shared.caller(&headers).await {
        Ok(reader) => reader,
        Err(refusal) => return refusal,
    };
    let mut out = Exposition::default();
    shared.counts.tell(&mut out);
    let asked = shared.service.readers();
    let asked = asked.ask(move |library| library.readings(&reader)).await;
    let readings = asked.map(|asked| asked.map_err(|error| error.to_string()));
    let readings = readings.map_err(|error| error.to_string()).flatten();
    let name = "jezero_library_readable";
    out.metric(Kind::Gauge, name, "1 when the library can be read, else 0.");
    out.sample(name, &[], u8::from(readings.is_ok()));
    match readings {
        Ok(readings) => sources::tell(&mut out, &readings, &shared.timetable),
        Err(error) => tracing::warn!("no metrics of sources: {error}"),
    }
    let kind = [(header::CONTENT_TYPE, "text/plain; version=0.0.4")];
    (kind, out.into_text()).into_response()
}

async fn not_found() -> Response {
    json_response(StatusCode::NOT_FOUND, &json!({"error": "not_found"}))
}

fn json_response(status: StatusCode, body: &serde_json::Value) -> Response {
    let kind = [(header::CONTENT_TYPE, "application/json")];
    (status, kind, body.to_string()).into_response()
}
