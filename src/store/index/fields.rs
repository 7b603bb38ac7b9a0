//! Which fields of an item may hold a term that spans words, as the weights of its words tell.
//!
//! A posting has one number for all fields: the sum of the weights of the fields where the word
//! stands, in halves. Small sums leave little choice: 2 is once in the summary, 3 once in a question or an
//! atom. A field holds the term only if it holds all of its words, so an item whose words stand in
//! different fields need not be read, and of most others the summary is enough.

/// A set of fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fields(u8);

const TITLE: u8 = 1;
const SUMMARY: u8 = 2;
/// Questions and atoms: their weights are equal.
const LISTS: u8 = 4;
const PROJECT: u8 = 8;

impl Fields {
    /// Every field.
    pub(super) const ALL: Self = Self(TITLE | SUMMARY | LISTS | PROJECT);

    /// The fields that may hold a word of this weight; `project` says whether its project's name may.
    pub(super) fn of_weight(weight: u32, project: bool) -> Self {
        if project {
            return Self::ALL;
        }
        Self(match weight {
            0 | 1 => 0,
            2 => SUMMARY,
            3 => LISTS,
            4 => TITLE | SUMMARY,
            5 => SUMMARY | LISTS,
            _ => TITLE | SUMMARY | LISTS,
        })
    }

    /// Those that are in both.
    pub(super) fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Those that are in one of them.
    pub(super) fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether there are none.
    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether questions or atoms are among them, which are read apart from the others.
    pub(super) fn has_lists(self) -> bool {
        self.0 & LISTS != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::index::builder::halves;
    use crate::store::search::rank::WEIGHTS;

    #[test]
    fn a_weight_names_each_field_that_a_sum_of_that_weight_can_have() {
        let [title, summary, questions, atoms, project] = WEIGHTS.map(halves);
        assert_eq!((questions, project), (atoms, 1));
        let weights = [(TITLE, title), (SUMMARY, summary), (LISTS, questions)];
        // Which fields are in any sum of a weight, by the sums of smaller ones.
        let mut possible: Vec<Option<u8>> = vec![Some(0)];
        for weight in 1..40_u32 {
            let mut fields = None;
            for (field, own) in weights {
                let rest = weight.checked_sub(own).map(|rest| possible[rest as usize]);
                if let Some(Some(others)) = rest {
                    fields = Some(fields.unwrap_or(0) | others | field);
                }
            }
            possible.push(fields);
            let told = Fields::of_weight(weight, false);
            assert_eq!(told, Fields(fields.unwrap_or(0)), "{weight}");
            assert_eq!(Fields::of_weight(weight, true), Fields::ALL);
        }
    }
}
