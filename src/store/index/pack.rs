//! Numbers and postings as bytes.
//!
//! A number is written seven bits at a time, low ones first. A posting says that a document holds a
//! word and how much that counts: the gap to the document before it and the *weight*, in one number
//! where the weight is a frequent one.

/// Weights that share a number with the gap, in the order of their codes. A weight is counted in
/// halves: 2 is one occurrence in the summary, 3 one in an atom, 4 one in the title.
const FREQUENT: [u32; 7] = [2, 3, 4, 6, 5, 1, 8];
/// The code that says: the weight follows as a number of its own.
const FOLLOWS: u64 = 7;
const CODE_BITS: u32 = 3;

/// Appends a number.
pub(super) fn put(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(low_byte(number) | 0x80);
        number >>= 7;
    }
    out.push(low_byte(number));
}

fn low_byte(number: u64) -> u8 {
    number.to_le_bytes()[0]
}

/// Maps small numbers of either sign to small ones without.
pub(super) fn folded(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)).cast_unsigned()
}

/// Undoes [`folded`].
pub(super) fn unfolded(number: u64) -> i64 {
    (number >> 1).cast_signed() ^ -(number & 1).cast_signed()
}

/// Reads what [`put`] wrote. Every reading gives `None` where the bytes end or make no sense.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bytes<'a> {
    rest: &'a [u8],
}

impl<'a> Bytes<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub(super) fn left(&self) -> usize {
        self.rest.len()
    }

    /// A number. One of a byte or two is read here, and `self` goes to no other function: a reader in
    /// a loop can then stay in registers.
    #[inline]
    pub(super) fn number(&mut self) -> Option<u64> {
        let (first, rest) = self.rest.split_first()?;
        if *first < 0x80 {
            self.rest = rest;
            return Some(u64::from(*first));
        }
        let (second, rest) = rest.split_first()?;
        if *second < 0x80 {
            self.rest = rest;
            return Some(u64::from(first & 0x7F) | (u64::from(*second) << 7));
        }
        let (number, rest) = long_number(self.rest)?;
        self.rest = rest;
        Some(number)
    }

    #[inline]
    pub(super) fn small(&mut self) -> Option<u32> {
        u32::try_from(self.number()?).ok()
    }

    #[inline]
    pub(super) fn size(&mut self) -> Option<usize> {
        usize::try_from(self.number()?).ok()
    }

    #[inline]
    pub(super) fn signed(&mut self) -> Option<i64> {
        self.number().map(unfolded)
    }

    #[inline]
    pub(super) fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(taken)
    }
}

/// A number of any length, and what stands behind it.
fn long_number(mut rest: &[u8]) -> Option<(u64, &[u8])> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (byte, behind) = rest.split_first()?;
        rest = behind;
        number |= u64::from(byte & 0x7F) << shift;
        if *byte < 0x80 {
            return Some((number, rest));
        }
    }
    None
}

/// The postings of one word as they are written, document by document.
#[derive(Debug, Default)]
pub(super) struct Postings {
    pub(super) bytes: Vec<u8>,
    /// The number that the next document has at least.
    next: u32,
}

impl Postings {
    /// Adds a document; documents come in rising order.
    pub(super) fn add(&mut self, document: u32, weight: u32) {
        let gap = u64::from(document.saturating_sub(self.next)) << CODE_BITS;
        self.next = document.saturating_add(1);
        match (0..).zip(FREQUENT).find(|(_, known)| *known == weight) {
            Some((code, _)) => put(&mut self.bytes, gap | code),
            None => {
                put(&mut self.bytes, gap | FOLLOWS);
                put(&mut self.bytes, u64::from(weight));
            }
        }
    }

    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.next = 0;
    }
}

/// Calls `each` with every document and weight of a word's postings.
#[inline]
pub(super) fn each_posting(bytes: &[u8], mut each: impl FnMut(u32, u32)) -> Option<()> {
    let mut bytes = Bytes::new(bytes);
    let mut next = 0_u32;
    while !bytes.is_empty() {
        let head = bytes.number()?;
        let document = next.checked_add(u32::try_from(head >> CODE_BITS).ok()?)?;
        next = document.checked_add(1)?;
        let weight = match FREQUENT.get(usize::from(low_byte(head & FOLLOWS))) {
            Some(weight) => *weight,
            None => bytes.small()?,
        };
        each(document, weight);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_come_back_whatever_stands_behind_them(number: u64, signed: i64, few in 0_u32..64, behind in proptest::collection::vec(any::<u8>(), 0..10)) {
            // Numbers of every length.
            let (number, signed) = (number >> few, signed >> few);
            let mut bytes = Vec::new();
            put(&mut bytes, number);
            put(&mut bytes, folded(signed));
            bytes.extend(&behind);
            let mut read = Bytes::new(&bytes);
            prop_assert_eq!(read.number(), Some(number));
            prop_assert_eq!(read.signed(), Some(signed));
            prop_assert_eq!(read.left(), behind.len());
        }

        #[test]
        fn postings_come_back(list in proptest::collection::btree_map(0_u32..1_000_000, 1_u32..600, 0..50)) {
            let mut postings = Postings::default();
            list.iter().for_each(|(document, weight)| postings.add(*document, *weight));
            let mut read = Vec::new();
            prop_assert_eq!(each_posting(&postings.bytes, |document, weight| read.push((document, weight))), Some(()));
            prop_assert_eq!(read, list.into_iter().collect::<Vec<_>>());
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes: Vec<u8>) {
            let mut documents = Vec::new();
            let _ended = each_posting(&bytes, |document, _| documents.push(document));
            prop_assert!(documents.is_sorted());
        }
    }

    #[test]
    fn a_frequent_weight_costs_no_byte_of_its_own() {
        let mut postings = Postings::default();
        postings.add(0, 2);
        postings.add(1, 4);
        postings.add(17, 3);
        assert_eq!(postings.bytes, [0, 2, (15 << 3) | 1]);
    }
}
