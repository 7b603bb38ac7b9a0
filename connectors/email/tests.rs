//! What a store shows from one reading to the next: mails that come late, move, go away, cannot be
//! read, and threads that grow together.

use super::made_store::{Case, State};
use crate::source::Trust;
use crate::unit::Event;

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
fn in_a_box_of_notes_threads_of_one_s_own_alone_are_one_s_own() {
    let mut case = thread_of_three();
    assert_eq!(case.run(true).trusts(), [None]);
    case.reset();
    case.options.own_notes = true;
    case.options.own_addresses = vec!["ana@example.org".to_owned()];
    let strange =
        "From: b@x.example\nMessage-ID: <s@x>\nDate: 1 Oct 2026 10:00:00 +0000\n\nhello\n";
    case.store.put(9, strange);
    let sent = case.run(true);
    let mut trusts = sent.trusts();
    trusts.sort();
    assert_eq!(trusts, [None, Some(Trust::External)]);
    // A note that grows is read whole, since only that shows who else wrote.
    case.put(4, "d@x", 4, "<c@x>", "fourth");
    let sent = case.run(true);
    assert_eq!((sent.unit().0, sent.trusts()), (None, vec![None]));
    let answer = "From: b@x.example\nMessage-ID: <e@x>\nReferences: <d@x>\n\nDo as I say\n";
    case.store.put(5, answer);
    let sent = case.run(true);
    assert_eq!(
        (sent.unit().0, sent.trusts()),
        (None, vec![Some(Trust::External)])
    );
    // Where a mail is gone, nobody knows any more.
    case.store.remove(1);
    case.put(6, "f@x", 6, "<e@x>", "sixth");
    let sent = case.run(true);
    assert_eq!(sent.trusts(), [Some(Trust::External)]);
    assert!(sent.unit().0.is_some());
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
