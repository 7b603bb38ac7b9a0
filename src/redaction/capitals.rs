//! A keyword with its capitals: the automaton finds it without regard to case, and the first eight
//! bytes are compared as one number, since a text may hold a keyword at every byte.

use super::text::part;

/// Bytes that are compared at once.
const FIRST: usize = 8;

/// The bytes of a keyword.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Capitals {
    first: u64,
    mask: u64,
    /// What stands behind the first bytes.
    rest: Box<[u8]>,
}

impl Capitals {
    /// Takes a keyword.
    pub(super) fn new(keyword: &[u8]) -> Self {
        let (first, mask) = number(keyword);
        Self {
            first,
            mask,
            rest: part(keyword, FIRST, keyword.len()).into(),
        }
    }

    /// Whether the keyword, which the automaton found at a place, stands there so. A NUL is in none.
    pub(super) fn stand(&self, text: &[u8], start: usize) -> bool {
        let behind = start + FIRST;
        let first = match text.get(start..).and_then(<[u8]>::first_chunk) {
            Some(bytes) => u64::from_le_bytes(*bytes),
            None => number(part(text, start, text.len())).0,
        };
        first & self.mask == self.first
            && (self.rest.is_empty() || part(text, behind, behind + self.rest.len()) == &*self.rest)
    }
}

/// The first bytes as a number, and which of its bits they are.
fn number(bytes: &[u8]) -> (u64, u64) {
    let mut number = [0; FIRST];
    let mut mask = [0; FIRST];
    for ((byte, place), bits) in bytes.iter().zip(&mut number).zip(&mut mask) {
        (*place, *bits) = (*byte, u8::MAX);
    }
    (u64::from_le_bytes(number), u64::from_le_bytes(mask))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_keyword_stands_where_all_of_its_bytes_do() {
        let text = b"ghp_ AKIA xoxb-1 github_pat_9";
        for keyword in [
            "g",
            "ghp_",
            "AKIA",
            "xoxb-1",
            "xoxb-1 g",
            "github_pat_",
            "b_pat_9",
            "9",
        ] {
            let places: Vec<usize> = (0..text.len())
                .filter(|at| Capitals::new(keyword.as_bytes()).stand(text, *at))
                .collect();
            let expected: Vec<usize> = (0..text.len())
                .filter(|at| text.get(*at..).unwrap().starts_with(keyword.as_bytes()))
                .collect();
            assert_eq!(places, expected, "{keyword}");
        }
        for other in ["GHP_", "akia", "github_paT_", "pat_99"] {
            let stands = |at: usize| Capitals::new(other.as_bytes()).stand(text, at);
            assert!(!(0..=text.len() + 9).any(stands), "{other}");
        }
    }
}
