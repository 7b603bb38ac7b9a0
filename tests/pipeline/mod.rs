//! The pipeline over a scripted source: what is stored, what is paid for again, what stays.

mod growth;
mod names;
mod ownership;
mod pool;
mod rules;
mod script;
mod secrets;
mod sessions;
