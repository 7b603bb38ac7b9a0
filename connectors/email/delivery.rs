//! One reading of a store: looks for new mail, finds its threads, sends those that are wanted.

use std::collections::BTreeMap;

use super::bulk::{self, Voice};
use super::gather::{self, Group, Incoming};
use super::known::{Known, Thread, aside};
use super::mail::{self, Head, Mail};
use super::mailbox::{Fresh, Listing, Mailbox, OpenError, Part as Extent, Place, Role};
use super::options::Options;
use super::plan::{Part, Plan};
use super::send::{self, Failure};
use super::words::Words;
use crate::connector::Request;
use crate::error::ConnectorError;
use crate::marks::Mark;
use crate::report::Report;
use crate::unit::{Event, Sink};

/// Mails that are announced to a store at once.
const ANNOUNCED: usize = 500;
/// Places in one mark of mails that are left out one by one.
const ASIDE: usize = 200;

/// One reading.
pub(super) struct Delivery<'a> {
    pub(super) options: &'a Options,
    pub(super) store: &'a mut dyn Mailbox,
    pub(super) request: &'a Request,
    pub(super) sink: &'a mut Sink,
    pub(super) report: &'a mut Report,
    /// Mails that are left out one by one.
    aside: Vec<Place>,
}

/// Reads what is new and sends it.
///
/// # Errors
/// When nothing of the store can be read, when it goes out of reach, or when the receiver wants no
/// more.
pub(super) fn run(
    options: &Options,
    store: &mut dyn Mailbox,
    request: &Request,
    sink: &mut Sink,
    report: &mut Report,
) -> Result<(), ConnectorError> {
    let known = Known::new(
        request.memory.clone(),
        options.selection(),
        request.sample.is_some(),
    );
    let listing = store.list(&known, report)?;
    report.left_out += listing.left_out;
    let mut delivery = Delivery {
        options,
        store,
        request,
        sink,
        report,
        aside: Vec::new(),
    };
    delivery.threads(&known, listing)?;
    delivery.remember_aside()
}

