//! Any bytes as a mail and as an mbox file.

#![no_main]

#[path = "../mail_checks.rs"]
mod checks;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| checks::raw_mail(bytes));
