//! The log: what is told while the program works, a line each, as text or as JSON.
//!
//! It goes to standard error, where a service manager keeps it and says for how long, or to a file
//! that stays small ([`file`]). Fields of an event are for machines and stand in JSON alone; the
//! message says all that a person needs.

mod file;
mod json;

use std::io;
use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, value_parser};
use tracing_subscriber::fmt::{Layer, MakeWriter, format};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry;

use super::Exit;
use super::failure::Failure;
use super::output::{Output, printable};
use file::Bounded;
use json::Json;

/// Where remarks of a command go once there is a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kept {
    /// Into the log on standard error.
    OnStderr,
    /// Into a file.
    InFile,
}

/// `--log`, for commands that tell how they are getting on.
pub(super) fn form() -> Arg {
    Arg::new("log")
        .long("log")
        .value_name("FORM")
        .value_parser(PossibleValuesParser::new(["text", "json"]))
        .help("Form of the log on standard error: text, or json with one object a line")
}

/// `--log-file`, for commands that go on and on.
pub(super) fn file() -> Arg {
    Arg::new("log-file")
        .long("log-file")
        .value_name("FILE")
        .value_parser(value_parser!(PathBuf))
        .help("Write the log to FILE, which is put aside as FILE.1 at 5 MB, instead of to standard error")
}

/// Sets the log up as the options of a command say.
///
/// # Errors
/// A file that cannot be written.
pub(super) fn start(matches: &ArgMatches, output: &mut Output) -> Result<(), Failure> {
    let named = |option: &str| matches.try_get_one::<String>(option).ok().flatten();
    let is_json = named("log").is_some_and(|form| form == "json");
    let path = matches.try_get_one::<PathBuf>("log-file").ok().flatten();
    if let Some(path) = path {
        let file = Bounded::open(path).map_err(|cause| {
            let told = format!("--log-file {}: {cause}", path.display());
            Failure::text(Exit::BadUse, told).hint("name a file in a folder that you may write to")
        })?;
        output.keep_log(Kept::InFile);
        set(is_json, file);
        return Ok(());
    }
    if is_json {
        output.keep_log(Kept::OnStderr);
    }
    set(is_json, io::stderr);
    Ok(())
}

/// Sends the log to standard error as text.
pub(super) fn to_stderr() {
    set(false, io::stderr);
}

fn set<W>(is_json: bool, writer: W)
where
    W: for<'a> MakeWriter<'a> + Send + Sync + 'static,
{
    // A second call has nothing to set: the first log stays.
    let is_set = match is_json {
        true => tracing::subscriber::set_global_default(
            registry()
                .with(level())
                .with(Layer::default().event_format(Json).with_writer(writer)),
        ),
        false => {
            tracing::subscriber::set_global_default(registry().with(level()).with(text(writer)))
        }
    };
    if is_set.is_err() {
        tracing::debug!("the log was already set up");
    }
}

fn level() -> tracing_subscriber::filter::LevelFilter {
    tracing_subscriber::filter::LevelFilter::INFO
}

/// Lines of time, level and message.
fn text<S, W>(writer: W) -> impl tracing_subscriber::Layer<S>
where
    S: tracing::Subscriber + for<'a> registry::LookupSpan<'a>,
    W: for<'a> MakeWriter<'a> + Send + Sync + 'static,
{
    let message = format::debug_fn(|writer, field, value| match field.name() {
        "message" => writer.write_str(&one_line(&format!("{value:?}"))),
        _ => Ok(()),
    });
    Layer::default()
        .with_ansi(false)
        .with_target(false)
        .fmt_fields(message)
        .with_writer(writer)
}

/// A message as one line that steers no terminal.
fn one_line(text: &str) -> String {
    printable(text).replace(['\n', '\t'], " ")
}

/// Failures as they stand in the log.
pub(super) fn failed(lines: &[String]) {
    let bare = |line: &String| line.strip_prefix("error: ").unwrap_or(line).to_owned();
    let told: Vec<String> = lines.iter().map(bare).collect();
    let told = told.join("; ");
    tracing::error!("{told}");
}

#[cfg(test)]
mod tests;
