//! Sources that vanish or cannot be read any more, between two runs and in the middle of one.

use std::fs;
use std::process::Stdio;
use std::time::Duration;

use super::ground::{Ground, Servers};
use super::numbers::Numbers;

/// The folders that sources are read from.
const FOLDERS: [&str; 4] = ["sessions", "mail-maildir", "mail-mbox", "mail-eml"];

/// Puts something else in the place of each folder, and takes it away again.
fn away(ground: &Ground, with_file: bool) {
    for folder in FOLDERS {
        let aside = ground.place.path(&format!("aside-{folder}"));
        fs::rename(ground.place.path(folder), aside).unwrap();
        if with_file {
            ground.place.write(folder, "no folder");
        }
    }
}

fn back(ground: &Ground) {
    for folder in FOLDERS {
        drop(fs::remove_file(ground.place.path(folder)));
        let aside = ground.place.path(&format!("aside-{folder}"));
        fs::rename(aside, ground.place.path(folder)).unwrap();
    }
}

#[test]
fn a_source_that_is_gone_is_told_and_nothing_of_it_is_lost() {
    let servers = Servers::start();
    let ground = Ground::clean(&servers);
    let expected = ground.items(&[]);
    for with_file in [false, true] {
        away(&ground, with_file);
        let ran = ground.place.jezero(&["run", "--json"]);
        assert_eq!(ran.code, 1, "{ran:?}");
        let told = ran
            .out
            .lines()
            .filter(|line| line.contains("\"errors\":[\""));
        // A file in the place of a folder of mbox files is an mbox without a mail.
        let failing = FOLDERS.len() - usize::from(with_file);
        assert_eq!(told.count(), failing, "{ran:?}");
        assert_eq!(ground.items(&[]), expected);
        back(&ground);
        ground.nothing_new();
    }
    assert_eq!(ground.items(&[]), expected);
}

#[test]
fn a_file_that_became_a_folder_is_told_and_what_was_read_of_it_stays() {
    let servers = Servers::start();
    let ground = Ground::clean(&servers);
    let expected = ground.items(&[]);
    let session = ground.place.path("sessions/-home-me-shop/whole.jsonl");
    let text = fs::read(&session).unwrap();
    fs::remove_file(&session).unwrap();
    fs::create_dir(&session).unwrap();
    let ran = ground.place.jezero(&["run", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(ground.items(&[]), expected);
    fs::remove_dir(&session).unwrap();
    fs::write(&session, text).unwrap();
    ground.nothing_new();
    assert_eq!(ground.items(&[]), expected);
}

#[test]
fn sources_that_vanish_in_the_middle_of_a_run_are_completed_when_they_are_back() {
    let servers = Servers::start();
    let clean = Ground::new(&servers, "");
    clean.grow(Ground::STEPS);
    let lasts = clean.whole(&["daemon", "--once"]);
    let expected = clean.items(&[]);
    let mut numbers = Numbers::new(7);
    let ground = Ground::new(&servers, "");
    ground.grow(Ground::STEPS);
    for part in numbers.spread(6) {
        let mut reading = ground.place.command(&["daemon", "--once"]);
        let reading = reading.stdout(Stdio::null()).stderr(Stdio::piped());
        let reading = reading.spawn().unwrap();
        let point: Duration = lasts.mul_f64(part);
        std::thread::sleep(point);
        away(&ground, numbers.next().is_multiple_of(2));
        let ended = reading.wait_with_output().unwrap();
        let said = String::from_utf8(ended.stderr).unwrap();
        assert!(ended.status.code().is_some_and(|code| code < 2), "{said}");
        assert!(!said.contains("panicked"), "{said}");
        ground.sound();
        back(&ground);
    }
    ground.whole(&["run", "--json"]);
    assert_eq!(ground.items(&[]), expected);
}
