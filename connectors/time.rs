//! Instants: UTC, kept and shown at second precision.
//!
//! Sources write times in many ways and some of them are damaged. An [`Instant`] lies between the
//! years 1970 and 9999, so that it can always be written in four-digit form; whether a time is
//! *plausible* for a source is that connector's own question ([`Instant::is_plausible`]).

use std::fmt;

use chrono::{DateTime, NaiveDate, NaiveDateTime};

/// A moment in UTC at second precision, between 1970-01-01 and 9999-12-31.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Instant(i64);

/// 9999-12-31T23:59:59Z.
const LATEST: i64 = 253_402_300_799;
/// 2000-01-01 and 2100-01-01: no agent wrote a transcript outside of them.
const PLAUSIBLE: std::ops::Range<i64> = 946_684_800..4_102_444_800;

impl Instant {
    /// Makes an instant from seconds since 1970, or `None` outside of the years 1970 to 9999.
    #[must_use]
    pub fn from_unix(seconds: i64) -> Option<Self> {
        (0..=LATEST).contains(&seconds).then_some(Self(seconds))
    }

    /// Makes an instant from milliseconds since 1970; the part below a second is dropped.
    #[must_use]
    pub fn from_unix_millis(millis: i64) -> Option<Self> {
        Self::from_unix(millis.div_euclid(1000))
    }

    /// Seconds since 1970-01-01T00:00:00Z.
    #[must_use]
    pub fn unix(self) -> i64 {
        self.0
    }

    /// Reads ISO 8601: a date, or a date and time with or without fraction and offset.
    ///
    /// A value without an offset is read as UTC. Lower-case `t` and `z` and a blank in place of
    /// `T` are accepted.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        Self::parse_millis_z(text.as_bytes()).or_else(|| Self::parse_any(text))
    }

    /// Reads ISO 8601 that must carry an offset (or `Z`), as imports demand.
    #[must_use]
    pub fn parse_with_offset(text: &str) -> Option<Self> {
        let text = text.trim();
        DateTime::parse_from_rfc3339(text)
            .ok()
            .and_then(|time| Self::from_unix(time.timestamp()))
    }

    /// Whether an agent can have written something at this moment: the years 2000 to 2099.
    ///
    /// A fixed range and not "before tomorrow", so that the same bytes always render the same.
    #[must_use]
    pub fn is_plausible(self) -> bool {
        PLAUSIBLE.contains(&self.0)
    }

    /// The form that agents write, `2026-10-19T21:05:07.123Z`, read without the general parser:
    /// it is on the way of every record.
    fn parse_millis_z(bytes: &[u8]) -> Option<Self> {
        let (head, tail) = bytes.split_at_checked(19)?;
        match tail {
            [b'Z'] => {}
            [b'.', digits @ .., b'Z'] if digits.iter().all(u8::is_ascii_digit) => {}
            _ => return None,
        }
        let number = |range: std::ops::Range<usize>| {
            head.get(range)?.iter().try_fold(0_i64, |sum, byte| {
                byte.is_ascii_digit()
                    .then(|| sum * 10 + i64::from(byte - b'0'))
            })
        };
        let marks = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':')];
        if marks.iter().any(|(at, mark)| head.get(*at) != Some(mark)) {
            return None;
        }
        let (year, month, day) = (number(0..4)?, number(5..7)?, number(8..10)?);
        let (hour, minute, second) = (number(11..13)?, number(14..16)?, number(17..19)?);
        let date = NaiveDate::from_ymd_opt(
            i32::try_from(year).ok()?,
            u32::try_from(month).ok()?,
            u32::try_from(day).ok()?,
        )?;
        if hour > 23 || minute > 59 || second > 60 {
            return None;
        }
        let days = date.signed_duration_since(NaiveDate::default()).num_days();
        Self::from_unix(days * 86_400 + hour * 3600 + minute * 60 + second.min(59))
    }

    fn parse_any(text: &str) -> Option<Self> {
        if let Ok(time) = DateTime::parse_from_rfc3339(text) {
            return Self::from_unix(time.timestamp());
        }
        for form in [
            "%Y-%m-%dT%H:%M:%S%.f",
            "%Y-%m-%d %H:%M:%S%.f",
            "%Y-%m-%dT%H:%M",
            "%Y-%m-%d %H:%M",
        ] {
            if let Ok(time) = NaiveDateTime::parse_from_str(text, form) {
                return Self::from_unix(time.and_utc().timestamp());
            }
        }
        for form in [
            "%Y-%m-%dT%H:%M:%S%.f%#z",
            "%Y-%m-%d %H:%M:%S%.f%#z",
            "%Y-%m-%dT%H:%M%#z",
        ] {
            if let Ok(time) = DateTime::parse_from_str(text, form) {
                return Self::from_unix(time.timestamp());
            }
        }
        let date = NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()?;
        Self::from_unix(date.and_hms_opt(0, 0, 0)?.and_utc().timestamp())
    }

    fn civil(self) -> (i64, i64, i64, i64) {
        // Days to a civil date in the proleptic Gregorian calendar, counted from 0000-03-01.
        let (days, rest) = (
            self.0.div_euclid(86_400) + 719_468,
            self.0.rem_euclid(86_400),
        );
        let era = days.div_euclid(146_097);
        let of_era = days.rem_euclid(146_097);
        let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted = (5 * of_year + 2) / 153;
        let day = of_year - (153 * shifted + 2) / 5 + 1;
        let month = if shifted < 10 {
            shifted + 3
        } else {
            shifted - 9
        };
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        (year, month, day, rest)
    }

    /// Writes `YYYY-MM-DD HH:MM`, the form inside block headers.
    pub fn write_minute(self, out: &mut String) {
        let (year, month, day, rest) = self.civil();
        digits(out, year, 4);
        out.push('-');
        digits(out, month, 2);
        out.push('-');
        digits(out, day, 2);
        out.push(' ');
        digits(out, rest / 3600, 2);
        out.push(':');
        digits(out, rest / 60 % 60, 2);
    }

    /// Writes the calendar date alone, `YYYY-MM-DD`.
    #[must_use]
    pub fn date(self) -> String {
        let mut out = String::with_capacity(16);
        self.write_minute(&mut out);
        out.truncate(10);
        out
    }
}

