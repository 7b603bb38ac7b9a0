//! Telling the service manager how the daemon is: ready, alive, ending.
//!
//! The protocol is a datagram of `KEY=VALUE` lines to the socket that `$NOTIFY_SOCKET` names
//! (systemd's `sd_notify`). Where there is none, nothing is told.

/// The service manager's ear.
#[derive(Debug, Default)]
pub struct Notice {
    #[cfg(unix)]
    socket: Option<std::os::unix::net::UnixDatagram>,
}

impl Notice {
    /// Listens to nobody.
    #[must_use]
    pub fn nobody() -> Self {
        Self::default()
    }

    /// The socket of a path, or of an abstract name that begins with `@`. One that cannot be used
    /// is as none: the daemon works all the same.
    #[cfg(unix)]
    #[must_use]
    pub fn to(address: &str) -> Self {
        Self {
            socket: connected(address).ok(),
        }
    }

    /// The socket of a path; there is none on this system.
    #[cfg(not(unix))]
    #[must_use]
    pub fn to(_: &str) -> Self {
        Self::default()
    }

    /// The daemon has read its configuration and opened its library.
    pub fn ready(&self) {
        self.tell("READY=1");
    }

    /// The daemon is not stuck.
    pub fn alive(&self) {
        self.tell("WATCHDOG=1");
    }

    /// The daemon was told to end.
    pub fn stopping(&self) {
        self.tell("STOPPING=1");
    }

    #[cfg(unix)]
    fn tell(&self, state: &str) {
        if let Some(socket) = &self.socket {
            // A manager that does not listen any more is no reason to end.
            drop(socket.send(state.as_bytes()));
        }
    }

    #[cfg(not(unix))]
    fn tell(&self, _: &str) {}
}

#[cfg(unix)]
fn connected(address: &str) -> std::io::Result<std::os::unix::net::UnixDatagram> {
    let socket = std::os::unix::net::UnixDatagram::unbound()?;
    socket.set_nonblocking(true)?;
    match address.strip_prefix('@') {
        #[cfg(target_os = "linux")]
        Some(name) => {
            use std::os::linux::net::SocketAddrExt;
            let address = std::os::unix::net::SocketAddr::from_abstract_name(name)?;
            socket.connect_addr(&address)?;
        }
        _ => socket.connect(address)?,
    }
    Ok(socket)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn the_service_manager_hears_that_the_daemon_is_ready_alive_and_ending() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notify");
        let manager = std::os::unix::net::UnixDatagram::bind(&path).unwrap();
        let notice = Notice::to(path.to_str().unwrap());
        notice.ready();
        notice.alive();
        notice.stopping();
        let heard: Vec<String> = (0..3)
            .map(|_| {
                let mut bytes = [0; 64];
                let length = manager.recv(&mut bytes).unwrap();
                String::from_utf8(bytes[..length].to_vec()).unwrap()
            })
            .collect();
        assert_eq!(heard, ["READY=1", "WATCHDOG=1", "STOPPING=1"]);
        Notice::to("/nowhere/at/all").ready();
    }
}
