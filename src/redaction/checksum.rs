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
    fn the_known_card_and_account_pass_and_their_neighbours_do_not() {
        assert!(Checksum::Luhn.holds(b"4539 1488 0343 6467"));
        assert!(!Checksum::Luhn.holds(b"4539 1488 0343 6468"));
        assert!(Checksum::Mod97.holds(b"GB82 WEST 1234 5698 7654 32"));
        assert!(!Checksum::Mod97.holds(b"GB82 WEST 1234 5698 7654 33"));
        assert!(!Checksum::Mod97.holds(b"GB"));
    }
}
