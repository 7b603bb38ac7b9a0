//! `[watchdog]`: when silence counts as a failure, and who is told.

use super::reading::Section;

/// Settings of the health checks.
#[derive(Debug, Clone, PartialEq)]
pub struct Watchdog {
    /// Hours without a successful run after which a source counts as stale.
    pub max_silence_hours: f64,
    /// Hours after which a failure that lasts is told again.
    pub realert_hours: f64,
    /// Name of the variable with the address that failures are sent to.
    pub alert_webhook_env: Option<String>,
    /// Name of the variable with the address that is called while all is well.
    pub heartbeat_url_env: Option<String>,
}

impl Default for Watchdog {
    fn default() -> Self {
        Self {
            max_silence_hours: 24.0,
            realert_hours: 12.0,
            alert_webhook_env: None,
            heartbeat_url_env: None,
        }
    }
}

impl Watchdog {
    pub(super) const KEYS: &[&str] = &[
        "max_silence_hours",
        "realert_hours",
        "alert_webhook_env",
        "heartbeat_url_env",
    ];

    pub(super) fn read(section: &Section<'_>) -> Self {
        section.only(Self::KEYS);
        let standard = Self::default();
        let hours = |key, standard| section.positive(key).unwrap_or(standard);
        Self {
            max_silence_hours: hours("max_silence_hours", standard.max_silence_hours),
            realert_hours: hours("realert_hours", standard.realert_hours),
            alert_webhook_env: section.variable("alert_webhook_env"),
            heartbeat_url_env: section.variable("heartbeat_url_env"),
        }
    }
}
