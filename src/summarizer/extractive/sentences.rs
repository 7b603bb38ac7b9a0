//! Cuts a turn's body into sentences, list items and headings; leaves out what is no prose.
//!
//! Code, logs, tables, quotations and the wrappers that programs put around text are passed over.
//! Every sentence is a piece of the body as it stands; a sentence wrapped over lines holds its
//! line breaks.

use memchr::{memchr, memchr3_iter, memmem};

use super::noise::{is_noise, verses};

/// Where a sentence stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// In running text.
    Prose,
    /// In an item of a list.
    Item,
    /// It is a heading.
    Heading,
}

/// A piece of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sentence<'a> {
    /// Where it stands.
    pub(super) form: Form,
    /// Its text, without marks of lists and headings.
    pub(super) text: &'a str,
}

impl Sentence<'_> {
    /// Whether it introduces what follows it.
    pub(super) fn introduces(&self) -> bool {
        self.text
            .trim_end_matches(['*', '_', ' '])
            .ends_with([':', '：'])
    }

    /// Whether it asks.
    pub(super) fn asks(&self) -> bool {
        self.text
            .trim_end_matches(['*', '_', ' ', '"', '”', ')'])
            .ends_with(['?', '？', '؟'])
    }
}

/// A line shorter than this, in bytes, was not wrapped because it was full.
const WRAPPED_BYTES: usize = 50;
/// After so many wrappers without an end, no further end is looked for: keeps it linear.
const OPEN_WRAPPERS: usize = 16;

/// Cuts a body into its sentences.
pub(super) fn of(body: &str) -> Vec<Sentence<'_>> {
    let mut reader = Reader {
        body,
        open: None,
        sentences: Vec::new(),
        open_wrappers: 0,
    };
    reader.read();
    reader.sentences
}

struct Reader<'a> {
    body: &'a str,
    /// The paragraph being gathered: its form, start and end.
    open: Option<(Form, usize, usize)>,
    sentences: Vec<Sentence<'a>>,
    open_wrappers: usize,
}

impl<'a> Reader<'a> {
    fn read(&mut self) {
        let mut fence: Option<&str> = None;
        // Whether a paragraph begins here.
        let mut fresh = true;
        let mut at = 0;
        while at < self.body.len() {
            let rest = self.body.get(at..).unwrap_or_default();
            let length = memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
            let line = rest.get(..length).unwrap_or_default();
            let text = line.trim();
            let mark = text.get(..3).filter(|mark| matches!(*mark, "```" | "~~~"));
            match (fence, mark) {
                (Some(open), Some(mark)) if open == mark => fence = None,
                (Some(_), _) => {}
                (None, Some(mark)) => {
                    self.close();
                    // A fence that ends on its own line holds no lines.
                    fence =
                        (!text.get(3..).is_some_and(|rest| rest.contains(mark))).then_some(mark);
                }
                (None, None) => {
                    if let Some(past) = self.wrapper(rest, text) {
                        self.close();
                        at += past;
                        continue;
                    }
                    let begins = std::mem::replace(&mut fresh, text.is_empty());
                    if begins
                        && text.ends_with([',', ';', '—', '–', '.', '*'])
                        && let Some(past) = verses(rest)
                    {
                        self.close();
                        at += past;
                        continue;
                    }
                    self.line(at, line, text);
                }
            }
            at += length + 1;
        }
        self.close();
    }

    /// Length of a wrapper `<name …>…</name>` at the beginning of `rest`, if one stands there.
    fn wrapper(&mut self, rest: &str, text: &str) -> Option<usize> {
        let tag = text.strip_prefix('<')?;
        let length = tag
            .bytes()
            .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
            .count();
        let name = tag.get(..length).filter(|name| !name.is_empty())?;
        if self.open_wrappers >= OPEN_WRAPPERS {
            return None;
        }
        let end = format!("</{name}>");
        let found = memmem::find(rest.as_bytes(), end.as_bytes()).map(|at| at + end.len());
        if found.is_none() {
            self.open_wrappers += 1;
        }
        found
    }

    fn line(&mut self, at: usize, line: &'a str, text: &'a str) {
        if text.is_empty() || is_noise(text) {
            self.close();
            return;
        }
        let start = at + (line.len() - line.trim_start().len());
        let end = start + text.len();
        if let Some(heading) = heading(text) {
            self.close();
            self.open = Some((Form::Heading, end - heading.len(), end));
            self.close();
        } else if let Some(item) = item(text) {
            self.close();
            self.open = Some((Form::Item, end - item.len(), end));
        } else if self.continues(text) {
            self.open = self.open.map(|(form, from, _)| (form, from, end));
        } else {
            self.close();
            self.open = Some((Form::Prose, start, end));
        }
    }

