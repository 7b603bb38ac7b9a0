//! From a record to the lines that it renders to: what is kept and what is left out.

use std::borrow::Cow;

use super::lenient;
use super::options::Options;
use super::prompt::{self, Said};
use super::record::{Content, ContentBlock, Message, Record, Text, text_of};
use super::results::{self, Result as ToolResult};
use super::session::Source;
use super::window::{Novelty, Wanted, Window};
use crate::digest;
use crate::render;
use crate::time::Instant;
use crate::unit::Piece;

/// Record types that are known and never rendered.
const SILENT: &[&str] = &[
    "progress",
    "file-history-snapshot",
    "file-history-delta",
    "last-prompt",
    "permission-mode",
    "mode",
    "queue-operation",
    "bridge-session",
    "agent-setting",
    "ai-title",
    "custom-title",
    "agent-name",
    "summary",
    "init",
    "result",
    "started",
];

/// Block types that are known and never rendered. Thinking is the agent's own; results of the
/// vendor's tools are as bulky as those of one's own.
const SILENT_BLOCKS: &[&str] = &[
    "thinking",
    "redacted_thinking",
    "tool_reference",
    "web_search_tool_result",
    "web_fetch_tool_result",
    "code_execution_tool_result",
    "mcp_tool_result",
    "container_upload",
    "fallback",
];

/// The tool that asks the person; its result is what the person said.
const QUESTION_TOOL: &str = "AskUserQuestion";

/// Where a record stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// Byte offset of its line.
    pub(super) offset: u64,
    /// Zero-based line.
    pub(super) line: u64,
    /// When it was written, its own time or the one it is given.
    pub(super) instant: Instant,
}

/// Renders records one after the other.
#[derive(Debug)]
pub(super) struct Renderer<'o> {
    options: &'o Options,
    /// Whether the file is a sub-agent's own, where every record is a sidechain.
    sub_agent: bool,
    pub(super) window: Window,
    /// Line of the first block of the file, once there is one.
    pub(super) first_block: Option<u64>,
    /// Records and blocks of types that are not known here.
    pub(super) unknown: u64,
}

impl<'o> Renderer<'o> {
    /// Begins to render a file; `first_block` when an earlier reading has already seen it.
    pub(super) fn new(source: &Source<'o>, first_block: Option<u64>) -> Self {
        Self {
            options: source.options,
            sub_agent: source.sub_agent,
            window: Window::new(source.reach),
            first_block,
            unknown: 0,
        }
    }

    /// What a record renders to; often nothing.
    pub(super) fn render(&mut self, record: &Record<'_>, place: Place) -> Vec<Piece> {
        let sidechain = record.is_sidechain == Some(true);
        if sidechain && !self.sub_agent && !self.options.include_subagents {
            return Vec::new();
        }
        let mut out = Lines::new(place.instant);
        match record.kind().as_ref() {
            "user" => self.user(record, place, &mut out),
            "assistant" => self.assistant(record, place, &mut out),
            "attachment" => self.attachment(record, place, &mut out),
            "system" => system(record, &mut out),
            "pr-link" => self.link(record, place, &mut out),
            kind if SILENT.contains(&kind) => {}
            _ => self.unknown += 1,
        }
        let pieces = out.finish();
        if !pieces.is_empty() && self.first_block.is_none() {
            self.first_block = Some(place.line);
        }
        pieces
    }

