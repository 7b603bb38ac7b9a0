//! The rule files that are compiled in.

/// The family that is applied only if the settings say so.
pub(super) const PERSONAL: &str = "personal.toml";

/// Name and text of every file in `redaction-rules/`; a test compares the list with the folder.
pub(super) const FILES: &[(&str, &str)] = &[
    ("ai.toml", include_str!("../../redaction-rules/ai.toml")),
    ("chat.toml", include_str!("../../redaction-rules/chat.toml")),
    (
        "cloud.toml",
        include_str!("../../redaction-rules/cloud.toml"),
    ),
    (
        "code-host.toml",
        include_str!("../../redaction-rules/code-host.toml"),
    ),
    (
        "database.toml",
        include_str!("../../redaction-rules/database.toml"),
    ),
    (
        "identity.toml",
        include_str!("../../redaction-rules/identity.toml"),
    ),
    (
        "monitoring.toml",
        include_str!("../../redaction-rules/monitoring.toml"),
    ),
    (
        "names.toml",
        include_str!("../../redaction-rules/names.toml"),
    ),
    (
        "payment.toml",
        include_str!("../../redaction-rules/payment.toml"),
    ),
    (
        PERSONAL,
        include_str!("../../redaction-rules/personal.toml"),
    ),
    (
        "registry.toml",
        include_str!("../../redaction-rules/registry.toml"),
    ),
    ("saas.toml", include_str!("../../redaction-rules/saas.toml")),
];
