//! What must not lose or spoil anything: kills, full and read-only disks, damaged pages, locks, odd
//! clocks, sources that vanish. After each the library opens, is sound, and the next run goes on.
//!
//! What needs a file system of its own or half a minute's wait is in `tests/live/faults.sh`.
#![cfg(unix)]

mod children;
mod clocks;
mod damage;
#[path = "../../connectors/email/imap/fake.rs"]
#[expect(
    dead_code,
    reason = "a mail server that can do more than is asked of it here"
)]
mod fake;
mod ground;
mod kills;
mod limits;
mod locks;
mod modes;
mod numbers;
mod vanished;
