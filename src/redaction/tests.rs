//! Tests of the whole engine.

mod harmless;
mod properties;
mod rules;
mod settings;
mod structure;
