//! Finds the git repository around a folder, on this computer.

use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::folder::Folder;

/// Longest `.git` file that is read, in bytes.
const POINTER_BYTES: u64 = 4096;

/// What stands at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// A folder.
    Folder,
    /// A file, with its first bytes as text.
    File(String),
}

/// The file system, as far as the project rules ask it.
pub trait Disk: fmt::Debug + Send + Sync {
    /// Looks at a path; `None` when nothing readable is there.
    fn look(&self, path: &Path) -> Option<Found>;
}

/// This computer's own file system.
#[derive(Debug, Clone, Copy)]
pub struct Here;

impl Disk for Here {
    fn look(&self, path: &Path) -> Option<Found> {
        let kind = std::fs::metadata(path).ok()?;
        if kind.is_dir() {
            return Some(Found::Folder);
        }
        if !kind.is_file() {
            return None;
        }
        let mut text = Vec::new();
        let file = std::fs::File::open(path).ok()?;
        file.take(POINTER_BYTES).read_to_end(&mut text).ok()?;
        Some(Found::File(String::from_utf8_lossy(&text).into_owned()))
    }
}

/// The name of the repository that holds a folder: the nearest one upwards, but never the first
/// `floor` parts of the path (a home folder) nor the root.
pub(super) fn repository_name(folder: &Folder, floor: usize, disk: &dyn Disk) -> Option<String> {
    let depths = (floor + 1..=folder.parts().len()).rev();
    for depth in depths {
        let place = PathBuf::from(folder.here(depth)?);
        let own = folder.parts().get(depth - 1).cloned();
        match disk.look(&place.join(".git")) {
            Some(Found::Folder) => return own,
            Some(Found::File(pointer)) => return main_repository(&place, &pointer, disk).or(own),
            None => {}
        }
    }
    None
}

/// The name of the repository that a worktree belongs to. `None` when the file points elsewhere (a
/// submodule is a repository of its own) or when that repository is not on this computer.
fn main_repository(place: &Path, pointer: &str, disk: &dyn Disk) -> Option<String> {
    let target = pointer.lines().next()?.strip_prefix("gitdir:")?.trim();
    let target = flat(&place.join(target));
    let worktrees = target
        .parent()
        .filter(|parent| parent.ends_with("worktrees"))?;
    let store = worktrees.parent()?;
    disk.look(store).filter(|found| *found == Found::Folder)?;
    let name = store.file_name()?.to_str()?;
    match name {
        ".git" | ".bare" => store.parent()?.file_name()?.to_str().map(str::to_owned),
        bare => Some(bare.strip_suffix(".git").unwrap_or(bare).to_owned()),
    }
}

/// The path without `.` and `..`, by its text alone.
fn flat(path: &Path) -> PathBuf {
    use std::path::Component;
    let mut flat = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                flat.pop();
            }
            other => flat.push(other),
        }
    }
    flat
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repository_on_disk_is_found_from_below_and_through_a_worktree() {
        let temporary = tempfile::tempdir().unwrap();
        let base = temporary.path();
        std::fs::create_dir_all(base.join("shop/.git/worktrees/fix")).unwrap();
        std::fs::create_dir_all(base.join("shop/src")).unwrap();
        std::fs::create_dir_all(base.join("elsewhere/fix/src")).unwrap();
        let pointer = "gitdir: ../../shop/.git/worktrees/fix\n";
        std::fs::write(base.join("elsewhere/fix/.git"), pointer).unwrap();
        for inside in ["shop/src", "shop", "elsewhere/fix/src", "shop/gone/since"] {
            let folder = Folder::parse(base.join(inside).to_str().unwrap()).unwrap();
            let name = repository_name(&folder, 0, &Here);
            assert_eq!(name.as_deref(), Some("shop"), "{inside}");
        }
    }
}
