//! Maildir and Maildir++: one file a mail, in `cur` and `new`.
//!
//! A file's name up to the flags names the mail for as long as it lies in its folder, and by the
//! rules of the format its bytes never change; so a run with nothing new reads folders and no
//! file, not even its time. A program may rename a file at any moment to change flags: one that
//! is not found is looked for again under its base name.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use super::folders;
use super::known::Known;
use super::mailbox::{Fresh, Listing, Mailbox, OpenError, Opened, Part, Place, Role, folder_key};
use super::options::Options;
use crate::digest;
use crate::error::ConnectorError;
use crate::files::{self, Root};
use crate::report::Report;
use crate::time::Instant;

/// How deep folders of mail may lie in each other.
const DEPTH: usize = 16;

/// A Maildir, or a folder with Maildirs in it.
pub(super) struct Maildir {
    path: PathBuf,
    options: Options,
    root: Option<Root>,
    folders: Vec<Folder>,
    files: Vec<Entry>,
    /// Made at the first question about a single mail.
    index: Option<HashMap<Place, usize>>,
}

struct Folder {
    below: PathBuf,
    key: u32,
    role: Role,
}

struct Entry {
    folder: usize,
    is_new: bool,
    name: OsString,
}

impl Maildir {
    /// Prepares to read; opens nothing.
    pub(super) fn new(path: PathBuf, options: Options) -> Self {
        Self {
            path,
            options,
            root: None,
            folders: Vec::new(),
            files: Vec::new(),
            index: None,
        }
    }

    /// Looks for folders of mail below a folder; says whether all could be listed.
    fn walk(
        &mut self,
        root: &Root,
        below: &Path,
        name: &str,
        depth: usize,
        report: &mut Report,
    ) -> bool {
        let mut listed = root.names(below, report);
        listed.folders.sort_unstable();
        let has = |part: &str| listed.folders.iter().any(|folder| folder == part);
        let mut complete = listed.complete;
        if has("cur") || has("new") {
            let name = if name.is_empty() { "INBOX" } else { name };
            if let Some(role) = folders::role(name, &self.options) {
                self.folders.push(Folder {
                    below: below.to_owned(),
                    key: folder_key(&[below.as_os_str().as_encoded_bytes()]),
                    role,
                });
                let at = self.folders.len() - 1;
                for part in ["cur", "new"].into_iter().filter(|part| has(part)) {
                    complete &= self.take(root, at, part, report);
                }
            }
        }
        for folder in &listed.folders {
            if ["cur", "new", "tmp", ".notmuch"]
                .iter()
                .any(|own| folder == own)
            {
                continue;
            }
            if depth == 0 {
                report.note(
                    &files::place(below),
                    None,
                    "folders deeper than this are not read",
                );
                break;
            }
            let inner = joined(name, &files::readable(folder));
            complete &= self.walk(root, &below.join(folder), &inner, depth - 1, report);
        }
        complete
    }

    /// Takes the files of `cur` or `new`.
    fn take(&mut self, root: &Root, folder: usize, part: &str, report: &mut Report) -> bool {
        let Some(below) = self
            .folders
            .get(folder)
            .map(|folder| folder.below.join(part))
        else {
            return true;
        };
        let mut listed = root.names(&below, report);
        listed.files.sort_unstable();
        let files = listed.files.into_iter().filter(|name| !is_hidden(name));
        self.files.extend(files.map(|name| Entry {
            folder,
            is_new: part == "new",
            name,
        }));
        listed.complete
    }

    fn place(&self, entry: &Entry) -> Place {
        let (base, _) = base_and_flags(&entry.name);
        Place {
            folder: self
                .folders
                .get(entry.folder)
                .map_or(0, |folder| folder.key),
            number: digest::fast(0, base),
        }
    }

    fn make_index(&mut self) {
        if self.index.is_none() {
            let places = self.files.iter().enumerate();
            let index = places.map(|(at, entry)| (self.place(entry), at)).collect();
            self.index = Some(index);
        }
    }

    fn entry(&self, place: Place) -> Option<&Entry> {
        match &self.index {
            Some(index) => self.files.get(*index.get(&place)?),
            None => self.files.iter().find(|entry| self.place(entry) == place),
        }
    }

    fn below(&self, entry: &Entry) -> PathBuf {
        let folder = self.folders.get(entry.folder);
        let part = if entry.is_new { "new" } else { "cur" };
        let below = folder.map_or(Path::new(""), |folder| &folder.below);
        below.join(part).join(&entry.name)
    }

