//! Which folders the daemon watches: those that the connectors of today name and that are there.

use std::path::{Path, PathBuf};

use crate::cli::setting::Setting;
use crate::daemon::{Because, Watching};
use crate::item::SourceName;

/// What is watched.
pub(super) struct Watched {
    watching: Watching,
    folders: Vec<Folder>,
}

/// A folder to be watched. One that was made anew under its name is another.
#[derive(Debug, PartialEq, Eq)]
struct Folder {
    source: SourceName,
    path: PathBuf,
    identity: Option<(u64, u64)>,
}

impl Watched {
    /// Watches nothing yet.
    pub(super) fn new(watching: Watching) -> Self {
        Self {
            watching,
            folders: Vec::new(),
        }
    }

    /// Watches what is to be watched now, unless that is what is watched already.
    pub(super) fn keep_up(&mut self, setting: &Setting) {
        let wanted = wanted(setting);
        if self.folders == wanted {
            return;
        }
        self.watching.clear();
        for Folder { source, path, .. } in &wanted {
            let folder = path.display();
            match self.watching.add(source, path) {
                Ok(None) => {}
                Ok(Some(because)) => {
                    let text = format!("{folder} is looked at every few seconds: {because}");
                    match because {
                        Because::Remote(_) => tracing::info!("{source}: {text}"),
                        _ => tracing::warn!("{source}: {text}"),
                    }
                }
                Err(error) => tracing::warn!("{source}: {error}"),
            }
        }
        self.folders = wanted;
    }
}

/// The folders that the connectors want watched and that are there now.
fn wanted(setting: &Setting) -> Vec<Folder> {
    let mut wanted = Vec::new();
    for connector in setting.config.connectors.iter().filter(|it| it.enabled) {
        let Ok(built) = connector.build(&setting.config) else {
            continue;
        };
        wanted.extend(built.watched().folders.into_iter().map(|path| Folder {
            source: connector.name.clone(),
            identity: identity(&path),
            path,
        }));
    }
    wanted
}

#[cfg(unix)]
fn identity(folder: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    let data = std::fs::metadata(folder).ok()?;
    Some((data.dev(), data.ino()))
}

#[cfg(not(unix))]
fn identity(_: &Path) -> Option<(u64, u64)> {
    None
}
