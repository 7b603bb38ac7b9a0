//! A program that reads the question on its input and prints the record: a subscription's command
//! line, a script of one's own. Started without a shell, and only when the provider says so.
//!
//! It runs in the system's temporary folder, so that no project's instructions reach it, without
//! the variables that hold this program's keys, and in a process group of its own: when its time is
//! over or nobody waits any more, all that it has started ends with it.

use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::Child;

use super::prompt::Prompt;
use super::schema::Form;
use super::server::quoted;
use super::{ANSWER_BYTES, Making, ModelError, Said, Voice, find};
use crate::redaction::Engine;
use crate::summarizer::Usage;

/// How much of an error output is kept, in bytes: its end, where the cause stands.
const ERROR_BYTES: usize = 8 * 1024;

/// A program that writes summaries.
pub(super) struct Command {
    argv: Vec<String>,
    hidden: Vec<String>,
    timeout: Duration,
    engine: Arc<Engine>,
}

/// What a program left behind.
struct Left {
    status: ExitStatus,
    output: Vec<u8>,
    errors: Vec<u8>,
}

impl Command {
    pub(super) fn new(making: &Making<'_>) -> Self {
        Self {
            argv: making.settings.command.clone(),
            hidden: making.hidden.clone(),
            timeout: making.patience.timeout,
            engine: Arc::clone(&making.engine),
        }
    }

    /// The program's name, without its folder.
    pub(super) fn program(&self) -> String {
        let first = self.argv.first().map(Path::new);
        let name = first.and_then(Path::file_name).unwrap_or_default();
        name.to_string_lossy().into_owned()
    }

    fn start(&self) -> std::io::Result<Child> {
        let Some((program, arguments)) = self.argv.split_first() else {
            let message = "no program is named";
            return Err(std::io::Error::new(std::io::ErrorKind::NotFound, message));
        };
        let mut command = tokio::process::Command::new(program);
        command
            .args(arguments)
            .current_dir(std::env::temp_dir())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        for variable in &self.hidden {
            command.env_remove(variable);
        }
        #[cfg(unix)]
        command.process_group(0);
        command.spawn()
    }

    async fn run(&self, question: &str) -> Result<Left, ModelError> {
        let start = |cause| ModelError::Start {
            program: self.program(),
            cause,
        };
        let mut child = self.start().map_err(start)?;
        let _group = Group::of(&child);
        match tokio::time::timeout(self.timeout, converse(&mut child, question)).await {
            Ok(left) => left.map_err(start),
            Err(_) => Err(ModelError::Slow {
                program: self.program(),
                seconds: self.timeout.as_secs_f64(),
            }),
        }
    }

    fn ended(&self, how: String, said: &str) -> ModelError {
        ModelError::Ended {
            program: self.program(),
            how,
            said: quoted(said, &self.engine),
        }
    }
}

/// Writes the question, reads both outputs and waits for the end, all at once: a program may begin
/// to write before it has read, or end without reading.
async fn converse(child: &mut Child, question: &str) -> std::io::Result<Left> {
    let (input, output, errors) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let ask = async {
        if let Some(mut input) = input {
            // A program that does not read to the end has its reasons; its output decides.
            drop(input.write_all(question.as_bytes()).await);
            drop(input.shutdown().await);
        }
    };
    let ((), output, errors) = tokio::join!(
        ask,
        taken(output, Keep::Start(ANSWER_BYTES)),
        taken(errors, Keep::End(ERROR_BYTES)),
    );
    Ok(Left {
        status: child.wait().await?,
        output: output?,
        errors: errors?,
    })
}

/// Which bytes of an output are kept; all of it is read, so that the program is never held up.
#[derive(Clone, Copy)]
enum Keep {
    Start(usize),
    End(usize),
}

