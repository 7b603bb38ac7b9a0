//! Which files are read, in which order, and what is sent of each.
//!
//! Files that have not changed cost a comparison of two numbers. The others are read oldest first
//! (by the time of their last change, then by place), since the agent deletes the oldest first.

use std::fs::File;
use std::io::ErrorKind;

use super::identity::{Identity, Key};
use super::lenient;
use super::listing::{Found, Place};
use super::mark::{self, Remembered};
use super::options::Options;
use super::plan::{Action, Plan, Planner};
use super::session::{self, Failure, Known, Source};
use crate::connector::Request;
use crate::error::ConnectorError;
use crate::marks::Mark;
use crate::report::Report;
use crate::source::{OriginalRef, UnitId};
use crate::time::Instant;
use crate::unit::{Event, Evidence, Extent, Sink, UnitEnd, UnitStart};

/// Nanoseconds in a second.
const SECOND: i64 = 1_000_000_000;
/// Bytes read of a sidecar.
const SIDECAR: u64 = 64 * 1024;

/// One run over the files of a source.
pub(super) struct Delivery<'a> {
    options: &'a Options,
    places: &'a [Place],
    request: &'a Request,
    sink: &'a mut Sink,
    report: &'a mut Report,
    planner: Planner<'a>,
}

/// Reads what is new among the files that were found, and sends it.
///
/// # Errors
/// Only when the receiver wants no more; files that fail are in the report.
pub(super) fn run(
    options: &Options,
    places: &[Place],
    found: &[Found],
    request: &Request,
    sink: &mut Sink,
    report: &mut Report,
) -> Result<(), ConnectorError> {
    report.seen += u64::try_from(found.len()).unwrap_or(0);
    let mut delivery = Delivery {
        options,
        places,
        request,
        sink,
        report,
        planner: Planner::new(options, places, found, request),
    };
    for found in delivery.touched(found) {
        delivery.file(found)?;
    }
    Ok(())
}

