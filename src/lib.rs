//! Past work, kept: collected from its sources, redacted, cut into segments, summarised once, and
//! answered from one SQLite file.
//!
//! The way of a unit: a connector (`jezero_connectors`) → [`pipeline`] ([`redaction`], [`segment`],
//! [`summarizer`]) → [`store`]. The way of a question: [`cli`], or [`http`] → [`mcp`] → [`library`] →
//! [`store`].
//! `ARCHITECTURE.md` is the map.

pub mod access;
pub mod cli;
pub mod config;
pub mod daemon;
pub mod doctor;
pub mod export;
pub mod health;
pub mod http;
pub mod import;
pub mod item;
pub mod library;
pub mod mcp;
pub mod pipeline;
pub mod project;
pub mod redact_stored;
pub mod redaction;
pub mod segment;
pub mod service;
pub mod store;
pub mod summarizer;
