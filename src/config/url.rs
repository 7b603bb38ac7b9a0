//! Addresses and host names, as far as the configuration must judge them.

use std::net::IpAddr;

/// What [`is_http`] accepts, in words.
pub(super) const RULE: &str = "an address that starts with https:// or http://";

/// Whether a text is an address of a web server: a scheme and a host, no blanks.
pub(super) fn is_http(text: &str) -> bool {
    let plain = !text.chars().any(|c| c.is_whitespace() || c.is_control());
    plain && host(text).is_some_and(|host| !host.is_empty())
}

/// Whether an address leads to another computer without encryption.
pub(super) fn is_insecure(text: &str) -> bool {
    text.starts_with("http://") && !host(text).is_some_and(is_loopback)
}

/// Whether an address leads to this computer.
pub(super) fn is_local(text: &str) -> bool {
    host(text).is_some_and(is_loopback)
}

/// Whether a host is this computer: `localhost`, `127.0.0.0/8` or `::1`, in brackets or not.
pub(super) fn is_loopback(host: &str) -> bool {
    let bare = host
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
        .unwrap_or(host);
    bare.eq_ignore_ascii_case("localhost")
        || bare.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// The host of an address, brackets included.
fn host(text: &str) -> Option<&str> {
    let rest = ["https://", "http://"]
        .into_iter()
        .find_map(|scheme| text.strip_prefix(scheme))?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let place = authority.rsplit('@').next()?;
    match place.find(']') {
        Some(end) => place.get(..=end),
        None => place.split(':').next(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_computer_may_be_reached_without_encryption() {
        for fine in [
            "https://api.example.org",
            "http://localhost:11434/v1",
            "http://127.0.0.1",
            "http://127.9.9.9:1/",
            "http://[::1]:8080/v1",
        ] {
            assert!(is_http(fine) && !is_insecure(fine), "{fine}");
        }
        for open in [
            "http://example.org",
            "http://127.0.0.1.example.org/",
            "http://localhost@example.org/",
            "http://192.168.1.5:11434",
            "http://[fe80::1]/",
        ] {
            assert!(is_http(open) && is_insecure(open), "{open}");
        }
        for bad in [
            "",
            "api.example.org",
            "https://",
            "ftp://example.org",
            "https://a b",
        ] {
            assert!(!is_http(bad), "{bad}");
        }
    }
}
