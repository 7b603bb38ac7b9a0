//! Redaction: throughput on generated transcripts and on texts made to be slow.

use std::fmt::Write as _;

use divan::Bencher;
use divan::counter::BytesCount;
use jezero::redaction::Engine;

fn main() {
    divan::main();
}

/// Small generator of pseudo-random numbers, so that every run reads the same bytes.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        let at = (self.next() % list.len() as u64) as usize;
        list.get(at).copied().unwrap_or_default()
    }

    fn letters(&mut self, count: usize) -> String {
        const SIGNS: &[u8] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
        (0..count)
            .map(|_| char::from(SIGNS[(self.next() % SIGNS.len() as u64) as usize]))
            .collect()
    }
}

const WORDS: &[&str] = &[
    "the",
    "token",
    "is",
    "read",
    "from",
    "config.api_key",
    "and",
    "passed",
    "to",
    "client",
    "error:",
    "expected",
    "found",
    "fn",
    "main()",
    "let",
    "key",
    "=",
    "value;",
    "https://docs.example/page",
    "\\n",
    "tests",
    "passed",
    "src/lib.rs:42",
    "commit",
    "4f9d2b7c1e8a",
    "auth",
    "cookie",
    "storage",
    "access",
    "because",
    "release",
    "session",
    "branch",
    "crates",
    "pub",
    "struct",
    "assert_eq!(a, b)",
    "—",
    "größer",
];

/// A megabyte of lines like those of a transcript; one in two hundred holds a secret.
fn transcript() -> Vec<String> {
    let mut numbers = Numbers(0x5EED);
    let mut lines = Vec::new();
    let mut size = 0;
    while size < 1_000_000 {
        let mut line = String::from("[2026-01-02 10:00] agent: ");
        for _ in 0..60 {
            line.push_str(numbers.pick(WORDS));
            line.push(' ');
        }
        if numbers.next().is_multiple_of(200) {
            let _written = write!(line, "export API_KEY={}", numbers.letters(32));
        }
        size += line.len();
        lines.push(line);
    }
    lines
}

#[divan::bench]
fn transcripts(bencher: Bencher<'_, '_>) {
    let engine = Engine::embedded();
    let lines = transcript();
    let size: usize = lines.iter().map(String::len).sum();
    bencher.counter(BytesCount::new(size)).bench(|| {
        lines
            .iter()
            .map(|line| engine.redact(line).as_str().len())
            .sum::<usize>()
    });
}

/// Texts that a careless engine reads again and again; each is a megabyte in one line.
#[divan::bench(args = [
    "base64", "hex", "password=", "sk-ant-", "eyJ-", "eyJa.", "\"kty\":", "curl ", "://", "token: ", "\\\"key\\\": \\\"",
    "-----BEGIN RSA PRIVATE KEY-----", "ghp_", "Cookie: a=", "Authorization: Bearer ", "AZDO", "[REDACTED:x]",
])]
fn worst(bencher: Bencher<'_, '_>, piece: &str) {
    let engine = Engine::embedded();
    let text = match piece {
        "base64" => Numbers(7).letters(1_000_000),
        "hex" => (0..62_500)
            .map(|at: u64| format!("{:016x}", at.wrapping_mul(0x9E37_79B9_7F4A_7C15)))
            .collect(),
        _ => piece.repeat(1_000_000 / piece.len()),
    };
    bencher
        .counter(BytesCount::new(text.len()))
        .bench(|| engine.redact(&text).as_str().len());
}

#[divan::bench]
fn engine() -> u32 {
    Engine::embedded().version()
}
