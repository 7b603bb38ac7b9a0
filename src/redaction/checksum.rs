//! Checks that some vendors build into their tokens.
//!
//! A check that holds makes a rule sure. One that fails proves nothing: a damaged copy of a live
//! token is still worth hiding.

use serde::Deserialize;

use super::text::part;

/// A way to check a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Checksum {
    /// The last six characters are the CRC32 of what stands between the last `_` and them, in
    /// base 62 (GitHub, npm).
    Crc32Base62,
}

impl Checksum {
    /// Whether the token passes.
    pub(super) fn holds(self, token: &[u8]) -> bool {
        match self {
            Self::Crc32Base62 => crc32_base62_holds(token),
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
}
