//! A place where every connector has something to read, and a look at what became of it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use jezero::store::{Filter, Scope, StoreError, View, Wanted};
use serde_json::Value;

use super::fake::{self, Fake};
use crate::cli::place::{Place, conversation, root};
use crate::planted::served::Served;

/// Turns of the session that grows, and of those that are whole from the beginning.
const TURNS: u32 = 24;
/// Turns that it has at first.
const FIRST: u32 = 6;

/// Servers that all places read from.
pub(super) struct Servers {
    tasks: Served,
    mail: Fake,
}

impl Servers {
    pub(super) fn start() -> Self {
        let mails: Vec<String> = (0..6).map(mail).collect();
        let mails: Vec<&str> = mails.iter().map(String::as_str).collect();
        let recorded = crate::support::fixture("paperclip/newest/answers.json");
        let inbox = fake::folder("INBOX", "", &mails);
        Self {
            tasks: Served::new(serde_json::from_str(&recorded).unwrap()),
            mail: Fake::start("", vec![inbox]),
        }
    }
}

/// A mail of one of two threads.
fn mail(number: u32) -> String {
    let thread = number % 2;
    let references = match number {
        0 | 1 => String::new(),
        _ => format!("References: <{}@example.org>\n", number - 2),
    };
    format!(
        "From: Ben <ben@example.org>\nTo: Ana <ana@example.org>\nSubject: Till {thread}\n\
         Date: Mon, 19 Oct 2026 21:{number:02}:00 +0000\nMessage-ID: <{number}@example.org>\n\
         {references}\nTill {thread} is short again, count {number}: we decided to count it twice.\n"
    )
}

/// A place with sessions, mail in each kind of store, and tasks.
pub(super) struct Ground {
    pub(super) place: Place,
}

impl Ground {
    /// All sources as they are at first; `head` comes before the connectors of the configuration.
    pub(super) fn new(servers: &Servers, head: &str) -> Self {
        let ground = Self {
            place: Place::new(),
        };
        let own = fs::read_to_string(ground.place.path("jezero.toml")).unwrap();
        let mut text = format!("{head}\n{own}");
        for (name, kind, case) in [
            ("mail-maildir", "maildir", "threads"),
            ("mail-mbox", "mbox", "mbox"),
            ("mail-eml", "eml_dir", "text"),
        ] {
            let tree = root().join(format!("fixtures/email/{case}/projects"));
            copy(&tree, &ground.place.path(name));
            text += &connector(name, "email", &format!("{kind} = {name:?}"));
        }
        let imap = format!(
            "imap = \"127.0.0.1:{}\"\ntls = \"none\"\nuser = \"ana@example.org\"\n\
             password_command = [\"/bin/echo\", \"secret\"]",
            servers.mail.port
        );
        text += &connector("mail-imap", "email", &imap);
        let tasks = format!("api_url = \"http://{}/api\"", servers.tasks.address);
        text += &connector("tasks", "paperclip", &tasks);
        for kind in jezero_connectors::ALL {
            let line = format!("type = \"{}\"", kind.name());
            assert!(text.contains(&line), "{line} takes no part");
        }
        ground.place.write("jezero.toml", text);
        let everyday = root().join("fixtures/claude_code/everyday");
        copy(&everyday, &ground.place.path("sessions"));
        ground.place.session("whole", &conversation("whole", TURNS));
        ground.grow(0);
        ground
    }

    /// The growing session after so many steps; it is whole after [`Ground::STEPS`].
    pub(super) fn grow(&self, step: u32) {
        let turns = FIRST + (TURNS - FIRST) * step.min(Self::STEPS) / Self::STEPS;
        self.place.session("grows", &conversation("grows", turns));
    }

    pub(super) const STEPS: u32 = 4;

    /// Every item by source and external id, with all that is exported of it but the time at which it
    /// was stored, and what is named.
    pub(super) fn items(&self, but: &[&str]) -> BTreeMap<(String, String), Value> {
        let exported = self.place.export();
        let count = exported.len();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let items: BTreeMap<_, _> = exported
            .into_iter()
            .map(|mut item| {
                let key = (text(&item["source"]), text(&item["external_id"]));
                let fields = item.as_object_mut().unwrap();
                fields.remove("ingested_at");
                but.iter().for_each(|field| drop(fields.remove(*field)));
                (key, item)
            })
            .collect();
        assert_eq!(items.len(), count, "an item is there twice");
        items
    }

    /// A place in which an uninterrupted run has read everything.
    pub(super) fn clean(servers: &Servers) -> Self {
        let ground = Self::new(servers, "");
        ground.grow(Self::STEPS);
        ground.whole(&["run", "--json"]);
        ground
    }

    /// Runs the program to its end; says how long it took.
    pub(super) fn whole(&self, arguments: &[&str]) -> Duration {
        let began = Instant::now();
        let ran = self.place.jezero(arguments);
        assert_eq!(ran.code, 0, "{ran:?}");
        began.elapsed()
    }

    /// A run that has nothing to store.
    pub(super) fn nothing_new(&self) {
        let ran = self.place.jezero(&["run", "--json"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        let stores = |line: &&str| !line.contains("\"stored\":0,");
        assert_eq!(ran.out.lines().filter(stores).count(), 0, "{ran:?}");
    }

    /// Looks whether the library opens and is sound, and leaves it as it is; gives the titles in it.
    pub(super) fn sound(&self) -> Vec<String> {
        sound(&self.place)
    }
}

/// As [`Ground::sound`], of any place.
pub(super) fn sound(place: &Place) -> Vec<String> {
    let library = place.path("data/jezero.db");
    // SQLite's own check is made on a copy: closing the file would tidy up what the fault has left.
    let copied = tempfile::tempdir().unwrap();
    for name in ["jezero.db", "jezero.db-wal"] {
        let from = library.with_file_name(name);
        if from.exists() {
            fs::copy(from, copied.path().join(name)).unwrap();
        }
    }
    assert_eq!(integrity(&copied.path().join("jezero.db")), "ok");
    let view = match View::open(&library) {
        Ok(view) => view,
        // Nothing has been stored yet.
        Err(StoreError::Missing { .. }) => return Vec::new(),
        Err(error) => panic!("{error}"),
    };
    let checked = view.check_index().unwrap();
    assert_eq!(checked.faults, 0, "{checked:?}");
    let mut titles = Vec::new();
    let take = |item: jezero::item::Item| {
        titles.push(item.title.as_str().to_owned());
        Ok::<_, StoreError>(Wanted::More)
    };
    view.by_number(&Scope::All, &Filter::default(), take)
        .unwrap();
    titles
}

/// What `PRAGMA integrity_check` says of a file.
#[expect(clippy::disallowed_methods, reason = "the test plays another program")]
fn integrity(path: &Path) -> String {
    let file = rusqlite::Connection::open(path).unwrap();
    file.query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .unwrap()
}

fn connector(name: &str, kind: &str, options: &str) -> String {
    format!(
        "[[connectors]]\nname = {name:?}\ntype = {kind:?}\n[connectors.options]\n{options}\n\
         settle_minutes = 0\nmin_chars = 0\n"
    )
}

/// Copies a tree; all files get one time, which the dates of some mails hang on.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let (from, to) = (
            entry.as_ref().unwrap().path(),
            to.join(entry.unwrap().file_name()),
        );
        if from.is_dir() {
            copy(&from, &to);
        } else {
            fs::copy(&from, &to).unwrap();
            let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_793_000_000);
            let file = fs::File::options().write(true).open(&to).unwrap();
            file.set_modified(time).unwrap();
        }
    }
}
