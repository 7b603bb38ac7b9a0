//! Base64 as secrets wear it: with the usual signs or those of addresses, padded or not.

/// Writes bytes in base64 with the usual signs, without padding.
pub(super) fn encode(bytes: &[u8]) -> String {
    const SIGNS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let bits = (0..3).fold(0u32, |bits, at| {
            bits << 8 | u32::from(group.get(at).copied().unwrap_or(0))
        });
        for place in 0..=group.len() {
            let six = bits >> (18 - 6 * place) & 0x3F;
            out.push(SIGNS.get(six as usize).copied().map_or('A', char::from));
        }
    }
    out
}

/// Reads base64 with either set of signs, padded or not; `None` if another sign stands in it.
pub(super) fn decode(text: &[u8]) -> Option<Vec<u8>> {
    let padding = text.iter().rev().take_while(|byte| **byte == b'=').count();
    let body = text.get(..text.len() - padding)?;
    if padding > 2 || body.len() % 4 == 1 {
        return None;
    }
    let mut out = Vec::with_capacity(body.len() * 3 / 4);
    let (mut bits, mut held) = (0u32, 0u32);
    for sign in body {
        bits = (bits << 6 | six(*sign)?) & 0xFFFF;
        held += 6;
        if held >= 8 {
            held -= 8;
            out.push((bits >> held & 0xFF) as u8);
        }
    }
    Some(out)
}

/// Reads base64 of a text that could have been typed: printable UTF-8, with line breaks.
pub(super) fn decode_text(text: &[u8]) -> Option<String> {
    let decoded = String::from_utf8(decode(text)?).ok()?;
    let typed = |sign: char| !sign.is_control() || matches!(sign, '\n' | '\r' | '\t');
    (!decoded.is_empty() && decoded.chars().all(typed)).then_some(decoded)
}

fn six(sign: u8) -> Option<u32> {
    let six = match sign {
        b'A'..=b'Z' => sign - b'A',
        b'a'..=b'z' => sign - b'a' + 26,
        b'0'..=b'9' => sign - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    };
    Some(u32::from(six))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_known_values_are_written_and_read() {
        for (plain, coded) in [
            ("f", "Zg"),
            ("fo", "Zm8"),
            ("foo", "Zm9v"),
            ("foob?>", "Zm9vYj8+"),
        ] {
            assert_eq!(encode(plain.as_bytes()), coded);
            assert_eq!(decode_text(coded.as_bytes()).as_deref(), Some(plain));
        }
        assert_eq!(decode(b"Zm9vYj8-"), decode(b"Zm9vYj8+"));
        assert_eq!(decode(b"Zg=="), Some(b"f".to_vec()));
    }

    #[test]
    fn what_is_no_base64_or_no_text_is_refused() {
        assert_eq!(decode(b"Zm9v!"), None);
        assert_eq!(decode(b"Zm9vY"), None);
        assert_eq!(decode_text(b"AAEC"), None);
    }
}
