//! `jezero daemon` as a service manager starts it.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStderr, Stdio};

use super::place::{Place, conversation};

/// A daemon in a place, with what it says.
struct Daemon {
    child: Child,
    said: BufReader<ChildStderr>,
}

impl Daemon {
    fn start(place: &Place, arguments: &[&str]) -> Self {
        let all = [&["daemon"], arguments].concat();
        let mut child = place.command(&all).stderr(Stdio::piped()).spawn().unwrap();
        let said = BufReader::new(child.stderr.take().unwrap());
        Self { child, said }
    }

    /// Reads on until a line holds a text.
    fn wait_for(&mut self, text: &str) -> String {
        let mut before = String::new();
        loop {
            let mut line = String::new();
            let read = self.said.read_line(&mut line).unwrap();
            assert!(read > 0, "no {text:?} in:\n{before}");
            if line.contains(text) {
                return line;
            }
            before.push_str(&line);
        }
    }

    fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        let sent = std::process::Command::new("kill")
            .args(["-s", name, &pid])
            .status();
        assert!(sent.unwrap().success());
    }

    /// Waits until it has ended; gives its exit code.
    fn ended(mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        drop(self.child.kill());
    }
}

#[test]
fn a_session_is_stored_when_it_is_written_and_sigterm_ends_the_daemon() {
    let place = Place::new();
    place.session("a", &conversation("a", 3));
    let mut daemon = Daemon::start(&place, &[]);
    daemon.wait_for("agent-claude: stored 1");
    place.session("b", &conversation("b", 3));
    daemon.wait_for("agent-claude: stored 1");
    daemon.signal("TERM");
    assert_eq!(daemon.ended(), Some(0));
    assert_eq!(place.export().len(), 2);
}

#[test]
fn what_changed_while_no_daemon_ran_is_read_when_one_starts() {
    let place = Place::new();
    place.session("a", &conversation("a", 3));
    place.run_all();
    place.session("b", &conversation("b", 3));
    // The interval of 15 minutes has just begun.
    let mut daemon = Daemon::start(&place, &[]);
    daemon.wait_for("agent-claude: stored 1");
    daemon.signal("TERM");
    assert_eq!(daemon.ended(), Some(0));
}

#[test]
fn a_folder_that_comes_later_or_is_made_anew_is_watched() {
    let place = Place::new();
    std::fs::remove_dir_all(place.path("sessions")).unwrap();
    let mut daemon = Daemon::start(&place, &[]);
    daemon.wait_for("sessions does not exist");
    for name in ["a", "b"] {
        std::fs::create_dir_all(place.path("sessions/-home-me-shop")).unwrap();
        place.session(name, &conversation(name, 3));
        // Otherwise it looks within half a minute.
        daemon.signal("HUP");
        daemon.wait_for("agent-claude: stored 1");
        place.session(
            &format!("{name}-later"),
            &conversation(&format!("{name}2"), 3),
        );
        daemon.wait_for("agent-claude: stored 1");
        std::fs::rename(place.path("sessions"), place.path(&format!("gone-{name}"))).unwrap();
    }
    daemon.signal("TERM");
    assert_eq!(daemon.ended(), Some(0));
}

#[test]
fn a_running_daemon_goes_on_with_a_library_that_was_restored() {
    let place = Place::new();
    place.session("a", &conversation("a", 3));
    let mut daemon = Daemon::start(&place, &[]);
    daemon.wait_for("agent-claude: stored 1");
    assert_eq!(place.jezero(&["backup", "copy.db"]).code, 0);
    place.session("b", &conversation("b", 3));
    daemon.wait_for("agent-claude: stored 1");
    assert_eq!(place.jezero(&["restore", "copy.db"]).code, 0);
    place.session("c", &conversation("c", 3));
    // The session that came after the copy may be read before the new one or with it.
    if daemon.wait_for("agent-claude: stored").contains("stored 1") {
        daemon.wait_for("agent-claude: stored 1");
    }
    daemon.signal("TERM");
    assert_eq!(daemon.ended(), Some(0));
    assert_eq!(place.export().len(), 3);
    assert_eq!(place.jezero(&["index", "check"]).code, 0);
}

