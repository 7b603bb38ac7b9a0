//! The system gives less than is asked for: room in files, open files.

use std::process::{Command, Stdio};

use super::ground::{Ground, Servers, sound};
use crate::cli::place::{Place, Ran, conversation};
use crate::providers::tried::{completion, record};
use crate::support::model_server::{ModelServer, Turn};

/// The program as it runs after a shell has set limits.
pub(super) fn under(limits: &str, place: &Place, arguments: &[&str]) -> Ran {
    let program = place.command(arguments);
    let mut shell = Command::new("/bin/sh");
    shell
        .arg("-c")
        .arg(format!("{limits}; exec \"$0\" \"$@\""))
        .arg(program.get_program())
        .args(program.get_args())
        .current_dir(program.get_current_dir().unwrap())
        .env_clear()
        .envs(
            program
                .get_envs()
                .filter_map(|(key, value)| Some((key, value?))),
        )
        .stdin(Stdio::null());
    shell.output().unwrap().into()
}

/// It did its work, or failed in words, with what to do next.
fn in_words(ran: &Ran, limit: &str) {
    assert!(!ran.notes.contains("panicked"), "{limit}: {ran:?}");
    let says = ran.notes.contains("hint: ") || ran.out.contains("\"errors\":[\"");
    assert!(ran.code == 0 || says, "{limit}: {ran:?}");
}

#[test]
fn a_file_that_may_not_grow_stops_a_run_and_the_next_one_does_the_rest() {
    let servers = Servers::start();
    let expected = Ground::clean(&servers).items(&[]);
    let ground = Ground::new(&servers, "");
    ground.grow(Ground::STEPS);
    // In blocks of half a kilobyte, from too little for a library to more than it needs.
    let mut failed = 0;
    for blocks in [0, 1, 8, 64, 100, 160, 250, 400, 700, 1000, 1400, 2000] {
        let limit = format!("trap '' XFSZ; ulimit -f {blocks}");
        let ran = under(&limit, &ground.place, &["run", "--json"]);
        in_words(&ran, &limit);
        failed += u32::from(ran.code != 0);
        ground.sound();
    }
    assert!(failed > 4, "only {failed} limits were reached");
    // A system that ends the program at the limit.
    let killed = Ground::new(&servers, "");
    killed.grow(Ground::STEPS);
    let ran = under("ulimit -f 700", &killed.place, &["run", "--json"]);
    assert_eq!(ran.code, -1, "{ran:?}");
    for ground in [ground, killed] {
        ground.sound();
        ground.whole(&["run", "--json"]);
        assert_eq!(ground.items(&[]), expected);
    }
}

#[test]
fn no_model_is_asked_for_what_the_disk_cannot_take() {
    let server = ModelServer::start(|_, _| Turn::json(&completion(&record().to_string())));
    let place = Place::new();
    let text = std::fs::read_to_string(place.path("jezero.toml")).unwrap();
    place.write(
        "jezero.toml",
        format!(
            "[summarizer]\nprovider = \"openai_compatible\"\nmodel = \"tiny-1\"\nbase_url = {:?}\n\
             {text}",
            server.base
        ),
    );
    place.session("a", &conversation("a", 3));
    place.run();
    assert_eq!(server.asked().len(), 1);
    place.session("b", &conversation("b", 3));
    let limit = "trap '' XFSZ; ulimit -f 2000";
    for arguments in [
        &["run"][..],
        &["resummarize", "--source", "agent-claude"],
        &["daemon", "--once"],
    ] {
        let ran = under(limit, &place, arguments);
        assert_eq!(ran.code, 1, "{ran:?}");
        assert!(ran.notes.contains("hint: make room on the disk"), "{ran:?}");
        assert_eq!(server.asked().len(), 1, "{arguments:?}");
        sound(&place);
    }
    assert_eq!(place.run()["stored"], 1);
    assert_eq!(server.asked().len(), 2);
}

#[test]
fn a_program_that_may_open_few_files_loses_nothing() {
    let servers = Servers::start();
    let expected = Ground::clean(&servers).items(&[]);
    let ground = Ground::new(&servers, "");
    ground.grow(Ground::STEPS);
    let mut failed = 0;
    let ways: [&[&str]; 2] = [&["run", "--json"], &["daemon", "--once"]];
    for files in [8, 10, 12, 14, 16, 18, 20, 24] {
        for arguments in ways {
            let limit = format!("ulimit -n {files}");
            let ran = under(&limit, &ground.place, arguments);
            assert!(!ran.notes.contains("panicked"), "{limit}: {ran:?}");
            failed += u32::from(ran.code != 0);
        }
        ground.sound();
    }
    assert!(failed > 2, "only {failed} limits were reached");
    // As many as docs/operations.md says are enough.
    for arguments in ways {
        let ran = under("ulimit -n 64", &ground.place, arguments);
        assert_eq!(ran.code, 0, "{ran:?}");
    }
    assert_eq!(ground.items(&[]), expected);
}

#[test]
fn a_copy_or_an_export_that_does_not_fit_is_told_and_leaves_nothing() {
    let place = Place::new();
    place.session("a", &conversation("a", 60));
    place.run();
    let limit = "trap '' XFSZ; ulimit -f 8";
    for arguments in [&["backup", "out"][..], &["export-jsonl", "out"]] {
        let ran = under(limit, &place, arguments);
        assert_eq!(ran.code, 1, "{ran:?}");
        assert!(ran.notes.contains("hint: "), "{ran:?}");
        let names = std::fs::read_dir(place.path("")).unwrap();
        let left = names.filter(|entry| {
            let name = entry.as_ref().unwrap().file_name();
            name.to_string_lossy().starts_with("out")
        });
        assert_eq!(left.count(), 0);
    }
    sound(&place);
}
