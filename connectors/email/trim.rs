//! Cuts what stands below a mail and says nothing: signatures, footers of lists, the line that a
//! telephone adds, legal notices that an earlier mail had already. Only where it is certain.

use super::lines::Line;
use super::words::{Words, repeated};

/// Longest signature behind its mark, in lines.
const SIGNATURE: usize = 30;
/// The same behind a mark without its blank, which some programs cut off.
const BARE_SIGNATURE: usize = 10;
/// Longest footer of a list, in lines.
const FOOTER: usize = 10;
/// Words below which a repeated paragraph may be an answer.
const NOTICE: usize = 6;

/// Paragraphs that are looked at from the end.
const NOTICES: usize = 20;

/// How telephones and programs sign, in lower case.
const DEVICES: &[&str] = &[
    "sent from my ",
    "sent from mail for",
    "sent from outlook",
    "sent from yahoo mail",
    "sent via ",
    "sent with proton",
    "get outlook for",
    "von meinem ",
    "gesendet von ",
    "gesendet mit ",
    "envoyé de mon ",
    "envoyé depuis ",
    "envoyé à partir de",
    "enviado desde ",
    "enviado do meu ",
    "inviato da ",
    "verzonden vanaf ",
    "verstuurd vanaf ",
    "skickat från ",
    "sendt fra ",
    "wysłano z ",
    "wysłane z ",
    "отправлено с ",
    "отправлено из ",
    "发自我的",
    "iphoneから送信",
];

/// Cuts signatures, the line of a telephone and, in mail of a list, its footer.
pub(super) fn signed_off(mut lines: Vec<Line>, is_list: bool) -> Vec<Line> {
    if is_list {
        footer(&mut lines);
    }
    signature(&mut lines);
    device(&mut lines);
    lines
}

/// Cuts what `sender` had below `earlier` mails of the thread already, and makes the lines tidy.
pub(super) fn trimmed(mut lines: Vec<Line>, sender: u64, earlier: &[&Words]) -> Vec<Line> {
    notices(&mut lines, sender, earlier);
    device(&mut lines);
    tidy(lines)
}

/// Where the sender's own text ends: before the last quotation if nothing follows it.
fn own_end(lines: &[Line]) -> usize {
    let last = lines
        .iter()
        .rposition(|line| line.depth == 0 && !line.is_blank());
    last.map_or(0, |last| last + 1)
}

/// A rule of underscores (or dashes) with a few lines behind it that name a place on the web or an
/// address; only in mail of lists.
fn footer(lines: &mut Vec<Line>) {
    let from = lines.len().saturating_sub(FOOTER + 1);
    let is_rule = |line: &Line| {
        let text = line.text.trim();
        line.depth == 0
            && text.len() >= 20
            && ['_', '-', '=']
                .iter()
                .any(|sign| text.chars().all(|c| c == *sign))
    };
    let found = lines
        .iter()
        .skip(from)
        .position(is_rule)
        .map(|at| from + at);
    let Some(at) = found else { return };
    let names_a_place = |line: &Line| line.text.contains("http") || line.text.contains('@');
    if lines.iter().skip(at).all(|line| line.depth == 0) && lines.iter().skip(at).any(names_a_place)
    {
        lines.truncate(at);
    }
}

/// What stands behind `-- `, up to the end or to a quotation below it.
fn signature(lines: &mut Vec<Line>) {
    let mark = lines
        .iter()
        .rposition(|line| line.depth == 0 && matches!(line.text.as_str(), "-- " | "--"));
    let Some(mark) = mark else { return };
    let is_exact = lines.get(mark).is_some_and(|line| line.text == "-- ");
    let quoted = lines.iter().skip(mark).position(|line| line.depth > 0);
    let end = match quoted {
        Some(quoted) => announced(lines, mark, mark + quoted),
        None => lines.len(),
    };
    let limit = if is_exact { SIGNATURE } else { BARE_SIGNATURE };
    let length = lines
        .iter()
        .take(end)
        .skip(mark)
        .filter(|line| !line.is_blank())
        .count();
    if length <= limit + 1 {
        lines.drain(mark..end);
    }
}

/// Where the paragraph begins that announces a quotation; it is no part of a signature.
fn announced(lines: &[Line], from: usize, quoted: usize) -> usize {
    let blank = |at: usize| lines.get(at).is_none_or(Line::is_blank);
    let mut at = quoted;
    while at > from + 1 && blank(at - 1) {
        at -= 1;
    }
    let colon = at > from + 1
        && lines
            .get(at - 1)
            .is_some_and(|line| line.text.trim_end().ends_with([':', '：']));
    if !colon {
        return quoted;
    }
    let last = at;
    while at > from + 1 && !blank(at - 1) && last - at < 3 {
        at -= 1;
    }
    at
}

