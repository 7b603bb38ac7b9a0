//! The program is killed at random points of runs over every kind of source, again and again.
//!
//! `JEZERO_KILLS` says how often (40 by default; `tests/live/faults.sh` takes 200).

use std::collections::HashSet;
use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::json;

use super::ground::{Ground, Servers};
use super::numbers::{Numbers, from_environment};
use crate::cli::place::Place;
use crate::providers::tried::completion;
use crate::support::model_server::{ModelServer, Turn};

/// Kills of one library before a run is let to its end.
const IN_A_ROW: u32 = Ground::STEPS;
/// Every so many libraries a model is asked.
const ASKS: usize = 4;
/// The two ways in which all sources are read: one after the other, and side by side.
const WAYS: [&[&str]; 2] = [&["run", "--json"], &["daemon", "--once"]];

/// Runs the program and kills it after a time, unless it has ended; gives how long it took then.
fn kill(place: &Place, arguments: &[&str], after: Duration) -> Option<Duration> {
    let began = Instant::now();
    let mut command = place.command(arguments);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    while began.elapsed() < after && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_micros(200));
    }
    let lasted = began.elapsed();
    child.kill().unwrap();
    let status = child.wait().unwrap();
    assert!(status.success() || status.signal() == Some(9), "{status}");
    status.success().then_some(lasted)
}

/// A model that answers each question with its number.
struct Model {
    server: ModelServer,
    /// How many questions have been looked at.
    seen: usize,
    /// Questions whose answers were stored before those that have not been looked at.
    stored: HashSet<String>,
}

impl Model {
    fn start() -> Self {
        let server = ModelServer::start(|number, _| {
            let answer = json!({
                "title": format!("Asked {number}"), "summary": "The till was short.",
                "questions": ["Why was the till short?"], "atoms": [], "project": null,
            });
            let answer = Turn::json(&completion(&answer.to_string()));
            Turn::Delay(Duration::from_millis(4), Box::new(answer))
        });
        Self {
            server,
            seen: 0,
            stored: HashSet::new(),
        }
    }

    fn head(&self) -> String {
        format!(
            "[summarizer]\nprovider = \"openai_compatible\"\nmodel = \"tiny-1\"\n\
             max_concurrency = 3\nmax_input_chars = 1000\nbase_url = {:?}",
            self.server.base
        )
    }

    /// Nothing may have been asked that was stored; takes over what is stored now.
    fn look(&mut self, titles: &[String]) {
        let asked = self.server.asked();
        let question = |at: usize| asked[at].body["messages"].to_string();
        for at in self.seen..asked.len() {
            let again = self.stored.contains(&question(at));
            assert!(!again, "paid for twice: {}", question(at));
        }
        self.seen = asked.len();
        let numbers = titles.iter().map(|title| {
            let number = title.strip_prefix("Asked ").unwrap().split(' ').next();
            number.unwrap().parse().unwrap()
        });
        self.stored.extend(numbers.map(question));
    }
}

#[test]
fn kills_at_random_points_lose_nothing_store_nothing_twice_and_cost_nothing_twice() {
    let kills = from_environment("JEZERO_KILLS").unwrap_or(40);
    let kills = u32::try_from(kills).unwrap();
    let mut numbers = Numbers::new(20_261_019);
    let servers = Servers::start();
    // What an uninterrupted run gives, and how long it takes: without a model, and with one.
    let clean = Ground::new(&servers, "");
    clean.grow(Ground::STEPS);
    let model = Model::start();
    let asked = Ground::new(&servers, &model.head());
    asked.grow(Ground::STEPS);
    let mut lasts = [clean.whole(WAYS[0]), asked.whole(WAYS[0])];
    let expected = [clean.items(&[]), asked.items(&["title"])];
    assert!(expected.iter().all(|items| items.len() > 80));

    let points = numbers.spread(kills);
    let (mut killed, mut round) = (0, 0);
    while killed < points.len() {
        let mut model = (round % ASKS == ASKS - 1).then(Model::start);
        let head = model.as_ref().map_or(String::new(), Model::head);
        let with_model = usize::from(model.is_some());
        let ground = Ground::new(&servers, &head);
        for step in 0..IN_A_ROW {
            ground.grow(step);
            // The first is at its point of the whole, the others fall where they fall.
            let part = match step {
                0 => points[killed],
                _ => numbers.part(),
            };
            let way = WAYS[usize::from(numbers.next().is_multiple_of(2))];
            match kill(&ground.place, way, lasts[with_model].mul_f64(part)) {
                None => killed += 1,
                // The computer has more time for us than when it was measured.
                Some(lasted) if step == 0 => lasts[with_model] = lasted,
                Some(_) => {}
            }
            let titles = ground.sound();
            if let Some(model) = &mut model {
                model.look(&titles);
            }
            if killed == points.len() {
                break;
            }
        }
        ground.grow(Ground::STEPS);
        ground.whole(WAYS[round % 2]);
        let titles = ground.sound();
        let but: &[&str] = match &mut model {
            Some(model) => {
                model.look(&titles);
                &["title"]
            }
            None => &[],
        };
        assert_eq!(ground.items(but), expected[with_model], "library {round}");
        ground.nothing_new();
        assert_eq!(ground.place.jezero(&["index", "check"]).code, 0);
        round += 1;
    }
}
