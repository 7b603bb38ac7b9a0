//! What is read of a thread: which mail has which ordinal, and from which one on it is sent.
//!
//! What a source has lost is not what the library is to forget. So a thread is sent whole only
//! while all its mails are there; when an old one is gone, what is stored of it stays, and only
//! what comes after is sent.

use std::collections::HashMap;

use super::gather::{Group, Incoming};
use super::known::{State, Thread};
use super::mailbox::Place;
use crate::marks::Tail;

/// A thread that is to be read.
#[derive(Debug)]
pub(super) struct Plan {
    /// Its names, with the new mails in it.
    pub(super) thread: Thread,
    /// Threads that have become part of it.
    pub(super) taken_in: Vec<Thread>,
    /// Where each mail lies, by ordinal; empty for one that is gone.
    pub(super) places: Vec<Vec<Place>>,
    /// How many mails were named before this reading.
    pub(super) named: usize,
    /// What was known before this reading.
    before: Before,
    /// The first ordinal whose text no earlier reading had.
    first_new: Option<usize>,
}

/// How a thread stood before this reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Before {
    /// Nothing of it can be stored: it is new, or storing it failed.
    New,
    /// It was left out.
    LeftOut,
    /// Its names are known and nothing else: after a reset.
    Forgotten,
    /// It is stored.
    Stored { under: u64, tail: Option<Tail> },
}

/// Which part of a thread is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// All of it; what is no longer in it goes.
    Whole,
    /// From an ordinal on.
    From(usize),
    /// Nothing: there is no text that is not stored.
    Nothing,
}

impl Plan {
    /// Gives ordinals to the mails of a group. `is_there` says whether a mail of an earlier reading
    /// is still there; without `keeps_texts`, one that is not may come back with another text.
    pub(super) fn new(group: &Group, keeps_texts: bool, is_there: impl Fn(Place) -> bool) -> Self {
        let (primary, others) = match group.threads.split_first() {
            Some((primary, others)) => (Some(primary), others),
            None => (None, &[][..]),
        };
        let thread = match primary {
            Some(primary) => primary.clone(),
            None => new_thread(&group.incoming),
        };
        let before = match primary.map(|primary| (&primary.state, primary.tail)) {
            None => Before::New,
            Some((None, _)) if !thread.was_kept => Before::New,
            Some((None, _)) => Before::Forgotten,
            Some((Some(state), _)) if !state.stored => Before::LeftOut,
            Some((Some(state), tail)) => Before::Stored {
                under: state.under,
                tail,
            },
        };
        let mut plan = Self {
            named: primary.map_or(0, |thread| thread.mails.len()),
            places: vec![Vec::new(); thread.mails.len()],
            thread,
            taken_in: Vec::new(),
            before,
            first_new: None,
        };
        let mut ordinals: HashMap<u64, usize> = HashMap::new();
        for (ordinal, mail) in plan.thread.mails.iter().enumerate() {
            ordinals.entry(*mail).or_insert(ordinal);
        }
        plan.remember(primary, &is_there);
        let had: Vec<bool> = plan.had(primary, |place| keeps_texts || is_there(place));
        plan.take_in(others, group, &is_there, &mut ordinals);
        for mail in &group.incoming {
            plan.add(mail, &mut ordinals);
        }
        plan.first_new = (0..plan.places.len()).find(|ordinal| {
            let is_had = had.get(*ordinal).copied().unwrap_or(false);
            !is_had && plan.is_there(*ordinal)
        });
        plan
    }

    /// Which mails an earlier reading had the text of that they have now.
    fn had(&self, primary: Option<&Thread>, counts: impl Fn(Place) -> bool) -> Vec<bool> {
        let mut had = vec![false; self.places.len()];
        if let (Before::Stored { .. }, Some(state)) = (
            self.before,
            primary.and_then(|thread| thread.state.as_ref()),
        ) {
            for (_, ordinal) in state.places.iter().filter(|(place, _)| counts(*place)) {
                let ordinal = usize::try_from(*ordinal).unwrap_or(usize::MAX);
                if let Some(place) = had.get_mut(ordinal) {
                    *place = true;
                }
            }
        }
        had
    }

    fn remember(&mut self, thread: Option<&Thread>, is_there: &impl Fn(Place) -> bool) {
        let state = thread.and_then(|thread| thread.state.as_ref());
        for (place, ordinal) in state.iter().flat_map(|state| &state.places) {
            let ordinal = usize::try_from(*ordinal).unwrap_or(usize::MAX);
            if let Some(places) = self.places.get_mut(ordinal).filter(|_| is_there(*place)) {
                places.push(*place);
            }
        }
    }

    /// Takes other threads in, if no text is lost by that: all mails of all of them must be there.
    fn take_in(
        &mut self,
        others: &[Thread],
        group: &Group,
        is_there: &impl Fn(Place) -> bool,
        ordinals: &mut HashMap<u64, usize>,
    ) {
        let incoming: HashMap<u64, Place> = group
            .incoming
            .iter()
            .map(|mail| (mail.mail, mail.place))
            .collect();
        let has_all = |thread: &Thread, own: &dyn Fn(usize) -> bool| {
            let mails = thread.mails.iter().enumerate();
            mails
                .into_iter()
                .all(|(at, mail)| own(at) || incoming.contains_key(mail))
        };
        if others.is_empty() || !has_all(&self.thread, &|at| self.is_there(at)) {
            return;
        }
        for other in others {
            let state = other.state.as_ref();
            let lies = |at: usize| {
                let places = state.iter().flat_map(|state| &state.places);
                let of_it = places.filter(|(_, ordinal)| usize::try_from(*ordinal) == Ok(at));
                of_it
                    .map(|(place, _)| *place)
                    .find(|place| is_there(*place))
            };
            if !has_all(other, &|at| lies(at).is_some()) {
                continue;
            }
            for (at, mail) in other.mails.iter().enumerate() {
                let ordinal = self.ordinal(*mail, ordinals);
                if let (Some(place), Some(places)) = (lies(at), self.places.get_mut(ordinal)) {
                    places.push(place);
                }
            }
            self.link(&other.links);
            self.thread.first = self.thread.first.min(other.first);
            self.taken_in.push(other.clone());
        }
    }

