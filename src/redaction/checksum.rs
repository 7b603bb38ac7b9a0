//! Checks that some vendors build into their tokens.
//!
//! A check that holds makes a rule sure. One that fails proves nothing, since a damaged copy of a
//! live token is still worth hiding; only where a check is all that tells a number from others do
//! rules ask that it holds.

use serde::Deserialize;

use super::text::part;

/// A way to check a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Checksum {
    /// The last six characters are the CRC32 of what stands between the last `_` and them, in
    /// base 62 (GitHub, npm).
    Crc32Base62,
    /// The last eight characters are the CRC32 of what stands before them and an `_` or `=`, in hex:
    /// of all of it, the lowest byte first (Grafana), or the highest, or without the four letters
    /// that it begins with (Atlassian does not say which).
    Crc32Hex,
    /// The last six characters are the checksum of BIP 173, in letters of one case (age).
    Bech32,
    /// The digits, every second one doubled, sum up to a multiple of ten (payment cards).
    Luhn,
    /// As a number with letters from ten on and the first four characters at the end, 1 is left of
    /// a division by 97 (IBAN, ISO 7064).
    Mod97,
}

impl Checksum {
    /// Whether the token passes.
    pub(super) fn holds(self, token: &[u8]) -> bool {
        match self {
            Self::Crc32Base62 => crc32_base62_holds(token),
            Self::Crc32Hex => crc32_hex_holds(token),
            Self::Bech32 => bech32_holds(token),
            Self::Luhn => luhn_holds(token),
            Self::Mod97 => mod97_holds(token),
        }
    }
}

fn crc32_base62_holds(token: &[u8]) -> bool {
    let from = memchr::memrchr(b'_', token).map_or(0, |at| at + 1);
    let Some(until) = token.len().checked_sub(6).filter(|until| *until > from) else {
        return false;
    };
    base62(crc32(part(token, from, until))) == part(token, until, token.len())
}

fn crc32_hex_holds(token: &[u8]) -> bool {
    let Some((body, digits)) = token
        .len()
        .checked_sub(8)
        .and_then(|at| token.split_at_checked(at))
    else {
        return false;
    };
    let digits = std::str::from_utf8(digits).ok();
    let Some(told) = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()) else {
        return false;
    };
    let body = match body.split_last() {
        Some((b'_' | b'=', body)) => body,
        _ => body,
    };
    [body, part(body, 4, body.len())]
        .into_iter()
        .filter(|body| !body.is_empty())
        .map(crc32)
        .any(|sum| sum == told || sum.swap_bytes() == told)
}

/// The letters of BIP 173, each for five bits.
const BECH32: &[u8; 32] = b"qpzry9x8gf2tvdw0s3jn54khce6mua7l";

fn bech32_holds(token: &[u8]) -> bool {
    let folded = token.to_ascii_lowercase();
    let one_case = folded == token || token.to_ascii_uppercase() == token;
    let Some(at) = memchr::memrchr(b'1', &folded).filter(|at| *at > 0 && one_case) else {
        return false;
    };
    let (name, data) = (part(&folded, 0, at), part(&folded, at + 1, folded.len()));
    if data.len() < 6 {
        return false;
    }
    let high = name.iter().map(|sign| sign >> 5);
    let low = name.iter().map(|sign| sign & 31);
    let mut sum = high.chain([0]).chain(low).fold(1, bech32_step);
    for sign in data {
        let Some(value) = BECH32.iter().position(|letter| letter == sign) else {
            return false;
        };
        sum = bech32_step(sum, value as u8);
    }
    sum == 1
}

fn bech32_step(sum: u32, value: u8) -> u32 {
    const GENERATOR: [u32; 5] = [
        0x3B6A_57B2,
        0x2650_8E6D,
        0x1EA1_19FA,
        0x3D42_33DD,
        0x2A14_62B3,
    ];
    let top = sum >> 25;
    let next = (sum & 0x01FF_FFFF) << 5 ^ u32::from(value);
    let added = GENERATOR.iter().enumerate();
    added
        .filter(|(bit, _)| top >> bit & 1 == 1)
        .fold(next, |next, (_, generator)| next ^ generator)
}

