//! Ids of units: the file's stem, told apart where two files have the same one.
//!
//! A file is the session that its name says. It happens that another file has the same name: a
//! session that was moved to another folder, a copy that was left behind, or another session
//! altogether. Their first records' uuids tell which. A name that was given stays with its file,
//! and no other file gets it, also when the first one is gone.

use std::collections::HashMap;

use super::identity::{Identity, Key};
use super::session::Head;
use crate::digest;
use crate::marks::Memory;

/// The name that a file asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Name {
    /// The id that the file's own name gives.
    pub(super) base: String,
    /// Digest of the base.
    base_digest: u64,
    /// Digest of the first record's uuid.
    pub(super) first: Option<u64>,
    /// What tells it apart: made of the first uuid, or of the place where there is none.
    by_uuid: u32,
    /// What tells it apart where that is not enough.
    by_place: u32,
}

impl Name {
    /// Prepares to ask.
    pub(super) fn new(base: String, head: &Head, key: Key) -> Self {
        let short = |text: &str| {
            let digits = digest::sha256_hex8(text.as_bytes());
            u32::from_str_radix(&digits, 16).unwrap_or(0)
        };
        let by_place = short(key.digits().as_str());
        Self {
            base_digest: digest::sha256_first8(base.as_bytes()),
            first: first(head),
            by_uuid: head.uuid.as_deref().map_or(by_place, short),
            by_place,
            base,
        }
    }

    /// Whether an identity is one of this base.
    pub(super) fn is_base_of(&self, identity: Identity) -> bool {
        identity.base == self.base_digest
    }

    fn with(&self, suffix: Option<u32>) -> Identity {
        Identity {
            base: self.base_digest,
            suffix,
            first: self.first,
        }
    }

    /// An identity for a twin that holds more than the other, made of its place.
    pub(super) fn by_place(&self) -> Identity {
        self.with(Some(self.by_place))
    }
}

/// Digests the uuid that tells apart two files of one name.
pub(super) fn first(head: &Head) -> Option<u64> {
    let uuid = head.uuid.as_ref()?;
    Some(digest::sha256_first8(uuid.as_bytes()))
}

/// What a file is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Claim {
    /// A unit that no other file has.
    New(Identity),
    /// A unit that was read from a file which is gone.
    Moved(Identity, Key),
    /// The same session as one or more that are known and whose files still stand.
    Twins(Vec<(Identity, Key)>),
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Owner {
    suffix: Option<u32>,
    key: Key,
    first: Option<u64>,
    /// Whether the file still stands and still is this unit.
    here: bool,
}

/// Which files have which unit ids.
#[derive(Debug)]
pub(super) struct Names {
    /// By digest of the base.
    owners: HashMap<u64, Vec<Owner>>,
    /// Files that are there, with their place in the list of what was found.
    present: HashMap<Key, usize>,
}

impl Names {
    /// Gathers the names of earlier readings; `present` are the keys of all files that are there,
    /// in the order in which they were found.
    pub(super) fn new(memory: &Memory, present: impl Iterator<Item = Key>) -> Self {
        let mut names = Self {
            owners: HashMap::new(),
            present: present.zip(0..).collect(),
        };
        for (key, recalled) in memory.iter() {
            if let (Some(key), Some(identity)) =
                (Key::read(key), Identity::read(&recalled.identity))
            {
                names.take(identity, key);
            }
        }
        // Memory has no order; a stable one keeps the answers the same.
        for owners in names.owners.values_mut() {
            owners.sort_unstable();
        }
        names
    }

    /// Where a file that is there stands in the list of what was found.
    pub(super) fn place(&self, key: Key) -> Option<usize> {
        self.present.get(&key).copied()
    }

    /// Notes that a file is a unit from now on. What it was before stays known as gone.
    pub(super) fn take(&mut self, identity: Identity, key: Key) {
        let here = self.present.contains_key(&key);
        let owners = self.owners.entry(identity.base).or_default();
        for owner in owners.iter_mut().filter(|owner| owner.key == key) {
            owner.here = false;
        }
        owners.retain(|owner| (owner.key, owner.suffix) != (key, identity.suffix));
        owners.push(Owner {
            suffix: identity.suffix,
            key,
            first: identity.first,
            here,
        });
    }

    /// Notes that a file no longer is a unit, because another one took it over. Tells whether it
    /// now is none at all.
    pub(super) fn release(&mut self, identity: Identity, key: Key) -> bool {
        let Some(owners) = self.owners.get_mut(&identity.base) else {
            return false;
        };
        owners.retain(|owner| (owner.key, owner.suffix) != (key, identity.suffix));
        owners.iter().all(|owner| owner.key != key)
    }

    /// Whether another file that is there has the same id.
    pub(super) fn is_shared(&self, identity: Identity, key: Key) -> bool {
        let owners = self.owners.get(&identity.base).into_iter().flatten();
        let mut others = owners.filter(|owner| owner.here && owner.key != key);
        others.any(|owner| owner.suffix == identity.suffix)
    }

