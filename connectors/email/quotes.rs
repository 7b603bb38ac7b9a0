//! Leaves out of a mail what it repeats: quoted text, but only where an earlier mail of the thread
//! has it, and never the lines that an answer answers.

use super::lines::Line;
use super::words::{Words, repeated};

/// Lines before an answer that are kept because it answers them.
const ANSWERED: usize = 4;
/// Lines that say who is quoted.
const ATTRIBUTION: usize = 3;
/// Longest such text in characters.
const ATTRIBUTION_CHARS: usize = 300;
/// Stands where lines were left out before others that were kept.
const GAP: &str = "[…]";

/// Leaves out what is repeated; `earlier` are mails that stand before this one in the thread.
pub(super) fn without_repeated(lines: Vec<Line>, earlier: &[&Words]) -> Vec<Line> {
    let regions = regions(&lines);
    if regions.is_empty() || earlier.is_empty() {
        return lines;
    }
    let mut quoted = vec![false; lines.len()];
    for region in &regions {
        if let Some(within) = quoted.get_mut(region.start..region.end) {
            within.fill(true);
        }
    }
    let is_quoted = |at: usize| quoted.get(at).copied().unwrap_or(false);
    let repeated = repeated(&lines, earlier, is_quoted);
    let mut keep = vec![true; lines.len()];
    let mut gaps = vec![false; lines.len()];
    for region in &regions {
        region.settle(&lines, &repeated, &mut keep, &mut gaps);
    }
    let mut out = Vec::with_capacity(lines.len());
    for (line, (kept, gap)) in lines.into_iter().zip(keep.into_iter().zip(gaps)) {
        if gap {
            out.push(Line {
                depth: line.depth,
                text: GAP.to_owned(),
            });
        }
        if kept {
            out.push(line);
        }
    }
    out
}

/// A quotation within a mail: lines with quote marks, or all that stands behind a line which says
/// that a mail follows.
#[derive(Debug, PartialEq, Eq)]
struct Region {
    /// Where the lines begin that say who is quoted; equal to `start` without any.
    told: usize,
    start: usize,
    end: usize,
    /// Whether the sender wrote something below it.
    answered: bool,
}

impl Region {
    fn settle(
        &self,
        lines: &[Line],
        repeated: &[Option<bool>],
        keep: &mut [bool],
        gaps: &mut [bool],
    ) {
        let mut first_kept = self.end;
        if self.answered {
            first_kept = self.answered_from(lines);
        }
        let is_repeated = |at: usize| repeated.get(at).copied().flatten();
        // Blank lines stay between lines that stay.
        let decided: Vec<Option<bool>> = (self.start..self.end)
            .map(|at| is_repeated(at).map(|said| said && at < first_kept))
            .collect();
        let (mut below, mut above) = (decided.clone(), decided);
        fill(below.iter_mut().rev());
        fill(above.iter_mut());
        let gone: Vec<bool> = above
            .iter()
            .zip(&below)
            .map(|(above, below)| above.or(*below).unwrap_or(true) || below.unwrap_or(false))
            .collect();
        let mut after_gone = false;
        for (at, is_gone) in (self.start..self.end).zip(gone.iter().copied()) {
            if let (Some(keep), Some(gap)) = (keep.get_mut(at), gaps.get_mut(at)) {
                *keep = !is_gone;
                *gap = !is_gone && after_gone;
            }
            after_gone = is_gone;
        }
        let all_gone = gone.iter().all(|gone| *gone);
        // Nothing is quoted any more, so nobody needs to be told who is.
        if all_gone {
            for at in self.told..self.start {
                if let Some(kept) = keep.get_mut(at) {
                    *kept = false;
                }
            }
        }
    }

