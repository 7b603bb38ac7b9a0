//! Tests of the whole engine.

mod rules;