    /// Looks for a file under other flags, or moved from `new` to `cur`.
    fn renamed(&self, entry: &Entry) -> Option<PathBuf> {
        let (root, folder) = (self.root.as_ref()?, self.folders.get(entry.folder)?);
        let (base, _) = base_and_flags(&entry.name);
        ["cur", "new"].into_iter().find_map(|part| {
            let below = folder.below.join(part);
            let listed = root.names(&below, &mut Report::default());
            let same = |name: &OsString| base_and_flags(name).0 == base;
            Some(below.join(listed.files.into_iter().find(same)?))
        })
    }
}

impl Mailbox for Maildir {
    fn list(&mut self, known: &Known, report: &mut Report) -> Result<Listing, ConnectorError> {
        let root = open_root(&self.path)?;
        self.folders.clear();
        self.files.clear();
        self.index = None;
        let complete = self.walk(&root, Path::new(""), "", DEPTH, report);
        self.root = Some(root);
        if self.folders.is_empty() && complete {
            let place = self.path.display().to_string();
            report.note(&place, None, "holds no folder of mail that is to be read");
        }
        let mut listing = Listing {
            complete,
            ..Listing::default()
        };
        for entry in &self.files {
            if is_unwanted(base_and_flags(&entry.name).1) {
                listing.left_out += 1;
                continue;
            }
            listing.seen += 1;
            let place = self.place(entry);
            if known.has(place) {
                listing.unchanged += 1;
                continue;
            }
            let folder = self.folders.get(entry.folder);
            listing.fresh.push(Fresh {
                place,
                role: folder.map_or(Role::Ordinary, |folder| folder.role),
                server_thread: None,
            });
        }
        if !listing.fresh.is_empty() {
            self.make_index();
        }
        Ok(listing)
    }

    fn open(&mut self, place: Place, _: Part) -> Result<Opened<'_>, OpenError> {
        let (Some(root), Some(entry)) = (&self.root, self.entry(place)) else {
            return Err(OpenError::Gone);
        };
        let opened = match root.open(&self.below(entry)) {
            Err(cause) if cause.kind() == ErrorKind::NotFound => {
                let renamed = self.renamed(entry).ok_or(OpenError::Gone)?;
                root.open(&renamed)
            }
            other => other,
        };
        opened_file(opened)
    }

    fn has(&self, place: Place) -> bool {
        self.entry(place).is_some()
    }

    fn told(&self, place: Place) -> String {
        match self.entry(place) {
            Some(entry) => files::place(&self.below(entry)),
            None => "a mail that went away".to_owned(),
        }
    }
}

/// Opens the root of a store of files.
///
/// # Errors
/// [`ConnectorError::Missing`] and [`ConnectorError::Unreadable`].
pub(super) fn open_root(path: &Path) -> Result<Root, ConnectorError> {
    Root::new(path).map_err(|cause| match cause.kind() {
        ErrorKind::NotFound => ConnectorError::Missing {
            path: path.to_owned(),
        },
        _ => ConnectorError::Unreadable {
            path: path.to_owned(),
            cause,
        },
    })
}

/// A file that holds one mail.
pub(super) fn opened_file<'a>(opened: io::Result<File>) -> Result<Opened<'a>, OpenError> {
    let unreadable = |cause: io::Error| match cause.kind() {
        ErrorKind::NotFound => OpenError::Gone,
        ErrorKind::InvalidInput => {
            OpenError::Unreadable("is no regular file of this folder and was not read".to_owned())
        }
        kind => OpenError::Unreadable(format!("cannot be read: {kind}")),
    };
    let file = opened.map_err(unreadable)?;
    let metadata = file.metadata().map_err(unreadable)?;
    let modified = metadata.modified().ok();
    let since = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let seconds = since.and_then(|since| i64::try_from(since.as_secs()).ok());
    Ok(Opened {
        bytes: Box::new(file),
        received: seconds.and_then(Instant::from_unix),
        from_quoted: false,
        size: Some(metadata.len()),
    })
}

/// The name of a folder inside of another one: Maildir++ writes the way as `.A.B`.
fn joined(parent: &str, folder: &str) -> String {
    let inner = match folder.strip_prefix('.') {
        Some(dotted) => folders::decode_name(dotted).replace('.', "/"),
        None => folders::decode_name(folder),
    };
    match parent {
        "" => inner,
        parent => format!("{parent}/{inner}"),
    }
}

fn is_hidden(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".")
}

