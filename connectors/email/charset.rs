//! Bytes to text, by what a mail says of its charset and by what the bytes are.
//!
//! Nothing fails here: what belongs to no charset becomes U+FFFD.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

/// Decodes bytes under a declared label, as far as it can be right.
///
/// A label is looked up as browsers do (so `iso-8859-1` is `windows-1252`). One that is unknown or
/// says ASCII gives way to what the bytes are.
pub(super) fn decode(bytes: &[u8], label: Option<&[u8]>) -> String {
    let label = label.unwrap_or_default().trim_ascii();
    let upper = label.to_ascii_uppercase();
    if matches!(upper.as_slice(), b"UTF-7" | b"UNICODE-1-1-UTF-7") {
        return utf7(bytes);
    }
    let plain = matches!(
        upper.as_slice(),
        b"" | b"US-ASCII"
            | b"ASCII"
            | b"ANSI_X3.4-1968"
            | b"X-UNKNOWN"
            | b"UNKNOWN-8BIT"
            | b"UNKNOWN"
            | b"DEFAULT"
    );
    let known = match upper.as_slice() {
        // Names that mail uses and browsers do not know.
        b"UTF8" | b"UTF-8MB4" => Some(UTF_8),
        b"CP932" | b"MS932" => Some(encoding_rs::SHIFT_JIS),
        b"CP936" => Some(encoding_rs::GBK),
        b"CP949" => Some(encoding_rs::EUC_KR),
        b"CP950" => Some(encoding_rs::BIG5),
        b"ISO-2022-KR" => None,
        _ => Encoding::for_label(label),
    };
    match known.filter(|_| !plain) {
        Some(encoding) => {
            let (text, _, damaged) = encoding.decode(bytes);
            if damaged && encoding != UTF_8 && std::str::from_utf8(bytes).is_ok() {
                return String::from_utf8_lossy(bytes).into_owned();
            }
            text.into_owned()
        }
        None => guess(bytes).into_owned(),
    }
}

/// Decodes bytes of which nothing is said: UTF-8 if they are, a Japanese escape code if there is
/// one, else what the letters look like.
pub(super) fn guess(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes)
        && !bytes.contains(&0x1b)
    {
        return Cow::Borrowed(text);
    }
    let escapes: [&[u8]; 3] = [b"\x1b$B", b"\x1b$@", b"\x1b(J"];
    if escapes
        .iter()
        .any(|escape| memchr::memmem::find(bytes, escape).is_some())
    {
        return encoding_rs::ISO_2022_JP.decode(bytes).0;
    }
    if std::str::from_utf8(bytes).is_ok() {
        return String::from_utf8_lossy(bytes);
    }
    let mut detector = chardetng::EncodingDetector::new(chardetng::Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    let found = detector.guess(None, chardetng::Utf8Detection::Allow);
    let (text, _, damaged) = found.decode(bytes);
    if damaged {
        return WINDOWS_1252.decode(bytes).0;
    }
    text
}

/// Decodes UTF-7 (RFC 2152); what is none stays as it is.
fn utf7(bytes: &[u8]) -> String {
    let mut out = String::new();
    let mut rest = bytes;
    while let Some(at) = memchr::memchr(b'+', rest) {
        let (plain, shifted) = rest.split_at(at);
        out.push_str(&String::from_utf8_lossy(plain));
        let code = shifted.get(1..).unwrap_or_default();
        let is_code = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
        let length = code
            .iter()
            .position(|byte| !is_code(byte))
            .unwrap_or(code.len());
        let (code, after) = code.split_at(length);
        let (closed, after) = match after.strip_prefix(b"-") {
            Some(after) => (true, after),
            None => (false, after),
        };
        match code {
            [] if closed => out.push('+'),
            [] => out.push('+'),
            code => out.push_str(&utf16_of(code)),
        }
        rest = after;
    }
    out.push_str(&String::from_utf8_lossy(rest));
    out
}

fn utf16_of(code: &[u8]) -> String {
    use base64::Engine;
    let whole = code.len() - usize::from(code.len() % 4 == 1);
    let bytes = super::fields::LENIENT.decode(code.get(..whole).unwrap_or_default());
    let bytes = bytes.unwrap_or_default();
    let units: Vec<u16> = bytes
        .as_chunks::<2>()
        .0
        .iter()
        .map(|pair| u16::from_be_bytes(*pair))
        .collect();
    String::from_utf16_lossy(&units)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_read_as_browsers_do_and_give_way_where_they_cannot_be_right() {
        for (label, bytes, expected) in [
            ("iso-8859-1", &b"\x93x\x94 \xe9"[..], "“x” é"),
            ("us-ascii", "é".as_bytes(), "é"),
            ("x-unknown", "é".as_bytes(), "é"),
            ("us-ascii", b"caf\xe9 cr\xe8me", "café crème"),
            ("koi8-r", b"\xf0\xd2\xc9\xd7\xc5\xd4", "Привет"),
            ("windows-1251", b"\xcf\xf0\xe8\xe2\xe5\xf2", "Привет"),
            ("gb2312", b"\xc4\xe3\xba\xc3", "你好"),
            ("big5", b"\xa7A\xa6n", "你好"),
            ("shift_jis", b"\x93\xfa\x96{", "日本"),
            ("euc-jp", b"\xc6\xfc\xcb\xdc", "日本"),
            ("iso-2022-jp", b"\x1b$BF|K\\\x1b(B", "日本"),
            ("euc-kr", b"\xc7\xd1\xb1\xb9", "한국"),
            ("ks_c_5601-1987", b"\xc7\xd1\xb1\xb9", "한국"),
            ("utf-16le", b"h\0i\0", "hi"),
            ("utf-16be", b"\0h\0i", "hi"),
            ("utf-7", b"Hi Mom +Jjo--!", "Hi Mom ☺-!"),
            ("utf-7", b"1 +- 1", "1 + 1"),
            ("iso-8859-15", b"\xa4", "€"),
            ("UTF8", "é".as_bytes(), "é"),
        ] {
            assert_eq!(decode(bytes, Some(label.as_bytes())), expected, "{label}");
        }
    }

    #[test]
    fn without_a_label_the_bytes_tell() {
        assert_eq!(decode("ü".as_bytes(), None), "ü");
        assert_eq!(decode(b"\x1b$BF|K\\\x1b(B", None), "日本");
        assert_eq!(
            decode(b"Stra\xdfe und \xdcbung f\xfcr alle", None),
            "Straße und Übung für alle"
        );
        assert_eq!(decode(b"", None), "");
    }
}
