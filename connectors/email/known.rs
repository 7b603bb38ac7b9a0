//! What earlier readings left in the marks.
//!
//! Four kinds of marks, told apart by the first letter of their key:
//!
//! | key | identity | value |
//! | --- | --- | --- |
//! | `t<thread id>` | time of the oldest mail, digests of its mails in the order of their ordinals, digests of other ids that lead here | |
//! | `s<thread id>` | | whether the thread is stored or left out, under which rendering or selection, places of its mails |
//! | `x<digest>` | | the selection, places of single mails that are left out |
//! | `f…` | | what a store remembers of a folder |
//!
//! Identities outlive a reset, so ordinals and thread ids stay; a thread whose storing failed has
//! the first of its marks and not the second. All of it is numbers and digests.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::OnceLock;

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD as BASE64;

use super::mailbox::{Place, Tally};
use crate::digest;
use crate::marks::{Mark, Memory, Recalled, Recollection, Tail};

/// What earlier readings know; made at the first question, which waits for the marks.
pub(super) struct Known {
    memory: Recollection,
    selection: u64,
    /// Whether all mail is to be taken as not known.
    blank: bool,
    places: OnceLock<Places>,
}

#[derive(Default)]
struct Places {
    all: HashSet<Place, BuildHasherDefault<Spread>>,
    tallies: HashMap<u32, Tally>,
}

/// Hashes places, whose numbers come from our own digests or count up.
#[derive(Default)]
struct Spread(u64);

impl Hasher for Spread {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = digest::fast(self.0, bytes);
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }

    fn write_u64(&mut self, number: u64) {
        let mixed = (self.0.rotate_left(29) ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ (mixed >> 32);
    }
}

/// A thread as it was remembered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Thread {
    /// Its id: 16 hex digits.
    pub(super) id: String,
    /// Time of its oldest mail when it was last looked at, in seconds since 1970.
    pub(super) first: i64,
    /// Digests of its mails; their ordinals are the positions.
    pub(super) mails: Vec<u64>,
    /// Digests of other ids that lead to it.
    pub(super) links: Vec<u64>,
    /// What is known beside the names; `None` after a reset, and for what was never stored.
    pub(super) state: Option<State>,
    /// Whether anything was ever kept of it beside the names.
    pub(super) was_kept: bool,
    /// Where its last stored segment begins.
    pub(super) tail: Option<Tail>,
}

/// What is known of a thread beside the names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct State {
    /// Whether it is stored; else it was left out.
    pub(super) stored: bool,
    /// The rendering or the selection at that time.
    pub(super) under: u64,
    /// Places of its mails with their ordinals; a mail may lie in several.
    pub(super) places: Vec<(Place, u32)>,
}

impl Known {
    /// Prepares to answer.
    pub(super) fn new(memory: Recollection, selection: u64, blank: bool) -> Self {
        Self {
            memory,
            selection,
            blank,
            places: OnceLock::new(),
        }
    }

    /// Whether a mail is known: its thread is stored, or it was left out for good.
    pub(super) fn has(&self, place: Place) -> bool {
        self.places().all.contains(&place)
    }

    /// Number and sum of the known places of a folder.
    pub(super) fn tally(&self, folder: u32) -> Tally {
        let tallies = &self.places().tallies;
        tallies.get(&folder).copied().unwrap_or_default()
    }

    /// The value of a mark that a store made; `None` when nothing is to be taken as known.
    pub(super) fn value(&self, key: &str) -> Option<&str> {
        if self.blank {
            return None;
        }
        let recalled = self.memory.get(key)?;
        Some(recalled.value.as_str()).filter(|value| !value.is_empty())
    }

    /// All threads ever named, in the order of their ids.
    pub(super) fn threads(&self) -> Vec<Thread> {
        let memory = self.memory.memory();
        let mut threads: Vec<Thread> = memory
            .iter()
            .filter_map(|(key, recalled)| Thread::read(key, recalled, memory))
            .collect();
        threads.sort_unstable_by(|a, b| a.id.cmp(&b.id));
        threads
    }

    /// How many threads were ever named.
    pub(super) fn count(&self) -> u64 {
        let named = |(key, recalled): &(&str, &Recalled)| {
            key.starts_with('t') && !recalled.identity.is_empty()
        };
        u64::try_from(self.memory.memory().iter().filter(named).count()).unwrap_or(0)
    }

