//! What is remembered of a task: its name, the numbers of its entries, and how the list showed it.
//!
//! Key is the server's id of the task. The value is the digest of what the list shows; the identity
//! is the name, a blank, and eight hex digits an entry in the order of their numbers. A number once
//! given stays with its entry, so that a comment or document that goes away moves no other.

use std::collections::HashMap;

use super::list::Row;
use crate::digest;
use crate::marks::{Mark, Memory, Recalled};

/// Hex digits of an entry.
const DIGITS: usize = 8;

/// What is remembered of one task.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Remembered {
    pub(super) name: String,
    entries: Vec<u32>,
}

impl Remembered {
    pub(super) fn read(recalled: Option<&Recalled>) -> Self {
        let identity = recalled.map_or("", |recalled| recalled.identity.as_str());
        let (name, entries) = identity.split_once(' ').unwrap_or((identity, ""));
        let entry = |digits| u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok();
        let entries = entries.as_bytes().chunks(DIGITS).map(entry);
        Self {
            name: name.to_owned(),
            entries: entries.collect::<Option<_>>().unwrap_or_default(),
        }
    }

    /// Numbers entries, from 1 on: known ones as they are, new ones behind all others in the order
    /// in which they come.
    pub(super) fn number(&mut self, ids: &[&str]) -> Vec<u64> {
        let mut places: HashMap<u32, Vec<usize>> = HashMap::new();
        for (at, entry) in self.entries.iter().enumerate().rev() {
            places.entry(*entry).or_default().push(at);
        }
        let number = |id: &&str| {
            let digest = digest::fast(0, id.as_bytes());
            let short = u32::try_from(digest & u64::from(u32::MAX)).unwrap_or(0);
            // Two entries whose digests are alike have two places.
            let at = places.get_mut(&short).and_then(Vec::pop);
            let at = at.unwrap_or_else(|| {
                self.entries.push(short);
                self.entries.len() - 1
            });
            u64::try_from(at).unwrap_or(u64::MAX).saturating_add(1)
        };
        ids.iter().map(number).collect()
    }

    pub(super) fn mark(&self, row: &Row) -> Mark {
        let mut identity = self.name.clone();
        identity.push(' ');
        for entry in &self.entries {
            identity.push_str(&format!("{entry:08x}"));
        }
        Mark {
            key: row.id.clone(),
            value: value(row),
            identity,
        }
    }
}

fn value(row: &Row) -> String {
    format!("{:016x}", row.stamp)
}

/// Which names are taken. A name that was another task's is free from the next run on, when that
/// one has its new name.
#[derive(Debug, Default)]
pub(super) struct Names {
    taken: HashMap<String, String>,
}

impl Names {
    pub(super) fn new(memory: &Memory) -> Self {
        let names = memory.iter().filter_map(|(id, recalled)| {
            let name = Remembered::read(Some(recalled)).name;
            (!name.is_empty()).then(|| (name, id.to_owned()))
        });
        Self {
            taken: names.collect(),
        }
    }

    /// The name of a task: its identifier; with eight digits behind it while another task has that.
    pub(super) fn give(&mut self, row: &Row) -> String {
        let plain = |name: &&String| {
            let sign = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
            name.len() <= 100 && name.chars().all(sign)
        };
        let name = row.identifier.as_ref().filter(plain).unwrap_or(&row.id);
        let free = |name: &String| self.taken.get(name).is_none_or(|id| *id == row.id);
        let name = if free(name) {
            name.clone()
        } else {
            format!("{name}~{}", digest::sha256_hex8(row.id.as_bytes()))
        };
        self.taken.insert(name.clone(), row.id.clone());
        name
    }
}

/// Whether a task is stored as the list shows it and under its present name.
pub(super) fn is_current(row: &Row, name: &str, recalled: Option<&Recalled>) -> bool {
    recalled.is_some_and(|recalled| {
        recalled.value == value(row) && Remembered::read(Some(recalled)).name == name
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(id: &str, identifier: &str) -> Row {
        Row {
            id: id.to_owned(),
            identifier: Some(identifier.to_owned()),
            status: "todo".to_owned(),
            hidden: false,
            active: None,
            stamp: 7,
        }
    }

    fn recalled(mark: &Mark) -> Recalled {
        Recalled {
            value: mark.value.clone(),
            identity: mark.identity.clone(),
            tail: None,
        }
    }

    #[test]
    fn numbers_once_given_stay_when_entries_go_and_come() {
        let mut remembered = Remembered {
            name: "PAP-1".to_owned(),
            ..Remembered::default()
        };
        assert_eq!(remembered.number(&["a", "b", "c"]), [1, 2, 3]);
        let mark = remembered.mark(&row("x", "PAP-1"));
        assert_eq!(mark.identity.len(), "PAP-1 ".len() + 24);
        let mut again = Remembered::read(Some(&recalled(&mark)));
        assert_eq!(again, remembered);
        assert_eq!(again.number(&["a", "early", "c"]), [1, 4, 3]);
        assert_eq!(again.number(&["b", "c"]), [2, 3]);
    }

    #[test]
    fn entries_whose_digests_are_alike_keep_places_of_their_own() {
        let mut remembered = Remembered::default();
        assert_eq!(remembered.number(&["a", "a"]), [1, 2]);
        assert_eq!(remembered.number(&["a", "a"]), [1, 2]);
    }

    #[test]
    fn a_name_is_given_once_and_free_again_when_its_task_has_another() {
        let first = row("11", "PAP-1");
        let mut names = Names::default();
        assert_eq!(names.give(&first), "PAP-1");
        let other = names.give(&row("22", "PAP-1"));
        assert!(other.starts_with("PAP-1~") && other.len() == 14, "{other}");
        let remembered = Remembered {
            name: "PAP-1".to_owned(),
            ..Remembered::default()
        };
        let marks = HashMap::from([("11".to_owned(), recalled(&remembered.mark(&first)))]);
        let mut names = Names::new(&Memory::new(marks));
        assert_eq!(names.give(&row("11", "NEW-1")), "NEW-1");
        assert!(names.give(&row("22", "PAP-1")).starts_with("PAP-1~"));
        assert_eq!(names.give(&row("33", "no name")), "33");
    }

    #[test]
    fn a_change_of_the_list_or_of_the_name_makes_a_task_unread() {
        let remembered = Remembered {
            name: "PAP-1".to_owned(),
            ..Remembered::default()
        };
        let first = row("11", "PAP-1");
        let recalled = recalled(&remembered.mark(&first));
        assert!(is_current(&first, "PAP-1", Some(&recalled)));
        assert!(!is_current(&first, "NEW-1", Some(&recalled)));
        assert!(!is_current(&first, "PAP-1", None));
        let changed = Row { stamp: 8, ..first };
        assert!(!is_current(&changed, "PAP-1", Some(&recalled)));
    }
}
