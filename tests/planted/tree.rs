//! Positions in a tree of files in which something can be planted, and trees that have it there.
//!
//! In JSON a position is a path of members (of one type of record), each string, number and truth at
//! its end, and each object, which gets a member more. In other text it is the beginning or the end of
//! a header, or a kind of line; empty lines stay so, since they tell the head of a mail from its text.
//! In a name it is a folder or a file.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

/// Where something is planted.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Position {
    /// A path in records of a type.
    Json(String),
    /// The value of a header, before what it says.
    Header(String),
    /// The end of a header of a text, or of a line that has none (see [`header`]).
    Line(String),
    /// Names of folders at a depth.
    Folder(usize),
    /// Names of files, before what their kind is told by.
    File,
    /// Files that are called by the marker and nothing else.
    WholeFile,
}

impl Position {
    pub(crate) fn is_in_text(&self) -> bool {
        matches!(self, Self::Json(_) | Self::Header(_) | Self::Line(_))
    }

    /// The position without what tells one record from another of its kind: in a server's answers,
    /// whose paths begin with the question, ids and the parameters. One of each is enough.
    pub(crate) fn meaning(&self) -> Self {
        let Self::Json(path) = self else {
            return self.clone();
        };
        let Some(question) = path
            .strip_prefix(":/")
            .filter(|path| path.starts_with("/api/"))
        else {
            return self.clone();
        };
        let parts = question.split('/').map(|part| {
            let part = part.split('?').next().unwrap_or_default();
            match part.contains(|sign: char| sign.is_ascii_digit()) {
                true => "#",
                false => part,
            }
        });
        Self::Json(parts.collect::<Vec<_>>().join("/"))
    }
}

/// Files of a case that are none of its source.
const BESIDE: &[&str] = &["expected.json", "then.json"];

/// All files of a tree, below it.
fn files(tree: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![tree.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if !BESIDE.iter().any(|name| path.ends_with(name)) {
                found.push(path.strip_prefix(tree).unwrap().to_owned());
            }
        }
    }
    found.sort();
    found
}

/// Bytes of all files.
pub(crate) fn size(tree: &Path) -> u64 {
    let size = |file: PathBuf| fs::metadata(tree.join(file)).unwrap().len();
    files(tree).into_iter().map(size).sum()
}

/// Whether a file holds JSON: one value, or one a line.
fn is_json(path: &Path) -> bool {
    let name = path.to_string_lossy();
    [".json", ".jsonl"].iter().any(|end| name.contains(end)) && !name.ends_with(".project")
}

pub(crate) fn positions(tree: &Path) -> BTreeSet<Position> {
    let mut found = BTreeSet::from([Position::File, Position::WholeFile]);
    for file in files(tree) {
        found.extend((0..file.components().count() - 1).map(Position::Folder));
        let Ok(text) = fs::read_to_string(tree.join(&file)) else {
            continue;
        };
        if is_json(&file) {
            for value in values(&text) {
                walk(&value, &kind(&value), &mut |path| {
                    found.insert(Position::Json(path.to_owned()));
                });
            }
        } else {
            for kind in text.lines().filter(|line| !line.is_empty()).map(header) {
                if kind.ends_with(':') {
                    found.insert(Position::Header(kind.clone()));
                }
                found.insert(Position::Line(kind));
            }
        }
    }
    found
}

/// The JSON values of a text, one a line or one in all.
fn values(text: &str) -> Vec<Value> {
    match serde_json::from_str(text) {
        Ok(whole) => vec![whole],
        Err(_) => text
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok())
            .collect(),
    }
}

fn kind(value: &Value) -> String {
    format!("{}:", value["type"].as_str().unwrap_or(""))
}

/// The kind of a line: a header's name with its colon, or what a line without one begins with, when
/// that means something in mail: a folded header, a boundary of parts, the separator of an mbox.
fn header(line: &str) -> String {
    match line.split_once(':') {
        Some((name, _)) if name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-') => {
            format!("{}:", name.to_lowercase())
        }
        _ => [" ", "\t", "--", "From "]
            .into_iter()
            .find(|start| line.starts_with(start))
            .unwrap_or_default()
            .to_owned(),
    }
}