/// Reads an output to its end. Where bytes are left out, so is the line that they were cut from:
/// half a key would not be recognised as one.
async fn taken(from: Option<impl AsyncRead + Unpin>, keep: Keep) -> std::io::Result<Vec<u8>> {
    let mut kept = Vec::new();
    let Some(mut from) = from else {
        return Ok(kept);
    };
    let mut cut = false;
    let mut part = vec![0; 16 * 1024];
    loop {
        let read = from.read(&mut part).await?;
        let Some(part) = part.get(..read).filter(|part| !part.is_empty()) else {
            break;
        };
        let (limit, room) = match keep {
            Keep::Start(limit) => (limit, limit.saturating_sub(kept.len())),
            Keep::End(limit) => (limit, part.len()),
        };
        kept.extend_from_slice(part.get(..room).unwrap_or(part));
        let surplus = kept.len().saturating_sub(limit);
        kept.drain(..surplus);
        cut |= surplus > 0 || room < part.len();
    }
    if cut {
        match keep {
            Keep::Start(_) => kept.truncate(memchr::memrchr(b'\n', &kept).unwrap_or(0)),
            Keep::End(_) => {
                let line = memchr::memchr(b'\n', &kept).unwrap_or(kept.len());
                kept.drain(..line);
            }
        }
    }
    Ok(kept)
}

#[async_trait]
impl Voice for Command {
    async fn say(&self, prompt: &Prompt, usage: &mut Usage) -> Result<Said, ModelError> {
        let question = format!("{}\n\n{}\n", prompt.instructions(true), prompt.user);
        let left = self.run(&question).await?;
        let output = String::from_utf8_lossy(&left.output).into_owned();
        if !left.status.success() {
            let errors = String::from_utf8_lossy(&left.errors);
            // Some programs tell their failures on the other output.
            let said = match errors.trim() {
                "" => output.as_str(),
                errors => errors,
            };
            return Err(self.ended(how(left.status), said));
        }
        self.unwrapped(output, prompt.form, usage)
    }
}

impl Command {
    /// Takes a reply out of the envelope in which agents' command lines print it as JSON.
    fn unwrapped(
        &self,
        output: String,
        form: &Form,
        usage: &mut Usage,
    ) -> Result<Said, ModelError> {
        let Some(envelope) = find::object(form, &output) else {
            return Ok(Said::Text(output));
        };
        let field = |key| envelope.get(key);
        if form.is_in(&envelope) {
            return Ok(Said::Fields(Value::Object(envelope)));
        }
        let Some(result) = field("result").and_then(Value::as_str) else {
            return Ok(Said::Text(output));
        };
        let count = |key| field("usage").and_then(|used| used.get(key)?.as_u64());
        usage.input_tokens += [
            "input_tokens",
            "cache_creation_input_tokens",
            "cache_read_input_tokens",
        ]
        .into_iter()
        .filter_map(count)
        .sum::<u64>();
        usage.output_tokens += count("output_tokens").unwrap_or(0);
        if field("is_error").and_then(Value::as_bool) == Some(true) {
            return Err(self.ended("reports an error".to_owned(), result));
        }
        Ok(match field("structured_output") {
            Some(fields) if fields.is_object() => Said::Fields(fields.clone()),
            _ => Said::Text(result.to_owned()),
        })
    }
}

fn how(status: ExitStatus) -> String {
    match status.code() {
        Some(code) => format!("ended with code {code}"),
        None => "was ended by a signal".to_owned(),
    }
}

/// The processes that a program has started; they end when this goes.
struct Group {
    #[cfg(unix)]
    leader: Option<rustix::process::Pid>,
}

impl Group {
    #[cfg(unix)]
    fn of(child: &Child) -> Self {
        let id = child.id().and_then(|id| i32::try_from(id).ok());
        Self {
            leader: id.and_then(rustix::process::Pid::from_raw),
        }
    }

    #[cfg(not(unix))]
    fn of(_: &Child) -> Self {
        Self {}
    }
}

#[cfg(unix)]
impl Drop for Group {
    fn drop(&mut self) {
        if let Some(leader) = self.leader {
            // Fails when all of them have ended, which is as good.
            let _ended = rustix::process::kill_process_group(leader, rustix::process::Signal::KILL);
        }
    }
}
