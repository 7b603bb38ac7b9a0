//! Where mail usually lies on a computer; nothing is opened, only names are looked at.

use std::fs;
use std::path::{Path, PathBuf};

use crate::connector::Surroundings;

/// Folders in which programs that fetch mail put Maildirs.
const MAILDIRS: &[&str] = &[
    "Maildir",
    "Mail",
    "mail",
    ".mail",
    ".maildir",
    ".local/share/mail",
];

/// Folders in which Thunderbird keeps its profiles.
const PROFILES: &[&str] = &[
    ".thunderbird",
    ".icedove",
    "snap/thunderbird/common/.thunderbird",
    ".var/app/org.mozilla.Thunderbird/.thunderbird",
    "Library/Thunderbird/Profiles",
    "AppData/Roaming/Thunderbird/Profiles",
];

/// The first usual place with mail: a Maildir or a folder of them, else a profile of Thunderbird.
pub(super) fn usual(surroundings: &Surroundings) -> Option<PathBuf> {
    let home = surroundings.home.as_ref()?;
    let maildir = MAILDIRS
        .iter()
        .map(|folder| home.join(folder))
        .find(|path| holds_maildir(path, 2));
    maildir.or_else(|| {
        let profiles = PROFILES
            .iter()
            .flat_map(|folder| folders(&home.join(folder)));
        profiles.into_iter().find(|profile| is_profile(profile))
    })
}

/// Lines for a place that was found.
pub(super) fn template(found: &Path) -> String {
    let store = if is_profile(found) { "mbox" } else { "maildir" };
    let place = toml::Value::from(found.display().to_string());
    format!(
        "# Where the mail is: maildir, mbox (a file, a folder or a profile of Thunderbird) or eml_dir.\n\
         {store} = {place}\n\
         # Your own addresses: a thread in which you wrote is always kept. The first names the box.\n\
         #own_addresses = [\"ana@example.org\"]\n\
         # Whether newsletters, notifications and automatic mail are left out.\n\
         skip_bulk = true\n\
         # Mail dated before this is not read.\n\
         #since = \"2026-01-01\"\n"
    )
}

/// Whether a folder is a Maildir or has one not far below.
fn holds_maildir(path: &Path, depth: usize) -> bool {
    if path.join("cur").is_dir() && path.join("new").is_dir() {
        return true;
    }
    depth > 0
        && folders(path)
            .iter()
            .any(|inner| holds_maildir(inner, depth - 1))
}

fn is_profile(path: &Path) -> bool {
    path.join("Mail").is_dir() || path.join("ImapMail").is_dir()
}

/// The folders in a folder, sorted; none if it cannot be listed.
fn folders(path: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .map(|entry| entry.path())
        .take(500)
        .collect();
    found.sort_unstable();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(folders: &[&str]) -> Option<(String, String)> {
        let home = tempfile::tempdir().unwrap();
        for folder in folders {
            fs::create_dir_all(home.path().join(folder)).unwrap();
        }
        let surroundings = Surroundings {
            home: Some(home.path().to_owned()),
            ..Surroundings::default()
        };
        let place = usual(&surroundings)?;
        let below = place.strip_prefix(home.path()).unwrap();
        let line = template(&place).lines().nth(1).unwrap().to_owned();
        let key = line.split(' ').next().unwrap().to_owned();
        Some((below.display().to_string(), key))
    }

    #[test]
    fn maildirs_and_profiles_are_found_where_programs_put_them() {
        let pair = |place: &str, key: &str| Some((place.to_owned(), key.to_owned()));
        assert_eq!(
            found(&["Maildir/cur", "Maildir/new"]),
            pair("Maildir", "maildir")
        );
        assert_eq!(
            found(&["Mail/gmail/INBOX/cur", "Mail/gmail/INBOX/new"]),
            pair("Mail", "maildir")
        );
        assert_eq!(
            found(&["Mail/letters", ".thunderbird/ab.default/Mail/Local Folders"]),
            pair(".thunderbird/ab.default", "mbox")
        );
        assert_eq!(found(&["Mail/letters", ".thunderbird/Crash Reports"]), None);
    }
}