fn device(lines: &mut Vec<Line>) {
    let end = own_end(lines);
    let Some(at) = end.checked_sub(1) else { return };
    let is_device = lines.get(at).is_some_and(|line| {
        let text = line.text.trim().to_lowercase();
        text.chars().count() <= 80 && DEVICES.iter().any(|device| text.starts_with(device))
    });
    if is_device {
        lines.remove(at);
    }
}

/// Paragraphs at the end of the own text that the same sender has sent in this thread before.
fn notices(lines: &mut [Line], sender: u64, earlier: &[&Words]) {
    let own: Vec<&Words> = earlier
        .iter()
        .copied()
        .filter(|words| words.sender == sender)
        .collect();
    if own.is_empty() {
        return;
    }
    let mut known = None;
    for _ in 0..NOTICES {
        let end = own_end(lines);
        let start = paragraph_start(lines, end);
        // The first paragraph is what the mail says.
        if start == 0 || start >= end {
            return;
        }
        let words: usize = lines
            .iter()
            .take(end)
            .skip(start)
            .map(|line| line.text.split_whitespace().count())
            .sum();
        if words < NOTICE {
            return;
        }
        let said = known.get_or_insert_with(|| {
            // As far up as this can go: paragraphs that are left out make their place blank.
            let from = (0..NOTICES).fold(end, |end, _| {
                let above = paragraph_start(lines, end).saturating_sub(1);
                own_end(lines.get(..above).unwrap_or_default())
            });
            repeated(lines, &own, |at| (from..end).contains(&at))
        });
        let mut paragraph = said.iter().take(end).skip(start);
        if !paragraph.all(|line| line.unwrap_or(true)) {
            return;
        }
        for line in lines.iter_mut().take(end).skip(start) {
            line.text.clear();
        }
    }
}

/// Where the paragraph begins that ends at a line.
fn paragraph_start(lines: &[Line], end: usize) -> usize {
    let above = lines
        .iter()
        .take(end)
        .rposition(|line| line.is_blank() || line.depth > 0);
    above.map_or(0, |at| at + 1)
}

/// Leaves single blank lines, and none at the ends.
fn tidy(lines: Vec<Line>) -> Vec<Line> {
    let mut out: Vec<Line> = Vec::with_capacity(lines.len());
    for line in lines {
        let blank = line.is_blank();
        let after_blank = out
            .last()
            .is_none_or(|last| last.is_blank() && (last.depth == line.depth || line.depth == 0));
        if !(blank && after_blank) {
            out.push(line);
        }
    }
    while out.last().is_some_and(Line::is_blank) {
        out.pop();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::lines::{Flow, read};
    use super::*;

    fn cut(text: &str, is_list: bool, earlier: &[&Words]) -> String {
        let mut out = String::new();
        let lines = signed_off(read(text, Flow::Fixed), is_list);
        for line in trimmed(lines, 1, earlier) {
            line.write(&mut out);
            out.push('\n');
        }
        out.trim_end().to_owned()
    }

    #[test]
    fn signatures_and_devices_go() {
        assert_eq!(cut("Yes.\n\n-- \nAna\nShop", false, &[]), "Yes.");
        assert_eq!(cut("Yes.\n\nSent from my telephone", false, &[]), "Yes.");
        assert_eq!(
            cut("Yes.\n-- \nAna\n\nBen wrote:\n> No?", false, &[]),
            "Yes.\nBen wrote:\n> No?"
        );
        let diff = format!("Patch:\n--\n{}", "line\n".repeat(20));
        assert_eq!(cut(&diff, false, &[]), diff.trim_end());
    }

    #[test]
    fn footers_go_from_lists_alone() {
        let text =
            "Yes.\n____________________________\ndev mailing list\nhttps://lists.example.org/dev";
        assert_eq!(cut(text, true, &[]), "Yes.");
        assert_eq!(cut(text, false, &[]), text);
    }

    #[test]
    fn a_notice_goes_when_the_sender_has_sent_it_before() {
        let notice = "This message is for its addressee alone and must not be passed on.";
        let before = format!("First.\n\n{notice}");
        let words = Words::of(&read(&before, Flow::Fixed), 1);
        let other = Words::of(&read(&before, Flow::Fixed), 2);
        let text = format!("Second.\n\n{notice}");
        assert_eq!(cut(&text, false, &[&words]), "Second.");
        assert_eq!(cut(&text, false, &[&other]), text);
        assert_eq!(cut(&text, false, &[]), text);
        assert_eq!(cut(notice, false, &[&words]), notice);
    }
}
