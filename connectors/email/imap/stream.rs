//! A connection: TCP, with TLS on it. Every wait has an end.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, StreamOwned};
use rustls_platform_verifier::BuilderVerifierExt;

use super::account::{Account, Security};
use super::trouble::Trouble;
use crate::error::ConnectorError;

/// Longest wait for a connection.
const CONNECT: Duration = Duration::from_secs(20);

/// A connection.
pub(super) enum Stream {
    Plain(TcpStream),
    Tls(Box<StreamOwned<ClientConnection, TcpStream>>),
}

impl Stream {
    /// Connects; with [`Security::Tls`] TLS is spoken from the start.
    pub(super) fn connect(
        account: &Account,
        timeout: Duration,
        config: Option<&Arc<ClientConfig>>,
    ) -> Result<Self, Trouble> {
        let tcp = tcp(account, timeout)?;
        match account.security {
            Security::Tls => Self::Plain(tcp).secured(account, config),
            Security::StartTls | Security::None => Ok(Self::Plain(tcp)),
        }
    }

    /// Begins to speak TLS.
    pub(super) fn secured(
        self,
        account: &Account,
        config: Option<&Arc<ClientConfig>>,
    ) -> Result<Self, Trouble> {
        let Self::Plain(mut tcp) = self else {
            return Ok(self);
        };
        let refuse = |message: String| {
            Trouble::Fatal(ConnectorError::Refused {
                place: account.place(),
                message,
            })
        };
        let config = match config {
            Some(config) => Arc::clone(config),
            None => system_config().map_err(|error| {
                refuse(format!("the system's certificates cannot be used: {error}"))
            })?,
        };
        let name = ServerName::try_from(account.host.clone())
            .map_err(|_| refuse("is no name that a certificate can be for".to_owned()))?;
        let mut connection =
            ClientConnection::new(config, name).map_err(|error| refuse(error.to_string()))?;
        while connection.is_handshaking() {
            connection
                .complete_io(&mut tcp)
                .map_err(|error| match told(&error) {
                    Some(message) => refuse(message),
                    None => Trouble::cut(&error),
                })?;
        }
        Ok(Self::Tls(Box::new(StreamOwned::new(connection, tcp))))
    }
}

fn tcp(account: &Account, timeout: Duration) -> Result<TcpStream, Trouble> {
    let addresses = (account.host.as_str(), account.port)
        .to_socket_addrs()
        .map_err(|error| Trouble::cut(&error))?;
    let mut last = Trouble::Cut("its name leads to no address".to_owned());
    for address in addresses {
        if account.security == Security::None && !address.ip().is_loopback() {
            continue;
        }
        match TcpStream::connect_timeout(&address, CONNECT.min(timeout)) {
            Ok(tcp) => {
                let ready = tcp
                    .set_read_timeout(Some(timeout))
                    .and_then(|()| tcp.set_write_timeout(Some(timeout)))
                    .and_then(|()| tcp.set_nodelay(true));
                return ready.map(|()| tcp).map_err(|error| Trouble::cut(&error));
            }
            Err(error) => last = Trouble::cut(&error),
        }
    }
    Err(last)
}

/// TLS that trusts whom the system trusts.
fn system_config() -> Result<Arc<ClientConfig>, rustls::Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_platform_verifier()?
        .with_no_client_auth();
    Ok(Arc::new(config))
}

/// What is wrong for good about a handshake, and what to do; `None` for what may pass.
fn told(error: &io::Error) -> Option<String> {
    match error.get_ref()?.downcast_ref::<rustls::Error>()? {
        rustls::Error::InvalidCertificate(why) => Some(format!(
            "its certificate is not accepted ({why}); use the name that the certificate is for, \
             or add its authority to the system's certificates"
        )),
        rustls::Error::InvalidMessage(_) => Some(
            "does not speak TLS from the start on this port; is it 993, or tls = \"starttls\"?"
                .to_owned(),
        ),
        other => Some(format!("no TLS could be agreed on ({other})")),
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = match self {
            Self::Plain(tcp) => tcp.read(buffer),
            Self::Tls(tls) => tls.read(buffer),
        };
        // What a timeout is called differs between systems.
        read.map_err(|error| match error.kind() {
            ErrorKind::WouldBlock => ErrorKind::TimedOut.into(),
            _ => error,
        })
    }
}

impl Write for Stream {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(tcp) => tcp.write(buffer),
            Self::Tls(tls) => tls.write(buffer),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(tcp) => tcp.flush(),
            Self::Tls(tls) => tls.flush(),
        }
    }
}
