//! Relevance: BM25 with weighted fields, and the order of equals.
//!
//! A term's frequency in an item is the sum over the five fields of weight × occurrences
//! (overlapping ones count); an item's length is the number of folded characters of the five
//! fields. The idf is `ln(1 + (N − n + 0.5) / (n + 0.5))`, which is positive also when every item
//! holds the term.

use std::cmp::Ordering;

use super::Ranked;

/// Fields in the order of [`WEIGHTS`].
pub const FIELDS: usize = 5;
/// Weights of title, summary, questions, atom texts and project (MCP tools page, search).
pub const WEIGHTS: [f64; FIELDS] = [2.0, 1.0, 1.5, 1.5, 0.5];
/// What the relevance of an original counts beside that of its item's five fields.
pub const ORIGINAL: f64 = 0.5;
/// How fast repeated occurrences stop adding.
pub const K1: f64 = 1.2;
/// How much length counts.
pub const B: f64 = 0.75;

/// How much a term tells: `items` in all, `with` of them hold it.
#[must_use]
pub fn idf(items: u64, with: u64) -> f64 {
    let (items, with) = (count(items), count(with));
    (1.0 + (items - with + 0.5) / (with + 0.5)).ln()
}

/// A term's share of an item's relevance.
///
/// `frequency` is the weighted frequency, `length` the item's length and `mean` that of all items
/// in scope, in characters.
#[must_use]
pub fn share(idf: f64, frequency: f64, length: f64, mean: f64) -> f64 {
    let norm = if mean > 0.0 { length / mean } else { 1.0 };
    idf * frequency * (K1 + 1.0) / (frequency + K1 * (1.0 - B + B * norm))
}

/// A count as a number to reckon with; exact up to 2^53.
#[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
#[must_use]
pub fn count(number: u64) -> f64 {
    number as f64
}

/// Better first: by relevance, then the newer, then the one with the greater number.
#[must_use]
pub fn order(a: &Ranked, b: &Ranked) -> Ordering {
    b.relevance
        .total_cmp(&a.relevance)
        .then_with(|| (b.occurred_at, b.id).cmp(&(a.occurred_at, a.id)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-12
    }

    #[test]
    fn relevance_is_the_formula_by_hand() {
        // ln(1 + (3 - 2 + 0.5) / 2.5) = ln 1.6
        assert!(close(idf(3, 2), 1.6_f64.ln()));
        // 1.6 ln × 4 × 2.2 / (4 + 1.2 × (0.25 + 0.75 × 0.5))
        assert!(close(
            share(1.6_f64.ln(), 4.0, 50.0, 100.0),
            1.6_f64.ln() * 8.8 / 4.75
        ));
    }

    #[test]
    fn a_term_that_every_item_holds_still_counts() {
        assert!(idf(1, 1) > 0.28);
        assert!(idf(1_000_000, 1_000_000) > 0.0);
    }
}
