//! Servers that break off, lie, or send what is no IMAP.

use super::super::mailbox::{Mailbox, OpenError, Part, Place};
use super::fake::{Fake, Fault, folder};
use super::tests::{list, mail, nothing_known, places, read, store};
use crate::error::ConnectorError;
use crate::report::Report;

fn reason(error: OpenError) -> String {
    match error {
        OpenError::Gone => "gone".to_owned(),
        OpenError::Unreadable(reason) => reason,
        OpenError::Lost(error) => format!("lost: {error}"),
    }
}

/// A server with one folder, and places in it.
fn filled(mails: usize) -> (Fake, super::Imap, Vec<Place>) {
    let mails: Vec<String> = (0..mails)
        .map(|n| mail(&n.to_string(), "", "hello"))
        .collect();
    let mails: Vec<&str> = mails.iter().map(String::as_str).collect();
    let fake = Fake::start("", vec![folder("INBOX", "", &mails)]);
    let mut imap = store(&fake, "");
    let (listing, _) = list(&mut imap);
    let places = places(&listing);
    (fake, imap, places)
}

#[test]
fn a_connection_cut_in_the_middle_goes_on_where_it_was() {
    for after in [0, 1, 100, 300, 700, 1000] {
        let (fake, mut imap, places) = filled(5);
        fake.commands();
        fake.state().faults.push_back(Fault::CutFetch(after));
        imap.announce(Part::Head, &places);
        for place in &places {
            let text = read(&mut imap, *place, Part::Head).unwrap();
            let id = format!("Message-ID: <{}@example.org>", place.number - 1);
            assert!(text.contains(&id), "{after}");
        }
        let commands = fake.commands();
        let fetches = commands.iter().filter(|c| c.starts_with("UID FETCH"));
        assert_eq!(fetches.count(), 2, "{after}");
        assert_eq!(fake.state().connections, 2);
    }
}

#[test]
fn what_came_before_the_cut_is_not_asked_for_again() {
    let (fake, mut imap, places) = filled(5);
    // The third answer is cut.
    fake.state().faults.push_back(Fault::CutFetch(700));
    fake.commands();
    imap.announce(Part::Head, &places);
    read(&mut imap, places[0], Part::Head).unwrap();
    read(&mut imap, places[1], Part::Head).unwrap();
    read(&mut imap, places[2], Part::Head).unwrap();
    let sets: Vec<String> = fake
        .commands()
        .iter()
        .filter_map(|command| {
            Some(
                command
                    .strip_prefix("UID FETCH ")?
                    .split(' ')
                    .next()?
                    .to_owned(),
            )
        })
        .collect();
    assert_eq!(sets, ["1:5", "3:5"]);
}

#[test]
fn a_mail_that_always_breaks_the_connection_is_named_and_costs_no_other() {
    let (fake, mut imap, places) = filled(4);
    fake.state().faults.push_back(Fault::CutAt(2));
    imap.announce(Part::Whole, &places);
    let found: Vec<bool> = places
        .iter()
        .map(|place| read(&mut imap, *place, Part::Whole).is_ok())
        .collect();
    assert_eq!(found, [true, false, true, true]);
    let told = reason(read(&mut imap, places[1], Part::Whole).unwrap_err());
    assert_eq!(told, "the connection breaks off whenever it is asked for");
    assert_eq!(imap.told(places[1]), "INBOX, UID 2");
}

#[test]
fn a_server_that_breaks_at_every_mail_is_given_up() {
    let (fake, mut imap, places) = filled(9);
    fake.state().faults.extend((1..=9).map(Fault::CutAt));
    let mut told = Vec::new();
    for place in &places[..5] {
        told.push(reason(read(&mut imap, *place, Part::Whole).unwrap_err()));
    }
    let address = format!("127.0.0.1:{}", fake.port);
    assert_eq!(
        told[3],
        "the connection breaks off whenever it is asked for"
    );
    assert_eq!(
        told[4],
        format!("lost: {address} cannot be reached: it ended the connection")
    );
}

#[test]
fn servers_that_are_busy_for_a_while_are_waited_for() {
    let fake = Fake::start("", vec![folder("INBOX", "", &[])]);
    fake.state()
        .faults
        .extend([Fault::Busy, Fault::Unavailable]);
    let (listing, _) = list(&mut store(&fake, ""));
    assert!(listing.complete);
    assert_eq!(fake.state().connections, 3);
    fake.state().faults.extend(vec![Fault::Busy; 3]);
    let mut report = Report::default();
    let error = store(&fake, "")
        .list(&nothing_known(), &mut report)
        .unwrap_err();
    assert!(matches!(error, ConnectorError::Unreachable { .. }));
    let address = format!("127.0.0.1:{}", fake.port);
    assert_eq!(
        error.to_string(),
        format!("{address} cannot be reached: it takes no more connections now")
    );
}

