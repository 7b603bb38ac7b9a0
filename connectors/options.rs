//! Reading `[connectors.options]`: unknown keys are refused, errors name the key.

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::error::ConnectorError;

/// Options that every reader of sessions has; flattened into each kind's own struct by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Common {
    /// A unit touched more recently waits, so that an active session is not summarised at every
    /// run.
    pub settle_minutes: u32,
    /// A unit with fewer rendered characters is not worth an item.
    pub min_chars: usize,
}

impl Default for Common {
    fn default() -> Self {
        Self {
            settle_minutes: 30,
            min_chars: 400,
        }
    }
}

/// Reads an options table into a kind's struct (which must be `deny_unknown_fields`).
///
/// # Errors
/// [`ConnectorError::Option`] with the key as far as it is known and the reader's own words.
pub fn parse<T: DeserializeOwned>(options: &toml::Table) -> Result<T, ConnectorError> {
    T::deserialize(toml::Value::Table(options.clone())).map_err(|error| {
        let message = error.message().to_owned();
        let key = message.split('`').nth(1).unwrap_or("options").to_owned();
        ConnectorError::Option { key, message }
    })
}
