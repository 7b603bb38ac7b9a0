//! Values that belong to a name without standing behind it: the default of a Terraform variable, the
//! answer to a prompt, the element after that of the name, the second of a user and a password.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::super::text::{before, byte, line_break, part, skip_blanks, stands};
use super::quote;
use super::value::{Value, value_at};

/// What answers a prompt.
static SEND: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new(b"send"));

/// Bytes of a block that are looked at.
const BLOCK: usize = 512;

/// The value of `default` or `value` in the block that begins behind a quoted name.
pub(super) fn block_default(text: &[u8], start: usize, closed: usize) -> Option<usize> {
    let open = skip_blanks(text, closed);
    if byte(text, open) != b'{' {
        return None;
    }
    let head = part(text, start.saturating_sub(16), start);
    let signs = head.iter().rev().take_while(|sign| b"\"\\".contains(sign));
    let head = part(head, 0, head.len() - signs.count());
    let declares = [&b"variable "[..], b"output "];
    if !declares.iter().any(|word| head.ends_with(word)) {
        return None;
    }
    let block = part(text, open + 1, open + BLOCK);
    let block = part(block, 0, end_of_block(block));
    let member = [&b"default"[..], b"value"].into_iter().find_map(|word| {
        let at = memchr::memmem::find(block, word)?;
        let sign = skip_blanks(block, at + word.len());
        (byte(block, sign) == b'=').then_some(sign + 1)
    })?;
    Some(skip_blanks(text, open + 1 + member))
}

fn end_of_block(block: &[u8]) -> usize {
    let mut depth = 1_i32;
    let closes = |sign: &u8| {
        depth += i32::from(*sign == b'{') - i32::from(*sign == b'}');
        depth == 0
    };
    block.iter().position(closes).unwrap_or(block.len())
}

/// The text of the element behind `</key>`.
pub(super) fn next_element(text: &[u8], at: usize) -> Option<usize> {
    if !stands(text, at, b"</key>") {
        return None;
    }
    let mut at = at + b"</key>".len();
    loop {
        at = match line_break(text, at) {
            0 => break,
            gap => skip_blanks(text, at + gap),
        };
    }
    const STRING: &[u8] = b"<string>";
    stands(text, at, STRING).then_some(at + STRING.len())
}

/// What is sent as the answer to a prompt: `expect "password:"`, then `send "…"`.
pub(super) fn answer(text: &[u8], end: usize) -> Option<Value> {
    let mut at = end;
    while matches!(byte(text, at), b':' | b'?' | b' ' | b'*') && at < end + 4 {
        at += 1;
    }
    let close = quote::closing_length(text, at);
    // Behind a name of JSON the quote comes first, and the colon then.
    if close == 0 || at == end {
        return None;
    }
    let window = part(text, at + close, at + close + 48);
    let sent = at + close + SEND.find(window)? + b"send".len();
    let sent = match stands(text, sent, b"line(") {
        true => sent + b"line(".len(),
        false => skip_blanks(text, sent),
    };
    let sent = match stands(text, sent, b"-- ") {
        true => skip_blanks(text, sent + b"-- ".len()),
        false => sent,
    };
    let mut value = value_at(text, sent, false)?;
    value.close?;
    // The key that ends the line is sent, too.
    for tail in [&b"\\r"[..], b"\\n"] {
        if part(text, value.start, value.end).ends_with(tail) {
            value.end -= tail.len();
        }
    }
    (before(text, value.end) == b'\\')
        .then(|| Value {
            end: value.end - 1,
            ..value
        })
        .or(Some(value))
}

/// The second of two texts in brackets: `('user', 'password')`.
pub(super) fn second_of_two(text: &[u8], at: usize) -> Option<Value> {
    if byte(text, at) != b'(' {
        return None;
    }
    let user = value_at(text, skip_blanks(text, at + 1), false)?;
    user.close?;
    let behind = user.end + quote::closing_length(text, user.end);
    if byte(text, behind) != b',' {
        return None;
    }
    let password = value_at(text, skip_blanks(text, behind + 1), false)?;
    password.close?;
    Some(password)
}
