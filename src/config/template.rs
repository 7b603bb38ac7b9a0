//! The text of a new configuration, for a computer on which some sources were found.

use std::path::{Path, PathBuf};

use jezero_connectors::{Kind, SourceName};

/// The configuration at the root of this program's sources: every key with its default.
const COMPLETE: &str = include_str!("../../jezero.toml");
/// The line that opens the first source in [`COMPLETE`].
const FIRST_SOURCE: &str = "\n[[connectors]]\n";
/// Longest source name, in bytes.
const NAME_BYTES: usize = 64;

/// Writes a configuration: all keys with their defaults, commented, and one source for each kind
/// that was found, with the place where it was found.
///
/// `hostname` becomes part of the sources' names, such as `agent-claude-code-laptop`. Writes no
/// file.
#[must_use]
pub fn template(found: &[(&dyn Kind, PathBuf)], hostname: &str) -> String {
    let (settings, example) = COMPLETE.split_once(FIRST_SOURCE).unwrap_or((COMPLETE, ""));
    // New libraries get what old configurations must not get by surprise.
    let mut text = settings.replace("#short_terms = false", "short_terms = true");
    text.push('\n');
    if found.is_empty() {
        text.push_str("# No source was found on this computer. One looks like this:\n");
        for line in ["[[connectors]]"].into_iter().chain(example.lines()) {
            let mark = if line.is_empty() || line.starts_with('#') {
                ""
            } else {
                "#"
            };
            text.push_str(&format!("{mark}{line}\n"));
        }
    }
    for (number, (kind, place)) in found.iter().enumerate() {
        if number > 0 {
            text.push('\n');
        }
        text.push_str(&source(*kind, place, hostname));
    }
    text
}

fn source(kind: &dyn Kind, place: &Path, hostname: &str) -> String {
    let name = source_name(kind, hostname);
    let options = kind.template(place);
    format!(
        "[[connectors]]\nname = \"{name}\"\ntype = \"{}\"\n\n[connectors.options]\n{options}",
        kind.name()
    )
}

/// `agent-<kind>-<host>`: the first label of the host name, in the letters that a source name has.
fn source_name(kind: &dyn Kind, hostname: &str) -> String {
    let host = hostname
        .split('.')
        .next()
        .unwrap_or_default()
        .to_lowercase();
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let host: String = host.chars().map(plain).collect();
    let kind = kind.name().replace('_', "-");
    let mut name = format!("agent-{kind}-{}", host.trim_matches('-'));
    name.truncate(NAME_BYTES);
    let name = name.trim_end_matches('-');
    debug_assert!(SourceName::new(name).is_ok(), "{name}");
    name.to_owned()
}
