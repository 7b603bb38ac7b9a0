//! What is asked of a server, and what is made of its answers.

use std::collections::HashMap;
use std::time::Duration;

use super::super::known::Known;
use super::super::mailbox::{Listing, Mailbox, OpenError, Part, Place, Role};
use super::super::options::{Options, Store};
use super::fake::{Fake, Mail, folder};
use super::{Imap, Patience};
use crate::connector::Surroundings;
use crate::error::ConnectorError;
use crate::fixtures::{Reading, poll, remember};
use crate::marks::{Memory, Recalled};
use crate::report::Report;
use crate::unit::Event;

/// A mail that somebody wrote.
pub(super) fn mail(id: &str, answers: &str, text: &str) -> String {
    let (re, references) = match answers {
        "" => ("", String::new()),
        answers => ("Re: ", format!("In-Reply-To: <{answers}@example.org>\n")),
    };
    // `a` was written first.
    let minute = id.bytes().next().unwrap() % 60;
    format!(
        "From: Ben <ben@example.org>\nTo: Ana <ana@example.org>\nSubject: {re}Till\n\
         Date: Mon, 19 Oct 2026 21:{minute:02}:00 +0000\nMessage-ID: <{id}@example.org>\n\
         {references}\n{text}\n"
    )
}

pub(super) fn table(port: u16, more: &str) -> toml::Table {
    let text = format!(
        "imap = '127.0.0.1:{port}'\ntls = 'none'\nuser = 'ana@example.org'\n\
         settle_minutes = 0\nmin_chars = 0\n{more}\n"
    );
    let mut table: toml::Table = text.parse().unwrap();
    if !table
        .keys()
        .any(|key| key.starts_with("token") || key.starts_with("password"))
    {
        let argv = ["/bin/echo", "secret"].map(toml::Value::from).to_vec();
        table.insert("password_command".to_owned(), argv.into());
    }
    table
}

/// A store on a server that is tried without pauses.
pub(super) fn store(fake: &Fake, more: &str) -> Imap {
    let (options, store) = Options::read(&table(fake.port, more)).unwrap();
    let Store::Imap(account) = store else {
        panic!("no server");
    };
    let patience = Patience {
        timeout: Duration::from_secs(20),
        tries: 3,
        first_wait: Duration::ZERO,
    };
    Imap::new(account.placed(&Surroundings::default()), options).with(patience, None)
}

pub(super) fn nothing_known() -> Known {
    Known::new(Memory::default().into(), 0, false)
}

pub(super) fn list(imap: &mut Imap) -> (Listing, Report) {
    let mut report = Report::default();
    let listing = imap.list(&nothing_known(), &mut report).unwrap();
    (listing, report)
}

pub(super) fn read(imap: &mut Imap, place: Place, part: Part) -> Result<String, OpenError> {
    let mut text = String::new();
    let mut opened = imap.open(place, part)?;
    std::io::Read::read_to_string(&mut opened.bytes, &mut text)
        .map_err(|error| OpenError::Unreadable(error.kind().to_string()))?;
    Ok(text)
}

pub(super) fn places(listing: &Listing) -> Vec<Place> {
    listing.fresh.iter().map(|fresh| fresh.place).collect()
}

/// Reads a server from one run to the next.
struct Runs {
    fake: Fake,
    marks: HashMap<String, Recalled>,
}

impl Runs {
    fn run(&mut self) -> Reading {
        let memory = Memory::new(self.marks.clone());
        let reading = poll("email", &table(self.fake.port, ""), memory, None);
        assert_eq!(reading.failure, None);
        self.marks.extend(remember(&reading.events));
        reading
    }
}

/// The texts that a reading sent.
fn texts(reading: &Reading) -> Vec<String> {
    let mut texts = Vec::new();
    for event in &reading.events {
        if let Event::Blocks(blocks) = event {
            texts.extend(blocks.iter().map(|block| block.pieces[0].text.clone()));
        }
    }
    texts
}

fn runs() -> Runs {
    let inbox = [
        mail("a", "", "Shall we replace the till?"),
        mail("c", "b", "Good, I order it."),
    ];
    let sent = mail("b", "a", "Yes, with the small one.");
    let folders = vec![
        folder("INBOX", "", &[&inbox[0], &inbox[1]]),
        folder("Sent", "\\Sent", &[&sent]),
        folder("Junk", "\\Junk", &[&inbox[0]]),
    ];
    Runs {
        fake: Fake::start("CONDSTORE SPECIAL-USE LIST-EXTENDED", folders),
        marks: HashMap::new(),
    }
}

