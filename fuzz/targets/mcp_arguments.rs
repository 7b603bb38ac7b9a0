//! Any arguments of any tool.

#![no_main]

#[path = "../served.rs"]
mod served;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| served::arguments(bytes));
