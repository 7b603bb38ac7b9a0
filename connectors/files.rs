//! Guarded listing and opening of files below a root.
