//! Fetching mails in batches, and holding what came until it is asked for.
//!
//! Of every mail a first part is asked for; most end with it. Longer ones are fetched part by part
//! while they are read, so that what is held is bounded by the parts of a batch and never by a
//! mail, and what lies beyond the reader's limit is never sent.

use std::collections::{HashMap, HashSet};
use std::io::{self, Read};

use super::super::mailbox::{OpenError, Opened, Part, Place};
use super::fetched::{Fetched, set};
use super::{Failure, Imap};

/// Header sections in a batch, and bytes that are taken of each.
const HEADS: (usize, usize) = (100, 128 * 1024);
/// Mails in a batch, and bytes of the first part of each.
const WHOLES: (usize, usize) = (32, 256 * 1024);
/// Bytes of the further parts of a long mail.
const PART: usize = 1024 * 1024;
/// Mails in a row that may break the connection before the server is given up.
const BROKEN: u32 = 5;

/// Most mails that are fetched before anybody announced them, and bytes that are held of mails.
const AHEAD: usize = 32;
const HELD: usize = 8 * 1024 * 1024;

/// What was announced, and what came of it.
///
/// Threads are announced one by one, and asking for each alone would cost a server far away more
/// time than the mails themselves. New mails that follow in their folder come along, as many as the
/// last ones turned out to be wanted.
#[derive(Default)]
pub(super) struct Hold {
    part: Option<Part>,
    /// Places in the order of their announcement.
    announced: Vec<Place>,
    order: HashMap<Place, usize>,
    came: HashMap<Place, Fetched>,
    /// Those that came along.
    along: HashSet<Place>,
    /// How many come along next, and how many did and were wanted, of late.
    ahead: usize,
    brought: usize,
    wanted: usize,
    /// Mails in a row over which the connection broke.
    broken: u32,
    /// Answers of all batches, to tell progress by.
    answers: usize,
}

impl Hold {
    pub(super) fn announce(&mut self, part: Part, places: &[Place]) {
        let bodies = self.came.values().filter_map(|mail| mail.body.as_ref());
        let held: usize = bodies.map(|body| body.bytes.len()).sum();
        if self.part != Some(part) || part == Part::Head || held > HELD {
            self.came.clear();
            self.along.clear();
        }
        self.part = Some(part);
        self.announced = places.to_vec();
        let order = places.iter().enumerate().map(|(at, place)| (*place, at));
        self.order = order.collect();
    }

    /// The mail that is wanted, those after it in its folder that are wanted soon, and of `fresh`,
    /// the new mails of the folder, some that may be.
    fn batch(&mut self, place: Place, part: Part, most: usize, fresh: &[u32]) -> Vec<u32> {
        let uid = |place: &Place| u32::try_from(place.number).ok();
        let mut uids: Vec<u32> = uid(&place).into_iter().collect();
        if self.part != Some(part) || most == 1 {
            return uids;
        }
        if let Some(at) = self.order.get(&place) {
            let next = self.announced.iter().skip(at + 1);
            let here = next.filter(|next| next.folder == place.folder);
            let missing = here.filter(|next| !self.came.contains_key(next));
            uids.extend(missing.filter_map(uid).take(most - 1));
        }
        uids.sort_unstable();
        uids.dedup();
        if part == Part::Whole {
            let room = most.saturating_sub(uids.len()).min(self.far());
            let after = uids.last().copied().unwrap_or(0);
            let next = fresh.partition_point(|uid| *uid <= after);
            let along = fresh.iter().skip(next).map(|uid| Place {
                number: u64::from(*uid),
                ..place
            });
            let missing = along.filter(|next| !self.came.contains_key(next));
            let along: Vec<Place> = missing.take(room).collect();
            self.brought += along.len();
            uids.extend(along.iter().filter_map(uid));
            self.along.extend(along);
        }
        uids
    }

    /// How far to fetch ahead: further while most of it is wanted, less when it is not.
    fn far(&mut self) -> usize {
        self.ahead = match self.wanted * 2 >= self.brought {
            true => (self.ahead * 2).clamp(2, AHEAD),
            false => (self.ahead / 2).max(1),
        };
        // What was long ago says less.
        if self.brought > 8 * AHEAD {
            (self.brought, self.wanted) = (self.brought / 2, self.wanted / 2);
        }
        self.ahead
    }

    fn take(&mut self, place: Place, part: Part) -> Option<Fetched> {
        if self.part != Some(part) {
            return None;
        }
        let mail = self.came.remove(&place)?;
        if self.along.remove(&place) {
            self.wanted += 1;
        }
        Some(mail)
    }
}

