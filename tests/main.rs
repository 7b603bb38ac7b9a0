//! The one integration binary: a module a subject.
#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test that fails should fail the test"
)]

mod hidden_sources;
mod import_export;
mod search;
mod spec_data_model;
mod spec_mcp;
mod support;
