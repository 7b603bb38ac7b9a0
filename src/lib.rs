//! Past work, kept: collected from its sources, redacted, cut into segments, summarised once, and
//! answered from one SQLite file.
//!
//! The way of a unit: a connector (`jezero_connectors`) → [`pipeline`] ([`redaction`], [`segment`],
//! [`summarizer`]) → [`store`]. The way of a question: [`cli`] → [`library`] → [`store`].
//! `ARCHITECTURE.md` is the map.

pub mod config;
pub mod item;
pub mod project;
pub mod redaction;
pub mod summarizer;