    fn places(&self) -> &Places {
        self.places.get_or_init(|| match self.blank {
            true => Places::default(),
            false => self.read_places(self.memory.memory()),
        })
    }

    fn read_places(&self, memory: &Memory) -> Places {
        let mut places = Places::default();
        for (key, recalled) in memory.iter() {
            let listed = match key.as_bytes().first() {
                Some(b's') => State::read(&recalled.value)
                    .filter(|state| state.stored || state.under == self.selection)
                    .map(|state| state.places),
                Some(b'x') => read_aside(&recalled.value, self.selection),
                _ => None,
            };
            for (place, _) in listed.unwrap_or_default() {
                if places.all.insert(place) {
                    let tally = places.tallies.entry(place.folder).or_default();
                    tally.add(place.number);
                }
            }
        }
        places
    }
}

impl Thread {
    /// Reads a mark; `None` for one of another kind or make.
    fn read(key: &str, recalled: &Recalled, memory: &Memory) -> Option<Self> {
        let id = key.strip_prefix('t')?;
        let kept = memory.get(&format!("s{id}"));
        let mut parts = recalled.identity.split(' ');
        Some(Self {
            id: id.to_owned(),
            first: parts.next()?.parse().ok()?,
            mails: read_digests(parts.next()?)?,
            links: read_digests(parts.next()?)?,
            state: kept.and_then(|kept| State::read(&kept.value)),
            was_kept: kept.is_some(),
            tail: kept.and_then(|kept| kept.tail),
        })
    }

    /// Writes its marks.
    pub(super) fn marks(&self) -> [Mark; 2] {
        let (mails, links) = (write_digests(&self.mails), write_digests(&self.links));
        [
            Mark {
                key: format!("t{}", self.id),
                value: String::new(),
                identity: format!("{} {mails} {links}", self.first),
            },
            Mark {
                key: format!("s{}", self.id),
                value: self.state.as_ref().map(State::write).unwrap_or_default(),
                identity: String::new(),
            },
        ]
    }

    /// Takes mails at some places for not known; says whether it had one of them.
    pub(super) fn unknow(&mut self, places: &[Place]) -> bool {
        let Some(state) = &mut self.state else {
            return false;
        };
        let before = state.places.len();
        state.places.retain(|(place, _)| !places.contains(place));
        state.places.len() < before
    }

    /// The marks of a thread that has become part of another one: nothing is known under its name.
    pub(super) fn released(&self) -> [Mark; 2] {
        ["t", "s"].map(|kind| Mark {
            key: format!("{kind}{}", self.id),
            value: String::new(),
            identity: String::new(),
        })
    }
}

impl State {
    fn read(value: &str) -> Option<Self> {
        let mut parts = value.split(' ');
        let stored = match parts.next()? {
            "s" => true,
            "l" => false,
            _ => return None,
        };
        Some(Self {
            stored,
            under: u64::from_str_radix(parts.next()?, 16).ok()?,
            places: read_places(parts.next()?)?,
        })
    }

    fn write(&self) -> String {
        let word = if self.stored { 's' } else { 'l' };
        let places = write_places(&self.places);
        format!("{word} {:x} {places}", self.under)
    }
}

/// Makes the mark of mails that are left out one by one, whatever their thread.
pub(super) fn aside(places: &[Place], selection: u64) -> Option<Mark> {
    let first = places.first()?;
    let with_ordinal: Vec<(Place, u32)> = places.iter().map(|place| (*place, 0)).collect();
    Some(Mark {
        key: format!("x{:08x}{:016x}", first.folder, first.number),
        value: format!("{selection:x} {}", write_places(&with_ordinal)),
        identity: String::new(),
    })
}

fn read_aside(value: &str, selection: u64) -> Option<Vec<(Place, u32)>> {
    let (under, places) = value.split_once(' ')?;
    let same = u64::from_str_radix(under, 16).ok()? == selection;
    same.then(|| read_places(places)).flatten()
}

/// What stands for an empty list.
const NONE: &str = "-";

