//! Summaries by models, against scripted servers and programs.

mod exchanges;
mod failures;
mod kill;
mod programs;
mod runs;
pub(crate) mod tried;
