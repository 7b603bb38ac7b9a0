//! The other forms in which a value may stand again: coded for an address, for JSON, in base64.

use super::super::base64;

/// Shortest run of base64 that is looked for inside of a longer one, in bytes.
const INNER: usize = 16;

/// The forms of a value that differ from it.
///
/// A value that is itself coded gives what it stands for, and that what it is in base64, too.
pub(super) fn of(value: &str) -> Vec<String> {
    let mut forms = Vec::new();
    let mut plain = vec![value.to_owned()];
    plain.extend(decoded(value));
    for text in &plain {
        forms.extend((text != value).then(|| text.clone()));
        forms.push(in_address(text));
        forms.push(in_json(text));
        for coded in in_base64(text.as_bytes()) {
            forms.push(coded.replace('+', "-").replace('/', "_"));
            forms.push(coded);
        }
    }
    forms.sort();
    forms.dedup();
    forms.retain(|form| form != value);
    forms
}

/// What a value stands for, if it is coded.
fn decoded(value: &str) -> Vec<String> {
    let mut out: Vec<String> = from_address(value).into_iter().collect();
    if value.contains('\\') {
        out.extend(serde_json::from_str::<String>(&format!("\"{value}\"")));
    }
    if let Some(text) = base64::decode_text(value.as_bytes()) {
        // The credentials of a Basic header are a name and a password.
        let password = text
            .split_once(':')
            .map(|(_, password)| password.to_owned());
        out.extend(password);
        out.push(text);
    }
    out
}

fn in_address(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

fn from_address(value: &str) -> Option<String> {
    let bytes = value.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let code = (*byte == b'%').then(|| value.get(at + 1..at + 3)).flatten();
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(decoded) => {
                out.push(decoded);
                at += 3;
            }
            None => {
                out.push(*byte);
                at += 1;
            }
        }
    }
    (out.len() < bytes.len())
        .then(|| String::from_utf8(out).ok())
        .flatten()
}

fn in_json(value: &str) -> String {
    let quoted = serde_json::Value::from(value).to_string();
    quoted
        .get(1..quoted.len() - 1)
        .unwrap_or_default()
        .to_owned()
}

/// Base64 of the value alone, and what of it stays the same with other bytes around the value.
fn in_base64(value: &[u8]) -> Vec<String> {
    let mut out = vec![base64::encode(value)];
    for before in 0..3 {
        let mut padded = vec![0; before];
        padded.extend_from_slice(value);
        let coded = base64::encode(&padded);
        // Signs that hold bits of a byte outside of the value are left away.
        let (first, last) = ((before * 8).div_ceil(6), padded.len() * 8 / 6);
        out.extend(
            coded
                .get(first..last)
                .filter(|inner| inner.len() >= INNER)
                .map(str::to_owned),
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_known_in_an_address_in_json_and_in_base64() {
        let forms = of("p@ss/w\"rd-42");
        for form in ["p%40ss%2Fw%22rd-42", "p@ss/w\\\"rd-42", "cEBzcy93InJkLTQy"] {
            assert!(
                forms.iter().any(|known| known == form),
                "{form} in {forms:?}"
            );
        }
    }

    #[test]
    fn a_coded_value_gives_what_it_stands_for() {
        assert!(of("p%40ss-w0rd").contains(&"p@ss-w0rd".to_owned()));
        assert!(of("Ym9iOkJsdWU0MkZpc2g=").contains(&"Blue42Fish".to_owned()));
        assert_eq!(from_address("100%"), None);
    }
}