    /// Whether a line goes on with the sentence of the line before it.
    fn continues(&self, text: &str) -> bool {
        let Some((_, from, until)) = self.open else {
            return false;
        };
        let before = self.body.get(from..until).unwrap_or_default();
        let last = before.rsplit('\n').next().unwrap_or_default();
        last.len() >= WRAPPED_BYTES
            && !last.ends_with(['.', '!', '?', ':', ';', '。', '！', '？'])
            && text.starts_with(|c: char| c.is_lowercase() || c.is_numeric() || "(`'\"".contains(c))
    }

    fn close(&mut self) {
        if let Some((form, from, until)) = self.open.take() {
            let paragraph = self.body.get(from..until).unwrap_or_default();
            split(paragraph, |text| {
                self.sentences.push(Sentence { form, text });
            });
        }
    }
}

pub(super) fn heading(text: &str) -> Option<&str> {
    let rest = text.trim_start_matches('#');
    let depth = text.len() - rest.len();
    ((1..=6).contains(&depth) && rest.starts_with(' ')).then(|| rest.trim_start())
}

pub(super) fn item(text: &str) -> Option<&str> {
    let bare = [
        "- ", "* ", "+ ", "• ", "– ", "— ", "✓ ", "✔ ", "✅ ", "❌ ", "⚠️ ",
    ]
    .iter()
    .find_map(|mark| text.strip_prefix(mark));
    let numbered = || {
        let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
        let digits = text.len() - rest.len();
        let rest = rest
            .strip_prefix(". ")
            .or_else(|| rest.strip_prefix(") "))?;
        (1..=3).contains(&digits).then_some(rest)
    };
    let rest = bare.or_else(numbered)?.trim_start();
    let boxed = ["[ ] ", "[x] ", "[X] "];
    Some(
        boxed
            .iter()
            .find_map(|mark| rest.strip_prefix(mark))
            .unwrap_or(rest),
    )
}

/// Cuts a paragraph at the ends of its sentences.
fn split<'a>(paragraph: &'a str, mut each: impl FnMut(&'a str)) {
    let mut start = 0;
    let mut push = |start: usize, end: usize| {
        let text = paragraph.get(start..end).unwrap_or_default().trim();
        if text.chars().any(char::is_alphanumeric) {
            each(text);
        }
    };
    if paragraph.is_ascii() {
        for at in memchr3_iter(b'.', b'!', b'?', paragraph.as_bytes()) {
            if let Some(end) = end_of_sentence(paragraph, start, at) {
                push(start, end);
                start = end;
            }
        }
    } else {
        for (at, c) in paragraph.char_indices() {
            let end = match c {
                '.' | '!' | '?' => end_of_sentence(paragraph, start, at),
                '。' | '！' | '？' | '؟' | '।' => Some(at + c.len_utf8()),
                _ => None,
            };
            if let Some(end) = end.filter(|end| *end > start) {
                push(start, end);
                start = end;
            }
        }
    }
    push(start, paragraph.len());
}

/// Words before a full stop that does not end a sentence.
const ABBREVIATIONS: &[&str] = &[
    "e.g", "i.e", "etc", "vs", "mr", "mrs", "ms", "dr", "approx", "resp", "cf", "no", "nr", "incl",
    "z.b", "d.h", "bzw", "ca", "p.ej", "ej", "sr", "sra", "p.ex", "ex",
];

/// How the names of months begin that stand after a day and a full stop.
const MONTHS: &[&str] = &[
    "Januar",
    "Jänner",
    "Februar",
    "März",
    "April",
    "Mai",
    "Juni",
    "Juli",
    "August",
    "September",
    "Oktober",
    "November",
    "Dezember",
];

/// Those of them that may end a sentence too.
const ENDING: &[&str] = &["etc", "no", "nr", "ca", "ex", "ej", "approx", "incl"];

