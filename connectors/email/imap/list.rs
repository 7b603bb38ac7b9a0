//! What is new in the folders of an account.
//!
//! A folder's mark holds how it was left: UIDVALIDITY, UIDNEXT, number of mails, HIGHESTMODSEQ and
//! the tally of what it holds. While all of it stands, one EXAMINE is all that a folder costs; with
//! CONDSTORE a search for what changed since is enough; else all numbers are asked for, some seven
//! bytes a mail.

use super::super::known::Known;
use super::super::mailbox::{Fresh, Listing, Place, Role, Tally};
use super::choice;
use super::fetched::set;
use super::session::{Examined, Session};
use super::{Failure, Folder, Imap, key};
use crate::digest;
use crate::marks::Mark;
use crate::report::Report;
use crate::time::Instant;

/// Mails whose labels are asked for at once.
const LABELS: usize = 500;
/// Seconds by which a mail may have been received before it was written.
const SKEW: i64 = 2 * 86_400;
/// Bytes of labels that are kept of one answer.
const BUDGET: usize = 4 * 1024 * 1024;

/// How a folder was left.
#[derive(Debug, PartialEq, Eq)]
struct Left {
    seen: Examined,
    /// What chooses mails within the folder.
    choice: u64,
    tally: Tally,
}

impl Left {
    fn read(value: &str) -> Option<Self> {
        let mut numbers = value.split(' ').map(|word| word.parse::<u64>().ok());
        let mut next = || numbers.next().flatten();
        Some(Self {
            seen: Examined {
                validity: next()?,
                next: next()?,
                exists: next()?,
                modseq: next()?,
            },
            choice: next()?,
            tally: Tally {
                count: next()?,
                sum: next()?,
            },
        })
    }

    fn write(&self) -> String {
        let Examined {
            exists,
            validity,
            next,
            modseq,
        } = self.seen;
        let Tally { count, sum } = self.tally;
        let choice = self.choice;
        format!("{validity} {next} {exists} {modseq} {choice} {count} {sum}")
    }
}

/// What is to be asked of a folder.
#[derive(Debug, PartialEq, Eq)]
enum Ask {
    Nothing,
    /// What changed since a HIGHESTMODSEQ.
    Changes(u64),
    All,
}

/// Looks through all folders that are wanted.
pub(super) fn list(
    imap: &mut Imap,
    known: &Known,
    report: &mut Report,
) -> Result<Listing, Failure> {
    let listed = imap.patiently(|_, session| Ok(session.list()?))?;
    let chosen = choice::choose(listed, imap.is_gmail, &imap.options);
    let place = imap.account.place();
    if chosen.is_empty() {
        report.note(&place, None, "has no folder that is to be read");
    }
    if imap.is_gmail && !chosen.iter().any(|folder| folder.by_label) {
        let why =
            "All Mail is hidden from IMAP, so each label is read; show it in Gmail's settings";
        report.note(&place, None, why);
    }
    let mut listing = Listing {
        complete: true,
        ..Listing::default()
    };
    for folder in chosen {
        let at = imap.folders.len();
        imap.folders.push(Folder {
            raw: folder.raw,
            name: folder.name,
            role: folder.role,
            by_label: folder.by_label,
            key: 0,
            validity: 0,
            is_stale: false,
            uids: None,
            fresh: Vec::new(),
        });
        let done = imap.patiently(|imap, session| one(imap, session, at, known));
        let name = imap.folders.get(at).map_or("", |folder| &folder.name);
        match done {
            Ok(found) => {
                listing.seen += found.seen;
                listing.unchanged += found.unchanged;
                listing.left_out += found.left_out;
                listing.fresh.extend(found.fresh);
                listing.marks.extend(found.marks);
            }
            Err(Failure::No) => {
                listing.complete = false;
                report.fail(name, "the server does not let this folder be read");
            }
            Err(Failure::Stale) => {
                listing.complete = false;
                report.fail(
                    name,
                    "the server gives its mails no lasting numbers (UIDVALIDITY)",
                );
            }
            Err(other) => return Err(other),
        }
    }
    Ok(listing)
}

