//! What is remembered of an mbox file from one look to the next, and how its content is told from
//! another one under the same name: by digests of its beginning and of what stood at its end.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use super::super::mailbox::Tally;
use crate::digest;
use crate::files::Stamp;

/// Bytes at the beginning, and before the end last read, that tell whether a file only grew.
pub(super) const PROBE: u64 = 4096;

/// What is remembered of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Remembered {
    pub(super) stamp: Option<Stamp>,
    /// Digests of the probes.
    pub(super) beginning: u64,
    pub(super) ending: u64,
    /// Tells this content from an earlier one under the same name.
    pub(super) generation: u64,
    /// Where the last mail begins.
    pub(super) last: u64,
    pub(super) tally: Tally,
    /// Whether a mail at the end was left for the next look, since its header section had no end.
    pub(super) waits: bool,
}

impl Remembered {
    /// Reads a mark; `None` for one of another make.
    pub(super) fn read(value: &str) -> Option<Self> {
        let mut parts = value.split(' ');
        let mut hex = || u64::from_str_radix(parts.next()?, 16).ok();
        Some(Self {
            stamp: Some(Stamp {
                size: hex()?,
                modified: hex()?.cast_signed(),
            }),
            beginning: hex()?,
            ending: hex()?,
            generation: hex()?,
            last: hex()?,
            tally: Tally {
                count: hex()?,
                sum: hex()?,
            },
            // Marks of earlier versions end here.
            waits: hex() == Some(1),
        })
    }

    /// Writes the mark.
    pub(super) fn write(&self) -> String {
        let (size, modified) = self
            .stamp
            .map_or((0, 0), |stamp| (stamp.size, stamp.modified.cast_unsigned()));
        let (count, sum) = (self.tally.count, self.tally.sum);
        let rest = [self.beginning, self.ending, self.generation, self.last];
        let [a, b, c, d] = rest;
        let waits = u8::from(self.waits);
        format!("{size:x} {modified:x} {a:x} {b:x} {c:x} {d:x} {count:x} {sum:x} {waits}")
    }

    /// Whether a file still begins with all that was read then.
    pub(super) fn is_beginning_of(&self, file: &mut File) -> io::Result<bool> {
        let Some(stamp) = self.stamp else {
            return Ok(false);
        };
        let length = stamp.size.min(PROBE);
        Ok(file.metadata()?.len() >= stamp.size
            && probe(file, 0, length)? == self.beginning
            && probe(file, stamp.size - length, length)? == self.ending)
    }
}

/// Tells the content of a file from an earlier or later one of the same name.
pub(super) fn generation(file: &mut File, stamp: Stamp) -> io::Result<u64> {
    let state = probe(file, 0, stamp.size.min(PROBE))?;
    let state = digest::fast(state ^ stamp.size, &stamp.modified.to_le_bytes());
    Ok(state)
}

/// The digest of a stretch of a file.
pub(super) fn probe(file: &mut File, at: u64, length: u64) -> io::Result<u64> {
    file.seek(SeekFrom::Start(at))?;
    let mut bytes = Vec::new();
    file.take(length).read_to_end(&mut bytes)?;
    Ok(digest::fast(0, &bytes))
}
