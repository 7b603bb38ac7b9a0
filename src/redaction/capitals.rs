//! A keyword with its capitals: the automaton finds it without regard to case, and eight bytes at a
//! time are compared as one number, since a text may hold a keyword at every byte.

use super::text::part;

/// Bytes that are compared at once.
const CHUNK: usize = 8;

/// The bytes of a keyword.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Capitals {
    first: Chunk,
    /// What stands behind the first bytes.
    rest: Box<[Chunk]>,
}

/// Eight bytes as a number, and which of its bits count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Chunk {
    number: u64,
    mask: u64,
}

impl Capitals {
    /// Takes a keyword.
    pub(super) fn new(keyword: &[u8]) -> Self {
        let rest = part(keyword, CHUNK, keyword.len());
        Self {
            first: Chunk::new(keyword),
            rest: rest.chunks(CHUNK).map(Chunk::new).collect(),
        }
    }

    /// Whether the keyword, which the automaton found at a place, stands there so. A NUL is in none.
    pub(super) fn stand(&self, text: &[u8], start: usize) -> bool {
        let mut at = start;
        let chunks = self.rest.iter();
        self.first.stands(text, start)
            && chunks.into_iter().all(|chunk| {
                at += CHUNK;
                chunk.stands(text, at)
            })
    }
}

impl Chunk {
    fn new(bytes: &[u8]) -> Self {
        let mut number = [0; CHUNK];
        let mut mask = [0; CHUNK];
        for ((byte, place), bits) in bytes.iter().zip(&mut number).zip(&mut mask) {
            (*place, *bits) = (*byte, u8::MAX);
        }
        Self {
            number: u64::from_le_bytes(number),
            mask: u64::from_le_bytes(mask),
        }
    }

    fn stands(self, text: &[u8], at: usize) -> bool {
        let number = match text.get(at..).and_then(<[u8]>::first_chunk) {
            Some(bytes) => u64::from_le_bytes(*bytes),
            None => Self::new(part(text, at, text.len())).number,
        };
        number & self.mask == self.number
    }
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
