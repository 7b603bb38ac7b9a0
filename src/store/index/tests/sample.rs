//! Random libraries and queries, made of few parts so that they meet.

use std::cell::RefCell;
use std::path::PathBuf;

use jezero_connectors::{ExternalId, Instant, Locator, SourceName};
use proptest::prelude::*;
use rusqlite::OptionalExtension;

use crate::item::{Atom, AtomKind, Draft, ProjectName, Trust};
use crate::redaction::{Counts, Redacted};
use crate::store::{Frame, ItemWrite, Store, View, compress};

/// What words are made of.
const PARTS: &[&str] = &[
    "a",
    "ab",
    "aa",
    "test",
    "be",
    "x",
    "9",
    "É",
    "ß",
    "_",
    "日",
    "本",
    "語",
    "한",
    "국",
    "🎉",
    "—",
    "'",
    "-",
    ".",
    "/",
    "::",
    "--",
    "=",
    "(",
    ")",
    "\"",
    "`",
    ",",
    "İ",
    "नमस्ते",
    "\u{301}",
    "ﬁ",
    "①",
    "\u{200B}",
    "\u{1}",
    "\u{2}",
];

/// Puts parts together to a text, some with spaces between, some repeated to great length.
pub(super) fn text() -> impl Strategy<Value = String> {
    let part = (
        prop::sample::select(PARTS),
        prop::bool::weighted(0.3),
        prop_oneof![40 => Just(1), 1 => Just(130), 1 => Just(420)],
    );
    prop::collection::vec(part, 1..14).prop_map(|parts| {
        let mut text = String::new();
        for (part, space, times) in parts {
            text.push_str(&part.repeat(times));
            if space {
                text.push(' ');
            }
        }
        text
    })
}

/// A query: words and phrases of the same parts.
pub(super) fn query() -> impl Strategy<Value = String> {
    prop::collection::vec((text(), prop::bool::weighted(0.4)), 1..5).prop_map(|terms| {
        let quoted = |(text, phrase): (String, bool)| {
            let text: String = text.chars().take(120).collect();
            if phrase {
                format!("\"{}\"", text.replace('"', ""))
            } else {
                text
            }
        };
        terms.into_iter().map(quoted).collect::<Vec<_>>().join(" ")
    })
}

/// A change of a library.
#[derive(Debug, Clone)]
pub(super) enum Change {
    /// Inserts or updates the item of a number.
    Put(Box<Put>),
    /// Deletes the item of a number.
    Delete(u8),
    /// Changes words, trust and kinds of an item in place.
    Edit(u8, String),
    /// Changes an original in place, or takes it away.
    Original(u8, Option<String>),
    /// Ends a transaction.
    Commit,
}

/// An item.
#[derive(Debug, Clone)]
pub(super) struct Put {
    number: u8,
    title: String,
    summary: String,
    questions: Vec<String>,
    atoms: Vec<String>,
    project: Option<&'static str>,
    occurred_at: i64,
    kind: AtomKind,
    trust: Trust,
    original: Option<String>,
}

impl Change {
    pub(super) fn put(number: u8, summary: &str) -> Self {
        Self::Put(Box::new(Put {
            number,
            title: "t".to_owned(),
            summary: summary.to_owned(),
            questions: Vec::new(),
            atoms: Vec::new(),
            project: None,
            occurred_at: 1_000_000,
            kind: AtomKind::Fact,
            trust: Trust::Own,
            original: None,
        }))
    }

    /// An item with an original.
    pub(super) fn put_with(number: u8, summary: &str, original: &str) -> Self {
        match Self::put(number, summary) {
            Self::Put(mut put) => {
                put.original = Some(original.to_owned());
                Self::Put(put)
            }
            other => other,
        }
    }
}

pub(super) fn change() -> impl Strategy<Value = Change> {
    let some = |most| prop::collection::vec(text(), 0..most);
    let put = (
        0_u8..12,
        text(),
        text(),
        some(3),
        some(3),
        prop::option::of(prop::sample::select(&["atlas", "aa.test", "日本"][..])),
        (0_i64..4, prop::bool::ANY, prop::bool::ANY),
        prop::option::weighted(0.8, text()),
    )
        .prop_map(
            |(number, title, summary, questions, atoms, project, more, original)| {
                let (day, is_risk, is_own) = more;
                Change::Put(Box::new(Put {
                    number,
                    title,
                    summary,
                    questions,
                    atoms,
                    project,
                    occurred_at: 1_000_000 + day * 300,
                    kind: if is_risk {
                        AtomKind::Risk
                    } else {
                        AtomKind::Fact
                    },
                    trust: if is_own { Trust::Own } else { Trust::External },
                    original,
                }))
            },
        );
    prop_oneof![
        6 => put,
        1 => (0_u8..12).prop_map(Change::Delete),
        1 => (0_u8..12, text()).prop_map(|(number, text)| Change::Edit(number, text)),
        1 => (0_u8..12, prop::option::weighted(0.8, text()))
            .prop_map(|(number, text)| Change::Original(number, text)),
        1 => Just(Change::Commit),
    ]
}

