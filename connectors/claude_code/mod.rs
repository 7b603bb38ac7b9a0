//! Sessions of Claude Code: `<projects_dir>/<folder>/<session id>.jsonl`, one object a line.
//!
//! The format is the vendor's own and changes every few weeks, so everything unknown is passed
//! over and counted, and no line can fail a file. What is kept and left out, and why, is told to
//! people in `docs/connectors/claude-code.md`.
//!
//! Way of a record: `listing` (which files) → `mark` (which have changed) → `session` (lines, in
//! order) → `line` with `record` or `lenient` (parsing) → `blocks` with `prompt`, `results` and
//! `window` (what it renders to) → the sink.

mod blocks;
mod delivery;
mod gathered;
mod identity;
mod lenient;
mod line;
mod listing;
mod mark;
mod naming;
pub mod options;
mod perishable;
mod plan;
mod prompt;
mod record;
mod results;
pub mod session;
pub mod title;
mod window;

use std::io;
use std::path::{Path, PathBuf};

use async_trait::async_trait;

use crate::connector::{Connector, Kind, Outcome, Perishable, Request, Surroundings, Watched};
use crate::error::ConnectorError;
use crate::files::{self, Root};
use crate::marks::Memory;
use crate::report::Report;
use crate::source::Trust;
use crate::unit::Sink;
use listing::Place;
use options::Options;

/// The kind `claude_code`.
#[derive(Debug, Clone, Copy)]
pub struct ClaudeCode;

/// The variable that moves the agent's folder.
const CONFIG_DIR: &str = "CLAUDE_CONFIG_DIR";

impl Kind for ClaudeCode {
    fn name(&self) -> &'static str {
        "claude_code"
    }

    fn default_trust(&self) -> Trust {
        Trust::Own
    }

    fn variables(&self) -> &'static [&'static str] {
        &[CONFIG_DIR]
    }

    fn build(
        &self,
        table: &toml::Table,
        surroundings: &Surroundings,
    ) -> Result<Box<dyn Connector>, ConnectorError> {
        let options = Options::read(table)?;
        let wanted = match &options.projects_dir {
            Some(pattern) => vec![surroundings.resolve(pattern)],
            None => usual_places(surroundings),
        };
        Ok(Box::new(Sessions { wanted, options }))
    }

    fn discover(&self, surroundings: &Surroundings) -> Option<PathBuf> {
        usual_places(surroundings)
            .into_iter()
            .find(|path| path.is_dir())
    }

    fn template(&self, found: &Path) -> String {
        let folder = toml::Value::from(found.display().to_string());
        format!(
            "# Where the sessions are; leave it out for the agent's own folder.\n\
             projects_dir = {folder}\n\
             # Minutes that a session must have rested before it is read.\n\
             settle_minutes = 30\n\
             # Whether sub-agents become items of their own; their results are kept anyway.\n\
             include_subagents = false\n"
        )
    }
}

/// Where the agent keeps its sessions: under `CLAUDE_CONFIG_DIR` or the home folder, and in some
/// installations under `~/.config`.
fn usual_places(surroundings: &Surroundings) -> Vec<PathBuf> {
    let moved = surroundings.variables.get(CONFIG_DIR);
    let first = match moved.filter(|folder| !folder.is_empty()) {
        Some(folder) => surroundings.resolve(folder).join("projects"),
        None => surroundings.resolve("~/.claude/projects"),
    };
    let second = surroundings.resolve("~/.config/claude/projects");
    if first == second {
        return vec![first];
    }
    vec![first, second]
}

#[derive(Debug, Clone)]
struct Sessions {
    /// One folder or pattern, or the usual places, of which one suffices.
    wanted: Vec<PathBuf>,
    options: Options,
}

#[async_trait]
impl Connector for Sessions {
    async fn poll(&mut self, request: Request, mut sink: Sink) -> Outcome {
        let this = self.clone();
        let read = move || {
            let mut report = Report::default();
            let result = this.read(&request, &mut sink, &mut report);
            (report, result)
        };
        tokio::task::spawn_blocking(read)
            .await
            .unwrap_or_else(|_| (Report::default(), Err(ConnectorError::Broken)))
    }

    fn watched(&self) -> Watched {
        let folders = self
            .wanted
            .iter()
            .flat_map(|pattern| files::expand(pattern));
        Watched {
            folders: folders.filter(|folder| folder.is_dir()).collect(),
            settle_minutes: self.options.settle_minutes,
        }
    }

    fn perishable(&self, memory: &Memory) -> Option<Perishable> {
        let places = self.places().ok()?;
        let found = listing::list(&places, &self.options, &mut Report::default());
        perishable::of(&places, &found, memory)
    }
}

impl Sessions {
    fn read(
        &self,
        request: &Request,
        sink: &mut Sink,
        report: &mut Report,
    ) -> Result<(), ConnectorError> {
        let places = self.places()?;
        let found = listing::list(&places, &self.options, report);
        delivery::run(&self.options, &places, &found, request, sink, report)
    }

    /// Opens the roots. Keys of files below the first usual place, or below a folder that is named
    /// without wildcards, have no prefix; so adding a second place leaves them as they were.
    fn places(&self) -> Result<Vec<Place>, ConnectorError> {
        let mut places = Vec::new();
        for (at, pattern) in self.wanted.iter().enumerate() {
            let fixed = files::fixed_part(pattern);
            for path in files::expand(pattern) {
                let below = path.strip_prefix(&fixed).unwrap_or(Path::new(""));
                let mut prefix = if path == *pattern {
                    String::new()
                } else {
                    files::place(below)
                };
                if at > 0 {
                    prefix = "~config".to_owned();
                }
                if !prefix.is_empty() {
                    prefix.push('/');
                }
                match Root::new(&path) {
                    Ok(root) => places.push(Place { root, prefix }),
                    Err(cause) if cause.kind() == io::ErrorKind::NotFound => {}
                    Err(cause) => return Err(ConnectorError::Unreadable { path, cause }),
                }
            }
        }
        match self.wanted.first() {
            Some(path) if places.is_empty() => Err(ConnectorError::Missing { path: path.clone() }),
            _ => Ok(places),
        }
    }
}

#[cfg(test)]
mod damage_tests;
#[cfg(test)]
mod names_tests;
#[cfg(test)]
mod soundness;
#[cfg(test)]
mod tests;
