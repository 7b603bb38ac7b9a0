//! Which folders of an account are read, and what for.

use super::super::folders::{self, decode_name};
use super::super::mailbox::Role;
use super::super::options::{Options, names_folder};
use super::session::Listed;

/// Folders that cannot hold mail, by attribute.
const EMPTY: &[&str] = &["\\noselect", "\\nonexistent"];
/// Folders with mail that nobody wants kept.
const UNWANTED: &[&str] = &["\\junk", "\\trash", "\\drafts"];
/// Folders that show mail of other folders.
const VIEWS: &[&str] = &["\\all", "\\flagged", "\\important"];

/// A folder that is read.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Chosen {
    /// Its name as the server writes it.
    pub(super) raw: Vec<u8>,
    /// Its name for people, with `/` between its parts.
    pub(super) name: String,
    /// What it is for.
    pub(super) role: Role,
    /// Whether each mail's labels say where it belongs (Gmail's folder of all mail).
    pub(super) by_label: bool,
}

/// Chooses folders: INBOX first, then by name. On Gmail, where every label is a folder, the one
/// with all mail stands for all of them, unless it is hidden.
pub(super) fn choose(listed: Vec<Listed>, is_gmail: bool, options: &Options) -> Vec<Chosen> {
    let all = listed.iter().position(|folder| folder.is("\\all"));
    let mut listed = listed;
    if let Some(all) = all.filter(|_| is_gmail) {
        let folder = listed.swap_remove(all);
        let name = folder.name();
        return vec![Chosen {
            raw: folder.raw,
            name,
            role: Role::Ordinary,
            by_label: true,
        }];
    }
    let mut chosen: Vec<Chosen> = listed
        .into_iter()
        .filter_map(|folder| {
            let name = folder.name();
            let role = role(&folder, &name, options)?;
            Some(Chosen {
                raw: folder.raw,
                name,
                role,
                by_label: false,
            })
        })
        .collect();
    chosen.sort_by(|a, b| (a.name != "INBOX", &a.name).cmp(&(b.name != "INBOX", &b.name)));
    chosen.dedup_by(|a, b| a.raw == b.raw);
    chosen
}

/// What a mail is for by its labels on Gmail; `None` for one that is not wanted. A mail that was
/// archived has none and lies in the folder of all mail only.
pub(super) fn by_labels(labels: &[String], all: &str, options: &Options) -> Option<Role> {
    let names: Vec<&str> = labels
        .iter()
        .map(|label| match label.to_ascii_lowercase().as_str() {
            "\\inbox" => "INBOX",
            "\\sent" => "Sent",
            "\\draft" | "\\drafts" => "Drafts",
            "\\spam" | "\\junk" => "Spam",
            "\\trash" => "Trash",
            _ => label.trim_start_matches('\\'),
        })
        .chain([all])
        .collect();
    let excluded = |name: &&str| names_folder(&options.exclude_folders, name);
    if names.iter().any(excluded) {
        return None;
    }
    let everywhere = Options {
        folders: Vec::new(),
        exclude_folders: Vec::new(),
        ..Options::default()
    };
    let mut own = names.iter().filter(|name| **name != all);
    let is_thrown = own.any(|name| folders::role(name, &everywhere).is_none());
    let mut roles = names
        .iter()
        .filter_map(|name| folders::role(name, options))
        .peekable();
    roles.peek()?;
    let names_thrown = !options.folders.is_empty();
    if is_thrown && !names_thrown {
        return None;
    }
    Some(match names.contains(&"Sent") {
        true => Role::Sent,
        false => Role::Ordinary,
    })
}

fn role(folder: &Listed, name: &str, options: &Options) -> Option<Role> {
    if EMPTY.iter().any(|attribute| folder.is(attribute)) {
        return None;
    }
    let role = folders::role(name, options)?;
    let special = UNWANTED.iter().chain(VIEWS);
    if special.into_iter().any(|attribute| folder.is(attribute)) && !is_named(name, options) {
        return None;
    }
    Some(match folder.is("\\sent") {
        true => Role::Sent,
        false => role,
    })
}