/// Calls `each` with the path of every position.
fn walk(value: &Value, path: &str, each: &mut impl FnMut(&str)) {
    match value {
        Value::Object(members) => {
            each(&format!("{path}/+"));
            for (key, value) in members {
                walk(value, &format!("{path}/{key}"), each);
            }
        }
        Value::Array(list) => list
            .iter()
            .for_each(|value| walk(value, &format!("{path}/[]"), each)),
        Value::Null => {}
        _ => each(path),
    }
}

/// Plants at one position.
fn plant_value(value: &mut Value, path: &str, at: &str, marker: &str) {
    match value {
        Value::Object(members) => {
            for (key, value) in members.iter_mut() {
                plant_value(value, &format!("{path}/{key}"), at, marker);
            }
            if at == format!("{path}/+") {
                let mut more = Map::new();
                more.insert(format!("x{marker}"), marker.into());
                more.insert(marker.to_owned(), Value::Null);
                members.extend(more);
            }
        }
        Value::Array(list) => {
            for value in list {
                plant_value(value, &format!("{path}/[]"), at, marker);
            }
        }
        Value::Null => {}
        Value::String(text) if path == at => *text = format!("{text} {marker}"),
        other if path == at => *other = marker.into(),
        _ => {}
    }
}

/// Copies a tree with the marker at a position.
pub(crate) fn plant(tree: &Path, to: &Path, position: &Position, marker: &str) {
    for file in files(tree) {
        let bytes = fs::read(tree.join(&file)).unwrap();
        let bytes = match (std::str::from_utf8(&bytes), position) {
            (Ok(text), Position::Json(at)) if is_json(&file) => planted_json(text, at, marker),
            (Ok(text), Position::Line(_) | Position::Header(_)) if !is_json(&file) => {
                planted_lines(text, position, marker)
            }
            _ => bytes,
        };
        let path = to.join(renamed(&file, position, marker));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}

fn planted_json(text: &str, at: &str, marker: &str) -> Vec<u8> {
    let planted = |text: &str| {
        let mut value: Value = serde_json::from_str(text).ok()?;
        let kind = kind(&value);
        plant_value(&mut value, &kind, at, marker);
        Some(value.to_string())
    };
    if let Some(whole) = planted(text) {
        return whole.into_bytes();
    }
    let lines = text
        .split('\n')
        .map(|line| planted(line).unwrap_or_else(|| line.to_owned()));
    lines.collect::<Vec<_>>().join("\n").into_bytes()
}

fn planted_lines(text: &str, position: &Position, marker: &str) -> Vec<u8> {
    let planted = |whole: &str| {
        let (line, end) = match whole.strip_suffix('\r') {
            Some(line) => (line, "\r"),
            None => (whole, ""),
        };
        match position {
            Position::Line(at) if !line.is_empty() && header(line) == *at => {
                format!("{line} {marker}{end}")
            }
            Position::Header(at) if header(line) == *at => {
                let (name, value) = line.split_at(at.len());
                format!("{name} {marker}{value}{end}")
            }
            _ => whole.to_owned(),
        }
    };
    let lines: Vec<String> = text.split('\n').map(planted).collect();
    lines.join("\n").into_bytes()
}

fn renamed(file: &Path, position: &Position, marker: &str) -> PathBuf {
    let parts: Vec<String> = file
        .iter()
        .map(|part| part.to_string_lossy().into_owned())
        .collect();
    let last = parts.len() - 1;
    let part = |(at, part): (usize, &String)| match position {
        Position::Folder(depth) if at < last && at == *depth => format!("{part}-{marker}"),
        Position::File | Position::WholeFile if at == last => {
            let (stem, end) = part.split_at(part.find('.').unwrap_or(part.len()));
            match position {
                Position::File => format!("{stem}-{marker}{end}"),
                _ => format!("{marker}{end}"),
            }
        }
        _ => part.clone(),
    };
    parts.iter().enumerate().map(part).collect()
}
