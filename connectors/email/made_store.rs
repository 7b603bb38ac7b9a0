//! A store in memory whose mails can go away, and what a library remembers of it; for tests.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use super::delivery;
use super::known::Known;
use super::mailbox::{Fresh, Listing, Mailbox, OpenError, Opened, Part, Place, Role};
use super::options::Options;
use crate::connector::Request;
use crate::error::ConnectorError;
use crate::marks::{Memory, Recalled, Tail};
use crate::report::Report;
use crate::source::Trust;
use crate::time::Instant;
use crate::unit::{Event, Extent, Sink};

/// How a mail of the made store behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Good,
    /// Listed, and not there when it is opened whole.
    Vanishing,
    Unreadable,
    OutOfReach,
}

/// A store in memory.
#[derive(Debug, Clone, Default)]
pub(super) struct Made {
    mails: Arc<Mutex<Vec<(u64, String, State)>>>,
}

impl Made {
    pub(super) fn put(&self, number: u64, text: &str) {
        self.mails
            .lock()
            .unwrap()
            .push((number, text.to_owned(), State::Good));
    }

    pub(super) fn set(&self, number: u64, state: State) {
        let mut mails = self.mails.lock().unwrap();
        mails
            .iter_mut()
            .filter(|mail| mail.0 == number)
            .for_each(|mail| mail.2 = state);
    }

    pub(super) fn remove(&self, number: u64) {
        self.mails.lock().unwrap().retain(|mail| mail.0 != number);
    }

    fn find(&self, place: Place) -> Option<(String, State)> {
        let mails = self.mails.lock().unwrap();
        let found = mails.iter().find(|mail| mail.0 == place.number);
        found.map(|mail| (mail.1.clone(), mail.2))
    }
}

impl Mailbox for Made {
    fn list(&mut self, known: &Known, _: &mut Report) -> Result<Listing, ConnectorError> {
        let mut listing = Listing {
            complete: true,
            ..Listing::default()
        };
        for (number, ..) in self.mails.lock().unwrap().iter() {
            let place = Place {
                folder: 1,
                number: *number,
            };
            if !known.has(place) {
                listing.fresh.push(Fresh {
                    place,
                    role: Role::Ordinary,
                    server_thread: None,
                });
            }
        }
        Ok(listing)
    }

    fn open(&mut self, place: Place, part: Part) -> Result<Opened<'_>, OpenError> {
        let (text, state) = self.find(place).ok_or(OpenError::Gone)?;
        match state {
            State::Vanishing if part == Part::Whole => return Err(OpenError::Gone),
            State::Unreadable => {
                return Err(OpenError::Unreadable("cannot be read: odd".to_owned()));
            }
            State::OutOfReach if part == Part::Whole => {
                return Err(OpenError::Lost(ConnectorError::Unreachable {
                    place: "mail.example.org".to_owned(),
                    cause: "cut".to_owned(),
                }));
            }
            _ => {}
        }
        Ok(Opened {
            size: u64::try_from(text.len()).ok(),
            bytes: Box::new(std::io::Cursor::new(text.into_bytes())),
            received: None,
            from_quoted: false,
        })
    }

    fn has(&self, place: Place) -> bool {
        self.find(place).is_some()
    }

    fn told(&self, place: Place) -> String {
        format!("made/{}", place.number)
    }
}

/// What one reading sent.
#[derive(Debug)]
pub(super) struct Sent {
    pub(super) events: Vec<Event>,
    pub(super) report: Report,
    pub(super) failure: Option<String>,
}

impl Sent {
    /// Each unit that was completed: its id, where it begins, and the texts of its blocks.
    pub(super) fn units(&self) -> Vec<(String, Option<u64>, Vec<String>)> {
        let mut units = Vec::new();
        for event in &self.events {
            match event {
                Event::Start(start) => {
                    let from = match start.extent {
                        Extent::Whole => None,
                        Extent::From(locator) => Some(locator.record),
                    };
                    units.push((start.id.as_str().to_owned(), from, Vec::new()));
                }
                Event::Blocks(blocks) => {
                    let unit = units.last_mut().unwrap();
                    unit.2.extend(blocks.iter().map(|block| {
                        let text = block.pieces[0]
                            .text
                            .rsplit(">: ")
                            .next()
                            .unwrap()
                            .to_owned();
                        format!("{} {text}", block.locator)
                    }));
                }
                Event::Abandoned => drop(units.pop()),
                Event::End(_) | Event::Marks(_) => {}
            }
        }
        units
    }