/// Whether `folders` names a folder without a wildcard.
fn is_named(name: &str, options: &Options) -> bool {
    let leaf = name.rsplit('/').next().unwrap_or(name).to_lowercase();
    let whole = name.to_lowercase();
    options.folders.iter().any(|folder| {
        let folder = folder.to_lowercase();
        folder == whole || folder == leaf
    })
}

impl Listed {
    fn is(&self, attribute: &str) -> bool {
        self.attributes.iter().any(|own| own == attribute)
    }

    /// The name for people. INBOX is INBOX however it is written.
    fn name(&self) -> String {
        let name = decode_name(&String::from_utf8_lossy(&self.raw));
        let name = match self.separator.map(char::from) {
            Some('/') | None => name,
            Some(separator) => name.replace(separator, "/"),
        };
        match name.eq_ignore_ascii_case("INBOX") {
            true => "INBOX".to_owned(),
            false => name,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(raw: &str, attributes: &[&str]) -> Listed {
        Listed {
            raw: raw.as_bytes().to_vec(),
            separator: Some(b'.'),
            attributes: attributes.iter().map(|name| (*name).to_owned()).collect(),
        }
    }

    fn options(folders: &[&str], exclude: &[&str]) -> Options {
        let list = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Options {
            folders: list(folders),
            exclude_folders: list(exclude),
            ..Options::default()
        }
    }

    fn names(is_gmail: bool, options: &Options) -> Vec<String> {
        let folders = vec![
            listed("Lists.rust", &[]),
            listed("Entw&APw-rfe 2", &["\\drafts"]),
            listed("Weg", &["\\trash"]),
            listed("inbox", &["\\hasnochildren"]),
            listed("Out", &["\\sent"]),
            listed("Lists", &["\\noselect"]),
            listed("Everything", &["\\all"]),
        ];
        let chosen = choose(folders, is_gmail, options);
        chosen
            .into_iter()
            .map(|folder| format!("{} {:?}", folder.name, folder.role))
            .collect()
    }

    #[test]
    fn folders_are_chosen_by_what_they_are_for_and_by_patterns() {
        assert_eq!(
            names(false, &options(&[], &[])),
            ["INBOX Ordinary", "Lists/rust Ordinary", "Out Sent"]
        );
        assert_eq!(
            names(false, &options(&["lists/*", "weg"], &[])),
            ["Lists/rust Ordinary", "Weg Ordinary"]
        );
        assert_eq!(
            names(false, &options(&[], &["Lists*"])),
            ["INBOX Ordinary", "Out Sent"]
        );
    }

    #[test]
    fn on_gmail_the_folder_of_all_mail_stands_for_all() {
        assert_eq!(names(true, &options(&[], &[])), ["Everything Ordinary"]);
    }

    #[test]
    fn labels_decide_on_gmail() {
        let role = |labels: &[&str], options: &Options| {
            let labels: Vec<String> = labels.iter().map(|label| (*label).to_owned()).collect();
            by_labels(&labels, "[Gmail]/All Mail", options)
        };
        let none = options(&[], &[]);
        assert_eq!(role(&[], &none), Some(Role::Ordinary));
        assert_eq!(role(&["\\Sent", "\\Inbox"], &none), Some(Role::Sent));
        assert_eq!(role(&["\\Draft"], &none), None);
        let work = options(&["Work*"], &["Work/Old"]);
        assert_eq!(role(&["Work/Shop"], &work), Some(Role::Ordinary));
        assert_eq!(role(&["Work/Shop", "Work/Old"], &work), None);
        assert_eq!(role(&["\\Inbox"], &work), None);
        assert_eq!(
            role(&["\\Inbox"], &options(&["INBOX"], &[])),
            Some(Role::Ordinary)
        );
    }
}