    fn add(&mut self, mail: &Incoming, ordinals: &mut HashMap<u64, usize>) {
        let ordinal = self.ordinal(mail.mail, ordinals);
        if let Some(places) = self
            .places
            .get_mut(ordinal)
            .filter(|places| !places.contains(&mail.place))
        {
            places.push(mail.place);
        }
        self.link(&mail.links);
        self.thread.first = match self.thread.first {
            0 => mail.written,
            first if mail.written > 0 => first.min(mail.written),
            first => first,
        };
    }

    fn ordinal(&mut self, mail: u64, ordinals: &mut HashMap<u64, usize>) -> usize {
        *ordinals.entry(mail).or_insert_with(|| {
            self.thread.mails.push(mail);
            self.places.push(Vec::new());
            self.places.len() - 1
        })
    }

    fn link(&mut self, links: &[u64]) {
        self.thread.links.extend(links);
    }

    /// Whether a mail can be read.
    pub(super) fn is_there(&self, ordinal: usize) -> bool {
        self.places
            .get(ordinal)
            .is_some_and(|places| !places.is_empty())
    }

    /// Whether every mail of the thread can be read.
    pub(super) fn is_all_there(&self) -> bool {
        self.are_there(0)
    }

    fn are_there(&self, from: usize) -> bool {
        (from..self.places.len()).all(|ordinal| self.is_there(ordinal))
    }

    /// Notes that a mail is gone, although it seemed to be there.
    pub(super) fn lose(&mut self, ordinal: usize) {
        if let Some(places) = self.places.get_mut(ordinal) {
            places.clear();
        }
    }

    /// Whether the thread is stored, so that it stays wanted.
    pub(super) fn is_kept(&self) -> bool {
        let stored = |thread: &Thread| thread.state.as_ref().is_some_and(|state| state.stored);
        matches!(self.before, Before::Stored { .. }) || self.taken_in.iter().any(stored)
    }

    /// Whether an ordinal had a text before this reading, which would be lost with it.
    pub(super) fn is_old(&self, ordinal: usize) -> bool {
        ordinal < self.named && !matches!(self.before, Before::New | Before::LeftOut)
    }

    /// Which part is to be sent.
    pub(super) fn part(&self, rendering: u64) -> Part {
        let count = self.places.len();
        let only_new = match count > self.named {
            true => Part::From(self.named),
            false => Part::Nothing,
        };
        if !self.taken_in.is_empty() {
            return Part::Whole;
        }
        match self.before {
            Before::New | Before::LeftOut => Part::Whole,
            Before::Forgotten if self.are_there(0) => Part::Whole,
            Before::Forgotten => only_new,
            Before::Stored { under, tail } => {
                let Some(first_new) = self.first_new else {
                    return Part::Nothing;
                };
                let tail = tail.and_then(|tail| usize::try_from(tail.locator.record).ok());
                let tail = tail.filter(|tail| under == rendering && *tail <= first_new);
                match tail {
                    Some(tail) if self.are_there(tail) => Part::From(tail),
                    _ if self.are_there(0) => Part::Whole,
                    _ => only_new,
                }
            }
        }
    }

    /// What is to be remembered once it is stored or left out; places that are gone go, except
    /// those of mails that are nowhere else.
    pub(super) fn remembered(mut self, stored: bool, under: u64) -> (Thread, Vec<Thread>) {
        let before = self.thread.state.take();
        let mut places: Vec<(Place, u32)> = Vec::new();
        for (ordinal, found) in self.places.iter().enumerate() {
            let ordinal = u32::try_from(ordinal).unwrap_or(u32::MAX);
            places.extend(found.iter().map(|place| (*place, ordinal)));
            if found.is_empty() {
                let old = before.iter().flat_map(|state| &state.places);
                places.extend(old.filter(|(_, of)| *of == ordinal).copied());
            }
        }
        let own: std::collections::HashSet<u64> = self.thread.mails.iter().copied().collect();
        self.thread.links.sort_unstable();
        self.thread.links.dedup();
        self.thread.links.retain(|link| !own.contains(link));
        self.thread.state = Some(State {
            stored,
            under,
            places,
        });
        (self.thread, self.taken_in)
    }

    /// Under which rendering the thread is stored, for one of which nothing is sent.
    pub(super) fn stored_under(&self) -> Option<u64> {
        match self.before {
            Before::Stored { under, .. } => Some(under),
            _ => None,
        }
    }
}

/// Names a thread after its oldest mail.
fn new_thread(incoming: &[Incoming]) -> Thread {
    let founder = incoming.first();
    Thread {
        id: format!("{:016x}", founder.map_or(0, |mail| mail.mail)),
        first: founder.map_or(0, |mail| mail.written),
        mails: Vec::new(),
        links: Vec::new(),
        state: None,
        was_kept: false,
        tail: None,
    }
}
