//! The library as an MCP server: messages, protocol revisions, tools.
//!
//! [`Service`] answers one request at a time and remembers nothing between two; `http` and
//! [`stdio`] carry requests to it, and [`bridge`] carries them to a server elsewhere. A key's rights come in as a [`Reader`](crate::access::Reader).

pub mod bridge;
mod instructions;
pub(crate) mod message;
mod prompts;
mod readers;
mod resources;
pub(crate) mod revision;
mod service;
pub mod stdio;
mod tools;

pub use readers::{AskError, Readers};
pub use service::Service;
pub(crate) use service::identity;
