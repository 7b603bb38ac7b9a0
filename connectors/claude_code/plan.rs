//! How much of a file is to be read, and as which unit.

use std::fs::File;

use super::identity::{Identity, Key};
use super::listing::{Found, Place};
use super::mark::{self, Remembered};
use super::naming::{self, Claim, Name, Names};
use super::options::Options;
use super::session::{self, Digested, Head, Known};
use crate::connector::Request;
use crate::files::Stamp;
use crate::marks::{Recalled, Tail};

/// What is decided of a file before it is read.
#[derive(Debug)]
pub(super) struct Plan {
    /// The id of the unit that it is.
    pub(super) unit: String,
    /// What is remembered of that.
    pub(super) identity: Identity,
    /// What an earlier reading knew, or what its first records tell.
    pub(super) known: Known,
    /// Where to begin; `None` reads all of it.
    pub(super) tail: Option<Tail>,
    /// Whether an earlier reading may have stored something of the unit.
    pub(super) stored: bool,
}

/// What is to be done with a file.
#[derive(Debug)]
pub(super) enum Action {
    /// Read it.
    Read(Box<Plan>),
    /// Only remember this: its text is as it was.
    Keep(Box<Remembered>, Identity),
    /// Only remember this: its text is not wanted. A name that the file has stays with it.
    LeaveOut(Box<Remembered>, Option<Identity>),
}

impl Action {
    fn identity(&self) -> Option<Identity> {
        match self {
            Self::Read(plan) => Some(plan.identity),
            Self::Keep(_, identity) => Some(*identity),
            Self::LeaveOut(_, identity) => *identity,
        }
    }
}

/// What is to be done with a file, and with another one's marks.
#[derive(Debug)]
pub(super) struct Verdict {
    pub(super) action: Action,
    /// A file that was this unit and no longer is.
    pub(super) released: Option<Key>,
}

impl From<Action> for Verdict {
    fn from(action: Action) -> Self {
        Self {
            action,
            released: None,
        }
    }
}

/// How a file stands to others of the same name that begin with the same record.
enum Twin {
    /// Another one begins with all of it.
    Copy,
    /// The other one holds another session by now, so this file is that unit.
    Moved(Identity, Key),
    /// It went on by itself.
    Further,
}

/// Decides, file after file; names that are given to one are known to the next.
#[derive(Debug)]
pub(super) struct Planner<'a> {
    options: &'a Options,
    places: &'a [Place],
    found: &'a [Found],
    request: &'a Request,
    /// Made when the first file turns up that is to be looked into.
    names: Option<Names>,
}

impl<'a> Planner<'a> {
    /// Prepares to decide about the files that were found.
    pub(super) fn new(
        options: &'a Options,
        places: &'a [Place],
        found: &'a [Found],
        request: &'a Request,
    ) -> Self {
        Self {
            options,
            places,
            found,
            request,
            names: None,
        }
    }

    /// Opens a file that was found.
    ///
    /// # Errors
    /// That of the system.
    pub(super) fn open(&self, found: &Found) -> std::io::Result<File> {
        match self.places.get(found.root) {
            Some(place) => place.root.open(&found.below()),
            None => Err(std::io::Error::from(std::io::ErrorKind::NotFound)),
        }
    }

    /// Decides about a file.
    ///
    /// # Errors
    /// That of the file.
    pub(super) fn judge(&mut self, found: &Found, file: &mut File) -> std::io::Result<Verdict> {
        let request = self.request;
        let head = session::head(file, self.options)?;
        let name = Name::new(base(found, &head), &head, found.key);
        let recalled = request.memory.get(found.key.digits().as_str());
        let own = recalled
            .and_then(|recalled| Identity::read(&recalled.identity))
            .filter(|own| name.is_base_of(*own) && !self.names().is_shared(*own, found.key));
        let same = own.filter(|own| own.first == name.first);
        if let (Some(identity), Some(recalled)) = (same, recalled)
            && let Some((stamp, before)) = Remembered::read(&recalled.value)
            && !before.unread
        {
            let unit = identity.unit(&name.base);
            let whole = Plan::whole(unit, identity, &head, true);
            return Ok(self
                .again(found, file, recalled, stamp, &before, whole)?
                .into());
        }
        let entrypoint = head.entrypoint.as_ref();
        if entrypoint.is_some_and(|name| self.options.skip_entrypoints.contains(name)) {
            return Ok(self.not_wanted(found, file, own)?.into());
        }
        if let Some(identity) = same {
            let unit = identity.unit(&name.base);
            return Ok(Action::Read(Box::new(Plan::whole(unit, identity, &head, true))).into());
        }
        self.claim(found, file, &head, &name, own)
    }

    /// A file that was read before: nothing of it, its end, or all of it, as `whole` says.
    fn again(
        &self,
        found: &Found,
        file: &mut File,
        recalled: &Recalled,
        stamp: Stamp,
        before: &Remembered,
        whole: Plan,
    ) -> std::io::Result<Action> {
        // Without a first time the blocks carry the file's own, which has just changed.
        let steady = self.request.sample.is_none()
            && before.known.first_time.is_some()
            && before.rendering == self.options.rendering();
        let Some(tail) = recalled.tail.filter(|_| steady) else {
            return Ok(Action::Read(Box::new(whole)));
        };
        let size = file.metadata()?.len();
        if size == stamp.size && Digested::of(file, self.options)? == before.known.extent {
            return Ok(Action::Keep(Box::new(before.clone()), whole.identity));
        }
        // One that only grew is larger and younger; else it was written anew, or put back.
        let grew = size > stamp.size && found.stamp.modified >= stamp.modified;
        if grew && before.only_grew(file)? {
            return Ok(Action::Read(Box::new(Plan {
                known: before.known.clone(),
                tail: Some(tail),
                ..whole
            })));
        }
        Ok(Action::Read(Box::new(whole)))
    }