/// A file's name without its flags, and the flags. The sign before `2,` is a colon, or on systems
/// that cannot have one in a name another one.
fn base_and_flags(name: &OsStr) -> (&[u8], &[u8]) {
    let bytes = name.as_encoded_bytes();
    let mut at = bytes.len();
    while at > 2 {
        at -= 1;
        if let Some([b':' | b';' | b'!', b'1' | b'2', b',', flags @ ..]) = bytes.get(at - 1..) {
            return (bytes.get(..at - 1).unwrap_or(bytes), flags);
        }
    }
    (bytes, b"")
}

/// Whether flags say that a mail was thrown away or is a draft.
fn is_unwanted(flags: &[u8]) -> bool {
    flags.contains(&b'T') || flags.contains(&b'D')
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::marks::Memory;

    /// Lists a Maildir of which nothing is known.
    fn listed(path: &Path) -> (Maildir, Vec<Fresh>, u64) {
        let known = Known::new(Memory::default().into(), 0, false);
        let mut maildir = Maildir::new(path.to_owned(), Options::default());
        let mut report = Report::default();
        let listing = maildir.list(&known, &mut report).unwrap();
        assert!(listing.complete && report.problems.is_empty(), "{report:?}");
        (maildir, listing.fresh, listing.left_out)
    }

    #[test]
    fn a_mail_keeps_its_place_when_it_is_flagged_and_when_it_leaves_new() {
        let home = tempfile::tempdir().unwrap();
        let at = |name: &str| home.path().join(name);
        for folder in ["cur", "new", "tmp", ".Work/cur"] {
            fs::create_dir_all(at(folder)).unwrap();
        }
        fs::write(at("new/17.M1.box"), "Subject: x\n\n").unwrap();
        fs::write(at("tmp/18.M2.box"), "half").unwrap();
        fs::write(at("dovecot.index.log"), "index").unwrap();
        let (mut maildir, before, _) = listed(home.path());
        assert_eq!(before.len(), 1);
        let place = before[0].place;
        // Renamed since it was listed: it is found all the same.
        fs::rename(at("new/17.M1.box"), at("cur/17.M1.box:2,RS")).unwrap();
        let opened = maildir.open(place, Part::Whole).unwrap();
        assert_eq!(opened.size, Some(12));
        drop(opened);
        let (mut maildir, after, _) = listed(home.path());
        assert_eq!(after, before);
        fs::remove_file(at("cur/17.M1.box:2,RS")).unwrap();
        assert!(matches!(
            maildir.open(place, Part::Whole),
            Err(OpenError::Gone)
        ));
        // In another folder it is another copy; flagged as deleted it is none.
        fs::write(at(".Work/cur/17.M1.box:2,S"), "Subject: x\n\n").unwrap();
        fs::write(at("cur/19.M3.box:2,ST"), "Subject: y\n\n").unwrap();
        let (_, moved, left_out) = listed(home.path());
        assert_eq!((moved.len(), left_out), (1, 1));
        assert_ne!(moved[0].place, place);
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_became_a_link_is_not_followed() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("box/cur/17.M1.box");
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, "Subject: x\n\n").unwrap();
        fs::write(home.path().join("secret"), "Subject: y\n\n").unwrap();
        let (mut maildir, fresh, _) = listed(&home.path().join("box"));
        fs::remove_file(&file).unwrap();
        std::os::unix::fs::symlink(home.path().join("secret"), &file).unwrap();
        let opened = maildir.open(fresh[0].place, Part::Whole);
        assert!(matches!(opened, Err(OpenError::Unreadable(_))));
        assert_eq!(listed(&home.path().join("box")).1, []);
    }

    #[test]
    fn a_name_is_told_from_its_flags() {
        for (name, base, flags) in [
            ("1700.M1P2.host,U=5:2,FS", "1700.M1P2.host,U=5", "FS"),
            ("1700.M1P2.host;2,", "1700.M1P2.host", ""),
            ("1700.M1P2.host!2,T", "1700.M1P2.host", "T"),
            ("1700.M1P2.host", "1700.M1P2.host", ""),
            ("a", "a", ""),
        ] {
            let found = base_and_flags(OsStr::new(name));
            assert_eq!(found, (base.as_bytes(), flags.as_bytes()), "{name}");
        }
    }

    #[test]
    fn folders_of_maildir_plus_plus_and_plain_ones_are_named_alike() {
        assert_eq!(joined("", ".Work.Shop"), "Work/Shop");
        assert_eq!(joined("gmail", "Work"), "gmail/Work");
        assert_eq!(joined("", ".Entw&APw-rfe"), "Entwürfe");
    }
}
