//! A folder with a configuration and sessions, and the program run in it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// What a run of the program gave.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) notes: String,
}

impl Ran {
    /// The output as one JSON value.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            notes: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// A folder of its own, gone at the end.
pub(crate) struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    /// A place whose one connector reads `sessions/` in it, without settling or a least length.
    pub(crate) fn new() -> Self {
        let place = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        fs::create_dir_all(place.path("sessions/-home-me-shop")).unwrap();
        place.write(
            "jezero.toml",
            "[[connectors]]\nname = \"agent-claude\"\ntype = \"claude_code\"\n\
             [connectors.options]\nprojects_dir = \"sessions\"\nsettle_minutes = 0\nmin_chars = 0\n",
        );
        place
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        fs::write(self.path(name), text).unwrap();
    }

    /// A database file, opened as only a test may.
    #[expect(clippy::disallowed_methods, reason = "the test plays another program")]
    pub(crate) fn raw(&self, name: &str) -> rusqlite::Connection {
        rusqlite::Connection::open(self.path(name)).unwrap()
    }

    /// Writes a session file.
    pub(crate) fn session(&self, id: &str, lines: &[String]) {
        self.write(
            &format!("sessions/-home-me-shop/{id}.jsonl"),
            lines.join("\n") + "\n",
        );
    }

    /// The program, ready to be run here with nothing of the surroundings.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_jezero"));
        command
            .args(arguments)
            .current_dir(self.folder.path())
            .env_clear()
            .env("HOME", self.folder.path().join("home"))
            .stdin(Stdio::null());
        command
    }

    /// Runs the program and kills it as soon as the library's log has passed a size: no clock chooses
    /// the moment. A program that is faster than that ends by itself.
    pub(crate) fn killed_at(&self, arguments: &[&str], log_size: u64) {
        let mut child = self
            .command(arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let log = self.path("data/jezero.db-wal");
        while child.try_wait().unwrap().is_none()
            && std::fs::metadata(&log).map_or(0, |data| data.len()) < log_size
        {
            std::hint::spin_loop();
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }

    /// Runs the program to its end.
    pub(crate) fn jezero(&self, arguments: &[&str]) -> Ran {
        self.command(arguments).output().unwrap().into()
    }

    /// Runs `jezero run --json` and gives its one report.
    pub(crate) fn run(&self) -> Value {
        let ran = self.jezero(&["run", "--json"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        ran.json()
    }

    /// Runs `jezero run` to its end, whatever it prints.
    pub(crate) fn run_all(&self) {
        let ran = self.jezero(&["run"]);
        assert_eq!(ran.code, 0, "{ran:?}");
    }

    /// Every item with its original, as exported.
    pub(crate) fn export(&self) -> Vec<Value> {
        let ran = self.jezero(&["export-jsonl", "-"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        ran.out
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }
}

/// A record as Claude Code writes it.
pub(crate) fn record(role: &str, uuid: &str, minute: u32, text: &str) -> String {
    let content = match role {
        "assistant" => serde_json::json!([{"type": "text", "text": text}]),
        _ => serde_json::json!(text),
    };
    serde_json::json!({
        "type": role,
        "uuid": uuid,
        "parentUuid": null,
        "sessionId": "s",
        "timestamp": format!("2026-10-{:02}T{:02}:{:02}:00.000Z", 1 + minute / 1440, minute / 60 % 24, minute % 60),
        "cwd": "/home/me/code/shop",
        "isSidechain": false,
        "userType": "external",
        "message": {"role": role, "content": content},
    })
    .to_string()
}

/// A conversation of `turns` questions and answers with texts of its own.
pub(crate) fn conversation(tag: &str, turns: u32) -> Vec<String> {
    (0..turns)
        .flat_map(|turn| {
            let ask = format!("{tag} question {turn}: why does the checkout lose the tax id?");
            let answer =
                format!("{tag} answer {turn}: the form drops it, so it is now copied at checkout.");
            [
                record("user", &format!("{tag}-u{turn}"), turn * 2, &ask),
                record(
                    "assistant",
                    &format!("{tag}-a{turn}"),
                    turn * 2 + 1,
                    &answer,
                ),
            ]
        })
        .collect()
}

/// The root of the repository.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}
