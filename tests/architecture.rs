//! The shape of the code: layers, lists and files that must not be forgotten, sizes of files.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The layers of `src/`, lowest first. A module may use lower layers, and of its own layer what
/// `BESIDE` grants.
const LAYERS: &[&[&str]] = &[
    &["item"],
    &["config", "access", "redaction", "segment", "project"],
    &["store", "summarizer"],
    &[
        "library",
        "pipeline",
        "import",
        "export",
        "health",
        "doctor",
        "redact_stored",
    ],
    &["mcp", "http", "daemon", "service"],
    &["cli"],
];

/// What a module may use beside or above its layer: user, used, why.
const BESIDE: &[(&str, &str, &str)] = &[
    (
        "item",
        "redaction",
        "the type Redacted, which carries the data model's texts",
    ),
    (
        "config",
        "redaction",
        "the engine's settings are a section of the configuration",
    ),
    (
        "config",
        "project",
        "the project rules are a section of the configuration",
    ),
    ("project", "redaction", "a project's name is redacted text"),
    (
        "project",
        "config",
        "the project rules are a section of the configuration",
    ),
    (
        "segment",
        "redaction",
        "segments are cut from redacted text",
    ),
    ("http", "mcp", "MCP is one of its routes"),
    (
        "library",
        "export",
        "an export is a question to the library",
    ),
];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn rust_files(folder: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The first component below `src/`, without `.rs`.
fn module(path: &Path) -> String {
    let below = path.strip_prefix(root().join("src")).unwrap();
    let first = below
        .components()
        .next()
        .unwrap()
        .as_os_str()
        .to_string_lossy()
        .into_owned();
    first.trim_end_matches(".rs").to_owned()
}

fn layer(module: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&module))
}

/// Modules that a file names as `crate::module`, its unit tests left out.
fn used(path: &Path) -> BTreeSet<String> {
    let text = fs::read_to_string(path).unwrap();
    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
    text.lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .flat_map(|line| line.split("crate::").skip(1))
        .map(|rest| {
            rest.chars()
                .take_while(|c| c.is_alphanumeric() || *c == '_')
                .collect()
        })
        .collect()
}

#[test]
fn a_module_uses_only_lower_layers() {
    let mut wrong = Vec::new();
    for path in rust_files("src") {
        let user = module(&path);
        let Some(own) = layer(&user) else { continue };
        for name in used(&path) {
            let Some(other) = layer(&name) else { continue };
            let granted = BESIDE.iter().any(|(a, b, _)| *a == user && *b == name);
            if name != user && other >= own && !granted {
                wrong.push(format!("{} uses crate::{name}", path.display()));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn every_module_has_its_layer() {
    let known: BTreeSet<&str> = LAYERS
        .iter()
        .flat_map(|layer| layer.iter().copied())
        .collect();
    let modules: BTreeSet<String> = rust_files("src").iter().map(|path| module(path)).collect();
    let without: Vec<&String> = modules
        .iter()
        .filter(|name| !known.contains(name.as_str()) && !["main", "lib"].contains(&name.as_str()))
        .collect();
    assert_eq!(without, Vec::<&String>::new());
}

#[test]
fn no_file_passes_500_lines_and_each_says_what_it_is_for() {
    let mut wrong = Vec::new();
    for folder in ["src", "connectors", "tests", "benches"] {
        for path in rust_files(folder) {
            let text = fs::read_to_string(&path).unwrap();
            if text.lines().count() > 500 {
                wrong.push(format!("{} is over 500 lines", path.display()));
            }
            if !text.starts_with("//!") {
                wrong.push(format!("{} does not open with //!", path.display()));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn every_connector_folder_is_in_the_list() {
    let mut folders: Vec<String> = fs::read_dir(root().join("connectors"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.join("mod.rs").exists())
        .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    folders.sort();
    let mut listed: Vec<&str> = jezero_connectors::ALL
        .iter()
        .map(|kind| kind.name())
        .collect();
    listed.sort_unstable();
    assert_eq!(folders, listed);
}

#[test]
fn no_test_module_is_forgotten() {
    let text = fs::read_to_string(root().join("tests/main.rs")).unwrap();
    for entry in fs::read_dir(root().join("tests")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let is_module = path.extension().is_some_and(|e| e == "rs") || path.join("mod.rs").exists();
        if is_module && name != "main" {
            assert!(
                text.contains(&format!("mod {name};")),
                "tests/main.rs does not name {name}"
            );
        }
    }
}

#[test]
fn only_the_store_takes_text_back_as_redacted() {
    for path in rust_files("src") {
        let text = fs::read_to_string(&path).unwrap();
        let allowed = ["store", "redaction"].contains(&module(&path).as_str());
        assert!(
            allowed || !text.contains("from_library"),
            "{}",
            path.display()
        );
    }
}

#[test]
fn only_the_store_holds_sql() {
    for path in rust_files("src")
        .iter()
        .filter(|path| module(path) != "store")
    {
        let text = fs::read_to_string(path).unwrap();
        assert!(
            !text.contains("rusqlite"),
            "{} speaks to SQLite",
            path.display()
        );
    }
}