    /// Where the last lines before the answer begin: those of its paragraph.
    fn answered_from(&self, lines: &[Line]) -> usize {
        let is_blank = |at: usize| lines.get(at).is_none_or(Line::is_blank);
        let mut from = self.end;
        while from > self.start && is_blank(from - 1) {
            from -= 1;
        }
        let last = from;
        while from > self.start && !is_blank(from - 1) && last - from < ANSWERED {
            from -= 1;
        }
        from
    }
}

/// Gives what is undecided the decision before it.
fn fill<'a>(decisions: impl Iterator<Item = &'a mut Option<bool>>) {
    let mut last = None;
    for decision in decisions {
        last = decision.or(last);
        *decision = last;
    }
}

fn regions(lines: &[Line]) -> Vec<Region> {
    let mut regions: Vec<Region> = Vec::new();
    let unmarked = unmarked(lines);
    let end_of_marked = unmarked.as_ref().map_or(lines.len(), |region| region.told);
    let mut at = 0;
    while at < end_of_marked {
        if lines.get(at).is_none_or(|line| line.depth == 0) {
            at += 1;
            continue;
        }
        let start = at;
        let mut end = at;
        // Blank lines between quoted ones belong to the quotation.
        while at < end_of_marked
            && lines
                .get(at)
                .is_some_and(|line| line.depth > 0 || line.is_blank())
        {
            at += 1;
            if lines.get(at - 1).is_some_and(|line| line.depth > 0) {
                end = at;
            }
        }
        let from = regions.last().map_or(0, |before: &Region| before.end);
        regions.push(Region {
            told: attribution(lines, from, start),
            start,
            end,
            answered: false,
        });
    }
    regions.extend(unmarked);
    let next: Vec<usize> = regions
        .iter()
        .skip(1)
        .map(|region| region.told)
        .chain([lines.len()])
        .collect();
    for (region, next) in regions.iter_mut().zip(next) {
        let below = lines.get(region.end..next).unwrap_or_default();
        region.answered = below.iter().any(|line| line.depth == 0 && !line.is_blank());
    }
    regions
}

/// A quotation without quote marks: from a line that says that a mail follows, to the end.
fn unmarked(lines: &[Line]) -> Option<Region> {
    for (at, line) in lines.iter().enumerate() {
        if line.depth > 0 || line.is_blank() {
            continue;
        }
        let start = if is_divider(&line.text) {
            at + 1 + header_lines(lines, at + 1)
        } else if let Some(length) = Some(header_lines(lines, at)).filter(|length| *length > 0) {
            at + length
        } else if is_attribution(&line.text) && lines.get(at + 1..).is_some_and(is_unquoted_text) {
            at + 1
        } else {
            continue;
        };
        let told = match start == at + 1 {
            true => attribution(lines, 0, start).min(at),
            false => at,
        };
        return Some(Region {
            told,
            start,
            end: lines.len(),
            answered: false,
        });
    }
    None
}

/// Whether the next line with text has no quote mark, and there is one.
fn is_unquoted_text(lines: &[Line]) -> bool {
    let next = lines.iter().find(|line| !line.is_blank());
    next.is_some_and(|line| line.depth == 0)
}

/// `-----Original Message-----` in any language, or the rule that Outlook draws.
fn is_divider(text: &str) -> bool {
    let text = text.trim();
    let dashes = |text: &str| text.chars().take_while(|c| *c == '-').count();
    let is_rule = text.len() >= 32 && text.chars().all(|c| c == '_');
    let inner = text.trim_matches('-').trim();
    let framed = dashes(text) >= 3
        && text.chars().rev().take_while(|c| *c == '-').count() >= 3
        && inner.chars().any(char::is_alphabetic)
        && inner.chars().count() <= 60;
    is_rule || framed
}

