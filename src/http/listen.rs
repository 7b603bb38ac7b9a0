//! Connections: taken, given to the router, and ended when the server stops or a client idles.
//!
//! A connection that sends no whole head of a request within [`HEAD`] is closed, so that clients
//! that only hold one open cost nothing for long. Between two requests the same patience holds.

use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

/// Longest wait for the head of a request.
pub(super) const HEAD: Duration = Duration::from_secs(60);
/// How long requests in flight may go on after the server was told to stop.
const GRACE: Duration = Duration::from_secs(4);
/// Pause after a connection could not be taken: the system may be out of descriptors.
const BREATH: Duration = Duration::from_millis(100);
/// Connections at once; more wait in the system's queue.
const CONNECTIONS: usize = 1024;

/// Serves until `stop` is done; then requests in flight have [`GRACE`] to finish.
pub(super) async fn serve(
    listener: TcpListener,
    router: Router,
    head: Duration,
    stop: impl Future<Output = ()>,
) {
    let graceful = GracefulShutdown::new();
    let places = std::sync::Arc::new(Semaphore::new(CONNECTIONS));
    tokio::pin!(stop);
    loop {
        let taken = async {
            let place = std::sync::Arc::clone(&places).acquire_owned().await;
            (place, listener.accept().await)
        };
        let (place, accepted) = tokio::select! {
            biased;
            () = &mut stop => break,
            taken = taken => taken,
        };
        let stream = match accepted {
            Ok((stream, _)) => stream,
            Err(error) => {
                tracing::warn!("a connection could not be taken: {error}");
                tokio::time::sleep(BREATH).await;
                continue;
            }
        };
        let connection = graceful.watch(connection(stream, router.clone(), head));
        tokio::spawn(async move {
            // A client that breaks off is nobody's fault here.
            drop(connection.await);
            drop(place);
        });
    }
    drop(listener);
    drop(tokio::time::timeout(GRACE, graceful.shutdown()).await);
}

fn connection(
    stream: TcpStream,
    router: Router,
    head: Duration,
) -> http1::Connection<TokioIo<TcpStream>, TowerToHyperService<Router>> {
    // Without it a small answer may wait for the acknowledgement of the last one. Where the system
    // refuses, answers are only slower.
    drop(stream.set_nodelay(true));
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(head)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router))
}
