//! `jezero export-jsonl`: every item with every field, one JSON object a line.

use std::fs::{self, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::Path;

use clap::{Arg, ArgMatches};

use super::failure::Failure;
use super::output::Output;
use super::setting::Setting;
use super::{Entry, Exit, Globals};
use crate::access::Reader;
use crate::export;

pub(super) const COMMAND: Entry = Entry { define, run };

fn define() -> clap::Command {
    clap::Command::new("export-jsonl")
        .about("Write every item with every field, originals too, one JSON object a line")
        .long_about(
            "Writes every item with every field, originals too, one JSON object a line, in the \
             order of their numbers. `jezero import-jsonl` reads it back.",
        )
        .arg(
            Arg::new("path")
                .value_name("FILE")
                .required(true)
                .help("A new file, or - for standard output"),
        )
}

fn run(matches: &ArgMatches, globals: &Globals, output: &mut Output) -> Result<Exit, Failure> {
    let library = Setting::load(globals)?.library()?;
    let path = matches
        .get_one::<String>("path")
        .map_or("-", String::as_str);
    let reader = Reader::everything();
    if path == "-" {
        export::export_jsonl(library.view(), &reader, output.writer())?;
        return Ok(Exit::Done);
    }
    let fault = |error: std::io::Error| Failure::text(Exit::BadUse, format!("{path}: {error}"));
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    // Written beside and moved into place, so that a kill leaves no half of a file.
    let beside = format!("{path}.part");
    if Path::new(path).exists() {
        return Err(
            Failure::text(Exit::BadUse, format!("{path} exists and was left as it is"))
                .hint("give another name"),
        );
    }
    drop(fs::remove_file(&beside));
    let written = || -> Result<u64, Failure> {
        let mut file = BufWriter::new(options.open(&beside).map_err(fault)?);
        let items = export::export_jsonl(library.view(), &reader, &mut file)?;
        file.flush().map_err(fault)?;
        file.get_ref().sync_all().map_err(fault)?;
        fs::rename(&beside, path).map_err(fault)?;
        Ok(items)
    };
    let items = written().inspect_err(|_| {
        // A part is of no use, and on a full disk in the way.
        drop(fs::remove_file(&beside));
    })?;
    output.note(format!("{items} items written to {path}"));
    Ok(Exit::Done)
}
