//! Whether each source can be read, was read, and will still be there when it is.

use super::summaries::set;
use super::walk::{Walk, walk};
use super::{Check, Patient, quoted};
use crate::config::ConnectorConfig;
use crate::item::SourceName;
use crate::store::{ConnectorState, View};
use jezero_connectors::connector::{Connector, Perishable};

const SOURCE: &str = "source";
const TRANSCRIPTS: &str = "transcripts";
const DAY: i64 = 24 * 3600;

pub(super) fn look(patient: &Patient<'_>, library: Option<&View>, told: &mut dyn FnMut(Check)) {
    let enabled = patient.config.connectors.iter().filter(|one| one.enabled);
    let mut some = false;
    for connector in enabled {
        some = true;
        one(patient, connector, library, told);
    }
    if !some {
        let mend = patient.edit("enabled = false, or add a [[connectors]] block,");
        told(Check::failing(SOURCE, "no connector is enabled", mend));
    }
}

fn one(
    patient: &Patient<'_>,
    connector: &ConnectorConfig,
    library: Option<&View>,
    told: &mut dyn FnMut(Check),
) {
    let name = &connector.name;
    for variable in connector.variables() {
        if patient.config.env.get(variable).is_none() {
            let text = format!("{name}: the environment variable {variable} is not set");
            told(Check::failing(SOURCE, text, set(patient, variable)));
        }
    }
    if let Some(missing) = patient.config.missing_folder(connector) {
        let what = format!("the options of {name} (or set enabled = false)");
        let text = format!("{name}: {missing}");
        told(Check::failing(SOURCE, text, patient.edit(&what)));
        return;
    }
    let built = match connector.build(patient.config) {
        Ok(built) => built,
        Err(error) => {
            let what = format!("the options of {name}");
            let text = format!("{name}: {error}");
            told(Check::failing(SOURCE, text, patient.edit(&what)));
            return;
        }
    };
    for folder in built.watched().folders {
        let found = walk(&folder);
        if let Some(check) = unreadable(name, &found) {
            told(check);
        }
    }
    // Without a library that can be read nothing is known, which has been told.
    if let Some(state) = library.and_then(|view| view.state(name).ok()) {
        told(history(patient, name, &state));
    }
    if let Some(check) = perishable(patient, name, built.as_ref(), library) {
        told(check);
    }
}

fn unreadable(name: &SourceName, found: &Walk) -> Option<Check> {
    let first = found.first.as_ref()?;
    let text = format!(
        "{name}: {} files or folders cannot be read, such as {}",
        found.unreadable,
        first.display()
    );
    let path = quoted(first);
    let mend = match cfg!(target_os = "linux") {
        true => format!("sudo setfacl -R -m u:\"$(id -un)\":rX {path}"),
        false => {
            let rights = "read,execute,list,search,file_inherit,directory_inherit";
            format!("sudo chmod -R +a \"$(id -un) allow {rights}\" {path}")
        }
    };
    Some(Check::failing(SOURCE, text, mend))
}

fn history(patient: &Patient<'_>, name: &SourceName, state: &ConnectorState) -> Check {
    let run = patient.command(&format!("run --connector {name}"));
    match state.last_run_at {
        None => Check::warning(SOURCE, format!("{name}: it has not been read yet"), run),
        Some(at) => match &state.last_error {
            Some(error) => Check::failing(SOURCE, format!("{name}: read at {at}: {error}"), run),
            None => Check::ok(SOURCE, format!("{name}: read at {at}")),
        },
    }
}

fn perishable(
    patient: &Patient<'_>,
    name: &SourceName,
    built: &dyn Connector,
    library: Option<&View>,
) -> Option<Check> {
    let layout = patient.config.summarizer.max_input_chars;
    let memory = library.and_then(|view| view.memory(name, layout).ok());
    let perishable = built.perishable(&memory.unwrap_or_default())?;
    Some(judge(patient, name, &perishable))
}

/// Unread transcripts fail once their source may delete them, and warn once two thirds of the time has
/// passed: by then they could have been read many times.
fn judge(patient: &Patient<'_>, name: &SourceName, perishable: &Perishable) -> Check {
    let days = i64::from(perishable.days);
    let older = |seconds: i64| {
        let age = |at: &&crate::item::Instant| patient.now.unix() - at.unix() >= seconds;
        perishable.unread.iter().filter(age).count()
    };
    let run = patient.command(&format!("run --connector {name}"));
    let told = |count: usize, when: &str| {
        format!(
            "{name}: {count} transcripts have not been read to their end and {when} ({})",
            perishable.set_in
        )
    };
    let (lost, near) = (older(days * DAY), older(days * DAY * 2 / 3));
    if lost > 0 {
        let when = format!("are deleted when the agent starts next: after {days} days");
        return Check::failing(TRANSCRIPTS, told(lost, &when), run);
    }
    if near > 0 {
        let when =
            format!("are deleted {days} days after their last change, most of which have passed");
        return Check::warning(TRANSCRIPTS, told(near, &when), run);
    }
    let text =
        format!("{name}: none will be deleted unread (the agent keeps them for {days} days)");
    Check::ok(TRANSCRIPTS, text)
}

#[cfg(test)]
mod tests {
    use super::super::Verdict;
    use super::*;
    use crate::config::{Config, Env};
    use crate::item::Instant;

    #[test]
    fn unread_transcripts_warn_when_two_thirds_of_their_time_has_passed() {
        let path = std::path::Path::new("/etc/jezero/jezero.toml");
        let config = Config::parse("", path, Env::given([])).unwrap();
        let now = Instant::parse("2026-10-31T00:00:00Z").unwrap();
        let patient = Patient {
            config: &config,
            program: "jezero".to_owned(),
            now,
            thorough: false,
        };
        let name = SourceName::new("agent-a").unwrap();
        let judged = |ages: &[i64]| {
            let unread = ages.iter().map(|days| now.unix() - days * DAY);
            let perishable = Perishable {
                days: 30,
                set_in: "cleanupPeriodDays in settings.json".to_owned(),
                unread: unread.filter_map(Instant::from_unix).collect(),
            };
            judge(&patient, &name, &perishable)
        };
        assert_eq!(judged(&[]).result, Verdict::Ok);
        assert_eq!(judged(&[1, 19]).result, Verdict::Ok);
        let near = judged(&[1, 20, 29]);
        assert_eq!(
            (near.result, near.text.as_str(), near.mend.as_deref()),
            (
                Verdict::Warning,
                "agent-a: 2 transcripts have not been read to their end and are deleted 30 days after \
                 their last change, most of which have passed (cleanupPeriodDays in settings.json)",
                Some("jezero run --connector agent-a")
            )
        );
        assert_eq!(judged(&[20, 30]).result, Verdict::Failing);
    }
}
