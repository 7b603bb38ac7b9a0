//! `[inbox]`: where sessions that other computers upload are kept.

use std::path::{Path, PathBuf};

use super::reading::Section;

/// Settings of the inbox. Sizes are in MiB.
#[derive(Debug, Clone, PartialEq)]
pub struct Inbox {
    /// The folder.
    pub dir: PathBuf,
    /// Largest upload, decompressed.
    pub max_mb: f64,
    /// Most that one computer may keep there; `None` is no limit.
    pub max_device_mb: Option<f64>,
}

impl Inbox {
    pub(super) const KEYS: &[&str] = &["dir", "max_mb", "max_device_mb"];

    pub(super) fn read(section: &Section<'_>) -> Self {
        section.only(Self::KEYS);
        Self {
            dir: section
                .path("dir")
                .unwrap_or_else(|| section.paths().base.join(Path::new("data/inbox"))),
            max_mb: section.positive("max_mb").unwrap_or(64.0),
            max_device_mb: section.positive("max_device_mb"),
        }
    }
}
