//! YAML block scalars: a value on the lines behind its key.

use super::super::text::{byte, line_break, part, skip_blanks};

/// Longest block scalar that is followed, in bytes.
const BLOCK_LIMIT: usize = 16_384;

/// Start of the value of a YAML block scalar, or the place itself.
pub(super) fn block_scalar(text: &[u8], at: usize) -> usize {
    if !matches!(byte(text, at), b'|' | b'>') {
        return at;
    }
    let mut sign = at + 1;
    while sign < at + 3 && matches!(byte(text, sign), b'-' | b'+' | b'1'..=b'9') {
        sign += 1;
    }
    match line_break(text, sign) {
        0 => at,
        gap => skip_blanks(text, sign + gap),
    }
}

/// End of the lines of a block scalar whose first line begins at `start` and ends at `end`: those
/// that are indented as far.
pub(super) fn block_end(text: &[u8], start: usize, end: usize) -> usize {
    let indent = |at: usize| {
        let head = part(text, at.saturating_sub(40), at);
        head.iter().rev().take_while(|byte| **byte == b' ').count()
    };
    let first = indent(start);
    let mut end = end;
    while first > 0 && end < start + BLOCK_LIMIT {
        let gap = line_break(text, end);
        let line = skip_blanks(text, end + gap);
        let length = part(text, line, line + BLOCK_LIMIT)
            .iter()
            .take_while(|byte| !matches!(byte, 0..=31 | b'"' | b'\\'))
            .count();
        if gap == 0 || length == 0 || indent(line) < first {
            break;
        }
        end = line + length;
    }
    end
}