/// Looks through one folder.
fn one(
    imap: &mut Imap,
    session: &mut Session,
    at: usize,
    known: &Known,
) -> Result<Listing, Failure> {
    let Some(folder) = imap.folders.get_mut(at) else {
        return Err(Failure::Stale);
    };
    let seen = session.examine(at, &folder.raw)?;
    if seen.validity == 0 {
        return Err(Failure::Stale);
    }
    folder.validity = seen.validity;
    folder.key = key(&imap.account, &folder.raw, seen.validity);
    let folder_key = folder.key;
    let by_label = folder.by_label;
    let name = format!("f{:08x}", key(&imap.account, &folder.raw, 0));
    let choice = chosen_by(imap, by_label);
    let left = known.value(&name).and_then(Left::read);
    let tally = known.tally(folder_key);
    let mut listing = Listing {
        complete: true,
        ..Listing::default()
    };
    let ask = ask(left.as_ref(), seen, choice, tally);
    let since = imap.options.since();
    let uids = match ask {
        Ask::Nothing => {
            listing.seen = tally.count;
            listing.unchanged = tally.count;
            return Ok(listing);
        }
        Ask::Changes(modseq) => {
            let criteria = format!("MODSEQ {} {}", modseq + 1, wanted(since));
            session.search(&criteria)?
        }
        Ask::All if seen.exists == 0 => Vec::new(),
        Ask::All => session.search(&wanted(since))?,
    };
    let place = |uid: u32| Place {
        folder: folder_key,
        number: u64::from(uid),
    };
    let is_known = |uid: &u32| known.has(place(*uid));
    let count = |uids: usize| u64::try_from(uids).unwrap_or(0);
    let fresh: Vec<u32> = uids.iter().copied().filter(|uid| !is_known(uid)).collect();
    match ask {
        Ask::All => {
            listing.unchanged = count(uids.len() - fresh.len());
            if since.is_none() {
                listing.left_out = seen.exists.saturating_sub(count(uids.len()));
                if let Some(folder) = imap.folders.get_mut(at) {
                    folder.uids = Some(uids);
                }
            }
        }
        Ask::Changes(_) | Ask::Nothing => listing.unchanged = tally.count,
    }
    let role = imap
        .folders
        .get(at)
        .map_or(Role::Ordinary, |folder| folder.role);
    let fresh: Vec<Fresh> = match imap.is_gmail {
        true => labelled(imap, session, at, &fresh)?,
        false => fresh
            .into_iter()
            .map(|uid| Fresh {
                place: place(uid),
                role,
                server_thread: None,
            })
            .collect(),
    };
    let mut tally = tally;
    for mail in &fresh {
        tally.add(mail.place.number);
    }
    listing.seen = listing.unchanged + count(fresh.len());
    if let Some(folder) = imap.folders.get_mut(at) {
        let uids = fresh.iter().map(|mail| u32::try_from(mail.place.number));
        folder.fresh = uids.filter_map(Result::ok).collect();
    }
    listing.fresh = fresh;
    let left = Left {
        seen,
        choice,
        tally,
    };
    listing.marks.push(Mark {
        key: name,
        value: left.write(),
        identity: String::new(),
    });
    Ok(listing)
}

/// Asks Gmail for threads and labels of mails, and leaves out those that are not wanted.
fn labelled(
    imap: &Imap,
    session: &mut Session,
    at: usize,
    uids: &[u32],
) -> Result<Vec<Fresh>, Failure> {
    let Some(folder) = imap.folders.get(at) else {
        return Err(Failure::Stale);
    };
    let mut fresh = Vec::with_capacity(uids.len());
    for some in uids.chunks(LABELS) {
        let mut told = Vec::with_capacity(some.len());
        let items = "(UID X-GM-THRID X-GM-LABELS)";
        session.fetch(&set(some), items, BUDGET, |mail| {
            let role = match folder.by_label {
                true => choice::by_labels(&mail.labels, &folder.name, &imap.options),
                false => Some(folder.role),
            };
            told.push((mail.uid, role, mail.thread));
        })?;
        told.sort_unstable_by_key(|(uid, ..)| *uid);
        told.dedup_by_key(|(uid, ..)| *uid);
        fresh.extend(some.iter().filter_map(|uid| {
            let found = told.binary_search_by_key(uid, |(uid, ..)| *uid).ok()?;
            let (_, role, server_thread) = *told.get(found)?;
            Some(Fresh {
                place: Place {
                    folder: folder.key,
                    number: u64::from(*uid),
                },
                role: role?,
                server_thread,
            })
        }));
    }
    Ok(fresh)
}

