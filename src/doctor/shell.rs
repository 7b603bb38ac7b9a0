//! Paths in commands that a person copies into a shell.

use std::path::Path;

/// A path as one word of a shell.
#[must_use]
pub fn quoted(path: &Path) -> String {
    let text = path.to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+@%:,=".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.into_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_one_word_whatever_is_in_it() {
        for (path, word) in [
            ("/home/ana/jezero.db", "/home/ana/jezero.db"),
            ("/a b", "'/a b'"),
            ("/it's $HOME", r"'/it'\''s $HOME'"),
            ("", "''"),
        ] {
            assert_eq!(quoted(Path::new(path)), word);
        }
    }
}