    fn user(&mut self, record: &Record<'_>, place: Place, out: &mut Lines) {
        let Some(message) = &record.message else {
            return;
        };
        let machine = record.origin.is_some_and(|origin| {
            lenient::text_field(origin, "kind").is_some_and(|kind| !kind.is("human"))
        });
        let text = |text: &Text<'_>, out: &mut Lines, this: &Self| {
            let text = text.read();
            let summary = record.is_compact_summary == Some(true);
            match prompt::tell_apart(&text) {
                _ if summary => this.compaction(&text, place, out),
                Said::Compaction(text) => this.compaction(text, place, out),
                _ if record.is_meta == Some(true) => {}
                Said::Task { summary, result } => this.task(summary, result, out),
                _ if machine => {}
                said => out.said(&said),
            }
        };
        match &message.content {
            Content::Nothing => {}
            Content::Text(content) => text(content, out, self),
            Content::Blocks(blocks) => {
                for block in blocks {
                    let kind = block.kind.as_ref().map_or("".into(), Text::read);
                    match (kind.as_ref(), &block.text) {
                        ("tool_result", _) => self.result(block, place, out),
                        ("text", Some(content)) => text(content, out, self),
                        ("image", _) if record.is_meta != Some(true) => out.prompt("[image]"),
                        ("document", _) if record.is_meta != Some(true) => out.prompt("[document]"),
                        ("text" | "image" | "document", _) => {}
                        (kind, _) if SILENT_BLOCKS.contains(&kind) => {}
                        _ => self.unknown += 1,
                    }
                }
            }
        }
        if let Some(prompt) = out.prompts()
            && self.window.prompted(place.offset, prompt, false)
        {
            out.forget_prompts();
        }
    }

    /// A summary that stands for an earlier conversation is all that there is of it when it opens
    /// a file; anywhere else it tells again what stands before it, and would be counted twice.
    fn compaction(&self, text: &str, place: Place, out: &mut Lines) {
        if self.first_block.is_none_or(|line| line == place.line) {
            let text = format!("(summary of an earlier conversation) {}", text.trim());
            out.line("user", &text, Some(self.options.max_kept_result_chars));
        }
    }

    fn task(&self, summary: &str, result: &str, out: &mut Lines) {
        if !summary.is_empty() {
            out.line(
                "background task",
                summary,
                Some(self.options.max_result_chars),
            );
        }
        let kept = self.options.keep_results_of.iter();
        if let Some(name) = kept.into_iter().find(|name| results::is_sub_agent(name))
            && !result.is_empty()
        {
            let who = format!("{name} result");
            out.line(&who, result, Some(self.options.max_kept_result_chars));
        }
    }

    fn result(&self, block: &ContentBlock<'_>, place: Place, out: &mut Lines) {
        let id = block.tool_use_id.as_ref();
        let wanted = id.and_then(|id| self.window.wanted(place.offset, &id.0));
        let failed = block.is_error == Some(true);
        let Some(content) = block.content.filter(|_| failed || wanted.is_some()) else {
            return;
        };
        let text = results::text(content);
        if failed {
            match results::failure(&text) {
                ToolResult::Refused(said) => out.prompt(&said),
                ToolResult::Failed("") => {}
                ToolResult::Failed(text) => {
                    out.line("tool error", text, Some(self.options.max_result_chars));
                }
            }
            return;
        }
        let keep = Some(self.options.max_kept_result_chars);
        let text = prompt::without_trailing_reminders(text.trim());
        match wanted {
            _ if text.is_empty() => {}
            Some(Wanted::Answer) => out.line("user", &format!("(answer) {text}"), keep),
            Some(Wanted::Result(at)) => {
                if let Some(name) = self.options.keep_results_of.get(at) {
                    out.line(&format!("{name} result"), text, keep);
                }
            }
            None => {}
        }
    }

    fn assistant(&mut self, record: &Record<'_>, place: Place, out: &mut Lines) {
        let Some(message) = &record.message else {
            return;
        };
        let synthetic = message
            .model
            .as_ref()
            .is_some_and(|model| model.is("<synthetic>"));
        if synthetic || record.is_api_error_message == Some(true) {
            return;
        }
        match &message.content {
            Content::Nothing => {}
            Content::Text(text) => self.answer(message, text, place, out),
            Content::Blocks(blocks) => {
                for block in blocks {
                    let kind = block.kind.as_ref().map_or("".into(), Text::read);
                    match (kind.as_ref(), &block.text) {
                        ("text", Some(text)) => self.answer(message, text, place, out),
                        ("tool_use" | "server_tool_use" | "mcp_tool_use", _) => {
                            self.call(message, block, place, out);
                        }
                        ("image", _) => out.line("assistant", "[image]", None),
                        ("text", _) => {}
                        (kind, _) if SILENT_BLOCKS.contains(&kind) => {}
                        _ => self.unknown += 1,
                    }
                }
            }
        }
    }

    fn answer(&mut self, message: &Message<'_>, text: &Text<'_>, place: Place, out: &mut Lines) {
        let novelty = message.id.as_ref().map_or(Novelty::New, |id| {
            self.window.said(place.offset, &id.0, &text.0)
        });
        let from = match novelty {
            Novelty::New => 0,
            Novelty::Repeated => return,
            Novelty::Extends(length) => word_start(&text.0, length),
        };
        let bytes = text.0.get(from..).unwrap_or_default();
        let text = String::from_utf8_lossy(bytes);
        if !text.trim().is_empty() {
            out.line("assistant", text.trim(), None);
        }
    }

    fn call(
        &mut self,
        message: &Message<'_>,
        block: &ContentBlock<'_>,
        place: Place,
        out: &mut Lines,
    ) {
        let name = block.name.as_ref().map_or("".into(), Text::read);
        let input = block.input.map_or("{}", |input| input.get());
        if let Some(id) = &block.id {
            let kept = self.options.keep_results_of.iter();
            let wanted = match kept.into_iter().position(|kept| *kept == name) {
                Some(at) => Some(Wanted::Result(at)),
                None => (name == QUESTION_TOOL).then_some(Wanted::Answer),
            };
            if let Some(wanted) = wanted {
                self.window.saw_call(place.offset, &id.0, wanted);
            }
        }
        if let Some(message) = &message.id {
            let state = digest::fast(2, block.id.as_ref().map_or(&[], |id| &id.0));
            let call = digest::fast(digest::fast(state, name.as_bytes()), input.as_bytes());
            let mut key = vec![0];
            key.extend_from_slice(&call.to_le_bytes());
            if self.window.said(place.offset, &message.0, &key) == Novelty::Repeated {
                return;
            }
        }
        let name = name.replace(char::is_control, " ");
        let name = if name.is_empty() { "?" } else { &name };
        let keep = self.options.max_tool_args_chars + name.chars().count() + 1;
        let text = format!("{name} {}", results::arguments(input));
        out.line("tool call", &text, Some(keep));
    }

    /// A prompt typed while the agent was busy stands in an attachment, between the pieces of the
    /// answer that it interrupted. All other attachments are the program's.
    fn attachment(&mut self, record: &Record<'_>, place: Place, out: &mut Lines) {
        let Some(raw) = record.attachment else {
            return;
        };
        if memchr::memmem::find(raw.get().as_bytes(), b"queued_command").is_none() {
            return;
        }
        let is = |name, word| lenient::text_field(raw, name).is_some_and(|text| text.is(word));
        if !is("type", "queued_command") {
            return;
        }
        let typed = is("commandMode", "prompt");
        let text = |text: &Text<'_>, out: &mut Lines, this: &Self| match prompt::tell_apart(
            &text.read(),
        ) {
            Said::Task { summary, result } => this.task(summary, result, out),
            said if typed => out.said(&said),
            _ => {}
        };
        match lenient::content_field(raw, "prompt") {
            Content::Nothing => {}
            Content::Text(content) => text(&content, out, self),
            Content::Blocks(blocks) => {
                for block in &blocks {
                    let image = block.kind.as_ref().is_some_and(|kind| kind.is("image"));
                    match &block.text {
                        Some(content) => text(content, out, self),
                        None if image && typed => out.prompt("[image]"),
                        None => {}
                    }
                }
            }
        }
        if let Some(prompt) = out.prompts()
            && self.window.prompted(place.offset, prompt, true)
        {
            out.forget_prompts();
        }
    }

    fn link(&mut self, record: &Record<'_>, place: Place, out: &mut Lines) {
        let Some(url) = record.pr_url.as_ref().map(Text::read) else {
            return;
        };
        if self.window.linked(place.offset, &url) {
            return;
        }
        let repository = record.pr_repository.as_ref().map_or("".into(), Text::read);
        let number = record.pr_number.map_or("", |number| number.get());
        let number = number.trim_matches('"');
        let text = format!("{repository}#{number} {url}").replace(char::is_control, " ");
        out.line("pull request", text.trim_start_matches('#'), None);
    }
}

