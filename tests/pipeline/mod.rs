//! The pipeline over a scripted source: what is stored, what is paid for again, what stays.

mod forgotten;
mod growth;
mod names;
mod ownership;
mod pool;
mod resummarize;
mod retag;
mod rules;
mod script;
mod secrets;
mod sessions;
