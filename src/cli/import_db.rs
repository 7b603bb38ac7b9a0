//! `jezero import-db`: takes over a library of the Python package.

use std::path::PathBuf;

use clap::{Arg, ArgMatches, value_parser};

use super::failure::{Failure, take_over};
use super::output::Output;
use super::search::json;
use super::setting::Setting;
use super::{Entry, Exit, Globals};
use crate::import;
use crate::store::{Earlier, StoreError};

pub(super) const COMMAND: Entry = Entry { define, run };

/// Rows that are named to a person.
const SHOWN: usize = 10;

fn define() -> clap::Command {
    clap::Command::new("import-db")
        .about("Take over a library of the Python package 0.1.0")
        .long_about(
            "Takes the items of a library of the Python package 0.1.0 over, under their numbers, with \
             their originals, and when its connectors last ran. Its file is only read. Every text is \
             redacted again on the way in. All of it is stored, or nothing when a number is in \
             use here: import into a new library, before the first run.",
        )
        .arg(
            Arg::new("path")
                .value_name("PATH")
                .required(true)
                .value_parser(value_parser!(PathBuf))
                .help("The library file of the Python package"),
        )
        .arg(json())
}

fn run(matches: &ArgMatches, globals: &Globals, output: &mut Output) -> Result<Exit, Failure> {
    let setting = Setting::load(globals)?;
    let engine = setting.engine()?;
    let path = matches.get_one::<PathBuf>("path").cloned();
    let path = path.unwrap_or_default();
    let own = &setting.config.storage.path;
    let earlier = Earlier::open(&path).map_err(|error| match error {
        StoreError::Missing { path } => {
            Failure::text(Exit::BadUse, format!("there is no file {}", path.display()))
        }
        StoreError::Foreign { path, what } => Failure::text(
            Exit::BadUse,
            format!("{}: {what}", path.display()),
        )
        .hint(
            "this takes over libraries of the Python package 0.1.0; copies of this program's own \
                 are put in place as docs/operations.md says",
        ),
        error => error.into(),
    })?;
    let whole = |path: &PathBuf| path.canonicalize().ok();
    if whole(&path).is_some() && whole(&path) == whole(own) {
        let message = format!(
            "{} is where [storage].path says that this program's library is",
            path.display()
        );
        return Err(Failure::text(Exit::BadUse, message).hint(take_over(own)));
    }
    let (_lock, mut store) = setting.store("import-db", output)?;
    let bar = output.progress("{bar:30} {pos} of {len} items [{elapsed}]", Some(0));
    let mut told = |done, all| {
        bar.set_length(all);
        bar.set_position(done);
    };
    let now = setting.clock.now();
    let taken = import::import_db(&mut store, &engine, &earlier, now, &mut told);
    bar.finish_and_clear();
    let taken = taken?;
    if matches.get_flag("json") {
        output.json_line(&taken);
    } else {
        output.line(format!("{} items taken over", taken.inserted));
        let mut say = |count: u64, what: &str| {
            if count > 0 {
                output.line(format!("  {what}: {count}"));
            }
        };
        say(taken.unchanged, "here already");
        say(taken.forgotten, "left out, since they were forgotten");
        say(taken.mended, "with something left out that was not right");
        say(taken.redactions, "secrets hidden that stood there in clear");
        say(taken.connectors, "connectors whose last run is known");
        say(taken.passed_over, "damaged rows passed over");
        for problem in taken.problems.iter().take(SHOWN) {
            output.line(format!("  item {}: {}", problem.item, problem.reason));
        }
        output.note(
            "hint: the next `jezero run` reads the sessions that are still there anew; --dry-run \
             tells how much that is",
        );
    }
    Ok(match taken.passed_over {
        0 => Exit::Done,
        _ => Exit::Failed,
    })
}
