//! Passwords among the arguments of commands that have a flag of their own for them.

use super::super::gate::{self, Setting};
use super::super::name::Strength;
use super::super::text::{before, byte, escape_ends_at, line_break, part, skip_blanks};
use super::commands::{COMMANDS, Place, Takes};
use super::value::value_at;
use super::{COMMAND_PASSWORD, Finder};

/// Bytes of a command line that are looked at.
const LINE: usize = 1024;
/// Most words of a command line that are looked at.
const WORDS: usize = 32;

/// A word of a command line, without its quotes.
#[derive(Debug, Clone, Copy)]
struct Word {
    start: usize,
    end: usize,
    /// Whether it is a flag, or goes on with one of Windows.
    flag: bool,
}

impl Finder<'_, '_> {
    /// The command line behind the name of a command.
    pub(super) fn command(&mut self, index: usize, start: usize, end: usize) {
        let looked = self.commands.get(index).copied().unwrap_or(0);
        let touching =
            before(self.text, start).is_ascii_alphanumeric() && !escape_ends_at(self.text, start);
        if start < looked || touching {
            return;
        }
        let Some(command) = COMMANDS.get(index) else {
            return;
        };
        let stop = line_end(self.text, end);
        if let Some(looked) = self.commands.get_mut(index) {
            *looked = stop;
        }
        if let Some(place) = command.place {
            self.placed(place, start, (end, stop));
        }
        if command.flags.is_empty() {
            return;
        }
        let mut at = end;
        while let Some(sign) = memchr::memchr2(b'-', b'/', part(self.text, at, stop)) {
            let flag = at + sign;
            at = flag + 1;
            if !matches!(before(self.text, flag), b' ' | b'\t' | b'"' | b'\'') {
                continue;
            }
            let known = command
                .flags
                .iter()
                .find(|(name, takes)| fits(self.text, flag, name.as_bytes(), *takes));
            if let Some((name, takes)) = known {
                self.argument(flag + name.len(), *takes);
            }
        }
    }

