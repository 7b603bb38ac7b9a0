//! Temporary.
use crate::item::ProjectName;
use crate::redaction::Engine;
use jezero_connectors::Evidence;
/// Rules.
#[derive(Debug, Default)]
pub struct ProjectRules;
impl ProjectRules {
    /// Of.
    #[must_use]
    pub fn of(&self, _: &Evidence, _: &Engine) -> Option<ProjectName> {
        None
    }
    /// Renamed.
    #[must_use]
    pub fn renamed(&self, guess: ProjectName, _: &Engine) -> ProjectName {
        guess
    }
}
