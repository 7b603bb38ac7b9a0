//! The program as a person or a script meets it: exit codes, output, files left behind.

mod bad_input;
mod everyday;
mod kill;
pub(crate) mod place;
mod redact_stored;
mod rules;
