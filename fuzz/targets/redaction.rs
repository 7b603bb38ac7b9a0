//! Any bytes as a text that is redacted.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| jezero::redaction::soundness::text(bytes));
