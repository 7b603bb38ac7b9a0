//! Which server, which login, and where its secret comes from.

use super::super::options::Options;
use super::secret::{Secret, Source};
use crate::connector::Surroundings;
use crate::error::ConnectorError;

/// How a connection is kept private.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Security {
    /// TLS from the first byte on.
    Tls,
    /// TLS after a command in clear; without it the connection is given up.
    StartTls,
    /// None, to this computer only.
    None,
}

/// What a login takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Login {
    /// A password.
    Password,
    /// An OAuth access token.
    Token,
}

/// A login at a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct Account {
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) security: Security,
    pub(super) user: String,
    pub(super) login: Login,
    pub(super) secret: Source,
}

/// Options that mean something beside `imap` only.
const KEYS: &[&str] = &[
    "user",
    "tls",
    "password_env",
    "password_command",
    "token_env",
    "token_command",
];

impl Account {
    /// Refuses options of a server beside another store.
    ///
    /// # Errors
    /// [`ConnectorError::Option`] with the first such key.
    pub(in super::super) fn refuse_without(options: &Options) -> Result<(), ConnectorError> {
        let set = [
            options.user.is_some(),
            options.tls.is_some(),
            options.password_env.is_some(),
            options.password_command.is_some(),
            options.token_env.is_some(),
            options.token_command.is_some(),
        ];
        match KEYS.iter().zip(set).find(|(_, set)| *set) {
            Some((key, _)) => Err(refuse(key, "belongs to imap; leave it out")),
            None => Ok(()),
        }
    }

    /// Reads the options of a server.
    ///
    /// # Errors
    /// [`ConnectorError::Option`] with the key and what would be right.
    pub(in super::super) fn read(address: &str, options: &Options) -> Result<Self, ConnectorError> {
        let security = match options.tls.as_deref() {
            None | Some("implicit") => Security::Tls,
            Some("starttls") => Security::StartTls,
            Some("none") => Security::None,
            Some(_) => {
                let message = "is none of implicit (the default), starttls, none";
                return Err(refuse("tls", message));
            }
        };
        let (host, port) = split(address.trim()).ok_or_else(|| {
            let message = "is no server such as imap.example.org or imap.example.org:993";
            refuse("imap", message)
        })?;
        if security == Security::None && !is_loopback(host) {
            let message = "\"none\" is for this computer only; use implicit or starttls";
            return Err(refuse("tls", message));
        }
        let user = options.user.as_deref().map_or("", str::trim);
        if user.is_empty() {
            return Err(refuse("user", "is missing: the name to log in with"));
        }
        let (login, secret) = secret(options)?;
        Ok(Self {
            host: host.to_owned(),
            port: port.unwrap_or(match security {
                Security::Tls => 993,
                Security::StartTls | Security::None => 143,
            }),
            security,
            user: user.to_owned(),
            login,
            secret,
        })
    }

    /// Looks variables and paths up where the configuration lies.
    pub(in super::super) fn placed(mut self, surroundings: &Surroundings) -> Self {
        match &mut self.secret {
            Source::Variable { name, value, .. } => {
                let text = surroundings.variables.get(name).map(|text| text.trim());
                *value = text
                    .filter(|text| !text.is_empty())
                    .map(|text| Secret::new(text.to_owned()));
            }
            Source::Command { argv, .. } => {
                if let Some(program) = argv.first_mut()
                    && program.contains('/')
                {
                    *program = surroundings.resolve(program).display().to_string();
                }
            }
        }
        self
    }

    /// How errors name the server.
    pub(super) fn place(&self) -> String {
        match self.host.contains(':') {
            true => format!("[{}]:{}", self.host, self.port),
            false => format!("{}:{}", self.host, self.port),
        }
    }
}

fn secret(options: &Options) -> Result<(Login, Source), ConnectorError> {
    let variable = |key: &'static str, name: &Option<String>| {
        let name = name.as_ref()?.trim().to_owned();
        let value = None;
        Some((key, Source::Variable { key, name, value }))
    };
    let command = |key: &'static str, argv: &Option<Vec<String>>| {
        let argv = argv.as_ref()?.clone();
        Some((key, Source::Command { key, argv }))
    };
    let ways = [
        variable("password_env", &options.password_env).map(|way| (Login::Password, way)),
        command("password_command", &options.password_command).map(|way| (Login::Password, way)),
        variable("token_env", &options.token_env).map(|way| (Login::Token, way)),
        command("token_command", &options.token_command).map(|way| (Login::Token, way)),
    ];
    let list = "password_env, password_command, token_env, token_command";
    let mut ways = ways.into_iter().flatten();
    let Some((login, (key, source))) = ways.next() else {
        let message = format!("say where its secret comes from: exactly one of {list}");
        return Err(refuse("imap", &message));
    };
    if let Some((_, (other, _))) = ways.next() {
        let message = format!("stands beside {key}; name exactly one of {list}");
        return Err(refuse(other, &message));
    }
    match &source {
        Source::Variable { name, .. } if !is_variable(name) => {
            let message =
                "is no name of a variable; the secret itself does not belong in this file";
            Err(refuse(key, message))
        }
        Source::Command { argv, .. } if argv.first().is_none_or(|program| program.is_empty()) => {
            let message = "is no list of a program and its arguments, such as [\"pass\", \"mail\"]";
            Err(refuse(key, message))
        }
        _ => Ok((login, source)),
    }
}