#[test]
fn a_changed_configuration_is_taken_over_and_a_broken_one_changes_nothing() {
    let place = Place::new();
    let text = std::fs::read_to_string(place.path("jezero.toml")).unwrap();
    place.session("a", &conversation("a", 3));
    let mut daemon = Daemon::start(&place, &[]);
    daemon.wait_for("agent-claude: stored 1");
    place.write("jezero.toml", "[[connectors]]\nname = \"A b\"\n");
    daemon.signal("HUP");
    let told = daemon.wait_for("stays as it was");
    assert!(told.contains("name"), "{told}");
    std::fs::create_dir_all(place.path("more/-x")).unwrap();
    place.write("more/-x/c.jsonl", conversation("c", 3).join("\n") + "\n");
    let second = text
        .replace("agent-claude", "agent-more")
        .replace("\"sessions\"", "\"more\"");
    place.write("jezero.toml", format!("{text}{second}"));
    daemon.signal("HUP");
    daemon.wait_for("agent-more: stored 1");
    daemon.signal("TERM");
    assert_eq!(daemon.ended(), Some(0));
}

#[test]
fn once_reads_every_source_and_ends_with_one_when_something_failed() {
    let place = Place::new();
    place.session("a", &conversation("a", 3));
    assert_eq!(place.jezero(&["daemon", "--once"]).code, 0);
    assert_eq!(place.export().len(), 1);
    std::fs::remove_dir_all(place.path("sessions")).unwrap();
    let ran = place.jezero(&["daemon", "--once"]);
    assert_eq!(ran.code, 1);
    assert!(ran.notes.contains("sessions does not exist"), "{ran:?}");
}

#[test]
fn the_library_is_served_in_the_same_process() {
    let place = Place::new();
    let text = std::fs::read_to_string(place.path("jezero.toml")).unwrap();
    place.write(
        "jezero.toml",
        format!("[server]\nrequire_auth = false\n{text}"),
    );
    place.session("a", &conversation("a", 3));
    let mut daemon = Daemon::start(&place, &["--serve", "--port", "0"]);
    let line = daemon.wait_for("serving MCP on http://");
    let address = line.trim().rsplit('/').nth(1).unwrap().to_owned();
    daemon.wait_for("agent-claude: stored 1");
    let mut asked = std::net::TcpStream::connect(address).unwrap();
    let head = "GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    asked.write_all(head.as_bytes()).unwrap();
    let mut answer = String::new();
    asked.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
    daemon.signal("TERM");
    assert_eq!(daemon.ended(), Some(0));
}

#[test]
fn a_log_as_json_holds_everything_that_is_told_an_object_a_line() {
    let place = Place::new();
    place.session("a", &conversation("a", 3));
    let mut daemon = Daemon::start(&place, &["--log", "json"]);
    let told = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap();
    let mut first = String::new();
    daemon.said.read_line(&mut first).unwrap();
    let message = "reading 1 sources; SIGTERM ends it";
    assert_eq!(
        (&told(&first)["level"], &told(&first)["message"]),
        (&"info".into(), &message.into())
    );
    let stored = told(&daemon.wait_for("stored 1"));
    assert_eq!(stored["connector"], "agent-claude");
    assert_eq!(
        (&stored["stored"], &stored["failed"]),
        (&1.into(), &0.into())
    );
    daemon.signal("TERM");
    let mut rest = String::new();
    daemon.said.read_to_string(&mut rest).unwrap();
    assert_eq!(daemon.ended(), Some(0));
    assert!(rest.lines().all(|line| told(line).is_object()), "{rest}");
}

#[test]
fn a_failure_is_an_object_too_and_a_log_file_has_it_beside_the_terminal() {
    let place = Place::new();
    place.write("jezero.toml", "[storage]\npath = 7\n");
    let ran = place.jezero(&["daemon", "--log", "json"]);
    assert_eq!(ran.code, 2);
    let told: serde_json::Value = serde_json::from_str(&ran.notes).unwrap();
    assert_eq!(told["level"], "error");
    let ran = place.jezero(&["daemon", "--log-file", "log"]);
    assert_eq!(ran.code, 2);
    let log = std::fs::read_to_string(place.path("log")).unwrap();
    for text in [&ran.notes, &log] {
        assert!(
            text.contains("storage.path: must be a path, got 7"),
            "{text}"
        );
    }
    let ran = place.jezero(&["daemon", "--log-file", "missing/log"]);
    assert_eq!(ran.code, 2);
    assert!(ran.notes.contains("--log-file missing/log: "), "{ran:?}");
}

#[test]
fn a_run_logs_too_when_it_is_asked_to() {
    let place = Place::new();
    place.session("a", &conversation("a", 3));
    let ran = place.jezero(&["run", "--json", "--log", "json"]);
    assert_eq!(ran.json()["stored"], 1);
    let told: serde_json::Value = serde_json::from_str(&ran.notes).unwrap();
    assert_eq!(
        (&told["connector"], &told["stored"]),
        (&"agent-claude".into(), &1.into())
    );
}
