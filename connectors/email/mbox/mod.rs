//! Mbox files: many mails in one, in all the dialects (mboxo, mboxrd, mboxcl, mboxcl2, that of
//! Thunderbird and that of Google Takeout).
//!
//! The name of a file in a folder is a folder of mail; `Work.sbd/Shop` is `Work/Shop`, as
//! Thunderbird lays them out. A file is scanned for separators once; one that only grew is scanned
//! from its last mail on, one that was written anew gets a new generation of places. The last mail
//! may have been half there when it was read: once it has another end, it is read again.

mod remembered;
mod scan;

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};

use self::remembered::{PROBE, Remembered, generation, probe};
use self::scan::Span;
use super::folders;
use super::known::Known;
use super::mailbox::{
    Fresh, Listing, Mailbox, OpenError, Opened, Part, Place, Role, Tally, folder_key,
};
use super::maildir::open_root;
use super::options::Options;
use crate::error::ConnectorError;
use crate::files::{self, Entry, Root, Stamp};
use crate::marks::Mark;
use crate::report::Report;

/// How deep folders may lie in each other.
const DEPTH: usize = 16;
/// Endings of files that lie beside mbox files and are none.
const BESIDE: &[&str] = &[
    "msf", "dat", "html", "sqlite", "json", "txt", "gz", "zip", "eml", "ini",
];

/// An mbox file, or a folder of them.
pub(super) struct Mbox {
    path: PathBuf,
    options: Options,
    root: Option<Root>,
    files: HashMap<u32, Found>,
}

/// A file as it was found.
struct Found {
    below: PathBuf,
    /// How long it was. What is written behind that belongs to the next look: the mail at its end
    /// would else be taken for whole although it was read with a piece of what follows.
    size: u64,
    /// Where mails end that were scanned this time, by their start.
    ends: HashMap<u64, u64>,
}

impl Mbox {
    /// Prepares to read; opens nothing.
    pub(super) fn new(path: PathBuf, options: Options) -> Self {
        Self {
            path,
            options,
            root: None,
            files: HashMap::new(),
        }
    }

    /// The folder that is read, and the one file in it that is meant, if one is.
    fn opened(&self) -> Result<(Root, Option<&OsStr>), ConnectorError> {
        match (
            self.path.is_file(),
            self.path.parent(),
            self.path.file_name(),
        ) {
            (true, Some(folder), Some(name)) => {
                let folder = if folder.as_os_str().is_empty() {
                    Path::new(".")
                } else {
                    folder
                };
                Ok((open_root(folder)?, Some(name)))
            }
            _ => Ok((open_root(&self.path)?, None)),
        }
    }
}

/// The mails of one file.
struct Mails {
    folder: u32,
    role: Role,
    /// Where the scan begins; not 0 when what stands before it was scanned earlier.
    from: u64,
    /// Where the last mail of the scan before begins.
    last_before: Option<u64>,
    /// Where mails end, by their start.
    ends: HashMap<u64, u64>,
}

impl Mails {
    fn place(&self, start: u64) -> Place {
        Place {
            folder: self.folder,
            number: start,
        }
    }

    fn fresh(&self, start: u64) -> Fresh {
        Fresh {
            place: self.place(start),
            role: self.role,
            server_thread: None,
        }
    }
}

/// A walk through files.
struct Walk<'a> {
    options: &'a Options,
    root: &'a Root,
    known: &'a Known,
    report: &'a mut Report,
    listing: Listing,
    files: HashMap<u32, Found>,
}

