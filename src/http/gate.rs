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
