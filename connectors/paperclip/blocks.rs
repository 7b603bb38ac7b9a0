//! What a task renders to: a header with the description, then its entries by their numbers.
//!
//! Nothing stands in it that moves by itself (the name, times of change, counters, colours), so
//! that a task whose name alone changed keeps its text.

use super::mark::Remembered;
use super::options::Options;
use super::people::Directory;
use super::record::spaced;
use super::task::Task;
use crate::render;
use crate::time::Instant;
use crate::unit::{Block, Locator, Piece, RecordKey};

/// The blocks of a task, in order; gives its new entries their numbers.
pub(super) fn blocks(
    id: &str,
    task: &Task,
    directory: &Directory,
    options: &Options,
    remembered: &mut Remembered,
) -> Vec<Block> {
    let ids: Vec<&str> = task.entries.iter().map(|entry| entry.id.as_str()).collect();
    let numbers = remembered.number(&ids);
    let keep = Some(options.max_block_chars);
    let mut blocks: Vec<Block> = (task.entries.iter().zip(numbers))
        .filter(|(entry, _)| !entry.text.trim().is_empty())
        .map(|(entry, number)| {
            let who = directory.name(&entry.author);
            let piece = render::piece(entry.at, &who, &entry.text, keep);
            block(number, entry.at, &entry.id, vec![piece])
        })
        .collect();
    blocks.sort_by_key(|block| block.locator);
    let first = blocks.iter().map(|block| block.instant).min();
    let created = task.created.map(|moment| moment.instant).or(first);
    let at = created.unwrap_or_default();
    let pieces = header(task, at, directory, keep);
    blocks.insert(0, block(0, at, id, pieces));
    blocks
}

fn block(number: u64, instant: Instant, id: &str, pieces: Vec<Piece>) -> Block {
    Block {
        locator: Locator::record(number),
        position: number,
        instant,
        record_key: Some(RecordKey::of(id.as_bytes())),
        pieces,
    }
}

fn header(task: &Task, at: Instant, directory: &Directory, keep: Option<usize>) -> Vec<Piece> {
    let who = directory.name(&task.creator);
    let mut text = format!("(task) {}", task.title);
    let project = project_name(task, directory);
    let assignee = (task.assignee.is_known()).then(|| directory.name(&task.assignee));
    for (label, value) in [
        ("status", Some(spaced(&task.status))),
        ("priority", Some(task.priority.clone())),
        ("project", project),
        ("assignee", assignee),
        ("creator", Some(who.clone())),
        ("part of", task.parent.clone()),
        ("labels", Some(task.labels.join(", "))),
    ] {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            text.push('\n');
            text.push_str(label);
            text.push_str(": ");
            text.push_str(&value.replace(char::is_control, " "));
        }
    }
    let mut pieces = vec![render::piece(at, &who, &text, None)];
    if !task.description.trim().is_empty() {
        pieces.push(render::piece(at, &who, &task.description, keep));
    }
    pieces
}

fn project_name(task: &Task, directory: &Directory) -> Option<String> {
    let project = task.project.as_ref();
    let project = project.or_else(|| directory.project(task.project_id.as_deref()?))?;
    project.name.clone().or_else(|| project.url_key.clone())
}

/// The project that a task belongs to here: what the configuration says of its project's id, url
/// key or name, else the project's own name.
pub(super) fn project(task: &Task, directory: &Directory, options: &Options) -> Option<String> {
    let known = task.project.as_ref();
    let known = known.or_else(|| directory.project(task.project_id.as_deref()?));
    let id = known
        .map(|project| project.id.as_str())
        .or(task.project_id.as_deref());
    let url_key = known.and_then(|project| project.url_key.as_deref());
    let name = known.and_then(|project| project.name.as_deref());
    let keys = [id, url_key, name];
    let mapped = keys
        .iter()
        .flatten()
        .find_map(|key| options.project_map.get(*key));
    mapped
        .cloned()
        .or_else(|| url_key.or(name).map(str::to_owned))
}
