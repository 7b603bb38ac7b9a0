//! A folder of `.eml` files, one mail each, at any depth.
//!
//! Such a file may be written anew under its name, so its size and time are part of its place.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::folders;
use super::known::Known;
use super::mailbox::{Fresh, Listing, Mailbox, OpenError, Opened, Part, Place, Role, folder_key};
use super::maildir::{open_root, opened_file};
use super::options::Options;
use crate::digest;
use crate::error::ConnectorError;
use crate::files::{self, Entry, Root, Stamp};
use crate::report::Report;

/// How deep folders may lie in each other.
const DEPTH: usize = 16;

/// A folder of files with one mail each.
pub(super) struct EmlDir {
    path: PathBuf,
    options: Options,
    root: Option<Root>,
    files: HashMap<Place, PathBuf>,
}

impl EmlDir {
    /// Prepares to read; opens nothing.
    pub(super) fn new(path: PathBuf, options: Options) -> Self {
        Self {
            path,
            options,
            root: None,
            files: HashMap::new(),
        }
    }

    fn walk(&mut self, walk: &mut Walk<'_>, below: &Path, depth: usize) {
        let failed = walk.report.failed;
        let entries = walk.root.list(below, walk.report, is_mail);
        walk.listing.complete &= walk.report.failed == failed;
        let name = files::place(below);
        let role = match name.as_str() {
            "" => folders::role("INBOX", &self.options),
            name => folders::role(name, &self.options),
        };
        let key = folder_key(&[below.as_os_str().as_encoded_bytes()]);
        let mut inner: Vec<OsString> = Vec::new();
        for entry in entries {
            match (entry, role) {
                (Entry::Folder(name), _) => inner.push(name),
                (Entry::File(name, stamp), Some(role)) => {
                    let place = Place {
                        folder: key,
                        number: number(&name, stamp),
                    };
                    self.take(walk, place, role, below.join(name));
                }
                (Entry::File(..), None) => {}
            }
        }
        for folder in inner {
            if depth == 0 {
                let why = "folders deeper than this are not read";
                walk.report.note(&files::place(below), None, why);
                return;
            }
            self.walk(walk, &below.join(folder), depth - 1);
        }
    }

    fn take(&mut self, walk: &mut Walk<'_>, place: Place, role: Role, below: PathBuf) {
        walk.listing.seen += 1;
        if walk.known.has(place) {
            walk.listing.unchanged += 1;
        } else {
            walk.listing.fresh.push(Fresh {
                place,
                role,
                server_thread: None,
            });
        }
        self.files.insert(place, below);
    }
}

/// What a walk through the folders fills.
struct Walk<'a> {
    root: &'a Root,
    known: &'a Known,
    report: &'a mut Report,
    listing: Listing,
}

impl Mailbox for EmlDir {
    fn list(&mut self, known: &Known, report: &mut Report) -> Result<Listing, ConnectorError> {
        let root = open_root(&self.path)?;
        self.files.clear();
        let mut walk = Walk {
            root: &root,
            known,
            report,
            listing: Listing {
                complete: true,
                ..Listing::default()
            },
        };
        self.walk(&mut walk, Path::new(""), DEPTH);
        let listing = walk.listing;
        self.root = Some(root);
        Ok(listing)
    }

    fn open(&mut self, place: Place, _: Part) -> Result<Opened<'_>, OpenError> {
        let (Some(root), Some(below)) = (&self.root, self.files.get(&place)) else {
            return Err(OpenError::Gone);
        };
        opened_file(root.open(below))
    }

    fn has(&self, place: Place) -> bool {
        self.files.contains_key(&place)
    }

    fn keeps_texts(&self) -> bool {
        false
    }

    fn told(&self, place: Place) -> String {
        match self.files.get(&place) {
            Some(below) => files::place(below),
            None => "a mail that went away".to_owned(),
        }
    }
}

fn is_mail(name: &OsStr) -> bool {
    let extension = Path::new(name).extension();
    extension.is_some_and(|extension| extension.eq_ignore_ascii_case("eml"))
        && !name.as_encoded_bytes().starts_with(b".")
}

fn number(name: &OsStr, stamp: Stamp) -> u64 {
    let state = digest::fast(stamp.size, &stamp.modified.to_le_bytes());
    digest::fast(state, name.as_encoded_bytes())
}
