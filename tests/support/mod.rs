//! What several modules need: a library in a folder of its own, and the fixtures.

pub(crate) mod model_server;
pub(crate) mod reading;

use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use jezero::import::{ImportError, ImportOptions, Imported, import_jsonl};
use jezero::item::{Instant, SourceName, Trust};
use jezero::library::{Library, Settings};
use jezero::redaction::Engine;
use jezero::store::{Store, View};
use jezero_connectors::time::FixedClock;
use serde::Serialize;

/// The moment at which all tests take place: a day after the newest item of the fixtures.
pub(crate) const NOW: &str = "2026-10-21T21:23:12+00:00";

/// A library in a folder that goes away with it.
pub(crate) struct Shelf {
    folder: tempfile::TempDir,
}

pub(crate) fn instant(text: &str) -> Instant {
    Instant::parse(text).unwrap()
}

pub(crate) fn source(name: &str) -> SourceName {
    SourceName::new(name).unwrap()
}

/// Options of an import into one source.
pub(crate) fn into(name: &str) -> ImportOptions {
    ImportOptions {
        source: Some(source(name)),
        project: None,
        trust: Trust::Own,
    }
}

/// A file below `fixtures/`.
pub(crate) fn fixture(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures")
        .join(path);
    std::fs::read_to_string(path).unwrap()
}

/// An answer as readers get it.
pub(crate) fn json(answer: &impl Serialize) -> String {
    serde_json::to_string_pretty(answer).unwrap() + "\n"
}

impl Shelf {
    /// An empty library.
    pub(crate) fn empty() -> Self {
        let shelf = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        shelf.store();
        shelf
    }

    /// The library of the specification's examples: items 1 to 3, and one of another source.
    pub(crate) fn of_the_pages() -> Self {
        let shelf = Self::empty();
        for name in ["agent-claude-code-laptop", "agent-codex-work-mac"] {
            let lines = fixture(&format!("library/{name}.jsonl"));
            shelf.import(&lines, &into(name)).unwrap();
        }
        shelf
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("jezero.db")
    }

    pub(crate) fn store(&self) -> Store {
        Store::open(&self.path()).unwrap()
    }

    pub(crate) fn view(&self) -> View {
        View::open(&self.path()).unwrap()
    }

    pub(crate) fn library(&self) -> Library {
        self.library_with(Settings::default())
    }

    pub(crate) fn library_with(&self, settings: Settings) -> Library {
        let clock = Arc::new(FixedClock(instant(NOW)));
        Library::open(&self.path(), settings, clock).unwrap()
    }

    pub(crate) fn import(
        &self,
        lines: impl AsRef<[u8]>,
        options: &ImportOptions,
    ) -> Result<Imported, ImportError> {
        static ENGINE: LazyLock<Engine> = LazyLock::new(Engine::embedded);
        let lines = lines.as_ref();
        import_jsonl(
            &mut self.store(),
            &ENGINE,
            lines,
            "notes.jsonl",
            options,
            instant(NOW),
        )
    }
}
