//! A small IMAP server for tests: it knows what a reader may ask, notes every command, and misbehaves
//! when told to.

use std::collections::{HashMap, VecDeque};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;

/// A mail on the server.
#[derive(Debug, Clone, Default)]
pub(super) struct Mail {
    pub(super) uid: u32,
    pub(super) raw: Vec<u8>,
    pub(super) deleted: bool,
    pub(super) modseq: u64,
    pub(super) thread: u64,
    pub(super) labels: &'static str,
    /// What is sent in place of the data of a FETCH.
    pub(super) odd: Option<String>,
}

/// A folder on the server.
#[derive(Debug, Clone, Default)]
pub(super) struct Folder {
    pub(super) name: &'static str,
    pub(super) attributes: &'static str,
    pub(super) validity: u64,
    pub(super) next: u32,
    pub(super) modseq: u64,
    pub(super) mails: Vec<Mail>,
}

/// What the server does wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fault {
    /// Ends the connection after so many bytes of the answer to the next FETCH.
    CutFetch(usize),
    /// Ends the connection whenever this mail is asked for.
    CutAt(u32),
    /// Greets with BYE.
    Busy,
    /// Says NO to the next login for a while.
    Unavailable,
    /// Says NO when this folder is opened.
    Closed(&'static str),
}

/// All that a server holds.
#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) capabilities: &'static str,
    pub(super) folders: Vec<Folder>,
    pub(super) faults: VecDeque<Fault>,
    /// Commands without their tags.
    pub(super) commands: Vec<String>,
    /// Whether it knows no parts of mails.
    pub(super) no_parts: bool,
    pub(super) connections: usize,
}

impl State {
    fn fault(&mut self, wanted: impl Fn(&Fault) -> bool) -> Option<Fault> {
        let at = self.faults.iter().position(wanted)?;
        self.faults.remove(at)
    }
}

/// A server on this computer.
#[derive(Clone)]
pub(super) struct Fake {
    pub(super) port: u16,
    state: Arc<Mutex<State>>,
}

impl Fake {
    pub(super) fn start(capabilities: &'static str, folders: Vec<Folder>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let state = Arc::new(Mutex::new(State {
            capabilities,
            folders,
            ..State::default()
        }));
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let state = Arc::clone(&shared);
                thread::spawn(move || Talk::run(stream.unwrap(), &state));
            }
        });
        Self { port, state }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// Takes the commands that were noted.
    pub(super) fn commands(&self) -> Vec<String> {
        std::mem::take(&mut self.state().commands)
    }
}

/// Makes a folder whose mails are numbered from 1.
pub(super) fn folder(name: &'static str, attributes: &'static str, mails: &[&str]) -> Folder {
    let mails = (1..).zip(mails).map(|(uid, raw)| Mail {
        uid,
        raw: raw.replace('\n', "\r\n").into_bytes(),
        modseq: u64::from(uid),
        ..Mail::default()
    });
    let mails: Vec<Mail> = mails.collect();
    Folder {
        name,
        attributes,
        validity: 7,
        next: u32::try_from(mails.len()).unwrap() + 1,
        modseq: u64::try_from(mails.len()).unwrap(),
        mails,
    }
}

/// One connection.
struct Talk<'a> {
    reader: BufReader<TcpStream>,
    state: &'a Mutex<State>,
    open: Option<&'static str>,
    /// Bytes that may still be written; `None` for any number.
    left: Option<usize>,
}

