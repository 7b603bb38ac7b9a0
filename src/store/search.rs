//! Finding items by words, behind a small trait.
