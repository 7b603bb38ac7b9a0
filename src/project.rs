//! Which project a unit belongs to, from what its source says of where the work was done.
//!
//! First match wins: a name that the source gives, the folders of `[projects].paths`, the name of
//! the git repository, the folder below a root name such as `projects`. Behind these stand, for
//! the caller, the connector's own project and the summariser's guess. A source that was copied
//! from another computer is judged by its paths alone: repositories are looked up on this computer
//! only.

mod disk;
mod folder;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Mutex;

use jezero_connectors::Evidence;

pub use disk::{Disk, Found, Here};

use crate::config::{self, Projects};
use crate::item::ProjectName;
use crate::redaction::Engine;
use folder::{Folder, lower};

/// Folders that say nothing of the work in them.
const GENERIC: [&str; 9] = [
    "worktrees",
    "app",
    "apps",
    "packages",
    "tmp",
    "temp",
    "desktop",
    "documents",
    "downloads",
];

/// The project rules of a configuration. Remembers the answer for each folder, so one value serves
/// one run.
#[derive(Debug)]
pub struct ProjectRules {
    settings: Projects,
    paths: Vec<(Folder, String)>,
    home: Option<Folder>,
    disk: Box<dyn Disk>,
    known: Mutex<HashMap<String, Option<String>>>,
}

/// The rules without a configuration, on this computer.
impl Default for ProjectRules {
    fn default() -> Self {
        Self::new(&Projects::default(), None)
    }
}

impl ProjectRules {
    /// Makes rules that look for repositories on this computer. `home` is the person's home folder.
    #[must_use]
    pub fn new(settings: &Projects, home: Option<PathBuf>) -> Self {
        Self::on(settings, home, Box::new(Here))
    }

    /// Makes rules that look for repositories elsewhere.
    #[must_use]
    pub fn on(settings: &Projects, home: Option<PathBuf>, disk: Box<dyn Disk>) -> Self {
        let paths = settings.paths.iter();
        Self {
            settings: settings.clone(),
            paths: paths
                .filter_map(|(path, name)| Some((Folder::parse(path)?, name.clone())))
                .collect(),
            home: home.and_then(|home| Folder::parse(home.to_str()?)),
            disk,
            known: Mutex::default(),
        }
    }

    /// The project of a unit, as far as its source says it.
    #[must_use]
    pub fn of(&self, evidence: &Evidence, engine: &Engine) -> Option<ProjectName> {
        let named = evidence.named.as_deref();
        named
            .and_then(|name| self.named(name, engine))
            .or_else(|| self.named(&self.of_folder(evidence.cwd.as_deref()?)?, engine))
    }

    /// A project by a name that someone gave it: brought into form, renamed by the aliases.
    /// `None` for what is no project name, or holds a secret.
    #[must_use]
    pub fn named(&self, name: &str, engine: &Engine) -> Option<ProjectName> {
        // Rules know secrets by their letters' case, which the clean form loses.
        if engine.redact(name).as_str() != name {
            return None;
        }
        let clean = config::clean(name)?;
        let name = self.settings.aliases.get(&clean).unwrap_or(&clean);
        ProjectName::new(engine.redact(name))
    }

    /// The name for a folder, as it is written there.
    fn of_folder(&self, cwd: &str) -> Option<String> {
        if let Ok(known) = self.known.lock()
            && let Some(answer) = known.get(cwd)
        {
            return answer.clone();
        }
        let answer = Folder::parse(cwd).and_then(|folder| {
            self.by_path(&folder)
                .or_else(|| self.by_repository(&folder))
                .or_else(|| self.by_root(&folder))
        });
        if let Ok(mut known) = self.known.lock() {
            known.insert(cwd.to_owned(), answer.clone());
        }
        answer
    }

    /// The setting for the longest folder that holds this one.
    fn by_path(&self, folder: &Folder) -> Option<String> {
        let depths = self.paths.iter().filter_map(|(holder, name)| {
            let depth = folder.depth_inside(holder, self.home.as_ref())?;
            Some((depth, name))
        });
        depths
            .max_by_key(|(depth, _)| *depth)
            .map(|(_, name)| name.clone())
    }

    /// The name of the repository around a folder; that of the main one for a worktree.
    fn by_repository(&self, folder: &Folder) -> Option<String> {
        if !self.settings.git {
            return None;
        }
        let floor = folder.home_depth(self.home.as_ref()).unwrap_or(0);
        let name = disk::repository_name(folder, floor, self.disk.as_ref())?;
        says_something(&name).then_some(name)
    }

    /// The first folder below a root name that says something of the work in it.
    fn by_root(&self, folder: &Folder) -> Option<String> {
        let start = folder.home_depth(self.home.as_ref()).unwrap_or(0);
        let is_root = |name: &&String| self.settings.roots.contains(&lower(name));
        let names = folder.parts().iter().skip(start);
        names
            .skip_while(|name| !is_root(name))
            .find(|name| {
                let generic = GENERIC.contains(&name.to_lowercase().as_str());
                !is_root(name) && !generic && says_something(name)
            })
            .cloned()
    }
}

/// Whether a folder's name can be a project's: it has such a form and is no UUID.
fn says_something(name: &str) -> bool {
    config::clean(name).is_some_and(|clean| !is_number(&clean))
}

/// Whether a name is a UUID, with or without its dashes.
fn is_number(name: &str) -> bool {
    let digits = name.bytes().filter(|byte| *byte != b'-');
    let hex = name
        .bytes()
        .all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    hex && digits.count() == 32
}

#[cfg(test)]
mod tests;