#[test]
fn a_folder_that_cannot_be_opened_is_named_and_the_others_are_read() {
    let text = mail("a", "", "hello");
    let mut lost = folder("Lost", "", &[&text]);
    lost.validity = 0;
    let folders = vec![
        folder("Closed", "", &[&text]),
        lost,
        folder("Open", "", &[&text]),
    ];
    let fake = Fake::start("", folders);
    fake.state().faults.push_back(Fault::Closed("Closed"));
    let (listing, report) = list(&mut store(&fake, ""));
    assert!(!listing.complete);
    assert_eq!(listing.fresh.len(), 1);
    let told: Vec<String> = report.problems.iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "Closed: the server does not let this folder be read",
            "Lost: the server gives its mails no lasting numbers (UIDVALIDITY)",
        ]
    );
}

#[test]
fn odd_answers_cost_the_mail_they_are_about_and_no_other() {
    let (fake, mut imap, places) = filled(6);
    for (at, odd) in [
        (0, "* 1 FETCH (UID 1 BODY[] NIL)"),
        (1, "* 1 FETCH (FLAGS (\\Seen))"),
        (2, "* 1 FETCH UID 3"),
        (3, "* 1 FETCH (UID 4 ENVELOPE ((( \"x BODY[] {2}\r\nab"),
        (4, "* nonsense (((\"\r\n*\r\n* 1\r\n* BAD odd"),
    ] {
        fake.state().folders[0].mails[at].odd = Some(odd.to_owned());
    }
    imap.announce(Part::Whole, &places);
    let told: Vec<String> = places
        .iter()
        .map(|place| match read(&mut imap, *place, Part::Whole) {
            Ok(text) => text.len().to_string(),
            Err(error) => reason(error),
        })
        .collect();
    let whole = mail("5", "", "hello")
        .replace('\n', "\r\n")
        .len()
        .to_string();
    let nothing = "the server gives nothing for it";
    assert_eq!(told, [nothing, "gone", "gone", nothing, "gone", &whole]);
}

#[test]
fn a_literal_shorter_than_announced_costs_one_mail() {
    let (fake, mut imap, places) = filled(3);
    let odd = "* 1 FETCH (UID 2 BODY[]<0> {4000}\r\nshort)".to_owned();
    fake.state().folders[0].mails[1].odd = Some(odd);
    let mut patience = imap.patience;
    patience.timeout = std::time::Duration::from_millis(200);
    imap.patience = patience;
    imap.session = None;
    imap.announce(Part::Whole, &places);
    let found: Vec<bool> = places
        .iter()
        .map(|place| read(&mut imap, *place, Part::Whole).is_ok())
        .collect();
    assert_eq!(found, [true, false, true]);
}

#[test]
fn a_long_mail_comes_in_parts_and_what_nobody_reads_is_not_sent() {
    let long = mail("a", "", &"0123456789".repeat(300_000));
    let fake = Fake::start(
        "",
        vec![folder("INBOX", "", &[&long, &mail("b", "", "short")])],
    );
    let mut imap = store(&fake, "");
    let (listing, _) = list(&mut imap);
    let places = places(&listing);
    imap.announce(Part::Whole, &places);
    fake.commands();
    let text = read(&mut imap, places[0], Part::Whole).unwrap();
    assert_eq!(text, long.replace('\n', "\r\n"));
    let items: Vec<String> = fake.commands();
    assert_eq!(
        items[1..],
        [
            "UID FETCH 1 (UID BODY.PEEK[]<262144.1048576>)",
            "UID FETCH 1 (UID BODY.PEEK[]<1310720.1048576>)",
            "UID FETCH 1 (UID BODY.PEEK[]<2359296.1048576>)",
        ]
    );
    // The second came with the first and is held.
    assert!(
        read(&mut imap, places[1], Part::Whole)
            .unwrap()
            .contains("short")
    );
    assert_eq!(fake.commands(), Vec::<String>::new());
    let mut opened = imap.open(places[0], Part::Whole).unwrap();
    assert_eq!(opened.size, Some(u64::try_from(text.len()).unwrap()));
    let mut some = [0; 1000];
    std::io::Read::read_exact(&mut opened.bytes, &mut some).unwrap();
    drop(opened);
    assert_eq!(fake.commands().len(), 1);
}

#[test]
fn a_connection_cut_within_a_long_mail_goes_on_within_it() {
    let long = mail("a", "", &"0123456789".repeat(200_000));
    let fake = Fake::start("", vec![folder("INBOX", "", &[&long])]);
    let mut imap = store(&fake, "");
    let (listing, _) = list(&mut imap);
    let place = places(&listing)[0];
    let mut opened = imap.open(place, Part::Whole).unwrap();
    fake.state().faults.push_back(Fault::CutFetch(500_000));
    let mut text = String::new();
    std::io::Read::read_to_string(&mut opened.bytes, &mut text).unwrap();
    assert_eq!(text, long.replace('\n', "\r\n"));
}

