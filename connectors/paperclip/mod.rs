//! Tasks of a Paperclip server, read over its HTTP API.
//!
//! What the API does and does not do differs from month to month and is documented nowhere in full;
//! what is relied on here was seen in answers of real servers. What is kept and left out, and how to
//! make a key, is told to people in `docs/connectors/paperclip.md`.
//!
//! Way of a task: `company` (what server, which companies) → `list` (pages of rows) → `mark` (which
//! have changed, what they are called) → `task` with `card` (all of one, gathered) → `blocks` (what
//! it renders to) → `delivery` → the sink. `server` asks and judges answers, `record` reads them.

mod blocks;
mod card;
mod company;
mod delivery;
mod list;
mod mark;
pub mod options;
mod people;
mod record;
mod server;
mod task;
mod version;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use crate::connector::{Connector, Kind, Outcome, Request, Surroundings};
use crate::error::ConnectorError;
use crate::files::Root;
use crate::report::Report;
use crate::source::Trust;
use crate::unit::Sink;
use options::{Options, USUAL_KEY};
use record::Record;
use server::{Key, Server};

/// The kind `paperclip`.
#[derive(Debug, Clone, Copy)]
pub struct Paperclip;

/// Bytes read of a server's own configuration.
const CONFIG: u64 = 256 * 1024;
/// Wait before a request is put a second time; doubled each time. Tests have no time for it.
const FIRST_WAIT: Duration = Duration::from_millis(if cfg!(test) { 1 } else { 500 });

impl Kind for Paperclip {
    fn name(&self) -> &'static str {
        "paperclip"
    }

    fn units(&self) -> &'static str {
        "tasks"
    }

    fn default_trust(&self) -> Trust {
        Trust::Own
    }

    fn variables(&self) -> &'static [&'static str] {
        &[USUAL_KEY]
    }

    fn build(
        &self,
        table: &toml::Table,
        surroundings: &Surroundings,
    ) -> Result<Box<dyn Connector>, ConnectorError> {
        let options = Options::read(table)?;
        Ok(Box::new(Tasks::new(options, surroundings)))
    }

    fn discover(&self, surroundings: &Surroundings) -> Option<PathBuf> {
        let instance = surroundings.resolve("~/.paperclip/instances/default");
        instance.join("config.json").is_file().then_some(instance)
    }

    fn template(&self, found: &Path) -> String {
        format!(
            "# Where the server's API is.\n\
             api_url = \"{}\"\n\
             # The variable that holds the key; a server in local_trusted mode needs none.\n\
             # api_key_env = \"{USUAL_KEY}\"\n\
             # Minutes that a task must have rested before it is read.\n\
             settle_minutes = 30\n\
             # Which project the tasks of a Paperclip project belong to, by its id or name.\n\
             # project_map = {{ \"Billing Service\" = \"billing\" }}\n",
            local_url(found)
        )
    }
}

/// The address of the server whose instance lies in a folder, as its configuration has it.
fn local_url(instance: &Path) -> String {
    let config = Root::new(instance).ok();
    let config = config.and_then(|root| root.read_small(Path::new("config.json"), CONFIG));
    let port = config.and_then(|json| Record::parse(&json)?.object("server")?.count("port"));
    match port {
        Some(port) => format!("http://127.0.0.1:{port}/api"),
        None => options::USUAL_URL.to_owned(),
    }
}

#[derive(Debug)]
struct Tasks {
    options: Arc<Options>,
    key: Option<Key>,
}

impl Tasks {
    fn new(options: Options, surroundings: &Surroundings) -> Self {
        let variable = options.api_key_env.as_deref().unwrap_or(USUAL_KEY);
        let value = surroundings
            .variables
            .get(variable)
            .map(|value| value.trim());
        let key = value.filter(|value| !value.is_empty()).map(|value| Key {
            value: value.to_owned(),
            variable: variable.to_owned(),
        });
        Self {
            options: Arc::new(options),
            key,
        }
    }

    async fn read(
        &self,
        request: &Request,
        sink: &mut Sink,
        report: &mut Report,
    ) -> Result<(), ConnectorError> {
        if let (Some(variable), None) = (&self.options.api_key_env, &self.key) {
            return Err(ConnectorError::Option {
                key: "api_key_env".to_owned(),
                message: format!("the variable {variable} is not set; leave this out for none"),
            });
        }
        let server = Server::new(&self.options, self.key.clone(), FIRST_WAIT)?;
        // What is remembered may still be on its way, and waiting for it blocks.
        let memory = request.memory.clone();
        let arrived = tokio::task::spawn_blocking(move || memory.memory().iter().count());
        arrived.await.map_err(|_| ConnectorError::Broken)?;
        delivery::run(Arc::clone(&self.options), server, request, sink, report).await
    }
}

#[async_trait]
impl Connector for Tasks {
    async fn poll(&mut self, request: Request, mut sink: Sink) -> Outcome {
        let mut report = Report::default();
        let closed = sink.closed();
        let result = tokio::select! {
            result = self.read(&request, &mut sink, &mut report) => result,
            () = closed => Err(ConnectorError::Stopped),
        };
        (report, result)
    }
}

#[cfg(test)]
mod answer_tests;
#[cfg(test)]
mod tests;
