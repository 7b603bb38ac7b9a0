//! Reading the arguments that questions share: limits and dates.

use super::{LibraryError, Result};
use crate::item::Instant;

/// How much of a wrong value an error repeats, in characters.
const SHOWN: usize = 60;

/// A limit: nothing, zero or less is the default; more than the maximum is the maximum.
pub(super) fn limit(asked: Option<i64>, default: usize, max: usize) -> usize {
    let asked = asked.filter(|asked| *asked > 0);
    asked
        .map_or(default, |asked| usize::try_from(asked).unwrap_or(max))
        .min(max)
}

/// A bound in time. Nothing and an empty text are no bound; a date before 1970, where no item can
/// be, is the earliest moment there is.
pub(super) fn date(argument: &'static str, value: Option<&str>) -> Result<Option<Instant>> {
    let Some(value) = given(value) else {
        return Ok(None);
    };
    match Instant::parse(value).or_else(|| before_all(value)) {
        Some(instant) => Ok(Some(instant)),
        None => Err(LibraryError::Date {
            argument,
            value: value
                .chars()
                .take(SHOWN)
                .map(|c| if c.is_control() { ' ' } else { c })
                .collect(),
        }),
    }
}

/// A text argument; an empty one counts as left out.
pub(super) fn given(value: Option<&str>) -> Option<&str> {
    value.filter(|value| !value.trim().is_empty())
}

fn before_all(value: &str) -> Option<Instant> {
    let (year, rest) = value.trim().split_at_checked(4)?;
    let early = year.bytes().all(|byte| byte.is_ascii_digit()) && year < "1970";
    // The rest must be right; 2000 is a leap year and so has every day there is.
    (early && Instant::parse(&format!("2000{rest}")).is_some())
        .then(|| Instant::from_unix(0))
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_the_default_when_it_asks_for_nothing_and_never_over_the_maximum() {
        assert_eq!(limit(None, 10, 50), 10);
        assert_eq!(limit(Some(0), 10, 50), 10);
        assert_eq!(limit(Some(-3), 10, 50), 10);
        assert_eq!(limit(Some(7), 10, 50), 7);
        assert_eq!(limit(Some(51), 10, 50), 50);
        assert_eq!(limit(Some(i64::MAX), 10, 50), 50);
        assert_eq!(limit(None, 20, 5), 5);
    }

    #[test]
    fn a_wrong_date_names_the_argument_and_repeats_sixty_characters() {
        let error = date("since", Some("yesterday")).unwrap_err();
        assert_eq!(error.argument(), Some("since"));
        assert_eq!(
            error.to_string(),
            "since must be an ISO 8601 date or datetime (2026-01-31 or \
             2026-01-31T09:00:00+02:00), got 'yesterday'"
        );
        let error = date("until", Some(&"é\n".repeat(50))).unwrap_err();
        assert!(
            error
                .to_string()
                .ends_with(&format!("got '{}'", "é ".repeat(30)))
        );
    }

    #[test]
    fn a_date_before_all_items_is_no_mistake() {
        let earliest = Instant::from_unix(0);
        assert_eq!(date("since", Some("1900-02-28")).unwrap(), earliest);
        assert_eq!(
            date("since", Some("0001-01-01T00:00:00Z")).unwrap(),
            earliest
        );
        assert!(date("since", Some("1900-13-01")).is_err());
        assert_eq!(date("since", Some(" ")).unwrap(), None);
    }
}
