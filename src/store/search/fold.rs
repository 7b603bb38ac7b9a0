//! Folding: two texts that differ only in case, accents or width fold to the same text.
//!
//! - Case: the lower-case form of each character, without regard to language. `ß` and `ẞ` fold to
//!   `ss`, the final sigma `ς` to `σ`, the dotless `ı` and the dotted `İ` to `i`.
//! - Accents: Latin, Greek and Cyrillic ones (`é` → `e`, `й` → `и`), Hebrew points and Arabic vowel
//!   marks go. Letters with a stroke or a ligature fold to what people type for them (`ø` → `o`,
//!   `ł` → `l`, `đ` → `d`, `æ` → `ae`). Marks that make another sound of a letter and not a
//!   variant of it stay: Indic and Thai vowel signs, and the Japanese voicing mark (`が` is not `か`).
//! - Width and form (NFKD, then composed again): `ＡＢＣ` → `abc`, `ｶﾞ` → `ガ`, `ﬁ` → `fi`, `①` → `1`.
//! - Each blank, line break and control character is one space; invisible joiners, soft hyphens
//!   and variation selectors go.
//!
//! Folding a folded text changes nothing.

use unicode_normalization::UnicodeNormalization;

/// Folds a text.
#[must_use]
pub fn fold(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len());
    fold_into(text, &mut out);
    String::from_utf8_lossy(&out).into_owned()
}

/// Folds a text onto the end of a buffer of UTF-8. A folded text holds no control character, so
/// one may stand between two of them as a separator.
pub(super) fn fold_into(text: &str, out: &mut Vec<u8>) {
    let mut rest = text;
    while !rest.is_empty() {
        // Plain ASCII, most of what there is, needs no table.
        let (head, tail) = rest.split_at(plain(rest));
        out.extend(head.bytes().map(fold_ascii));
        let other = tail.bytes().take_while(|byte| !byte.is_ascii()).count();
        let (middle, tail) = tail.split_at(other);
        fold_other(middle, out);
        rest = tail;
    }
}

/// Length of the ASCII that a text begins with.
fn plain(text: &str) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    text.bytes().take_while(u8::is_ascii).count()
}

fn fold_ascii(byte: u8) -> u8 {
    if byte.is_ascii_control() {
        b' '
    } else {
        byte.to_ascii_lowercase()
    }
}

fn fold_other(text: &str, out: &mut Vec<u8>) {
    if text.chars().all(stays) {
        out.extend_from_slice(text.as_bytes());
        return;
    }
    let mut buffer = [0; 4];
    let folded = text
        .nfkd()
        .filter(|c| !is_ignored(*c))
        .flat_map(char::to_lowercase)
        .filter(|c| !is_ignored(*c))
        .flat_map(|c| Letters(base(c)))
        .nfc();
    for c in folded {
        out.extend_from_slice(c.encode_utf8(&mut buffer).as_bytes());
    }
}

/// Whether a character stays as it is beside others of this kind: ideographs, kana, syllables of
/// Hangul. They need no table, and are all there is in most runs.
fn stays(c: char) -> bool {
    matches!(c, '\u{3041}'..='\u{3096}' | '\u{30A1}'..='\u{30FA}' | '\u{30FC}'
        | '\u{4E00}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7A3}')
}

/// Up to two characters, as an iterator without an allocation.
struct Letters([Option<char>; 2]);

impl Iterator for Letters {
    type Item = char;

    fn next(&mut self) -> Option<char> {
        let [first, second] = &mut self.0;
        first.take().or_else(|| second.take())
    }
}

/// The letters that people type for one that Unicode does not decompose.
fn base(c: char) -> [Option<char>; 2] {
    match c {
        'ß' => [Some('s'), Some('s')],
        'æ' => [Some('a'), Some('e')],
        'œ' => [Some('o'), Some('e')],
        'ø' => [Some('o'), None],
        'ł' => [Some('l'), None],
        'đ' => [Some('d'), None],
        'ħ' => [Some('h'), None],
        'ŧ' => [Some('t'), None],
        'ı' => [Some('i'), None],
        'ς' => [Some('σ'), None],
        c if c.is_whitespace() || c.is_control() => [Some(' '), None],
        c => [Some(c), None],
    }
}

