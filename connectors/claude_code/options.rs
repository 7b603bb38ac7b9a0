//! `[connectors.options]` of the kind `claude_code`.

use serde::{Deserialize, Serialize};

use crate::digest;
use crate::error::ConnectorError;
use crate::options;

/// Changes whenever the rendering of unchanged bytes changes, so that a touched session is read
/// whole instead of from its end.
const RENDERING: u64 = 1;

/// The options; see `docs/connectors/claude-code.md` for what each does.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// The folder with one folder a project, or a pattern with `*` and `?`; by default the
    /// agent's own.
    pub projects_dir: Option<String>,
    /// Minutes that a session must have rested before it is read; 0 reads at once.
    pub settle_minutes: u32,
    /// Rendered characters below which a session is not worth an item.
    pub min_chars: usize,
    /// Whether sub-agents become units of their own.
    pub include_subagents: bool,
    /// Tools whose successful results are kept.
    pub keep_results_of: Vec<String>,
    /// Characters kept of such a result.
    pub max_kept_result_chars: usize,
    /// Characters kept of a failing result.
    pub max_result_chars: usize,
    /// Characters kept of a call's arguments.
    pub max_tool_args_chars: usize,
    /// Megabytes (of 1024 × 1024 bytes) above which a line is passed over.
    pub max_line_mb: u64,
    /// Sessions begun through one of these are passed over (`sdk-cli`, for instance).
    pub skip_entrypoints: Vec<String>,
    /// Project folders that match one of these patterns are passed over.
    pub skip_project_dirs: Vec<String>,
}

impl Default for Options {
    fn default() -> Self {
        let common = options::Common::default();
        Self {
            projects_dir: None,
            settle_minutes: common.settle_minutes,
            min_chars: common.min_chars,
            include_subagents: false,
            keep_results_of: vec!["Task".to_owned(), "Agent".to_owned()],
            max_kept_result_chars: 3000,
            max_result_chars: 1500,
            max_tool_args_chars: 1500,
            max_line_mb: 32,
            skip_entrypoints: Vec::new(),
            skip_project_dirs: Vec::new(),
        }
    }
}

/// Keys with the least and greatest value that makes sense.
const BOUNDS: &[(&str, u64, u64)] = &[
    ("settle_minutes", 0, 525_600),
    ("min_chars", 0, 1_000_000),
    ("max_kept_result_chars", 0, 1_000_000),
    ("max_result_chars", 0, 1_000_000),
    ("max_tool_args_chars", 0, 1_000_000),
    ("max_line_mb", 1, 1024),
];

impl Options {
    /// Reads and checks an options table.
    ///
    /// # Errors
    /// [`ConnectorError::Option`] with the key and what would be right.
    pub fn read(table: &toml::Table) -> Result<Self, ConnectorError> {
        let refuse = |key: &str, message: String| ConnectorError::Option {
            key: key.to_owned(),
            message,
        };
        // Before the types are checked: a negative number is out of bounds to a person, not
        // "an integer where u32 was expected".
        for (key, least, most) in BOUNDS {
            let Some(value) = table.get(*key).and_then(toml::Value::as_integer) else {
                continue;
            };
            if !u64::try_from(value).is_ok_and(|value| (*least..=*most).contains(&value)) {
                return Err(refuse(
                    key,
                    format!("{value} is not within {least} and {most}"),
                ));
            }
        }
        let options: Self = options::parse(table)?;
        if options.projects_dir.as_deref().is_some_and(str::is_empty) {
            let message = "is empty; name a folder, or leave it out for the agent's own".to_owned();
            return Err(refuse("projects_dir", message));
        }
        for (key, list) in [
            ("keep_results_of", &options.keep_results_of),
            ("skip_entrypoints", &options.skip_entrypoints),
            ("skip_project_dirs", &options.skip_project_dirs),
        ] {
            if list.iter().any(|entry| entry.trim().is_empty()) {
                return Err(refuse(key, "has an empty entry".to_owned()));
            }
        }
        Ok(options)
    }

    /// The longest line in bytes.
    #[must_use]
    pub fn line_cap(&self) -> usize {
        usize::try_from(self.max_line_mb * 1024 * 1024).unwrap_or(usize::MAX)
    }

    /// Digests what decides how a record renders.
    #[must_use]
    pub fn rendering(&self) -> u64 {
        let mut state = digest::fast(RENDERING, &[u8::from(self.include_subagents)]);
        for number in [
            u64::try_from(self.max_kept_result_chars).unwrap_or(u64::MAX),
            u64::try_from(self.max_result_chars).unwrap_or(u64::MAX),
            u64::try_from(self.max_tool_args_chars).unwrap_or(u64::MAX),
            self.max_line_mb,
        ] {
            state = digest::fast(state, &number.to_le_bytes());
        }
        for name in &self.keep_results_of {
            state = digest::fast(state, name.as_bytes());
        }
        state
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        let table: toml::Table = text.parse().unwrap();
        Options::read(&table).unwrap_err().to_string()
    }

    #[test]
    fn an_empty_table_gives_the_documented_defaults() {
        assert_eq!(
            Options::read(&toml::Table::new()).unwrap(),
            Options::default()
        );
    }

    #[test]
    fn a_misspelt_key_is_refused_by_name() {
        let message = refused("projects_dirs = \"x\"");
        assert!(
            message.starts_with("projects_dirs: unknown field"),
            "{message}"
        );
    }

    #[test]
    fn what_is_out_of_bounds_is_refused_with_the_bounds() {
        assert_eq!(
            refused("max_line_mb = 0"),
            "max_line_mb: 0 is not within 1 and 1024"
        );
        assert_eq!(
            refused("settle_minutes = -1"),
            "settle_minutes: -1 is not within 0 and 525600"
        );
        assert_eq!(
            refused("keep_results_of = [\"\"]"),
            "keep_results_of: has an empty entry"
        );
    }
}
