//! Calendar invitations, told on one line.

use super::fields::single_blanks;
use super::lines;

/// Longest title that is told.
const TITLE: usize = 200;

/// Tells what an invitation is about and when: `[calendar: REQUEST "Release talk",
/// 2026-10-19 14:00]`. Times stand as they were written, with their zone's name.
pub(super) fn told(text: &str) -> String {
    let text = lines::clean(text).replace("\r\n", "\n");
    let unfolded = text.replace("\n ", "").replace("\n\t", "");
    let method = property(&unfolded, "METHOD").map(|(_, value)| value);
    let event = unfolded
        .split_once("BEGIN:VEVENT")
        .map_or("", |(_, event)| event);
    let title = property(event, "SUMMARY").map(|(_, value)| unescaped(value));
    let start = property(event, "DTSTART").map(|(parameters, value)| {
        let zone = parameters
            .split(';')
            .find_map(|parameter| parameter.strip_prefix("TZID="));
        time(value, zone)
    });
    let mut out = "[calendar:".to_owned();
    if let Some(method) = method {
        out.push(' ');
        out.push_str(&single_blanks(method));
    }
    if let Some(title) = title {
        let title: String = title.chars().take(TITLE).collect();
        out.push_str(&format!(" \"{title}\""));
    }
    if let Some(start) = start {
        out.push_str(", ");
        out.push_str(&start);
    }
    out.push(']');
    out
}

/// The parameters and the value of a property.
fn property<'a>(text: &'a str, name: &str) -> Option<(&'a str, &'a str)> {
    text.lines().find_map(|line| {
        let rest = line.strip_prefix(name)?;
        let (parameters, value) = rest.split_once(':')?;
        let good = parameters.is_empty() || parameters.starts_with(';');
        good.then_some((parameters, value.trim()))
    })
}

fn unescaped(value: &str) -> String {
    let value = value.replace("\\n", " ").replace("\\N", " ");
    single_blanks(
        &value
            .replace("\\,", ",")
            .replace("\\;", ";")
            .replace("\\\\", "\\"),
    )
}

/// `20261019T140000Z` as `2026-10-19 14:00 UTC`; what has another form stays.
fn time(value: &str, zone: Option<&str>) -> String {
    let digits = |range: std::ops::Range<usize>| {
        value
            .get(range)
            .filter(|part| part.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let (Some(year), Some(month), Some(day)) = (digits(0..4), digits(4..6), digits(6..8)) else {
        return single_blanks(value);
    };
    let mut out = format!("{year}-{month}-{day}");
    if let (Some(hour), Some(minute)) = (digits(9..11), digits(11..13)) {
        out.push_str(&format!(" {hour}:{minute}"));
        match (value.ends_with('Z'), zone) {
            (true, _) => out.push_str(" UTC"),
            (false, Some(zone)) => out.push_str(&format!(" {}", single_blanks(zone))),
            (false, None) => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invitation_is_one_line() {
        let text = "BEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\nBEGIN:VTIMEZONE\r\nDTSTART:16010101T000000\r\nEND:VTIMEZONE\r\nBEGIN:VEVENT\r\nSUMMARY;LANGUAGE=en:Release talk\\, part\r\n  two\r\nDTSTART;TZID=Europe/Madrid:20261019T140000\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";
        assert_eq!(
            told(text),
            "[calendar: REQUEST \"Release talk, part two\", 2026-10-19 14:00 Europe/Madrid]"
        );
        assert_eq!(told("nonsense"), "[calendar:]");
        let day = "BEGIN:VEVENT\nSUMMARY:x\nDTSTART;VALUE=DATE:20261019\n";
        assert_eq!(told(day), "[calendar: \"x\", 2026-10-19]");
    }
}
