//! Any bytes as the body of a request.

#![no_main]

#[path = "../served.rs"]
mod served;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| served::body(bytes));