/// How many lines from here on are the header block that Outlook writes above what it quotes, in
/// whatever language: at least three lines `word: value`, one with an address or name first and one
/// with a date.
fn header_lines(lines: &[Line], from: usize) -> usize {
    let mut at = from;
    while lines.get(at).is_some_and(Line::is_blank) && at < from + 2 {
        at += 1;
    }
    let start = at;
    let mut has_date = false;
    let mut has_address = false;
    while let Some(line) = lines
        .get(at)
        .filter(|line| line.depth == 0 && !line.is_blank())
    {
        let Some((name, value)) = header_line(&line.text) else {
            break;
        };
        if name.is_empty() {
            break;
        }
        has_date |= is_dated(value);
        has_address |= value.contains('@') || (at == start && !value.is_empty());
        at += 1;
        if at - start >= 8 {
            break;
        }
    }
    match at - start >= 3 && has_date && has_address {
        true => at - from,
        false => 0,
    }
}

fn header_line(text: &str) -> Option<(&str, &str)> {
    let text = text.trim().trim_start_matches('*');
    let (name, value) = text.split_once([':', '：'])?;
    let name = name.trim().trim_end_matches('*');
    let is_name = name.chars().count() <= 20
        && name.split_whitespace().count() <= 2
        && name
            .chars()
            .all(|c| c.is_alphabetic() || matches!(c, ' ' | '-' | '\''));
    is_name.then(|| (name, value.trim().trim_start_matches('*')))
}

/// Whether a text has a time of day and a number that may be a year or day.
fn is_dated(text: &str) -> bool {
    let bytes = text.as_bytes();
    let has_time = bytes.windows(4).any(|window| {
        matches!(window, [a, b':' | b'.', b, c] if a.is_ascii_digit() && b.is_ascii_digit() && c.is_ascii_digit())
    });
    let years = bytes
        .windows(4)
        .any(|window| window.iter().all(u8::is_ascii_digit));
    has_time && years
}

/// Where the lines begin that say who is quoted in the lines from `start` on.
fn attribution(lines: &[Line], from: usize, start: usize) -> usize {
    let mut at = start;
    while at > from && lines.get(at - 1).is_some_and(Line::is_blank) {
        at -= 1;
    }
    let end = at;
    let mut text = String::new();
    let mut found = start;
    while at > from && end - at < ATTRIBUTION {
        let above = lines.get(at - 1);
        let Some(line) = above.filter(|line| line.depth == 0 && !line.is_blank()) else {
            break;
        };
        text.insert_str(0, &format!("{} ", line.text));
        at -= 1;
        if is_attribution(&text) {
            found = at;
            // A line that is complete says when; one that does not may be the end of it.
            if is_like_a_time(&text) {
                break;
            }
        }
    }
    found
}

/// Whether a text says who is quoted: it ends with a colon (or a word of writing and a colon) and
/// names a time or an address, or is a few words long.
fn is_attribution(text: &str) -> bool {
    let text = text.trim();
    let chars = text.chars().count();
    if !text.ends_with([':', '：']) || chars > ATTRIBUTION_CHARS {
        return false;
    }
    let digits = text.chars().filter(char::is_ascii_digit).count();
    let has_address = text.contains('@') && text.contains('.');
    digits >= 4 && is_like_a_time(text) || has_address && text.contains('<') || is_named(text)
}

fn is_like_a_time(text: &str) -> bool {
    is_dated(text)
        || text
            .bytes()
            .filter(|byte| matches!(byte, b'/' | b'.' | b'-' | b':'))
            .count()
            >= 3
}

/// `Ana wrote:` and the like.
fn is_named(text: &str) -> bool {
    const WRITING: &[&str] = &[
        "wrote",
        "writes",
        "said",
        "schrieb",
        "schreibt",
        "écrit",
        "a écrit",
        "escribió",
        "escreveu",
        "ha scritto",
        "scrisse",
        "schreef",
        "skrev",
        "napisał",
        "napisał(a)",
        "пишет",
        "написал",
        "написала",
        "kirjoitti",
        "写道",
        "のメール",
    ];
    let bare = text.trim_end_matches([':', '：']).trim().to_lowercase();
    let words = bare.split_whitespace().count();
    words <= 12 && WRITING.iter().any(|word| bare.ends_with(word))
}

