//! `[projects]`: which folders belong to which project, and what projects are called.

use std::collections::BTreeMap;

use unicode_normalization::UnicodeNormalization;

use super::reading::Section;
use super::shown;
use crate::item::ProjectName;

/// Folder names below which each folder is a project.
pub(crate) const ROOTS: [&str; 14] = [
    "projects",
    "code",
    "dev",
    "src",
    "repos",
    "repositories",
    "git",
    "github",
    "gitlab",
    "workspace",
    "workspaces",
    "work",
    "developer",
    "sites",
];

/// What [`clean`] accepts, in words.
pub(super) const NAME_RULE: &str =
    "a project name: a letter or digit, then letters, digits, _, . or -, 64 at most";

/// Brings a name into the form of a project name: composed, lower case, `-` for blanks. `None` for
/// a name that has no such form.
pub(crate) fn clean(name: &str) -> Option<String> {
    let words: Vec<&str> = name.split_whitespace().collect();
    let lower: String = words.join("-").nfc().collect::<String>().to_lowercase();
    let clean: String = lower.nfc().collect();
    let good = clean.chars().next().is_some_and(char::is_alphanumeric)
        && clean
            .chars()
            .all(|c| ProjectName::may_hold(c) && !c.is_uppercase())
        && clean.chars().count() <= ProjectName::LIMIT;
    good.then_some(clean)
}

/// Whether a path is absolute on Unix or on Windows.
fn is_absolute(path: &str) -> bool {
    let mut start = path.chars();
    match (start.next(), start.next(), start.next()) {
        (Some('/'), ..) | (Some('\\'), Some('\\'), _) => true,
        (Some(drive), Some(':'), Some('/' | '\\')) => drive.is_ascii_alphabetic(),
        _ => false,
    }
}

/// Settings of the project rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Projects {
    /// Folder (absolute, or `~/…` for any person's home) → project.
    pub paths: BTreeMap<String, String>,
    /// Folder names below which each folder is a project, in lower case.
    pub roots: Vec<String>,
    /// Project → what it is called instead.
    pub aliases: BTreeMap<String, String>,
    /// Whether the name of a git repository is a project.
    pub git: bool,
}

impl Default for Projects {
    fn default() -> Self {
        Self {
            paths: BTreeMap::new(),
            roots: ROOTS.map(str::to_owned).to_vec(),
            aliases: BTreeMap::new(),
            git: true,
        }
    }
}

impl Projects {
    pub(super) const KEYS: &[&str] = &["paths", "roots", "aliases", "git"];

    pub(super) fn read(section: &Section<'_>) -> Self {
        section.only(Self::KEYS);
        let standard = Self::default();
        let rule = "a folder name that is not empty and holds no / and no \\";
        let roots = section.texts("roots", rule, |root| {
            !root.trim().is_empty() && !root.contains(['/', '\\'])
        });
        let lower = |root: &String| root.trim().nfc().collect::<String>().to_lowercase();
        Self {
            paths: names(&section.section("paths"), |folder| {
                let known = folder == "~" || folder.starts_with("~/") || is_absolute(folder);
                let rule = "the folder must be absolute or start with ~/";
                if known {
                    Ok(folder.to_owned())
                } else {
                    Err(rule)
                }
            }),
            roots: roots.map_or(standard.roots, |roots| roots.iter().map(lower).collect()),
            aliases: names(&section.section("aliases"), |name| {
                clean(name).ok_or("the name before the = is no project name")
            }),
            git: section.flag("git").unwrap_or(standard.git),
        }
    }
}

/// Reads a table from something to project names.
fn names(
    section: &Section<'_>,
    key_form: fn(&str) -> Result<String, &'static str>,
) -> BTreeMap<String, String> {
    let mut names = BTreeMap::new();
    for (key, _) in section.keys() {
        match key_form(key) {
            Err(message) => section.reject(key, format!("{message}, got {}", shown::text(key))),
            Ok(form) => {
                let name = section.get(key, NAME_RULE, |value| clean(value.as_str()?));
                names.extend(name.map(|name| (form, name)));
            }
        }
    }
    names
}
