//! Which files are sessions, and which are sub-agents.
//!
//! A session is `<root>/<folder>/<stem>.jsonl`; a file that stands in the root itself is one too,
//! so that a single project's folder can be named. Old sub-agents stand beside the sessions, newer
//! ones in `<session>/subagents/`, those of workflows one folder deeper.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::options::Options;
use crate::files::{self, Entry, Root, Stamp};
use crate::report::Report;

/// How deep `subagents` may hold folders: `workflows/<id>/`.
const DEPTH: usize = 2;

/// A file that holds a conversation.
#[derive(Debug, Clone)]
pub(super) struct Found {
    /// Which root it stands below.
    pub(super) root: usize,
    /// Where below the root.
    pub(super) below: PathBuf,
    /// Names it in marks and reports.
    pub(super) key: String,
    /// Its size and time.
    pub(super) stamp: Stamp,
    /// Whether it is a sub-agent's.
    pub(super) sub_agent: bool,
    /// The session that a sub-agent's folder names.
    pub(super) parent: Option<String>,
}

impl Found {
    /// The file's stem: a session's id.
    pub(super) fn stem(&self) -> String {
        let stem = self.below.file_stem().unwrap_or_default();
        files::readable(stem).into_owned()
    }
}

/// A root and what its files' keys begin with.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) root: Root,
    /// Empty, or ends with `/`; tells the roots of a pattern apart.
    pub(super) prefix: String,
}

/// Lists all conversations below a root.
pub(super) fn list(places: &[Place], options: &Options, report: &mut Report) -> Vec<Found> {
    let mut listing = Listing {
        options,
        report,
        found: Vec::new(),
        place: 0,
    };
    for (at, place) in places.iter().enumerate() {
        listing.place = at;
        let folders = listing.folder(place, Path::new(""));
        for name in folders {
            if !listing.is_skipped(&name) {
                let below = Path::new("").join(&name);
                let sessions = listing.folder(place, &below);
                listing.sessions_folders(place, &below, sessions);
            }
        }
    }
    listing.found
}

struct Listing<'a> {
    options: &'a Options,
    report: &'a mut Report,
    found: Vec<Found>,
    place: usize,
}

fn is_transcript(name: &OsStr) -> bool {
    name.as_encoded_bytes().ends_with(b".jsonl")
}

fn is_sub_agent(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b"agent-")
}

/// Compaction helpers replay their parent.
fn is_replay(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b"agent-acompact-")
}

impl Listing<'_> {
    fn is_skipped(&self, name: &OsStr) -> bool {
        let name = files::readable(name);
        let patterns = self.options.skip_project_dirs.iter();
        patterns
            .into_iter()
            .any(|pattern| files::matches(pattern, &name))
    }

    /// Takes the sessions of a folder and gives the names of the folders in it.
    fn folder(&mut self, place: &Place, below: &Path) -> Vec<std::ffi::OsString> {
        let sub_agents = self.options.include_subagents;
        let wanted = |name: &OsStr| {
            is_transcript(name) && !is_replay(name) && (sub_agents || !is_sub_agent(name))
        };
        let mut folders = Vec::new();
        for entry in place.root.list(below, self.report, wanted) {
            match entry {
                Entry::Folder(name) => folders.push(name),
                Entry::File(name, stamp) => self.take(place, below, &name, stamp, None),
            }
        }
        folders
    }

    fn take(
        &mut self,
        place: &Place,
        below: &Path,
        name: &OsStr,
        stamp: Stamp,
        parent: Option<&str>,
    ) {
        let below = below.join(name);
        self.found.push(Found {
            root: self.place,
            key: format!("{}{}", place.prefix, files::place(&below)),
            below,
            stamp,
            sub_agent: is_sub_agent(name),
            parent: parent.map(str::to_owned),
        });
    }

    /// Looks for sub-agents in the folders that stand beside the sessions.
    fn sessions_folders(&mut self, place: &Place, below: &Path, sessions: Vec<std::ffi::OsString>) {
        if !self.options.include_subagents {
            return;
        }
        for session in sessions {
            let has = |entry: &Entry| matches!(entry, Entry::Folder(name) if name == "subagents");
            let folder = below.join(&session);
            if place
                .root
                .list(&folder, self.report, |_| false)
                .iter()
                .any(has)
            {
                let parent = files::readable(&session).into_owned();
                self.sub_agents(place, &folder.join("subagents"), &parent, DEPTH);
            }
        }
    }

    fn sub_agents(&mut self, place: &Place, below: &Path, parent: &str, depth: usize) {
        let wanted = |name: &OsStr| is_transcript(name) && is_sub_agent(name) && !is_replay(name);
        for entry in place.root.list(below, self.report, wanted) {
            match entry {
                Entry::File(name, stamp) => self.take(place, below, &name, stamp, Some(parent)),
                Entry::Folder(name) if depth > 0 => {
                    self.sub_agents(place, &below.join(name), parent, depth - 1);
                }
                Entry::Folder(_) => {}
            }
        }
    }
}
