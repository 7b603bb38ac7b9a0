//! Guarded listing and opening of files below a root.
//!
//! Nothing here follows a link, so nothing outside of a root is ever read: a link that leads out
//! of the root is noted in the report, one that stays inside is passed over in silence because
//! what it points to is listed where it lies. Files are opened for reading alone, which leaves
//! their modification times as they are, and only regular files are read: a pipe would block.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::path::{Component, Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::report::Report;

/// Why a link was passed over.
const OUTWARD: &str = "a link that leads out of the folder is not followed";
/// Why a pipe, a socket or a device was passed over.
const NO_FILE: &str = "what is no regular file is not read";
/// Why a link was passed over.
const NOWHERE: &str = "a link that leads nowhere is not followed";

/// What one look at a file tells: enough to know whether it has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stamp {
    /// Time of its last change, in nanoseconds since 1970; negative before that.
    pub modified: i64,
    /// Length in bytes.
    pub size: u64,
}

impl Stamp {
    fn of(metadata: &fs::Metadata) -> Self {
        Self {
            modified: metadata.modified().map_or(0, nanoseconds),
            size: metadata.len(),
        }
    }
}

fn nanoseconds(time: SystemTime) -> i64 {
    let signed = |nanos: u128| i64::try_from(nanos).unwrap_or(i64::MAX);
    match time.duration_since(UNIX_EPOCH) {
        Ok(since) => signed(since.as_nanos()),
        Err(before) => -signed(before.duration().as_nanos()),
    }
}

/// What stands in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// A regular file that was asked for, with its one stat.
    File(OsString, Stamp),
    /// A folder.
    Folder(OsString),
}

/// The names in a folder.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Names {
    /// Of its regular files.
    pub files: Vec<OsString>,
    /// Of its folders.
    pub folders: Vec<OsString>,
    /// Whether it could be listed to its end.
    pub complete: bool,
}

/// A root folder below which files are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    path: PathBuf,
    resolved: PathBuf,
}

impl Root {
    /// Resolves a root, which may itself be a link.
    ///
    /// # Errors
    /// That of the system, such as `NotFound`.
    pub fn new(path: &Path) -> io::Result<Self> {
        let resolved = fs::canonicalize(path)?;
        // A root that is no folder or may not be read fails here and not as an empty source.
        fs::read_dir(&resolved)?;
        Ok(Self {
            path: path.to_owned(),
            resolved,
        })
    }

