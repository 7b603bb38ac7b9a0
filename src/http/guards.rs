//! Which hosts and origins a request may name: protection against pages that make a browser speak
//! to this server under a name of their own (DNS rebinding).

use crate::config::Server;

/// Names of this computer that are always accepted, with any port.
const LOCAL: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];

/// What is accepted.
#[derive(Debug, Clone)]
pub(super) struct Guards {
    /// Hosts without a port: any port may follow.
    any_port: Vec<String>,
    /// Values of the `Host` header that must be met as they are.
    exact: Vec<String>,
    /// Scheme, host and port of the public address.
    public_origin: Option<String>,
    /// The host of the public address, without its port.
    public_host: Option<String>,
    /// The public address, without a slash at its end.
    public_url: Option<String>,
}

impl Guards {
    pub(super) fn new(server: &Server) -> Self {
        let host = bracketed(&server.host).to_ascii_lowercase();
        let public_origin = server.public_url.as_deref().and_then(origin);
        let public_host = public_origin
            .as_deref()
            .and_then(|origin| origin.split_once("://"))
            .map(|(_, authority)| without_port(authority).to_owned());
        let mut any_port: Vec<String> = LOCAL.map(str::to_owned).to_vec();
        any_port.push(host);
        any_port.extend(public_host.clone());
        Self {
            any_port,
            exact: server
                .allowed_hosts
                .iter()
                .map(|host| host.to_ascii_lowercase())
                .collect(),
            public_origin,
            public_host,
            public_url: server.public_url.clone(),
        }
    }

    /// Whether a value of the `Host` header names this server.
    pub(super) fn accepts_host(&self, value: &str) -> bool {
        let value = value.to_ascii_lowercase();
        self.exact.contains(&value)
            || (port_is_fine(&value)
                && self
                    .any_port
                    .iter()
                    .any(|host| host == without_port(&value)))
    }

    /// Whether a page of this origin may send requests.
    pub(super) fn accepts_origin(&self, value: &str) -> bool {
        let value = value.to_ascii_lowercase();
        if self.public_origin.as_deref() == Some(&value) {
            return true;
        }
        let Some(authority) = value.strip_prefix("http://") else {
            return false;
        };
        let host = without_port(authority);
        let own = self.any_port.iter().any(|one| one == host);
        // A public address has one scheme and one port; only those of this computer vary.
        let only_public = self.public_host.as_deref() == Some(host) && !self.is_own(host);
        port_is_fine(authority) && own && !only_public
    }

    fn is_own(&self, host: &str) -> bool {
        let last = self.any_port.get(LOCAL.len()).map(String::as_str);
        LOCAL.contains(&host) || last == Some(host)
    }

    /// The address under which the caller reached this server, from the `Host` that it named.
    pub(super) fn address(&self, host: &str) -> String {
        let public = self.public_host.as_deref() == Some(without_port(&host.to_ascii_lowercase()));
        match &self.public_url {
            Some(url) if public => url.clone(),
            _ => format!("http://{host}"),
        }
    }
}

/// Scheme, host and port of an address, in lower case.
fn origin(url: &str) -> Option<String> {
    let (scheme, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let place = authority.rsplit('@').next()?;
    Some(format!("{scheme}://{place}").to_ascii_lowercase())
}

/// A host without the port behind it; brackets stay.
fn without_port(authority: &str) -> &str {
    match authority.find(']') {
        Some(end) => authority.get(..=end).unwrap_or(authority),
        None => authority.split(':').next().unwrap_or(authority),
    }
}

/// Whether nothing or a port follows the host.
fn port_is_fine(authority: &str) -> bool {
    let rest = authority
        .strip_prefix(without_port(authority))
        .unwrap_or("");
    rest.is_empty()
        || rest
            .strip_prefix(':')
            .is_some_and(|port| port.parse::<u16>().is_ok())
}

/// An IPv6 address in brackets, as it stands in addresses.
pub(super) fn bracketed(host: &str) -> String {
    if host.contains(':') && !host.starts_with('[') {
        format!("[{host}]")
    } else {
        host.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn guards(host: &str, public: Option<&str>, allowed: &[&str]) -> Guards {
        Guards::new(&Server {
            host: host.to_owned(),
            port: 8765,
            path: "/mcp".to_owned(),
            public_url: public.map(str::to_owned),
            allowed_hosts: allowed.iter().map(ToString::to_string).collect(),
            require_auth: true,
            client_bundle: PathBuf::new(),
        })
    }

    #[test]
    fn hosts_are_this_computer_the_public_address_and_what_is_allowed() {
        let guards = guards(
            "0.0.0.0",
            Some("https://Jezero.example.org:8443/x"),
            &["box.lan:8765"],
        );
        for fine in [
            "127.0.0.1",
            "127.0.0.1:1",
            "LOCALHOST:8765",
            "[::1]",
            "[::1]:8765",
            "0.0.0.0:8765",
            "jezero.example.org",
            "jezero.example.org:8443",
            "jezero.example.org:443",
            "BOX.lan:8765",
        ] {
            assert!(guards.accepts_host(fine), "{fine}");
        }
        for bad in [
            "",
            "evil.example",
            "box.lan",
            "box.lan:80",
            "192.168.1.5:8765",
            "localhost.evil.example",
            "127.0.0.1:x",
            "127.0.0.1:80@evil.example",
            "[::1]evil",
            "jezero.example.org.evil.example",
        ] {
            assert!(!guards.accepts_host(bad), "{bad}");
        }
    }

    #[test]
    fn origins_are_this_computer_and_the_public_address() {
        let guards = guards("box", Some("https://jezero.example.org"), &["box.lan"]);
        for fine in [
            "https://jezero.example.org",
            "http://localhost:3000",
            "http://127.0.0.1:1",
            "http://[::1]:1",
            "http://box",
            "http://box:8765",
        ] {
            assert!(guards.accepts_origin(fine), "{fine}");
        }
        for bad in [
            "null",
            "",
            "https://localhost:3000",
            "http://jezero.example.org",
            "https://jezero.example.org:1",
            "http://evil.example",
            "http://box.lan",
            "http://localhost:3000/x",
            "http://localhost.evil.example",
        ] {
            assert!(!guards.accepts_origin(bad), "{bad}");
        }
    }

    #[test]
    fn the_address_is_the_one_that_was_typed() {
        let guards = guards("127.0.0.1", Some("https://jezero.example.org/lib"), &[]);
        assert_eq!(
            guards.address("jezero.example.org"),
            "https://jezero.example.org/lib"
        );
        assert_eq!(guards.address("localhost:8765"), "http://localhost:8765");
    }
}
