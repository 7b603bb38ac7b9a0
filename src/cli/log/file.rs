//! A log file that stays small: at its limit it is put aside, in place of the one put aside before.
//!
//! A line is whole in one of the two files. One process writes a file; two that do write into each
//! other's, each with its own idea of how long the file is, and lose lines but nothing else.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tracing_subscriber::fmt::MakeWriter;

/// Longest file: at 100 bytes a line some 50,000 lines.
const LIMIT: u64 = 5 * 1024 * 1024;

/// The file and the one that was put aside (`<name>.1`), each at most [`LIMIT`] and one line long.
#[derive(Debug)]
pub(super) struct Bounded {
    path: PathBuf,
    limit: u64,
    open: Mutex<Open>,
}

#[derive(Debug)]
struct Open {
    file: File,
    length: u64,
}

impl Bounded {
    /// Opens a file to write at its end, making it for its owner alone when it is missing.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        Self::with_limit(path, LIMIT)
    }

    fn with_limit(path: &Path, limit: u64) -> io::Result<Self> {
        Ok(Self {
            path: path.to_owned(),
            limit,
            open: Mutex::new(open(path)?),
        })
    }

    fn write_line(&self, line: &[u8]) -> io::Result<()> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        // Where that fails, lines go on into the file in hand rather than nowhere.
        if open.length >= self.limit
            && let Ok(anew) = self.begun_anew()
        {
            *open = anew;
        }
        open.file.write_all(line)?;
        open.length += u64::try_from(line.len()).unwrap_or(0);
        Ok(())
    }
}

impl Bounded {
    /// Puts the file aside, unless that was done before, and begins another one.
    fn begun_anew(&self) -> io::Result<Open> {
        let mut aside = self.path.as_os_str().to_owned();
        aside.push(".1");
        match fs::rename(&self.path, aside) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        open(&self.path)
    }
}

fn open(path: &Path) -> io::Result<Open> {
    let mut options = fs::OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    let length = file.metadata()?.len();
    Ok(Open { file, length })
}

/// One event's line, which arrives in one piece.
#[derive(Debug)]
pub(super) struct Line<'a>(&'a Bounded);

impl Write for Line<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write_line(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Bounded {
    type Writer = Line<'a>;

    fn make_writer(&'a self) -> Line<'a> {
        Line(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_at_its_limit_is_put_aside_once_and_goes_on_where_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        fs::write(&path, "old\n").unwrap();
        let log = Bounded::with_limit(&path, 8).unwrap();
        for number in 1..=5 {
            log.make_writer()
                .write_all(format!("{number}  \n").as_bytes())
                .unwrap();
        }
        let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
        assert_eq!(
            (read("log.1"), read("log")),
            ("2  \n3  \n".into(), "4  \n5  \n".into())
        );
        log.make_writer().write_all(b"6  \n").unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn a_log_that_cannot_be_put_aside_or_is_gone_loses_no_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let log = Bounded::with_limit(&path, 4).unwrap();
        // A folder that holds something cannot be replaced by a file.
        let aside = folder.path().join("log.1");
        fs::create_dir_all(aside.join("in it")).unwrap();
        for line in [&b"1  \n"[..], b"2  \n"] {
            log.make_writer().write_all(line).unwrap();
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), "1  \n2  \n");
        fs::remove_file(&path).unwrap();
        log.make_writer().write_all(b"3  \n").unwrap();
        fs::remove_dir_all(&aside).unwrap();
        log.make_writer().write_all(b"4  \n").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "4  \n");
    }

    #[cfg(unix)]
    #[test]
    fn a_log_is_its_owners_alone() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        drop(Bounded::open(&path).unwrap());
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}
