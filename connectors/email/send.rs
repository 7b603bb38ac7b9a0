//! Sends one thread as a unit.

use super::delivery::{Delivery, REACH, Window};
use super::known::Thread;
use super::mail::Mail;
use super::mailbox::{OpenError, Part as Extent, Place};
use super::plan::Plan;
use crate::error::ConnectorError;
use crate::marks::Mark;
use crate::render;
use crate::source::{OriginalRef, Trust, UnitId};
use crate::time::Instant;
use crate::unit::{Block, Event, Extent as Sent, Locator, RecordKey, UnitEnd, UnitStart};

/// Mails that are announced to a store at once.
const ANNOUNCED: usize = 100;

/// Why a thread was not sent; what was sent of it was taken back.
pub(super) enum Failure {
    /// A mail is gone whose text is stored.
    Missing(usize),
    /// The reading ends.
    Ended(ConnectorError),
}

impl From<ConnectorError> for Failure {
    fn from(error: ConnectorError) -> Self {
        Self::Ended(error)
    }
}

/// A thread whose blocks were sent.
pub(super) struct Unit {
    title: Option<String>,
    /// Whether all of it was sent and `own_addresses` alone wrote it.
    is_own: bool,
}

impl Unit {
    /// Closes the unit.
    ///
    /// # Errors
    /// When the receiver wants no more.
    pub(super) fn finish(
        self,
        delivery: &mut Delivery<'_>,
        plan: Plan,
        rendering: u64,
    ) -> Result<(), ConnectorError> {
        let (thread, taken_in) = plan.remembered(true, rendering);
        let mut marks: Vec<Mark> = taken_in.iter().flat_map(Thread::released).collect();
        marks.extend(thread.marks());
        let is_lower = delivery.options.own_notes && !self.is_own;
        let end = UnitEnd {
            title_hint: self.title,
            trust: is_lower.then_some(Trust::External),
            marks,
            ..UnitEnd::default()
        };
        delivery.sink.send_blocking(Event::End(end))?;
        delivery.report.delivered += 1;
        Ok(())
    }
}

/// Sends the blocks of a thread from an ordinal on, or all of them.
///
/// # Errors
/// See [`Failure`].
pub(super) fn unit(
    delivery: &mut Delivery<'_>,
    plan: &mut Plan,
    from: Option<usize>,
) -> Result<Unit, Failure> {
    delivery
        .sink
        .send_blocking(Event::Start(start(delivery, plan, from)?))?;
    let mut sender = Sender {
        delivery,
        window: Window::default(),
        before: None,
        title: None,
        is_own: true,
    };
    match sender.blocks(plan, from.unwrap_or(0)) {
        Ok(()) => Ok(Unit {
            title: sender.title.filter(|_| from.is_none()),
            is_own: sender.is_own && from.is_none(),
        }),
        Err(failure) => {
            sender.delivery.sink.send_blocking(Event::Abandoned)?;
            Err(failure)
        }
    }
}

fn start(
    delivery: &Delivery<'_>,
    plan: &Plan,
    from: Option<usize>,
) -> Result<UnitStart, ConnectorError> {
    let id = |id: &str| UnitId::new(id).map_err(|_| ConnectorError::Broken);
    let thread = plan.thread.id.as_str();
    let formerly = plan.taken_in.iter().map(|thread| id(&thread.id));
    let own = delivery.options.own_addresses.first().map(String::as_str);
    let account = own.or_else(|| delivery.store.account());
    Ok(UnitStart {
        id: id(thread)?,
        formerly: formerly.collect::<Result<_, _>>()?,
        original_ref: OriginalRef::new(format!("email-thread:{thread}"))
            .map_err(|_| ConnectorError::Broken)?,
        account: account.map(str::to_owned),
        extent: from.map_or(Sent::Whole, |from| Sent::From(locator(from))),
        min_chars: delivery.options.min_chars,
    })
}

fn locator(ordinal: usize) -> Locator {
    Locator::record(u64::try_from(ordinal).unwrap_or(u64::MAX))
}

struct Sender<'a, 'b> {
    delivery: &'a mut Delivery<'b>,
    window: Window,
    /// When the mail before was written.
    before: Option<Instant>,
    title: Option<String>,
    is_own: bool,
}

impl Sender<'_, '_> {
    fn blocks(&mut self, plan: &mut Plan, from: usize) -> Result<(), Failure> {
        let first = from.saturating_sub(REACH);
        let count = plan.places.len();
        for start in (first..count).step_by(ANNOUNCED) {
            let end = count.min(start + ANNOUNCED);
            let places: Vec<Place> = (start..end)
                .filter_map(|ordinal| plan.places.get(ordinal)?.first().copied())
                .collect();
            self.delivery.store.announce(Extent::Whole, &places);
            for ordinal in start..end {
                self.mail(plan, ordinal, from)?;
            }
        }
        Ok(())
    }

    fn mail(&mut self, plan: &mut Plan, ordinal: usize, from: usize) -> Result<(), Failure> {
        let places = plan.places.get(ordinal).cloned().unwrap_or_default();
        let Some(place) = places.first().copied() else {
            return Ok(());
        };
        let is_context = ordinal < from;
        match self.delivery.mail(&places) {
            Ok(Some(mail)) if is_context => self.context(ordinal, &mail),
            Ok(Some(mail)) => self.block(plan, ordinal, place, mail)?,
            Ok(None) if is_context => {}
            Ok(None) => {
                let told = self.delivery.store.told(place);
                let why = "cannot be taken apart";
                self.delivery.report.pass_over(&told, None, why);
            }
            Err(OpenError::Lost(error)) => return Err(error.into()),
            Err(_) if is_context => {}
            Err(_) if plan.is_old(ordinal) => return Err(Failure::Missing(ordinal)),
            Err(error) => {
                // Not remembered, so the next run finds it again, under the ordinal that it has.
                plan.lose(ordinal);
                self.delivery.passed_over(place, error)?;
            }
        }
        Ok(())
    }

    /// A mail before the part that is sent, which later ones may quote.
    fn context(&mut self, ordinal: usize, mail: &Mail) {
        self.before = mail.written.or(self.before);
        self.window.add(ordinal, mail.words());
    }

    fn block(
        &mut self,
        plan: &Plan,
        ordinal: usize,
        place: Place,
        mail: Mail,
    ) -> Result<(), Failure> {
        if mail.cut {
            let told = self.delivery.store.told(place);
            let why = "is too long; the end of its text was left out";
            self.delivery.report.mend(&told, None, why);
        }
        let is_last = ordinal + 1 == plan.places.len();
        let words = (!is_last).then(|| mail.words());
        let instant = mail.written.or(self.before).unwrap_or_default();
        self.before = Some(instant);
        if self.title.is_none() && !mail.title().is_empty() {
            self.title = Some(mail.title().to_owned());
        }
        self.is_own &= mail.is_own(self.delivery.options);
        let who = mail.who();
        let text = mail.text(ordinal == 0, &self.window.nearest_first());
        let key = plan.thread.mails.get(ordinal).copied().unwrap_or_default();
        let block = Block {
            locator: locator(ordinal),
            position: u64::try_from(ordinal).unwrap_or(u64::MAX),
            instant,
            record_key: Some(RecordKey(key.cast_signed())),
            pieces: vec![render::piece(instant, &who, &text, None)],
        };
        self.delivery
            .sink
            .send_blocking(Event::Blocks(vec![block]))?;
        if let Some(words) = words {
            self.window.add(ordinal, words);
        }
        Ok(())
    }
}
