//! One record as it stands on a line, read without decoding what is not rendered.
//!
//! The way of nearly every record is one pass over its bytes: texts are decoded as bytes (so that
//! a lone surrogate costs nothing), arguments and results stay raw, everything else is skipped.
//! A record that this pass refuses, for a key that stands twice or a value of an odd type, goes
//! through `lenient`, where it loses only the field concerned.

use std::borrow::Cow;
use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::time::Instant;

/// Text decoded as bytes; what is no Unicode in it becomes U+FFFD when it is read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Text<'a>(pub(super) Cow<'a, [u8]>);

impl Text<'_> {
    /// The text.
    pub(super) fn read(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.0)
    }

    /// Whether it is exactly this.
    pub(super) fn is(&self, word: &str) -> bool {
        *self.0 == *word.as_bytes()
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bytes;
        impl<'de> Visitor<'de> for Bytes {
            type Value = Cow<'de, [u8]>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_bytes<E: Error>(self, bytes: &'de [u8]) -> Result<Self::Value, E> {
                Ok(Cow::Borrowed(bytes))
            }

            fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Self::Value, E> {
                Ok(Cow::Owned(bytes.to_vec()))
            }

            fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Cow::Borrowed(text.as_bytes()))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Cow::Owned(text.as_bytes().to_vec()))
            }
        }
        deserializer.deserialize_bytes(Bytes).map(Text)
    }
}

/// A record. Fields that are not here are skipped undecoded, `toolUseResult` above all: it repeats
/// the result and makes a third of all bytes.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Record<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: Option<Text<'a>>,
    pub(super) subtype: Option<Text<'a>>,
    pub(super) uuid: Option<Text<'a>>,
    pub(super) session_id: Option<Text<'a>>,
    pub(super) timestamp: Option<&'a RawValue>,
    pub(super) cwd: Option<Text<'a>>,
    pub(super) entrypoint: Option<Text<'a>>,
    pub(super) is_sidechain: Option<bool>,
    pub(super) is_meta: Option<bool>,
    pub(super) is_compact_summary: Option<bool>,
    pub(super) is_api_error_message: Option<bool>,
    pub(super) origin: Option<&'a RawValue>,
    pub(super) message: Option<Message<'a>>,
    pub(super) attachment: Option<&'a RawValue>,
    /// Text of a `system` record.
    pub(super) content: Option<&'a RawValue>,
    pub(super) ai_title: Option<Text<'a>>,
    pub(super) custom_title: Option<Text<'a>>,
    pub(super) agent_name: Option<Text<'a>>,
    pub(super) summary: Option<Text<'a>>,
    pub(super) leaf_uuid: Option<Text<'a>>,
    pub(super) pr_url: Option<Text<'a>>,
    pub(super) pr_repository: Option<Text<'a>>,
    pub(super) pr_number: Option<&'a RawValue>,
}

impl Record<'_> {
    /// Its own time, if it has one that an agent can have written.
    pub(super) fn instant(&self) -> Option<Instant> {
        let raw = self.timestamp?.get();
        let instant = match raw.strip_prefix('"').and_then(|raw| raw.strip_suffix('"')) {
            Some(text) => Instant::parse(text),
            // Milliseconds since 1970, as one old writer has them.
            None => raw.parse().ok().and_then(Instant::from_unix_millis),
        };
        instant.filter(|instant| instant.is_plausible())
    }

    /// The word of its `type`, empty without one.
    pub(super) fn kind(&self) -> Cow<'_, str> {
        self.kind.as_ref().map_or("".into(), Text::read)
    }
}

/// A message in the shape of the Messages API.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(default)]
pub(super) struct Message<'a> {
    #[serde(borrow)]
    pub(super) id: Option<Text<'a>>,
    pub(super) model: Option<Text<'a>>,
    pub(super) content: Content<'a>,
}

/// What a message says.
#[derive(Debug, Default)]
pub(super) enum Content<'a> {
    /// Nothing: absent or null.
    #[default]
    Nothing,
    /// A string.
    Text(Text<'a>),
    /// An array of blocks.
    Blocks(Vec<ContentBlock<'a>>),
}

impl<'de: 'a, 'a> Deserialize<'de> for Content<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Content<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string or blocks")
            }

            fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
                Ok(Content::Nothing)
            }

            fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Content::Text(Text(Cow::Borrowed(text.as_bytes()))))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Content::Text(Text(Cow::Owned(text.as_bytes().to_vec()))))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
                let mut blocks = Vec::new();
                while let Some(block) = items.next_element()? {
                    blocks.push(block);
                }
                Ok(Content::Blocks(blocks))
            }
        }
        deserializer.deserialize_any(Any)
    }
}

/// A block of a message.
#[derive(Debug, Default)]
pub(super) struct ContentBlock<'a> {
    pub(super) kind: Option<Text<'a>>,
    pub(super) text: Option<Text<'a>>,
    pub(super) id: Option<Text<'a>>,
    pub(super) name: Option<Text<'a>>,
    pub(super) input: Option<&'a RawValue>,
    pub(super) tool_use_id: Option<Text<'a>>,
    pub(super) is_error: Option<bool>,
    pub(super) content: Option<&'a RawValue>,
}

impl<'a> ContentBlock<'a> {
    /// A block of text, also for a bare string where a block should stand.
    pub(super) fn of_text(text: Text<'a>) -> Self {
        Self {
            kind: Some(Text(Cow::Borrowed(b"text"))),
            text: Some(text),
            ..Self::default()
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for ContentBlock<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Default, serde::Deserialize)]
        #[serde(default)]
        struct Fields<'a> {
            #[serde(rename = "type", borrow)]
            kind: Option<Text<'a>>,
            text: Option<Text<'a>>,
            id: Option<Text<'a>>,
            name: Option<Text<'a>>,
            input: Option<&'a RawValue>,
            tool_use_id: Option<Text<'a>>,
            is_error: Option<bool>,
            content: Option<&'a RawValue>,
        }

        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = ContentBlock<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a block")
            }

            fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(ContentBlock::of_text(Text(Cow::Borrowed(text.as_bytes()))))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
                let text = Cow::Owned(text.as_bytes().to_vec());
                Ok(ContentBlock::of_text(Text(text)))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                let fields = Fields::deserialize(MapAccessDeserializer::new(map))?;
                Ok(ContentBlock {
                    kind: fields.kind,
                    text: fields.text,
                    id: fields.id,
                    name: fields.name,
                    input: fields.input,
                    tool_use_id: fields.tool_use_id,
                    is_error: fields.is_error,
                    content: fields.content,
                })
            }
        }
        deserializer.deserialize_any(Any)
    }
}

/// Reads a raw value as text, `None` if it is none.
pub(super) fn text_of(raw: &RawValue) -> Option<Text<'_>> {
    serde_json::from_str(raw.get()).ok()
}
