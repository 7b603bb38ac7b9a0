//! One logged-in connection: the few commands that a reader needs, none of which changes anything.
//!
//! `EXAMINE` opens a folder for reading only and `BODY.PEEK` leaves the mark of unread mail alone.
//! ENVELOPE and BODYSTRUCTURE are not asked for: servers make them from damaged mail and get them
//! wrong, while the bytes themselves always come through.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use rustls::ClientConfig;

use super::account::{Account, Security};
use super::fetched::Fetched;
use super::stream::Stream;
use super::trouble::{Code, Trouble};
use super::wire::{Piece, Value, Wire, values};

/// Bytes of literals that are kept of answers in which no mail is expected.
const SMALL: usize = 1024 * 1024;

/// A connection.
pub(super) struct Session {
    wire: Wire,
    commands: u32,
    pub(super) capabilities: HashSet<String>,
    /// The folder that is open, by whatever number its caller gives it.
    pub(super) open: Option<usize>,
}

/// A folder as LIST tells it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Listed {
    /// Its name as the server writes it.
    pub(super) raw: Vec<u8>,
    /// What stands between the parts of its name.
    pub(super) separator: Option<u8>,
    /// What the server says of it (`\Sent`), in lower case.
    pub(super) attributes: Vec<String>,
}

/// A folder as EXAMINE tells it.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Examined {
    pub(super) exists: u64,
    /// 0 when the server gives none.
    pub(super) validity: u64,
    /// 0 when the server gives none.
    pub(super) next: u64,
    /// 0 when the server keeps no changes.
    pub(super) modseq: u64,
}

/// What goes to the server in one command. Texts of odd bytes wait for its leave.
pub(super) struct Command {
    ready: Vec<Vec<u8>>,
    last: Vec<u8>,
}

impl Command {
    pub(super) fn new(text: &str) -> Self {
        Self {
            ready: Vec::new(),
            last: text.as_bytes().to_vec(),
        }
    }

    /// Adds a text of any bytes.
    pub(super) fn text(mut self, text: &[u8]) -> Self {
        let is_plain = text.len() <= 1000 && text.iter().all(|byte| matches!(byte, 0x20..=0x7e));
        self.last.push(b' ');
        if !is_plain {
            let announced = format!("{{{}}}", text.len()).into_bytes();
            self.last.extend(announced);
            self.ready
                .push(std::mem::replace(&mut self.last, text.to_vec()));
            return self;
        }
        self.last.push(b'"');
        for byte in text {
            if matches!(byte, b'"' | b'\\') {
                self.last.push(b'\\');
            }
            self.last.push(*byte);
        }
        self.last.push(b'"');
        self
    }

    pub(super) fn word(mut self, word: &str) -> Self {
        self.last.push(b' ');
        self.last.extend_from_slice(word.as_bytes());
        self
    }
}

/// A line that the server sent to one command.
pub(super) enum Said {
    /// Data, as it came.
    Data(Vec<Piece>),
    /// `OK`, `NO` and the like that end nothing.
    Status(Code),
}

impl Session {
    /// Connects up to the point where one can log in.
    pub(super) fn connect(
        account: &Account,
        timeout: Duration,
        config: Option<&Arc<ClientConfig>>,
    ) -> Result<Self, Trouble> {
        let stream = Stream::connect(account, timeout, config)?;
        let mut session = Self {
            wire: Wire::new(stream),
            commands: 0,
            capabilities: HashSet::new(),
            open: None,
        };
        session.greeting()?;
        if account.security == Security::StartTls {
            session = session.start_tls(account, config)?;
        }
        if session.capabilities.is_empty() {
            session.ask_capabilities()?;
        }
        Ok(session)
    }

    fn greeting(&mut self) -> Result<(), Trouble> {
        let pieces = self.wire.response(&mut 0)?;
        let Some(Piece::Line(line)) = pieces.first() else {
            return Err(Trouble::Cut("it greets with no line".to_owned()));
        };
        match status(line) {
            Some((b'*', word, code)) if word == "OK" || word == "PREAUTH" => {
                self.learn(&code);
                Ok(())
            }
            Some((b'*', word, _)) if word == "BYE" => {
                Err(Trouble::Cut("it takes no more connections now".to_owned()))
            }
            _ => Err(Trouble::Cut(
                "it does not greet as IMAP servers do".to_owned(),
            )),
        }
    }

