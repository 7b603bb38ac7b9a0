//! Redaction: throughput on generated transcripts and on texts made to be slow.

use std::fmt::Write as _;

use divan::Bencher;
use divan::counter::BytesCount;
use jezero::redaction::{Counts, Engine, Redacted, Seen};

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
    "is",
    "read",
    "from",
    "and",
    "to",
    "client",
    "error:",
    "expected",
    "found",
    "fn",
    "main()",
    "let",
    "=",
    "value;",
    "\\n",
    "tests",
    "src/lib.rs:42",
    "commit",
    "4f9d2b7c1e8a",
    "storage",
    "because",
    "release",
    "branch",
    "crates",
    "pub",
    "struct",
    "assert_eq!(a, b)",
    "—",
    "größer",
];

/// Words at which the engine stops to look: names of secrets, what only looks like one, addresses.
const NAMES: &[&str] = &[
    "token",
    "config.api_key",
    "passed",
    "key",
    "auth",
    "cookie",
    "access",
    "session",
    "path",
    "id",
    "string",
    "https://docs.example/page",
];

/// One word in so many is of [`NAMES`], so that the engine finds 4,700 words a megabyte to look at, 2,800
/// of them `key`, `pass`, `auth`, `token` or `cookie`. In real transcripts it is 4,900 and 850.
const REAL: u64 = 25;
/// Six times as many as in real transcripts.
const CROWDED: u64 = 4;

/// A megabyte of lines like those of a transcript; one in two hundred holds a secret.
fn transcript(names: u64) -> Vec<String> {
    let mut numbers = Numbers(0x5EED);
    let mut lines = Vec::new();
    let mut size = 0;
    while size < 1_000_000 {
        let mut line = String::from("[2026-01-02 10:00] agent: ");
        for _ in 0..60 {
            let list = match numbers.next().is_multiple_of(names) {
                true => NAMES,
                false => WORDS,
            };
            line.push_str(numbers.pick(list));
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

/// How many names of secrets there are decides the pace.
#[divan::bench(args = [REAL, CROWDED])]
fn transcripts(bencher: Bencher<'_, '_>, names: u64) {
    let engine = Engine::embedded();
    let lines = transcript(names);
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
    "base64", "hex", "secrets", "secrets in one line", "password=", "password: \"a", "sk-ant-", "sk-ant-api03-abc\n", "eyJ-", "eyJa.", "\"kty\":", "curl ", "://", "a://",
    "a://b:", "otpauth://", "token: ", "key ", "vault ", "bearer a", "\\\"key\\\": \\\"", "-----BEGIN RSA PRIVATE KEY-----",
    "ghp_", "Cookie: a=", "Authorization: Bearer ", "AZDO", "AAAA", "-us", "kind: Secret\ndata:\n ", "password: |\n a\n",
    "[REDACTED:x]",
])]
fn worst(bencher: Bencher<'_, '_>, piece: &str) {
    let engine = Engine::embedded();
    let text = match piece {
        "base64" => Numbers(7).letters(1_000_000),
        "hex" => (0..62_500)
            .map(|at: u64| format!("{:016x}", at.wrapping_mul(0x9E37_79B9_7F4A_7C15)))
            .collect(),
        "secrets" => (0..30_000)
            .map(|at: u64| format!("export DB_PASSWORD=h{at}unter{}\n", at % 7))
            .collect(),
        "secrets in one line" => (0..30_000)
            .map(|at: u64| format!("export DB_PASSWORD=h{at}unter{} ", at % 7))
            .collect(),
        _ => piece.repeat(1_000_000 / piece.len()),
    };
    bencher
        .counter(BytesCount::new(text.len()))
        .bench(|| engine.redact(&text).as_str().len());
}

/// Copies of hidden values are looked for at the same pace however many are known.
#[divan::bench(args = [1, 16, 256])]
fn seen(bencher: Bencher<'_, '_>, values: usize) {
    let engine = Engine::embedded();
    let mut numbers = Numbers(0xC0DE);
    let mut memory = Seen::new();
    for at in 0..values {
        let text = format!("DB_PASSWORD={}", numbers.letters(12 + at % 100));
        let _hidden = engine.redact_seen(&text, &mut memory, &mut Counts::default());
    }
    let lines: Vec<Redacted> = transcript(REAL)
        .iter()
        .map(|line| engine.redact(line))
        .collect();
    let size: usize = lines.iter().map(|line| line.as_str().len()).sum();
    bencher.counter(BytesCount::new(size)).bench(|| {
        lines
            .iter()
            .filter(|line| memory.mask(line).is_some())
            .count()
    });
}

#[divan::bench]
fn engine() -> u32 {
    Engine::embedded().version()
}
