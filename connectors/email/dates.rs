//! Dates as mail writes them, and which of several is believed.

use chrono::NaiveDate;

use super::fields::{Fields, unfolded};
use crate::time::Instant;

/// 1980-01-01T00:00:00Z: no mail is older.
const OLDEST: i64 = 315_532_800;
/// 2026-12-01T00:00:00Z: a clock that shows an earlier time than this was written at is wrong.
const WRITTEN: i64 = 1_796_083_200;
/// Seconds that a clock may be ahead.
const DAY: i64 = 86_400;

/// When a mail was written: its Date if that is plausible, else the newest plausible Received,
/// else what the store says (for mbox files, the separator line).
///
/// The store got a mail after it was written, whatever this computer's clock says now: a clock that was
/// set back makes no mail implausible.
pub(super) fn written(
    fields: &Fields<'_>,
    received: Option<Instant>,
    now: Instant,
) -> Option<Instant> {
    let latest = received.map_or(now, |received| received.max(now));
    let latest = latest.unix().max(WRITTEN);
    let plausible = |date: &Instant| {
        let seconds = date.unix();
        seconds >= OLDEST && seconds <= latest.saturating_add(DAY)
    };
    let date = header(fields).filter(plausible);
    let hops = || {
        let hops = fields.all("Received").take(100).filter_map(|hop| {
            let value = unfolded(hop);
            let last = value.rsplit(|byte| *byte == b';').next()?;
            read(&String::from_utf8_lossy(last))
        });
        hops.filter(plausible).max()
    };
    date.or_else(hops).or_else(|| received.filter(plausible))
}

/// What the Date header says, plausible or not.
pub(super) fn header(fields: &Fields<'_>) -> Option<Instant> {
    let value = unfolded(fields.get("Date")?);
    read(&String::from_utf8_lossy(&value))
}

/// Reads a date of RFC 5322 or ISO 8601, or something close to one. A date without a zone is UTC.
pub(super) fn read(text: &str) -> Option<Instant> {
    let text = without_comments(text);
    let text = text.trim();
    if text.len() > 100 {
        return None;
    }
    let is_iso = text.as_bytes().get(4) == Some(&b'-');
    if is_iso && let Some(instant) = Instant::parse(text) {
        return Some(instant);
    }
    let mut parts = Parts::default();
    for word in text.split([' ', '\t', ',']).filter(|word| !word.is_empty()) {
        parts.word(word)?;
    }
    parts.instant()
}

/// What the words of a date say, in whatever order they come.
#[derive(Default)]
struct Parts {
    day: Option<u32>,
    month: Option<u32>,
    year: Option<i32>,
    /// Seconds since midnight.
    time: Option<i64>,
    /// Seconds east of UTC.
    zone: Option<i64>,
}

impl Parts {
    /// Takes a word; `None` for one that makes the whole no date.
    fn word(&mut self, word: &str) -> Option<()> {
        let first = word.bytes().next()?;
        if word.contains(':') && first.is_ascii_digit() {
            return self.clock(word);
        }
        if matches!(first, b'+' | b'-') && self.time.is_some() {
            self.zone = self.zone.or_else(|| offset(word));
            return Some(());
        }
        if first.is_ascii_digit() {
            return self.number(word);
        }
        if let Some(month) = month(word)
            && self.month.is_none()
        {
            self.month = Some(month);
            return Some(());
        }
        match word.to_ascii_uppercase().as_str() {
            "PM" => self.half_day(43_200),
            "AM" => self.half_day(0),
            name => self.zone = self.zone.or_else(|| zone(name)),
        }
        Some(())
    }

    /// Moves the time into the half of the day that begins so many seconds after midnight.
    fn half_day(&mut self, start: i64) {
        self.time = self.time.map(|time| time % 43_200 + start);
    }

    /// A number, or several with dashes between them: `05-FEB-2021`.
    fn number(&mut self, word: &str) -> Option<()> {
        for part in word.split(['-', '/', '.']).filter(|part| !part.is_empty()) {
            if let Some(month) = month(part).filter(|_| self.month.is_none()) {
                self.month = Some(month);
                continue;
            }
            let number: u32 = part.parse().ok()?;
            if self.day.is_none() && part.len() <= 2 {
                self.day = Some(number);
            } else if self.month.is_some() && self.year.is_none() {
                self.year = Some(year(number, part.len())?);
            } else {
                return None;
            }
        }
        Some(())
    }

    fn clock(&mut self, word: &str) -> Option<()> {
        // A zone may hang on it: `10:00:00+0200`, `10:00:00Z`.
        let end = word
            .find(|c: char| !c.is_ascii_digit() && !matches!(c, ':' | '.'))
            .unwrap_or(word.len());
        let (clock, rest) = word.split_at_checked(end)?;
        let mut parts = clock.split(':').map(|part| {
            let whole = part.split('.').next().unwrap_or(part);
            whole.parse::<i64>().ok()
        });
        let (hour, minute) = (parts.next()??, parts.next()??);
        let second = match parts.next() {
            Some(second) => second?,
            None => 0,
        };
        if hour > 23 || minute > 59 || second > 60 {
            return None;
        }
        self.time = Some(hour * 3600 + minute * 60 + second.min(59));
        if !rest.is_empty() {
            self.word(rest)?;
        }
        Some(())
    }

    fn instant(&self) -> Option<Instant> {
        let date = NaiveDate::from_ymd_opt(self.year?, self.month?, self.day?)?;
        let days = date.signed_duration_since(NaiveDate::default()).num_days();
        let local = days * DAY + self.time.unwrap_or(0);
        Instant::from_unix(local - self.zone.unwrap_or(0))
    }
}

