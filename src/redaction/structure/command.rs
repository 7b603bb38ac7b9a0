//! Passwords among the arguments of commands that have a flag of their own for them.

use super::super::gate::{self, Setting};
use super::super::name::Strength;
use super::super::text::{before, byte, escape_ends_at, line_break, part, skip_blanks};
use super::value::value_at;
use super::{COMMAND_PASSWORD, Finder};

/// Bytes of a command line that are looked at.
const LINE: usize = 1024;

/// Commands, in the order of [`FLAGS`].
pub(super) const NAMES: &[&str] = &[
    "sshpass",
    "curl",
    "mysql",
    "mariadb",
    "docker login",
    "podman login",
    "registry login",
    "redis-cli",
    "mongo",
    "ldapsearch",
    "sqlcmd",
    "smbclient",
    "unzip",
    "http ",
    "wget",
    "keytool",
    "openssl",
    "htpasswd",
    "az login",
    "secret set",
    "secret put",
];

/// What reads a password that `echo` or `printf` sends through a pipe.
pub(super) const READERS: &[&str] = &[
    "--password-stdin",
    "sudo -S",
    "chpasswd",
    "secret put",
    "secret set",
];

/// What a flag is followed by.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    /// A password, in the same word or the next.
    Password,
    /// A password in the same word only.
    Joined,
    /// A user, a sign and a password.
    Pair(u8),
    /// `pass:` and a password.
    Source,
}

/// Flags of each command.
const FLAGS: &[&[(&[u8], Takes)]] = &[
    &[(b"-p", Takes::Password)],
    CURL,
    &[(b"-p", Takes::Joined)],
    &[(b"-p", Takes::Joined)],
    &[(b"-p", Takes::Password)],
    &[(b"-p", Takes::Password)],
    &[(b"-p", Takes::Password)],
    &[(b"-a", Takes::Password)],
    &[(b"-p", Takes::Password)],
    &[(b"-w", Takes::Password)],
    &[(b"-P", Takes::Password)],
    &[(b"-U", Takes::Pair(b'%'))],
    &[(b"-P", Takes::Password)],
    &[(b"-a", Takes::Pair(b':')), (b"--auth", Takes::Pair(b':'))],
    &[(b"--http-password", Takes::Password)],
    &[
        (b"-storepass", Takes::Password),
        (b"-keypass", Takes::Password),
    ],
    &[
        (b"-passin", Takes::Source),
        (b"-passout", Takes::Source),
        (b"-pass", Takes::Source),
        (b"-k", Takes::Password),
    ],
    &[],
    &[(b"-p", Takes::Password)],
    &[(b"-b", Takes::Password), (b"--body", Takes::Password)],
    &[(b"-b", Takes::Password), (b"--body", Takes::Password)],
];

const CURL: &[(&[u8], Takes)] = &[
    (b"-u", Takes::Pair(b':')),
    (b"--user", Takes::Pair(b':')),
    (b"-U", Takes::Pair(b':')),
    (b"--proxy-user", Takes::Pair(b':')),
];

impl Finder<'_, '_> {
    /// The command line behind the name of a command.
    pub(super) fn command(&mut self, index: usize, start: usize, end: usize) {
        let looked = self.commands.get(index).copied().unwrap_or(0);
        let touching =
            before(self.text, start).is_ascii_alphanumeric() && !escape_ends_at(self.text, start);
        if start < looked || touching {
            return;
        }
        let stop = line_end(self.text, end);
        if let Some(looked) = self.commands.get_mut(index) {
            *looked = stop;
        }
        let mut at = end;
        while let Some(sign) = memchr::memchr(b'-', part(self.text, at, stop)) {
            let flag = at + sign;
            at = flag + 1;
            if !matches!(before(self.text, flag), b' ' | b'\t' | b'"' | b'\'') {
                continue;
            }
            let flags = FLAGS.get(index).copied().unwrap_or_default();
            let known = flags
                .iter()
                .find(|(name, takes)| fits(self.text, flag, name, *takes));
            if let Some((name, takes)) = known {
                self.argument(flag + name.len(), *takes);
            }
        }
    }