impl Imap {
    /// Opens a mail, from what is held or by fetching a batch.
    pub(super) fn fetch(&mut self, place: Place, part: Part) -> Result<Opened<'_>, OpenError> {
        let mail = match self.hold.take(place, part) {
            Some(mail) => mail,
            None => self.batch(place, part)?,
        };
        let nothing = "the server gives nothing for it";
        let body = mail
            .body
            .ok_or_else(|| OpenError::Unreadable(nothing.to_owned()))?;
        let length = body.bytes.len();
        let (_, asked) = sizes(part);
        if !mail.is_part && body.is_cut {
            let why = "is too long, and the server cannot give it in parts";
            return Err(OpenError::Unreadable(why.to_owned()));
        }
        let is_whole = part == Part::Head || !mail.is_part || (length < asked && !body.is_cut);
        Ok(Opened {
            received: mail.received,
            from_quoted: false,
            size: mail.size.filter(|_| part == Part::Whole),
            bytes: Box::new(Long {
                imap: self,
                place,
                offset: length,
                held: io::Cursor::new(body.bytes),
                is_whole,
            }),
        })
    }

    /// Fetches a mail and those that are wanted after it; holds those and gives the one.
    ///
    /// A mail over which the connection breaks, or that is missing in an answer, is asked for
    /// alone before it is given up, so that it takes none of the others with it.
    fn batch(&mut self, place: Place, part: Part) -> Result<Fetched, OpenError> {
        let at = self.folder(place).ok_or(OpenError::Gone)?;
        let (most, _) = sizes(part);
        let mut is_alone = false;
        let mut tried = 0;
        loop {
            let most = if is_alone { 1 } else { most };
            let folder = self.folders.get(at);
            let fresh = folder.map_or(&[][..], |folder| &folder.fresh);
            let uids = self.hold.batch(place, part, most, fresh);
            is_alone |= uids.len() == 1;
            let answers = self.hold.answers;
            let (is_connected, done) = self.once(at, part, place, &uids);
            if let Some(mail) = self.hold.came.remove(&place) {
                self.hold.broken = 0;
                return Ok(mail);
            }
            match done {
                Ok(()) if is_alone => return Err(OpenError::Gone),
                Err(Failure::No) if is_alone => {
                    let why = "the server refuses to give it";
                    return Err(OpenError::Unreadable(why.to_owned()));
                }
                Ok(()) | Err(Failure::No) => is_alone = true,
                Err(Failure::Stale) => return Err(OpenError::Gone),
                Err(Failure::Fatal(error)) => return Err(OpenError::Lost(error)),
                Err(Failure::Cut(cause)) => {
                    tried = if self.hold.answers == answers {
                        tried + 1
                    } else {
                        1
                    };
                    is_alone |= tried > 1;
                    if tried >= self.tries() {
                        return Err(self.given_up(is_connected, cause));
                    }
                    self.wait(tried);
                }
            }
        }
    }

    fn given_up(&mut self, is_connected: bool, cause: String) -> OpenError {
        self.hold.broken += 1;
        if is_connected && self.hold.broken < BROKEN {
            let why = "the connection breaks off whenever it is asked for";
            return OpenError::Unreadable(why.to_owned());
        }
        OpenError::Lost(self.lost(Failure::Cut(cause)))
    }

    /// Asks once for mails and holds what comes; says whether there was a connection.
    fn once(
        &mut self,
        at: usize,
        part: Part,
        place: Place,
        uids: &[u32],
    ) -> (bool, Result<(), Failure>) {
        let mut session = match self.session() {
            Ok(session) => session,
            Err(failure) => return (false, Err(failure)),
        };
        let section = if part == Part::Head { "HEADER" } else { "" };
        let (_, each) = sizes(part);
        let items = format!("(UID INTERNALDATE RFC822.SIZE BODY.PEEK[{section}]<0.{each}>)");
        // A server that knows no parts sends mails whole; what is more than this is not kept.
        let limit = usize::try_from(self.options.message_cap()).unwrap_or(usize::MAX);
        let budget = limit.max(uids.len().saturating_mul(each));
        let done = self.enter(&mut session, at).and_then(|()| {
            let hold = &mut self.hold;
            session.fetch(&set(uids), &items, budget, |mail| {
                hold.answers += 1;
                // What a long neighbour left no room for is asked for alone.
                let has_room =
                    uids.len() == 1 || mail.body.as_ref().is_none_or(|body| !body.is_cut);
                if has_room && uids.contains(&mail.uid) {
                    let number = u64::from(mail.uid);
                    hold.came.insert(Place { number, ..place }, mail);
                }
            })?;
            Ok(())
        });
        if !matches!(done, Err(Failure::Cut(_))) {
            self.session = Some(session);
        }
        (true, done)
    }

    /// A further part of a long mail; shorter than asked for at its end.
    fn part(&mut self, place: Place, offset: usize) -> Result<Vec<u8>, Failure> {
        let at = self.folder(place).ok_or(Failure::Stale)?;
        let items = format!("(UID BODY.PEEK[]<{offset}.{PART}>)");
        let uid = place.number.to_string();
        self.patiently(|imap, session| {
            imap.enter(session, at)?;
            let mut part = Vec::new();
            session.fetch(&uid, &items, PART, |mail| {
                if u64::from(mail.uid) == place.number
                    && let Some(body) = mail.body
                {
                    part = body.bytes;
                }
            })?;
            Ok(part)
        })
    }
}

fn sizes(part: Part) -> (usize, usize) {
    match part {
        Part::Head => HEADS,
        Part::Whole => WHOLES,
    }
}

/// A mail that is read, with what of it has not come yet.
struct Long<'a> {
    imap: &'a mut Imap,
    place: Place,
    /// Bytes that have come.
    offset: usize,
    held: io::Cursor<Vec<u8>>,
    /// Whether nothing is to come any more.
    is_whole: bool,
}

impl Read for Long<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.held.read(buffer)?;
        if read > 0 || self.is_whole || buffer.is_empty() {
            return Ok(read);
        }
        let part = self
            .imap
            .part(self.place, self.offset)
            .map_err(|failure| match failure {
                Failure::Cut(_) | Failure::Fatal(_) => io::Error::other(self.imap.lost(failure)),
                Failure::No | Failure::Stale => io::ErrorKind::InvalidData.into(),
            })?;
        self.offset += part.len();
        self.is_whole = part.len() < PART;
        self.held = io::Cursor::new(part);
        self.held.read(buffer)
    }
}