#[cfg(test)]
mod tests {
    use super::super::lines::{Flow, read};
    use super::*;

    const PARENT: &str = "Hello Ben,\n\nthe import fails on the second line of the file.\nShall we fix that in this release or in the next one?\n\nThe tests are green otherwise and nothing else is open.\n\nAna";

    fn answer(text: &str) -> String {
        let words = Words::of(&read(PARENT, Flow::Fixed), 1);
        let mut out = String::new();
        for line in without_repeated(read(text, Flow::Fixed), &[&words]) {
            line.write(&mut out);
            out.push('\n');
        }
        out.trim().to_owned()
    }

    fn quoted() -> String {
        PARENT.lines().map(|line| format!("> {line}\n")).collect()
    }

    #[test]
    fn a_full_quote_goes_with_the_line_that_announces_it() {
        for told in [
            "On Mon, Oct 19, 2026 at 9:05 PM Ana <ana@example.org> wrote:",
            "On Mon, Oct 19, 2026 at 9:05 PM Ana Maria Pérez\n<ana@example.org>\nwrote:",
            "Am 19.10.2026 um 21:05 schrieb Ana:",
            "Le lun. 19 oct. 2026 à 21:05, Ana <ana@example.org> a écrit :",
            "Den 19. okt. 2026 21.05 skrev Ana:",
            "Ana wrote:",
            "2026年10月19日(月) 21:05 Ana <ana@example.org>:",
        ] {
            let text = format!("In this one.\n\n{told}\n\n{}", quoted());
            assert_eq!(answer(&text), "In this one.", "{told}");
        }
    }

    #[test]
    fn an_answer_below_keeps_what_it_answers() {
        let text = "Ana wrote:\n> Hello Ben,\n>\n> the import fails on the second line of the file.\n> Shall we fix that in this release or in the next one?\n\nIn this one.\n\n> The tests are green otherwise and nothing else is open.\n\nGood.";
        assert_eq!(
            answer(text),
            "Ana wrote:\n> […]\n> the import fails on the second line of the file.\n> Shall we fix that in this release or in the next one?\n\nIn this one.\n\n> The tests are green otherwise and nothing else is open.\n\nGood."
        );
    }

    #[test]
    fn what_no_earlier_mail_has_stays() {
        let text = "See below.\n\nBen wrote:\n> This was never sent to us and is only here.\n> the import fails on the second line of the file.";
        assert_eq!(
            answer(text),
            "See below.\n\nBen wrote:\n> This was never sent to us and is only here."
        );
        let forward = "FYI\n\n---------- Forwarded message ---------\nFrom: Carl <carl@example.org>\nDate: Mon, 19 Oct 2026 at 21:05\nSubject: numbers\n\nThe numbers of this month are better than before.";
        assert_eq!(answer(forward), forward);
    }

    #[test]
    fn quotes_without_marks_go_where_they_repeat() {
        for told in [
            "-----Original Message-----\nFrom: Ana [mailto:ana@example.org]\nSent: Monday, October 19, 2026 9:05 PM\nTo: Ben\nSubject: import",
            "________________________________\nVon: Ana <ana@example.org>\nGesendet: Montag, 19. Oktober 2026 21:05\nAn: Ben\nBetreff: import",
            "*De :* Ana <ana@example.org>\n*Envoyé :* lundi 19 octobre 2026 21:05\n*À :* Ben\n*Objet :* import",
            "On Monday, October 19, 2026, 9:05 PM, Ana <ana@example.org> wrote:",
        ] {
            let text = format!("In this one.\n\n{told}\n\n{PARENT}");
            assert_eq!(answer(&text), "In this one.", "{told}");
        }
    }

    #[test]
    fn a_list_of_facts_is_no_quotation() {
        let text = "Facts:\nName: shop\nPlace: here\nPrice: low\nAnd that is all.";
        assert_eq!(answer(text), text);
    }
}
