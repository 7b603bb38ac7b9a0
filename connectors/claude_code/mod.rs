//! Sessions of Claude Code: `<projects_dir>/<folder>/<session id>.jsonl`, one object a line.

use std::path::{Path, PathBuf};

use async_trait::async_trait;
use serde::Deserialize;

use crate::connector::{Connector, Kind, Outcome, Request, Surroundings};
use crate::error::ConnectorError;
use crate::options;
use crate::report::Report;
use crate::source::{OriginalRef, Trust, UnitId};
use crate::time::Instant;
use crate::unit::{
    Block, Event, Evidence, Extent, Locator, Piece, RecordKey, Sink, UnitEnd, UnitStart,
};

/// The kind `claude_code`.
#[derive(Debug, Clone, Copy)]
pub struct ClaudeCode;

#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Options {
    projects_dir: Option<String>,
    settle_minutes: u32,
    min_chars: usize,
}

impl Default for Options {
    fn default() -> Self {
        let options::Common {
            settle_minutes,
            min_chars,
        } = options::Common::default();
        Self {
            projects_dir: None,
            settle_minutes,
            min_chars,
        }
    }
}

impl Kind for ClaudeCode {
    fn name(&self) -> &'static str {
        "claude_code"
    }

    fn default_trust(&self) -> Trust {
        Trust::Own
    }

    fn variables(&self) -> &'static [&'static str] {
        &["CLAUDE_CONFIG_DIR"]
    }

    fn build(
        &self,
        table: &toml::Table,
        surroundings: &Surroundings,
    ) -> Result<Box<dyn Connector>, ConnectorError> {
        let options: Options = options::parse(table)?;
        let root = surroundings.resolve(
            options
                .projects_dir
                .as_deref()
                .unwrap_or("~/.claude/projects"),
        );
        Ok(Box::new(Sessions { root, options }))
    }

    fn discover(&self, surroundings: &Surroundings) -> Option<PathBuf> {
        Some(surroundings.resolve("~/.claude/projects")).filter(|path| path.is_dir())
    }

    fn template(&self, found: &Path) -> String {
        format!("projects_dir = {:?}\n", found.display().to_string())
    }
}

#[derive(Debug, Clone)]
struct Sessions {
    root: PathBuf,
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
}

#[derive(Deserialize)]
struct Record {
    #[serde(rename = "type")]
    kind: String,
    timestamp: Option<String>,
    uuid: Option<String>,
    cwd: Option<String>,
    message: Option<Message>,
}

#[derive(Deserialize)]
struct Message {
    content: serde_json::Value,
}

impl Sessions {
    fn read(
        &self,
        _request: &Request,
        sink: &mut Sink,
        report: &mut Report,
    ) -> Result<(), ConnectorError> {
        for entry in walkdir::WalkDir::new(&self.root)
            .sort_by_file_name()
            .into_iter()
            .flatten()
        {
            let path = entry.path();
            let stem = path.file_stem().and_then(|stem| stem.to_str());
            let (Some(stem), Some("jsonl")) = (stem, path.extension().and_then(|e| e.to_str()))
            else {
                continue;
            };
            let Ok(id) = UnitId::new(stem) else { continue };
            let Ok(original_ref) = OriginalRef::new(format!("claude-code-session:{stem}")) else {
                continue;
            };
            let text =
                std::fs::read_to_string(path).map_err(|cause| ConnectorError::Unreadable {
                    path: path.to_owned(),
                    cause,
                })?;
            report.seen += 1;
            let start = UnitStart {
                id,
                original_ref,
                account: None,
                extent: Extent::Whole,
                min_chars: self.options.min_chars,
            };
            sink.send_blocking(Event::Start(start))?;
            let mut end = UnitEnd::default();
            for (number, line) in (0_u64..).zip(text.lines()) {
                let Ok(record) = serde_json::from_str::<Record>(line) else {
                    continue;
                };
                end.evidence = Evidence {
                    named: None,
                    cwd: record.cwd.or(end.evidence.cwd),
                };
                let Some(instant) = record.timestamp.as_deref().and_then(Instant::parse) else {
                    continue;
                };
                let texts: Vec<String> = match record.message.map(|message| message.content) {
                    Some(serde_json::Value::String(text)) => vec![text],
                    Some(serde_json::Value::Array(blocks)) => blocks
                        .iter()
                        .filter_map(|block| block.get("text")?.as_str().map(str::to_owned))
                        .collect(),
                    _ => continue,
                };
                let pieces = texts.iter().map(|text| Piece {
                    text: crate::render::line(instant, &record.kind, text),
                    keep_chars: None,
                });
                let block = Block {
                    locator: Locator::record(number),
                    position: 0,
                    instant,
                    record_key: record.uuid.map(|uuid| RecordKey::of(uuid.as_bytes())),
                    pieces: pieces.collect(),
                };
                sink.send_blocking(Event::Blocks(vec![block]))?;
            }
            sink.send_blocking(Event::End(end))?;
            report.delivered += 1;
        }
        Ok(())
    }
}
