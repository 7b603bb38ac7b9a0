//! Which files are read, in which order, and what is sent of each.
//!
//! Files that have not changed cost a comparison of two numbers. The others are read oldest first
//! (by the time of their last change, then by place), since the agent deletes the oldest first.

use std::fs::File;
use std::path::{Path, PathBuf};

use super::lenient;
use super::listing::{Found, Place};
use super::mark::{self, Remembered};
use super::options::Options;
use super::plan::{Plan, Planner, Verdict};
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
        touched
            .sort_unstable_by(|a, b| (a.stamp.modified, &a.key).cmp(&(b.stamp.modified, &b.key)));
        let wanted = self.request.sample.unwrap_or(touched.len());
        touched.split_off(touched.len().saturating_sub(wanted))
    }

    fn is_unchanged(&self, found: &Found) -> bool {
        let recalled = self.request.memory.get(&found.key);
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
            Err(Failure::Input(cause)) => format!("cannot be read: {}", cause.kind()),
            Err(Failure::Rewritten) => "changed while it was read".to_owned(),
        };
        self.report.fail(&found.key, reason);
        if started {
            self.sink.send_blocking(Event::Abandoned)?;
        }
        Ok(())
    }

    fn attempt(&mut self, found: &Found, started: &mut bool) -> Result<(), Failure> {
        let mut file = self.planner.open(found)?;
        match self.planner.judge(found, &mut file)? {
            Verdict::Read(plan) => self.deliver(found, &mut file, &plan, started),
            Verdict::Remember(remembered) => {
                match remembered.unit {
                    Some(_) => self.report.unchanged += 1,
                    None => self.report.left_out += 1,
                }
                Ok(self.remember(found, &remembered)?)
            }
        }
    }

    fn remember(&mut self, found: &Found, remembered: &Remembered) -> Result<(), ConnectorError> {
        self.sink.send_blocking(Event::Marks(vec![Mark {
            key: found.key.clone(),
            value: remembered.write(found.stamp),
        }]))
    }

    fn deliver(
        &mut self,
        found: &Found,
        file: &mut File,
        plan: &Plan,
        started: &mut bool,
    ) -> Result<(), Failure> {
        let (Ok(id), Ok(original_ref)) = (
            UnitId::new(plan.unit.as_str()),
            OriginalRef::new(format!("claude-code-session:{}", plan.unit)),
        ) else {
            self.report
                .fail(&found.key, "its name is too long for an id");
            return Ok(());
        };
        let start = UnitStart {
            id,
            original_ref,
            account: None,
            extent: plan
                .tail
                .map_or(Extent::Whole, |tail| Extent::From(tail.locator)),
            min_chars: self.options.min_chars,
        };
        let seconds = found.stamp.modified.div_euclid(SECOND);
        let source = Source {
            place: &found.key,
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
        let title_hint = known.titles.settle();
        let remembered = Remembered {
            unit: started.then(|| plan.unit.clone()),
            first: plan.first.clone(),
            size: found.stamp.size,
            rendering: self.options.rendering(),
            beginning: mark::beginning(file, known.extent.end)?,
            ending: mark::ending(file, known.extent.end)?.unwrap_or(0),
            known,
        };
        if !*started {
            self.report.left_out += 1;
            return Ok(self.remember(found, &remembered)?);
        }
        let end = UnitEnd {
            title_hint: title_hint.or_else(|| self.description(found)),
            evidence: self.evidence(found, &remembered.known),
            trust: None,
            marks: vec![Mark {
                key: found.key.clone(),
                value: remembered.write(found.stamp),
            }],
        };
        self.sink.send_blocking(Event::End(end))?;
        self.report.delivered += 1;
        Ok(())
    }

    /// Where the work was done: a sidecar's word, and the first working folder in the records. Only
    /// a file without any record of one falls back on its folder's name, in which every sign of the
    /// path has become a dash.
    fn evidence(&self, found: &Found, known: &Known) -> Evidence {
        let named = self.beside(found, &format!("{}.project", name(&found.below)));
        let folder = found.below.iter().next().and_then(|name| name.to_str());
        let decoded = || {
            let dashed = folder.filter(|folder| folder.starts_with('-'))?;
            Some(dashed.replace('-', "/"))
        };
        Evidence {
            named: named.and_then(|text| {
                let line = text.lines().next().unwrap_or("").trim().to_owned();
                (!line.is_empty()).then_some(line)
            }),
            cwd: known.cwd.clone().or_else(decoded),
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
        let below: PathBuf = found.below.with_file_name(name);
        place.root.read_small(&below, SIDECAR)
    }
}

fn name(path: &Path) -> std::borrow::Cow<'_, str> {
    path.file_name().unwrap_or_default().to_string_lossy()
}