fn is_variable(name: &str) -> bool {
    let letter = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_';
    name.bytes().next().is_some_and(letter)
        && name
            .bytes()
            .all(|byte| letter(byte) || byte.is_ascii_digit())
}

/// Splits `host`, `host:port` and `[v6]:port`.
fn split(address: &str) -> Option<(&str, Option<u16>)> {
    let (host, port) = match address.strip_prefix('[') {
        Some(rest) => {
            let (host, after) = rest.split_once(']')?;
            (
                host,
                after.strip_prefix(':').or(after.is_empty().then_some("")),
            )
        }
        None => match address.split_once(':') {
            Some((_, port)) if port.contains(':') => (address, Some("")),
            Some((host, port)) => (host, Some(port).filter(|port| !port.is_empty())),
            None => (address, Some("")),
        },
    };
    let allowed = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | ':');
    if host.is_empty() || !host.chars().all(allowed) {
        return None;
    }
    match port? {
        "" => Some((host, None)),
        port => Some((host, Some(port.parse().ok().filter(|port| *port > 0)?))),
    }
}

fn is_loopback(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost")
        || host
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

fn refuse(key: &str, message: &str) -> ConnectorError {
    ConnectorError::Option {
        key: key.to_owned(),
        message: message.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(text: &str) -> Options {
        let table: toml::Table = text.parse().unwrap();
        crate::options::parse(&table).unwrap()
    }

    fn read(address: &str, text: &str) -> Result<Account, String> {
        Account::read(address, &options(text)).map_err(|error| error.to_string())
    }

    const LOGIN: &str = "user = 'ana'\npassword_env = 'MAIL'";

    #[test]
    fn a_server_is_a_name_with_or_without_a_port() {
        for (address, place) in [
            ("imap.example.org", "imap.example.org:993"),
            ("imap.example.org:1993", "imap.example.org:1993"),
            ("[::1]:10", "[::1]:10"),
            ("::1", "[::1]:993"),
        ] {
            assert_eq!(read(address, LOGIN).unwrap().place(), place);
        }
        for bad in [
            "",
            "imaps://host",
            "host:",
            "host:0",
            "host:x",
            "a b",
            "[::1",
        ] {
            let told = read(bad, LOGIN).unwrap_err();
            let right = "is no server such as imap.example.org or imap.example.org:993";
            assert_eq!(told, format!("imap: {right}"), "{bad}");
        }
    }

    #[test]
    fn what_is_wrong_is_refused_with_what_would_be_right() {
        let list = "exactly one of password_env, password_command, token_env, token_command";
        for (text, expected) in [
            ("password_env = 'M'", "user: is missing: the name to log in with".to_owned()),
            ("user = 'a'", format!("imap: say where its secret comes from: {list}")),
            (
                "user = 'a'\npassword_env = 'M'\ntoken_env = 'T'",
                format!("token_env: stands beside password_env; name {list}"),
            ),
            (
                "user = 'a'\npassword_env = 'my pass'",
                "password_env: is no name of a variable; the secret itself does not belong in this file".to_owned(),
            ),
            (
                "user = 'a'\ntoken_command = []",
                "token_command: is no list of a program and its arguments, such as [\"pass\", \"mail\"]".to_owned(),
            ),
            (
                "user = 'a'\ntls = 'none'\npassword_env = 'M'",
                "tls: \"none\" is for this computer only; use implicit or starttls".to_owned(),
            ),
            (
                "user = 'a'\ntls = 'yes'\npassword_env = 'M'",
                "tls: is none of implicit (the default), starttls, none".to_owned(),
            ),
        ] {
            assert_eq!(read("imap.example.org", text).unwrap_err(), expected);
        }
        let plain = format!("{LOGIN}\ntls = 'none'");
        assert_eq!(read("127.0.0.1", &plain).unwrap().port, 143);
    }

    #[test]
    fn keys_of_a_server_beside_another_store_are_refused() {
        let told = Account::refuse_without(&options("tls = 'none'")).unwrap_err();
        assert_eq!(told.to_string(), "tls: belongs to imap; leave it out");
    }

    #[test]
    fn a_secret_is_in_no_debug_form() {
        let mut surroundings = Surroundings::default();
        let value = "marker".to_owned();
        surroundings.variables.insert("MAIL".to_owned(), value);
        let account = read("host", LOGIN).unwrap().placed(&surroundings);
        assert!(!format!("{account:?}").contains("marker"));
        assert_eq!(account.secret.get("host").unwrap().expose(), "marker");
    }
}
