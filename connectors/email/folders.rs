//! Folders of mail: what they are for, and which are read.

use super::mailbox::Role;
use super::options::{Options, names_folder};

/// Names, in lower case, of folders with mail that nobody wants kept: spam, trash, drafts and what
/// waits to be sent, as programs name them in their languages.
const UNWANTED: &[&str] = &[
    "trash",
    "bin",
    "deleted",
    "deleted items",
    "deleted messages",
    "recycle bin",
    "junk",
    "junk e-mail",
    "junk email",
    "junk mail",
    "spam",
    "bulk",
    "bulk mail",
    "quarantine",
    "drafts",
    "draft",
    "templates",
    "outbox",
    "unsent messages",
    "papierkorb",
    "gelöscht",
    "gelöschte objekte",
    "gelöschte elemente",
    "werbung",
    "unerwünscht",
    "entwürfe",
    "vorlagen",
    "postausgang",
    "corbeille",
    "éléments supprimés",
    "pourriel",
    "indésirables",
    "courrier indésirable",
    "brouillons",
    "papelera",
    "elementos eliminados",
    "correo no deseado",
    "borradores",
    "lixeira",
    "lixo eletrônico",
    "itens excluídos",
    "rascunhos",
    "cestino",
    "posta eliminata",
    "posta indesiderata",
    "bozze",
    "prullenbak",
    "prullenmand",
    "verwijderde items",
    "ongewenste e-mail",
    "concepten",
    "kosz",
    "szkice",
    "wersje robocze",
    "корзина",
    "спам",
    "черновики",
    "papperskorg",
    "skräppost",
    "utkast",
    "papirkurv",
    "søppelpost",
    "kladder",
    "ゴミ箱",
    "迷惑メール",
    "下書き",
    "垃圾邮件",
    "已删除邮件",
    "草稿箱",
    "垃圾箱",
];

/// Names, in lower case, of folders with mail that the owner wrote.
const SENT: &[&str] = &[
    "sent",
    "sent items",
    "sent mail",
    "sent messages",
    "gesendet",
    "gesendete elemente",
    "gesendete objekte",
    "envoyés",
    "messages envoyés",
    "éléments envoyés",
    "enviados",
    "elementos enviados",
    "itens enviados",
    "inviata",
    "posta inviata",
    "verzonden",
    "verzonden items",
    "wysłane",
    "отправленные",
    "skickat",
    "sendt",
    "送信済み",
    "已发送",
    "已发送邮件",
];

/// What a folder is for, by its name with `/` between its parts; `None` for one that is not read.
///
/// `folders` and `exclude_folders` match the whole name or its last part. A folder that `folders`
/// names without a wildcard is read whatever it is for.
pub(super) fn role(name: &str, options: &Options) -> Option<Role> {
    let leaf = name.rsplit('/').next().unwrap_or(name).to_lowercase();
    let matches =
        |patterns: &[String]| names_folder(patterns, name) || names_folder(patterns, &leaf);
    if matches(&options.exclude_folders) {
        return None;
    }
    if !options.folders.is_empty() && !matches(&options.folders) {
        return None;
    }
    let named = |folder: &String| {
        let folder = folder.to_lowercase();
        folder == name.to_lowercase() || folder == leaf
    };
    let is_named = options.folders.iter().any(named);
    // What lies inside of the trash was thrown away too.
    let mut parts = name.split('/').map(str::to_lowercase);
    if !is_named && parts.any(|part| UNWANTED.contains(&part.as_str())) {
        return None;
    }
    Some(match SENT.contains(&leaf.as_str()) {
        true => Role::Sent,
        false => Role::Ordinary,
    })
}

/// Decodes the modified UTF-7 of IMAP and Maildir++ folder names (`Entw&APw-rfe`); what is none
/// stays as it is.
pub(super) fn decode_name(name: &str) -> String {
    decoded(name).unwrap_or_else(|| name.to_owned())
}

fn decoded(name: &str) -> Option<String> {
    let mut out = String::with_capacity(name.len());
    let mut rest = name;
    while let Some((plain, shifted)) = rest.split_once('&') {
        out.push_str(plain);
        let (code, after) = shifted.split_once('-')?;
        if code.is_empty() {
            out.push('&');
        } else {
            out.push_str(&decode_shifted(code)?);
        }
        rest = after;
    }
    out.push_str(rest);
    Some(out)
}

/// Decodes base64 (with `,` in place of `/`) of UTF-16.
fn decode_shifted(code: &str) -> Option<String> {
    let mut bits: u32 = 0;
    let mut held = 0;
    let mut units = Vec::new();
    for byte in code.bytes() {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b',' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        held += 6;
        if held >= 16 {
            held -= 16;
            units.push(u16::try_from(bits >> held & 0xffff).ok()?);
            bits &= (1 << held) - 1;
        }
    }
    String::from_utf16(&units).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(folders: &[&str], exclude: &[&str]) -> Options {
        let list = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Options {
            folders: list(folders),
            exclude_folders: list(exclude),
            ..Options::default()
        }
    }

    #[test]
    fn spam_trash_and_drafts_are_left_out_unless_named() {
        let none = options(&[], &[]);
        assert_eq!(role("INBOX", &none), Some(Role::Ordinary));
        assert_eq!(role("INBOX/Sent", &none), Some(Role::Sent));
        assert_eq!(role("[Gmail]/Gesendet", &none), Some(Role::Sent));
        for name in ["Trash", "[Gmail]/Spam", "Entwürfe", "Trash/2024"] {
            assert_eq!(role(name, &none), None, "{name}");
        }
        assert_eq!(
            role("Trash", &options(&["trash"], &[])),
            Some(Role::Ordinary)
        );
        assert_eq!(role("Trash", &options(&["*"], &[])), None);
    }

    #[test]
    fn patterns_choose_and_exclude() {
        let work = options(&["work*", "INBOX"], &["work/old"]);
        assert_eq!(role("Work/Shop", &work), Some(Role::Ordinary));
        assert_eq!(role("inbox", &work), Some(Role::Ordinary));
        assert_eq!(role("Work/Old", &work), None);
        assert_eq!(role("Lists", &work), None);
    }

    #[test]
    fn modified_utf_7_is_decoded_and_what_is_none_stays() {
        for (name, expected) in [
            ("Entw&APw-rfe", "Entwürfe"),
            ("R&-D", "R&D"),
            ("&U,BTFw-", "台北"),
            ("a&b", "a&b"),
            ("a&b-c", "ac"),
            ("&%-", "&%-"),
        ] {
            assert_eq!(decode_name(name), expected, "{name}");
        }
    }
}
