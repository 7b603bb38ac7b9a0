//! Whether the clock agrees with what it said before.

use super::{Check, Patient};
use crate::item::Instant;
use crate::store::View;

const CHECK: &str = "clock";
/// Seconds by which clocks are set back as a matter of course.
const SLACK: i64 = 120;

pub(super) fn look(patient: &Patient<'_>, library: Option<&View>, told: &mut dyn FnMut(Check)) {
    let latest = library.and_then(|view| latest(patient, view));
    told(judge(latest, patient));
}

/// The latest reading of a source, by the clock of its time.
fn latest(patient: &Patient<'_>, view: &View) -> Option<(Instant, String)> {
    let connectors = patient.config.connectors.iter();
    let read = connectors.filter_map(|connector| {
        let state = view.state(&connector.name).ok()?;
        let latest = state.last_run_at.max(state.last_success_at)?;
        Some((latest, connector.name.to_string()))
    });
    read.max()
}

fn judge(latest: Option<(Instant, String)>, patient: &Patient<'_>) -> Check {
    let ahead = latest.filter(|(at, _)| at.unix() - patient.now.unix() > SLACK);
    match ahead {
        None => Check::ok(CHECK, format!("it is {}", patient.now)),
        Some((at, source)) => {
            let text = format!(
                "it is {}, and {source} was read at {at}: the clock was wrong then or is wrong now",
                patient.now
            );
            let set = match cfg!(target_os = "macos") {
                true => "sudo sntp -sS time.apple.com",
                false => "sudo timedatectl set-ntp true",
            };
            Check::failing(CHECK, text, format!("{set} && {}", patient.command("run")))
        }
    }
}
