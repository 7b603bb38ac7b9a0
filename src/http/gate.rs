//! The clients of the moment: read again when the configuration changes, at most once a second.
//!
//! The look at the file happens when a request comes in, so an idle server does nothing. A file
//! that does not load leaves the clients as they were.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use super::keys::{Keys, Notice};
use crate::config::{Config, Env};

/// How long after a look at the file the next one may be.
const PAUSE: Duration = Duration::from_secs(1);

/// Knows the clients.
#[derive(Debug)]
pub(super) struct Gate {
    path: PathBuf,
    env: Env,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    keys: Arc<Keys>,
    looked: Instant,
    seen: Fingerprint,
}

/// What tells a changed configuration from an unchanged one: size and time of the file and of the
/// `.env` file beside it.
type Fingerprint = [Option<(u64, SystemTime)>; 2];

impl Gate {
    /// Starts with the clients of a loaded configuration; `env` are the variables outside of its
    /// `.env` file.
    pub(super) fn new(config: &Config, env: Env, now: Instant) -> Self {
        let seen = fingerprint(&config.path);
        let (keys, notices) = Keys::of(config);
        tell(&notices);
        Self {
            path: config.path.clone(),
            env,
            state: Mutex::new(State {
                keys: Arc::new(keys),
                looked: now,
                seen,
            }),
        }
    }

    /// The clients as of now.
    pub(super) fn keys(&self, now: Instant) -> Arc<Keys> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if now.saturating_duration_since(state.looked) < PAUSE {
            return Arc::clone(&state.keys);
        }
        state.looked = now;
        let seen = fingerprint(&self.path);
        if seen != state.seen {
            state.seen = seen;
            match Config::load_with(&self.path, self.env.clone()) {
                Ok(config) => {
                    let (keys, notices) = Keys::of(&config);
                    tell(&notices);
                    tracing::info!("config changed; {} clients can be used", keys.len());
                    state.keys = Arc::new(keys);
                }
                Err(error) => tracing::error!(
                    "config changed but could not be loaded; keeping the previous {} clients: {}",
                    state.keys.len(),
                    error.to_string().lines().next().unwrap_or_default()
                ),
            }
        }
        Arc::clone(&state.keys)
    }
}

fn tell(notices: &[Notice]) {
    for notice in notices {
        match notice {
            Notice::Warning(told) => tracing::warn!("{told}"),
            Notice::Error(told) => tracing::error!("{told}"),
        }
    }
}

fn fingerprint(path: &Path) -> Fingerprint {
    let of = |path: &Path| {
        let data = std::fs::metadata(path).ok()?;
        Some((data.len(), data.modified().ok()?))
    };
    let beside = path.parent().unwrap_or(Path::new("")).join(".env");
    [of(path), of(&beside)]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SHA-256 of "k1", "k2" and "k3".
    const DIGESTS: [&str; 3] = [
        "6ab9f1eb8f7d3388f4f9d586f66e99fd54080df2c446f0e58668b09c08a16dd0",
        "015f7e6bc5aeaf483724089e9252cc13b50951a6b69412522765cff4d780306e",
        "2f5052c9fd15b19a18c584d01363568198613f0c34e84409ef7938709a159ec2",
    ];

    fn client(digest: &str) -> String {
        format!("[[clients]]\nname = \"a\"\ntoken_sha256 = \"{digest}\"\n")
    }

    struct Place(tempfile::TempDir);

    impl Place {
        fn new(text: &str) -> Self {
            let place = Self(tempfile::tempdir().unwrap());
            place.write(text);
            place
        }

        fn write(&self, text: &str) {
            std::fs::write(self.0.path().join("jezero.toml"), text).unwrap();
        }

        fn gate(&self, now: Instant) -> Gate {
            let env = Env::given([]);
            let path = self.0.path().join("jezero.toml");
            let config = Config::load_with(&path, env.clone()).unwrap();
            Gate::new(&config, env, now)
        }
    }

    fn lets_in(gate: &Gate, key: &str, now: Instant) -> bool {
        gate.keys(now).holder(key).is_some()
    }

    #[test]
    fn a_key_that_is_added_or_revoked_counts_after_a_second() {
        let place = Place::new(&client(DIGESTS[0]));
        let start = Instant::now();
        let gate = place.gate(start);
        place.write(&format!("{}# longer\n", client(DIGESTS[1])));
        let soon = start + Duration::from_millis(999);
        assert!(lets_in(&gate, "k1", soon) && !lets_in(&gate, "k2", soon));
        let then = start + PAUSE;
        assert!(!lets_in(&gate, "k1", then) && lets_in(&gate, "k2", then));
    }

    #[test]
    fn a_file_that_does_not_load_leaves_the_clients_as_they_were() {
        let place = Place::new(&client(DIGESTS[0]));
        let start = Instant::now();
        let gate = place.gate(start);
        for (second, broken) in (1..).zip(["broken [", "[[clients]]\nname = \"a\"\n"]) {
            place.write(broken);
            assert!(lets_in(&gate, "k1", start + PAUSE * second));
        }
        std::fs::remove_file(place.0.path().join("jezero.toml")).unwrap();
        assert!(lets_in(&gate, "k1", start + PAUSE * 3));
        place.write(&client(DIGESTS[2]));
        let then = start + PAUSE * 4;
        assert!(!lets_in(&gate, "k1", then) && lets_in(&gate, "k3", then));
    }

    #[test]
    fn a_key_in_the_env_file_is_read_again_too() {
        let place = Place::new("[[clients]]\nname = \"a\"\ntoken_env = \"KEY\"\n");
        let env_file = place.0.path().join(".env");
        std::fs::write(&env_file, "KEY=first\n").unwrap();
        let start = Instant::now();
        let gate = place.gate(start);
        assert!(lets_in(&gate, "first", start));
        std::fs::write(&env_file, "KEY=second-one\n").unwrap();
        let then = start + PAUSE;
        assert!(!lets_in(&gate, "first", then) && lets_in(&gate, "second-one", then));
    }

    /// What is logged while it lives.
    #[derive(Clone, Default)]
    struct Log(Arc<Mutex<Vec<u8>>>);

    impl std::io::Write for Log {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn the_log_says_how_many_clients_stay_and_which_are_disabled() {
        let log = Log::default();
        let writer = log.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_writer(move || writer.clone())
            .with_ansi(false)
            .without_time()
            .with_target(false)
            .finish();
        tracing::subscriber::with_default(subscriber, || {
            let text = client(DIGESTS[0]) + "[[clients]]\nname = \"b\"\ntoken_env = \"B\"\n";
            let place = Place::new(&text);
            let start = Instant::now();
            let gate = place.gate(start);
            place.write("[[clients]]\nname = \"a\"\ntoken_sha256 = \"secret-by-mistake\"\n");
            gate.keys(start + PAUSE);
        });
        let told = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
        let lines: Vec<&str> = told.lines().map(str::trim_start).collect();
        assert_eq!(
            lines[0],
            "WARN client b: the environment variable B is not set: this client is disabled"
        );
        let kept = "ERROR config changed but could not be loaded; keeping the previous 1 clients";
        assert!(lines[1].starts_with(kept), "{told}");
        assert!(!told.contains("secret-by-mistake"), "{told}");
    }
}
