//! What is remembered of a session file between two readings.
//!
//! The value of a mark is `<size> <modified> <JSON>`. The two numbers come first because a run with
//! nothing new only compares them, for every file there is; and all of it is short, since it is
//! loaded for every file. It holds numbers and digests, nothing that stands in a session.

use std::io::{self, Read, Seek, SeekFrom};

use serde::{Deserialize, Serialize};

use super::session::{self, Known};
use crate::digest;
use crate::files::Stamp;

/// Bytes at the beginning, and before the end last read, that tell whether a file only grew.
const PROBE: u64 = 4096;

/// What is remembered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Remembered {
    /// [`Options::rendering`](super::options::Options::rendering) at that time.
    #[serde(rename = "r")]
    pub(super) rendering: u64,
    /// Digest of the probe at the beginning.
    #[serde(rename = "b")]
    pub(super) beginning: u64,
    /// Digest of the probe before `known.extent.end`.
    #[serde(rename = "e")]
    pub(super) ending: u64,
    /// What a reading of the rest can start from.
    #[serde(rename = "k")]
    pub(super) known: Known,
    /// Whether the file was left out unread, so that nothing is known of its text.
    #[serde(rename = "u", default, skip_serializing_if = "session::is_no")]
    pub(super) unread: bool,
}

impl Remembered {
    /// Writes the mark's value.
    pub(super) fn write(&self, stamp: Stamp) -> String {
        let rest = serde_json::to_string(self).unwrap_or_default();
        format!("{} {} {rest}", stamp.size, stamp.modified)
    }

    /// Reads a mark's value with the size it was made for; `None` for one of another make.
    pub(super) fn read(value: &str) -> Option<(Stamp, Self)> {
        let mut parts = value.splitn(3, ' ');
        let stamp = Stamp {
            size: parts.next()?.parse().ok()?,
            modified: parts.next()?.parse().ok()?,
        };
        let rest = serde_json::from_str(parts.next()?).ok()?;
        Some((stamp, rest))
    }

    /// Whether a file still has the beginning, and the end, that were read then.
    ///
    /// # Errors
    /// That of the file.
    pub(super) fn only_grew(&self, file: &mut (impl Read + Seek)) -> io::Result<bool> {
        let end = self.known.extent.end;
        Ok(
            beginning(file, end)? == Some(self.beginning)
                && ending(file, end)? == Some(self.ending),
        )
    }
}

/// Whether a mark was made for a file of exactly this size and time; reads no further.
pub(super) fn is_current(value: &str, stamp: Stamp) -> bool {
    let mut parts = value.splitn(3, ' ');
    let size = parts.next().and_then(|part| part.parse().ok());
    let modified = parts.next().and_then(|part| part.parse().ok());
    (size, modified) == (Some(stamp.size), Some(stamp.modified))
}

/// Digests the beginning of a file, of which `end` bytes were read; `None` if it ends sooner.
///
/// # Errors
/// That of the file.
pub(super) fn beginning(file: &mut (impl Read + Seek), end: u64) -> io::Result<Option<u64>> {
    probe(file, 0, end.min(PROBE))
}

/// Digests what stands before an offset; `None` if the file ends sooner.
///
/// # Errors
/// That of the file.
pub(super) fn ending(file: &mut (impl Read + Seek), end: u64) -> io::Result<Option<u64>> {
    let length = end.min(PROBE);
    probe(file, end - length, length)
}

fn probe(file: &mut (impl Read + Seek), at: u64, length: u64) -> io::Result<Option<u64>> {
    file.seek(SeekFrom::Start(at))?;
    let mut bytes = Vec::new();
    file.take(length).read_to_end(&mut bytes)?;
    let whole = u64::try_from(bytes.len()).ok() == Some(length);
    Ok(whole.then(|| digest::fast(0, &bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_reads_back_and_its_two_numbers_alone_tell_whether_it_is_current() {
        let stamp = Stamp {
            size: 12,
            modified: -5,
        };
        let remembered = Remembered {
            rendering: 7,
            beginning: 4,
            ending: 5,
            known: Known::default(),
            unread: false,
        };
        let value = remembered.write(stamp);
        assert_eq!(Remembered::read(&value), Some((stamp, remembered)));
        assert!(is_current(&value, stamp));
        assert!(!is_current(&value, Stamp { size: 13, ..stamp }));
        assert!(!is_current("", stamp));
    }

    #[test]
    fn a_file_that_grew_is_told_from_one_that_was_rewritten() {
        let old = b"first line\nsecond line\n";
        let mut file = io::Cursor::new(old.to_vec());
        let end = 23;
        let mut known = Known::default();
        known.extent.end = end;
        let remembered = Remembered {
            rendering: 0,
            beginning: beginning(&mut file, end).unwrap().unwrap(),
            ending: ending(&mut file, end).unwrap().unwrap(),
            known,
            unread: false,
        };
        let grew = |text: &[u8]| {
            remembered
                .only_grew(&mut io::Cursor::new(text.to_vec()))
                .unwrap()
        };
        assert!(grew(old));
        assert!(grew(b"first line\nsecond line\nthird"));
        assert!(!grew(b"first line\nsecond lime\nthird"));
        assert!(!grew(b"first line\n"));
    }
}
