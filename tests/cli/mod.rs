//! The program as a person or a script meets it: exit codes, output, files left behind.

mod bad_input;
mod everyday;
mod health;
mod kill;
pub(crate) mod place;
