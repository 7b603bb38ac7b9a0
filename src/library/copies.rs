//! Copies of one session in two sources, of which answers show one.

use std::collections::HashSet;

use crate::item::{ExternalId, Item, OriginalRef};

/// Which sessions an answer already shows.
///
/// Items are copies when their original ref and their external id are equal; an item without an
/// original ref is no copy of anything. Of several, the first that is offered stays.
#[derive(Default)]
pub(super) struct Copies(HashSet<(OriginalRef, ExternalId)>);

impl Copies {
    /// Whether an item is the first of its copies.
    pub(super) fn is_first(&mut self, item: &Item) -> bool {
        match &item.original_ref {
            Some(original) => self.0.insert((original.clone(), item.external_id.clone())),
            None => true,
        }
    }
}