fn write_digests(digests: &[u64]) -> String {
    let bytes: Vec<u8> = digests.iter().flat_map(|id| id.to_be_bytes()).collect();
    written(&bytes)
}

fn read_digests(text: &str) -> Option<Vec<u64>> {
    let bytes = read(text)?;
    let (digests, rest) = bytes.as_chunks::<8>();
    let digests = digests.iter().map(|bytes| u64::from_be_bytes(*bytes));
    rest.is_empty().then(|| digests.collect())
}

fn write_places(places: &[(Place, u32)]) -> String {
    let mut bytes = Vec::with_capacity(places.len() * 16);
    for (place, ordinal) in places {
        bytes.extend(place.folder.to_be_bytes());
        bytes.extend(place.number.to_be_bytes());
        bytes.extend(ordinal.to_be_bytes());
    }
    written(&bytes)
}

fn read_places(text: &str) -> Option<Vec<(Place, u32)>> {
    let bytes = read(text)?;
    let (places, rest) = bytes.as_chunks::<16>();
    let places = places.iter().map(|bytes| {
        let whole = u128::from_be_bytes(*bytes);
        let part = |shift: u32| u32::try_from(whole >> shift & 0xffff_ffff).unwrap_or(0);
        let number = u64::from(part(64)) << 32 | u64::from(part(32));
        let folder = part(96);
        (Place { folder, number }, part(0))
    });
    rest.is_empty().then(|| places.collect())
}

fn written(bytes: &[u8]) -> String {
    match bytes {
        [] => NONE.to_owned(),
        bytes => BASE64.encode(bytes),
    }
}

fn read(text: &str) -> Option<Vec<u8>> {
    match text {
        NONE => Some(Vec::new()),
        text => BASE64.decode(text).ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(folder: u32, number: u64) -> Place {
        Place { folder, number }
    }

    fn memory(marks: &[Mark]) -> Recollection {
        let marks = marks.iter().map(|mark| {
            let recalled = Recalled {
                value: mark.value.clone(),
                identity: mark.identity.clone(),
                tail: None,
            };
            (mark.key.clone(), recalled)
        });
        Memory::new(marks.collect()).into()
    }

    fn thread(stored: bool) -> Thread {
        Thread {
            id: "00000000000000ab".to_owned(),
            first: -5,
            mails: vec![1, u64::MAX],
            links: Vec::new(),
            state: Some(State {
                stored,
                under: 7,
                places: vec![(place(9, 1), 0), (place(u32::MAX, 1 << 40), 1)],
            }),
            was_kept: true,
            tail: None,
        }
    }

    #[test]
    fn a_thread_reads_back_and_its_mails_are_known() {
        let known = Known::new(memory(&thread(true).marks()), 8, false);
        assert_eq!(known.threads(), [thread(true)]);
        assert!(known.has(place(9, 1)) && known.has(place(u32::MAX, 1 << 40)));
        assert!(!known.has(place(9, 2)));
        let mut tally = Tally::default();
        tally.add(1);
        assert_eq!(known.tally(9), tally);
        assert_eq!(known.tally(10), Tally::default());
    }

    #[test]
    fn what_was_left_out_is_known_until_the_selection_changes() {
        let [names, state] = thread(false).marks();
        let marks = [names, state, aside(&[place(3, 3)], 7).unwrap()];
        let same = Known::new(memory(&marks), 7, false);
        assert!(same.has(place(9, 1)) && same.has(place(3, 3)));
        let other = Known::new(memory(&marks), 8, false);
        assert!(!other.has(place(9, 1)) && !other.has(place(3, 3)));
    }

    #[test]
    fn after_a_reset_the_names_stay_and_a_released_thread_has_none() {
        let [names, mut state] = thread(true).marks();
        state.value.clear();
        let known = Known::new(memory(&[names.clone(), state]), 7, false);
        let mut expected = Thread {
            state: None,
            ..thread(true)
        };
        assert_eq!(known.threads(), std::slice::from_ref(&expected));
        expected.was_kept = false;
        let failed = Known::new(memory(&[names]), 7, false);
        assert_eq!(failed.threads(), [expected]);
        assert!(!known.has(place(9, 1)));
        let gone = Known::new(memory(&thread(true).released()), 7, false);
        assert_eq!(gone.threads(), []);
    }
}