    /// The trust that each unit was closed with.
    pub(super) fn trusts(&self) -> Vec<Option<Trust>> {
        let ends = self.events.iter().filter_map(|event| match event {
            Event::End(end) => Some(end.trust),
            _ => None,
        });
        ends.collect()
    }

    /// The only unit: where it begins, and its texts.
    pub(super) fn unit(&self) -> (Option<u64>, Vec<String>) {
        let mut units = self.units();
        assert_eq!(units.len(), 1, "{units:?}");
        let (_, from, texts) = units.remove(0);
        (from, texts)
    }
}

/// A store and what the library remembers of it.
pub(super) struct Case {
    pub(super) store: Made,
    pub(super) options: Options,
    pub(super) memory: HashMap<String, Recalled>,
    pub(super) now: &'static str,
}

impl Case {
    pub(super) fn new() -> Self {
        Self {
            store: Made::default(),
            options: Options {
                settle_minutes: 0,
                min_chars: 0,
                ..Options::default()
            },
            memory: HashMap::new(),
            now: "2026-11-30T00:00:00Z",
        }
    }

    pub(super) fn put(&self, number: u64, id: &str, day: u32, references: &str, text: &str) {
        let references = match references {
            "" => String::new(),
            references => format!("References: {references}\n"),
        };
        self.store.put(
            number,
            &format!("From: Ana <ana@example.org>\nDate: {day} Oct 2026 10:{:02}:00 +0000\nSubject: Re: s\nMessage-ID: <{id}>\n{references}\n{text}\n", number % 60),
        );
    }

    pub(super) fn poll(&self) -> Sent {
        let request = Request {
            memory: Memory::new(self.memory.clone()).into(),
            now: Instant::parse(self.now).unwrap(),
            sample: None,
        };
        let (mut sink, mut receiver) = Sink::channel();
        let gather = std::thread::spawn(move || {
            let mut events = Vec::new();
            while let Some(event) = receiver.blocking_recv() {
                events.push(event);
            }
            events
        });
        let mut report = Report::default();
        let mut store = self.store.clone();
        let result = delivery::run(&self.options, &mut store, &request, &mut sink, &mut report);
        drop(sink);
        Sent {
            events: gather.join().unwrap(),
            report,
            failure: result.err().map(|error| error.to_string()),
        }
    }

    /// Polls and keeps what the library would: marks of units with the last block as their tail;
    /// of units that could not be stored (`stores` is false) only the names.
    pub(super) fn run(&mut self, stores: bool) -> Sent {
        let sent = self.poll();
        let mut tail = None;
        for event in &sent.events {
            let (marks, at, keeps) = match event {
                Event::Start(_) => {
                    tail = None;
                    continue;
                }
                Event::Blocks(blocks) => {
                    tail = blocks.last().map(|block| Tail {
                        locator: block.locator,
                        position: block.position,
                    });
                    continue;
                }
                Event::Abandoned => continue,
                Event::End(end) => (&end.marks, tail, stores),
                Event::Marks(marks) => (marks, None, true),
            };
            for mark in marks {
                if !keeps && mark.identity.is_empty() {
                    continue;
                }
                let old = self.memory.get(&mark.key);
                let recalled = Recalled {
                    value: if keeps {
                        mark.value.clone()
                    } else {
                        old.map(|old| old.value.clone()).unwrap_or_default()
                    },
                    identity: mark.identity.clone(),
                    tail: at.or(old.and_then(|old| old.tail)),
                };
                self.memory.insert(mark.key.clone(), recalled);
            }
        }
        sent
    }

    /// Forgets what `jezero connector reset` forgets.
    pub(super) fn reset(&mut self) {
        for recalled in self.memory.values_mut() {
            recalled.value.clear();
            recalled.tail = None;
        }
    }
}
