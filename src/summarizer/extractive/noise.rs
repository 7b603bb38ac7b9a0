//! Tells code, logs, tables and what else programs print from prose, a line at a time; and poems, a
//! paragraph at a time.

use std::sync::LazyLock;

use super::sentences::{heading, item};

/// Bytes looked at to tell code from prose.
const SAMPLE_BYTES: usize = 120;

/// Longest verse of a poem, in bytes.
const VERSE_BYTES: usize = 70;

/// How lines begin that programs print, in prompts above all.
const PRINTED: &[&str] = &[
    "==",
    "**",
    "##",
    "create mode ",
    "delete mode ",
    "[attachment: ",
    "(no text)",
    "Author: ",
    "Commit: ",
    "Date: ",
    "❯ ",
    "➜ ",
    "% ",
    "PASS",
    "ok  ",
    "[INFO",
    "[DEBUG",
    "[WARN",
    "INFO ",
    "DEBUG ",
    "WARN ",
    "npm ",
    "go: ",
    "bash: ",
    "zsh: ",
    "fatal: ",
    "Traceback (",
    "Co-Authored-By",
    "Co-authored-by",
];

/// The first bytes of [`PRINTED`]: most lines begin with none of them.
static FIRST: LazyLock<[bool; 256]> = LazyLock::new(|| {
    let mut first = [false; 256];
    for byte in PRINTED.iter().filter_map(|start| start.bytes().next()) {
        if let Some(known) = first.get_mut(usize::from(byte)) {
            *known = true;
        }
    }
    first
});

/// Whether a line is a rule, a table, a quotation, code or a line of a log.
pub(super) fn is_noise(text: &str) -> bool {
    let Some(first) = text.chars().next() else {
        return true;
    };
    if matches!(first, '|' | '>' | '{' | '}' | '<' | '\\' | '$')
        || ('\u{2500}'..='\u{25FF}').contains(&first)
    {
        return true;
    }
    let emphasised =
        text.starts_with("**") && text.get(2..).is_some_and(|rest| rest.contains("**"));
    let printed = text
        .bytes()
        .next()
        .and_then(|first| FIRST.get(usize::from(first)));
    if printed == Some(&true)
        && PRINTED.iter().any(|start| text.starts_with(start))
        && heading(text).is_none()
        && !emphasised
    {
        return true;
    }
    // A field of an object in JSON.
    if text.starts_with('"') && text.contains("\": ") {
        return true;
    }
    // A source that is named and linked, nothing more.
    if item(text).unwrap_or(text).starts_with('[') && text.ends_with(')') {
        return true;
    }
    if text.ends_with(['{', ';', '}']) || text.ends_with("});") || text.starts_with("//") {
        return true;
    }
    if [
        "at ", "File \"", "import ", "from \"", "#!/", "--- ", "+++ ", "@@ ",
    ]
    .iter()
    .any(|start| text.starts_with(start))
        && text.bytes().filter(|byte| *byte == b' ').count() < 6
    {
        return true;
    }
    // Time stamps of logs: 2026-10-19T…, 12:05:01.
    let digits = text.bytes().take(8).filter(u8::is_ascii_digit).count();
    if digits >= 6 && text.len() > 8 {
        return true;
    }
    let (mut letters, mut signs, mut all) = (0_usize, 0_usize, 0_usize);
    for byte in text.bytes().take(SAMPLE_BYTES) {
        all += 1;
        if byte.is_ascii_alphabetic() || byte >= 0x80 {
            letters += 1;
        } else if matches!(
            byte,
            b'{' | b'}'
                | b'['
                | b']'
                | b'<'
                | b'>'
                | b'='
                | b';'
                | b'|'
                | b'\\'
                | b'+'
                | b'^'
                | b'~'
                | b'_'
                | b'$'
                | b'/'
        ) {
            signs += 1;
        }
    }
    letters * 3 < all || (signs * 6 > all && !text.contains(' ')) || signs * 5 > all
}

/// Length of the verses at the beginning of `rest`, if the paragraph there is a poem's.
pub(super) fn verses(rest: &str) -> Option<usize> {
    let (mut lines, mut breaks, mut length) = (0_usize, 0_usize, 0_usize);
    for line in rest.split_inclusive('\n') {
        let text = line.trim();
        if text.is_empty() {
            break;
        }
        let verse = (8..=VERSE_BYTES).contains(&text.len())
            && text.starts_with(|c: char| c.is_uppercase() || "*_\"“".contains(c))
            && !text.ends_with(':')
            && !text
                .bytes()
                .any(|byte| byte.is_ascii_digit() || byte == b'`');
        if !verse {
            return None;
        }
        lines += 1;
        length += line.len();
        let last = text.trim_end_matches(['*', '_', ' ', '\\']);
        breaks += usize::from(last.ends_with([',', ';', '—', '–']));
    }
    (lines >= 3 && breaks * 3 >= lines).then_some(length)
}
