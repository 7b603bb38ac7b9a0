//! Digests: a fast one to notice change, and SHA-256 where a name is made of it.

use sha2::{Digest, Sha256};

/// The first 8 hex digits of a SHA-256, for names that must stay apart.
#[must_use]
pub fn sha256_hex8(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest
        .iter()
        .take(4)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// An odd number with well-spread bits (the golden ratio's).
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
/// Another one, so that input and state are not mixed alike.
const STIR: u64 = 0xd6e8_feb8_6659_fd93;

/// Digests bytes after what `state` stands for: 64 bits, many gigabytes a second, the same on
/// every computer. It notices accidents and growth; it is no defence against a forger.
#[must_use]
pub fn fast(state: u64, bytes: &[u8]) -> u64 {
    let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    let mut state = fold(state ^ length, SPREAD);
    let mut words = bytes.chunks_exact(8);
    for word in words.by_ref() {
        let mut eight = [0; 8];
        eight.copy_from_slice(word);
        state = fold(state ^ u64::from_le_bytes(eight), STIR);
    }
    let mut rest = [0; 8];
    for (to, from) in rest.iter_mut().zip(words.remainder()) {
        *to = *from;
    }
    fold(state ^ u64::from_le_bytes(rest), SPREAD)
}

/// Multiplies to 128 bits and folds the halves together.
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a ^ SPREAD.rotate_left(17)) * u128::from(b);
    let [low, high] = [product, product >> 64].map(|half| (half & u128::from(u64::MAX)) as u64);
    low ^ high ^ a.rotate_left(23)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_of_one_bit_or_of_the_length_changes_the_digest() {
        let text = b"one line of a session that is long enough for several words";
        let digest = fast(0, text);
        for at in 0..text.len() {
            let mut other = text.to_vec();
            other[at] ^= 1;
            assert_ne!(fast(0, &other), digest, "{at}");
        }
        assert_ne!(fast(0, b"a"), fast(0, b"a\0"));
        assert_ne!(fast(1, text), digest);
    }

    #[test]
    fn the_short_name_is_the_beginning_of_the_sha_256() {
        assert_eq!(sha256_hex8(b"abc"), "ba7816bf");
    }
}
