//! What must hold for every text: checked by tests over seeds and by a fuzz target.

use std::sync::LazyLock;

use super::{Counts, Engine, Seen, Settings};

/// Longest text that is checked, in bytes: the plain scan is slow on purpose.
const LONGEST: usize = 4096;

static ENGINE: LazyLock<Option<Engine>> = LazyLock::new(|| {
    let settings = Settings {
        personal: true,
        ..Settings::default()
    };
    Engine::with(&settings).ok()
});

/// Pieces that meet in transcripts: tokens, keys, quotes at all depths, frames, markers.
pub const PIECES: &[&str] = &[
    "\"",
    "\\\"",
    "\\\\\\\"",
    "'",
    "`",
    "\n",
    "\\n",
    "\\\\n",
    " ",
    "=",
    ": ",
    ":",
    ", ",
    "{",
    "}",
    "[",
    "]",
    "password",
    "\"password\": \"",
    "TOKEN=",
    "Authorization: Bearer ",
    "Cookie: sid=",
    "https://",
    "user:",
    "@host.example",
    "curl -u a:",
    "mysql -p",
    "-----BEGIN RSA PRIVATE KEY-----",
    "-----END RSA PRIVATE KEY-----",
    "[REDACTED:token]",
    "[REDACTED:",
    "\u{200b}",
    "ä",
    "→",
    "\u{1b}[32m",
    "<password>",
    "</password>",
    "&quot;",
    "\\u0022",
    "%22",
    "login x password ",
    "is ",
    "--password ",
    "sk-ant-api03-",
    "ghp_",
    "AKIA",
    "eyJ",
    ".",
    "/",
    "+",
    "-",
    "q7Wn3xP0zR5tLk8vB2cM6hJ4dF9gS1a",
    "ZJC8VEHFTT3PQR5B",
    "hunter2",
    "letmein",
    "${X}",
    "null",
    "12345678",
    ":5432:",
    "\"kty\": \"EC\", \"d\": \"",
    "Private-Lines: 2",
    "AZDO",
    "JQQJ99",
    "T3BlbkFJ",
    "-us12",
    ":AA",
    "X-Amz-Signature=",
    "kind: Secret\ndata:\n  a: ",
    "variable \"db_password\" { default = \"",
    "htpasswd -b f u ",
    "net use \\\\s\\d ",
    "printf '%s' '",
    " | gh secret set N",
    "IDENTIFIED BY ",
    "CREATE USER a ",
    "send \"",
    "('bob', '",
    "setPassword(\"",
    "<key>password</key>\n<string>",
    "|\n  ",
    "AAAA",
    "\t",
];

/// Checks a text made of bytes. With a first byte that is odd, each byte under 128 stands for one of
/// [`PIECES`], others for themselves; with an even one they are the text.
///
/// # Panics
/// When something does not hold.
pub fn text(bytes: &[u8]) {
    let (Some((first, rest)), Some(engine)) = (bytes.split_first(), ENGINE.as_ref()) else {
        return;
    };
    let mut text = String::new();
    if first % 2 == 0 {
        text.push_str(&String::from_utf8_lossy(rest));
    } else {
        for byte in rest {
            match PIECES.get(usize::from(*byte)) {
                Some(piece) => text.push_str(piece),
                None => text.push(char::from(byte % 128)),
            }
        }
    }
    if text.len() <= LONGEST {
        holds(engine, &text);
        json(engine, &text);
    }
}

/// Redacting twice changes nothing, with a memory or without; the windows miss nothing.
fn holds(engine: &Engine, text: &str) {
    let once = engine.redact(text);
    let twice = engine.redact(once.as_str());
    assert_eq!(once, twice, "redacted twice: {text:?}");
    let mut seen = Seen::new();
    let first = engine.redact_seen(text, &mut seen, &mut Counts::default());
    let again = engine.redact(first.as_str());
    let again = seen.mask(&again).unwrap_or(again);
    assert_eq!(again, first, "redacted with a memory: {text:?}");
    let (explained, findings) = engine.explain(text);
    let mut counts = Counts::default();
    assert_eq!(engine.redact_counting(text, &mut counts), explained);
    assert_eq!(counts.total(), findings.len() as u64, "told: {text:?}");
    if let Some(ready) = engine.ready() {
        let windowed = ready.scanner.rule_places(text);
        let plain = ready.scanner.rule_places_plainly(text);
        assert_eq!(windowed, plain, "windows: {text:?}");
    }
}

/// JSON stays JSON, with a memory or without: the text itself if it is any, and a document with the
/// text in it.
fn json(engine: &Engine, text: &str) {
    let reads = |document: &str| serde_json::from_str::<serde::de::IgnoredAny>(document).is_ok();
    let inner = serde_json::json!({ "password": text, "a": [text, { text: 1 }] }).to_string();
    let outer = serde_json::json!({ "text": inner, "n": 12_345_678 });
    let pretty = serde_json::to_string_pretty(&outer).unwrap_or_default();
    let mut seen = Seen::new();
    for document in [text, &inner, &outer.to_string(), &pretty] {
        if reads(document) {
            let hidden = engine.redact(document);
            assert!(reads(hidden.as_str()), "{document}\nbecame\n{hidden}");
            // Copies of what stood in another text of the unit are hidden, too.
            let hidden = engine.redact_seen(document, &mut seen, &mut Counts::default());
            assert!(reads(hidden.as_str()), "{document}\nmasked\n{hidden}");
        }
    }
}