/// A library in a folder of its own.
pub(super) struct Sample {
    folder: tempfile::TempDir,
    pub(super) store: RefCell<Store>,
}

impl Sample {
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = RefCell::new(Store::open(&folder.path().join("library.db")).unwrap());
        for source in ["agent-0", "agent-1", "mail"] {
            store
                .borrow()
                .source(&SourceName::new(source).unwrap())
                .unwrap();
        }
        Self { folder, store }
    }

    pub(super) fn path(&self) -> PathBuf {
        self.folder.path().join("library.db")
    }

    pub(super) fn view(&self) -> View {
        View::open(&self.path()).unwrap()
    }

    /// As [`Self::apply`], with nothing merged.
    pub(super) fn apply_without_upkeep(&self, changes: &[Change]) {
        let upkeep = std::mem::take(&mut self.store.borrow_mut().upkeep);
        let store = &mut *self.store.borrow_mut();
        let transaction = store.connection.unchecked_transaction().unwrap();
        for change in changes {
            if let Change::Put(put) = change {
                let source =
                    crate::store::owners::source_of(&transaction, &source(put.number)).unwrap();
                crate::store::items::upsert(&transaction, source, None, &put.item(), now())
                    .unwrap();
            }
        }
        super::super::settle(&transaction).unwrap();
        transaction.commit().unwrap();
        store.upkeep = upkeep;
    }

    /// Applies changes, all in one transaction but for [`Change::Commit`].
    pub(super) fn apply(&self, changes: &[Change]) {
        for batch in changes.split(|change| matches!(change, Change::Commit)) {
            let mut store = self.store.borrow_mut();
            store
                .batch(|write| {
                    for change in batch {
                        let connection = write.connection();
                        match change {
                            Change::Put(put) => {
                                write.put(&source(put.number), &put.item(), now())?;
                            }
                            Change::Delete(number) => {
                                connection.execute("DELETE FROM items WHERE external_id = ?1", [number.to_string()])?;
                            }
                            Change::Edit(number, text) => {
                                connection.execute("UPDATE items SET summary = ?2 WHERE external_id = ?1", [number.to_string(), text.clone()])?;
                                connection.execute("UPDATE items SET trust = iif(trust = 'own', 'external', 'own') WHERE external_id = ?1", [number.to_string()])?;
                                connection.execute("UPDATE atoms SET kind = iif(kind = 'fact', 'risk', 'fact'), text = ?2 WHERE ordinal = 0 AND item = (SELECT id FROM items WHERE external_id = ?1)", [number.to_string(), text.clone()])?;
                            }
                            Change::Original(number, text) => {
                                let sql = "SELECT id FROM items WHERE external_id = ?1";
                                let id: Option<i64> = connection
                                    .query_row(sql, [number.to_string()], |row| row.get(0))
                                    .optional()?;
                                if let Some(id) = id {
                                    crate::store::items::write_original(connection, id, frame(text.as_deref()).as_ref())?;
                                }
                            }
                            Change::Commit => {}
                        }
                    }
                    Ok::<_, crate::store::StoreError>(())
                })
                .unwrap();
        }
    }
}

fn now() -> Instant {
    Instant::from_unix(2_000_000).unwrap()
}

fn source(number: u8) -> SourceName {
    SourceName::new(["agent-0", "agent-1", "mail"][usize::from(number % 3)]).unwrap()
}

fn frame(text: Option<&str>) -> Option<Frame> {
    let text = Redacted::from_library(text?.to_owned());
    Some(Frame::Held(compress(&text).unwrap()))
}

impl Put {
    fn item(&self) -> ItemWrite {
        let redacted = |text: &String| Redacted::from_library(text.clone());
        let atom = |text: &String| Atom {
            kind: self.kind,
            text: redacted(text),
        };
        let project = self
            .project
            .map(|name| ProjectName::new(Redacted::literal(name)).unwrap());
        ItemWrite {
            external_id: ExternalId::new(self.number.to_string()).unwrap(),
            occurred_at: Instant::from_unix(self.occurred_at).unwrap(),
            draft: Draft {
                title: redacted(&self.title),
                summary: redacted(&self.summary),
                questions: self.questions.iter().map(redacted).collect(),
                atoms: self.atoms.iter().map(atom).collect(),
                project: project.clone(),
            },
            project,
            account: None,
            original_ref: None,
            trust: self.trust,
            content_hash: format!("{self:?}"),
            original: frame(self.original.as_deref()),
            locator: Locator::record(0),
            part: (1, 1),
            rules_version: 1,
            summary_by: "test".to_owned(),
            redactions: Counts::default(),
        }
    }
}
