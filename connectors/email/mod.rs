//! Email: threads of a Maildir, of mbox files or of a folder of `.eml` files.
//!
//! `mailbox` is what a store of mail offers; `known` is what earlier readings remember.

pub(super) mod known;
pub(super) mod mailbox;
pub mod options;
