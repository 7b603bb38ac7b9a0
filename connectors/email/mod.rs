//! Email: threads of a Maildir, of mbox files or of a folder of `.eml` files.
//!
//! `mailbox` is what a store of mail offers; `known` is what earlier readings remember.

mod charset;
mod dates;
mod eml_dir;
mod fields;
mod folders;
mod ids;
mod known;
mod mailbox;
mod maildir;
mod mbox;
pub mod options;
