//! `jezero forget`: takes items, a session or a source out of the library for good.

use std::io::{self, IsTerminal};

use clap::{Arg, ArgAction, ArgGroup, ArgMatches, value_parser};
use jezero_connectors::SourceName;
use serde::Serialize;

use super::failure::Failure;
use super::output::Output;
use super::search::{json, text};
use super::setting::Setting;
use super::{Entry, Exit, Globals};
use crate::item::ItemId;
use crate::store::{Forget, Forgettable, StoreError};

pub(super) const COMMAND: Entry = Entry { define, run };

fn define() -> clap::Command {
    clap::Command::new("forget")
        .about("Take items, a session or a source out of the library for good")
        .long_about(
            "Takes items, a session or a whole source out of the library: summaries, originals and \
             words in the index, also out of the file's free pages and its log. What was forgotten \
             stays so: no later run or import brings it back, also not after `connector reset`, \
             until --undo lets it in again. Copies made before (backups, exports) are not touched.",
        )
        .arg(
            Arg::new("item")
                .value_name("ITEM")
                .num_args(1..)
                .value_parser(value_parser!(i64).range(1..))
                .help("Numbers of items"),
        )
        .arg(text(
            "unit",
            "REF",
            "A session, thread or task: its original_ref or its id, in every source",
        ))
        .arg(text(
            "source",
            "NAME",
            "Everything of a source, and what it would bring later",
        ))
        .group(
            ArgGroup::new("what")
                .args(["item", "unit", "source"])
                .required(true),
        )
        .arg(
            Arg::new("undo")
                .long("undo")
                .action(ArgAction::SetTrue)
                .conflicts_with("item")
                .help("Let a session or a source in again: the next run reads it anew"),
        )
        .arg(
            Arg::new("yes")
                .long("yes")
                .action(ArgAction::SetTrue)
                .help("Do not ask"),
        )
        .arg(json())
}

#[derive(Serialize)]
struct Answer {
    forgotten: bool,
    items: u64,
    units: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    erased: Option<bool>,
}

#[derive(Serialize)]
struct Undone {
    lifted: u64,
    marks_forgotten: u64,
}

fn run(matches: &ArgMatches, globals: &Globals, output: &mut Output) -> Result<Exit, Failure> {
    let setting = Setting::load(globals)?;
    let mut ids: Vec<ItemId> = matches
        .get_many::<i64>("item")
        .into_iter()
        .flatten()
        .map(|id| ItemId(*id))
        .collect();
    ids.sort_unstable();
    ids.dedup();
    let source = matches
        .get_one::<String>("source")
        .map(SourceName::new)
        .transpose()
        .map_err(|error| Failure::text(Exit::BadUse, format!("--source: {error}")))?;
    let unit = matches.get_one::<String>("unit");
    let what = match (&source, unit) {
        (Some(source), _) => Forget::Source(source),
        (None, Some(unit)) => Forget::Unit(unit),
        (None, None) => Forget::Items(&ids),
    };
    let as_json = matches.get_flag("json");
    if matches.get_flag("undo") {
        return undo(what, &setting, as_json, output);
    }
    let found = setting.library()?.view().forgettable(what)?;
    refuse(what, &found, &setting)?;
    if !matches.get_flag("yes") && !agreed(what, &found, as_json, output) {
        return Ok(Exit::BadUse);
    }
    forget(what, &setting, as_json, output)
}

/// Nothing is forgotten when something that was named is not there.
fn refuse(what: Forget<'_>, found: &Forgettable, setting: &Setting) -> Result<(), Failure> {
    let refused = |message: String, hint: &str| {
        Err(Failure::text(Exit::Failed, format!("{message}; nothing was forgotten")).hint(hint))
    };
    match what {
        Forget::Items(_) if !found.missing.is_empty() => {
            let missing: Vec<String> = found.missing.iter().map(ToString::to_string).collect();
            refused(
                format!("there is no item {}", missing.join(", ")),
                "`jezero search` and `jezero timeline` show the numbers of items",
            )
        }
        Forget::Unit(_) if found.items == 0 && found.units == 0 => refused(
            "no session has that original_ref or id".to_owned(),
            "`jezero show ITEM --json` shows the original_ref of an item",
        ),
        Forget::Source(name) if !found.known_source => {
            let connectors = &setting.config.connectors;
            match connectors.iter().any(|connector| connector.name == *name) {
                true => Ok(()),
                false => refused(
                    format!("there is no source {name}"),
                    "`jezero sources` lists them",
                ),
            }
        }
        _ => Ok(()),
    }
}

