//! Makes Claude Code sessions of realistic shape for benchmarks: the same bytes for the same seed.
//!
//! Shares of record types and sizes follow what was counted in real transcripts: half of the bytes
//! are tool results that are not rendered, a third structured copies of them, a tenth prose.

use std::fmt::Write as _;
use std::io::{self, Write};

/// A small source of numbers; quality does not matter here, repeatability does.
#[derive(Debug, Clone)]
pub(crate) struct Numbers(u64);

impl Numbers {
    /// Starts with a seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// The next number below `limit`.
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

const WORDS: &str = "the import fails when a token is read from config before server starts we should \
    decide whether to cache postings because memory grows with each request and tests pass only on \
    linux error in module storage path factura contraseña naïve 検索 日本語 update function returns \
    value instead of option unwrap panics fixed by checking length first";

/// Words in the form that stands inside of a JSON string.
fn prose(numbers: &mut Numbers, words: u64) -> String {
    let known: Vec<&str> = WORDS.split_whitespace().collect();
    let mut out = String::new();
    for at in 1..=words {
        let index = usize::try_from(numbers.below(known.len() as u64)).unwrap_or(0);
        out.push_str(known.get(index).copied().unwrap_or("word"));
        out.push_str(if at % 17 == 0 { ".\\n" } else { " " });
    }
    out
}

/// A uuid of the generator's own.
pub(crate) fn uuid(numbers: &mut Numbers) -> String {
    let (a, b) = (numbers.below(1 << 48), numbers.below(1 << 48));
    format!("{:08x}-{:04x}-4000-8000-{b:012x}", a >> 16, a & 0xffff)
}

/// One record as a line, newline included.
pub(crate) fn record(numbers: &mut Numbers, at: u64, session: &str) -> String {
    let id = uuid(numbers);
    let (hour, minute, second) = (at / 3600 % 24, at / 60 % 60, at % 60);
    let envelope = format!(
        "\"parentUuid\":null,\"isSidechain\":false,\"userType\":\"external\",\"cwd\":\"/home/me/code/atlas\",\
         \"sessionId\":\"{session}\",\"version\":\"2.1.91\",\"gitBranch\":\"main\",\"uuid\":\"{id}\",\
         \"timestamp\":\"2026-10-19T{hour:02}:{minute:02}:{second:02}.123Z\""
    );
    let message = |role: &str, content: &str| {
        format!(
            "{{\"type\":\"{role}\",\"message\":{{\"role\":\"{role}\",\"content\":{content}}},{envelope}"
        )
    };
    let mut line = match numbers.below(10) {
        0 => message("user", &format!("\"{}\"", prose(numbers, 60))),
        1 | 2 => {
            let text = prose(numbers, 90);
            message(
                "assistant",
                &format!("[{{\"type\":\"text\",\"text\":\"{text}\"}}]"),
            )
        }
        3..=5 => {
            let words = prose(numbers, 8);
            let call = format!(
                "[{{\"type\":\"tool_use\",\"id\":\"toolu_{at}\",\"name\":\"Bash\",\
                 \"input\":{{\"command\":\"cargo test --lib {words}\"}}}}]"
            );
            message("assistant", &call)
        }
        6..=8 => {
            let words = 200 + numbers.below(400);
            let output = prose(numbers, words);
            let failed = numbers.below(25) == 0;
            let result = format!(
                "[{{\"type\":\"tool_result\",\"tool_use_id\":\"toolu_{at}\",\"is_error\":{failed},\
                 \"content\":\"{output}\"}}]"
            );
            let copy = format!(",\"toolUseResult\":{{\"stdout\":\"{output}\",\"stderr\":\"\"}}");
            message("user", &result) + &copy
        }
        _ => {
            let bar = "=".repeat(400);
            let mut line =
                String::from("{\"type\":\"progress\",\"data\":{\"type\":\"bash_progress\"");
            let _written = write!(line, ",\"output\":\"{bar}\"}},{envelope}");
            line
        }
    };
    line.push_str("}\n");
    line
}

/// Writes a session of about `bytes` bytes.
///
/// # Errors
/// What the writer says.
pub(crate) fn session(seed: u64, bytes: usize, out: &mut impl Write) -> io::Result<()> {
    let mut numbers = Numbers::new(seed);
    let id = uuid(&mut numbers);
    let (mut written, mut at) = (0, 0);
    while written < bytes {
        let line = record(&mut numbers, at, &id);
        out.write_all(line.as_bytes())?;
        written += line.len();
        at += 1;
    }
    Ok(())
}
