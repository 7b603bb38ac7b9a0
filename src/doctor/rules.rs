//! Whether the redaction rules can be used: without them nothing is read.

use super::{Check, Patient};
use crate::redaction::Engine;

const CHECK: &str = "redaction rules";

pub(super) fn look(patient: &Patient<'_>, told: &mut dyn FnMut(Check)) {
    told(match Engine::with(&patient.config.redaction) {
        Ok(engine) => Check::ok(CHECK, format!("{} rules", engine.rules().len())),
        Err(error) => Check::failing(
            CHECK,
            format!("{error}: nothing is read"),
            patient.edit("[redaction], or the rule,"),
        ),
    });
}