/// The end of the sentence whose full stop (or `!`, `?`) stands at `at`, if it ends one.
fn end_of_sentence(paragraph: &str, start: usize, at: usize) -> Option<usize> {
    let rest = paragraph.get(at..)?;
    let after = paragraph.get(at + 1..)?;
    // Of a run of marks only the last can end it, which keeps long runs linear.
    if after.starts_with(['.', '!', '?']) {
        return None;
    }
    let tail = after.trim_start_matches(['"', '\'', ')', '*', '`', '_', '”', '»']);
    let end = paragraph.len() - tail.len();
    if !(tail.is_empty() || tail.starts_with(char::is_whitespace)) {
        return None;
    }
    let lower = tail.trim_start().starts_with(|c: char| c.is_lowercase());
    // The end of words quoted within a sentence: "Stop!" he said.
    if lower && tail.len() < after.len() && after.starts_with(['"', '”', '»']) {
        return None;
    }
    if rest.starts_with('.') {
        let before = paragraph.get(start..at)?;
        let word = before
            .rsplit(|c: char| c.is_whitespace() || c == '(')
            .next()
            .unwrap_or_default();
        let known = ABBREVIATIONS
            .iter()
            .any(|known| known.eq_ignore_ascii_case(word));
        let ordinal =
            !word.is_empty() && word == before.trim() && word.bytes().all(|b| b.is_ascii_digit());
        let ends = ENDING.iter().any(|known| known.eq_ignore_ascii_case(word));
        // A day of the month: "19. Juni", "am 19. oder 20.".
        let day = matches!(word.len(), 1 | 2) && word.bytes().all(|b| b.is_ascii_digit());
        let next = tail.trim_start();
        if day && (lower || MONTHS.iter().any(|month| next.starts_with(month))) {
            return None;
        }
        if ordinal || (known && (lower || !ends)) {
            return None;
        }
    }
    Some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(body: &str) -> Vec<&str> {
        of(body).into_iter().map(|sentence| sentence.text).collect()
    }

    #[test]
    fn prose_is_cut_at_full_stops_that_end_a_sentence() {
        assert_eq!(
            texts("Use v1.2 of `a.rs`, e.g. the new one. It works! Does it? yes (it does.) End"),
            [
                "Use v1.2 of `a.rs`, e.g. the new one.",
                "It works!",
                "Does it?",
                "yes (it does.)",
                "End"
            ]
        );
        assert_eq!(
            texts("Wir nehmen den 19. Juni. Es bleibt bei 19. Danke."),
            ["Wir nehmen den 19. Juni.", "Es bleibt bei 19.", "Danke."]
        );
        assert_eq!(
            texts("修好了。为什么？因为编码。"),
            ["修好了。", "为什么？", "因为编码。"]
        );
    }

    #[test]
    fn code_logs_tables_quotes_and_wrappers_are_passed_over() {
        let body = "Before\n```rust\nlet x = 1.0;\n```\n| a | b |\n> quoted words here\n---\n\
            <system-note>\nhidden words\n</system-note>\n2026-10-19T21:05:00Z started\n\
            let y = f(x);\n\\[2026-10-19 21:05] user: pasted\nAfter";
        assert_eq!(texts(body), ["Before", "After"]);
    }

    #[test]
    fn headings_and_items_lose_their_marks_and_keep_their_form() {
        let forms: Vec<_> = of("## Fixed\n- first thing\n2. second thing\nplain")
            .into_iter()
            .map(|sentence| (sentence.form, sentence.text))
            .collect();
        assert_eq!(
            forms,
            [
                (Form::Heading, "Fixed"),
                (Form::Item, "first thing"),
                (Form::Item, "second thing"),
                (Form::Prose, "plain")
            ]
        );
    }

    #[test]
    fn verses_are_passed_over_and_short_requests_are_not() {
        assert_eq!(
            texts(
                "Here it is:\n\nThe lamps grow dim,\nThe road is long,\nAnd so is my song.\n\nIt stands in the page."
            ),
            ["Here it is:", "It stands in the page."]
        );
        assert_eq!(
            texts("Fix the export\nAdd a test\nUpdate the notes"),
            ["Fix the export", "Add a test", "Update the notes"]
        );
    }

    #[test]
    fn a_sentence_wrapped_over_lines_stays_one() {
        let body = "The import of the invoices fails since the last release and\nnobody knows why.\nShort line\nanother line";
        assert_eq!(
            texts(body),
            [
                "The import of the invoices fails since the last release and\nnobody knows why.",
                "Short line",
                "another line"
            ]
        );
    }

    #[test]
    fn an_open_fence_and_an_open_wrapper_end_with_the_body() {
        assert_eq!(texts("a word\n```\ncode"), ["a word"]);
        assert_eq!(texts("<open\na word"), ["a word"]);
    }
}