fn ask(left: Option<&Left>, seen: Examined, choice: u64, known: Tally) -> Ask {
    let Some(left) = left else {
        return Ask::All;
    };
    let was = left.seen;
    // A thread that could not be stored, or was forgotten, is to be found again.
    let is_trusted = left.choice == choice && left.tally == known && was.validity == seen.validity;
    if !is_trusted {
        return Ask::All;
    }
    if was == seen && seen.next > 0 {
        return Ask::Nothing;
    }
    // Mails that went away change the number and are nothing to be read.
    match (was.modseq, seen.modseq) {
        (was, now) if was > 0 && now >= was => Ask::Changes(was),
        _ => Ask::All,
    }
}

/// What a search asks for: mail that is not thrown away and no draft.
fn wanted(since: Option<Instant>) -> String {
    let day = since.and_then(|since| Instant::from_unix((since.unix() - SKEW).max(0)));
    match day.and_then(day_of) {
        Some(day) => format!("UNDELETED UNDRAFT SINCE {day}"),
        None => "UNDELETED UNDRAFT".to_owned(),
    }
}

/// Writes a day as searches want it: `1-Feb-2026`.
fn day_of(instant: Instant) -> Option<String> {
    const MONTHS: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let date = instant.date();
    let mut parts = date.split('-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    let month = MONTHS.get(month.parse::<usize>().ok()?.checked_sub(1)?)?;
    Some(format!("{}-{month}-{year}", day.parse::<u32>().ok()?))
}

/// Digests what chooses mails within a folder.
fn chosen_by(imap: &Imap, by_label: bool) -> u64 {
    let options = &imap.options;
    let mut state = digest::fast(1, options.since.as_deref().unwrap_or("").as_bytes());
    if by_label {
        for list in [&options.folders, &options.exclude_folders] {
            state = digest::fast(state, b"list");
            for pattern in list {
                state = digest::fast(state, pattern.as_bytes());
            }
        }
    }
    state
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(next: u64, exists: u64, modseq: u64) -> Examined {
        let validity = 7;
        Examined {
            exists,
            validity,
            next,
            modseq,
        }
    }

    fn left(seen: Examined) -> Left {
        let mut tally = Tally::default();
        tally.add(1);
        Left {
            seen,
            choice: 5,
            tally,
        }
    }

    #[test]
    fn a_mark_reads_back() {
        let left = left(seen(2, 1, 9));
        assert_eq!(Left::read(&left.write()), Some(left));
        assert_eq!(Left::read("1 2"), None);
    }

    #[test]
    fn as_little_as_possible_is_asked() {
        let was = left(seen(2, 1, 9));
        let known = was.tally;
        for (now, choice, known, expected) in [
            (seen(2, 1, 9), 5, known, Ask::Nothing),
            (seen(3, 2, 12), 5, known, Ask::Changes(9)),
            (seen(2, 1, 10), 5, known, Ask::Changes(9)),
            (seen(3, 2, 0), 5, known, Ask::All),
            (seen(2, 1, 8), 5, known, Ask::All),
            (seen(2, 1, 9), 6, known, Ask::All),
            (seen(2, 1, 9), 5, Tally::default(), Ask::All),
            (
                Examined {
                    validity: 8,
                    ..seen(2, 1, 9)
                },
                5,
                known,
                Ask::All,
            ),
        ] {
            assert_eq!(ask(Some(&was), now, choice, known), expected, "{now:?}");
        }
        let without = left(seen(2, 1, 0));
        assert_eq!(ask(Some(&without), seen(2, 1, 0), 5, known), Ask::Nothing);
        assert_eq!(ask(Some(&without), seen(3, 2, 0), 5, known), Ask::All);
        let bare = left(seen(0, 1, 0));
        assert_eq!(ask(Some(&bare), seen(0, 1, 0), 5, known), Ask::All);
    }

    #[test]
    fn a_search_goes_back_two_days_more() {
        let since = Instant::parse("2026-03-01");
        assert_eq!(wanted(since), "UNDELETED UNDRAFT SINCE 27-Feb-2026");
        assert_eq!(wanted(None), "UNDELETED UNDRAFT");
    }
}
