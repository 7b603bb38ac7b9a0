//! Slows down whoever tries keys: each wrong key makes the next wrong one wait longer.
//!
//! The count is one for the whole server, since behind a proxy every caller has one address. It
//! never touches a request with a right key or without any.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Wrong keys that cost nothing: a person mistypes.
const FREE: f64 = 3.0;
/// How long each further one waits more.
const STEP: Duration = Duration::from_millis(250);
/// The longest wait.
const LONGEST: Duration = Duration::from_secs(5);
/// Wrong keys that are forgotten in a second.
const FORGOTTEN_A_SECOND: f64 = 0.5;

/// Counts wrong keys, and forgets them with time.
#[derive(Debug, Default)]
pub(super) struct Throttle {
    recent: Mutex<Option<(f64, Instant)>>,
}

impl Throttle {
    /// Counts a wrong key and says how long its answer must wait.
    pub(super) fn wrong_key(&self, now: Instant) -> Duration {
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        let before = recent.map_or(0.0, |(count, at)| {
            let passed = now.saturating_duration_since(at).as_secs_f64();
            (count - passed * FORGOTTEN_A_SECOND).max(0.0)
        });
        let count = before + 1.0;
        *recent = Some((count, now));
        STEP.mul_f64((count - FREE).max(0.0)).min(LONGEST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_keys_wait_longer_and_longer_and_are_forgotten() {
        let throttle = Throttle::default();
        let start = Instant::now();
        let waits: Vec<u128> = (0..5)
            .map(|_| throttle.wrong_key(start).as_millis())
            .collect();
        assert_eq!(waits, [0, 0, 0, 250, 500]);
        for _ in 0..100 {
            throttle.wrong_key(start);
        }
        assert_eq!(throttle.wrong_key(start), LONGEST);
        let later = start + Duration::from_secs(3600);
        assert_eq!(throttle.wrong_key(later), Duration::ZERO);
    }
}
