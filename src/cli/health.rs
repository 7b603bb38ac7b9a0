//! `jezero health`: whether each source is read as it should be; telling others when it is not.

use clap::ArgMatches;
use serde::Serialize;

use super::failure::Failure;
use super::output::Output;
use super::search::json;
use super::serve::runtime;
use super::setting::Setting;
use super::{Entry, Exit, Globals};
use crate::health::{Alerts, Beat, Health, alert, beat};
use crate::item::SourceName;
use crate::store::{ConnectorState, Store};

pub(super) const COMMAND: Entry = Entry { define, run };

fn define() -> clap::Command {
    clap::Command::new("health")
        .about("Tell whether each source is read as it should be")
        .long_about(
            "Judges each enabled connector: never (no run yet), failing (its last run failed), \
             stale (no successful run for [watchdog].max_silence_hours) or ok. Ends with exit \
             code 1 when one is not ok. Failures are sent to the address in the variable that \
             [watchdog].alert_webhook_env names, and the address of heartbeat_url_env is called.",
        )
        .arg(json())
}

#[derive(Serialize)]
struct Alerted {
    alerted: Vec<SourceName>,
}

#[derive(Serialize)]
struct Heartbeat {
    heartbeat: Beat,
}

fn run(matches: &ArgMatches, globals: &Globals, output: &mut Output) -> Result<Exit, Failure> {
    let setting = Setting::load(globals)?;
    let healths = healths(&setting)?;
    let json = matches.get_flag("json");
    for health in &healths {
        if json {
            output.json_line(health);
        } else {
            output.line(health.text());
        }
    }
    let told = tell(&setting, &healths, json, output);
    let ailing = healths.iter().filter(|health| !health.is_ok()).count();
    if ailing > 0 && !json {
        output.note("hint: `jezero run` reads the sources now and tells what fails");
    }
    told?;
    Ok(if ailing == 0 {
        Exit::Done
    } else {
        Exit::Failed
    })
}

/// The health of each enabled connector. Before the first run there is no library.
fn healths(setting: &Setting) -> Result<Vec<Health>, Failure> {
    let config = &setting.config;
    let exists = config.storage.path.exists();
    let library = exists.then(|| setting.library()).transpose()?;
    let now = setting.clock.now();
    let enabled = config.connectors.iter().filter(|c| c.enabled);
    enabled
        .map(|connector| {
            let state = match &library {
                Some(library) => library.view().state(&connector.name)?,
                None => ConnectorState::default(),
            };
            Ok(Health::of(&connector.name, &state, &config.watchdog, now))
        })
        .collect()
}

fn tell(
    setting: &Setting,
    healths: &[Health],
    json: bool,
    output: &mut Output,
) -> Result<(), Failure> {
    let alerts = Alerts::new(&setting.config.watchdog, &setting.config.env);
    let runtime = runtime()?;
    if alerts.has_webhook() {
        let store = Store::open(&setting.config.storage.path)?;
        let told = runtime.block_on(alert(&alerts, healths, &store, setting.clock.now()));
        let alerted = told.map_err(|error| Failure::new(Exit::Failed, error))?;
        if json && !alerted.is_empty() {
            output.json_line(&Alerted { alerted });
        } else if !alerted.is_empty() {
            output.note(format!("told the webhook of {}", alerted.len()));
        }
    }
    let beaten = runtime.block_on(beat(&alerts, healths));
    if let Some(heartbeat) = beaten.map_err(|error| Failure::new(Exit::Failed, error))?
        && json
    {
        output.json_line(&Heartbeat { heartbeat });
    }
    Ok(())
}
