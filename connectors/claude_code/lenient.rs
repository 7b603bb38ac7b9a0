//! The patient way to read a record that the one-pass way refuses.
//!
//! Each field is read for itself from its raw bytes: one that is not what it should be is left out
//! and counted, a key that stands twice counts as it stands last, as in every JSON reader of the
//! agent itself.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::record::{Content, ContentBlock, Message, Record, Text};

/// Fields of an object in the order in which they stand, values raw.
struct Fields<'a> {
    fields: Vec<(Text<'a>, &'a RawValue)>,
}

impl<'de: 'a, 'a> Deserialize<'de> for Fields<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Fields<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Fields { fields })
            }
        }
        deserializer.deserialize_map(Object)
    }
}

impl<'a> Fields<'a> {
    /// The raw value of a field, unless it is absent or null.
    fn raw(&self, name: &str) -> Option<&'a RawValue> {
        let field = self.fields.iter().rev().find(|(key, _)| key.is(name));
        field.map(|(_, raw)| *raw).filter(|raw| raw.get() != "null")
    }

    /// A field of a type; counts one of another type.
    fn typed<T: Deserialize<'a>>(&self, name: &str, odd: &mut u64) -> Option<T> {
        let value = serde_json::from_str(self.raw(name)?.get());
        *odd += u64::from(value.is_err());
        value.ok()
    }
}

/// Reads a record; `None` if it is no object. The number counts the fields of an odd type.
pub(super) fn record(text: &str) -> Option<(Record<'_>, u64)> {
    let fields: Fields<'_> = serde_json::from_str(text).ok()?;
    let mut odd = 0;
    let record = Record {
        kind: fields.typed("type", &mut odd),
        subtype: fields.typed("subtype", &mut odd),
        uuid: fields.typed("uuid", &mut odd),
        session_id: fields.typed("sessionId", &mut odd),
        timestamp: fields.raw("timestamp"),
        cwd: fields.typed("cwd", &mut odd),
        entrypoint: fields.typed("entrypoint", &mut odd),
        is_sidechain: fields.typed("isSidechain", &mut odd),
        is_meta: fields.typed("isMeta", &mut odd),
        is_compact_summary: fields.typed("isCompactSummary", &mut odd),
        is_api_error_message: fields.typed("isApiErrorMessage", &mut odd),
        origin: fields.raw("origin"),
        message: fields
            .raw("message")
            .and_then(|raw| message(raw.get(), &mut odd)),
        attachment: fields.raw("attachment"),
        content: fields.raw("content"),
        ai_title: fields.typed("aiTitle", &mut odd),
        custom_title: fields.typed("customTitle", &mut odd),
        agent_name: fields.typed("agentName", &mut odd),
        summary: fields.typed("summary", &mut odd),
        leaf_uuid: fields.typed("leafUuid", &mut odd),
        pr_url: fields.typed("prUrl", &mut odd),
        pr_repository: fields.typed("prRepository", &mut odd),
        pr_number: fields.raw("prNumber"),
    };
    Some((record, odd))
}

fn message<'a>(text: &'a str, odd: &mut u64) -> Option<Message<'a>> {
    let Ok(fields) = serde_json::from_str::<Fields<'a>>(text) else {
        *odd += 1;
        return None;
    };
    Some(Message {
        id: fields.typed("id", odd),
        model: fields.typed("model", odd),
        content: fields
            .raw("content")
            .map_or(Content::Nothing, |raw| content(raw.get(), odd)),
    })
}

fn content<'a>(text: &'a str, odd: &mut u64) -> Content<'a> {
    if let Ok(text) = serde_json::from_str(text) {
        return Content::Text(text);
    }
    let Ok(items) = serde_json::from_str::<Vec<&'a RawValue>>(text) else {
        *odd += 1;
        return Content::Nothing;
    };
    let blocks = items.iter().filter_map(|raw| block(raw.get(), odd));
    Content::Blocks(blocks.collect())
}

fn block<'a>(text: &'a str, odd: &mut u64) -> Option<ContentBlock<'a>> {
    if let Ok(text) = serde_json::from_str(text) {
        return Some(ContentBlock::of_text(text));
    }
    let Ok(fields) = serde_json::from_str::<Fields<'a>>(text) else {
        *odd += 1;
        return None;
    };
    Some(ContentBlock {
        kind: fields.typed("type", odd),
        text: fields.typed("text", odd),
        id: fields.typed("id", odd),
        name: fields.typed("name", odd),
        input: fields.raw("input"),
        tool_use_id: fields.typed("tool_use_id", odd),
        is_error: fields.typed("is_error", odd),
        content: fields.raw("content"),
    })
}

/// Reads the content of a tool result, which has the forms that a message's content has.
pub(super) fn result_content(raw: &RawValue) -> Content<'_> {
    content(raw.get(), &mut 0)
}

/// Reads one field of an object as text, such as `kind` of `origin`.
pub(super) fn text_field<'a>(raw: &'a RawValue, name: &str) -> Option<Text<'a>> {
    let fields: Fields<'a> = serde_json::from_str(raw.get()).ok()?;
    fields.typed(name, &mut 0)
}

/// Reads one field of an object in the forms that a message's content has.
pub(super) fn content_field<'a>(raw: &'a RawValue, name: &str) -> Content<'a> {
    let fields: Result<Fields<'a>, _> = serde_json::from_str(raw.get());
    let field = fields.ok().and_then(|fields| fields.raw(name));
    field.map_or(Content::Nothing, |raw| content(raw.get(), &mut 0))
}
