//! Which rule hides what in a text, told without the secret.

use serde::Serialize;
use sha2::{Digest, Sha256};

use super::span::{self, Span, ceiling, floor};
use super::{Counts, Engine, PASSES, Redacted};

/// A place that is hidden.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Id of what hides it.
    pub rule: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// Length in bytes.
    pub bytes: usize,
    /// SHA-256 of the value, as `allow_sha256` takes it.
    pub sha256: String,
    /// Where it begins in the text.
    #[serde(skip)]
    start: usize,
}

impl Engine {
    /// Hides secrets in a text and tells every place, in the order of the text.
    ///
    /// Copies that only [`Engine::redact_seen`] finds are not among them.
    #[must_use]
    pub fn explain(&self, text: &str) -> (Redacted, Vec<Finding>) {
        let mut findings = Vec::new();
        let ready = self.ready().filter(|_| self.settings.enabled);
        let Some(ready) = ready else {
            return (self.redact(text), findings);
        };
        let mut current = text.to_owned();
        let mut places = Places(vec![(0, 0)]);
        for _ in 0..PASSES {
            let spans = ready.spans(&current);
            if spans.is_empty() {
                break;
            }
            for span in &spans {
                let value = current.get(span.start..span.end).unwrap_or_default();
                findings.push(Finding {
                    rule: span.id.to_owned(),
                    line: 0,
                    column: 0,
                    bytes: value.len(),
                    sha256: hex(&digest(value)),
                    start: places.original(span.start),
                });
            }
            places = places.after(&current, &spans);
            current = span::hide(&current, &spans, &mut Counts::default());
        }
        findings.sort_by_key(|finding| finding.start);
        number(text, &mut findings);
        (Redacted::seal(current), findings)
    }
}

/// What a value is known by in `allow_sha256`.
pub(super) fn digest(value: &str) -> [u8; 32] {
    Sha256::digest(value.as_bytes()).into()
}

fn hex(digest: &[u8; 32]) -> String {
    let digit = |nibble: u8| char::from_digit(u32::from(nibble), 16).unwrap_or('0');
    digest
        .iter()
        .flat_map(|byte| [digit(byte >> 4), digit(byte & 15)])
        .collect()
}

/// Fills in lines and columns of findings in the order of the text.
fn number(text: &str, findings: &mut [Finding]) {
    let (mut line, mut line_start, mut from) = (1, 0, 0);
    for finding in findings {
        let before = text.get(from..finding.start).unwrap_or_default();
        line += memchr::memchr_iter(b'\n', before.as_bytes()).count();
        if let Some(at) = before.rfind('\n') {
            line_start = from + at + 1;
        }
        from = finding.start;
        let within = text.get(line_start..from).unwrap_or_default();
        (finding.line, finding.column) = (line, within.chars().count() + 1);
    }
}

/// Where places of a text that was redacted in part stand in the first text: pairs of both, each
/// good from there on.
struct Places(Vec<(usize, usize)>);

impl Places {
    fn original(&self, at: usize) -> usize {
        let behind = self.0.partition_point(|(place, _)| *place <= at);
        let last = behind.checked_sub(1).and_then(|last| self.0.get(last));
        last.map_or(at, |(place, original)| original + (at - place))
    }

    /// The places once markers stand for the spans, which are in order and apart.
    fn after(&self, text: &str, spans: &[Span<'_>]) -> Self {
        let mut moved: Vec<(usize, usize)> = Vec::new();
        let mut old = self.0.iter().copied().peekable();
        // How far what is behind the spans so far has moved.
        let (mut added, mut removed) = (0, 0);
        for span in spans {
            let (start, end) = (floor(text, span.start), ceiling(text, span.end));
            while let Some((place, original)) = old.next_if(|(place, _)| *place <= start) {
                moved.push((place + added - removed, original));
            }
            while old.next_if(|(place, _)| *place < end).is_some() {}
            added += span.marker_length();
            removed += end - start;
            moved.push((end + added - removed, self.original(end)));
        }
        moved.extend(old.map(|(place, original)| (place + added - removed, original)));
        Self(moved)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_is_told_by_line_and_column_and_digest() {
        let secret = "quaint-Otter-77-parade";
        let text = format!("é ok\nDB_PASSWORD={secret}\npadding\nAPI_PASSWORD={secret} x\n");
        let (redacted, findings) = Engine::embedded().explain(&text);
        assert!(!redacted.as_str().contains(secret));
        let told: Vec<_> = findings
            .iter()
            .map(|found| (found.rule.as_str(), found.line, found.column, found.bytes))
            .collect();
        assert_eq!(
            told,
            [
                ("password", 2, 13, secret.len()),
                ("password", 4, 14, secret.len())
            ]
        );
        assert_eq!(findings[0].sha256, findings[1].sha256);
        assert_eq!(findings[0].sha256, hex(&digest(secret)));
        assert_eq!(
            hex(&digest("abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }

    #[test]
    fn places_are_those_of_the_first_text_after_several_passes() {
        let text = "aaaa bbbb cccc dddd";
        let span = |start, end, id| Span {
            start,
            end,
            id,
            rank: span::Rank::Structure,
            secret: true,
            bare: false,
        };
        let first = [span(0, 4, "x"), span(10, 14, "yy")];
        let places = Places(vec![(0, 0)]).after(text, &first);
        let hidden = span::hide(text, &first, &mut Counts::default());
        assert_eq!(hidden, "[REDACTED:x] bbbb [REDACTED:yy] dddd");
        let at = |places: &Places, hidden: &str, word: &str| {
            places.original(hidden.find(word).expect("the word"))
        };
        assert_eq!(
            (at(&places, &hidden, "bbbb"), at(&places, &hidden, "dddd")),
            (5, 15)
        );
        let from = hidden.find("bbbb").expect("the word");
        let second = [span(from, from + 4, "z")];
        let places = places.after(&hidden, &second);
        let hidden = span::hide(&hidden, &second, &mut Counts::default());
        assert_eq!(at(&places, &hidden, "dddd"), 15);
    }
}
