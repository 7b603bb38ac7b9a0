//! Ids of units: the file's stem, told apart where two files have the same one.
//!
//! A file is the session that its name says. It happens that another file has the same name: a
//! session that was moved to another folder, a copy that was left behind, or another session
//! altogether. Their first records' uuids tell which.

use std::collections::{BTreeMap, HashSet};

use super::mark::Remembered;
use crate::digest;
use crate::marks::Memory;

/// What a new file is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Claim {
    /// A unit that nobody has yet.
    New(String),
    /// A unit that was read from a file which is gone; the mark's key is given.
    Moved(String, String),
    /// The same session as one that still stands elsewhere, under the key that is given.
    Twin {
        /// The unit that the other one is.
        unit: String,
        /// The other one's key.
        other: String,
    },
}

#[derive(Debug, Clone)]
struct Owner {
    key: String,
    first: Option<String>,
}

/// Which files have which unit ids.
#[derive(Debug)]
pub(super) struct Names {
    owners: BTreeMap<String, Vec<Owner>>,
    present: HashSet<String>,
}

impl Names {
    /// Gathers the names of earlier readings; `present` are the keys of all files that are there.
    pub(super) fn new<'a>(memory: &Memory, present: impl Iterator<Item = &'a str>) -> Self {
        let mut names = Self {
            owners: BTreeMap::new(),
            present: present.map(str::to_owned).collect(),
        };
        for (key, recalled) in memory.iter() {
            if let Some((
                _,
                Remembered {
                    unit: Some(unit),
                    first,
                    ..
                },
            )) = Remembered::read(&recalled.value)
            {
                names.take(unit, key, first.as_deref());
            }
        }
        // Memory has no order; a stable one keeps the answers the same.
        for owners in names.owners.values_mut() {
            owners.sort_unstable_by(|a, b| a.key.cmp(&b.key));
        }
        names
    }

    /// Notes that a file is a unit from now on.
    pub(super) fn take(&mut self, unit: String, key: &str, first: Option<&str>) {
        let owners = self.owners.entry(unit).or_default();
        if owners.iter().all(|owner| owner.key != key) {
            owners.push(Owner {
                key: key.to_owned(),
                first: first.map(str::to_owned),
            });
        }
    }

    /// Finds what a file is that was never read before: `base` is the id that its name gives,
    /// `first` the uuid of its first record.
    pub(super) fn claim(&self, base: &str, key: &str, first: Option<&str>) -> Claim {
        // A file without any uuid is told apart by its place.
        let told_apart = format!(
            "{base}~{}",
            digest::sha256_hex8(first.unwrap_or(key).as_bytes())
        );
        for unit in [base, &told_apart] {
            let Some(owners) = self.owners.get(unit) else {
                return Claim::New(unit.to_owned());
            };
            let others = || owners.iter().filter(|owner| owner.key != key);
            if others().next().is_none() {
                return Claim::New(unit.to_owned());
            }
            let same = || others().filter(|owner| owner.first.as_deref() == first);
            let here = |owner: &&Owner| self.present.contains(&owner.key);
            match (same().find(here), same().next()) {
                (Some(other), _) if first.is_some() => {
                    return Claim::Twin {
                        unit: unit.to_owned(),
                        other: other.key.clone(),
                    };
                }
                (None, Some(gone)) => return Claim::Moved(unit.to_owned(), gone.key.clone()),
                _ => {}
            }
        }
        Claim::New(Self::by_place(base, key))
    }

    /// An id for a twin that holds more than the other, made of its place.
    pub(super) fn by_place(base: &str, key: &str) -> String {
        format!("{base}~{}", digest::sha256_hex8(key.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(present: &[&str], owners: &[(&str, &str, &str)]) -> Names {
        let mut names = Names::new(&Memory::default(), present.iter().copied());
        for (unit, key, first) in owners {
            names.take((*unit).to_owned(), key, Some(first));
        }
        names
    }

    #[test]
    fn the_first_file_of_a_name_has_the_plain_id() {
        assert_eq!(
            names(&["a/s.jsonl"], &[]).claim("s", "a/s.jsonl", Some("u1")),
            Claim::New("s".to_owned())
        );
    }

    #[test]
    fn another_session_of_the_same_name_is_told_apart_by_its_first_uuid() {
        let names = names(&["a/s.jsonl", "b/s.jsonl"], &[("s", "a/s.jsonl", "u1")]);
        let expected = format!("s~{}", digest::sha256_hex8(b"u2"));
        assert_eq!(
            names.claim("s", "b/s.jsonl", Some("u2")),
            Claim::New(expected)
        );
    }

    #[test]
    fn a_file_that_went_elsewhere_keeps_its_id() {
        let names = names(&["b/s.jsonl"], &[("s", "a/s.jsonl", "u1")]);
        assert_eq!(
            names.claim("s", "b/s.jsonl", Some("u1")),
            Claim::Moved("s".to_owned(), "a/s.jsonl".to_owned())
        );
    }

    #[test]
    fn a_copy_beside_the_first_is_a_twin() {
        let names = names(&["a/s.jsonl", "b/s.jsonl"], &[("s", "a/s.jsonl", "u1")]);
        assert_eq!(
            names.claim("s", "b/s.jsonl", Some("u1")),
            Claim::Twin {
                unit: "s".to_owned(),
                other: "a/s.jsonl".to_owned()
            }
        );
    }
}
