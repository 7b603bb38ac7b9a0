//! Files that are read while a mail is being written at their end.

use std::collections::{BTreeMap, HashMap};

use crate::fixtures::{poll, remember};
use crate::marks::{Memory, Recalled};
use crate::unit::{Event, Extent, Locator};

const FIRST: &str = "From ana@example.org Mon Oct 19 21:05:00 2026\nFrom: ana@example.org\n\
    Subject: Plates\nDate: Mon, 19 Oct 2026 21:05:00 +0000\nMessage-ID: <a@example.org>\n\n\
    The plates are worn.\n\nAll of them.\n\n";
const SECOND: &str = "From ben@example.org Mon Oct 19 21:07:00 2026\nFrom: ben@example.org\n\
    Subject: Re: Plates\nDate: Mon, 19 Oct 2026 21:07:00 +0000\nMessage-ID: <b@example.org>\n\
    References: <a@example.org>\n\nThen we order new ones.\n\nFrom here on we keep two sets.\n\n";
const THIRD: &str = "From cy@example.org Mon Oct 19 21:09:00 2026\nFrom: cy@example.org\n\
    Subject: Paper\nDate: Mon, 19 Oct 2026 21:09:00 +0000\nMessage-ID: <c@example.org>\n\n\
    The paper came.\n\n";

/// A file, and a library that remembers what is read of it.
struct Reader {
    folder: tempfile::TempDir,
    store: &'static str,
    marks: HashMap<String, Recalled>,
    units: BTreeMap<String, BTreeMap<Locator, String>>,
}

impl Reader {
    fn new(store: &'static str) -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            store,
            marks: HashMap::new(),
            units: BTreeMap::new(),
        }
    }

    /// Reads the file as it stands; gives how many units were sent.
    fn read(&mut self, text: &str) -> usize {
        let events = self.events(text);
        self.keep(&events);
        let sent = events
            .iter()
            .filter(|event| matches!(event, Event::Start(_)));
        sent.count()
    }

    /// What a reading of the file as it stands sends.
    fn events(&self, text: &str) -> Vec<Event> {
        let (path, place) = match self.store {
            "mbox" => (self.folder.path().join("Archive"), "Archive"),
            _ => (self.folder.path().join("a.eml"), ""),
        };
        // A file that did not change keeps its time.
        if std::fs::read(&path).ok().as_deref() != Some(text.as_bytes()) {
            std::fs::write(&path, text).unwrap();
        }
        let mut options = toml::Table::new();
        let place = self.folder.path().join(place);
        options.insert(self.store.to_owned(), place.to_str().unwrap().into());
        options.insert("settle_minutes".to_owned(), 0.into());
        options.insert("min_chars".to_owned(), 0.into());
        let reading = poll("email", &options, Memory::new(self.marks.clone()), None);
        assert_eq!(reading.failure, None);
        reading.events
    }

    /// Keeps what a library would that got these events and no more.
    fn keep(&mut self, events: &[Event]) {
        self.marks.extend(remember(events));
        let mut unit = None;
        for event in events {
            match event {
                Event::Start(start) => {
                    let id = start.id.to_string();
                    let mut blocks = self.units.get(&id).cloned().unwrap_or_default();
                    match start.extent {
                        Extent::Whole => blocks.clear(),
                        Extent::From(from) => blocks.retain(|at, _| *at < from),
                    }
                    unit = Some((id, blocks));
                }
                Event::Blocks(blocks) => {
                    let (_, stored) = unit.as_mut().unwrap();
                    for block in blocks {
                        let text = block.pieces.iter().map(|piece| piece.text.as_str());
                        stored.insert(block.locator, text.collect());
                    }
                }
                Event::End(_) => self.units.extend(unit.take()),
                Event::Marks(_) => {}
                Event::Abandoned => panic!("a unit was abandoned"),
            }
        }
    }
}

#[test]
fn a_mail_that_was_half_there_when_it_was_read_is_whole_after_the_next_reading() {
    let whole = format!("{FIRST}{SECOND}{THIRD}");
    let mut once = Reader::new("mbox");
    once.read(&whole);
    let texts = once.units.values().map(BTreeMap::len);
    assert_eq!(texts.sum::<usize>(), 3);
    for cut in 1..whole.len() {
        let mut reader = Reader::new("mbox");
        reader.read(whole.get(..cut).unwrap());
        reader.read(&whole);
        assert_eq!(reader.units, once.units, "cut at {cut}");
        assert_eq!(reader.read(&whole), 0, "cut at {cut}");
    }
}

#[test]
fn a_reading_that_was_cut_short_while_a_mail_was_written_leaves_nothing_torn() {
    // The two mails of one thread lie apart, so a thread is kept before the file is read to its end.
    let whole = format!("{THIRD}{FIRST}{SECOND}");
    let mut once = Reader::new("mbox");
    once.read(&whole);
    for cut in (THIRD.len() - 3)..whole.len() {
        let text = whole.get(..cut).unwrap();
        let events = Reader::new("mbox").events(text);
        for kept in 1..events.len() {
            let mut reader = Reader::new("mbox");
            let again = reader.events(text);
            reader.keep(again.get(..kept).unwrap());
            reader.read(&whole);
            assert_eq!(reader.units, once.units, "cut at {cut}, kept {kept}");
        }
    }
}

#[test]
fn a_mail_that_was_written_in_three_pieces_is_read_in_all_of_its_states() {
    let whole = format!("{FIRST}{SECOND}");
    let body = FIRST.len() + SECOND.find("Then").unwrap();
    let mut once = Reader::new("mbox");
    once.read(&whole);
    let mut reader = Reader::new("mbox");
    for end in [FIRST.len(), body + 4, body + 12, whole.len()] {
        assert_eq!(reader.read(whole.get(..end).unwrap()), 1, "{end}");
    }
    assert_eq!(reader.units, once.units);
}

#[test]
fn a_header_section_without_an_end_is_read_once_the_file_is_still() {
    let (head, _) = SECOND.split_once("\n\n").unwrap();
    let text = format!("{FIRST}{head}\n");
    let mut reader = Reader::new("mbox");
    assert_eq!(reader.read(&text), 1);
    assert_eq!(reader.units.values().next().unwrap().len(), 1);
    assert_eq!(reader.read(&text), 1);
    assert_eq!(reader.units.values().next().unwrap().len(), 2);
    assert_eq!(reader.read(&text), 0);
}

#[test]
fn a_file_of_one_mail_that_was_half_there_is_whole_after_the_next_reading() {
    let mail = FIRST.split_once('\n').unwrap().1;
    let body = mail.find("The plates").unwrap();
    let mut once = Reader::new("eml_dir");
    once.read(mail);
    for cut in body..mail.len() {
        let mut reader = Reader::new("eml_dir");
        reader.read(mail.get(..cut).unwrap());
        reader.read(mail);
        assert_eq!(reader.units, once.units, "cut at {cut}");
        assert_eq!(reader.read(mail), 0, "cut at {cut}");
    }
}