    fn start_tls(
        mut self,
        account: &Account,
        config: Option<&Arc<ClientConfig>>,
    ) -> Result<Self, Trouble> {
        if self.run(Command::new("STARTTLS"), SMALL, |_| {}).is_err() {
            return Err(Trouble::Fatal(super::refused(
                account,
                "does not offer STARTTLS; leave tls out to speak TLS from the start",
            )));
        }
        let stream = self.wire.into_stream()?.secured(account, config)?;
        Ok(Self {
            wire: Wire::new(stream),
            // What was said in clear may have been said by anyone.
            capabilities: HashSet::new(),
            ..self
        })
    }

    pub(super) fn ask_capabilities(&mut self) -> Result<(), Trouble> {
        let mut words = Vec::new();
        self.run(Command::new("CAPABILITY"), SMALL, |said| {
            if let Said::Data(pieces) = said {
                let values = values(pieces);
                if let Some((head, rest)) = values.split_first()
                    && head.bytes().eq_ignore_ascii_case(b"CAPABILITY")
                {
                    words.extend(rest.iter().map(upper));
                }
            }
        })?;
        self.capabilities = words.into_iter().collect();
        Ok(())
    }

    /// Takes the capabilities that an answer carries.
    pub(super) fn learn(&mut self, code: &Code) {
        if code.word == "CAPABILITY" {
            let words = code.rest.split(' ').map(str::to_ascii_uppercase);
            self.capabilities = words.filter(|word| !word.is_empty()).collect();
        }
    }

    pub(super) fn has(&self, capability: &str) -> bool {
        self.capabilities.contains(capability)
    }

    /// All folders.
    pub(super) fn list(&mut self) -> Result<Vec<Listed>, Trouble> {
        let mut command = Command::new("LIST").text(b"").text(b"*");
        // Other servers say what a folder is for without being asked, or do not know.
        if self.has("SPECIAL-USE") && self.has("LIST-EXTENDED") {
            command = command.word("RETURN (SPECIAL-USE)");
        }
        let mut folders = Vec::new();
        self.run(command, SMALL, |said| {
            if let Said::Data(pieces) = said {
                folders.extend(listed(&values(pieces)));
            }
        })?;
        Ok(folders)
    }

    /// Opens a folder for reading only.
    pub(super) fn examine(&mut self, at: usize, raw: &[u8]) -> Result<Examined, Trouble> {
        let mut command = Command::new("EXAMINE").text(raw);
        if self.has("CONDSTORE") {
            command = command.word("(CONDSTORE)");
        }
        self.open = None;
        let mut found = Examined::default();
        self.run(command, SMALL, |said| match said {
            Said::Status(code) => {
                let number = code.rest.trim().parse().unwrap_or(0);
                match code.word.as_str() {
                    "UIDVALIDITY" => found.validity = number,
                    "UIDNEXT" => found.next = number,
                    "HIGHESTMODSEQ" => found.modseq = number,
                    _ => {}
                }
            }
            Said::Data(pieces) => {
                if let [count, word, ..] = values(pieces).as_slice()
                    && word.bytes().eq_ignore_ascii_case(b"EXISTS")
                {
                    found.exists = count.number().unwrap_or(0);
                }
            }
        })?;
        self.open = Some(at);
        Ok(found)
    }

    /// UIDs in the open folder, in ascending order.
    pub(super) fn search(&mut self, criteria: &str) -> Result<Vec<u32>, Trouble> {
        let mut uids = Vec::new();
        let command = Command::new("UID SEARCH").word(criteria);
        self.run(command, SMALL, |said| {
            if let Said::Data(pieces) = said {
                uids.extend(searched(&pieces));
            }
        })?;
        uids.sort_unstable();
        uids.dedup();
        Ok(uids)
    }

    /// Asks for parts of mails in the open folder. Of mails no more than `budget` bytes are kept
    /// in all.
    pub(super) fn fetch(
        &mut self,
        set: &str,
        items: &str,
        budget: usize,
        mut each: impl FnMut(Fetched),
    ) -> Result<(), Trouble> {
        let command = Command::new("UID FETCH").word(set).word(items);
        self.run(command, budget, |said| {
            if let Said::Data(pieces) = said
                && let Some(fetched) = Fetched::read(values(pieces))
            {
                each(fetched);
            }
        })?;
        Ok(())
    }

    /// Says goodbye without waiting for an answer.
    pub(super) fn leave(mut self) {
        // It is over either way.
        drop(self.wire.send(b"bye LOGOUT\r\n"));
    }