impl Delivery<'_> {
    /// The files to look into, oldest first.
    fn touched<'f>(&mut self, found: &'f [Found]) -> Vec<&'f Found> {
        let mut touched = Vec::new();
        for found in found {
            if self.request.sample.is_some() {
                touched.push(found);
            } else if self.is_unchanged(found) {
                self.report.unchanged += 1;
            } else if self.is_settled(found) {
                touched.push(found);
            } else {
                self.report.deferred += 1;
            }
        }
        // As text: a session stands before its sub-agents, whose folder has its name.
        let place = |found: &Found| found.below().into_os_string();
        touched.sort_unstable_by(|a, b| {
            let by_time = (a.stamp.modified, a.root).cmp(&(b.stamp.modified, b.root));
            by_time.then_with(|| place(a).cmp(&place(b)))
        });
        let wanted = self.request.sample.unwrap_or(touched.len());
        touched.split_off(touched.len().saturating_sub(wanted))
    }

    fn is_unchanged(&self, found: &Found) -> bool {
        let recalled = self.request.memory.get(found.key.digits().as_str());
        recalled.is_some_and(|recalled| mark::is_current(&recalled.value, found.stamp))
    }

    /// A time in the future says nothing and counts as long ago.
    fn is_settled(&self, found: &Found) -> bool {
        let rested = self.request.now.unix() - found.stamp.modified.div_euclid(SECOND);
        rested < 0 || rested >= i64::from(self.options.settle_minutes) * 60
    }

    fn file(&mut self, found: &Found) -> Result<(), ConnectorError> {
        let mut started = false;
        let reason = match self.attempt(found, &mut started) {
            Ok(()) => return Ok(()),
            Err(Failure::Receiver(error)) => return Err(error),
            Err(Failure::Input(cause)) if cause.kind() == ErrorKind::InvalidInput => {
                "is no regular file of this folder any more and was not read".to_owned()
            }
            Err(Failure::Input(cause)) => format!("cannot be read: {}", cause.kind()),
            Err(Failure::Rewritten) => "changed while it was read".to_owned(),
        };
        self.report.fail(&found.told(self.places), reason);
        if started {
            self.sink.send_blocking(Event::Abandoned)?;
        }
        Ok(())
    }

    fn attempt(&mut self, found: &Found, started: &mut bool) -> Result<(), Failure> {
        let mut file = match self.planner.open(found) {
            // The agent deletes its old sessions; this one went since it was listed.
            Err(cause) if cause.kind() == ErrorKind::NotFound => {
                self.report.left_out += 1;
                return Ok(());
            }
            other => other?,
        };
        let verdict = self.planner.judge(found, &mut file)?;
        let released = verdict.released;
        let (remembered, identity) = match verdict.action {
            Action::Read(plan) => return self.read(found, &mut file, *plan, released, started),
            Action::Keep(remembered, identity) => {
                self.report.unchanged += 1;
                (remembered, Some(identity))
            }
            Action::LeaveOut(remembered, identity) => {
                self.report.left_out += 1;
                (remembered, identity)
            }
        };
        let marks = marks(found, &remembered, identity, released);
        Ok(self.sink.send_blocking(Event::Marks(marks))?)
    }

    fn read(
        &mut self,
        found: &Found,
        file: &mut File,
        plan: Plan,
        released: Option<Key>,
        started: &mut bool,
    ) -> Result<(), Failure> {
        match self.deliver(found, file, &plan, released, started) {
            // Beginning and end are as they were, and yet it is another file.
            Err(Failure::Rewritten) if plan.tail.is_some() && !*started => {
                let plan = self.planner.whole(file, plan)?;
                self.deliver(found, file, &plan, released, started)
            }
            other => other,
        }
    }

    fn deliver(
        &mut self,
        found: &Found,
        file: &mut File,
        plan: &Plan,
        released: Option<Key>,
        started: &mut bool,
    ) -> Result<(), Failure> {
        let told = found.told(self.places);
        let (Ok(id), Ok(original_ref)) = (
            UnitId::new(plan.unit.as_str()),
            OriginalRef::new(format!("claude-code-session:{}", plan.unit)),
        ) else {
            self.report.fail(&told, "its name is too long for an id");
            return Ok(());
        };
        let start = UnitStart {
            id,
            formerly: Vec::new(),
            original_ref,
            account: None,
            extent: plan
                .tail
                .map_or(Extent::Whole, |tail| Extent::From(tail.locator)),
            min_chars: self.options.min_chars,
        };
        let seconds = found.stamp.modified.div_euclid(SECOND);
        let source = Source {
            place: &told,
            sub_agent: found.sub_agent,
            fallback: Instant::from_unix(seconds).unwrap_or_default(),
            reach: session::REACH,
            options: self.options,
        };
        // A unit begins with its first block: a file without any is none.
        let sink = &mut *self.sink;
        let begin = |sink: &mut Sink, started: &mut bool| {
            if *started {
                return Ok(());
            }
            *started = true;
            sink.send_blocking(Event::Start(start.clone()))
        };
        let mut known = session::read(
            file,
            &source,
            &plan.known,
            plan.tail,
            self.report,
            &mut |block| {
                begin(sink, started)?;
                sink.send_blocking(Event::Blocks(vec![block]))
            },
        )?;
        // One that had text and has none any more says so, too.
        if plan.stored {
            begin(sink, started)?;
        }
        let title = known.titles.settle();
        let remembered = Remembered {
            rendering: self.options.rendering(),
            beginning: mark::beginning(file, known.extent.end)?.unwrap_or(0),
            ending: mark::ending(file, known.extent.end)?.unwrap_or(0),
            known,
            unread: false,
        };
        let identity = started.then_some(plan.identity);
        let marks = marks(found, &remembered, identity, released);
        if !*started {
            self.report.left_out += 1;
            return Ok(self.sink.send_blocking(Event::Marks(marks))?);
        }
        let untitled = title.is_none() && remembered.known.titles.is_none();
        let end = UnitEnd {
            title_hint: title.or_else(|| self.description(found).filter(|_| untitled)),
            evidence: self.evidence(found, &remembered.known),
            trust: None,
            marks,
        };
        self.sink.send_blocking(Event::End(end))?;
        self.report.delivered += 1;
        Ok(())
    }

    /// Where the work was done: a sidecar's word, and the first working folder in the records. Only
    /// a file without any record of one falls back on its folder's name, in which every sign of the
    /// path has become a dash.
    fn evidence(&self, found: &Found, known: &Known) -> Evidence {
        let named = self.beside(found, &format!("{}.project", found.name.to_string_lossy()));
        let below = found.below();
        let folder = below.iter().next().and_then(|name| name.to_str());
        let decoded = || {
            let dashed = folder.filter(|folder| folder.starts_with('-'))?;
            Some(dashed.replace('-', "/"))
        };
        Evidence {
            named: named.and_then(|text| {
                let line = text.lines().next().unwrap_or("").trim().to_owned();
                (!line.is_empty()).then_some(line)
            }),
            // A folder that an earlier reading met is stored.
            cwd: known
                .cwd
                .clone()
                .or_else(|| decoded().filter(|_| !known.has_cwd)),
        }
    }

    /// What a sub-agent was asked to do, from the file that lies beside its own.
    fn description(&self, found: &Found) -> Option<String> {
        if !found.sub_agent {
            return None;
        }
        let text = self.beside(found, &format!("{}.meta.json", found.stem()))?;
        let raw: &serde_json::value::RawValue = serde_json::from_str(&text).ok()?;
        let text = lenient::text_field(raw, "description")?;
        let title = text.read().trim().replace(char::is_control, " ");
        (!title.is_empty()).then_some(title)
    }

    fn beside(&self, found: &Found, name: &str) -> Option<String> {
        let place = self.places.get(found.root)?;
        place.root.read_small(&found.folder.join(name), SIDECAR)
    }
}

/// What is to be remembered of a file, and of one that is a unit no longer.
fn marks(
    found: &Found,
    remembered: &Remembered,
    identity: Option<Identity>,
    released: Option<Key>,
) -> Vec<Mark> {
    let mark = |key: Key, value: String, identity: String| Mark {
        key: key.digits().as_str().to_owned(),
        value,
        identity,
    };
    let identity = identity.map_or_else(String::new, Identity::write);
    let released = released.map(|key| mark(key, String::new(), String::new()));
    let own = mark(found.key, remembered.write(found.stamp), identity);
    released.into_iter().chain([own]).collect()
}
