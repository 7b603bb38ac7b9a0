//! What an expression needs at least: how many bytes, and which bytes at all. Asked before the
//! expression itself, since where keywords stand close together most of them begin no token.

use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind};

/// Most bytes that are compared; a longer least length asks for no more.
const COMPARED: usize = 48;

/// The needs of an expression.
#[derive(Debug, Clone)]
pub(super) struct Least {
    length: usize,
    used: Box<[bool; 256]>,
}

impl Least {
    /// Reads an expression over bytes with ASCII classes; `None` if it is none.
    pub(super) fn of(expression: &str, ignore_case: bool) -> Option<Self> {
        let hir = ParserBuilder::new()
            .unicode(false)
            .utf8(false)
            .case_insensitive(ignore_case)
            .build()
            .parse(expression)
            .ok()?;
        let mut used = Box::new([false; 256]);
        gather(&hir, &mut used);
        Some(Self {
            length: hir.properties().minimum_len()?,
            used,
        })
    }

    /// Bytes of the shortest match.
    pub(super) fn length(&self) -> usize {
        self.length
    }

    /// Whether a byte may stand in a match.
    pub(super) fn uses(&self, byte: u8) -> bool {
        self.used.get(usize::from(byte)).copied().unwrap_or(true)
    }

    /// Whether the expression may match a text from its first byte on.
    pub(super) fn fits(&self, text: &[u8]) -> bool {
        let used = |byte: &u8| self.uses(*byte);
        text.len() >= self.length && text.iter().take(self.length.min(COMPARED)).all(used)
    }
}

/// Notes every byte that may stand in a match.
fn gather(hir: &Hir, used: &mut [bool; 256]) {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => {
            for byte in &literal.0 {
                mark(used, *byte, *byte);
            }
        }
        HirKind::Class(Class::Bytes(class)) => {
            for range in class.iter() {
                mark(used, range.start(), range.end());
            }
        }
        HirKind::Class(Class::Unicode(class)) => {
            for range in class.iter() {
                let (start, end) = (u32::from(range.start()), u32::from(range.end()));
                mark(used, start.min(128) as u8, end.min(255) as u8);
                if end > 127 {
                    mark(used, 128, 255);
                }
            }
        }
        HirKind::Repetition(repetition) => gather(&repetition.sub, used),
        HirKind::Capture(capture) => gather(&capture.sub, used),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().for_each(|part| gather(part, used));
        }
    }
}

fn mark(used: &mut [bool; 256], start: u8, end: u8) {
    for byte in start..=end {
        if let Some(slot) = used.get_mut(usize::from(byte)) {
            *slot = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_too_short_or_with_other_bytes_fits_no_expression() {
        let least = Least::of("ab_[0-9a-f]{4,}(?:x|yz)", false).expect("an expression");
        for (text, fits) in [
            ("ab_12cdx", true),
            ("ab_12cd", false),
            ("ab_1\n2cdx", false),
            ("zz_12cdx", true),
        ] {
            assert_eq!(least.fits(text.as_bytes()), fits, "{text}");
        }
        let least = Least::of("key[^ ]{2}", true).expect("an expression");
        assert!(least.fits("KEYäb".as_bytes()) && !least.fits(b"key"));
    }
}
