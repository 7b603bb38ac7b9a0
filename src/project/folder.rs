//! A folder's path taken apart, whether it was written on Unix or on Windows.

use unicode_normalization::UnicodeNormalization;

/// A name in the form by which names are compared: some systems take letters with accents apart.
pub(super) fn lower(name: &str) -> String {
    name.nfc().collect::<String>().to_lowercase()
}

/// An absolute path in parts. Windows paths keep their drive as the first part and are compared
/// without regard to case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Folder {
    parts: Vec<String>,
    windows: bool,
}

impl Folder {
    /// Takes a path apart: `/a/b`, `C:\a\b`, `C:/a/b`, `\\host\share`, `\\?\C:\a`, or `~/a`. `None`
    /// for a relative one, and for one that leads upwards.
    pub(super) fn parse(path: &str) -> Option<Self> {
        let plain = path.strip_prefix(r"\\?\").unwrap_or(path);
        let mut start = plain.chars();
        let drive = start.next().is_some_and(|c| c.is_ascii_alphabetic())
            && start.next() == Some(':')
            && matches!(start.next(), None | Some('/' | '\\'));
        let windows = drive || plain.starts_with(r"\\");
        let tilde = plain == "~" || plain.starts_with("~/");
        if !windows && !tilde && !plain.starts_with('/') {
            return None;
        }
        let separators: &[char] = if windows { &['/', '\\'] } else { &['/'] };
        let parts: Vec<String> = plain
            .split(separators)
            .filter(|part| !part.is_empty() && *part != ".")
            .map(str::to_owned)
            .collect();
        let upwards = parts.iter().any(|part| part == "..");
        (!upwards).then_some(Self { parts, windows })
    }

    /// The names on the way to it, the drive first on Windows.
    pub(super) fn parts(&self) -> &[String] {
        &self.parts
    }

    /// The path of its first `depth` parts on this computer; `None` when it was written on another
    /// system.
    pub(super) fn here(&self, depth: usize) -> Option<String> {
        let parts = self.parts.get(..depth)?;
        match (self.windows, cfg!(windows)) {
            (false, false) => Some(format!("/{}", parts.join("/"))),
            (true, true) => Some(format!("{}\\", parts.join("\\"))),
            _ => None,
        }
    }

    /// How many parts lead to the home folder that this folder is in; `None` outside of any home.
    /// `home` is this person's; beside it the usual places on Unix, macOS, Windows and below
    /// Windows' Linux count.
    pub(super) fn home_depth(&self, home: Option<&Self>) -> Option<usize> {
        if let Some(home) = home
            && !home.parts.is_empty()
            && self.starts_with(home)
        {
            return Some(home.parts.len());
        }
        let lower: Vec<String> = self.parts.iter().map(|part| part.to_lowercase()).collect();
        let names: Vec<&str> = lower.iter().map(String::as_str).collect();
        match (self.windows, names.as_slice()) {
            (true, [_, "users", _, ..]) => Some(3),
            (false, ["root", ..]) => Some(1),
            (false, ["home" | "users", _, ..]) => Some(2),
            (false, ["var", "home", _, ..]) => Some(3),
            (false, ["mnt", drive, "users", _, ..]) if drive.len() == 1 => Some(4),
            _ => None,
        }
    }

    /// With this folder in `holder`: how many of its parts lead there. A `~` in `holder` is any
    /// person's home.
    pub(super) fn depth_inside(&self, holder: &Self, home: Option<&Self>) -> Option<usize> {
        if holder.parts.first().is_some_and(|part| part == "~") {
            let depth = self.home_depth(home)?;
            let below = holder.parts.get(1..)?;
            let own = self.parts.get(depth..)?;
            return self.same_start(own, below).then_some(depth + below.len());
        }
        self.starts_with(holder).then_some(holder.parts.len())
    }

    fn starts_with(&self, holder: &Self) -> bool {
        self.windows == holder.windows && self.same_start(&self.parts, &holder.parts)
    }

    fn same_start(&self, parts: &[String], start: &[String]) -> bool {
        let same = |(one, other): (&String, &String)| {
            one == other
                || one.nfc().eq(other.nfc())
                || (self.windows && lower(one) == lower(other))
        };
        parts.len() >= start.len() && parts.iter().zip(start).all(same)
    }
}