/// Newer versions write a slash command, and what it printed, into a `system` record.
fn system(record: &Record<'_>, out: &mut Lines) {
    let local = record
        .subtype
        .as_ref()
        .is_some_and(|subtype| subtype.is("local_command"));
    let content = record.content.filter(|_| local).and_then(text_of);
    if let Some(text) = content {
        let text = text.read();
        if let said @ (Said::Command { .. } | Said::Shell(_)) = prompt::tell_apart(&text) {
            out.said(&said);
        }
    }
}

/// Where a text that extends one of `length` bytes is to go on: at the word in which that one
/// ended, so that no word is torn.
fn word_start(text: &[u8], length: usize) -> usize {
    let next_is_blank = text.get(length).is_none_or(u8::is_ascii_whitespace);
    if next_is_blank {
        return length;
    }
    let head = text.get(..length).unwrap_or_default();
    head.iter()
        .rposition(u8::is_ascii_whitespace)
        .map_or(0, |at| at + 1)
}

/// Gathers the lines of one record; prompts among them become one line group.
#[derive(Debug)]
struct Lines {
    instant: Instant,
    pieces: Vec<Piece>,
    prompts: Option<String>,
}

impl Lines {
    fn new(instant: Instant) -> Self {
        Self {
            instant,
            pieces: Vec::new(),
            prompts: None,
        }
    }

    fn line(&mut self, who: &str, text: &str, keep: Option<usize>) {
        self.pieces
            .push(render::piece(self.instant, who, text, keep));
    }

    fn prompt(&mut self, text: &str) {
        match &mut self.prompts {
            Some(prompts) => {
                prompts.push('\n');
                prompts.push_str(text);
            }
            None => self.prompts = Some(text.to_owned()),
        }
    }

    fn prompts(&self) -> Option<&str> {
        self.prompts.as_deref()
    }

    fn forget_prompts(&mut self) {
        self.prompts = None;
    }

    fn said(&mut self, said: &Said<'_>) {
        match said {
            Said::Nothing | Said::Task { .. } | Said::Compaction(_) => {}
            Said::Prompt(text) => self.prompt(text),
            Said::Shell(text) => self.prompt(&format!("! {text}")),
            Said::Command {
                name,
                arguments,
                rest,
            } => {
                let command: Cow<'_, str> = match *arguments {
                    "" => format!("(command) {name}").into(),
                    arguments => format!("(command) {name} {arguments}").into(),
                };
                self.prompt(&command);
                if !rest.is_empty() {
                    self.prompt(rest);
                }
            }
        }
    }

    fn finish(mut self) -> Vec<Piece> {
        if let Some(prompts) = self.prompts.take() {
            self.line("user", &prompts, None);
        }
        self.pieces
    }
}
