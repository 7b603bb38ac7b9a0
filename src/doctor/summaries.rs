//! Whether summaries can be asked for, and whether those who are to be told can be.

use super::{Check, Patient, quoted};
use crate::config::NotReady;

const SUMMARIZER: &str = "summarizer";
const VARIABLES: &str = "variables";

pub(super) fn look(patient: &Patient<'_>, told: &mut dyn FnMut(Check)) {
    let config = patient.config;
    told(match config.summarizer.ready(&config.env) {
        Ok(()) => Check::ok(
            SUMMARIZER,
            format!("{} is ready", config.summarizer.provider),
        ),
        Err(NotReady::Key { variable }) => {
            let text = format!("the environment variable {variable} is not set");
            Check::failing(SUMMARIZER, text, set(patient, &variable))
        }
        Err(error) => Check::failing(SUMMARIZER, error.to_string(), error.hint()),
    });
    // Lines of the .env file that cannot be read often are the reason for what follows.
    for problem in &config.env_problems {
        let file = quoted(&config.base.join(".env"));
        let mend = format!("\"${{EDITOR:-vi}}\" {file}");
        told(Check::warning(VARIABLES, problem.to_string(), mend));
    }
    for variable in [
        &config.watchdog.alert_webhook_env,
        &config.watchdog.heartbeat_url_env,
    ]
    .into_iter()
    .flatten()
    {
        if config.env.get(variable).is_none() {
            let text = format!("[watchdog] names {variable}, which is not set: nobody is told");
            told(Check::failing(VARIABLES, text, set(patient, variable)));
        }
    }
}

/// How to set a variable for this configuration alone.
pub(super) fn set(patient: &Patient<'_>, variable: &str) -> String {
    let file = quoted(&patient.config.base.join(".env"));
    format!("echo '{variable}=VALUE' >> {file} && chmod 600 {file}    # with its value for VALUE")
}
