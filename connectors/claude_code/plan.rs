//! How much of a file is to be read, and as which unit.

use std::fs::File;

use super::listing::{Found, Place};
use super::mark::{self, Remembered};
use super::naming::{Claim, Names};
use super::options::Options;
use super::session::{self, Digested, Head, Known};
use crate::connector::Request;
use crate::marks::{Recalled, Tail};

/// What is decided of a file before it is read.
#[derive(Debug)]
pub(super) struct Plan {
    /// The unit that it is.
    pub(super) unit: String,
    /// The uuid of its first record.
    pub(super) first: Option<String>,
    /// What an earlier reading knew, or what its first records tell.
    pub(super) known: Known,
    /// Where to begin; `None` reads all of it.
    pub(super) tail: Option<Tail>,
    /// Whether an earlier reading may have stored something of the unit.
    pub(super) stored: bool,
}

/// What is to be done with a file.
#[derive(Debug)]
pub(super) enum Verdict {
    /// Read it.
    Read(Box<Plan>),
    /// Only remember this: its text is as it was, or is not wanted.
    Remember(Box<Remembered>),
}

/// Decides, file after file; names that are given to one are known to the next.
#[derive(Debug)]
pub(super) struct Planner<'a> {
    options: &'a Options,
    places: &'a [Place],
    found: &'a [Found],
    request: &'a Request,
    /// Made when the first file turns up that was never read before.
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
            Some(place) => place.root.open(&found.below),
            None => Err(std::io::Error::from(std::io::ErrorKind::NotFound)),
        }
    }

    /// Decides about a file.
    ///
    /// # Errors
    /// That of the file.
    pub(super) fn judge(&mut self, found: &Found, file: &mut File) -> std::io::Result<Verdict> {
        let request = self.request;
        if let Some(recalled) = request.memory.get(&found.key)
            && let Some((_, before)) = Remembered::read(&recalled.value)
            && let Some(unit) = before.unit.clone()
        {
            return self.again(file, recalled, &before, unit);
        }
        let head = session::head(file, self.options)?;
        let entrypoint = head.entrypoint.as_ref();
        if entrypoint.is_some_and(|name| self.options.skip_entrypoints.contains(name)) {
            return self.not_wanted(found, file, &head);
        }
        self.claim(found, file, head)
    }

    /// A file that was read before: nothing of it, its end, or all of it.
    fn again(
        &self,
        file: &mut File,
        recalled: &Recalled,
        before: &Remembered,
        unit: String,
    ) -> std::io::Result<Verdict> {
        // Without a first time the blocks carry the file's own, which has just changed.
        let steady = self.request.sample.is_none()
            && before.known.first_time.is_some()
            && before.rendering == self.options.rendering();
        let tail = recalled.tail.filter(|_| steady);
        if tail.is_some() && before.only_grew(file)? {
            let same_size = file.metadata()?.len() == before.size;
            if same_size && Digested::of(file, self.options)? == before.known.extent {
                return Ok(Verdict::Remember(Box::new(before.clone())));
            }
            return Ok(Verdict::Read(Box::new(Plan {
                unit,
                first: before.first.clone(),
                known: before.known.clone(),
                tail,
                stored: true,
            })));
        }
        let head = session::head(file, self.options)?;
        Ok(Verdict::Read(Box::new(Plan::whole(unit, head, true))))
    }

    fn names(&mut self) -> &mut Names {
        let (request, found) = (self.request, self.found);
        self.names.get_or_insert_with(|| {
            Names::new(
                &request.memory,
                found.iter().map(|found| found.key.as_str()),
            )
        })
    }

    /// A file that was never read before, or was not wanted then.
    fn claim(&mut self, found: &Found, file: &mut File, head: Head) -> std::io::Result<Verdict> {
        let base = base(found, &head);
        let first = head.uuid.clone();
        let request = self.request;
        let claim = self.names().claim(&base, &found.key, first.as_deref());
        let verdict = match claim {
            Claim::New(unit) => Verdict::Read(Box::new(Plan::whole(unit, head, false))),
            Claim::Moved(unit, from) => {
                let recalled = request.memory.get(&from);
                let before = recalled.and_then(|recalled| Remembered::read(&recalled.value));
                match (recalled, before) {
                    (Some(recalled), Some((_, before))) => {
                        self.again(file, recalled, &before, unit)?
                    }
                    _ => Verdict::Read(Box::new(Plan::whole(unit, head, true))),
                }
            }
            Claim::Twin { other, .. } if self.holds(&other, file)? => {
                return self.not_wanted(found, file, &head);
            }
            Claim::Twin { .. } => {
                let unit = Names::by_place(&base, &found.key);
                Verdict::Read(Box::new(Plan::whole(unit, head, false)))
            }
        };
        let unit = match &verdict {
            Verdict::Read(plan) => Some(plan.unit.clone()),
            Verdict::Remember(remembered) => remembered.unit.clone(),
        };
        if let Some(unit) = unit {
            self.names().take(unit, &found.key, first.as_deref());
        }
        Ok(verdict)
    }

    /// Whether another file begins with all of this one, as far as its ends tell.
    fn holds(&self, other: &str, file: &mut File) -> std::io::Result<bool> {
        let Some(other) = self.found.iter().find(|found| found.key == other) else {
            return Ok(false);
        };
        let mut other = self.open(other)?;
        let size = file.metadata()?.len();
        Ok(
            mark::beginning(file, size)? == mark::beginning(&mut other, size)?
                && mark::ending(file, size)? == mark::ending(&mut other, size)?,
        )
    }

    fn not_wanted(&self, found: &Found, file: &mut File, head: &Head) -> std::io::Result<Verdict> {
        let end = found.stamp.size;
        let mut known = Known::default();
        known.extent.end = end;
        Ok(Verdict::Remember(Box::new(Remembered {
            unit: None,
            first: head.uuid.clone(),
            size: end,
            rendering: self.options.rendering(),
            beginning: mark::beginning(file, end)?,
            ending: mark::ending(file, end)?.unwrap_or(0),
            known,
        })))
    }
}

impl Plan {
    fn whole(unit: String, head: Head, stored: bool) -> Self {
        let known = Known {
            first_time: head.first_time.map(crate::time::Instant::unix),
            ..Known::default()
        };
        Self {
            unit,
            first: head.uuid,
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