impl Walk<'_> {
    fn folder(&mut self, below: &Path, name: &str, depth: usize) {
        let failed = self.report.failed;
        let entries = self.root.list(below, self.report, is_mbox_name);
        self.listing.complete &= self.report.failed == failed;
        for entry in entries {
            match entry {
                Entry::File(file, stamp) => {
                    let inner = joined(name, &bare(&files::readable(&file)));
                    self.file(&below.join(file), &inner, stamp);
                }
                Entry::Folder(_) if depth == 0 => {
                    let why = "folders deeper than this are not read";
                    self.report.note(&files::place(below), None, why);
                }
                Entry::Folder(folder) => {
                    let readable = files::readable(&folder);
                    let inner = joined(name, readable.strip_suffix(".sbd").unwrap_or(&readable));
                    self.folder(&below.join(folder), &inner, depth - 1);
                }
            }
        }
    }

    fn file(&mut self, below: &Path, name: &str, stamp: Stamp) {
        let Some(role) = folders::role(name, self.options) else {
            return;
        };
        if let Err(cause) = self.look(below, role, stamp) {
            self.listing.complete = false;
            let why = format!("cannot be read: {}", cause.kind());
            self.report.fail(&files::place(below), why);
        }
    }

    fn look(&mut self, below: &Path, role: Role, stamp: Stamp) -> io::Result<()> {
        let path = below.as_os_str().as_encoded_bytes();
        let key = format!("f{:08x}", folder_key(&[path]));
        let before = self
            .known
            .value(&key)
            .and_then(Remembered::read)
            .unwrap_or_default();
        let folder = |generation: u64| folder_key(&[path, &generation.to_le_bytes()]);
        let all_known = self.known.tally(folder(before.generation)) == before.tally;
        // What has not moved from one look to the next is all that comes.
        let is_still = before.stamp == Some(stamp);
        if is_still && all_known && !before.waits {
            self.listing.seen += before.tally.count;
            self.listing.unchanged += before.tally.count;
            self.keep(folder(before.generation), below, stamp, HashMap::new());
            return Ok(());
        }
        let mut file = self.root.open(below)?;
        if !is_mbox(&mut file)? {
            return Ok(());
        }
        let same = before.is_beginning_of(&mut file)?;
        let generation = if same {
            before.generation
        } else {
            generation(&mut file, stamp)?
        };
        let from = if same && all_known { before.last } else { 0 };
        let mut now = Remembered {
            generation,
            last: from,
            tally: if from > 0 {
                before.tally
            } else {
                Tally::default()
            },
            ..Remembered::default()
        };
        let mut mails = Mails {
            folder: folder(generation),
            role,
            from,
            last_before: same.then_some(before.last),
            ends: HashMap::new(),
        };
        let first_fresh = self.listing.fresh.len();
        scan::spans(&mut file, from..stamp.size, |span| {
            if span.has_headers || is_still {
                self.mail(span, &mut mails, &mut now);
            } else {
                now.waits = true;
            }
            true
        })?;
        self.grown(&mut file, &before, &mails, first_fresh)?;
        now.stamp = Some(stamp);
        now.beginning = probe(&mut file, 0, stamp.size.min(PROBE))?;
        let length = stamp.size.min(PROBE);
        now.ending = probe(&mut file, stamp.size - length, length)?;
        if from > 0 {
            self.listing.seen += before.tally.count;
            self.listing.unchanged += before.tally.count;
        }
        self.listing.marks.push(Mark {
            key,
            value: now.write(),
            identity: String::new(),
        });
        self.keep(mails.folder, below, stamp, mails.ends);
        Ok(())
    }

    fn mail(&mut self, span: Span, mails: &mut Mails, now: &mut Remembered) {
        now.last = span.start;
        mails.ends.insert(span.start, span.end);
        // The last mail of an earlier scan was counted then.
        if mails.from > 0 && span.start == mails.from {
            return;
        }
        now.tally.add(span.start);
        self.listing.seen += 1;
        if self.known.has(mails.place(span.start)) {
            self.listing.unchanged += 1;
        } else {
            self.listing.fresh.push(mails.fresh(span.start));
        }
    }

    /// Has the mail that was the last one read again when it has another end now.
    fn grown(
        &mut self,
        file: &mut File,
        before: &Remembered,
        mails: &Mails,
        first_fresh: usize,
    ) -> io::Result<()> {
        let (Some(last), Some(stamp)) = (mails.last_before, before.stamp) else {
            return Ok(());
        };
        let place = mails.place(last);
        let Some(end) = mails.ends.get(&last).filter(|_| self.known.has(place)) else {
            return Ok(());
        };
        // Blank lines between two mails belong to whoever wrote the second.
        if *end >= stamp.size && is_blank(file, stamp.size, *end)? {
            return Ok(());
        }
        self.listing.changed.push(place);
        self.listing.fresh.insert(first_fresh, mails.fresh(last));
        Ok(())
    }

    fn keep(&mut self, folder: u32, below: &Path, stamp: Stamp, ends: HashMap<u64, u64>) {
        let found = Found {
            below: below.to_owned(),
            size: stamp.size,
            ends,
        };
        self.files.insert(folder, found);
    }
}

impl Mailbox for Mbox {
    fn list(&mut self, known: &Known, report: &mut Report) -> Result<Listing, ConnectorError> {
        let (root, only) = self.opened()?;
        let mut walk = Walk {
            options: &self.options,
            root: &root,
            known,
            report,
            listing: Listing {
                complete: true,
                ..Listing::default()
            },
            files: HashMap::new(),
        };
        match only {
            None => walk.folder(Path::new(""), "", DEPTH),
            Some(name) => {
                for entry in root.list(Path::new(""), walk.report, |other| other == name) {
                    if let Entry::File(name, stamp) = entry {
                        walk.file(Path::new(&name), &bare(&files::readable(&name)), stamp);
                    }
                }
            }
        }
        let (listing, files) = (walk.listing, walk.files);
        self.files = files;
        self.root = Some(root);
        Ok(listing)
    }