#[test]
fn only_these_commands_are_sent_and_none_changes_anything() {
    let mut runs = runs();
    let reading = runs.run();
    assert_eq!(
        texts(&reading),
        [
            "[2026-10-19 21:37] Ben <ben@example.org>: Shall we replace the till?",
            "[2026-10-19 21:38] Ben <ben@example.org>: Yes, with the small one.",
            "[2026-10-19 21:39] Ben <ben@example.org>: Good, I order it.",
        ]
    );
    let head = "(UID INTERNALDATE RFC822.SIZE BODY.PEEK[HEADER]<0.131072>)";
    let whole = "(UID INTERNALDATE RFC822.SIZE BODY.PEEK[]<0.262144>)";
    let commands = runs.fake.commands();
    assert_eq!(
        commands[..9],
        [
            "CAPABILITY",
            "LOGIN \"ana@example.org\" \"secret\"",
            "CAPABILITY",
            "LIST \"\" \"*\" RETURN (SPECIAL-USE)",
            "EXAMINE \"INBOX\" (CONDSTORE)",
            "UID SEARCH UNDELETED UNDRAFT",
            "EXAMINE \"Sent\" (CONDSTORE)",
            "UID SEARCH UNDELETED UNDRAFT",
            "EXAMINE \"INBOX\" (CONDSTORE)",
        ]
    );
    for command in &commands[9..] {
        let is_known = command.starts_with("EXAMINE \"")
            || command == "LOGOUT"
            || (command.starts_with("UID FETCH ")
                && (command.ends_with(head) || command.ends_with(whole)));
        assert!(is_known, "{command}");
    }
}

#[test]
fn a_run_with_nothing_new_examines_folders_and_no_more() {
    let mut runs = runs();
    runs.run();
    runs.fake.commands();
    let reading = runs.run();
    assert_eq!(texts(&reading), Vec::<String>::new());
    assert_eq!(reading.report.unchanged, 1);
    let mut commands = runs.fake.commands();
    // The goodbye of a run may be heard in the next one.
    commands.retain(|command| command != "LOGOUT");
    let commands = commands.split_off(4);
    assert_eq!(
        commands,
        [
            "EXAMINE \"INBOX\" (CONDSTORE)",
            "EXAMINE \"Sent\" (CONDSTORE)"
        ]
    );
}

#[test]
fn new_mail_is_found_by_what_changed() {
    let mut runs = runs();
    runs.run();
    {
        let mut state = runs.fake.state();
        let inbox = &mut state.folders[0];
        let raw = mail("d", "c", "It has come.")
            .replace('\n', "\r\n")
            .into_bytes();
        inbox.mails.push(Mail {
            uid: 3,
            raw,
            modseq: 3,
            ..Mail::default()
        });
        (inbox.next, inbox.modseq) = (4, 3);
    }
    runs.fake.commands();
    let reading = runs.run();
    let texts = texts(&reading);
    assert_eq!(
        texts.last().unwrap(),
        "[2026-10-19 21:40] Ben <ben@example.org>: It has come."
    );
    let commands = runs.fake.commands();
    assert!(commands.contains(&"UID SEARCH MODSEQ 3 UNDELETED UNDRAFT".to_owned()));
}

#[test]
fn mail_that_is_deleted_or_flagged_or_moved_stays_in_the_library_once() {
    let mut runs = runs();
    runs.run();
    {
        let mut state = runs.fake.state();
        // The first is moved to another folder, the second deleted, the third flagged.
        let moved = state.folders[0].mails.remove(0);
        state.folders[0].mails.clear();
        state.folders[0].modseq = 9;
        state.folders[1].mails[0].modseq = 10;
        state.folders[1].modseq = 10;
        let mut archive = folder("Archive", "\\Archive", &[]);
        archive.mails.push(Mail { uid: 50, ..moved });
        archive.next = 51;
        state.folders.push(archive);
    }
    let reading = runs.run();
    assert_eq!(texts(&reading), Vec::<String>::new());
    assert_eq!(reading.report.passed_over, 0);
    let again = runs.run();
    assert_eq!(texts(&again), Vec::<String>::new());
}

#[test]
fn new_numbers_in_a_folder_store_nothing_twice() {
    let mut runs = runs();
    runs.run();
    {
        let mut state = runs.fake.state();
        let inbox = &mut state.folders[0];
        inbox.validity = 8;
        for mail in &mut inbox.mails {
            mail.uid += 40;
        }
        inbox.next = 43;
    }
    let reading = runs.run();
    assert_eq!(texts(&reading), Vec::<String>::new());
    runs.fake.commands();
    let reading = runs.run();
    assert_eq!(reading.report.unchanged, 1);
    assert!(
        !runs
            .fake
            .commands()
            .iter()
            .any(|command| command.starts_with("UID"))
    );
}

