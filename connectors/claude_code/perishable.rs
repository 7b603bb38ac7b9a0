//! Which sessions the agent will delete before they were read.
//!
//! At its start the agent deletes every transcript whose file has not been touched for
//! `cleanupPeriodDays`, which stands in its `settings.json` beside the folder of the sessions. A project
//! or an administrator can set another number, which is not looked for.

use std::path::Path;

use super::listing::{Found, Place};
use super::mark;
use crate::connector::Perishable;
use crate::files::Root;
use crate::marks::Memory;
use crate::time::Instant;

/// Days after which the agent deletes where nothing is set.
const USUAL: u32 = 30;
/// Bytes of settings that are read.
const SETTINGS: u64 = 1024 * 1024;
/// Nanoseconds in a second.
const SECOND: i64 = 1_000_000_000;

/// The sessions that have not been read, or not to their end, and when they go.
pub(super) fn of(places: &[Place], found: &[Found], memory: &Memory) -> Option<Perishable> {
    let first = places.first()?;
    let periods = places.iter().map(|place| (days(&place.root), place));
    let (days, place) = periods
        .min_by_key(|(days, _)| *days)
        .unwrap_or((USUAL, first));
    let is_read = |found: &&Found| {
        let recalled = memory.get(found.key.digits().as_str());
        recalled.is_some_and(|recalled| mark::is_current(&recalled.value, found.stamp))
    };
    let unread = found.iter().filter(|found| !is_read(found));
    Some(Perishable {
        days,
        set_in: format!(
            "cleanupPeriodDays in {}",
            place.root.path().with_file_name("settings.json").display()
        ),
        unread: unread
            .filter_map(|found| Instant::from_unix(found.stamp.modified.div_euclid(SECOND)))
            .collect(),
    })
}

/// The number that is set beside a folder of sessions.
fn days(root: &Root) -> u32 {
    let set = || {
        let beside = Root::new(root.path().parent()?).ok()?;
        let text = beside.read_small(Path::new("settings.json"), SETTINGS)?;
        let settings: serde_json::Value = serde_json::from_str(&text).ok()?;
        let days = settings.get("cleanupPeriodDays")?.as_f64()?;
        // The agent takes no less than a day.
        (1.0..=f64::from(u32::MAX)).contains(&days).then_some(days)
    };
    set().map_or(USUAL, whole)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it was held against both ends"
)]
fn whole(days: f64) -> u32 {
    days as u32
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::ClaudeCode;
    use super::*;
    use crate::connector::{Kind, Surroundings};
    use crate::files::Stamp;
    use crate::marks::Recalled;

    fn perishable(home: &Path, memory: &Memory) -> Option<Perishable> {
        let surroundings = Surroundings {
            base: home.to_owned(),
            home: Some(home.to_owned()),
            ..Surroundings::default()
        };
        let connector = ClaudeCode.build(&toml::Table::new(), &surroundings);
        connector.unwrap().perishable(memory)
    }

    #[test]
    fn sessions_that_were_not_read_to_their_end_are_told_with_the_days_that_are_set() {
        let home = tempfile::tempdir().unwrap();
        assert_eq!(perishable(home.path(), &Memory::default()), None);
        let folder = home.path().join(".claude/projects/-shop");
        fs::create_dir_all(&folder).unwrap();
        let changed = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_790_000_000);
        for name in ["a", "b"] {
            let path = folder.join(format!("{name}.jsonl"));
            fs::write(&path, "{}\n").unwrap();
            let file = fs::File::options().write(true).open(&path).unwrap();
            file.set_modified(changed).unwrap();
        }
        let told = perishable(home.path(), &Memory::default()).unwrap();
        let at = Instant::from_unix(1_790_000_000).unwrap();
        assert_eq!((told.days, told.unread), (30, vec![at, at]));
        let settings = home.path().join(".claude/settings.json");
        assert_eq!(
            told.set_in,
            format!("cleanupPeriodDays in {}", settings.display())
        );
        for (text, days) in [
            ("{\"cleanupPeriodDays\":7}", 7),
            ("{\"cleanupPeriodDays\":0}", 30),
            ("{\"cleanupPeriodDays\":\"x\"}", 30),
            ("{", 30),
        ] {
            fs::write(&settings, text).unwrap();
            let told = perishable(home.path(), &Memory::default()).unwrap();
            assert_eq!(told.days, days, "{text}");
        }
        let stamp = Stamp {
            size: 3,
            modified: 1_790_000_000 * SECOND,
        };
        let key = super::super::identity::Key::folder("", Path::new("-shop"));
        let mark = |modified| Recalled {
            value: format!("{} {modified} {{}}", stamp.size),
            identity: String::new(),
            tail: None,
        };
        let of = |name: &str| {
            key.file(std::ffi::OsStr::new(name))
                .digits()
                .as_str()
                .to_owned()
        };
        let marks = [
            (of("a.jsonl"), mark(stamp.modified)),
            (of("b.jsonl"), mark(stamp.modified - 1)),
        ];
        let told = perishable(home.path(), &Memory::new(marks.into())).unwrap();
        assert_eq!(told.unread, [at]);
    }
}
