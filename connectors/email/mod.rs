//! Email: threads of a Maildir, of mbox files or of a folder of `.eml` files.
//!
//! `mailbox` is what a store of mail offers; `known` is what earlier readings remember.

mod calendar;
mod charset;
mod dates;
mod eml_dir;
mod fields;
mod folders;
mod html;
mod ids;
mod imap;
mod known;
mod lines;
mod mailbox;
mod maildir;
mod mbox;
pub mod options;
mod parts;
mod people;
mod quotes;
mod slim;
mod trim;
mod words;