impl Talk<'_> {
    fn run(stream: TcpStream, state: &Mutex<State>) {
        let mut talk = Talk {
            reader: BufReader::new(stream),
            state,
            open: None,
            left: None,
        };
        talk.reader.get_ref().set_nodelay(true).unwrap();
        // Ends with the connection, whoever ends that.
        talk.talk();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    fn write(&mut self, bytes: &[u8]) -> Option<()> {
        let length = self.left.map_or(bytes.len(), |left| left.min(bytes.len()));
        self.reader.get_mut().write_all(&bytes[..length]).ok()?;
        self.left = self.left.map(|left| left - length);
        (length == bytes.len()).then_some(())
    }

    fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        self.reader.read_line(&mut line).ok().filter(|n| *n > 0)?;
        while let Some(length) = literal(&line) {
            self.write(b"+ go on\r\n")?;
            let mut bytes = vec![0; length];
            self.reader.read_exact(&mut bytes).ok()?;
            line = format!("{}{}", line.trim_end(), String::from_utf8_lossy(&bytes));
            self.reader.read_line(&mut line).ok()?;
        }
        Some(line.trim_end_matches(['\r', '\n']).to_owned())
    }

    fn talk(&mut self) -> Option<()> {
        self.state().connections += 1;
        if self.state().fault(|fault| *fault == Fault::Busy).is_some() {
            return self.write(b"* BYE too many connections\r\n");
        }
        self.write(b"* OK ready\r\n")?;
        loop {
            let line = self.line()?;
            let (tag, command) = line.split_once(' ')?;
            let (tag, command) = (tag.to_owned(), command.to_owned());
            self.state().commands.push(command.clone());
            let end = self.answer(&command)?;
            self.write(format!("{tag} {end}\r\n").as_bytes())?;
        }
    }

    fn answer(&mut self, command: &str) -> Option<String> {
        let ok = || Some("OK done".to_owned());
        let mut words = command.split(' ');
        match words.next()? {
            "CAPABILITY" => {
                let capabilities = self.state().capabilities;
                self.write(format!("* CAPABILITY IMAP4rev1 {capabilities}\r\n").as_bytes())?;
                ok()
            }
            "LOGIN" => {
                let wanted = |fault: &Fault| *fault == Fault::Unavailable;
                if self.state().fault(wanted).is_some() {
                    return Some("NO [UNAVAILABLE] later".to_owned());
                }
                match command.contains("secret") {
                    true => ok(),
                    false => Some("NO [AUTHENTICATIONFAILED] no marker".to_owned()),
                }
            }
            "AUTHENTICATE" => self.authenticate(words.next()?, words.next()),
            "LIST" => {
                let folders = self.state().folders.clone();
                for folder in folders {
                    let Folder {
                        attributes, name, ..
                    } = folder;
                    self.write(format!("* LIST ({attributes}) \"/\" \"{name}\"\r\n").as_bytes())?;
                }
                ok()
            }
            "EXAMINE" => self.examine(command),
            "UID" if words.next() == Some("SEARCH") => self.search(command),
            "UID" => {
                let cut = self
                    .state()
                    .fault(|fault| matches!(fault, Fault::CutFetch(_)));
                if let Some(Fault::CutFetch(after)) = cut {
                    self.left = Some(after);
                }
                self.fetch(command)?;
                ok()
            }
            _ => Some("BAD this would change something".to_owned()),
        }
    }

    /// Knows one password or token, `secret`, for XOAUTH2, OAUTHBEARER and PLAIN.
    fn authenticate(&mut self, mechanism: &str, initial: Option<&str>) -> Option<String> {
        let initial = match initial {
            Some(initial) => initial.to_owned(),
            None => {
                self.write(b"+ \r\n")?;
                let line = self.line()?;
                self.state().commands.push(line.clone());
                line
            }
        };
        let told = String::from_utf8(BASE64.decode(initial).ok()?).ok()?;
        if told.contains("secret") {
            return Some("OK done".to_owned());
        }
        if mechanism != "PLAIN" {
            self.write(b"+ eyJzdGF0dXMiOiI0MDAifQ==\r\n")?;
            let line = self.line()?;
            self.state().commands.push(format!("<{line}>"));
        }
        Some("NO [AUTHENTICATIONFAILED] no marker".to_owned())
    }

    fn examine(&mut self, command: &str) -> Option<String> {
        let name = command.split('"').nth(1)?;
        let closed = |fault: &Fault| matches!(fault, Fault::Closed(closed) if *closed == name);
        if self.state().faults.iter().any(closed) {
            return Some("NO [NOPERM] no".to_owned());
        }
        let found = self
            .state()
            .folders
            .iter()
            .find(|f| f.name == name)
            .cloned();
        let Some(folder) = found else {
            return Some("NO no such folder".to_owned());
        };
        self.open = Some(folder.name);
        let mut told = format!(
            "* FLAGS (\\Seen)\r\n* {} EXISTS\r\n* OK [UIDNEXT {}] next\r\n",
            folder.mails.len(),
            folder.next
        );
        if folder.validity > 0 {
            told += &format!("* OK [UIDVALIDITY {}] valid {{3}}\r\n", folder.validity);
        }
        if command.ends_with("(CONDSTORE)") {
            told += &format!("* OK [HIGHESTMODSEQ {}] highest\r\n", folder.modseq);
        }
        self.write(told.as_bytes())?;
        Some("OK [READ-ONLY] open".to_owned())
    }

    fn here(&self) -> Option<Folder> {
        let open = self.open?;
        let state = self.state();
        state
            .folders
            .iter()
            .find(|folder| folder.name == open)
            .cloned()
    }

    fn search(&mut self, command: &str) -> Option<String> {
        let folder = self.here()?;
        let mut words = command.split(' ');
        let since = words
            .find(|word| *word == "MODSEQ")
            .and_then(|_| words.next());
        let since: u64 = since.map_or(0, |since| since.parse().unwrap());
        let uids = folder
            .mails
            .iter()
            .filter(|mail| !mail.deleted && mail.modseq >= since)
            .map(|mail| mail.uid.to_string());
        let uids: Vec<String> = uids.collect();
        self.write(format!("* SEARCH {}\r\n", uids.join(" ")).as_bytes())?;
        Some("OK done".to_owned())
    }

    fn fetch(&mut self, command: &str) -> Option<()> {
        let mails: HashMap<u32, Mail> = self
            .here()?
            .mails
            .into_iter()
            .map(|mail| (mail.uid, mail))
            .collect();
        let set = command.split(' ').nth(2)?;
        for range in set.split(',') {
            let (first, last) = range.split_once(':').unwrap_or((range, range));
            for uid in first.parse::<u32>().ok()?..=last.parse().ok()? {
                if self.state().faults.contains(&Fault::CutAt(uid)) {
                    return None;
                }
                if let Some(mail) = mails.get(&uid) {
                    let data = self.data(command, mail);
                    self.write(&data)?;
                }
            }
        }
        Some(())
    }

    fn data(&self, command: &str, mail: &Mail) -> Vec<u8> {
        let Mail {
            uid,
            thread,
            labels,
            ..
        } = mail;
        if let Some(odd) = &mail.odd {
            return format!("{odd}\r\n").into_bytes();
        }
        let mut told = format!("* 1 FETCH (UID {uid}");
        if command.contains("X-GM-THRID") {
            told += &format!(" X-GM-THRID {thread} X-GM-LABELS ({labels}))\r\n");
            return told.into_bytes();
        }
        told += " INTERNALDATE \"17-Oct-2026 02:44:25 -0700\"";
        told += &format!(" RFC822.SIZE {}", mail.raw.len());
        let mut bytes = mail.raw.as_slice();
        let is_head = command.contains("[HEADER]");
        if is_head {
            let end = bytes.windows(4).position(|four| four == b"\r\n\r\n");
            bytes = &bytes[..end.map_or(bytes.len(), |end| end + 4)];
        }
        let section = if is_head { "HEADER" } else { "" };
        let part = command
            .split('<')
            .nth(1)
            .and_then(|rest| rest.split('>').next());
        let no_parts = self.state().no_parts;
        let mut origin = String::new();
        if let Some((offset, length)) = part.filter(|_| !no_parts).and_then(|p| p.split_once('.')) {
            let (offset, length): (usize, usize) =
                (offset.parse().unwrap(), length.parse().unwrap());
            bytes = &bytes[offset.min(bytes.len())..(offset + length).min(bytes.len())];
            origin = format!("<{offset}>");
        }
        told += &format!(" BODY[{section}]{origin} {{{}}}\r\n", bytes.len());
        let mut told = told.into_bytes();
        told.extend(bytes);
        told.extend(b")\r\n");
        told
    }
}

/// The length of a literal that a client announces at the end of a line.
fn literal(line: &str) -> Option<usize> {
    let inside = line.trim_end().strip_suffix('}')?;
    inside.rsplit_once('{')?.1.parse().ok()
}