    /// Finds what a file is that was never read before or holds another session than before.
    pub(super) fn claim(&self, name: &Name, key: Key) -> Claim {
        let owners = || self.owners.get(&name.base_digest).into_iter().flatten();
        let others = || owners().filter(|owner| owner.key != key || !owner.here);
        let mut own = owners().filter(|owner| owner.key == key && owner.here);
        let own = own.find(|own| !self.is_shared(name.with(own.suffix), key));
        let same = || others().filter(|owner| owner.first == name.first);
        let whose = |owner: &Owner| (name.with(owner.suffix), owner.key);
        // Without a uuid there is nothing to tell that two files are the same session.
        if name.first.is_some() {
            let twins: Vec<_> = same().filter(|owner| owner.here).map(whose).collect();
            if !twins.is_empty() {
                return Claim::Twins(twins);
            }
        }
        let mut gone = same().filter(|owner| !owner.here);
        if let Some(gone) = gone
            .next()
            .filter(|_| name.first.is_some() || own.is_none())
        {
            let (identity, key) = whose(gone);
            return Claim::Moved(identity, key);
        }
        if let Some(own) = own {
            return Claim::New(name.with(own.suffix));
        }
        let is_free = |suffix: &Option<u32>| others().all(|owner| owner.suffix != *suffix);
        let free = [None, Some(name.by_uuid)].into_iter().find(is_free);
        Claim::New(free.map_or_else(|| name.by_place(), |suffix| name.with(suffix)))
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::path::Path;

    use super::*;

    fn key(folder: &str) -> Key {
        Key::folder("", Path::new(folder)).file(OsStr::new("s.jsonl"))
    }

    fn name(folder: &str, first: &str) -> Name {
        let head = Head {
            uuid: Some(first.to_owned()),
            ..Head::default()
        };
        Name::new("s".to_owned(), &head, key(folder))
    }

    /// Owners are a suffix, a folder and a first uuid each.
    fn names(present: &[&str], owners: &[(Option<u32>, &str, &str)]) -> Names {
        let mut names = Names::new(&Memory::default(), present.iter().map(|folder| key(folder)));
        for (suffix, folder, first) in owners {
            names.take(name(folder, first).with(*suffix), key(folder));
        }
        names
    }

    fn claim(names: &Names, folder: &str, first: &str) -> Claim {
        names.claim(&name(folder, first), key(folder))
    }

    #[test]
    fn the_first_file_of_a_name_has_the_plain_id() {
        let Claim::New(identity) = claim(&names(&["a"], &[]), "a", "u1") else {
            panic!("it is new");
        };
        assert_eq!(identity.unit("s"), "s");
    }

    #[test]
    fn another_session_of_the_same_name_is_told_apart_by_its_first_uuid() {
        for present in [["a", "b"].as_slice(), &["b"]] {
            let names = names(present, &[(None, "a", "u1")]);
            let Claim::New(identity) = claim(&names, "b", "u2") else {
                panic!("it is new");
            };
            let expected = format!("s~{}", digest::sha256_hex8(b"u2"));
            assert_eq!(identity.unit("s"), expected);
        }
    }

    #[test]
    fn a_file_that_went_elsewhere_keeps_its_id() {
        let names = names(&["b"], &[(Some(7), "a", "u1")]);
        let identity = name("b", "u1").with(Some(7));
        assert_eq!(claim(&names, "b", "u1"), Claim::Moved(identity, key("a")));
    }

    #[test]
    fn a_copy_beside_the_first_is_a_twin() {
        let names = names(&["a", "b"], &[(None, "a", "u1")]);
        let twins = vec![(name("b", "u1").with(None), key("a"))];
        assert_eq!(claim(&names, "b", "u1"), Claim::Twins(twins));
    }

    #[test]
    fn a_file_with_another_session_in_it_keeps_its_id_unless_that_session_is_known() {
        let names = names(&["a", "b"], &[(None, "a", "u1"), (Some(7), "b", "u2")]);
        assert_eq!(
            claim(&names, "b", "u3"),
            Claim::New(name("b", "u3").with(Some(7)))
        );
        let twins = vec![(name("b", "u1").with(None), key("a"))];
        assert_eq!(claim(&names, "b", "u1"), Claim::Twins(twins));
    }

    #[test]
    fn an_id_that_another_file_took_over_is_not_kept() {
        let names = names(&["a", "b"], &[(None, "a", "u1"), (None, "b", "u1")]);
        assert!(names.is_shared(name("a", "u1").with(None), key("a")));
        let Claim::New(identity) = claim(&names, "b", "u2") else {
            panic!("it is new");
        };
        assert_eq!(
            identity,
            name("b", "u2").with(Some(name("b", "u2").by_uuid))
        );
    }
}