    fn open(&mut self, place: Place, _: Part) -> Result<Opened<'_>, OpenError> {
        let (Some(root), Some(found)) = (&self.root, self.files.get(&place.folder)) else {
            return Err(OpenError::Gone);
        };
        let unreadable = |cause: io::Error| match cause.kind() {
            io::ErrorKind::NotFound => OpenError::Gone,
            kind => OpenError::Unreadable(format!("cannot be read: {kind}")),
        };
        let mut file = root.open(&found.below).map_err(unreadable)?;
        let end = match found.ends.get(&place.number) {
            Some(end) => *end,
            None => end_of(&mut file, place.number..found.size).map_err(unreadable)?,
        };
        file.seek(SeekFrom::Start(place.number))
            .map_err(unreadable)?;
        let size = end.saturating_sub(place.number);
        if size == 0 {
            return Err(OpenError::Gone);
        }
        Ok(Opened {
            bytes: Box::new(file.take(size)),
            received: None,
            from_quoted: true,
            size: Some(size),
        })
    }

    fn has(&self, place: Place) -> bool {
        self.files.contains_key(&place.folder)
    }

    fn told(&self, place: Place) -> String {
        match self.files.get(&place.folder) {
            Some(found) => format!("{} at byte {}", files::place(&found.below), place.number),
            None => "a mail that went away".to_owned(),
        }
    }
}

fn joined(parent: &str, inner: &str) -> String {
    match parent {
        "" => inner.to_owned(),
        parent => format!("{parent}/{inner}"),
    }
}

/// A folder's name without the ending of its file.
fn bare(name: &str) -> String {
    let ending = [".mbox", ".mbx"]
        .iter()
        .find_map(|end| name.strip_suffix(end));
    ending.unwrap_or(name).to_owned()
}

fn is_mbox_name(name: &OsStr) -> bool {
    let extension = Path::new(name).extension().unwrap_or_default();
    let beside = |ending: &&str| extension.eq_ignore_ascii_case(ending);
    !BESIDE.iter().any(beside) && !name.as_encoded_bytes().starts_with(b".")
}

/// Whether a file begins as an mbox does.
fn is_mbox(file: &mut File) -> io::Result<bool> {
    let mut first = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.take(256).read_to_end(&mut first)?;
    let start = first.trim_ascii_start();
    let line = start
        .split(|byte| *byte == b'\n')
        .next()
        .unwrap_or_default();
    Ok(scan::is_separator(line))
}

/// Where a mail ends that was scanned in an earlier run.
fn end_of(file: &mut File, stretch: Range<u64>) -> io::Result<u64> {
    let start = stretch.start;
    let mut end = start;
    scan::spans(file, stretch, |span| {
        end = if span.start == start { span.end } else { start };
        false
    })?;
    Ok(end)
}

/// Whether only blank lines stand between two places.
fn is_blank(file: &mut File, from: u64, to: u64) -> io::Result<bool> {
    if to - from > PROBE {
        return Ok(false);
    }
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.take(to - from).read_to_end(&mut bytes)?;
    Ok(bytes.trim_ascii().is_empty())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::marks::Memory;

    const MAIL: &str = "From ana@example.org Mon Oct 19 21:05:00 2026\nSubject: a\n\nhello\n\n";

    #[test]
    fn what_is_written_after_the_look_is_left_to_the_next_one() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("Archive");
        std::fs::write(&path, MAIL).unwrap();
        let known = Known::new(Memory::default().into(), 0, false);
        let mut mbox = Mbox::new(path.clone(), Options::default());
        let listing = mbox.list(&known, &mut Report::default()).unwrap();
        let place = listing.fresh[0].place;
        let mut file = File::options().append(true).open(&path).unwrap();
        file.write_all(b"From ana@example.org Mon Oct 19 2")
            .unwrap();
        let size = |mbox: &mut Mbox| mbox.open(place, Part::Whole).unwrap().size;
        let listed = size(&mut mbox);
        // As for a mail that was listed by an earlier look, in a file that is as it was.
        for found in mbox.files.values_mut() {
            found.ends.clear();
        }
        assert_eq!([listed, size(&mut mbox)], [Some(MAIL.len() as u64); 2]);
    }
}