    /// The password at a place among the words of a command line.
    fn placed(&mut self, place: Place, command: usize, (from, stop): (usize, usize)) {
        let text = self.text;
        let all = words(text, from, stop);
        let plain: Vec<Word> = all.iter().copied().filter(|word| !word.flag).collect();
        let shown = |word: &Word| part(text, word.start, word.end);
        let flagged = |letter: u8| {
            let is = |word: &&Word| word.flag && shown(word).contains(&letter);
            all.iter()
                .any(|word| is(&word) && !shown(word).starts_with(b"--"))
        };
        let found = match place {
            Place::Nth(number) => plain.get(number),
            Place::Community(number) => plain.get(number).filter(|word| {
                let open = [&b"public"[..], b"private"];
                !open
                    .iter()
                    .any(|name| shown(word).eq_ignore_ascii_case(name))
            }),
            Place::Last => {
                let elsewhere = all.iter().any(|word| {
                    word.flag && matches!(shown(word), b"-in" | b"-stdin" | b"-salt" | b"-help")
                });
                plain.last().filter(|_| !elsewhere)
            }
            Place::Htpasswd if flagged(b'b') => plain.get(if flagged(b'n') { 1 } else { 2 }),
            Place::Htpasswd => None,
            Place::Share => {
                let share = |word: &Word| shown(word).starts_with(b"\\\\");
                let drive = |word: &Word| shown(word).len() == 2 && shown(word).ends_with(b":");
                let any = plain.iter().any(share);
                let mut rest = plain.iter().filter(|word| !share(word) && !drive(word));
                rest.next().filter(|_| any)
            }
            Place::Account => plain.get(1).filter(|word| {
                all.iter().any(|word| shown(word).starts_with(b"/")) || !gate::is_wordy(shown(word))
            }),
            Place::Behind(names) => {
                let is = |word: &Word| names.iter().any(|name| shown(word) == name.as_bytes());
                let at = plain.iter().position(is);
                at.and_then(|at| plain.get(at + 2))
            }
            Place::Slash => plain.first().filter(|word| !shown(word).starts_with(b"/")),
            Place::Userinfo => {
                let is = |word: &&Word| shown(word).contains(&b'@') && shown(word).contains(&b':');
                plain.iter().find(is)
            }
            Place::HereString => {
                let sign = all.iter().position(|word| shown(word) == b"<<<");
                sign.and_then(|at| all.get(at + 1))
            }
            Place::Auth => {
                let capitals = part(text, command, from) == b"AUTH ";
                let head = part(text, command.saturating_sub(2), command);
                let begins = head.ends_with(b"\n") || head.ends_with(b"> ") || command == 0;
                plain
                    .last()
                    .filter(|_| capitals && begins && plain.len() <= 2)
            }
        };
        let Some(word) = found.copied() else {
            return;
        };
        let value = shown(&word);
        let cut = match place {
            Place::Slash => {
                let slash = memchr::memchr(b'/', value);
                let sign = memchr::memrchr(b'@', value).unwrap_or(value.len());
                slash.map(|slash| (slash + 1, sign))
            }
            Place::Userinfo => {
                let sign = memchr::memrchr(b'@', value).unwrap_or(value.len());
                memchr::memchr(b':', value).map(|colon| (colon + 1, sign))
            }
            Place::HereString => {
                let colon = memchr::memchr(b':', value).map_or(0, |colon| colon + 1);
                Some((colon, value.len()))
            }
            _ => Some((0, value.len())),
        };
        let Some((start, end)) = cut else {
            return;
        };
        let secret = part(value, start, end);
        let setting = Setting {
            quoted: true,
            ..Setting::default()
        };
        // What is a word may be anything where only a word of a protocol tells.
        let sure = place != Place::Auth || secret.iter().any(u8::is_ascii_digit);
        if sure && gate::worth_hiding(secret, Strength::Password, setting) {
            self.hide(word.start + start, word.start + end, COMMAND_PASSWORD);
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
        let senders = [&b"echo "[..], b"printf "].into_iter();
        let sender = senders
            .filter_map(|word| Some(memchr::memmem::rfind(line, word)? + word.len()))
            .max();
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
            Takes::Cookies => {
                self.cookie_list(value.start, value.end);
                return;
            }
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

/// The words of a command line: between blanks, or between quotes.
fn words(text: &[u8], from: usize, stop: usize) -> Vec<Word> {
    let mut words = Vec::with_capacity(WORDS);
    let mut at = from;
    while words.len() < WORDS {
        at = skip_blanks(text, at);
        if at >= stop || line_break(text, at) > 0 {
            break;
        }
        let first = byte(text, at);
        if matches!(first, b'"' | b'\'') {
            let Some(value) = value_at(text, at, false) else {
                break;
            };
            words.push(Word {
                start: value.start,
                end: value.end,
                flag: false,
            });
            at = value.end + usize::from(value.close.is_some());
            continue;
        }
        let ends = |place: &usize| {
            let sign = byte(text, *place);
            let quote = matches!(byte(text, place + 1), b'"' | b'\'');
            matches!(sign, 0..=32 | b'"' | b'\'' | b'`' | b'|' | b';' | b')')
                || sign == b'\\' && (quote || breaks_line(text, *place))
        };
        let end = (at..stop).find(ends).unwrap_or(stop);
        if end == at {
            break;
        }
        let flag = first == b'-' || first == b'/' && !part(text, at + 1, end).contains(&b'/');
        words.push(Word {
            start: at,
            end,
            flag,
        });
        at = end;
    }
    words
}

/// Whether an escaped line break ends a word: `\n`, and not the share `\\nas`.
fn breaks_line(text: &[u8], at: usize) -> bool {
    line_break(text, at) > 0 && byte(text, at + 1) != b'\\' && before(text, at) != b'\\'
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
    let end = memchr::memchr3_iter(b'\n', b'|', b';', window).find(|at| match byte(window, *at) {
        b'\n' => before(window, *at) != b'\\',
        _ => byte(window, at + 1) == b' ',
    });
    start + end.unwrap_or(window.len())
}