impl Delivery<'_> {
    fn threads(&mut self, known: &Known, listing: Listing) -> Result<(), ConnectorError> {
        if listing.fresh.is_empty() {
            let named = known.count();
            self.report.seen += named;
            self.report.unchanged += named;
            return self.remember(listing.marks);
        }
        let incoming = self.heads(&listing.fresh)?;
        let mut threads = known.threads();
        for thread in &mut threads {
            // Said before the thread is read: if that fails, the next reading still sees a new mail.
            if thread.unknow(&listing.changed) {
                self.marks(thread, &[])?;
            }
        }
        // Before any thread is kept: a reading that is cut short leaves behind how long the files
        // were when it read them, and the next one sees which of its mails have another end since.
        self.remember(listing.marks)?;
        let named = u64::try_from(threads.len()).unwrap_or(0);
        let mut groups = gather::groups(threads, incoming);
        let count = |found: usize| u64::try_from(found).unwrap_or(0);
        let touched: usize = groups.iter().map(|group| group.threads.len()).sum();
        self.report.seen += named
            + count(
                groups
                    .iter()
                    .filter(|group| group.threads.is_empty())
                    .count(),
            );
        self.report.unchanged += named.saturating_sub(count(touched));
        if let Some(sample) = self.request.sample {
            groups.sort_by_key(Group::newest);
            groups.drain(..groups.len().saturating_sub(sample));
        }
        for group in groups {
            self.group(group)?;
        }
        Ok(())
    }

    /// Reads the header sections of new mails.
    fn heads(&mut self, fresh: &[Fresh]) -> Result<Vec<Incoming>, ConnectorError> {
        let mut incoming = Vec::with_capacity(fresh.len());
        for some in fresh.chunks(ANNOUNCED) {
            let places: Vec<Place> = some.iter().map(|fresh| fresh.place).collect();
            self.store.announce(Extent::Head, &places);
            for fresh in some {
                match self.head(fresh) {
                    Ok(mail) => incoming.extend(mail),
                    Err(error) => self.passed_over(fresh.place, error)?,
                }
            }
        }
        Ok(incoming)
    }

    /// Reads one header section; `None` for a mail that is left out whatever its thread.
    fn head(&mut self, fresh: &Fresh) -> Result<Option<Incoming>, OpenError> {
        let Some(head) = self.voice(fresh.place, fresh.role, fresh.server_thread)? else {
            self.aside.push(fresh.place);
            let told = self.store.told(fresh.place);
            self.report.pass_over(&told, None, "is no mail");
            return Ok(None);
        };
        let is_before = |since| head.written.is_some_and(|written| written < since);
        if head.is_deleted || self.options.since().is_some_and(is_before) {
            self.aside.push(fresh.place);
            self.report.left_out += 1;
            return Ok(None);
        }
        let id = match head.ids.mail {
            Some(id) => id,
            None => {
                let opened = self.store.open(fresh.place, Extent::Whole)?;
                mail::synthetic_id(opened, self.options.message_cap()).map_err(unreadable)?
            }
        };
        Ok(Some(Incoming {
            place: fresh.place,
            mail: id,
            links: head.ids.links.into(),
            written: head.written.map_or(0, |written| written.unix()),
            voice: head.voice,
        }))
    }

    fn voice(
        &mut self,
        place: Place,
        role: Role,
        server_thread: Option<u64>,
    ) -> Result<Option<Head>, OpenError> {
        let opened = self.store.open(place, Extent::Head)?;
        Head::read(opened, role, server_thread, self.options, self.request.now).map_err(unreadable)
    }

    /// Notes a mail that cannot be read now.
    pub(super) fn passed_over(
        &mut self,
        place: Place,
        error: OpenError,
    ) -> Result<(), ConnectorError> {
        match error {
            // Moved or deleted since it was listed; the next run sees.
            OpenError::Gone => Ok(()),
            OpenError::Unreadable(reason) => {
                let told = self.store.told(place);
                self.report.pass_over(&told, None, reason);
                Ok(())
            }
            OpenError::Lost(error) => Err(error),
        }
    }

    fn group(&mut self, group: Group) -> Result<(), ConnectorError> {
        let is_sample = self.request.sample.is_some();
        if !is_sample && !self.is_settled(group.newest()) {
            self.report.deferred += 1;
            return Ok(());
        }
        let keeps_texts = self.store.keeps_texts();
        let plan = Plan::new(&group, keeps_texts, |place| self.store.has(place));
        if !plan.is_kept() && !self.is_wanted(&group, &plan)? {
            self.report.left_out += 1;
            let (thread, taken_in) = plan.remembered(false, self.options.selection());
            return self.marks(&thread, &taken_in);
        }
        drop(group);
        match is_sample {
            true => self.sample(plan),
            false => self.send(plan),
        }
    }

    /// A time in the future says nothing and counts as long ago.
    fn is_settled(&self, newest: i64) -> bool {
        let rested = self.request.now.unix() - newest;
        rested < 0 || rested >= i64::from(self.options.settle_minutes) * 60
    }

    fn is_wanted(&mut self, group: &Group, plan: &Plan) -> Result<bool, ConnectorError> {
        if !self.options.skip_bulk {
            return Ok(true);
        }
        let mut voices: Vec<Voice> = group.incoming.iter().map(|mail| mail.voice).collect();
        if bulk::is_wanted(&voices) {
            return Ok(true);
        }
        // Mails that were left out before have their say, too.
        let known: Vec<Place> = (0..plan.named)
            .filter_map(|ordinal| plan.places.get(ordinal)?.first().copied())
            .filter(|place| group.incoming.iter().all(|mail| mail.place != *place))
            .collect();
        self.store.announce(Extent::Head, &known);
        for place in known {
            match self.voice(place, Role::Ordinary, None) {
                Ok(head) => voices.extend(head.map(|head| head.voice)),
                Err(error) => self.passed_over(place, error)?,
            }
        }
        Ok(bulk::is_wanted(&voices))
    }

    /// Sends what is new of a thread.
    fn send(&mut self, mut plan: Plan) -> Result<(), ConnectorError> {
        let rendering = self.options.rendering();
        loop {
            let part = plan.part(rendering);
            let from = match part {
                Part::Nothing => {
                    let under = plan.stored_under().unwrap_or(rendering);
                    let (thread, taken_in) = plan.remembered(true, under);
                    self.report.unchanged += 1;
                    return self.marks(&thread, &taken_in);
                }
                Part::Whole => None,
                // Only the whole of it shows whether nobody else wrote.
                Part::From(_) if self.options.own_notes && plan.is_all_there() => None,
                Part::From(from) => Some(from),
            };
            match send::unit(self, &mut plan, from) {
                Ok(sent) => return sent.finish(self, plan, rendering),
                // A mail that was there went away: what is stored of it must not go with it.
                Err(Failure::Missing(ordinal)) => plan.lose(ordinal),
                Err(Failure::Ended(error)) => return Err(error),
            }
        }
    }

    /// Sends a thread for a trial, if all of it is there.
    fn sample(&mut self, mut plan: Plan) -> Result<(), ConnectorError> {
        if !plan.is_all_there() {
            self.report.left_out += 1;
            return Ok(());
        }
        match send::unit(self, &mut plan, None) {
            Ok(sent) => sent.finish(self, plan, self.options.rendering()),
            Err(Failure::Missing(_)) => Ok(()),
            Err(Failure::Ended(error)) => Err(error),
        }
    }

    /// Sends the marks of a thread of which no text is sent.
    fn marks(&mut self, thread: &Thread, taken_in: &[Thread]) -> Result<(), ConnectorError> {
        let mut marks: Vec<Mark> = taken_in.iter().flat_map(Thread::released).collect();
        marks.extend(thread.marks());
        self.remember(marks)
    }

    /// Sends what is to be remembered of mails that are left out one by one.
    fn remember_aside(&mut self) -> Result<(), ConnectorError> {
        let selection = self.options.selection();
        let marks = self.aside.chunks(ASIDE);
        let marks = marks.filter_map(|places| aside(places, selection));
        self.remember(marks.collect())
    }

    /// Sends marks; a trial leaves none.
    fn remember(&mut self, marks: Vec<Mark>) -> Result<(), ConnectorError> {
        if marks.is_empty() || self.request.sample.is_some() {
            return Ok(());
        }
        self.sink.send_blocking(Event::Marks(marks))
    }

    /// Reads a mail from the first of its places that gives it; `Ok(None)` for one that cannot be
    /// taken apart, which is noted.
    pub(super) fn mail(&mut self, places: &[Place]) -> Result<Option<Mail>, OpenError> {
        let mut failure = OpenError::Gone;
        for place in places {
            let read = self.store.open(*place, Extent::Whole).and_then(|opened| {
                Mail::read(opened, self.options.message_cap(), self.request.now).map_err(unreadable)
            });
            match read {
                Ok(mail) => return Ok(mail),
                Err(OpenError::Lost(error)) => return Err(OpenError::Lost(error)),
                Err(OpenError::Gone) => {}
                Err(other) => failure = other,
            }
        }
        Err(failure)
    }
}

