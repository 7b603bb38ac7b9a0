//! Resources: the library at a glance, the guide, and each item under an address of its own.
//!
//! They hold nothing that the tools would not give the same key.

use serde_json::{Value, json};

use super::instructions::GUIDE;
use super::tools::ToolError;
use crate::access::Reader;
use crate::item::ItemId;
use crate::library::Library;

const LIBRARY: &str = "jezero://library";
const GUIDE_URI: &str = "jezero://guide";
const ITEM: &str = "jezero://item/";

/// A resource that a request names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Resource {
    Library,
    Guide,
    Item(ItemId),
}

/// The resources with fixed addresses.
pub(crate) fn list() -> Value {
    json!({"resources": [
        {
            "uri": LIBRARY,
            "name": "library",
            "title": "What the library holds",
            "description": "The sources that this key can read, with the state of their readings, \
                            and the projects, each with its number of items and latest date.",
            "mimeType": "application/json",
        },
        {
            "uri": GUIDE_URI,
            "name": "guide",
            "title": "How to use the library",
            "description": "How to search, how to check whether a decision still holds, how to keep \
                            answers small, and what each field of an item means.",
            "mimeType": "text/markdown",
        },
    ]})
}

/// The resources whose addresses have a part to be filled in.
pub(crate) fn templates() -> Value {
    json!({"resourceTemplates": [
        {
            "uriTemplate": "jezero://item/{id}",
            "name": "item",
            "title": "One item",
            "description": "An item by its number, as get_item returns it without its original.",
            "mimeType": "application/json",
        },
    ]})
}

impl Resource {
    /// The resource at an address.
    pub(crate) fn at(uri: &str) -> Option<Self> {
        match uri {
            LIBRARY => Some(Self::Library),
            GUIDE_URI => Some(Self::Guide),
            _ => {
                let number = uri.strip_prefix(ITEM)?;
                let digits = number.bytes().all(|byte| byte.is_ascii_digit());
                let id = number.parse().ok().filter(|_| digits)?;
                Some(Self::Item(ItemId(id)))
            }
        }
    }

    /// What it holds for a reader: `None` when there is no such item, or none to be seen.
    pub(crate) fn read(
        self,
        library: &Library,
        reader: &Reader,
    ) -> Result<Option<Value>, ToolError> {
        let (uri, kind, text) = match self {
            Self::Guide => (GUIDE_URI.to_owned(), "text/markdown", GUIDE.to_owned()),
            Self::Library => {
                let overview = library.overview(reader)?;
                (LIBRARY.to_owned(), "application/json", pretty(&overview)?)
            }
            Self::Item(id) => match library.get_item(reader, id, false)?.item {
                Some(found) => (format!("{ITEM}{id}"), "application/json", pretty(&found)?),
                None => return Ok(None),
            },
        };
        let contents = json!({"uri": uri, "mimeType": kind, "text": text});
        Ok(Some(json!({"contents": [contents]})))
    }
}

fn pretty(value: &impl serde::Serialize) -> Result<String, ToolError> {
    serde_json::to_string_pretty(value)
        .map_err(|_| ToolError::Library("the answer cannot be written"))
}
