//! `jezero retag`: the project rules of today on what is stored.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches, value_parser};
use jezero_connectors::SourceName;

use super::failure::Failure;
use super::output::Output;
use super::run::{ended_by_signals, flag};
use super::search::{json, text};
use super::setting::Setting;
use super::{Entry, Exit, Globals};
use crate::access::Reader;
use crate::pipeline::{self, Move, Progress, Retag};
use crate::project::ProjectRules;
use crate::store::Store;

pub(super) const COMMAND: Entry = Entry { define, run };

/// Changes that are shown to a person; --log has all.
const SHOWN: u64 = 10;

fn define() -> clap::Command {
    clap::Command::new("retag")
        .about("Apply the project rules of today to what is stored")
        .long_about(
            "Applies [projects] and the connector's project to what is stored of a source: what its \
             sessions said of their place is kept, so the source is not read and nothing is \
             summarised. Where a session says nothing, an item keeps its project, under its present \
             alias, or the summariser is asked for it (--ask-model).",
        )
        .arg(
            text("connector", "NAME", "The connector, or a source that it once filled")
                .required(true),
        )
        .arg(flag("dry-run", "Change nothing; tell what would change"))
        .arg(flag(
            "ask-model",
            "Ask the summariser for the project where no rule gives one",
        ))
        .arg(
            Arg::new("log")
                .long("log")
                .value_name("PATH")
                .value_parser(value_parser!(PathBuf))
                .help("Append a line for each change: item, external id, old and new project"),
        )
        .arg(json())
}

fn run(matches: &ArgMatches, globals: &Globals, output: &mut Output) -> Result<Exit, Failure> {
    let setting = Setting::load(globals)?;
    let engine = setting.engine()?;
    let rules = ProjectRules::new(&setting.config.projects, setting.config.env.home());
    let name = matches.get_one::<String>("connector");
    let name = name.map_or("", String::as_str);
    let source = SourceName::new(name)
        .map_err(|error| Failure::text(Exit::BadUse, format!("--connector: {error}")))?;
    let connectors = &setting.config.connectors;
    let connector = connectors.iter().find(|each| each.name == source);
    let known = setting
        .library()?
        .list_sources(&Reader::everything())?
        .sources;
    if connector.is_none() && !known.contains_key(&source) {
        let message = format!("there is no connector and no source {source}");
        return Err(Failure::text(Exit::BadUse, message)
            .hint("`jezero connector list` and `jezero sources` show them"));
    }
    let dry_run = matches.get_flag("dry-run");
    let model = match matches.get_flag("ask-model") {
        true => {
            let (runtime, stop) = ended_by_signals()?;
            Some((setting.summarizer()?, runtime, stop))
        }
        false => None,
    };
    let path = matches.get_one::<PathBuf>("log");
    let mut log = path.map(|path| open(path)).transpose()?;
    let (_lock, mut store) = match dry_run {
        true => (None, Store::open_to_look(&setting.config.storage.path)?),
        false => {
            let (lock, store) = setting.store("retag", output)?;
            (Some(lock), store)
        }
    };
    let with = Retag {
        source: &source,
        project: connector
            .and_then(|connector| connector.project.as_deref())
            .and_then(|name| rules.named(name, &engine)),
        rules: &rules,
        engine: &engine,
        dry_run,
    };
    let as_json = matches.get_flag("json");
    let bar = output.progress("{spinner} {msg} [{elapsed}]", None);
    let mut shown = 0;
    let mut told = |change: &Move| {
        shown += 1;
        if !as_json && shown <= SHOWN {
            output.line(format!("[{}] {}", change.item, moved(change)));
        }
        match (&mut log, path) {
            (Some(log), Some(path)) => {
                let line = format!("{}\t{}\n", change.item, moved(change));
                log.write_all(line.as_bytes())
                    .map_err(|error| fault(path, &error))
            }
            _ => Ok(()),
        }
    };
    let mut done = pipeline::retag(&mut store, &with, &mut told)?;
    if let Some((summarizer, runtime, stop)) = model {
        let mut pipeline = setting.pipeline(&mut store, (&engine, &rules), summarizer, stop);
        let mut progress = |progress: Progress| {
            bar.set_message(format!(
                "{} asked, {} changed",
                progress.units, progress.stored
            ));
            bar.tick();
        };
        let asking = pipeline::ask_projects(&mut pipeline, &mut done, &mut told, &mut progress);
        let asked = runtime.block_on(asking);
        bar.finish_and_clear();
        asked?;
    }
    if !dry_run {
        store.finish()?;
    }
    let exit = match &done.trouble {
        Some(trouble) if trouble.failed > 0 => Exit::Failed,
        _ => Exit::Done,
    };
    if as_json {
        output.json_line(&done);
        return Ok(exit);
    }
    if done.retagged > SHOWN {
        output.line(format!("… and {} more", done.retagged - SHOWN));
    }
    let verb = if dry_run { "would change" } else { "changed" };
    output.line(format!(
        "{source}: {} items looked at, {} {verb} their project",
        done.docs, done.retagged
    ));
    if let (Some(asked), Some(moved)) = (done.asked_model, done.moved_by_model) {
        let verb = if dry_run { "would be" } else { "was" };
        output.line(format!(
            "  the summariser {verb} asked for {asked} of them and moved {moved}"
        ));
    }
    if let Some(trouble) = &done.trouble {
        output.line(format!(
            "  failed: {}, left for another run: {}",
            trouble.failed, trouble.postponed
        ));
        let said = trouble.errors.iter().chain(&trouble.note);
        said.for_each(|text| output.line(format!("  {text}")));
    }
    Ok(exit)
}

/// What a change is, on one line: ids hold no control characters.
fn moved(change: &Move) -> String {
    let from = change.from.as_ref().map_or("-", |from| from.as_str());
    format!("{}\t{from}\t{}", change.external_id, change.to)
}

fn open(path: &Path) -> Result<File, Failure> {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map_err(|error| fault(path, &error))
}

fn fault(path: &Path, error: &std::io::Error) -> Failure {
    Failure::text(Exit::BadUse, format!("{}: {error}", path.display()))
        .hint("give another place for the log")
}