/// Tells what would go, and asks where somebody can answer.
fn agreed(what: Forget<'_>, found: &Forgettable, as_json: bool, output: &mut Output) -> bool {
    if as_json {
        output.json_line(&Answer {
            forgotten: false,
            items: found.items,
            units: found.units,
            erased: None,
        });
    } else {
        for (id, title) in &found.first {
            output.line(format!("[{id}] {title}"));
        }
        let shown = u64::try_from(found.first.len()).unwrap_or(u64::MAX);
        if found.items > shown {
            output.line(format!("… and {} more", found.items - shown));
        }
        let also = match what {
            Forget::Source(name) => format!(", and whatever {name} would bring later"),
            _ => String::new(),
        };
        output.line(format!("{}{also}", amount(found.items, found.units)));
    }
    if as_json || !io::stdin().is_terminal() {
        output.note("nothing was forgotten");
        output.note("hint: add --yes to forget this for good");
        return false;
    }
    output.note("Forget this for good? Type yes to do it:");
    let mut answer = String::new();
    let read = io::stdin().read_line(&mut answer);
    let agreed = read.is_ok() && answer.trim().eq_ignore_ascii_case("yes");
    if !agreed {
        output.note("nothing was forgotten");
    }
    agreed
}

fn forget(
    what: Forget<'_>,
    setting: &Setting,
    as_json: bool,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let (_lock, mut store) = setting.store("forget", output)?;
    let bar = output.progress("{spinner} taking it out of the file", None);
    bar.enable_steady_tick(std::time::Duration::from_millis(200));
    let done = store.forget(what, setting.clock.now());
    bar.finish_and_clear();
    let done = done.map_err(|error| match error {
        StoreError::Sqlite(_) => Failure::from(error).hint(
            "make room on the disk or end what holds the library, then give the command again",
        ),
        error => Failure::from(error),
    })?;
    if as_json {
        output.json_line(&Answer {
            forgotten: true,
            items: done.items,
            units: done.units,
            erased: Some(done.erased),
        });
    } else {
        output.line(format!("forgotten: {}", amount(done.items, done.units)));
    }
    let connectors = &setting.config.connectors;
    let reads = |name: &SourceName| {
        let mut connectors = connectors.iter();
        connectors.any(|connector| connector.name == *name && connector.enabled)
    };
    if let Forget::Source(name) = what
        && reads(name)
    {
        output.note(format!(
            "hint: set enabled = false for the connector {name}, else `jezero health` calls it stale"
        ));
    }
    if done.erased {
        return Ok(Exit::Done);
    }
    output.note(
        "error: a reader holds the library's log, where bytes of it may still stand; they go when \
         the library is next written",
    );
    output.note("hint: end what reads the library (`jezero serve`), then `jezero run`");
    Ok(Exit::Failed)
}

/// How much something is: items, and sessions that go as a whole.
fn amount(items: u64, units: u64) -> String {
    let items = match items {
        1 => "1 item".to_owned(),
        items => format!("{items} items"),
    };
    match units {
        0 => items,
        1 => format!("{items}, one session as a whole"),
        units => format!("{items}, {units} sessions as a whole"),
    }
}

fn undo(
    what: Forget<'_>,
    setting: &Setting,
    as_json: bool,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let (_lock, mut store) = setting.store("forget --undo", output)?;
    let lifted = match what {
        Forget::Source(name) => store.let_in_source(name)?,
        Forget::Unit(name) => store.let_in_unit(name)?,
        Forget::Items(_) => return Ok(Exit::BadUse),
    };
    if as_json {
        output.json_line(&Undone {
            lifted: lifted.notes,
            marks_forgotten: lifted.marks,
        });
    } else if lifted.notes > 0 {
        output.line("let in again; the next run or import may bring it");
    }
    if lifted.notes == 0 {
        output.note("nothing of that name was forgotten");
        return Ok(Exit::Failed);
    }
    Ok(Exit::Done)
}
