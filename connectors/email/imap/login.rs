//! Logging in: with a password, or with an OAuth token (XOAUTH2, OAUTHBEARER of RFC 7628).

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;

use super::account::{Account, Login};
use super::secret::Secret;
use super::session::{Command, Heard, Session};
use super::trouble::{Code, Trouble};

/// How often a server may go on asking before it is given up.
const ROUNDS: usize = 3;

/// Logs in.
///
/// # Errors
/// [`Trouble::Fatal`] when the secret cannot be had or the server does not accept it.
pub(super) fn login(session: &mut Session, account: &Account) -> Result<(), Trouble> {
    let secret = account.secret.get(&account.place());
    let secret = secret.map_err(Trouble::Fatal)?;
    let refuse = |message: &str| Trouble::Fatal(super::refused(account, message));
    let done = match account.login {
        Login::Token => token(session, account, &secret),
        Login::Password => password(session, account, &secret),
    };
    let code = match done {
        Ok(Some(code)) => code,
        Ok(None) => {
            return Err(refuse(match account.login {
                Login::Token => "takes no OAuth tokens; use password_env or password_command",
                Login::Password => "takes no passwords here; use token_command, or TLS",
            }));
        }
        Err(Trouble::No) => {
            return Err(refuse(match account.login {
                Login::Token => {
                    "the token was not accepted; is it fresh, for this user, and allowed to read mail?"
                }
                Login::Password => {
                    "user or password was not accepted; many servers want an app password here"
                }
            }));
        }
        Err(other) => return Err(other),
    };
    // What a server can do may differ after the login.
    session.learn(&code);
    if code.word != "CAPABILITY" {
        session.ask_capabilities()?;
    }
    Ok(())
}

/// `None` if the server knows no way with a token.
fn token(
    session: &mut Session,
    account: &Account,
    secret: &Secret,
) -> Result<Option<Code>, Trouble> {
    let (user, token) = (&account.user, secret.expose());
    if session.has("AUTH=XOAUTH2") {
        let initial = format!("user={user}\x01auth=Bearer {token}\x01\x01");
        return authenticate(session, "XOAUTH2", &initial, "").map(Some);
    }
    if session.has("AUTH=OAUTHBEARER") {
        // In a name, RFC 5801 writes these two signs so.
        let name = user.replace('=', "=3D").replace(',', "=2C");
        let (host, port) = (&account.host, account.port);
        let initial =
            format!("n,a={name},\x01host={host}\x01port={port}\x01auth=Bearer {token}\x01\x01");
        return authenticate(session, "OAUTHBEARER", &initial, "AQ==").map(Some);
    }
    Ok(None)
}

/// `None` if the server takes no password on this connection.
fn password(
    session: &mut Session,
    account: &Account,
    secret: &Secret,
) -> Result<Option<Code>, Trouble> {
    let (user, password) = (account.user.as_str(), secret.expose());
    let is_ascii = user.is_ascii() && password.is_ascii();
    let is_off = session.has("LOGINDISABLED");
    if session.has("AUTH=PLAIN") && (is_off || !is_ascii) {
        let initial = format!("\0{user}\0{password}");
        return authenticate(session, "PLAIN", &initial, "*").map(Some);
    }
    if is_off {
        return Ok(None);
    }
    let command = Command::new("LOGIN")
        .text(user.as_bytes())
        .text(password.as_bytes());
    session.run(command, 0, |_| {}).map(Some)
}

/// One exchange of a mechanism whose client speaks first. A server that does not like what it got
/// may explain itself and waits for `sorry` before it says no.
fn authenticate(
    session: &mut Session,
    mechanism: &str,
    initial: &str,
    sorry: &str,
) -> Result<Code, Trouble> {
    let initial = BASE64.encode(initial);
    let tag = session.tag();
    let mut owed = None;
    if session.has("SASL-IR") {
        session.say(&format!("{tag} AUTHENTICATE {mechanism} {initial}"))?;
    } else {
        session.say(&format!("{tag} AUTHENTICATE {mechanism}"))?;
        owed = Some(initial);
    }
    let mut rounds = 0;
    loop {
        match session.heard(&tag, &mut 0)? {
            Heard::Said(_) => {}
            Heard::Done(result) => return result,
            Heard::Go if rounds == ROUNDS => {
                return Err(Trouble::Cut("it does not come to an end".to_owned()));
            }
            Heard::Go => {
                rounds += 1;
                session.say(&owed.take().unwrap_or_else(|| sorry.to_owned()))?;
            }
        }
    }
}
