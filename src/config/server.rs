//! `[server]`: where questions are answered over HTTP, and who may reach it.

use std::path::{Path, PathBuf};

use super::reading::Section;
use super::url;

/// Settings of the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    /// The address it listens on.
    pub host: String,
    /// The port it listens on.
    pub port: u16,
    /// Path of the MCP endpoint: `/` first, none at the end.
    pub path: String,
    /// The address under which others reach it, without a `/` at its end.
    pub public_url: Option<String>,
    /// More values of the `Host` header that are accepted, such as `box.lan:8765`.
    pub allowed_hosts: Vec<String>,
    /// Whether a request needs a key.
    pub require_auth: bool,
    /// The archive of the client that computers may fetch.
    pub client_bundle: PathBuf,
}

impl Server {
    pub(super) const KEYS: &[&str] = &[
        "host",
        "port",
        "path",
        "public_url",
        "allowed_hosts",
        "require_auth",
        "client_bundle",
    ];

    pub(super) fn read(section: &Section<'_>) -> Self {
        section.only(Self::KEYS);
        let port = section.integer("port", 1..=u64::from(u16::MAX));
        let path = section.text("path", "a path that starts with /", |path| {
            path.starts_with('/') && !path.chars().any(|c| c.is_whitespace() || c.is_control())
        });
        let hosts = section.texts("allowed_hosts", "a host, with or without a port", is_host);
        let server = Self {
            host: section
                .text("host", "a host name or address without a port", is_host)
                .unwrap_or_else(|| "127.0.0.1".to_owned()),
            port: port.and_then(|port| port.try_into().ok()).unwrap_or(8765),
            path: path.map_or_else(|| "/mcp".to_owned(), |path| without_end(&path)),
            public_url: section
                .text("public_url", url::RULE, url::is_http)
                .map(|url| url.trim_end_matches('/').to_owned()),
            allowed_hosts: hosts.unwrap_or_default(),
            require_auth: section.flag("require_auth").unwrap_or(true),
            client_bundle: section.path("client_bundle").unwrap_or_else(|| {
                let standard = Path::new("dist/jezero-client.tar.gz");
                section.paths().base.join(standard)
            }),
        };
        server.check(section);
        server
    }

    /// Without keys everyone who reaches the server reads everything: only this computer may.
    fn check(&self, section: &Section<'_>) {
        let open = if !url::is_loopback(&self.host) {
            Some("host is not a loopback address (127.0.0.1, ::1, localhost)")
        } else if self.public_url.is_some() {
            Some("public_url is set")
        } else if !self.allowed_hosts.is_empty() {
            Some("allowed_hosts is set")
        } else {
            None
        };
        if let (false, Some(reason)) = (self.require_auth, open) {
            let message = format!("must be true, got false: {reason}, so others could read");
            section.reject("require_auth", message);
        }
    }
}

fn is_host(text: &str) -> bool {
    !text.is_empty()
        && !text.contains(['/', '@', '?', '#'])
        && !text.chars().any(|c| c.is_whitespace() || c.is_control())
}

fn without_end(path: &str) -> String {
    match path.trim_end_matches('/') {
        "" => "/".to_owned(),
        path => path.to_owned(),
    }
}
