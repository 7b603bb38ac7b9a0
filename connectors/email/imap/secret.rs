//! Secrets for a login: from a variable, or printed by a program that the configuration names.

use std::fmt;
use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant as Moment};

use crate::error::ConnectorError;

/// How long a program may take: a helper may have to ask for a fresh token.
const TIMEOUT: Duration = Duration::from_secs(60);
/// Bytes of its output that are taken; tokens are a few KiB at most.
const OUTPUT: u64 = 64 * 1024;

/// A password or token; shown nowhere.
#[derive(Clone, PartialEq, Eq)]
pub(in super::super) struct Secret(String);

impl Secret {
    pub(super) fn new(text: String) -> Self {
        Self(text)
    }

    /// The text itself, for the server alone.
    pub(super) fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

/// Where a secret comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) enum Source {
    /// A variable of the environment or of the `.env` file.
    Variable {
        /// The option that names it.
        key: &'static str,
        /// Its name.
        name: String,
        /// Its value, if it is set.
        value: Option<Secret>,
    },
    /// A program that prints it as its first line.
    Command {
        /// The option that names it.
        key: &'static str,
        /// Program and arguments; no shell reads them.
        argv: Vec<String>,
    },
}

impl Source {
    /// Gets the secret. A program is run each time: tokens grow old.
    ///
    /// # Errors
    /// What to do about a missing variable or a program that gives nothing. Nothing that the
    /// program printed is quoted.
    pub(super) fn get(&self, place: &str) -> Result<Secret, ConnectorError> {
        match self {
            Self::Variable { key, name, value } => {
                value.clone().ok_or_else(|| ConnectorError::Option {
                    key: (*key).to_owned(),
                    message: format!("the variable {name} is not set"),
                })
            }
            Self::Command { key, argv } => {
                run(argv, TIMEOUT).map_err(|problem| ConnectorError::Refused {
                    place: place.to_owned(),
                    message: format!("no login: {key} {problem}; run it by hand to see why"),
                })
            }
        }
    }
}

/// Runs a program and takes the first line that it prints.
fn run(argv: &[String], timeout: Duration) -> Result<Secret, String> {
    let end = Moment::now() + timeout;
    let mut argv = argv.iter();
    let mut child = Command::new(argv.next().map_or("", String::as_str))
        .args(argv)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| format!("cannot be started ({})", error.kind()))?;
    let printed = printed(&mut child, end);
    let status = match &printed {
        Some(_) => wait(&mut child, end),
        None => None,
    };
    let (Some(printed), Some(status)) = (printed, status) else {
        // It is reaped so that nothing is left of it; its own children may live on.
        drop(child.kill());
        drop(child.wait());
        return Err(format!("took longer than {} seconds", timeout.as_secs()));
    };
    let is_long = u64::try_from(printed.len()).is_ok_and(|length| length > OUTPUT);
    if !status.success() && !is_long {
        return Err(match status.code() {
            Some(code) => format!("ended with exit code {code}"),
            None => "was ended by a signal".to_owned(),
        });
    }
    match is_long {
        true => Err(format!("printed more than {} KiB", OUTPUT / 1024)),
        false => first_line(&printed),
    }
}

/// All that a program prints, up to the limit; `None` when the time is over.
fn printed(child: &mut Child, end: Moment) -> Option<Vec<u8>> {
    let stdout = child.stdout.take()?;
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut printed = Vec::new();
        let read = stdout.take(OUTPUT + 1).read_to_end(&mut printed);
        // Nobody waits any more when the time was over.
        drop(sender.send(read.map(|_| printed).unwrap_or_default()));
    });
    receiver
        .recv_timeout(end.saturating_duration_since(Moment::now()))
        .ok()
}

/// Waits for a program that has closed its output, which is a matter of moments.
fn wait(child: &mut Child, end: Moment) -> Option<std::process::ExitStatus> {
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) if Moment::now() < end => thread::sleep(Duration::from_millis(5)),
            Ok(None) | Err(_) => return None,
        }
    }
}

fn first_line(printed: &[u8]) -> Result<Secret, String> {
    let text = std::str::from_utf8(printed).map_err(|_| "printed no UTF-8".to_owned())?;
    let line = text.lines().next().unwrap_or_default();
    match line.trim().is_empty() {
        true => Err("printed no secret on its first line".to_owned()),
        false => Ok(Secret::new(line.to_owned())),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(script: &str) -> Result<Secret, String> {
        let argv = ["/bin/sh", "-c", script].map(str::to_owned);
        run(&argv, Duration::from_secs(20))
    }

    #[test]
    fn the_first_line_is_the_secret_and_blanks_in_it_stay() {
        let secret = shell("echo 'a b '; echo note").unwrap();
        assert_eq!(secret.expose(), "a b ");
    }

    #[test]
    fn what_a_program_does_wrong_is_told_without_its_words() {
        for (script, expected) in [
            ("echo marker; exit 3", "ended with exit code 3"),
            ("true", "printed no secret on its first line"),
            ("printf '\\377'", "printed no UTF-8"),
            ("head -c 70000 /dev/zero", "printed more than 64 KiB"),
        ] {
            assert_eq!(shell(script).unwrap_err(), expected, "{script}");
        }
        let missing = run(&["/nonexistent/x".to_owned()], TIMEOUT).unwrap_err();
        assert_eq!(missing, "cannot be started (entity not found)");
    }

    #[test]
    fn a_program_that_does_not_end_is_ended() {
        let argv = ["/bin/sh", "-c", "exec tail -f /dev/null"].map(str::to_owned);
        let told = run(&argv, Duration::from_millis(50)).unwrap_err();
        assert_eq!(told, "took longer than 0 seconds");
    }

    #[test]
    fn arguments_reach_no_shell() {
        let argv = ["/bin/echo", "$HOME; exit 1"].map(str::to_owned);
        assert_eq!(run(&argv, TIMEOUT).unwrap().expose(), "$HOME; exit 1");
    }
}
