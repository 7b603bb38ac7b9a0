//! The one integration binary: a module a subject.
#![expect(
    clippy::unwrap_used,
    clippy::cast_possible_wrap,
    reason = "a test stops at the first thing that is not as expected"
)]

mod architecture;
mod cli;
mod faults;
mod hidden_sources;
mod import_export;
mod mcp;
mod pipeline;
mod planted;
mod providers;
mod search;
mod search_oracle;
mod search_scope;
mod spec_data_model;
mod spec_mcp;
mod support;
