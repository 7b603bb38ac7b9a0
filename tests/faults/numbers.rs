//! Numbers that look random and are told again when a test fails.

/// A generator (splitmix64) that says its seed when the test that has it fails.
pub(super) struct Numbers {
    seed: u64,
    state: u64,
}

impl Numbers {
    /// The seed in `JEZERO_SEED`, or this one.
    pub(super) fn new(seed: u64) -> Self {
        let seed = from_environment("JEZERO_SEED").unwrap_or(seed);
        Self { seed, state: seed }
    }

    pub(super) fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 to below 1.
    pub(super) fn part(&mut self) -> f64 {
        f64::from(u32::try_from(self.next() >> 32).unwrap()) / f64::from(u32::MAX)
    }

    /// Parts of a whole, one in each of so many equal stretches, in no order.
    pub(super) fn spread(&mut self, count: u32) -> Vec<f64> {
        let mut parts: Vec<f64> = (0..count)
            .map(|at| (f64::from(at) + self.part()) / f64::from(count))
            .collect();
        for at in (1..parts.len()).rev() {
            let other = self.next() % (at as u64 + 1);
            parts.swap(at, usize::try_from(other).unwrap());
        }
        parts
    }
}

impl Drop for Numbers {
    #[expect(
        clippy::print_stderr,
        reason = "whoever mends it needs the same numbers"
    )]
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("the seed was {}: JEZERO_SEED={0} tries it again", self.seed);
        }
    }
}

/// A number that whoever runs the tests has set.
#[expect(
    clippy::disallowed_methods,
    reason = "switches for whoever runs the test"
)]
pub(super) fn from_environment(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}
