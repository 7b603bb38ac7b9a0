//! Any bytes as a session file of Claude Code.

#![no_main]

#[path = "../checks.rs"]
mod checks;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| checks::session_file(bytes));
