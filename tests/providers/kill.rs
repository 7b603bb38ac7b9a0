//! A run that is killed while a model is asked loses the calls under way and nothing else.

use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex};

use super::tried::{completion, record};
use crate::cli::place::{Place, conversation};
use crate::support::model_server::{ModelServer, Turn};

const SESSIONS: usize = 5;
const AT_ONCE: usize = 3;

#[test]
fn a_run_killed_at_any_of_ten_calls_pays_again_for_those_under_way_alone() {
    for fatal in 0..10 {
        let child: Arc<Mutex<Option<Child>>> = Arc::default();
        let victim = Arc::clone(&child);
        // The question of that number kills the program that asks it, before it is answered.
        let server = ModelServer::start(move |number, _| {
            if number == fatal {
                let mut waiting = victim.lock().unwrap();
                while waiting.is_none() {
                    drop(waiting);
                    std::thread::yield_now();
                    waiting = victim.lock().unwrap();
                }
                let child = waiting.as_mut().unwrap();
                child.kill().unwrap();
                child.wait().unwrap();
            }
            Turn::json(&completion(&record().to_string()))
        });
        let place = Place::new();
        let connectors = std::fs::read_to_string(place.path("jezero.toml")).unwrap();
        place.write(
            "jezero.toml",
            format!(
                "[summarizer]\nprovider = \"openai_compatible\"\nmodel = \"tiny-1\"\n\
                 max_concurrency = {AT_ONCE}\nmax_input_chars = 1000\n\
                 base_url = \"{}\"\n{connectors}",
                server.base
            ),
        );
        // Each session is cut into some segments, so that kills fall into the middle of units.
        for session in 0..SESSIONS {
            let tag = format!("tag{session}");
            place.session(&format!("s{session}"), &conversation(&tag, 16));
        }
        let mut command = place.command(&["run"]);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        *child.lock().unwrap() = Some(command.spawn().unwrap());
        while server.asked().len() <= fatal {
            std::thread::yield_now();
        }
        // The lock is free once the killed one is gone.
        drop(child.lock().unwrap().as_mut().unwrap().wait());
        let before = server.asked().len();
        let report = place.run();
        assert_eq!(report["failed"], 0, "{report}");
        let segments = place.export().len();
        let asked = server.asked().len();
        assert!(
            asked <= segments + AT_ONCE,
            "{asked} calls for {segments} segments, killed at {fatal} ({before})"
        );
        assert_eq!(place.run()["stored"], 0);
        assert_eq!(server.asked().len(), asked);
    }
}