fn digits(out: &mut String, value: i64, width: u32) {
    for place in (0..width).rev() {
        let digit = value / 10_i64.pow(place) % 10;
        out.push(char::from(b'0' + u8::try_from(digit).unwrap_or(0)));
    }
}

/// Writes `2026-10-09T21:23:12+00:00`, the form of every date that leaves the library.
impl fmt::Display for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = String::with_capacity(25);
        self.write_minute(&mut out);
        out.replace_range(10..11, "T");
        out.push(':');
        digits(&mut out, self.0 % 60, 2);
        out.push_str("+00:00");
        f.write_str(&out)
    }
}

/// Tells the time; injected, so that tests hold it still.
pub trait Clock: Send + Sync {
    /// The present moment.
    fn now(&self) -> Instant;
}

/// The computer's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place that asks the system"
    )]
    fn now(&self) -> Instant {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let seconds = since.map_or(0, |since| since.as_secs());
        Instant(i64::try_from(seconds).unwrap_or(LATEST).min(LATEST))
    }
}

/// A clock that stands still, for tests and for repeatable answers.
#[derive(Debug, Clone, Copy)]
pub struct FixedClock(pub Instant);

impl Clock for FixedClock {
    fn now(&self) -> Instant {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_documented_form_is_read_and_written_as_utc() {
        let cases = [
            ("2026-10-09T21:23:12.043Z", "2026-10-09T21:23:12+00:00"),
            ("2026-10-09T21:23:12Z", "2026-10-09T21:23:12+00:00"),
            ("2026-10-01", "2026-10-01T00:00:00+00:00"),
            ("2026-10-01T08:00:00+02:00", "2026-10-01T06:00:00+00:00"),
            ("2026-10-01T08:00:00", "2026-10-01T08:00:00+00:00"),
            ("2026-10-01 08:00", "2026-10-01T08:00:00+00:00"),
            ("2024-02-29T23:59:59Z", "2024-02-29T23:59:59+00:00"),
            ("1970-01-01T00:00:00Z", "1970-01-01T00:00:00+00:00"),
            ("9999-12-31T23:59:59Z", "9999-12-31T23:59:59+00:00"),
        ];
        for (input, expected) in cases {
            assert_eq!(
                Instant::parse(input).map(|t| t.to_string()).as_deref(),
                Some(expected),
                "{input}"
            );
        }
    }

    #[test]
    fn what_is_no_date_is_refused() {
        for input in [
            "",
            "yesterday",
            "2026-13-01",
            "2026-02-30T00:00:00Z",
            "2026-10-09T25:00:00Z",
            "1969-12-31",
            "é026-10-09T21:23:12Z",
        ] {
            assert_eq!(Instant::parse(input), None, "{input}");
        }
    }

    #[test]
    fn an_import_date_needs_an_offset() {
        assert!(Instant::parse_with_offset("2026-10-01T09:00:00+00:00").is_some());
        assert_eq!(Instant::parse_with_offset("2026-10-01T09:00:00"), None);
    }

    #[test]
    fn the_year_3609_is_an_instant_but_not_plausible() {
        let far = Instant::parse("3609-01-01T00:00:00Z").unwrap();
        assert!(!far.is_plausible());
        assert_eq!(far.date(), "3609-01-01");
    }
}