    /// The password that is sent through a pipe to the reader at a place.
    pub(super) fn piped(&mut self, reader: usize) {
        let from = reader.saturating_sub(LINE / 2);
        let line = part(self.text, from, reader);
        let Some(pipe) = memchr::memrchr(b'|', line) else {
            return;
        };
        let line = part(line, 0, pipe);
        let sender = [&b"echo "[..], b"printf "].into_iter().find_map(|word| {
            let at = memchr::memmem::rfind(line, word)?;
            Some(at + word.len())
        });
        let Some(mut at) = sender.map(|at| skip_blanks(self.text, from + at)) else {
            return;
        };
        // `-n`, `-e` and the form of a line stand before the text.
        for form in [
            &b"-n "[..],
            b"-e ",
            b"%s ",
            b"'%s' ",
            b"\"%s\" ",
            b"'%s\\n' ",
        ] {
            if part(self.text, at, at + form.len()) == form {
                at = skip_blanks(self.text, at + form.len());
            }
        }
        let Some(value) = value_at(self.text, at, false) else {
            return;
        };
        let shown = part(self.text, value.start, value.end);
        let start = memchr::memchr(b':', shown).map_or(0, |colon| colon + 1);
        let secret = part(shown, start, shown.len());
        let setting = Setting {
            quoted: true,
            ..Setting::default()
        };
        let broken = || (at..reader).any(|place| line_break(self.text, place) > 0);
        let within = value.end <= from + pipe && !self.is_hidden(value.start);
        if within && gate::worth_hiding(secret, Strength::Password, setting) && !broken() {
            self.hide(value.start + start, value.end, COMMAND_PASSWORD);
        }
    }

    fn argument(&mut self, at: usize, takes: Takes) {
        let separated = matches!(byte(self.text, at), b' ' | b'\t' | b'=' | b'"' | b',');
        let mut start = at;
        if separated && byte(self.text, at) != b'"' {
            start = skip_blanks(self.text, at + 1);
        } else if separated {
            // `["sshpass", "-p", "…"]`
            let list =
                part(self.text, at, at + 3) == b"\", " || part(self.text, at, at + 3) == b"\",\"";
            start = if list {
                skip_blanks(self.text, at + 2)
            } else {
                at
            };
        }
        let Some(value) = value_at(self.text, start, false) else {
            return;
        };
        let shown = part(self.text, value.start, value.end);
        let offset = match takes {
            Takes::Password | Takes::Joined => 0,
            Takes::Pair(sign) => match memchr::memchr(sign, shown) {
                Some(found) => found + 1,
                None => return,
            },
            Takes::Source if shown.starts_with(b"pass:") => 5,
            Takes::Source => return,
        };
        let secret = part(shown, offset, shown.len());
        let setting = Setting {
            quoted: true,
            ..Setting::default()
        };
        let wordy = takes == Takes::Joined && secret.iter().all(u8::is_ascii_digit);
        if !wordy && gate::worth_hiding(secret, Strength::Password, setting) {
            self.hide(value.start + offset, value.end, COMMAND_PASSWORD);
        }
    }
}

/// Whether a flag stands at a place; one of a letter may have its value in the same word.
fn fits(text: &[u8], at: usize, name: &[u8], takes: Takes) -> bool {
    let next = byte(text, at + name.len());
    let blank = matches!(next, b' ' | b'\t' | b'=' | b'"');
    part(text, at, at + name.len()) == name
        && match takes {
            Takes::Joined => {
                !blank && next != 0 && !line_ends(text, at + name.len()) || next == b'"'
            }
            _ if name.len() == 2 => next != 0,
            _ => blank,
        }
}

fn line_ends(text: &[u8], at: usize) -> bool {
    line_break(text, at) > 0
}

/// End of the command: a line break that no backslash hides, a pipe or a semicolon.
fn line_end(text: &[u8], start: usize) -> usize {
    let window = part(text, start, start + LINE);
    let mut at = 0;
    while at < window.len() {
        match byte(window, at) {
            b'\\' if byte(window, at + 1) == b'\n' => at += 1,
            b'\n' => break,
            b'|' | b';' if byte(window, at + 1) == b' ' => break,
            _ => {}
        }
        at += 1;
    }
    start + at
}
