//! The program as a person or a script meets it: exit codes, output, files left behind.

mod backup;
mod bad_input;
#[cfg(unix)]
mod daemon;
mod doctor;
mod everyday;
mod forget;
mod health;
mod import_db;
mod kill;
mod originals;
pub(crate) mod place;
mod redact_stored;
mod restore;
mod resummarize;
mod retag;
mod rules;
mod runs;
mod setup;