    /// Runs a command and hands out what the server says until it is done.
    pub(super) fn run(
        &mut self,
        command: Command,
        budget: usize,
        mut said: impl FnMut(Said),
    ) -> Result<Code, Trouble> {
        let mut parts = command.ready.into_iter().chain([command.last]);
        let tag = self.tag();
        let mut next = format!("{tag} ").into_bytes();
        next.extend(parts.next().unwrap_or_default());
        next.extend(b"\r\n");
        self.wire.send(&next)?;
        let mut budget = budget;
        loop {
            match self.heard(&tag, &mut budget)? {
                Heard::Said(what) => said(what),
                Heard::Done(result) => return result,
                Heard::Go => {
                    let Some(mut part) = parts.next() else {
                        return Err(Trouble::Cut("it waits for more than there is".to_owned()));
                    };
                    part.extend(b"\r\n");
                    self.wire.send(&part)?;
                }
            }
        }
    }

    pub(super) fn tag(&mut self) -> String {
        self.commands += 1;
        format!("j{}", self.commands)
    }

    pub(super) fn say(&mut self, line: &str) -> Result<(), Trouble> {
        Ok(self.wire.send(format!("{line}\r\n").as_bytes())?)
    }

    /// Reads the next response to a command.
    pub(super) fn heard(&mut self, tag: &str, budget: &mut usize) -> Result<Heard, Trouble> {
        let mut pieces = self.wire.response(budget)?;
        let Some(Piece::Line(line)) = pieces.first_mut() else {
            return Err(Trouble::Cut("it sent something that is no IMAP".to_owned()));
        };
        if line.first() == Some(&b'+') {
            return Ok(Heard::Go);
        }
        match status(line) {
            Some((b'*', word, _)) if word == "BYE" => {
                Err(Trouble::Cut("it ended the connection".to_owned()))
            }
            Some((b'*', _, code)) => Ok(Heard::Said(Said::Status(code))),
            Some((_, word, code)) if line.starts_with(format!("{tag} ").as_bytes()) => {
                Ok(Heard::Done(match word.as_str() {
                    "OK" => Ok(code),
                    _ if code.passes() => Err(Trouble::Cut("it is too busy now".to_owned())),
                    _ => Err(Trouble::No),
                }))
            }
            _ => {
                let skipped = line.len().min(2);
                line.drain(..skipped);
                Ok(Heard::Said(Said::Data(pieces)))
            }
        }
    }
}

/// What a server answered.
pub(super) enum Heard {
    /// Something on the way.
    Said(Said),
    /// It waits for more.
    Go,
    /// The command is done.
    Done(Result<Code, Trouble>),
}

/// Takes a status response apart: the first byte of its tag, its word in upper case, its code.
fn status(line: &[u8]) -> Option<(u8, String, Code)> {
    let mut parts = line.splitn(3, |byte| *byte == b' ');
    let tag = *parts.next()?.first()?;
    let word = String::from_utf8_lossy(parts.next()?).to_ascii_uppercase();
    let is_status = ["OK", "NO", "BAD", "BYE", "PREAUTH"].contains(&word.as_str());
    is_status.then(|| (tag, word, Code::read(parts.next().unwrap_or_default())))
}

fn upper(value: &Value) -> String {
    String::from_utf8_lossy(value.bytes()).to_ascii_uppercase()
}

/// Reads `LIST (\Sent) "/" "Sent Items"`.
fn listed(values: &[Value]) -> Option<Listed> {
    let [word, attributes, separator, name, ..] = values else {
        return None;
    };
    if !word.bytes().eq_ignore_ascii_case(b"LIST") {
        return None;
    }
    let attributes = attributes.list().iter();
    Some(Listed {
        raw: name.bytes().to_vec(),
        separator: match separator {
            Value::Text(text) => text.bytes.first().copied(),
            Value::Atom(_) | Value::List(_) => None,
        },
        attributes: attributes
            .map(|value| String::from_utf8_lossy(value.bytes()).to_ascii_lowercase())
            .collect(),
    })
}

/// Reads the numbers of `SEARCH 1 2 3`, which may be a million, so without taking it apart first.
fn searched(pieces: &[Piece]) -> Vec<u32> {
    let [Piece::Line(line)] = pieces else {
        return Vec::new();
    };
    let mut words = line.split(|byte| *byte == b' ');
    match words.next() {
        Some(word) if word.eq_ignore_ascii_case(b"SEARCH") => {}
        _ => return Vec::new(),
    }
    // What follows in parentheses (`(MODSEQ 5)`) is no UID.
    let numbers = words.take_while(|word| !word.starts_with(b"("));
    let numbers = numbers.filter_map(|word| std::str::from_utf8(word).ok()?.parse().ok());
    numbers.filter(|uid| *uid > 0).collect()
}
