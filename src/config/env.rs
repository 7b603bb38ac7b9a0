//! Environment variables and the `.env` file beside the configuration: the one place that reads
//! either.
//!
//! Values may be secrets. They are handed out as [`Secret`], which no log and no error can show.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use super::problem::Problem;

/// A value that must not be shown: its `Debug` form hides it and it has no `Display` form.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// The value itself, for the one who uses it.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(hidden)")
    }
}

/// The variables of the process, or given ones in their place.
#[derive(Debug, Clone)]
enum Outside {
    Process,
    Given(BTreeMap<String, Secret>),
}

/// Looks variables up: those set outside first, then those of a `.env` file.
#[derive(Debug, Clone)]
pub struct Env {
    outside: Outside,
    file: BTreeMap<String, Secret>,
}

impl Env {
    /// The variables of this process.
    #[must_use]
    pub fn process() -> Self {
        Self {
            outside: Outside::Process,
            file: BTreeMap::new(),
        }
    }

    /// Exactly the variables given, whatever the process has.
    #[must_use]
    pub fn given<'a>(variables: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let own = |(name, value): (&str, &str)| (name.to_owned(), Secret(value.to_owned()));
        Self {
            outside: Outside::Given(variables.into_iter().map(own).collect()),
            file: BTreeMap::new(),
        }
    }

    /// A variable's value. One that is empty counts as not set; one that is set outside hides one
    /// of the `.env` file, also when it is empty there.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Secret> {
        let outside = match &self.outside {
            Outside::Process => process_variable(name),
            Outside::Given(variables) => variables.get(name).cloned(),
        };
        outside
            .or_else(|| self.file.get(name).cloned())
            .filter(|value| !value.0.is_empty())
    }

    /// The person's home folder.
    #[must_use]
    pub fn home(&self) -> Option<PathBuf> {
        ["HOME", "USERPROFILE"]
            .into_iter()
            .find_map(|name| self.get(name))
            .map(|home| PathBuf::from(home.0))
    }

    /// Adds the `.env` file of a folder, in place of one that was added before.
    ///
    /// What cannot be read is returned: lines without a `=` or with a name of another shape, bytes
    /// that are not UTF-8, a file that does not open. A missing file is none of that.
    pub(super) fn add_file(&mut self, folder: &Path) -> Vec<Problem> {
        let path = folder.join(".env");
        self.file.clear();
        let bytes = match std::fs::read(&path) {
            Ok(bytes) => bytes,
            Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => return Vec::new(),
            Err(cause) => {
                let message = format!("cannot be read: {cause}");
                return vec![problem(&path, 1, message)];
            }
        };
        let mut problems = Vec::new();
        for (number, line) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
            match read_line(line) {
                Ok(Some((name, value))) => {
                    self.file.insert(name, value);
                }
                Ok(None) => {}
                Err(message) => problems.push(problem(&path, number, message.to_owned())),
            }
        }
        problems
    }
}

fn problem(path: &Path, line: usize, message: String) -> Problem {
    Problem {
        path: path.to_owned(),
        line,
        key: None,
        message,
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "this is the place that the lint points to"
)]
fn process_variable(name: &str) -> Option<Secret> {
    std::env::var(name).ok().map(Secret)
}

/// Whether a text is the name of a variable: a letter or `_`, then letters, digits, `_`.
pub(super) fn is_name(text: &str) -> bool {
    let letter = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_';
    text.bytes().next().is_some_and(letter)
        && text
            .bytes()
            .all(|byte| letter(byte) || byte.is_ascii_digit())
}

/// Reads one line: a variable, nothing (empty, a comment), or what is wrong with it.
fn read_line(line: &[u8]) -> Result<Option<(String, Secret)>, &'static str> {
    let Ok(line) = std::str::from_utf8(line) else {
        return Err("not UTF-8; the line is passed over");
    };
    let line = line.trim_start_matches('\u{feff}').trim();
    if line.is_empty() || line.starts_with('#') {
        return Ok(None);
    }
    let line = match line.strip_prefix("export") {
        Some(rest) if rest.starts_with([' ', '\t']) => rest.trim_start(),
        _ => line,
    };
    match line.split_once('=') {
        Some((name, value)) if is_name(name.trim_end()) => {
            let value = Secret(unquoted(value.trim()).to_owned());
            Ok(Some((name.trim_end().to_owned(), value)))
        }
        _ => Err("not of the form NAME=VALUE; the line is passed over"),
    }
}

fn unquoted(value: &str) -> &str {
    ['"', '\'']
        .into_iter()
        .find_map(|quote| value.strip_prefix(quote)?.strip_suffix(quote))
        .unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_file(text: &[u8]) -> (Env, Vec<String>) {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(".env"), text).unwrap();
        let mut env = Env::given([("SET", "outside"), ("BLANK", "")]);
        let problems = env.add_file(folder.path());
        let lines = problems
            .iter()
            .map(|problem| format!("{}: {}", problem.line, problem.message));
        (env, lines.collect())
    }

    fn value(env: &Env, name: &str) -> Option<String> {
        env.get(name).map(|secret| secret.expose().to_owned())
    }

    #[test]
    fn the_file_gives_what_is_not_set_outside_and_its_last_line_wins() {
        let (env, problems) = with_file(
            b"\xEF\xBB\xBFA=1\r\n# B=2\n\n export C = 'three # 3' \nA=\"last\"\nSET=file\nBLANK=file\nD=\nexported=e=q\n",
        );
        assert_eq!(problems, [""; 0]);
        assert_eq!(value(&env, "A").as_deref(), Some("last"));
        assert_eq!(value(&env, "B"), None);
        assert_eq!(value(&env, "C").as_deref(), Some("three # 3"));
        assert_eq!(value(&env, "SET").as_deref(), Some("outside"));
        assert_eq!(value(&env, "BLANK"), None);
        assert_eq!(value(&env, "D"), None);
        assert_eq!(value(&env, "exported").as_deref(), Some("e=q"));
    }

    #[test]
    fn lines_of_another_form_are_named_by_number_and_never_quoted() {
        let (env, problems) = with_file(b"sk-secret-value\nA=1\n2B=x\nC=\xFF\n'=\n");
        assert_eq!(
            problems,
            [
                "1: not of the form NAME=VALUE; the line is passed over",
                "3: not of the form NAME=VALUE; the line is passed over",
                "4: not UTF-8; the line is passed over",
                "5: not of the form NAME=VALUE; the line is passed over",
            ]
        );
        assert_eq!(value(&env, "A").as_deref(), Some("1"));
    }

    #[test]
    fn a_lone_quote_stays() {
        assert_eq!(unquoted("\""), "\"");
        assert_eq!(unquoted("\"a'"), "\"a'");
        assert_eq!(unquoted("''"), "");
    }

    #[test]
    fn no_debug_form_shows_a_value() {
        let (env, _) = with_file(b"KEY=hunter2\n");
        assert!(value(&env, "KEY").is_some());
        let shown = format!("{env:?} {:?}", env.get("KEY"));
        assert!(!shown.contains("hunter2"), "{shown}");
        assert!(shown.ends_with("Some(Secret(hidden))"), "{shown}");
    }

    #[test]
    fn home_is_home_or_the_windows_name_for_it() {
        let env = Env::given([("HOME", ""), ("USERPROFILE", "C:\\Users\\ana")]);
        assert_eq!(env.home(), Some(PathBuf::from("C:\\Users\\ana")));
        assert_eq!(Env::given([]).home(), None);
    }
}
