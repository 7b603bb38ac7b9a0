//! The library served: MCP over HTTP and stdio, keys, guards.

mod additions;
mod arguments;
mod eras;
mod guards;
mod keys;
mod metrics;
mod outside;
mod pages;
mod peer;
mod resources;
mod schemas;
mod seeds;
mod stdio;
mod stopping;
mod unseen;
