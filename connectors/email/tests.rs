//! What a store shows from one reading to the next: mails that come late, move, go away, cannot be
//! read, and threads that grow together.

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
use crate::time::Instant;
use crate::unit::{Event, Extent, Sink};

/// How a mail of the made store behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Good,
    /// Listed, and not there when it is opened whole.
    Vanishing,
    Unreadable,
    OutOfReach,
}

/// A store in memory.
#[derive(Debug, Clone, Default)]
struct Made {
    mails: Arc<Mutex<Vec<(u64, String, State)>>>,
}

impl Made {
    fn put(&self, number: u64, text: &str) {
        self.mails
            .lock()
            .unwrap()
            .push((number, text.to_owned(), State::Good));
    }

    fn set(&self, number: u64, state: State) {
        let mut mails = self.mails.lock().unwrap();
        mails
            .iter_mut()
            .filter(|mail| mail.0 == number)
            .for_each(|mail| mail.2 = state);
    }

    fn remove(&self, number: u64) {
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
struct Sent {
    events: Vec<Event>,
    report: Report,
    failure: Option<String>,
}

impl Sent {
    /// Each unit that was completed: its id, where it begins, and the texts of its blocks.
    fn units(&self) -> Vec<(String, Option<u64>, Vec<String>)> {
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

    /// The only unit: where it begins, and its texts.
    fn unit(&self) -> (Option<u64>, Vec<String>) {
        let mut units = self.units();
        assert_eq!(units.len(), 1, "{units:?}");
        let (_, from, texts) = units.remove(0);
        (from, texts)
    }
}

/// A store and what the library remembers of it.
struct Case {
    store: Made,
    options: Options,
    memory: HashMap<String, Recalled>,
    now: &'static str,
}

impl Case {
    fn new() -> Self {
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

    fn put(&self, number: u64, id: &str, day: u32, references: &str, text: &str) {
        let references = match references {
            "" => String::new(),
            references => format!("References: {references}\n"),
        };
        self.store.put(
            number,
            &format!("From: Ana <ana@example.org>\nDate: {day} Oct 2026 10:{:02}:00 +0000\nSubject: Re: s\nMessage-ID: <{id}>\n{references}\n{text}\n", number % 60),
        );
    }

    fn poll(&self) -> Sent {
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
    fn run(&mut self, stores: bool) -> Sent {
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
    fn reset(&mut self) {
        for recalled in self.memory.values_mut() {
            recalled.value.clear();
            recalled.tail = None;
        }
    }
}

fn thread_of_three() -> Case {
    let case = Case::new();
    case.put(1, "a@x", 1, "", "first");
    case.put(2, "b@x", 2, "<a@x>", "second");
    case.put(3, "c@x", 3, "<a@x> <b@x>", "third");
    case
}

fn texts(list: &[&str]) -> Vec<String> {
    list.iter().map(|text| (*text).to_owned()).collect()
}

#[test]
fn a_second_reading_sends_nothing_and_a_new_mail_only_the_end() {
    let mut case = thread_of_three();
    assert_eq!(
        case.run(true).unit(),
        (None, texts(&["0 first", "1 second", "2 third"]))
    );
    assert_eq!(case.run(true).events, Vec::new());
    case.put(4, "d@x", 4, "<c@x>", "fourth");
    let sent = case.run(true);
    assert_eq!(sent.unit(), (Some(2), texts(&["2 third", "3 fourth"])));
    assert_eq!((sent.report.delivered, sent.report.seen), (1, 1));
}

#[test]
fn a_mail_that_comes_late_gets_the_next_ordinal() {
    let mut case = thread_of_three();
    case.run(true);
    case.put(9, "root@x", 1, "", "before all");
    case.put(10, "d@x", 4, "<root@x> <a@x>", "joins");
    let (from, sent) = case.run(true).unit();
    assert_eq!(from, Some(2));
    assert_eq!(sent, texts(&["2 third", "3 before all", "4 joins"]));
}

#[test]
fn a_copy_and_a_moved_mail_send_nothing_and_are_looked_at_once() {
    let mut case = thread_of_three();
    case.run(true);
    case.store.remove(2);
    case.put(62, "b@x", 2, "<a@x>", "second");
    let sent = case.run(true);
    assert_eq!(sent.units(), Vec::new());
    assert!(
        matches!(sent.events.as_slice(), [Event::Marks(_)]),
        "{:?}",
        sent.events
    );
    assert_eq!(case.run(true).events, Vec::new());
    // The thread is whole: an answer begins where the last item does.
    case.put(4, "d@x", 4, "<c@x>", "fourth");
    assert_eq!(case.run(true).unit().0, Some(2));
}

#[test]
fn mails_that_were_deleted_take_nothing_out_of_the_library() {
    let mut case = thread_of_three();
    case.run(true);
    case.store.remove(1);
    assert_eq!(case.run(true).events, Vec::new());
    case.put(4, "d@x", 4, "<c@x>", "fourth");
    assert_eq!(
        case.run(true).unit(),
        (Some(2), texts(&["2 third", "3 fourth"]))
    );
    // Now one of the last stored item is gone: it stays as it is, what is new comes after it.
    case.store.remove(4);
    case.put(5, "e@x", 5, "<d@x>", "fifth");
    assert_eq!(case.run(true).unit(), (Some(4), texts(&["4 fifth"])));
}

#[test]
fn a_mail_that_vanishes_while_its_thread_is_read_takes_nothing_with_it() {
    let mut case = thread_of_three();
    case.run(true);
    case.put(4, "d@x", 4, "<c@x>", "fourth");
    case.store.set(3, State::Vanishing);
    let sent = case.run(true);
    assert!(sent.events.contains(&Event::Abandoned));
    assert_eq!(sent.unit(), (Some(3), texts(&["3 fourth"])));
}

#[test]
fn after_a_reset_ids_and_ordinals_are_as_they_were() {
    let mut case = thread_of_three();
    let before = case.run(true).units();
    case.put(4, "d@x", 1, "<a@x>", "late");
    case.run(true);
    case.reset();
    let after = case.run(true).units();
    assert_eq!(after[0].0, before[0].0);
    assert_eq!(after[0].1, None);
    assert_eq!(after[0].2[3], "3 late");
    // With a mail gone, a second reading of all would take what is stored of it away.
    case.reset();
    case.store.remove(2);
    let sent = case.run(true);
    assert_eq!(sent.units(), Vec::new());
    assert_eq!(case.run(true).events, Vec::new());
}

#[test]
fn a_thread_that_could_not_be_stored_is_sent_again_also_without_a_mail_that_went() {
    let mut case = thread_of_three();
    case.run(false);
    assert_eq!(case.run(false).unit().1.len(), 3);
    case.store.remove(2);
    assert_eq!(
        case.run(true).unit(),
        (None, texts(&["0 first", "2 third"]))
    );
    assert_eq!(case.run(true).events, Vec::new());
}

#[test]
fn threads_that_grow_together_are_one_only_if_nothing_is_lost() {
    for is_lost in [false, true] {
        let mut case = Case::new();
        case.put(1, "a@x", 1, "", "older");
        case.put(2, "b@x", 2, "", "younger");
        case.put(3, "b2@x", 3, "<b@x>", "younger still");
        let first = case.run(true).units();
        let (older, younger) = (first[0].0.clone(), first[1].0.clone());
        if is_lost {
            case.store.remove(2);
        }
        case.put(4, "c@x", 4, "<a@x> <b@x>", "joins");
        let sent = case.run(true);
        let start = sent.events.iter().find_map(|event| match event {
            Event::Start(start) => Some(start),
            _ => None,
        });
        let formerly: Vec<&str> = start
            .unwrap()
            .formerly
            .iter()
            .map(|id| id.as_str())
            .collect();
        let units = sent.units();
        assert_eq!(units[0].0, older);
        if is_lost {
            assert_eq!(formerly, [""; 0]);
            assert_eq!(units[0].2, texts(&["0 older", "1 joins"]));
        } else {
            assert_eq!(formerly, [younger]);
            assert_eq!(units[0].2.len(), 4);
            assert!(units[0].2[3].ends_with("joins"), "{units:?}");
        }
        assert_eq!(case.run(true).events, Vec::new());
        case.put(5, "d@x", 5, "<b2@x>", "after");
        assert_eq!(case.run(true).units()[0].0, older);
    }
}

#[test]
fn a_mail_that_cannot_be_read_is_named_and_read_at_the_next_run() {
    let mut case = thread_of_three();
    case.store.set(2, State::Unreadable);
    let sent = case.run(true);
    assert_eq!(sent.unit(), (None, texts(&["0 first", "1 third"])));
    assert_eq!(sent.report.passed_over, 1);
    assert_eq!(
        sent.report.problems[0].to_string(),
        "made/2: cannot be read: odd"
    );
    case.store.set(2, State::Good);
    assert_eq!(case.run(true).unit().1[1], "2 second");
}

#[test]
fn a_store_that_goes_out_of_reach_ends_the_reading_and_the_next_one_goes_on() {
    let mut case = thread_of_three();
    case.put(7, "z@x", 9, "", "another thread");
    case.store.set(7, State::OutOfReach);
    let sent = case.run(true);
    assert_eq!(
        sent.failure.as_deref(),
        Some("mail.example.org cannot be reached: cut")
    );
    assert_eq!(sent.events.last(), Some(&Event::Abandoned));
    assert_eq!(sent.unit().1.len(), 3, "what was sent before counts");
    case.store.set(7, State::Good);
    assert_eq!(case.run(true).unit().1, texts(&["0 another thread"]));
}

#[test]
fn a_thread_waits_until_it_has_rested() {
    let mut case = thread_of_three();
    case.options.settle_minutes = 30;
    case.now = "2026-10-03T10:32:00Z";
    let sent = case.run(true);
    assert_eq!((sent.units().len(), sent.report.deferred), (0, 1));
    case.now = "2026-10-03T10:33:00Z";
    assert_eq!(case.run(true).unit().1.len(), 3);
}

#[test]
fn old_mail_is_left_out_until_the_option_changes() {
    let mut case = thread_of_three();
    case.options.since = Some("2026-10-02".to_owned());
    let sent = case.run(true);
    assert_eq!(sent.unit().1, texts(&["0 second", "1 third"]));
    assert_eq!(sent.report.left_out, 1);
    assert_eq!(case.run(true).events, Vec::new());
    case.options.since = None;
    let (from, sent) = case.run(true).unit();
    assert_eq!(
        (from, sent.last().map(String::as_str)),
        (Some(1), Some("2 first"))
    );
}

#[test]
fn a_newsletter_is_kept_once_one_writes_in_its_thread() {
    let mut case = Case::new();
    case.store.put(1, "From: n@shop.example\nMessage-ID: <n@x>\nList-Unsubscribe: <x>\nDate: 1 Oct 2026 10:00:00 +0000\n\nnews\n");
    let sent = case.run(true);
    assert_eq!((sent.units().len(), sent.report.left_out), (0, 1));
    assert_eq!(case.run(true).events, Vec::new());
    case.options.own_addresses = vec!["n@shop.example".to_owned()];
    assert_eq!(case.run(true).units()[0].2.len(), 1);
}

#[test]
fn reading_the_end_gives_the_blocks_that_reading_all_gives() {
    let mut case = Case::new();
    let mut text = "The first words of the thread, which everybody quotes for ever.".to_owned();
    let mut previous = String::new();
    for at in 0..60_u32 {
        let references = if at == 0 {
            String::new()
        } else {
            format!("<m{}@x>", at - 1)
        };
        let quoted: String = previous.lines().map(|line| format!("> {line}\n")).collect();
        let body = format!("{text}\n\nAna wrote:\n{quoted}");
        case.put(
            u64::from(at),
            &format!("m{at}@x"),
            1 + at / 4,
            &references,
            &body,
        );
        if at % 7 == 1 {
            case.run(true);
        }
        previous = body;
        text = format!("Answer number {at} says something that no other mail of this thread says.");
    }
    let (from, end) = case.run(true).unit();
    let whole = {
        let mut again = Case::new();
        again.store = case.store.clone();
        again.run(true).unit().1
    };
    // Mails of one time may have come in another order; these have not.
    let from = usize::try_from(from.unwrap()).unwrap();
    assert_eq!(end.len(), 60 - from);
    let tail = |texts: &[String]| texts.iter().rev().take(3).cloned().collect::<Vec<_>>();
    assert_eq!(tail(&end), tail(&whole));
}
