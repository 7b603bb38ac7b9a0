//! What a server can do, by its version. Servers ignore parameters that they do not know, so that
//! asking and looking tells nothing.

/// How lists of tasks come in pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Paging {
    /// In the order of ids, each page after the last id of the one before.
    AfterId,
    /// Counted from the most recently changed on.
    Offset,
    /// All at once, whatever is asked.
    Whole,
}

/// What a server can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Abilities {
    pub(super) paging: Paging,
    /// Lists can be had with fewer fields.
    pub(super) compact: bool,
    /// Comments come in pages and in the order of time.
    pub(super) comment_pages: bool,
    pub(super) documents: bool,
    pub(super) interactions: bool,
}

/// First versions with an ability, as `year.month and day`.
const DOCUMENTS: (u32, u32) = (2026, 318);
const PAGES: (u32, u32) = (2026, 529);
const COMPACT: (u32, u32) = (2026, 722);
const AFTER_ID: (u32, u32) = (2026, 916);

impl Abilities {
    /// Abilities of a version. One that tells none, or an unreadable one, is asked in the oldest
    /// way for its list, which every server answers, and for all that a task may have.
    pub(super) fn of(version: Option<&str>) -> Self {
        let Some(version) = version.and_then(parse) else {
            return Self {
                paging: Paging::Offset,
                compact: false,
                comment_pages: false,
                documents: true,
                interactions: true,
            };
        };
        let paging = if version >= AFTER_ID {
            Paging::AfterId
        } else if version >= PAGES {
            Paging::Offset
        } else {
            Paging::Whole
        };
        Self {
            paging,
            compact: version >= COMPACT,
            comment_pages: version >= DOCUMENTS,
            documents: version >= DOCUMENTS,
            interactions: version >= PAGES,
        }
    }
}

/// The first two numbers of a version.
fn parse(version: &str) -> Option<(u32, u32)> {
    let mut numbers = version
        .trim()
        .trim_start_matches('v')
        .split(['.', '-', '+']);
    let year = numbers.next()?.parse().ok()?;
    let day = numbers.next()?.parse().ok()?;
    Some((year, day))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn abilities_follow_the_version() {
        let of = |version| {
            let a = Abilities::of(Some(version));
            (a.paging, a.compact, a.comment_pages, a.interactions)
        };
        assert_eq!(of("2026.916.1"), (Paging::AfterId, true, true, true));
        assert_eq!(of("2027.101.0"), (Paging::AfterId, true, true, true));
        assert_eq!(of("2026.831.1"), (Paging::Offset, true, true, true));
        assert_eq!(of("2026.707.0"), (Paging::Offset, false, true, true));
        assert_eq!(
            of("2026.330.0-canary.7"),
            (Paging::Whole, false, true, false)
        );
        assert_eq!(of("0.2.7"), (Paging::Whole, false, false, false));
    }

    #[test]
    fn an_unreadable_version_is_asked_with_care_for_everything() {
        for version in [None, Some("nightly"), Some("")] {
            let abilities = Abilities::of(version);
            assert_eq!(abilities.paging, Paging::Offset, "{version:?}");
            assert!(abilities.interactions && !abilities.comment_pages);
        }
    }
}