/// Accents, and characters that are not seen.
fn is_ignored(c: char) -> bool {
    matches!(c,
        '\u{0300}'..='\u{036F}' | '\u{0483}'..='\u{0489}' | '\u{1AB0}'..='\u{1AFF}'
        | '\u{1DC0}'..='\u{1DFF}' | '\u{20D0}'..='\u{20FF}' | '\u{FE20}'..='\u{FE2F}'
        // Hebrew points and Arabic vowel marks.
        | '\u{0591}'..='\u{05BD}' | '\u{05BF}' | '\u{05C1}' | '\u{05C2}' | '\u{05C4}' | '\u{05C5}'
        | '\u{05C7}' | '\u{0610}'..='\u{061A}' | '\u{064B}'..='\u{065F}' | '\u{0670}'
        | '\u{06D6}'..='\u{06DC}' | '\u{06DF}'..='\u{06E4}' | '\u{06E7}' | '\u{06E8}'
        | '\u{06EA}'..='\u{06ED}'
        // Not seen: soft hyphen, joiners, directions, variation selectors.
        | '\u{00AD}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2064}'
        | '\u{2066}'..='\u{2069}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{E0100}'..='\u{E01EF}')
}

/// Length of UTF-8 in characters.
pub(in crate::store) fn chars(text: &[u8]) -> usize {
    // Continuation bytes are those of the form 10xxxxxx: all others begin a character.
    text.iter().filter(|byte| (**byte & 0xC0) != 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn case_accents_and_width_fold_away() {
        let cases = [
            ("Facturación", "facturacion"),
            ("STRASSE straße STRAẞE", "strasse strasse strasse"),
            ("ΣΟΦΟΣ σοφός", "σοφοσ σοφοσ"),
            ("ISI ısı İsi", "isi isi isi"),
            ("ＡＢＣ１２", "abc12"),
            ("ﬁle ①", "file 1"),
            ("Łódź København Đorđe Æsir", "lodz kobenhavn dorde aesir"),
            ("Ёлка й", "елка и"),
            ("ｶﾞ が か", "ガ が か"),
            ("한국어", "한국어"),
            ("की का", "की का"),
            ("שָׁלוֹם", "שלום"),
            ("cafe\u{301} in\u{AD}voice", "cafe invoice"),
            ("a\tb\r\nc\u{2028}d\u{A0}e", "a b  c d e"),
        ];
        for (text, folded) in cases {
            assert_eq!(fold(text), folded, "{text}");
        }
    }

    #[test]
    fn every_character_folds_to_what_folds_to_itself_and_holds_no_control_character() {
        // Beyond these there are no letters, only room.
        for c in ('\0'..='\u{323AF}').chain('\u{E0000}'..='\u{E01EF}') {
            let folded = fold(&c.to_string());
            assert_eq!(fold(&folded), folded, "U+{:04X}", u32::from(c));
            assert!(
                !folded.chars().any(char::is_control),
                "U+{:04X}",
                u32::from(c)
            );
        }
    }

    #[test]
    fn what_needs_no_table_stays_as_it_is() {
        for c in ('\0'..=char::MAX).filter(|c| stays(*c)) {
            let text = c.to_string();
            let by_table: String = text.nfkd().filter(|c| !is_ignored(*c)).nfc().collect();
            assert_eq!(by_table, text);
            assert!(c.to_lowercase().eq([c]) && base(c) == [Some(c), None]);
        }
    }

    proptest! {
        #[test]
        fn folding_in_runs_is_folding_as_a_whole(text in "[a-zA-Zé\u{301}ß한ｶﾞ\u{5D0}\u{5B8} \n]{0,40}") {
            let mut whole = Vec::new();
            fold_other(&text, &mut whole);
            prop_assert_eq!(fold(&text).into_bytes(), whole);
        }

        #[test]
        fn folding_twice_is_folding_once(text in any::<String>()) {
            let folded = fold(&text);
            prop_assert_eq!(fold(&folded), folded);
        }
    }
}