#[test]
fn on_gmail_all_mail_is_read_with_threads_and_labels() {
    let text = mail("a", "", "hello");
    let mut all = folder("[Gmail]/All Mail", "\\All", &[&text, &text, &text, &text]);
    let told: [(u64, &'static str); 4] = [
        (1_266_894_439_832_287_888, "\"\\\\Inbox\" Work"),
        (2, "\"\\\\Sent\""),
        (3, "\"\\\\Draft\""),
        (4, "Entw&APw-rfe2 Private"),
    ];
    for (mail, (thread, labels)) in all.mails.iter_mut().zip(told) {
        (mail.thread, mail.labels) = (thread, labels);
    }
    let folders = vec![
        folder("INBOX", "", &[&text]),
        all,
        folder("Work", "", &[&text]),
    ];
    let fake = Fake::start("X-GM-EXT-1 CONDSTORE", folders);
    let found = |more: &str| {
        let (listing, _) = list(&mut store(&fake, more));
        let fresh = listing.fresh.iter();
        fresh
            .map(|fresh| (fresh.place.number, fresh.role, fresh.server_thread.unwrap()))
            .collect::<Vec<_>>()
    };
    let first = (1, Role::Ordinary, 1_266_894_439_832_287_888);
    assert_eq!(
        found(""),
        [first, (2, Role::Sent, 2), (4, Role::Ordinary, 4)]
    );
    assert_eq!(found("folders = ['Work']"), [first]);
    assert_eq!(found("exclude_folders = ['Private', 'Sent']"), [first]);
    let commands = fake.commands();
    assert!(commands.contains(&"UID FETCH 1:4 (UID X-GM-THRID X-GM-LABELS)".to_owned()));
    assert!(!commands.iter().any(|command| command.contains("INBOX")));
}

#[test]
fn tokens_and_passwords_are_sent_as_the_server_takes_them() {
    for (capabilities, more, expected) in [
        (
            "AUTH=XOAUTH2 SASL-IR",
            "token_command = ['/bin/echo', 'secret']",
            vec!["AUTHENTICATE XOAUTH2 dXNlcj1hbmFAZXhhbXBsZS5vcmcBYXV0aD1CZWFyZXIgc2VjcmV0AQE="],
        ),
        (
            "AUTH=XOAUTH2",
            "token_command = ['/bin/echo', 'secret']",
            vec![
                "AUTHENTICATE XOAUTH2",
                "dXNlcj1hbmFAZXhhbXBsZS5vcmcBYXV0aD1CZWFyZXIgc2VjcmV0AQE=",
            ],
        ),
        (
            "LOGINDISABLED AUTH=PLAIN SASL-IR",
            "",
            vec!["AUTHENTICATE PLAIN AGFuYUBleGFtcGxlLm9yZwBzZWNyZXQ="],
        ),
    ] {
        let fake = Fake::start(capabilities, vec![folder("INBOX", "", &[])]);
        list(&mut store(&fake, more));
        let commands = fake.commands();
        assert_eq!(commands[1..=expected.len()], expected, "{capabilities}");
    }
}

#[test]
fn a_refused_login_says_what_to_do_and_no_secret() {
    for (capabilities, more, answer, expected) in [
        (
            "",
            "password_command = ['/bin/echo', 'marker']",
            None,
            "user or password was not accepted; many servers want an app password here",
        ),
        (
            "AUTH=XOAUTH2 SASL-IR",
            "token_command = ['/bin/echo', 'marker']",
            Some("<>"),
            "the token was not accepted; is it fresh, for this user, and allowed to read mail?",
        ),
        (
            "AUTH=OAUTHBEARER",
            "token_command = ['/bin/echo', 'marker']",
            Some("<AQ==>"),
            "the token was not accepted; is it fresh, for this user, and allowed to read mail?",
        ),
        (
            "",
            "token_command = ['/bin/echo', 'marker']",
            None,
            "takes no OAuth tokens; use password_env or password_command",
        ),
        (
            "LOGINDISABLED",
            "",
            None,
            "takes no passwords here; use token_command, or TLS",
        ),
        (
            "",
            "password_command = ['/bin/false']",
            None,
            "no login: password_command ended with exit code 1; run it by hand to see why",
        ),
    ] {
        let fake = Fake::start(capabilities, vec![folder("INBOX", "", &[])]);
        let mut report = Report::default();
        let error = store(&fake, more)
            .list(&nothing_known(), &mut report)
            .unwrap_err();
        assert!(matches!(error, ConnectorError::Refused { .. }));
        let place = format!("127.0.0.1:{}", fake.port);
        assert_eq!(error.to_string(), format!("{place}: {expected}"));
        if let Some(answer) = answer {
            assert!(fake.commands().contains(&answer.to_owned()));
        }
        // No other try would do.
        assert!(fake.state().connections <= 1);
    }
}

#[test]
fn older_mail_than_wanted_is_not_even_listed() {
    let fake = Fake::start("", vec![folder("INBOX", "", &[&mail("a", "", "hello")])]);
    let (listing, _) = list(&mut store(&fake, "since = '2026-03-01'"));
    assert_eq!(listing.fresh.len(), 1);
    let expected = "UID SEARCH UNDELETED UNDRAFT SINCE 27-Feb-2026".to_owned();
    assert!(fake.commands().contains(&expected));
}