    /// The root as it was named.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Lists a folder below the root (`Path::new("")` is the root), sorted by name.
    ///
    /// Folders are always listed; files only if `wanted` accepts their name, so that the others
    /// cost no stat. A folder that cannot be read is a failure in the report and an empty list.
    pub fn list(
        &self,
        below: &Path,
        report: &mut Report,
        wanted: impl Fn(&OsStr) -> bool,
    ) -> Vec<Entry> {
        let folder = self.resolved.join(below);
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(cause) => {
                report.fail(&place(below), format!("cannot be read: {}", cause.kind()));
                return Vec::new();
            }
        };
        let mut listed = Vec::new();
        for entry in entries {
            match entry {
                Ok(entry) => listed.push((entry.file_name(), entry)),
                Err(cause) => {
                    report.fail(&place(below), format!("cannot be listed: {}", cause.kind()));
                    break;
                }
            }
        }
        listed.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        let look = |(name, entry)| self.look_at(name, &entry, below, report, &wanted);
        listed.into_iter().filter_map(look).collect()
    }

    /// Lists a folder as [`Root::list`] does, in no order and without a look at the files: for
    /// folders whose files never change under one name. Links and what is no regular file are
    /// passed over.
    pub fn names(&self, below: &Path, report: &mut Report) -> Names {
        let mut names = Names::default();
        let told = |cause: io::Error| format!("cannot be listed: {}", cause.kind());
        let entries = match fs::read_dir(self.resolved.join(below)) {
            Ok(entries) => entries,
            Err(cause) => {
                report.fail(&place(below), told(cause));
                return names;
            }
        };
        for entry in entries {
            let kind = entry.and_then(|entry| Ok((entry.file_type()?, entry)));
            match kind {
                Ok((kind, entry)) if kind.is_file() => names.files.push(entry.file_name()),
                Ok((kind, entry)) if kind.is_dir() => names.folders.push(entry.file_name()),
                Ok(_) => {}
                Err(cause) if cause.kind() == io::ErrorKind::NotFound => {}
                Err(cause) => {
                    report.fail(&place(below), told(cause));
                    return names;
                }
            }
        }
        names.complete = true;
        names
    }

    fn look_at(
        &self,
        name: OsString,
        entry: &fs::DirEntry,
        below: &Path,
        report: &mut Report,
        wanted: impl Fn(&OsStr) -> bool,
    ) -> Option<Entry> {
        let here = |name: &OsStr| place(&below.join(name));
        let kind = match entry.file_type() {
            Ok(kind) => kind,
            Err(cause) => {
                report.fail(&here(&name), format!("cannot be read: {}", cause.kind()));
                return None;
            }
        };
        if kind.is_dir() {
            return Some(Entry::Folder(name));
        }
        if kind.is_symlink() {
            match fs::canonicalize(entry.path()) {
                Ok(target) if target.starts_with(&self.resolved) => {}
                Ok(target) if wanted(&name) || target.is_dir() => {
                    report.note(&here(&name), None, OUTWARD);
                }
                Err(_) if wanted(&name) => report.note(&here(&name), None, NOWHERE),
                _ => {}
            }
            return None;
        }
        if !wanted(&name) {
            return None;
        }
        if !kind.is_file() {
            report.note(&here(&name), None, NO_FILE);
            return None;
        }
        match entry.metadata() {
            Ok(metadata) => Some(Entry::File(name, Stamp::of(&metadata))),
            // It went away between the listing and this look: agents delete their old files.
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => None,
            Err(cause) => {
                report.fail(&here(&name), format!("cannot be read: {}", cause.kind()));
                None
            }
        }
    }

    /// Opens a regular file below the root for reading.
    ///
    /// What is opened is what is checked, so that a file which becomes a link, or a folder that does,
    /// between a look and the opening leads nowhere.
    ///
    /// # Errors
    /// That of the system; `InvalidInput` for what is no regular file or stands behind a link that
    /// leads out of the root.
    pub fn open(&self, below: &Path) -> io::Result<File> {
        let path = self.resolved.join(below);
        let refused = || io::Error::from(io::ErrorKind::InvalidInput);
        let file = match open_unfollowed(&path) {
            // Opening a link fails in a way that has no kind of its own.
            Err(_) if fs::symlink_metadata(&path).is_ok_and(|found| !found.is_file()) => {
                return Err(refused());
            }
            other => other?,
        };
        let opened = file.metadata()?;
        let parent = fs::canonicalize(path.parent().unwrap_or(&self.resolved))?;
        let name = path.file_name().ok_or_else(refused)?;
        let inside = fs::symlink_metadata(parent.join(name))?;
        let regular = opened.is_file() && parent.starts_with(&self.resolved);
        if regular && is_same(&opened, &inside) {
            Ok(file)
        } else {
            Err(refused())
        }
    }

    /// Reads a small regular file below the root, such as a sidecar; `None` when there is none or
    /// when it is longer than `limit` bytes.
    #[must_use]
    pub fn read_small(&self, below: &Path, limit: u64) -> Option<String> {
        let file = self.open(below).ok()?;
        let mut bytes = Vec::new();
        let read = io::Read::read_to_end(&mut io::Read::take(file, limit + 1), &mut bytes).ok()?;
        (u64::try_from(read).ok()? <= limit).then(|| String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// Opens a file for reading; a link fails, and a pipe does not block.
#[cfg(unix)]
fn open_unfollowed(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
    File::options().read(true).custom_flags(flags).open(path)
}

/// Opens a file for reading; a link fails.
#[cfg(not(unix))]
fn open_unfollowed(path: &Path) -> io::Result<File> {
    if !fs::symlink_metadata(path)?.is_file() {
        return Err(io::Error::from(io::ErrorKind::InvalidInput));
    }
    File::open(path)
}

/// Whether two looks met the same file.
#[cfg(unix)]
fn is_same(one: &fs::Metadata, other: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// Whether two looks met the same file, as far as can be told.
#[cfg(not(unix))]
fn is_same(one: &fs::Metadata, other: &fs::Metadata) -> bool {
    other.is_file() && one.created().ok() == other.created().ok()
}

/// Writes a path below a root as it stands in reports and marks, with `/` between its parts.
///
/// Two paths never give the same text: a name that is no Unicode gets a digest of its bytes, since
/// its readable form is lossy.
#[must_use]
pub fn place(below: &Path) -> String {
    let mut out = String::with_capacity(below.as_os_str().len());
    for part in below.components() {
        if !out.is_empty() {
            out.push('/');
        }
        out.push_str(&readable(part.as_os_str()));
    }
    out
}

/// Writes a name as text: as it is if it is Unicode without control characters, else with
/// replacements and a digest of its bytes, so that two names stay two.
#[must_use]
pub fn readable(name: &OsStr) -> std::borrow::Cow<'_, str> {
    match name.to_str() {
        Some(text) if !text.chars().any(char::is_control) => text.into(),
        _ => {
            let lossy = name.to_string_lossy();
            let clean = lossy.replace(char::is_control, "\u{fffd}");
            let digest = crate::digest::sha256_hex8(name.as_encoded_bytes());
            format!("{clean}~{digest}").into()
        }
    }
}

/// Finds the folders that a pattern names: `*` and `?` match inside of one path component. A
/// pattern without them, or one that exists as it stands, names itself whether or not it exists.
///
/// Sorted; folders that may not be listed while looking are passed over.
#[must_use]
pub fn expand(pattern: &Path) -> Vec<PathBuf> {
    let literal = |part: &OsStr| !part.to_string_lossy().contains(['*', '?']);
    if pattern.components().all(|part| literal(part.as_os_str())) || pattern.exists() {
        return vec![pattern.to_owned()];
    }
    let mut found = vec![PathBuf::new()];
    for part in pattern.components() {
        let name = part.as_os_str();
        if !matches!(part, Component::Normal(_)) || literal(name) {
            found.iter_mut().for_each(|path| path.push(name));
            continue;
        }
        let wanted = name.to_string_lossy().into_owned();
        let mut next = Vec::new();
        for folder in found {
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                if matches(&wanted, &entry.file_name().to_string_lossy()) {
                    next.push(folder.join(entry.file_name()));
                }
            }
        }
        found = next;
    }
    found.retain(|path| path.is_dir());
    found.sort_unstable();
    found
}

/// The folder from which the matches of a pattern are told apart: everything before its first
/// component with a wildcard; the pattern itself when it has none.
#[must_use]
pub fn fixed_part(pattern: &Path) -> PathBuf {
    pattern
        .components()
        .take_while(|part| !part.as_os_str().to_string_lossy().contains(['*', '?']))
        .collect()
}

/// Whether a name matches a pattern in which `*` stands for any characters and `?` for one.
#[must_use]
pub fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), name.chars().collect());
    let (mut p, mut n) = (0, 0);
    // Where the last `*` stands and how far the name is taken into it: the only place to go back to.
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        match (pattern.get(p), star) {
            (Some('*'), _) => {
                star = Some((p, n));
                p += 1;
            }
            (Some(c), _) if *c == '?' || name.get(n) == Some(c) => {
                p += 1;
                n += 1;
            }
            (_, Some((at, taken))) => {
                star = Some((at, taken + 1));
                p = at + 1;
                n = taken + 1;
            }
            _ => return false,
        }
    }
    pattern.iter().skip(p).all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_matches_within_one_name() {
        for (pattern, name, expected) in [
            ("*-scratch", "-home-ana-scratch", true),
            ("*-scratch", "-home-ana-scratches", false),
            ("a?c", "abc", true),
            ("a?c", "aéc", true),
            ("a?c", "ac", false),
            ("*a*b*", "xxaxxbxx", true),
            ("*a*b*", "xxbxxaxx", false),
            ("", "", true),
            ("*", "", true),
            ("abc", "abcd", false),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn a_pattern_finds_folders_and_a_plain_path_names_itself() {
        let home = tempfile::tempdir().unwrap();
        let at = |name: &str| home.path().join(name);
        for folder in ["ana/projects", "ben/projects", "ben/other", "[x]/projects"] {
            fs::create_dir_all(at(folder)).unwrap();
        }
        fs::write(at("file"), "").unwrap();
        assert_eq!(
            expand(&at("*/projects")),
            [at("[x]/projects"), at("ana/projects"), at("ben/projects")]
        );
        assert_eq!(expand(&at("b?n/*")), [at("ben/other"), at("ben/projects")]);
        assert_eq!(expand(&at("[x]/projects")), [at("[x]/projects")]);
        assert_eq!(expand(&at("missing")), [at("missing")]);
        assert_eq!(expand(&at("fil*")), Vec::<PathBuf>::new());
        assert_eq!(fixed_part(&at("*/projects")), home.path());
    }

    #[cfg(unix)]
    #[test]
    fn names_that_are_no_text_stay_apart() {
        use std::os::unix::ffi::OsStrExt;
        let of = |bytes: &[u8]| readable(OsStr::from_bytes(bytes)).into_owned();
        assert_eq!(of(b"plain"), "plain");
        assert!(of(b"a\xff").starts_with("a\u{fffd}~"));
        assert_ne!(of(b"a\xff"), of(b"a\xfe"));
        assert_eq!(of(b"a\nb").lines().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn only_a_regular_file_inside_of_the_root_is_opened() {
        use std::os::unix::fs::symlink;
        let home = tempfile::tempdir().unwrap();
        let at = |name: &str| home.path().join(name);
        for folder in ["root/a", "outside"] {
            fs::create_dir_all(at(folder)).unwrap();
            fs::write(at(folder).join("s"), folder).unwrap();
        }
        symlink(at("outside"), at("root/link")).unwrap();
        symlink(at("root/a/s"), at("root/a/t")).unwrap();
        symlink(at("root/a"), at("root/within")).unwrap();
        let _listener = std::os::unix::net::UnixListener::bind(at("root/socket")).unwrap();
        let pipe = std::process::Command::new("mkfifo")
            .arg(at("root/pipe"))
            .status();
        assert!(pipe.unwrap().success());
        let root = Root::new(&at("root")).unwrap();
        let open = |below: &str| {
            let opened = root.open(Path::new(below));
            opened.map(|_| ()).map_err(|cause| cause.kind())
        };
        assert_eq!((open("a/s"), open("within/s")), (Ok(()), Ok(())));
        assert_eq!(open("a/missing"), Err(io::ErrorKind::NotFound));
        for refused in ["link/s", "a/t", "a", "socket", "pipe", "a/../../outside/s"] {
            assert_eq!(open(refused), Err(io::ErrorKind::InvalidInput), "{refused}");
        }
    }

    #[test]
    fn a_sidecar_is_read_only_up_to_its_limit() {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join("s"), "four").unwrap();
        let root = Root::new(home.path()).unwrap();
        assert_eq!(root.read_small(Path::new("s"), 4).as_deref(), Some("four"));
        assert_eq!(root.read_small(Path::new("s"), 3), None);
        assert_eq!(root.read_small(Path::new("t"), 4), None);
    }
}
