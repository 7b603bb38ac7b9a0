//! The library's file and its index.

use super::{Check, Patient, quoted};
use crate::store::{Result, StoreError, Trouble, View};

const FILE: &str = "library";
const INTEGRITY: &str = "database integrity";
const INDEX: &str = "index";

/// Opens the library and looks through it; `None` when it cannot be opened.
pub(super) fn look(patient: &Patient<'_>, told: &mut dyn FnMut(Check)) -> Option<View> {
    let view = match View::open(&patient.config.storage.path) {
        Ok(view) => view,
        Err(error) => {
            told(closed(patient, &error));
            return None;
        }
    };
    let sound = view.check_file(patient.thorough);
    let is_sound = matches!(&sound, Ok(faults) if faults.is_empty());
    told(integrity(patient, sound));
    // Of a damaged file the index says nothing of use.
    if is_sound {
        told(index(patient, &view).unwrap_or_else(|error| closed(patient, &error)));
    }
    Some(view)
}

/// Why there is nothing to look at.
fn closed(patient: &Patient<'_>, error: &StoreError) -> Check {
    let run = || patient.command("run");
    let mend = match error {
        // Whatever writes brings it up to date; a run needs something to read.
        StoreError::Older { .. } if !patient.config.connectors.iter().any(|it| it.enabled) => {
            patient.command("index rebuild")
        }
        StoreError::Missing { .. } | StoreError::Older { .. } => run(),
        // What takes it over is told by the command that finds it there.
        StoreError::Earlier { .. } => format!("{}    # says how to take it over", run()),
        StoreError::Foreign { .. } => format!(
            "{}; or, if it was your library: {}",
            patient.edit("[storage].path"),
            restore(patient)
        ),
        StoreError::Newer { .. } => {
            "cargo install --path .    # in a newer checkout of jezero".to_owned()
        }
        StoreError::Locked { .. } => patient.command("runs"),
        StoreError::File { path, .. } => {
            format!(
                "sudo chown \"$(id -un)\" {0} && chmod 600 {0}",
                quoted(path)
            )
        }
        StoreError::Sqlite(_) | StoreError::Damaged { .. } => out_of_trouble(patient, error),
    };
    let text = match error {
        StoreError::Missing { .. } => format!("{error} yet"),
        _ => error.to_string(),
    };
    Check::failing(FILE, text, mend)
}

fn integrity(patient: &Patient<'_>, sound: Result<Vec<String>>) -> Check {
    match sound {
        Ok(faults) if faults.is_empty() && patient.thorough => {
            Check::ok(INTEGRITY, "every page and every row is sound")
        }
        Ok(faults) if faults.is_empty() => Check::ok(INTEGRITY, "every page is sound"),
        Ok(faults) => {
            let text = format!("the file is damaged: {}", faults.join("; "));
            Check::failing(INTEGRITY, text, restore(patient))
        }
        Err(error) => {
            let mend = out_of_trouble(patient, &error);
            Check::failing(INTEGRITY, error.to_string(), mend)
        }
    }
}

fn index(patient: &Patient<'_>, view: &View) -> Result<Check> {
    let mend = patient.command("index rebuild");
    if patient.thorough {
        let checked = view.check_index()?;
        if checked.faults > 0 {
            let text = format!(
                "the index differs from the items in {} places",
                checked.faults
            );
            return Ok(Check::failing(INDEX, text, mend));
        }
    }
    let gaps = view.index_gaps()?;
    if gaps.missing + gaps.left > 0 {
        let text = format!(
            "{} items are not in the index, {} of its entries have no item",
            gaps.missing, gaps.left
        );
        return Ok(Check::failing(INDEX, text, mend));
    }
    if gaps.waiting > 0 {
        let text = format!(
            "{} items wait to be indexed; until then searches read every text",
            gaps.waiting
        );
        return Ok(Check::warning(INDEX, text, patient.command("run")));
    }
    let how = if patient.thorough {
        "word by word"
    } else {
        "in numbers"
    };
    Ok(Check::ok(INDEX, format!("in step with the items ({how})")))
}

/// What to do when SQLite cannot read the file. Only one that is damaged has to give way to a copy.
fn out_of_trouble(patient: &Patient<'_>, error: &StoreError) -> String {
    let library = quoted(&patient.config.storage.path);
    match error.trouble() {
        Some(Trouble::Damaged) => restore(patient),
        Some(Trouble::Busy) => {
            format!("lsof {library}    # names who keeps it to itself; end that")
        }
        Some(Trouble::Full) => format!("df -h {library}    # make room there"),
        Some(Trouble::Descriptors) => "ulimit -n 256".to_owned(),
        Some(Trouble::ReadOnly | Trouble::Unopened) => {
            format!("sudo chown \"$(id -un)\" {library} && chmod u+rw {library}")
        }
        Some(Trouble::Disk) => "dmesg | tail    # what the system says of the disk".to_owned(),
        None => patient.command("index check"),
    }
}

/// How to go back to a copy.
fn restore(patient: &Patient<'_>) -> String {
    format!(
        "{} && {}    # with your newest backup for COPY; docs/operations.md, \"Restore a backup\"",
        patient.command("restore COPY"),
        patient.command("run")
    )
}