/// Why the bytes of a mail end too early. A store that went out of reach says so within the error.
fn unreadable(cause: std::io::Error) -> OpenError {
    match cause.downcast::<ConnectorError>() {
        Ok(lost) => OpenError::Lost(lost),
        Err(cause) => OpenError::Unreadable(format!("cannot be read: {}", cause.kind())),
    }
}

/// Mails of a thread that later ones may quote, by ordinal.
#[derive(Debug, Default)]
pub(super) struct Window {
    words: BTreeMap<usize, Words>,
}

/// Mails before a mail in which its quotations are looked for.
pub(super) const REACH: usize = 40;
/// Digests of words that are held; older mails go first.
const HELD: usize = 2_000_000;

impl Window {
    /// Adds a mail, and lets those go that are out of reach.
    pub(super) fn add(&mut self, ordinal: usize, words: Words) {
        self.words.insert(ordinal, words);
        self.words = self.words.split_off(&ordinal.saturating_sub(REACH - 1));
        let mut held: usize = self.words.values().map(Words::len).sum();
        while held > HELD && self.words.len() > 1 {
            held -= self.words.pop_first().map_or(0, |(_, words)| words.len());
        }
    }

    /// The mails in reach of the next one, nearest first.
    pub(super) fn nearest_first(&self) -> Vec<&Words> {
        self.words.values().rev().collect()
    }
}