    /// Plans to read all of a unit of which only the end was to be read.
    ///
    /// # Errors
    /// That of the file.
    pub(super) fn whole(&self, file: &mut File, plan: Plan) -> std::io::Result<Plan> {
        let head = session::head(file, self.options)?;
        let identity = Identity {
            first: naming::first(&head),
            ..plan.identity
        };
        Ok(Plan::whole(plan.unit, identity, &head, true))
    }

    fn names(&mut self) -> &mut Names {
        let (request, found) = (self.request, self.found);
        self.names.get_or_insert_with(|| {
            let present = found.iter().map(|found| found.key);
            Names::new(request.memory.memory(), present)
        })
    }

    /// A file that was never read before, was not wanted then, or holds another session now.
    fn claim(
        &mut self,
        found: &Found,
        file: &mut File,
        head: &Head,
        name: &Name,
        own: Option<Identity>,
    ) -> std::io::Result<Verdict> {
        let plan = |identity: Identity, stored| {
            Plan::whole(identity.unit(&name.base), identity, head, stored)
        };
        let read = |plan| Action::Read(Box::new(plan));
        let verdict = match self.names().claim(name, found.key) {
            Claim::New(identity) => read(plan(identity, own.is_some())).into(),
            Claim::Moved(identity, from) => self.moved(found, file, plan(identity, true), from)?,
            Claim::Twins(twins) => match self.twin(name, file, twins)? {
                Twin::Copy => self.not_wanted(found, file, own)?.into(),
                Twin::Moved(identity, from) => {
                    self.moved(found, file, plan(identity, true), from)?
                }
                Twin::Further => read(plan(name.by_place(), false)).into(),
            },
        };
        if let Some(identity) = verdict.action.identity() {
            self.names().take(identity, found.key);
        }
        Ok(verdict)
    }

    /// A file that is a unit which was read from another one; `whole` reads all of it.
    fn moved(
        &mut self,
        found: &Found,
        file: &mut File,
        whole: Plan,
        from: Key,
    ) -> std::io::Result<Verdict> {
        let is_free = self.names().release(whole.identity, from);
        let recalled = self.request.memory.get(from.digits().as_str());
        let before = recalled.and_then(|recalled| Remembered::read(&recalled.value));
        let action = match (recalled, before) {
            (Some(recalled), Some((stamp, before))) if !before.unread => {
                self.again(found, file, recalled, stamp, &before, whole)?
            }
            _ => Action::Read(Box::new(whole)),
        };
        Ok(Verdict {
            action,
            released: is_free.then_some(from),
        })
    }

    fn twin(
        &mut self,
        name: &Name,
        file: &mut File,
        twins: Vec<(Identity, Key)>,
    ) -> std::io::Result<Twin> {
        let size = file.metadata()?.len();
        let (beginning, ending) = (mark::beginning(file, size)?, mark::ending(file, size)?);
        for (identity, key) in twins {
            let at = self.names().place(key);
            let Some(other) = at.and_then(|at| self.found.get(at)) else {
                continue;
            };
            let mut other = self.open(other)?;
            let head = session::head(&mut other, self.options)?;
            if naming::first(&head) != name.first {
                return Ok(Twin::Moved(identity, key));
            }
            // As far as the ends tell.
            if mark::beginning(&mut other, size)? == beginning
                && mark::ending(&mut other, size)? == ending
            {
                return Ok(Twin::Copy);
            }
        }
        Ok(Twin::Further)
    }

    /// A file of which nothing is to be read; a name that it has stays with it.
    fn not_wanted(
        &self,
        found: &Found,
        file: &mut File,
        own: Option<Identity>,
    ) -> std::io::Result<Action> {
        let end = found.stamp.size;
        let mut known = Known::default();
        known.extent.end = end;
        let remembered = Remembered {
            rendering: self.options.rendering(),
            beginning: mark::beginning(file, end)?.unwrap_or(0),
            ending: mark::ending(file, end)?.unwrap_or(0),
            known,
            unread: true,
        };
        Ok(Action::LeaveOut(Box::new(remembered), own))
    }
}

impl Plan {
    fn whole(unit: String, identity: Identity, head: &Head, stored: bool) -> Self {
        let known = Known {
            first_time: head.first_time.map(crate::time::Instant::unix),
            ..Known::default()
        };
        Self {
            unit,
            identity,
            known,
            tail: None,
            stored,
        }
    }
}

/// The id that a file's name gives: its stem, for a sub-agent behind that of its parent.
fn base(found: &Found, head: &Head) -> String {
    let stem = found.stem();
    if !found.sub_agent {
        return stem;
    }
    // An old sub-agent lies beside the sessions; its records carry the parent's id.
    let parent = found.parent.as_ref().or(head.session.as_ref());
    match parent.map(|parent| parent.replace(char::is_control, "\u{fffd}")) {
        Some(parent) => format!("{parent}/{stem}"),
        None => stem,
    }
}
