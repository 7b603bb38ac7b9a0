//! `jezero serve`: the library over HTTP, until it is told to stop.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use clap::{Arg, ArgMatches, value_parser};

use super::failure::Failure;
use super::output::Output;
use super::setting::Setting;
use super::{Entry, Exit, Globals, log};
use crate::config::Env;
use crate::http::{ServeError, Server};
use crate::mcp::{Readers, Service};

pub(super) const COMMAND: Entry = Entry { define, run };

/// How long threads that still read may keep the program from ending.
const READING: Duration = Duration::from_millis(500);

fn define() -> clap::Command {
    clap::Command::new("serve")
        .about("Serve the library over HTTP: MCP for agents")
        .long_about(
            "Serves the library over HTTP, with MCP at [server].path. Each request needs the key of \
             one of [[clients]], which may be changed while the server runs. Ends on SIGTERM or \
             Ctrl-C, requests in flight first.",
        )
        .arg(port())
        .arg(log::form())
        .arg(log::file())
}

/// `--port`, which several commands that serve have.
pub(super) fn port() -> Arg {
    Arg::new("port")
        .long("port")
        .value_name("N")
        .value_parser(value_parser!(u16))
        .help("Port to listen on instead of [server].port; 0 takes any that is free")
}

fn run(matches: &ArgMatches, globals: &Globals, output: &mut Output) -> Result<Exit, Failure> {
    log::start(matches, output)?;
    let mut setting = Setting::load(globals)?;
    if let Some(port) = matches.get_one("port") {
        setting.config.server.port = *port;
    }
    // An unreadable library is a mistake to be told now, not at the first question.
    drop(setting.library()?);
    let service = service(&setting);
    let server = Server::new(&setting.config, Env::process(), service)?;
    let runtime = runtime()?;
    let served = runtime.block_on(async {
        let listener = server.listen().await?;
        let address = listener.local_addr().map_err(ServeError::Stopped)?;
        let stop = signals().map_err(ServeError::Stopped)?;
        output.note(format!(
            "serving MCP on http://{address}{}",
            setting.config.server.path
        ));
        server.serve(listener, stop).await;
        Ok::<_, ServeError>(())
    });
    runtime.shutdown_timeout(READING);
    served?;
    Ok(Exit::Done)
}

/// The library of a configuration as a protocol server.
pub(super) fn service(setting: &Setting) -> Service {
    let path = setting.config.storage.path.clone();
    let clock = Arc::clone(&setting.clock);
    Service::new(Readers::new(path, setting.search_settings(), clock))
}

/// Where servers run.
pub(super) fn runtime() -> Result<tokio::runtime::Runtime, Failure> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::new(Exit::Failed, error))
}

/// Done when the program is told to end.
#[cfg(unix)]
pub(super) fn signals() -> io::Result<impl Future<Output = ()> + Send + 'static> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}

/// Done when the program is told to end.
#[cfg(not(unix))]
pub(super) fn signals() -> io::Result<impl Future<Output = ()> + Send + 'static> {
    Ok(async {
        if let Err(error) = tokio::signal::ctrl_c().await {
            tracing::error!("no signal can be received: {error}");
            std::future::pending::<()>().await;
        }
    })
}