#[test]
fn a_server_that_knows_no_parts_gives_mails_whole_up_to_the_limit() {
    let long = mail("a", "", &"0123456789".repeat(200_000));
    let short = mail("b", "", "short");
    let fake = Fake::start("", vec![folder("INBOX", "", &[&long, &short])]);
    fake.state().no_parts = true;
    for (more, expected) in [
        ("", long.replace('\n', "\r\n").len().to_string()),
        (
            "max_message_mb = 1",
            "is too long, and the server cannot give it in parts".to_owned(),
        ),
    ] {
        let mut imap = store(&fake, more);
        let (listing, _) = list(&mut imap);
        let places = places(&listing);
        imap.announce(Part::Whole, &places);
        let told = match read(&mut imap, places[0], Part::Whole) {
            Ok(text) => text.len().to_string(),
            Err(error) => reason(error),
        };
        assert_eq!(told, expected);
        assert!(read(&mut imap, places[1], Part::Whole).is_ok());
    }
}

#[test]
fn numbers_that_change_while_mail_is_read_give_no_wrong_mail() {
    let (fake, mut imap, places) = filled(3);
    imap.session = None;
    fake.state().folders[0].validity = 8;
    for place in &places {
        assert_eq!(
            reason(read(&mut imap, *place, Part::Whole).unwrap_err()),
            "gone"
        );
    }
    assert!(!imap.has(places[0]));
}

#[test]
fn a_mail_deleted_after_the_listing_is_gone() {
    let (fake, mut imap, places) = filled(3);
    fake.state().folders[0].mails.remove(1);
    imap.announce(Part::Head, &places);
    assert!(read(&mut imap, places[0], Part::Head).is_ok());
    assert_eq!(
        reason(read(&mut imap, places[1], Part::Head).unwrap_err()),
        "gone"
    );
    assert!(read(&mut imap, places[2], Part::Head).is_ok());
}

#[test]
fn a_server_that_is_not_there_or_speaks_no_imap_is_told() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let (fake, ..) = filled(1);
    let mut imap = store(&fake, "");
    imap.account.port = port;
    let mut report = Report::default();
    let error = imap.list(&nothing_known(), &mut report).unwrap_err();
    assert!(matches!(error, ConnectorError::Unreachable { .. }));
    let mut tls = store(&fake, "");
    tls.account.security = super::account::Security::Tls;
    let error = tls.list(&nothing_known(), &mut report).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "127.0.0.1:{}: does not speak TLS from the start on this port; is it 993, or tls = \"starttls\"?",
            fake.port
        )
    );
    let mut later = store(&fake, "");
    later.account.security = super::account::Security::StartTls;
    let error = later.list(&nothing_known(), &mut report).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "127.0.0.1:{}: does not offer STARTTLS; leave tls out to speak TLS from the start",
            fake.port
        )
    );
}

#[test]
fn what_comes_in_clear_behind_starttls_is_not_taken_for_tls() {
    use std::io::{BufRead, BufReader, Write};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut reader = BufReader::new(stream.unwrap());
            reader.get_mut().write_all(b"* OK ready\r\n").unwrap();
            let mut line = String::new();
            reader.read_line(&mut line).unwrap();
            let both = b"j1 OK go on\r\n* CAPABILITY AUTH=PLAIN\r\n";
            reader.get_mut().write_all(both).unwrap();
        }
    });
    let (fake, ..) = filled(1);
    let mut imap = store(&fake, "");
    (imap.account.port, imap.account.security) = (port, super::account::Security::StartTls);
    let mut report = Report::default();
    let error = imap.list(&nothing_known(), &mut report).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("127.0.0.1:{port} cannot be reached: it sent something that is no IMAP")
    );
}

#[test]
fn mails_that_follow_come_along_while_they_are_wanted() {
    let (fake, mut imap, places) = filled(64);
    fake.commands();
    // One thread after the other, each with one mail.
    for place in &places {
        imap.announce(Part::Whole, &[*place]);
        read(&mut imap, *place, Part::Whole).unwrap();
    }
    let fetches = fake.commands().len();
    assert!(fetches <= 8, "{fetches}");
    // One in eight only: less and less comes along for nothing, and all is right.
    imap.announce(Part::Head, &[]);
    for place in places.iter().step_by(8) {
        imap.announce(Part::Whole, &[*place]);
        let text = read(&mut imap, *place, Part::Whole).unwrap();
        let id = format!("Message-ID: <{}@example.org>", place.number - 1);
        assert!(text.contains(&id));
    }
}

#[test]
fn a_server_that_goes_away_within_a_long_mail_is_told_as_such() {
    let long = mail("a", "", &"0123456789".repeat(200_000));
    let fake = Fake::start("", vec![folder("INBOX", "", &[&long])]);
    let mut imap = store(&fake, "");
    let (listing, _) = list(&mut imap);
    let mut opened = imap.open(places(&listing)[0], Part::Whole).unwrap();
    fake.state().faults.push_back(Fault::CutFetch(500_000));
    fake.state().faults.extend(vec![Fault::Busy; 3]);
    let mut bytes = Vec::new();
    let error = std::io::Read::read_to_end(&mut opened.bytes, &mut bytes).unwrap_err();
    let address = format!("127.0.0.1:{}", fake.port);
    assert_eq!(
        error.downcast::<ConnectorError>().unwrap().to_string(),
        format!("{address} cannot be reached: it takes no more connections now")
    );
}
