//! What every store of mail offers to the threading core: listing, and one mail at a time.
//!
//! A [`Mailbox`] is used from one blocking thread and nowhere else. A store behind a network makes
//! its connection (and, if it needs one, a runtime of its own) when it is first asked, and blocks.
//!
//! The order of calls in one reading:
//!
//! 1. [`Mailbox::list`], once: which mails are not known yet, and what to remember of the folders.
//! 2. [`Mailbox::announce`] with [`Part::Head`] and places, then [`Mailbox::open`] for each of
//!    them: the core reads header sections to find the threads. Mails come in the order of the
//!    listing.
//! 3. For one thread after the other: [`Mailbox::announce`] with [`Part::Whole`], then
//!    [`Mailbox::open`] for its mails. Also mails of earlier readings are asked for here, because
//!    their thread has grown.
//!
//! `announce` is a hint: a store on a network fetches what was announced in batches of bounded
//! bytes and hands it out as it is opened; files ignore it. What was announced may be opened in
//! another order, or not at all.
//!
//! # Places
//! A [`Place`] names one copy of a mail for ever: the core keeps it in marks and gives it back in
//! later runs. `folder` is [`folder_key`] of whatever names the folder *and the generation of its
//! numbers* (for IMAP: account, folder name and UIDVALIDITY), `number` the mail's own number or
//! digest in it (the UID). When the numbers of a folder lose their meaning, its key must change:
//! then all its mails are unknown places, are looked at once, and are recognised by what they are.
//!
//! # What is known
//! A mail counts as known once its thread is stored, or once it was left out for good; [`Known`]
//! answers from the marks of earlier runs. A store must not conclude from its own folder mark
//! alone that nothing is new: a thread whose summary failed is to be read again, although its
//! folder was listed. [`Known::tally`] gives the number and sum of known places of a folder; a
//! store that skips listing (an unchanged mbox, an IMAP folder with an unmoved UIDNEXT) keeps the
//! tally of all places that it ever listed in its folder mark and skips only if both are equal.
//! [`Tally::add`] builds one.

use std::io::Read;

use super::known::Known;
use crate::digest;
use crate::error::ConnectorError;
use crate::marks::Mark;
use crate::report::Report;
use crate::time::Instant;

/// One copy of a mail in a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Place {
    /// Its folder, with the generation of the folder's numbers.
    pub(super) folder: u32,
    /// Its number, offset or digest within the folder.
    pub(super) number: u64,
}

/// Makes a folder's key of its parts.
pub(super) fn folder_key(parts: &[&[u8]]) -> u32 {
    let state = parts
        .iter()
        .fold(0, |state, part| digest::fast(state, part));
    let [.., a, b, c, d] = state.to_be_bytes();
    u32::from_be_bytes([a, b, c, d])
}

/// What a folder is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Role {
    /// Mail received, or anything else.
    #[default]
    Ordinary,
    /// Mail that the owner of the box wrote.
    Sent,
}

/// A mail that is not known yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fresh {
    /// Where it is.
    pub(super) place: Place,
    /// What its folder is for.
    pub(super) role: Role,
    /// The id that the server's own threading gave (Gmail), for stores that know one without
    /// opening the mail.
    pub(super) server_thread: Option<u64>,
}

/// What a look at a store found.
#[derive(Debug, Default)]
pub(super) struct Listing {
    /// Mails that are not known yet, in a stable order.
    pub(super) fresh: Vec<Fresh>,
    /// Of these, mails that are known and whose text is another since they were read.
    pub(super) changed: Vec<Place>,
    /// Mails that are there, known or not.
    pub(super) seen: u64,
    /// Mails that are there and known.
    pub(super) unchanged: u64,
    /// Mails that are not wanted, as far as can be told without opening them (flagged as deleted
    /// or as drafts).
    pub(super) left_out: u64,
    /// Whether every wanted folder could be listed to its end. Only then the absence of a mail
    /// says that it is gone for good.
    pub(super) complete: bool,
    /// What to remember of the folders; kept before any of the mails is read, so it must not say
    /// that they were. Keys begin with `f`.
    pub(super) marks: Vec<Mark>,
}

/// How much of a mail is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// The header section; more may come and is not read.
    Head,
    /// All of it.
    Whole,
}

/// A mail that is being read.
pub(super) struct Opened<'a> {
    /// Its bytes as they were sent, with LF or CRLF. Never read beyond `max_message_mb`, so a
    /// store may hold back what is longer. A store that goes out of reach meanwhile puts the
    /// [`ConnectorError`] into the error.
    pub(super) bytes: Box<dyn Read + 'a>,
    /// When the store received it, as far as it knows.
    pub(super) received: Option<Instant>,
    /// Whether lines `>From ` stand for `From `, as mbox files write them.
    pub(super) from_quoted: bool,
    /// The size in bytes, if the store knows it.
    pub(super) size: Option<u64>,
}

/// Why a mail cannot be read.
#[derive(Debug)]
pub(super) enum OpenError {
    /// It is not there any more.
    Gone,
    /// It cannot be read now, for a reason that quotes nothing of it; the next run tries again.
    Unreadable(String),
    /// The store as a whole is out of reach: the reading ends with what it has.
    Lost(ConnectorError),
}

/// A store of mail.
pub(super) trait Mailbox: Send {
    /// Looks what is there. Folders that cannot be listed are in the report.
    ///
    /// # Errors
    /// Only when nothing at all can be read.
    fn list(&mut self, known: &Known, report: &mut Report) -> Result<Listing, ConnectorError>;

    /// Says which mails will be opened next.
    fn announce(&mut self, part: Part, places: &[Place]) {
        let _ = (part, places);
    }

    /// Opens a mail for reading; nothing of it is changed, its flags included.
    ///
    /// # Errors
    /// See [`OpenError`].
    fn open(&mut self, place: Place, part: Part) -> Result<Opened<'_>, OpenError>;

    /// Whether a mail of an earlier reading is still there, as far as that is known without
    /// reading it; asked after [`Mailbox::list`]. When in doubt, yes: opening tells.
    fn has(&self, place: Place) -> bool;

    /// Whether a mail keeps its text, wherever it goes. Where it may not, one that is known is read
    /// again when it comes under another place.
    fn keeps_texts(&self) -> bool {
        true
    }

    /// How reports name a mail: folder and file, offset or UID.
    fn told(&self, place: Place) -> String;

    /// The address of the box, where the store knows it (a login name); options come first.
    fn account(&self) -> Option<&str> {
        None
    }
}

/// Number and sum of places: equal sets have equal tallies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Tally {
    /// How many.
    pub(super) count: u64,
    /// The wrapping sum of digests of their numbers.
    pub(super) sum: u64,
}

impl Tally {
    /// Adds a place.
    pub(super) fn add(&mut self, number: u64) {
        self.count += 1;
        self.sum = self
            .sum
            .wrapping_add(digest::fast(1, &number.to_le_bytes()));
    }
}