/// A year of four digits, or of two or three as old programs write it (RFC 5322, 4.3).
fn year(number: u32, digits: usize) -> Option<i32> {
    let number = i32::try_from(number).ok()?;
    match digits {
        4 => Some(number),
        2 if number < 50 => Some(2000 + number),
        2 | 3 => Some(1900 + number),
        _ => None,
    }
}

fn month(word: &str) -> Option<u32> {
    const MONTHS: [&str; 12] = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ];
    let start: String = word.chars().take(3).collect::<String>().to_lowercase();
    let at = MONTHS.iter().position(|month| *month == start)?;
    u32::try_from(at + 1).ok()
}

/// Reads `+0200`, `-330` or `+02:00`.
fn offset(word: &str) -> Option<i64> {
    let (sign, digits) = match word.split_at_checked(1)? {
        ("-", digits) => (-1, digits),
        (_, digits) => (1, digits),
    };
    let number: i64 = digits.replace(':', "").parse().ok()?;
    let (hours, minutes) = (number / 100, number % 100);
    (hours <= 15 && minutes <= 59).then_some(sign * (hours * 3600 + minutes * 60))
}

fn zone(name: &str) -> Option<i64> {
    let hours = match name {
        "UT" | "UTC" | "GMT" | "Z" | "WET" => 0,
        "EDT" => -4,
        "EST" | "CDT" => -5,
        "CST" | "MDT" => -6,
        "MST" | "PDT" => -7,
        "PST" => -8,
        "CET" | "BST" | "MET" => 1,
        "CEST" | "EET" | "MEST" => 2,
        "EEST" | "MSK" => 3,
        "JST" => 9,
        _ => return None,
    };
    Some(hours * 3600)
}

fn without_comments(text: &str) -> String {
    let mut depth = 0_u32;
    let kept = text.chars().filter(|c| {
        match c {
            '(' => depth += 1,
            ')' => {
                depth = depth.saturating_sub(1);
                return false;
            }
            _ => {}
        }
        depth == 0
    });
    kept.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Instant {
        Instant::parse(text).unwrap()
    }

    #[test]
    fn dates_are_read_in_the_forms_that_mail_has() {
        for (text, expected) in [
            ("Mon, 19 Oct 2026 21:05:07 +0200", "2026-10-19T19:05:07Z"),
            ("19 Oct 2026 21:05 GMT", "2026-10-19T21:05:00Z"),
            ("Mon, 19 Oct 26 21:05:07 EST", "2026-10-20T02:05:07Z"),
            ("19 Oct 99 21:05:07 -0330 (NST)", "1999-10-20T00:35:07Z"),
            ("05-FEB-2021 22:05:02", "2021-02-05T22:05:02Z"),
            ("Mon Oct 19 21:05:07 2026", "2026-10-19T21:05:07Z"),
            ("Mon Oct 19 21:05:07 +0000 2026", "2026-10-19T21:05:07Z"),
            ("Mon Oct 19 21:05:07 CEST 2026", "2026-10-19T19:05:07Z"),
            ("2026-10-19T21:05:07+02:00", "2026-10-19T19:05:07Z"),
            ("Monday, October 19, 2026 9:05 PM", "2026-10-19T21:05:00Z"),
            ("19 October 2026 12:05 AM", "2026-10-19T00:05:00Z"),
            ("Mon,19 Oct 2026 21:05:60 +0000", "2026-10-19T21:05:59Z"),
        ] {
            assert_eq!(read(text), Some(at(expected)), "{text}");
        }
        for text in [
            "",
            "soon",
            "19 Oct",
            "32 Oct 2026 10:00",
            "Mon, 19 Oct 2026 25:05:07 +0200",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn an_implausible_date_gives_way_to_the_newest_hop_and_that_to_the_store() {
        let now = at("2026-12-02T00:00:00Z");
        let store = Some(at("2026-10-01T00:00:00Z"));
        let told = |head: &str| written(&Fields::read(head.as_bytes()), store, now);
        let hops = "Received: by a; Mon, 19 Oct 2026 10:00:00 +0000\nReceived: by b;\n Mon, 19 Oct 2026 11:00:00 +0000\n";
        let good = "Date: Mon, 19 Oct 2026 09:00:00 +0000\n";
        assert_eq!(
            told(&format!("{hops}{good}")),
            Some(at("2026-10-19T09:00:00Z"))
        );
        for bad in [
            "Date: Mon, 19 Oct 3609 09:00:00 +0000\n",
            "Date: Wed, 31 Dec 1979 09:00:00 +0000\n",
            "Date: Fri, 4 Dec 2026 09:00:00 +0000\n",
            "Date: nonsense\n",
            "",
        ] {
            assert_eq!(
                told(&format!("{hops}{bad}")),
                Some(at("2026-10-19T11:00:00Z")),
                "{bad}"
            );
            assert_eq!(told(bad), store, "{bad}");
        }
    }

    #[test]
    fn a_clock_that_was_set_back_makes_no_mail_implausible() {
        let store = Some(at("2026-10-19T12:00:00Z"));
        for now in ["1970-01-01T00:00:07Z", "2026-03-01T00:00:00Z"] {
            let told = |head: &str| written(&Fields::read(head.as_bytes()), store, at(now));
            let good = "Date: Mon, 19 Oct 2026 09:00:00 +0000\n";
            assert_eq!(told(good), Some(at("2026-10-19T09:00:00Z")));
            assert_eq!(told("Date: Mon, 19 Oct 3609 09:00:00 +0000\n"), store);
        }
    }
}
