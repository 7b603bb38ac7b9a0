//! Conditions on items that are looked at one by one: the kind of an atom, the trust.

use crate::item::{AtomKind, Item, Trust};

/// Which items are left; nothing given leaves all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Narrow {
    /// Those that have an atom of this kind.
    pub(super) kind: Option<AtomKind>,
    /// Those of this trust.
    pub(super) trust: Option<Trust>,
}

impl Narrow {
    /// Whether all items are left.
    pub(super) fn is_open(self) -> bool {
        self == Self::default()
    }

    /// Whether an item is left.
    pub(super) fn takes(self, item: &Item) -> bool {
        let has = |kind| item.atoms.iter().any(|atom| atom.kind == kind);
        self.kind.is_none_or(has) && self.trust.is_none_or(|trust| item.trust == trust)
    }
}
