//! Any bytes as the texts of items.

#![no_main]

#[path = "../search_checks.rs"]
#[allow(dead_code, reason = "each target makes one check")]
mod search_checks;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| search_checks::search_text(bytes));
