//! `get_item`: reads one item in full.

use serde::Serialize;

use super::{Library, Result};
use crate::access::Reader;
use crate::item::{Item, ItemId};
use crate::redaction::Redacted;

/// An item, or that there is none. A hidden item and an absent one answer alike.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ItemAnswer {
    /// Whether there is one.
    pub found: bool,
    /// The item.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item: Option<FoundItem>,
}

/// An item in full.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FoundItem {
    /// The item.
    #[serde(flatten)]
    pub item: Item,
    /// Its original, if it was asked for: the inner `None` stands for an item stored without one,
    /// and for a reader that may not see originals.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub original: Option<Option<Redacted>>,
}

impl Library {
    /// Reads one item.
    ///
    /// # Errors
    /// [`LibraryError::Store`](super::LibraryError::Store) when the file cannot be read.
    pub fn get_item(
        &self,
        reader: &Reader,
        id: ItemId,
        include_original: bool,
    ) -> Result<ItemAnswer> {
        let _snapshot = self.view.snapshot()?;
        let scope = self.view.scope(reader)?;
        let Some(item) = self.view.item(&scope, id)? else {
            return Ok(ItemAnswer {
                found: false,
                item: None,
            });
        };
        let original = match (include_original, reader.may_see_originals()) {
            (false, _) => None,
            (true, false) => Some(None),
            (true, true) => Some(self.view.original(id)?),
        };
        Ok(ItemAnswer {
            found: true,
            item: Some(FoundItem { item, original }),
        })
    }
}
