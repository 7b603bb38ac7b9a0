//! Under which name a file is known: what its marks are found by, and which unit it is.
//!
//! Marks are stored and never redacted, while the name of a file or a folder can be anything. So
//! only digests of them are kept: they recognise a name and do not tell it.

use crate::digest;

/// Names a file in marks: a digest of its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Key(u64);

impl Key {
    /// The key of a folder's own place: what tells its root apart, and its path below the root.
    pub(super) fn folder(prefix: &str, below: &std::path::Path) -> Self {
        let root = digest::fast(0, prefix.as_bytes());
        Self(digest::fast(root, below.as_os_str().as_encoded_bytes()))
    }

    /// The key of a file in a folder.
    pub(super) fn file(self, name: &std::ffi::OsStr) -> Self {
        Self(digest::fast(self.0, name.as_encoded_bytes()))
    }

    /// Its 16 hex digits.
    pub(super) fn digits(self) -> Digits {
        let digit = |at: u32| {
            let four = u8::try_from(self.0 >> (60 - 4 * at) & 15).unwrap_or(0);
            four + if four < 10 { b'0' } else { b'a' - 10 }
        };
        let mut digits = [0; 16];
        for (at, place) in (0..).zip(&mut digits) {
            *place = digit(at);
        }
        Digits(digits)
    }

    /// Reads a mark's key; `None` for one of another make.
    pub(super) fn read(text: &str) -> Option<Self> {
        u64::from_str_radix(text, 16).ok().map(Self)
    }
}

/// A key as text, without an allocation: one is looked up for every file at every run.
pub(super) struct Digits([u8; 16]);

impl Digits {
    pub(super) fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

/// Which unit a file is. The unit's id is the base, which the file itself tells, and the suffix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Identity {
    /// Digest of the id that the file's name gives.
    pub(super) base: u64,
    /// What tells it apart from other units of the same base.
    pub(super) suffix: Option<u32>,
    /// Digest of the first record's uuid.
    pub(super) first: Option<u64>,
}

impl Identity {
    /// The unit's id.
    pub(super) fn unit(self, base: &str) -> String {
        match self.suffix {
            Some(suffix) => format!("{base}~{suffix:08x}"),
            None => base.to_owned(),
        }
    }

    /// Writes a mark's identity.
    pub(super) fn write(self) -> String {
        let suffix = self.suffix.map(|suffix| format!("{suffix:x}"));
        let first = self.first.map(|first| format!("{first:x}"));
        let or_none = |part: Option<String>| part.unwrap_or_else(|| "-".to_owned());
        format!("{:x} {} {}", self.base, or_none(suffix), or_none(first))
    }

    /// Reads a mark's identity; `None` for an empty one.
    pub(super) fn read(text: &str) -> Option<Self> {
        let mut parts = text.split(' ');
        let base = u64::from_str_radix(parts.next()?, 16).ok()?;
        let suffix = match parts.next()? {
            "-" => None,
            digits => Some(u32::from_str_radix(digits, 16).ok()?),
        };
        let first = match parts.next()? {
            "-" => None,
            digits => Some(u64::from_str_radix(digits, 16).ok()?),
        };
        Some(Self {
            base,
            suffix,
            first,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::path::Path;

    use super::*;

    #[test]
    fn a_key_is_16_digits_that_read_back_and_tell_roots_folders_and_files_apart() {
        let key =
            |prefix, folder, name| Key::folder(prefix, Path::new(folder)).file(OsStr::new(name));
        let one = key("", "a", "s.jsonl");
        assert_eq!(one.digits().as_str(), format!("{:016x}", one.0));
        assert_eq!(Key::read(one.digits().as_str()), Some(one));
        for other in [
            key("~config/", "a", "s.jsonl"),
            key("", "b", "s.jsonl"),
            key("", "a", "t.jsonl"),
        ] {
            assert_ne!(other, one);
        }
    }

    #[test]
    fn an_identity_reads_back_and_an_empty_one_is_none() {
        for (suffix, first) in [(None, None), (Some(0x1f), Some(7)), (None, Some(u64::MAX))] {
            let identity = Identity {
                base: 12,
                suffix,
                first,
            };
            assert_eq!(Identity::read(&identity.write()), Some(identity));
        }
        assert_eq!(Identity::read(""), None);
        let told_apart = Identity {
            base: 1,
            suffix: Some(0x1f),
            first: None,
        };
        assert_eq!(told_apart.unit("s"), "s~0000001f");
    }
}