fn luhn_holds(token: &[u8]) -> bool {
    let digits = token.iter().rev().filter(|byte| byte.is_ascii_digit());
    let sum: u32 = digits
        .enumerate()
        .map(|(at, digit)| match u32::from(digit - b'0') {
            digit if at % 2 == 0 => digit,
            digit if digit > 4 => 2 * digit - 9,
            digit => 2 * digit,
        })
        .sum();
    sum.is_multiple_of(10)
}

fn mod97_holds(token: &[u8]) -> bool {
    let signs: Vec<u8> = token
        .iter()
        .copied()
        .filter(u8::is_ascii_alphanumeric)
        .collect();
    let Some((country, account)) = signs.split_at_checked(4) else {
        return false;
    };
    let rest = account.iter().chain(country).fold(0u32, |rest, sign| {
        match char::from(*sign).to_digit(36).unwrap_or(0) {
            digit @ 0..=9 => (rest * 10 + digit) % 97,
            letter => (rest * 100 + letter) % 97,
        }
    });
    rest == 1
}

fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = u32::MAX;
    for byte in bytes {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = (crc >> 1) ^ (0xEDB8_8320 & (crc & 1).wrapping_neg());
        }
    }
    !crc
}

/// A number in base 62, digits before capitals before small letters, padded to six places.
fn base62(number: u32) -> [u8; 6] {
    const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let mut out = [b'0'; 6];
    let mut rest = number;
    for place in out.iter_mut().rev() {
        *place = DIGITS.get((rest % 62) as usize).copied().unwrap_or(b'0');
        rest /= 62;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_check_value_of_the_crc_is_the_known_one() {
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
    }

    #[test]
    fn a_token_with_its_own_checksum_passes_and_a_damaged_one_does_not() {
        let body = b"Zq3Zq3Zq3Zq3Zq3Zq3Zq3Zq3Zq3Zq3";
        let mut token = b"ghp_".to_vec();
        token.extend_from_slice(body);
        token.extend_from_slice(&base62(crc32(body)));
        assert!(Checksum::Crc32Base62.holds(&token));
        token[6] = b'x';
        assert!(!Checksum::Crc32Base62.holds(&token));
    }

    #[test]
    fn a_checksum_in_hex_holds_in_each_of_its_orders() {
        // The example of Grafana's own tests.
        let token = ["glsa_yscW25imSKJIuav8zF37RZmnbiDvB05G", "fcaaf58a"];
        assert!(Checksum::Crc32Hex.holds(token.join("_").as_bytes()));
        let body = "ATBBq7Wn3xP0kT5vR2zB8mLc4YdH";
        for sum in [
            crc32(body.as_bytes()),
            crc32(&body.as_bytes()[4..]),
            crc32(body.as_bytes()).swap_bytes(),
        ] {
            assert!(Checksum::Crc32Hex.holds(format!("{body}{sum:08X}").as_bytes()));
            assert!(Checksum::Crc32Hex.holds(format!("{body}={sum:08x}").as_bytes()));
            let other = sum ^ 1;
            assert!(!Checksum::Crc32Hex.holds(format!("{body}{other:08X}").as_bytes()));
        }
        assert!(!Checksum::Crc32Hex.holds(b"00000000"));
    }

    #[test]
    fn the_valid_words_of_bip_173_pass_and_the_others_do_not() {
        for valid in [
            "A12UEL5L",
            "a12uel5l",
            "abcdef1qpzry9x8gf2tvdw0s3jn54khce6mua7lmqqqxw",
        ] {
            assert!(Checksum::Bech32.holds(valid.as_bytes()), "{valid}");
        }
        for wrong in ["A12uEL5L", "a12uel5m", "1qzzfhee", "a1b", ""] {
            assert!(!Checksum::Bech32.holds(wrong.as_bytes()), "{wrong}");
        }
    }

    #[test]
    fn the_known_card_and_account_pass_and_their_neighbours_do_not() {
        assert!(Checksum::Luhn.holds(b"4539 1488 0343 6467"));
        assert!(!Checksum::Luhn.holds(b"4539 1488 0343 6468"));
        assert!(Checksum::Mod97.holds(b"GB82 WEST 1234 5698 7654 32"));
        assert!(!Checksum::Mod97.holds(b"GB82 WEST 1234 5698 7654 33"));
        assert!(!Checksum::Mod97.holds(b"GB"));
    }
}
