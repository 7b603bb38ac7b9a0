//! The library as an MCP server: messages, protocol revisions, tools.
//!
//! [`Service`] answers one request at a time and remembers nothing between two; `http` and
//! [`stdio`] carry requests to it. A key's rights come in as a [`Reader`](crate::access::Reader).

mod instructions;
pub(crate) mod message;
mod readers;
pub(crate) mod revision;
mod service;
mod tools;

pub use readers::{AskError, Readers};
pub use service::Service;
pub(crate) use service::identity;
